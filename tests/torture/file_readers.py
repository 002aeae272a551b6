"""Good files of every input format, and how each is read."""

from __future__ import annotations

import gzip
import json
import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

QUICK = ("--seeds", "1", "--device", "cpu", "--set", "epochs=2", "--set", "hidden=8",
         "--features", "random")  # fmt: skip
MakeCommand = Callable[..., Callable[[], None]]
_KEY = "training 7"


@dataclass(frozen=True)
class Reader:
    """A format.

    Args:
        name: What the table calls it.
        folder: The folder of its good files.
        files: Names of the files to damage.
        read: Reads the folder; returns something that tells one content from another.
        sealed: Whether checksums guard the content.
    """

    name: str
    folder: str
    files: tuple[str, ...]
    read: Callable[[Path], object]
    sealed: bool = False


def _read_task(folder: Path) -> object:
    from sub2node import load_task

    task = load_task(folder)
    return task.hash, task.class_names


def _read_sets_with(ending: str) -> Callable[[Path], object]:
    def read(folder: Path) -> object:
        from sub2node.io import read_task

        file = folder / f"sets{ending}"
        labels = folder / "labels.csv"
        graph = next(folder.glob("edges.*"))
        return read_task(file, graph=graph, labels=labels if labels.exists() else None).hash

    return read


def _read_questions(folder: Path) -> object:
    from sub2node.io.sets import read_sets

    (file,) = folder.glob("new.*")
    batches = list(read_sets(file, at_once=True))
    return [(batch.names, batch.nodes.to_pylist()) for batch in batches]


def _read_graph(folder: Path) -> object:
    from sub2node import S2NGraph

    graph = S2NGraph.load(folder)
    return graph.weights.sum(), graph.weights.nnz, graph.split.words(), graph.settings


def _read_run(folder: Path) -> object:
    from sub2node.runs.reader import read_study

    study = read_study([folder])
    return [(run.name, run.result) for run in study.runs]


def _read_works(folder: Path) -> object:
    from sub2node.runs.reader import read_works

    return read_works(folder)


def _read_vectors(folder: Path) -> object:
    from sub2node.encode.encoding_files import load_encoding
    from sub2node.io import read_task

    (file,) = folder.glob("vectors.*")
    encoding = load_encoding(file, read_task(folder / "data").graph)
    return encoding.nodes.tolist(), encoding.values.tolist()


def _read_preset(folder: Path) -> object:
    from sub2node.config.preset_resolver import NETWORKS, resolve_preset

    preset = resolve_preset(str(folder / "preset.toml"), NETWORKS, dataset="", has_features=False)
    return preset.config


def _read_space(folder: Path) -> object:
    from sub2node.tune.search_space import read_space

    return read_space(str(folder / "space.toml"))


def _read_checkpoint(folder: Path) -> object:
    from sub2node.train import Checkpoint

    state = Checkpoint(folder / "state.safetensors", _KEY, resume=True).load()
    assert state is not None
    tensors, facts = state
    return {name: value.tolist() for name, value in sorted(tensors.items())}, facts


def _read_cache(folder: Path) -> object:
    from sub2node.encode.cache import _load

    encoding, _ = _load(folder / "kept.safetensors", (folder / "key").read_text())
    if encoding is None:  # it is made anew, with a note
        return json.loads((folder / "expected.json").read_text())
    return [encoding.nodes.tolist(), encoding.values.tolist()]


def _read_journal(folder: Path) -> object:
    from sub2node.runs.journal import LineJournal

    return LineJournal(folder, "cells").read(lambda record: record)


