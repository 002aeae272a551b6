"""Models as folders: arrays, tables and a card, every byte of which is checked when it is read.

No pickle. ``model.json`` has the settings, where the model comes from, and the SHA-256 of the other
files and of its own content; a file that differs is refused before it is parsed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import torch
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors
from torch import nn

from ..config import Config
from ..encode import SubgraphScale
from ..errors import ConfigError, DataError, Sub2NodeError
from ..files import check_folder, new_folder, require_writable, written
from ..io.graphs import as_graph
from ..nn import CONVOLUTIONS
from ..ragged import Array
from ..task import Graph, Names, Split, Subgraphs, SubgraphTask
from ..task.edges import Edges
from .card import model_card
from .checks import check_content, check_facts
from .known import Known
from .made import restored
from .scorer import Scorer

FORMAT, VERSION = "sub2node-model", 1
CARD, WEIGHTS, KNOWN, EDGES, NODES, NAMES = (
    "model.json", "weights.safetensors", "known.safetensors", "edges.parquet", "nodes.parquet",
    "subgraphs.parquet",
)  # fmt: skip
_OURS = (
    r"model\.json|weights\.safetensors|known\.safetensors|(edges|nodes|subgraphs)\.parquet"
    r"|MODEL_CARD\.md"
)


def check_place(path: str | Path, *, overwrite: bool) -> None:
    """Raise unless a model folder can be made here."""
    check_folder(Path(path), overwrite=overwrite, ours=_OURS)
    require_writable(Path(path))


def save_scorer(
    scorer: Scorer, path: str | Path, *, graph: str | None = None, overwrite: bool = False
) -> Path:
    """Write a model folder.

    Args:
        scorer: The model.
        path: The folder.
        graph: Where the data lies (a benchmark's name, a folder or a file), to refer to its graph
            by this name and its content hash; by default the graph is part of the folder.
        overwrite: Whether a model that is there may be replaced.
    """
    path = Path(path)
    if graph is not None:
        graph = _everywhere(graph)
        _referred(graph, scorer.graph.hash)
    with new_folder(path, overwrite=overwrite, ours=_OURS) as folder, written(path):
        files = {WEIGHTS: _weights(scorer), KNOWN: _known(scorer, with_graph=graph is None)}
        if graph is None:
            low, high, weights = scorer.graph.edges()
            columns = {"low": low, "high": high}
            columns |= {} if weights is None else {"weight": weights}
            files[EDGES] = _table(columns, delta=("low", "high"))
            files |= _named(NODES, scorer.graph.names, scorer.graph.titles)
        files |= _named(NAMES, scorer.task.subgraphs.names, scorer.task.subgraphs.titles)
        facts = _facts(scorer, graph, files)
        for name, content in files.items():
            (folder / name).write_bytes(content)
        text = json.dumps({**facts, "digest": _digest(facts)}, indent=1, ensure_ascii=False)
        (folder / CARD).write_text(text + "\n", encoding="utf-8")
        (folder / "MODEL_CARD.md").write_text(model_card(scorer), encoding="utf-8")
    return path


def _facts(scorer: Scorer, graph: str | None, files: dict[str, bytes]) -> dict[str, Any]:
    task = scorer.task
    return {
        "format": FORMAT,
        "version": VERSION,
        "config": scorer.known.config.to_dict(),
        "seeds": list(scorer.seeds),
        "classes": list(task.class_names),
        "multilabel": task.multilabel,
        "temperature": scorer.temperature,
        "threshold": scorer.threshold,
        "graph": {"nodes": task.graph.num_nodes, "hash": task.graph.hash, "reference": graph},
        "name": task.name,
        "card": scorer.card,
        "files": {name: hashlib.sha256(content).hexdigest() for name, content in files.items()},
    }


def _digest(facts: dict[str, Any]) -> str:
    text = json.dumps(facts, sort_keys=True, ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _weights(scorer: Scorer) -> bytes:
    state = {f"network.{name}": tensor.contiguous()
             for name, tensor in scorer.network.state_dict().items()}  # fmt: skip
    return save_tensors({**state, "table": scorer.network.table.table.contiguous()})


def _known(scorer: Scorer, *, with_graph: bool) -> bytes:
    task, scale = scorer.task, scorer.known.scale
    subgraphs, graph = task.subgraphs, task.graph
    assert task.split is not None
    assert task.labels is not None
    arrays = {
        "ptr": subgraphs.ptr, "nodes": subgraphs.nodes, "weights": subgraphs.weights,
        "edge_ptr": subgraphs.edge_ptr, "edges": subgraphs.edges, "labels": task.labels,
        "split": task.split.codes,
    }  # fmt: skip
    if with_graph:
        arrays |= {"graph.loops": graph.loops, "graph.loop_weights": graph.loop_weights}
        arrays |= {"graph.features": graph.features}
    if scale is not None:
        arrays |= {"scale.mean": scale.mean, "scale.sd": scale.sd, "scale.heights": scale.heights}
        arrays |= {f"scale.edges.{i:04d}": edges for i, edges in enumerate(scale.edges)}
    return save_tensors(
        {name: torch.from_numpy(np.array(a)) for name, a in arrays.items() if a is not None}
    )


def _named(file: str, names: Names | None, titles: Names | None) -> dict[str, bytes]:
    columns = {"name": names, "title": titles}
    given = {column: found.arrow for column, found in columns.items() if found is not None}
    return {file: _table(given)} if given else {}


def _table(columns: dict[str, Any], delta: tuple[str, ...] = ()) -> bytes:
    sink = pa.BufferOutputStream()
    encoding = dict.fromkeys(delta, "DELTA_BINARY_PACKED")
    options = {"use_dictionary": False, "column_encoding": encoding} if delta else {}
    pq.write_table(pa.table(columns), sink, compression="zstd", **options)
    return bytes(sink.getvalue())


def load_scorer(
    path: str | Path, *, graph: Any = None, conv: Callable[..., nn.Module] | None = None
) -> Scorer:
    """Read a model folder.

    Args:
        path: The folder.
        graph: The global graph, where the folder refers to one that is not found by itself.
        conv: The convolution class, where the model was trained with one of the user's own;
            a model never says which code to load.

    Raises:
        DataError: Something in it is missing, damaged or not ours.
    """
    folder = Path(path)
    facts = _read_card(folder)
    try:
        return _loaded(folder, facts, graph, conv)
    except Sub2NodeError as error:
        reason = error.reason if isinstance(error, DataError) else str(error)
        raise DataError(reason, path=folder) from error
    except Exception as error:  # whatever libraries make of a card that fits but lies
        reason = " ".join(str(error).split())[:200]
        raise DataError(
            f"this model cannot be read: {type(error).__name__}: {reason}.", path=folder
        ) from error


def _loaded(
    folder: Path, facts: dict[str, Any], graph: Any, conv: Callable[..., nn.Module] | None
) -> Scorer:
    check_facts(facts)
    read = _Reader(folder, facts["files"])
    config = Config.from_dict(facts["config"])
    if config.conv not in CONVOLUTIONS and conv is None:
        raise ConfigError(
            f"this model has the convolution {config.conv!r}, which is not part of this package;"
            " give its class: load(path, conv=…)."
        )
    arrays = {name: t.numpy() for name, t in load_tensors(read(KNOWN)).items()}
    graph = _graph(facts, arrays, read) if graph is None else as_graph(graph)
    if graph.hash != facts["graph"]["hash"]:
        raise DataError("the global graph is not the one that the model was trained on.")
    task = _task(facts, arrays, graph, read)
    tensors = load_tensors(read(WEIGHTS))
    table = tensors.pop("table")
    state = {name.removeprefix("network."): tensor for name, tensor in tensors.items()}
    scale = _scale(config, arrays)
    check_content(facts, config, task, table, state, scale)
    network = restored(config, task, facts["seeds"], table, state, conv)
    numbers = float(facts["temperature"]), float(facts["threshold"])
    known = Known(task, config, scale)
    return Scorer(known, network, tuple(facts["seeds"]), *numbers, facts["card"])


class _Reader:
    """Files of a model, checked before anyone sees their content."""

    def __init__(self, folder: Path, hashes: dict[str, str]) -> None:
        self.folder, self.hashes = folder, hashes

    def has(self, name: str) -> bool:
        return name in self.hashes

    def __call__(self, name: str) -> bytes:
        try:
            content = (self.folder / name).read_bytes()
        except OSError as error:
            raise DataError(f"{name} cannot be read: {error.strerror}.") from None
        if hashlib.sha256(content).hexdigest() != self.hashes.get(name):
            raise DataError(
                f"{name} is damaged: its content is not what model.json says; copy or train the"
                " model anew."
            )
        return content

    def table(self, name: str) -> Any:
        """A Parquet file."""
        return pq.read_table(pa.BufferReader(self(name)))


def _read_card(folder: Path) -> dict[str, Any]:
    path = folder / CARD
    if not path.is_file():
        what = "no such folder" if not folder.exists() else "no model.json here"
        raise DataError(f"there is {what}; a model is a folder written by save.", path=folder)
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise DataError(f"this is not JSON ({error}).", path=path) from None
    if not isinstance(facts, dict) or facts.get("format") != FORMAT:
        raise DataError(f"this is not the card of a model ('format' is not {FORMAT!r}).", path=path)
    if facts.get("version") != VERSION:
        raise DataError(
            f"the model has version {facts.get('version')!r}, this package reads {VERSION}; use"
            " the package that wrote it, or train the model anew.",
            path=path,
        )
    given = facts.pop("digest", None)
    try:
        found = _digest(facts)
    except (ValueError, RecursionError):
        found = ""
    if given != found:
        raise DataError("this card is damaged: its content is not what it was.", path=path)
    return facts


def _graph(facts: dict[str, Any], arrays: dict[str, Array], read: _Reader) -> Graph:
    reference = facts["graph"]["reference"]
    if reference is not None:
        return _referred(reference, facts["graph"]["hash"])
    table = read.table(EDGES)
    names, titles = _names(read, NODES)
    columns = {name: np.asarray(table.column(name)) for name in table.column_names}
    edges = Edges(
        columns["low"], columns["high"], columns.get("weight"), arrays["graph.loops"],
        arrays.get("graph.loop_weights"), 0,
    )  # fmt: skip
    return Graph.from_undirected(
        edges, num_nodes=facts["graph"]["nodes"], features=arrays.get("graph.features"),
        names=names, titles=titles,
    )  # fmt: skip


def _everywhere(data: str) -> str:
    """A name of data that holds in every folder."""
    from ..datasets import BENCHMARKS

    here = data not in BENCHMARKS and Path(data).exists()
    return str(Path(data).resolve()) if here else data


def _referred(reference: str, wanted: str) -> Graph:
    """The graph that a model only refers to."""
    from ..datasets import load_task

    if reference.startswith(("generate:", "like:")):
        raise ConfigError(f"a model refers to data that lies somewhere, not to {reference!r}.")
    try:
        found = load_task(reference).graph
    except Sub2NodeError as error:
        raise DataError(
            f"the global graph lies outside of the model and cannot be read ({error}); give it:"
            " load(path, graph=…)."
        ) from error
    if found.hash != wanted:
        raise DataError(f"{reference} has another graph than the one the model was trained on.")
    return found


def _names(read: _Reader, file: str) -> tuple[Names | None, Names | None]:
    if not read.has(file):
        return None, None
    table = read.table(file)
    names, titles = (
        Names(table.column(column)) if column in table.column_names else None
        for column in ("name", "title")
    )
    return names, titles


def _task(
    facts: dict[str, Any], arrays: dict[str, Array], graph: Graph, read: _Reader
) -> SubgraphTask:
    names, titles = _names(read, NAMES)
    subgraphs = Subgraphs(
        arrays["ptr"], arrays["nodes"], arrays.get("weights"), arrays.get("edge_ptr"),
        arrays.get("edges"), names=names, titles=titles,
    )  # fmt: skip
    if not np.isin(arrays["split"], (0, 1)).all():
        raise DataError("the known subgraphs must be training or virtual ones.")
    split = Split(arrays["split"])
    classes = tuple(facts["classes"])
    return SubgraphTask(graph, subgraphs, arrays["labels"], classes, split, facts["name"])


def _scale(config: Config, arrays: dict[str, Array]) -> SubgraphScale | None:
    if config.features.subgraphs == "none":
        return None
    edges = [arrays[name] for name in sorted(arrays) if name.startswith("scale.edges.")]
    found = (arrays["scale.mean"], arrays["scale.sd"], arrays.get("scale.heights"))
    return SubgraphScale(config.features.subgraphs, *found, tuple(edges))
