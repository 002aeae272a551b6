"""The tables an engine reads: where they are, their columns, and the order of subgraphs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ...base.errors import ConfigError, DataError
from ...base.files import read_card
from ...base.plural import plural
from ...io.folder import CARD, CARD_FORMAT, CARD_VERSION, check_tables
from ...io.part_files import ARCS, PART_VERSION, arc_table
from ...io.save import tables_of
from ...task import PARTS, Split
from ...task.frames import check_encoding
from ...task.split import part_of

if TYPE_CHECKING:
    from ...task import SubgraphTask

_NEEDED = {
    "edges": ("source", "target"),
    "members": ("subgraph_id", "node_id"),
    "labels": ("subgraph_id",),
    "nodes": ("node_id",),
}


_NO_ARCS = (
    "a direction is for directed edges, and these data were read without; read them with"
    " directed=True (--directed), or omit the direction."
)
_NO_EXCLUDED = "an engine translates members only, not excluded nodes; use engine='memory'."


@dataclass(frozen=True)
class EngineTables:
    """Parquet files of a task, checked for their columns.

    Args:
        paths: The files of edges and members, and of labels and nodes where there are any.
        sets: ``subgraph_id`` and ``number``, the position of each subgraph.
        split: The part of each subgraph, in that order.
        labels: The labels table in that order, or None.
        hash: The content hash of the task, where it is known.
    """

    paths: dict[str, Path]
    sets: pa.Table
    split: Split
    labels: pa.Table | None
    hash: str = ""


def write_tables(task: SubgraphTask, folder: Path, *, directed: bool = False) -> EngineTables:
    """A task in memory as Parquet files for an engine; with ``directed`` edges as they came."""
    if task.excluded is not None:
        raise DataError(_NO_EXCLUDED)
    if directed and task.graph.arcs is None:
        raise ConfigError(_NO_ARCS)
    folder.mkdir()
    tables = tables_of(task)
    if directed:
        tables["edges"] = arc_table(task.graph)
    for name in _NEEDED.keys() & tables.keys():
        pq.write_table(tables[name], folder / f"{name}.parquet")
    return replace(find_tables(folder), hash=task.hash)


def find_tables(folder: Path, *, directed: bool = False) -> EngineTables:
    """The Parquet files of a folder; with ``directed`` its edges as they came."""
    if not folder.is_dir():
        raise DataError("there is no such folder.", path=folder)
    paths = {name: folder / f"{name}.parquet" for name in _NEEDED}
    paths = {name: path for name, path in paths.items() if path.exists()}
    if directed and (folder / ARCS).exists():
        paths["edges"] = folder / ARCS
    elif directed and (folder / CARD).is_file():
        raise ConfigError(_NO_ARCS)
    for name in ("edges", "members"):
        if name not in paths:
            raise DataError(
                f"the folder has no {name}.parquet; 's2n convert' makes it from other formats.",
                path=folder,
            )
    has_column = "excluded" in pq.ParquetFile(paths["members"]).schema_arrow.names
    if has_column or (folder / "excluded.parquet").exists():
        raise DataError(_NO_EXCLUDED, path=folder)
    if (folder / CARD).is_file():
        check_tables(folder)
    for name, path in paths.items():
        _check_columns(path, _NEEDED[name])
    _check_types(paths)
    ids, labels = _read_ids(paths["members"]), _read_labels(paths.get("labels"))
    if labels is not None:
        where = pc.index_in(ids, value_set=labels["subgraph_id"].combine_chunks().cast(ids.type))
        if where.null_count:
            lost = ids.filter(where.is_null())
            raise DataError(
                f"subgraph {lost[0].as_py()!r} has no row here ({len(lost):,} such).",
                path=paths["labels"],
            )
        if len(labels) != len(ids):
            raise DataError(
                f"{plural(len(labels) - len(ids), 'subgraph')} without members.",
                path=paths["labels"],
            )
        labels = labels.take(where)
    split = _read_split(labels, len(ids), paths.get("labels"))
    order = pa.array(split.order)
    sets = pa.table({"subgraph_id": ids.take(order), "number": np.arange(len(order))})
    sets = sets.cast(pa.schema([("subgraph_id", ids.type), ("number", pa.int32())]))
    ordered = None if labels is None else labels.take(order)
    return EngineTables(
        paths=paths,
        sets=sets,
        split=Split(split.codes[split.order]),
        labels=ordered,
        hash=_read_hash(folder),
    )


def _read_labels(path: Path | None) -> pa.Table | None:
    """The labels table, one row per subgraph."""
    if path is None:
        return None
    try:
        labels = pq.read_table(path)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())
        raise DataError(f"this is no whole Parquet file ({reason}).", path=path) from error
    check_encoding(labels, "labels", path)
    ids = labels["subgraph_id"].combine_chunks()
    if len(ids.unique()) != len(ids):
        raise DataError(
            "a subgraph has several rows; several labels go in one list for this engine.", path=path
        )
    return labels


def _read_hash(folder: Path) -> str:
    """The content hash of a task that we wrote as this folder, else ''."""
    card = folder / CARD
    return (
        str(read_card(card, CARD_FORMAT, CARD_VERSION, PART_VERSION).get("hash", ""))
        if card.is_file()
        else ""
    )


def _check_types(paths: dict[str, Path]) -> None:
    """Ids of one kind of thing must be of one type: an engine does not compare 1 and '1'."""
    for ids in (
        {"edges": ("source", "target"), "members": ("node_id",), "nodes": ("node_id",)},
        {"members": ("subgraph_id",), "labels": ("subgraph_id",)},
    ):
        kinds = {}
        for name, columns in ids.items():
            if name in paths:
                schema = pq.ParquetDataset(paths[name]).schema
                for column in columns:
                    kind = schema.field(column).type
                    number = pa.types.is_integer(kind)
                    kinds["numbers" if number else "text"] = f"{name}.{column}"
                    text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
                    if not (number or text or pa.types.is_dictionary(kind)):
                        raise DataError(
                            f"'{column}' has the type {kind}; ids are integers or text.",
                            path=paths[name],
                        )
        if len(kinds) > 1:
            raise DataError(
                f"ids are numbers in {kinds['numbers']} but text in {kinds['text']}; 's2n convert'"
                " makes them alike."
            )


def _check_columns(path: Path, needed: tuple[str, ...]) -> None:
    try:
        columns = pq.ParquetDataset(path).schema.names
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise DataError(f"this is no whole Parquet file ({error}).", path=path) from error
    for column in needed:
        if column not in columns:
            raise DataError(
                f"no column '{column}'; columns found: {', '.join(columns) or 'none'}.", path=path
            )


def _read_ids(members: Path) -> pa.Array:
    """Distinct subgraph ids in the order they first appear, read in pieces."""
    seen: pa.Array | None = None
    for batch in pq.ParquetDataset(members).fragments:
        for piece in batch.to_batches(columns=["subgraph_id"]):
            new = piece.column(0).unique()
            seen = new if seen is None else pa.concat_arrays([seen, new]).unique()
    if seen is not None and seen.null_count:
        raise DataError("a subgraph_id is missing.", path=members)
    if seen is None or not len(seen):
        raise DataError("there are no subgraphs; the members table has no rows.", path=members)
    return seen


def _read_split(labels: pa.Table | None, count: int, path: Path | None) -> Split:
    if labels is None or "split" not in labels.column_names:
        return Split.sizes(train=count)
    parts = labels["split"].to_pylist()
    unknown = next((part for part in parts if part_of(part) is None), None)
    if unknown is not None:
        raise DataError(f"the split word {unknown!r} is none of {', '.join(PARTS)}.", path=path)
    split = Split.given(parts)
    if not split.visible("train"):
        raise DataError("the train stage is empty: no subgraph is in train.", path=path)
    return split