TABLES = ("edges", "members", "labels", "nodes")
READERS = (
    Reader("CSV", "csv", tuple(f"{name}.csv" for name in TABLES), _read_task),
    Reader("TSV, quoted", "tsv", tuple(f"{name}.tsv" for name in TABLES), _read_task),
    Reader("CSV, gzip", "gzip", tuple(f"{name}.csv.gz" for name in TABLES), _read_task),
    Reader("Parquet", "plain", tuple(f"{name}.parquet" for name in TABLES), _read_task),
    Reader(
        "Parquet task",
        "task",
        (*(f"{name}.parquet" for name in TABLES), "task.json", "checksums.json"),
        _read_task,
        sealed=True,
    ),
    Reader("JSONL", "jsonl", ("sets.jsonl", "edges.csv"), _read_sets_with(".jsonl")),
    Reader("GMT", "gmt", ("sets.gmt", "labels.csv"), _read_sets_with(".gmt")),
    Reader("edge list", "list", ("edges.txt",), _read_sets_with(".jsonl")),
    Reader(
        "SubGNN",
        "subgnn",
        ("edge_list.txt", "subgraphs.pth", "nodes.tsv", "subgraph_ids.tsv"),
        _read_task,
    ),
    Reader("questions, CSV", "new_csv", ("new.csv",), _read_questions),
    Reader("questions, JSONL", "new_jsonl", ("new.jsonl",), _read_questions),
    Reader("questions, GMT", "new_gmt", ("new.gmt",), _read_questions),
    Reader("questions, Parquet", "new_parquet", ("new.parquet",), _read_questions),
    Reader(
        "S2N graph",
        "graph",
        ("weights.parquet", "subgraphs.parquet", "graph.json", "checksums.json"),
        _read_graph,
        sealed=True,
    ),
    Reader("coarsening", "coarse", ("members.parquet", "task.json"), _read_task, sealed=True),
    Reader("run", "run", ("result.json", "checksums.json"), _read_run, sealed=True),
    Reader("comparison", "several", ("comparison.json",), _read_run, sealed=True),
    Reader("study", "study", ("study.json",), _read_works),
    Reader("vectors, Parquet", "v_parquet", ("vectors.parquet",), _read_vectors, sealed=True),
    Reader("vectors, npz", "v_npz", ("vectors.npz",), _read_vectors),
    Reader("vectors, npy", "v_npy", ("vectors.npy",), _read_vectors),
    Reader("vectors, safetensors", "v_safe", ("vectors.safetensors",), _read_vectors, sealed=True),
    Reader("vectors, PyTorch", "v_torch", ("vectors.pt",), _read_vectors),
    Reader("preset", "preset", ("preset.toml",), _read_preset),
    Reader("search space", "space", ("space.toml",), _read_space),
    Reader("checkpoint", "state", ("state.safetensors",), _read_checkpoint, sealed=True),
    Reader("cache", "cache", ("kept.safetensors",), _read_cache, sealed=True),
    Reader("journal", "journal", ("cells.jsonl",), _read_journal),
)


def write_originals(folder: Path, make_command: MakeCommand) -> None:
    """Write the good files of all formats.

    Args:
        folder: Where their folders go.
        make_command: Makes a call of ``s2n`` with these words.
    """

    def s2n(*words: object) -> None:
        try:
            make_command(*words)()
        except SystemExit as leave:
            if leave.code:
                raise

    _write_text(folder)
    data = folder / "csv"
    s2n("convert", data, folder / "task")
    lines = (folder / "jsonl" / "sets.jsonl", "--graph", folder / "jsonl" / "edges.csv")
    s2n("convert", lines[0], folder / "subgnn", *lines[1:], "--to", "subgnn")
    shutil.copytree(folder / "task", folder / "plain")
    (folder / "plain" / "task.json").unlink()
    (folder / "plain" / "checksums.json").unlink()
    s2n("translate", data, "-o", folder / "graph")
    s2n("coarsen", data, "-o", folder / "coarse")
    s2n("run", data, "-o", folder / "run", *QUICK)
    s2n("run", data, "-o", folder / "several", "--model", "bag", "--model", "majority")
    s2n("tune", data, "-o", folder / "study", "--trials", "1", *QUICK)
    _write_vectors(folder, s2n)
    _write_states(folder)


