"""The S2N graph on disk: weights as Parquet, one half of them, and a card in JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..errors import ConfigError, DataError
from ..files import new_folder, read_card
from ..io.save import tables_of
from ..ragged import Array, owners
from ..task import PARTS, Split
from .product import mirrored
from .s2n_graph import S2NGraph, Settings, Source
from .statistics import Statistics

if TYPE_CHECKING:
    from ..task import SubgraphTask

CARD, WEIGHTS, SUBGRAPHS = "graph.json", "weights.parquet", "subgraphs.parquet"
OURS = r"graph\.json|weights\.parquet|subgraphs\.parquet"
_FORMAT, _VERSION = "sub2node-graph", 1


def write_card(
    folder: Path,
    settings: Settings,
    statistics: Statistics,
    split: Split,
    task_hash: str,
    extra: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Write ``graph.json``: how the graph was made, and what is in it."""
    card = {
        "format": _FORMAT,
        "version": _VERSION,
        "nodes": len(split),
        "entries": _count_rows(folder / WEIGHTS),
        "split": {part: split.count(part) for part in PARTS},
        "statistics": {
            **asdict(statistics),
            "mean": statistics.mean,
            "std": None if np.isnan(statistics.std) else statistics.std,
        },
        "settings": asdict(settings),
        "task": task_hash,
        **(extra or {}),
    }
    (folder / CARD).write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")
    return card


def _count_rows(path: Path) -> int:
    return sum(f.count_rows() for f in pq.ParquetDataset(path).fragments)


def write_subgraphs(sets: Any, split: Split, labels: Any | None, folder: Path) -> None:
    """Write ``subgraphs.parquet``: the id, part and label of each node of the graph."""
    table = pa.table({"subgraph_id": sets["subgraph_id"], "split": split.words()})
    if labels is not None and "label" in labels.column_names:
        table = table.append_column("label", labels["label"])
    pq.write_table(table, folder / SUBGRAPHS)


def save_graph(
    graph: S2NGraph, path: str | Path, task: SubgraphTask, *, overwrite: bool = False
) -> Path:
    """Write a graph with the ids and labels of its task; nothing is seen until all is there."""
    if graph.task_hash != task.hash:
        raise ConfigError("the graph was translated from another task than the one given.")
    with new_folder(Path(path), overwrite=overwrite, ours=OURS) as folder:
        row, column = owners(graph.weights.indptr), graph.weights.indices
        half = column >= row
        table = {
            "row": row[half].astype(np.int32),
            "column": column[half].astype(np.int32),
            "weight": graph.weights.data[half],
        }
        pq.write_table(pa.table(table), folder / WEIGHTS)
        tables = tables_of(task)
        ids = tables["members"]["subgraph_id"].unique()
        write_subgraphs({"subgraph_id": ids}, graph.split, tables.get("labels"), folder)
        write_card(folder, graph.settings, graph.statistics, graph.split, graph.task_hash)
    return Path(path)


def graph_card(folder: Path) -> dict[str, Any]:
    """The card of a stored graph, checked."""
    if not (folder / CARD).is_file():
        raise DataError(f"no S2N graph here: {CARD} is missing.", path=folder)
    return read_card(folder / CARD, _FORMAT, _VERSION)


def load_graph(path: str | Path, *, task: SubgraphTask | None = None) -> S2NGraph:
    """Read a graph; the weights are memory-mapped while they are read.

    Args:
        path: The folder.
        task: The task it was made from, for attaching new subgraphs.
    """
    folder = Path(path)
    card = graph_card(folder)
    try:
        table = pq.read_table(folder / WEIGHTS, memory_map=True)
    except (pa.ArrowInvalid, OSError) as error:
        raise DataError(f"the weights cannot be read ({error}).", path=folder / WEIGHTS) from error
    if len(table) != card["entries"]:
        raise DataError(
            f"{len(table):,} entries, the card says {card['entries']:,}.", path=folder / WEIGHTS
        )
    settings = Settings(**card["settings"])
    numbers = card["statistics"]
    statistics = Statistics(numbers["subgraphs"], numbers["total"], numbers["squares"])
    row, column, weight = (np.asarray(table[c]) for c in ("row", "column", "weight"))
    if len(row) and not (row.min() >= 0 and (row <= column).all() and column.max() < card["nodes"]):
        raise DataError("an entry lies outside the upper half.", path=folder / WEIGHTS)
    source = None if task is None else _source(task, card, settings)
    split = Split.sizes(**card["split"])
    weights = mirrored(row, column, _narrow(weight), card["nodes"])
    return S2NGraph(weights, split, statistics, settings, card["task"], source)


def _narrow(weights: Any) -> Any:
    """Float32 where it holds every weight exactly."""
    narrow = weights.astype(np.float32)
    return narrow if np.array_equal(narrow, weights) else weights


def _source(task: SubgraphTask, card: dict[str, Any], settings: Settings) -> Source:
    from .translate import exact_kernel

    if card["task"] and task.hash != card["task"]:
        raise ConfigError("the graph was translated from another task than the one given.")
    if settings.te == "operator":
        raise ConfigError("the T_e was an operator of your own, which is not stored; translate.")
    return Source(*exact_kernel(task, settings.te, settings))


def read_pairs(folder: Path) -> Iterator[tuple[Array, Array]]:
    """Rows and columns of the stored entries, one half, piece by piece."""
    for fragment in pq.ParquetDataset(folder / WEIGHTS).fragments:
        for piece in fragment.to_batches(columns=["row", "column"]):
            yield tuple(np.asarray(piece.column(i)).astype(np.int64) for i in (0, 1))  # type: ignore[misc]


def read_labels(folder: Path) -> Array | None:
    """The stored labels as numbers, -1 for none, or as booleans; None where there are none."""
    table = pq.read_table(folder / SUBGRAPHS)
    if "label" not in table.column_names:
        return None
    column = table["label"].combine_chunks()
    if not pa.types.is_list(column.type):
        codes = column.dictionary_encode().indices
        return np.asarray(codes.fill_null(-1)).astype(np.int64)
    codes = column.flatten().dictionary_encode().indices
    one_hot = np.zeros((len(column), len(codes.unique())), dtype=bool)
    one_hot[np.asarray(pc.list_parent_indices(column)), np.asarray(codes)] = True
    return one_hot
