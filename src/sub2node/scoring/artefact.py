"""Models as folders of arrays, tables and a card; every byte is checked when they are read.

No pickle. ``model.json`` has the settings, where the model comes from, and the SHA-256 of the other
files and of its own content; a file that differs is refused before it is parsed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import torch
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors
from torch import Tensor, nn

from ..base.errors import ConfigError, DataError, Sub2NodeError
from ..base.files import check_folder, new_folder, require_writable, written
from ..base.ragged import Array
from ..base.records import JsonObject
from ..base.regular_files import read_regular_file
from ..base.structured_text import parse_json
from ..io.expansion import check_parquet
from ..io.graphs import as_graph
from ..task import Graph, Names, Split, Subgraphs, SubgraphTask
from ..task.other_names import OtherNames
from .artefact_checks import check_facts, check_network_facts
from .ensemble_scorer import EnsembleScorer
from .graph_tables import encode_graph, encode_names, encode_table, read_graph_files, read_names
from .growing_scorer import GrowingScorer, growing
from .member_files import (
    ensemble_facts,
    ensemble_tensors,
    member_facts,
    member_tensors,
    read_ensemble,
    read_network,
    require_convolution,
    scale_arrays,
)
from .model_card import render_model_card
from .network_scorer import NetworkScorer
from .part_arrays import as_part, border_arrays, graph_arrays, part_facts, read_border
from .scorer import Scorer
from .simple_scorer import SimpleScorer

FORMAT = "sub2node-model"
VERSION, VERSION_OF_MEMBERS = 1, 2  # a network; a simple model, or several members
CARD, WEIGHTS, KNOWN, NAMES, ALIASES = (
    "model.json", "weights.safetensors", "known.safetensors", "subgraphs.parquet",
    "aliases.parquet",
)  # fmt: skip
_LEAST_TABLE = 64 << 20  # bytes that any table of a model may expand to
_OURS = (
    r"model\.json|weights\.safetensors|known\.safetensors|(edges|arcs|nodes|subgraphs|aliases)\.parquet"
    r"|MODEL_CARD\.md"
)


def check_place(path: str | Path, *, overwrite: bool) -> None:
    """Raise unless a model folder can be written to this path."""
    check_folder(Path(path), overwrite=overwrite, ours=_OURS)
    require_writable(Path(path))


def save_scorer(
    scorer: Scorer, path: str | Path, *, graph: str | None = None, overwrite: bool = False
) -> Path:
    """Write a model folder.

    Args:
        scorer: The model to write.
        path: The folder to write.
        graph: Where the data lies (a benchmark's name, a folder or a file), to refer to its graph
            by this name and its content hash; by default the graph is part of the folder.
        overwrite: Whether an existing model may be replaced.
    """
    path = Path(path)
    scorer = scorer.base if isinstance(scorer, GrowingScorer) else scorer
    if graph is not None:
        graph = _resolve_reference(graph)
        _load_referenced(graph, scorer.graph.hash, directed=scorer.graph.arcs is not None)
    with new_folder(path, overwrite=overwrite, ours=_OURS) as folder, written(path):
        files = {
            WEIGHTS: save_tensors(_collect_tensors(scorer)),
            KNOWN: _encode_known(scorer, with_graph=graph is None),
        }
        if graph is None:
            files |= encode_graph(scorer.graph)
        if scorer.graph.other_names is not None:
            files[ALIASES] = encode_table(scorer.graph.other_names.rows().sort_by("node"))
        files |= encode_names(NAMES, scorer.task.subgraphs.names, scorer.task.subgraphs.titles)
        facts = _collect_facts(scorer, graph, files)
        for name, content in files.items():
            (folder / name).write_bytes(content)
        text = json.dumps({**facts, "digest": _digest_facts(facts)}, indent=1, ensure_ascii=False)
        (folder / CARD).write_text(text + "\n", encoding="utf-8")
        (folder / "MODEL_CARD.md").write_text(render_model_card(scorer), encoding="utf-8")
    return path


def _collect_facts(scorer: Scorer, graph: str | None, files: dict[str, bytes]) -> JsonObject:
    task, version = scorer.task, VERSION
    if isinstance(scorer, NetworkScorer):
        content = member_facts(scorer)
    else:
        version, content = VERSION_OF_MEMBERS, {"members": ensemble_facts(scorer)}
        content["ensemble"] = isinstance(scorer, EnsembleScorer)
    return {
        "format": FORMAT,
        "version": version,
        **content,
        "classes": list(task.class_names),
        "multilabel": task.multilabel,
        "threshold": scorer.threshold,
        **part_facts(task),
        "graph": {"nodes": task.graph.num_nodes, "hash": task.graph.hash, "reference": graph}
        | ({} if task.graph.arcs is None else {"directed": True}),
        "name": task.name,
        "card": scorer.card,
        "files": {name: hashlib.sha256(content).hexdigest() for name, content in files.items()},
    }


def _digest_facts(facts: JsonObject) -> str:
    text = json.dumps(facts, sort_keys=True, ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _collect_tensors(scorer: Scorer) -> dict[str, Tensor]:
    if isinstance(scorer, NetworkScorer):
        return member_tensors(scorer)
    return ensemble_tensors(scorer)


def _encode_known(scorer: Scorer, *, with_graph: bool) -> bytes:
    task = scorer.task
    subgraphs, graph = task.subgraphs, task.graph
    assert task.split is not None
    assert task.labels is not None
    arrays = {
        "ptr": subgraphs.ptr,
        "nodes": subgraphs.nodes,
        "weights": subgraphs.weights,
        "edge_ptr": subgraphs.edge_ptr,
        "edges": subgraphs.edges,
        "labels": task.labels,
        "split": task.split.codes,
    }
    if (absent := subgraphs.excluded) is not None:
        arrays |= {"excluded.ptr": absent.ptr, "excluded.nodes": absent.nodes}
        arrays |= {"excluded.weights": absent.weights}
    if with_graph:
        arrays |= {"graph.loops": graph.loops, "graph.loop_weights": graph.loop_weights}
        arrays |= {"graph.features": graph.features, **graph_arrays(graph)}
    arrays |= border_arrays(subgraphs)
    if isinstance(scorer, NetworkScorer):
        arrays |= scale_arrays(scorer.known_subgraphs.scale)
    return save_tensors(
        {
            name: torch.from_numpy(np.array(array))
            for name, array in arrays.items()
            if array is not None
        }
    )


def load_scorer(
    path: str | Path, *, graph: Any = None, conv: Callable[..., nn.Module] | None = None
) -> Scorer:
    """Read a model folder.

    Args:
        path: The folder to read.
        graph: The global graph, where the folder refers to one that is not where it was.
        conv: The convolution class, where the model was trained with one of the user's own;
            a model never says which code to load.

    Raises:
        DataError: Something in it is missing, damaged or not ours.
    """
    folder = Path(path)
    facts = _read_card(folder)
    try:
        return _load(folder, facts, graph, conv)
    except Sub2NodeError as error:
        reason = error.reason if isinstance(error, DataError) else str(error)
        raise DataError(reason, path=folder) from error
    except Exception as error:  # whatever libraries make of a card that fits but lies
        reason = " ".join(str(error).split())[:200]
        raise DataError(
            f"this model cannot be read: {type(error).__name__}: {reason}.", path=folder
        ) from error


def _load(
    folder: Path, facts: JsonObject, graph: Any, conv: Callable[..., nn.Module] | None
) -> Scorer:
    of_members = facts["version"] == VERSION_OF_MEMBERS
    check_facts(facts)
    read = _Reader(folder, facts["files"])
    if not of_members:
        check_network_facts(facts)
        require_convolution(facts["config"], conv)
    arrays = {name: t.numpy() for name, t in load_tensors(read(KNOWN)).items()}
    graph = _read_graph(facts, arrays, read) if graph is None else as_graph(graph)
    if graph.hash != facts["graph"]["hash"]:
        raise DataError("the global graph is not the one that the model was trained on.")
    if read.has(ALIASES):
        graph = graph.renamed(_read_other_names(read.table(ALIASES)))
    task = _read_task(facts, arrays, graph, read)
    tensors = load_tensors(read(WEIGHTS))
    scorer: NetworkScorer | SimpleScorer | EnsembleScorer
    if of_members:
        scorer = read_ensemble(facts, task, tensors, conv=conv)
    else:
        scorer = read_network(facts, task, tensors, arrays=arrays, conv=conv)
    scorer = replace(scorer, threshold=float(facts["threshold"]), card=facts["card"])
    scorer.check_answers()
    return growing(scorer)


class _Reader:
    """Files of a model; the digest of each is checked before it is parsed."""

    def __init__(self, folder: Path, hashes: dict[str, str]) -> None:
        self.folder, self.hashes = folder, hashes

    def has(self, name: str) -> bool:
        return name in self.hashes

    def __call__(self, name: str) -> bytes:
        try:
            content = read_regular_file(self.folder / name)
        except DataError as error:
            raise DataError(f"{name}: {error.reason}") from None
        if hashlib.sha256(content).hexdigest() != self.hashes.get(name):
            raise DataError(
                f"{name} is damaged: its content is not what model.json says; copy or train the"
                " model anew."
            )
        return content

    def table(self, name: str) -> pa.Table:
        """The content of a Parquet file, whose size in memory is bounded by its own."""
        content = pa.py_buffer(self(name))
        check_parquet(pa.BufferReader(content), content.size, least=_LEAST_TABLE)
        return pq.read_table(pa.BufferReader(content))


def _read_card(folder: Path) -> JsonObject:
    path = folder / CARD
    if not path.exists():
        what = "no such folder" if not folder.exists() else "no model.json here"
        raise DataError(
            f"there is {what}; a model is a folder that s2n fit or save() wrote.", path=folder
        )
    try:
        facts = parse_json(read_regular_file(path).decode("utf-8"))
    except ValueError as error:
        raise DataError(f"this is not JSON ({error}).", path=path) from None
    if not isinstance(facts, dict) or facts.get("format") != FORMAT:
        raise DataError(f"this is not the card of a model ('format' is not {FORMAT!r}).", path=path)
    if facts.get("version") not in (VERSION, VERSION_OF_MEMBERS):
        raise DataError(
            f"the model has version {facts.get('version')!r}, this package reads {VERSION} and"
            f" {VERSION_OF_MEMBERS}; use the package that wrote it, or train the model anew.",
            path=path,
        )
    expected = facts.pop("digest", None)
    try:
        digest = _digest_facts(facts)
    except (ValueError, RecursionError):
        digest = ""
    if digest != expected:
        raise DataError("this card is damaged: its content is not what it was.", path=path)
    return facts


def _read_graph(facts: JsonObject, arrays: dict[str, Array], read: _Reader) -> Graph:
    reference = facts["graph"]["reference"]
    if reference is not None:
        directed = bool(facts["graph"].get("directed", False))
        return _load_referenced(reference, facts["graph"]["hash"], directed=directed)
    graph = read_graph_files(facts["graph"]["nodes"], arrays, read)
    return as_part(graph, facts, arrays)


def _resolve_reference(data: str) -> str:
    """A reference to data that does not depend on the current folder."""
    from ..datasets import BENCHMARKS

    is_path = data not in BENCHMARKS and Path(data).exists()
    return str(Path(data).resolve()) if is_path else data


def _load_referenced(reference: str, expected_hash: str, *, directed: bool) -> Graph:
    """The graph that a model only refers to."""
    from ..datasets import load_task

    if reference.startswith(("generate:", "like:")):
        raise ConfigError(f"a model refers to data that lies somewhere, not to {reference!r}.")
    try:
        graph = load_task(reference, directed=directed).graph
    except Sub2NodeError as error:
        raise DataError(
            f"the global graph lies outside of the model and cannot be read ({error}); give it:"
            " load(path, graph=…)."
        ) from error
    if graph.hash != expected_hash:
        raise DataError(f"{reference} has another graph than the one the model was trained on.")
    return graph


def _read_other_names(table: pa.Table) -> OtherNames:
    kinds = table["kind"].combine_chunks().dictionary_encode()
    return OtherNames(
        np.asarray(table["node"]),
        Names(table["name"]),
        np.asarray(kinds.indices),
        tuple(kinds.dictionary.to_pylist()),
    )


def _read_task(
    facts: JsonObject, arrays: dict[str, Array], graph: Graph, read: _Reader
) -> SubgraphTask:
    names, titles = read_names(read, NAMES)
    absent = None
    if "excluded.ptr" in arrays:
        weights = arrays.get("excluded.weights")
        absent = Subgraphs(arrays["excluded.ptr"], arrays["excluded.nodes"], weights)
    subgraphs = Subgraphs(
        arrays["ptr"],
        arrays["nodes"],
        arrays.get("weights"),
        arrays.get("edge_ptr"),
        arrays.get("edges"),
        names=names,
        titles=titles,
        excluded=absent,
        border=read_border(facts, arrays),
    )
    if not np.isin(arrays["split"], (0, 1)).all():
        raise DataError("the known subgraphs must be training or virtual ones.")
    split = Split(arrays["split"])
    classes = tuple(facts["classes"])
    return SubgraphTask(graph, subgraphs, arrays["labels"], classes, split, facts["name"])
