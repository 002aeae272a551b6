"""Files of subgraphs that are sent to be read: formats that a browser does not read itself."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from ..base.errors import DataError
from ..base.records import JsonObject
from ..io.expansion import expansion_limit
from ..io.member_rows import MissingMemberColumnError
from ..io.set_batch import SetBatch
from ..io.sets import read_sets
from .request_limits import RefusalError

_MOST_UNPACKED = 64 * 1024 * 1024  # bytes
_LONGEST = 80  # characters of a file's name


def read_upload(content: bytes, name: str, columns: Mapping[str, str]) -> JsonObject:
    """The subgraphs of a file: ``sets`` with ``id``, ``nodes``, ``excluded`` and ``error``.

    Args:
        content: The bytes of the file.
        name: Its name, whose ending tells the format.
        columns: The user's column for ours.

    Raises:
        RefusalError: The file cannot be read; with its columns, where some of ours are missing.
    """
    safe = re.sub(r"[^\w.-]", "_", name.replace("\\", "/").rpartition("/")[2])[-_LONGEST:]
    notes = list[str]()
    with TemporaryDirectory(prefix="s2n-") as folder, expansion_limit(1, least=_MOST_UNPACKED):
        path = Path(folder) / (safe.lstrip(".") or "file")
        path.write_bytes(content)
        try:
            batches = list(read_sets(path, columns, size=None, notes=notes))
        except MissingMemberColumnError as error:
            message = "this table has no columns that are known for a subgraph and a node;"
            message += " choose them by subgraph_id and node_id."
            raise RefusalError(422, message, columns=error.columns) from None
        except DataError as error:
            raise RefusalError(422, _describe(error), field="name") from None
    return {"sets": [row for batch in batches for row in _rows(batch)], "notes": notes}


def _describe(error: DataError) -> str:
    place = "" if error.line is None else f"line {error.line}: "
    return " ".join(f"{place}{error.reason}".split())[:500]


def _rows(batch: SetBatch) -> list[JsonObject]:
    """The subgraphs of a batch, those that are bad with what is wrong with them."""
    nodes, ptr = batch.nodes.to_pylist(), batch.ptr.tolist()
    absent = [False] * len(nodes) if batch.absent is None else batch.absent.tolist()
    members, rows = list(zip(nodes, absent, strict=True)), []
    for at, (name, line) in enumerate(zip(batch.names, batch.lines.tolist(), strict=True)):
        own = members[ptr[at] : ptr[at + 1]]
        rows.append(
            {
                "id": name or f"line {line}",
                "nodes": [node for node, is_absent in own if not is_absent],
                "excluded": [node for node, is_absent in own if is_absent],
                "error": batch.problems.get(at),
            }
        )
    return rows
