"""The S2N graph on disk: weights as Parquet, one half of them, and a card in JSON.

Where W is not symmetric, because one direction counts, all weights are there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import scipy.sparse as sp

from ..base.errors import ConfigError, DataError
from ..base.files import new_folder, read_card, written
from ..base.ragged import Array, owners
from ..base.regular_files import require_regular_file
from ..base.seals import check_seal
from ..io.save import tables_of
from ..task import PARTS, Names, Split
from ..task.names import is_positions
from .product import mirrored
from .s2n_graph import S2NGraph, Source, TranslationOptions, task_split
from .weight_statistics import Statistics

if TYPE_CHECKING:
    from ..task import SubgraphTask

CARD, WEIGHTS, SUBGRAPHS = "graph.json", "weights.parquet", "subgraphs.parquet"
OURS = r"graph\.json|weights\.parquet|subgraphs\.parquet"
_FORMAT, _VERSION = "sub2node-graph", 1
_SPARE_SUBGRAPHS = 100  # per byte of the weights, beside a million


def write_card(
    folder: Path,
    settings: TranslationOptions,
    *,
    statistics: Statistics,
    split: Split,
    task_hash: str,
    extra: Mapping[str, object] | None = None,
) -> dict[str, Any]:
    """Write ``graph.json``: how the graph was made, and what is in it."""
    card = {
        "format": _FORMAT,
        "version": _VERSION,
        "nodes": len(split),
        "entries": count_rows(folder / WEIGHTS),
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


def count_rows(path: Path) -> int:
    """Rows of a Parquet file or folder, from its footers."""
    return sum(f.count_rows() for f in pq.ParquetDataset(path).fragments)


def write_subgraphs(folder: Path, ids: pa.Array, *, split: Split, labels: pa.Table | None) -> None:
    """Write ``subgraphs.parquet``: the id, part and label of each node of the graph."""
    table = pa.table({"subgraph_id": ids, "split": split.words()})
    if labels is not None and "label" in labels.column_names:
        table = table.append_column("label", labels["label"])
    pq.write_table(table, folder / SUBGRAPHS)


def save_graph(
    graph: S2NGraph, path: str | Path, task: SubgraphTask, *, overwrite: bool = False
) -> Path:
    """Write a graph with the ids and labels of its task; nothing is seen until all is there."""
    _check_task(task, graph.task_hash, graph.split)
    with (
        new_folder(Path(path), overwrite=overwrite, ours=OURS, sealed=True) as folder,
        written(path),
    ):
        row, column = owners(graph.weights.indptr), graph.weights.indices
        half = (column >= row) | (not graph.settings.symmetric)
        table = {
            "row": row[half].astype(np.int32),
            "column": column[half].astype(np.int32),
            "weight": graph.weights.data[half],
        }
        pq.write_table(pa.table(table), folder / WEIGHTS)
        tables = tables_of(task)
        ids = tables["members"]["subgraph_id"].unique()
        write_subgraphs(folder, ids, split=graph.split, labels=tables.get("labels"))
        write_card(
            folder,
            graph.settings,
            statistics=graph.statistics,
            split=graph.split,
            task_hash=graph.task_hash,
        )
    return Path(path)


def _check_task(task: SubgraphTask, task_hash: str, split: Split) -> None:
    if task_hash not in ("", task.hash) or task_split(task).words() != split.words():
        raise ConfigError("the graph was translated from another task than the one given.")


def graph_card(folder: Path) -> dict[str, Any]:
    """The card of a stored graph, checked."""
    if not (folder / CARD).exists():
        raise DataError(f"no S2N graph here: {CARD} is missing.", path=folder)
    require_regular_file(folder / CARD)
    check_seal(folder, CARD)
    return read_card(folder / CARD, _FORMAT, _VERSION)


def load_graph(path: str | Path, *, task: SubgraphTask | None = None) -> S2NGraph:
    """Read a graph; the weights are memory-mapped while they are read.

    Args:
        path: The folder of a stored graph.
        task: The task it was made from, needed to attach new subgraphs.
    """
    folder = Path(path)
    card = graph_card(folder)
    try:
        settings, numbers = TranslationOptions(**card["settings"]), card["statistics"]
        statistics = Statistics(
            int(numbers["subgraphs"]), float(numbers["total"]), float(numbers["squares"])
        )
        _check_number_of_subgraphs(folder, sum(card["split"].values()))
        split, count = Split.sizes(**card["split"]), int(card["nodes"])
        entries, task_hash = int(card["entries"]), str(card["task"])
        fits = len(split) == count and statistics.subgraphs == split.visible("train") > 0
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        reason = f"{type(error).__name__}: {error}"
        raise DataError(f"the card is damaged ({reason}).", path=folder / CARD) from None
    if not fits:
        raise DataError("the card is damaged: its counts disagree.", path=folder / CARD)
    check_seal(folder, f"{WEIGHTS}*")
    row, column, weight = _read_weights(folder / WEIGHTS, count, entries, half=settings.symmetric)
    source = None if task is None else _source(task, task_hash, split, settings)
    expected = entries
    if settings.symmetric:
        weights = mirrored(row, column, _narrow(weight), count)
        expected = 2 * entries - int((row == column).sum())
    else:
        weights = sp.coo_array((_narrow(weight), (row, column)), shape=(count, count)).tocsr()
        weights.sort_indices()
    if weights.nnz != expected:
        raise DataError("an entry is there twice.", path=folder / WEIGHTS)
    return S2NGraph(
        weights=weights,
        split=split,
        statistics=statistics,
        settings=settings,
        task_hash=task_hash,
        source=source,
        names=_read_names(folder / SUBGRAPHS, count),
    )


def _check_number_of_subgraphs(folder: Path, count: int) -> None:
    """Raise for a number that the files do not bear out, before memory is taken for it."""
    if (folder / SUBGRAPHS).exists():
        require_regular_file(folder / SUBGRAPHS)
    weights = folder / WEIGHTS
    parts = sorted(weights.glob("*")) if weights.is_dir() else [weights]
    size = sum(require_regular_file(part) for part in parts)
    if count > 10**6 + _SPARE_SUBGRAPHS * size:
        raise DataError(
            f"the card says {count:,} subgraphs, with {size:,} bytes of weights.",
            path=folder / CARD,
        )


def _read_names(path: Path, count: int) -> Names | None:
    """The ids of the nodes; None where they are numbers, or the folder does not have them."""
    if not path.is_file():
        return None
    try:
        ids = pq.read_table(path, columns=["subgraph_id"])["subgraph_id"].combine_chunks()
        names = Names(ids.cast(pa.large_string()))
    except (pa.ArrowException, OSError, KeyError) as error:
        reason = " ".join(str(error).split())
        raise DataError(f"the ids of the subgraphs cannot be read ({reason}).", path=path) from None
    if len(names) != count:
        raise DataError(f"{len(names):,} ids, the card says {count:,}.", path=path)
    return None if is_positions(names) else names


def _read_weights(
    path: Path, count: int, entries: int, *, half: bool
) -> tuple[Array, Array, Array]:
    try:
        table = pq.read_table(path, columns=["row", "column", "weight"], memory_map=True)
        row, column = (np.asarray(table[c].cast(pa.int32())) for c in ("row", "column"))
        weight = np.asarray(table["weight"].cast(_weight_type(table)))
    except (pa.ArrowException, OSError, KeyError, TypeError) as error:
        reason = " ".join(str(error).split())
        raise DataError(f"the weights cannot be read ({reason}).", path=path) from error
    if len(row) != entries:
        raise DataError(f"{len(row):,} entries, the card says {entries:,}.", path=path)
    ends = (row, column) if len(row) else ()
    inside = all(end.min() >= 0 and end.max() < count for end in ends)
    if not inside or (half and (row > column).any()):
        where = "upper half" if half else "graph"
        raise DataError(f"an entry lies outside the {where}.", path=path)
    if not (np.isfinite(weight) & (weight > 0)).all():
        raise DataError("a weight is missing, not finite or not above 0.", path=path)
    return row, column, weight


def _weight_type(table: pa.Table) -> pa.DataType:
    kind = table["weight"].type
    if not pa.types.is_floating(kind):
        raise TypeError(f"weights of the type {kind}")
    return kind


def _narrow(weights: Array) -> Array:
    """Float32 where it holds every weight exactly."""
    narrow = weights.astype(np.float32)
    return narrow if np.array_equal(narrow, weights) else weights


def _source(
    task: SubgraphTask, task_hash: str, split: Split, settings: TranslationOptions
) -> Source:
    from .translate import exact_edge_weights

    _check_task(task, task_hash, split)
    if settings.te == "operator":
        raise ConfigError("the T_e was an operator of your own, which is not stored; translate.")
    signed = task.excluded is not None
    return Source(*exact_edge_weights(task, settings.te, settings), signed)


def read_pairs(folder: Path) -> Iterator[tuple[Array, Array]]:
    """Rows and columns of the stored entries, one half of a symmetric graph, piece by piece."""
    for fragment in pq.ParquetDataset(folder / WEIGHTS).fragments:
        for piece in fragment.to_batches(columns=["row", "column"]):
            yield tuple(np.asarray(piece.column(i)).astype(np.int64) for i in (0, 1))  # type: ignore[misc]


def read_labels(folder: Path) -> Array | None:
    """The stored labels as numbers, -1 for none, or as booleans; None where there are none."""
    check_seal(folder, SUBGRAPHS)
    table = pq.read_table(folder / SUBGRAPHS)
    if "label" not in table.column_names:
        return None
    column = table["label"].combine_chunks()
    kind = column.type
    if not (pa.types.is_list(kind) or pa.types.is_large_list(kind)):
        codes = column.dictionary_encode().indices
        return np.asarray(codes.fill_null(-1)).astype(np.int64)
    labels = column.flatten()
    codes = labels.dictionary_encode().indices
    one_hot = np.zeros((len(column), max(len(codes.unique()), 1)), dtype=bool)
    real = np.asarray(labels.is_valid())
    rows = np.asarray(pc.list_parent_indices(column))[real]
    one_hot[rows, np.asarray(codes.drop_null())] = True
    return one_hot
