"""The subgraphs of a folder of tables that have no label: those that a model is asked about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..base.errors import DataError
from ..task.clean_labels import missing_labels
from ..task.frames import Frame
from ..task.missing_values import NA_WORDS
from .folder import find_sets, find_table
from .folder import read_sets as read_members
from .json_tables import JSONL
from .set_batch import SetBatch
from .set_files import GMT
from .tables import TableReader, suffix


def find_unlabelled(folder: Path, columns: Mapping[str, str]) -> tuple[Path, pa.Array]:
    """The file of the subgraphs of a folder, and the ids of those that have a label, text.

    Args:
        folder: A folder of tables.
        columns: The user's column for ours.
    """
    sets, labels = find_sets(folder), find_table(folder, "labels")
    if sets is None:
        raise DataError("the folder has no members table (members.csv, …).", path=folder)
    reader, tables = TableReader(columns), []
    if labels is not None:
        tables.append(Frame.of(reader.read(labels, "labels"), "labels", columns, str(labels)))
    elif suffix(sets) in (*JSONL, *GMT):
        found = read_members(sets, reader)
        if found.labels is not None:
            tables.append(Frame.of(found.labels, "labels", columns, str(sets)))
    labelled = [pa.array([], pa.large_string())]
    for frame in tables:
        if frame.get("label") is not None:
            missing = missing_labels(frame, NA_WORDS)
            labelled.append(frame.filter(~missing).ids("subgraph_id").cast(pa.large_string()))
    return sets, pa.concat_arrays(labelled)


def excluded_nodes(folder: Path, columns: Mapping[str, str]) -> dict[str, list[str]]:
    """The excluded nodes of each subgraph that the table of a folder lists; none without a table.

    Args:
        folder: A folder of tables.
        columns: The user's column for ours.
    """
    path = find_table(folder, "excluded")
    found = dict[str, list[str]]()
    if path is not None:
        table = TableReader(columns).read(path, "excluded")
        frame = Frame.of(table, "excluded", columns, str(path))
        pairs = (
            frame.ids(ours).cast(pa.large_string()).to_pylist()
            for ours in ("subgraph_id", "node_id")
        )
        for who, node in zip(*pairs, strict=True):
            found.setdefault(who, []).append(node)
    return found


def without_labelled(batches: Iterable[SetBatch], labelled: pa.Array) -> Iterator[SetBatch]:
    """Batches without the subgraphs of these ids; raises where none is left.

    Args:
        batches: Subgraphs of a file.
        labelled: Ids of subgraphs, text.
    """
    left = False
    for batch in batches:
        names = pa.array(batch.names, pa.large_string())
        keep = np.flatnonzero(~np.asarray(pc.is_in(names, value_set=labelled)))
        if len(keep):
            left = True
            yield batch.take(keep)
    if not left:
        raise DataError(
            "all subgraphs of this folder have a label, from which the model may have learned; give"
            " the file of the members to ask about them all the same."
        )