def _write_text(folder: Path) -> None:
    draw = random.Random(7)
    edges = [(f"g{i}", f"g{(i + 1) % 40}") for i in range(40)]
    edges += [(f"g{i}", f"g{i + 7}") for i in range(0, 30, 3)]
    sets = {f"s{i}": draw.sample(range(20 * (i % 2), 20 * (i % 2) + 20), 4) for i in range(24)}
    part = ["train"] * 12 + ["val"] * 6 + ["test"] * 6
    tables = {
        "edges": [("source", "target", "weight"), *((a, b, "1.5") for a, b in edges)],
        "members": [("subgraph_id", "node_id"), *((s, f"g{n}") for s in sets for n in sets[s])],
        "labels": [("subgraph_id", "label", "split"),
                   *((s, "ab"[i % 2], part[i]) for i, s in enumerate(sets))],
        "nodes": [("node_id", "title", "x"),
                  *((f"g{i}", f"gene {i}", f"{i / 7}") for i in range(40))],
    }  # fmt: skip
    for place in ("csv", "tsv", "gzip", "gmt", "jsonl", "list", "new_csv"):
        (folder / place).mkdir()
    for name, rows in tables.items():
        plain = "\n".join(",".join(row) for row in rows) + "\n"
        (folder / "csv" / f"{name}.csv").write_text(plain)
        (folder / "gzip" / f"{name}.csv.gz").write_bytes(gzip.compress(plain.encode()))
        quoted = "\n".join("\t".join(f'"{cell}"' for cell in row) for row in rows) + "\n"
        (folder / "tsv" / f"{name}.tsv").write_text(quoted)
    weightless = "\n".join(f"{a},{b}" for a, b in [("source", "target"), *edges]) + "\n"
    lines = [json.dumps({"id": s, "nodes": [f"g{n}" for n in sets[s]], "label": "ab"[i % 2],
                         "split": part[i]}) for i, s in enumerate(sets)]  # fmt: skip
    (folder / "jsonl" / "edges.csv").write_text(weightless)
    (folder / "jsonl" / "sets.jsonl").write_text("\n".join(lines) + "\n")
    genes = ["\t".join([s, "title", *(f"g{n}" for n in sets[s])]) for s in sets]
    (folder / "gmt" / "edges.csv").write_text(weightless)
    (folder / "gmt" / "sets.gmt").write_text("\n".join(genes) + "\n")
    shutil.copy(folder / "csv" / "labels.csv", folder / "gmt")
    numbers = [f"{a[1:]} {b[1:]}" for a, b in edges]
    (folder / "list" / "edges.txt").write_text("\n".join(numbers) + "\n")
    plain_sets = [json.dumps({"nodes": sets[s], "label": "ab"[i % 2], "split": part[i]})
                  for i, s in enumerate(sets)]  # fmt: skip
    (folder / "list" / "sets.jsonl").write_text("\n".join(plain_sets) + "\n")
    shutil.copy(folder / "csv" / "members.csv", folder / "new_csv" / "new.csv")
    _write_questions(folder, sets)
    for name, text in _TOML.items():
        (folder / name).mkdir()
        (folder / name / f"{name}.toml").write_text(text)
    (folder / "journal").mkdir()
    records = [json.dumps({"cell": i, "value": i / 3, "why": ["x", None]}) for i in range(20)]
    (folder / "journal" / "cells.jsonl").write_text("\n".join(records) + "\n")


_TOML = {
    "preset": '[model]\nhidden = 32\nlayers = 2\nreadout = "sum"\n[training]\nlr = 0.01\n'
    'epochs = 20\n[features]\nkind = "random"\nwidth = 16\n',
    "space": 'lr = { low = 0.001, high = 0.01, log = true }\nreadout = ["sum", "mean"]\n',
}


def _write_questions(folder: Path, sets: dict[str, list[int]]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    for ending, source in (("jsonl", "jsonl/sets.jsonl"), ("gmt", "gmt/sets.gmt")):
        (folder / f"new_{ending}").mkdir()
        shutil.copy(folder / source, folder / f"new_{ending}" / f"new.{ending}")
    (folder / "new_parquet").mkdir()
    table = {
        "subgraph_id": [s for s in sets for _ in sets[s]],
        "node_id": [f"g{n}" for s in sets for n in sets[s]],
    }
    pq.write_table(pa.table(table), folder / "new_parquet" / "new.parquet")


def _write_vectors(folder: Path, s2n: Callable[..., None]) -> None:
    import numpy as np
    import torch

    for place, ending in (("v_parquet", "parquet"), ("v_npz", "npz"), ("v_safe", "safetensors")):
        (folder / place).mkdir()
        out = folder / place / f"vectors.{ending}"
        s2n("encode", folder / "csv", "--rwpe", "3", "--all-nodes", "-o", out)
    values = np.arange(120, dtype=np.float32).reshape(40, 3)
    for place in ("v_npy", "v_torch"):
        (folder / place).mkdir()
    np.save(folder / "v_npy" / "vectors.npy", values)
    torch.save(torch.from_numpy(values), folder / "v_torch" / "vectors.pt")
    for place in folder.glob("v_*"):
        shutil.copytree(folder / "csv", place / "data")


def _write_states(folder: Path) -> None:
    import numpy as np
    import torch

    from sub2node.encode import Encoding
    from sub2node.encode.cache import _save
    from sub2node.train import Checkpoint

    values = torch.arange(60, dtype=torch.float32).reshape(20, 3)
    state = Checkpoint(folder / "state" / "state.safetensors", _KEY)
    state.save({"weights": values, "step": torch.tensor(3)}, {"epoch": 3.0})
    assert not state.failed
    (folder / "cache").mkdir()
    encoding = Encoding("rwpe", np.arange(20), values.numpy())
    assert not _save(folder / "cache" / "kept.safetensors", "key 7", encoding)
    (folder / "cache" / "key").write_text("key 7")
    expected = [encoding.nodes.tolist(), encoding.values.tolist()]
    (folder / "cache" / "expected.json").write_text(json.dumps(expected))
