"""A table of groups: which patient, family or source each subgraph comes from."""

from __future__ import annotations

from pathlib import Path

from ..base.errors import DataError
from ..io.tables import read_table
from ..task import SubgraphTask
from ..task.frames import Frame

_COLUMN = "group"


def read_groups(path: Path, task: SubgraphTask) -> dict[str, str]:
    """The group of each subgraph from a CSV, TSV or Parquet file, "" for none.

    Args:
        path: A table with the columns ``subgraph_id`` and ``group``, one row per subgraph.
        task: The data, whose subgraphs it names.
    """
    # Text as written: as the column of labels, a group 007 stays what it is.
    frame = Frame.of(
        read_table(path, "labels", {"label": _COLUMN}), "groups", {"label": _COLUMN}, str(path)
    )
    if frame.get("label") is None:
        found = ", ".join(frame.table.column_names) or "none"
        raise DataError(f"no column '{_COLUMN}'; columns found: {found}.", path=path)
    ids = [str(name) for name in frame.ids("subgraph_id").to_pylist()]
    words = frame.text("label")
    assert words is not None
    groups: dict[str, str] = {}
    known = set(task.subgraph_ids)
    for name, word in zip(ids, words.to_pylist(), strict=True):
        if groups.setdefault(name, word) != word:
            raise DataError(
                f"subgraph {name!r} has the groups {groups[name]!r} and {word!r}; give it one.",
                path=path,
            )
        if name not in known:
            raise DataError(f"the data has no subgraph {name!r}; remove its row.", path=path)
    missing = next((name for name in task.subgraph_ids if name not in groups), None)
    if missing is not None:
        raise DataError(
            f"subgraph {missing!r} has no row; add one, with an empty group for none.", path=path
        )
    return groups
