"""Tables of aliases: other names of nodes, of the user or of STRING."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..base.errors import DataError
from .bad_lines import BadLines
from .ontology import ONTOLOGIES, parse_ontology
from .protein_networks import is_string_aliases, read_string_aliases
from .tables import SUFFIXES, TableReader, suffix
from .text_files import PACKED, first_line, opened

if TYPE_CHECKING:
    import pyarrow as pa

    from ..task import SubgraphTask

_STRING = tuple(f"{kind}{packed}" for packed in ("", *PACKED) for kind in (".txt", ".tsv"))


def read_aliases(path: Path, reader: TableReader | None = None) -> pa.Table:
    """A table ``alias, node_id[, kind]``.

    Args:
        path: Such a table, STRING's file of aliases, or an ontology: its former ids and synonyms.
        reader: Reads such a table, and takes what is wrong with it.
    """
    if suffix(path) in ONTOLOGIES:
        with opened(path) as stream:
            content = stream.read()
        reader = reader or TableReader()
        bad = BadLines(path, reader.reading, reader.notes)
        table = parse_ontology(content, path, bad).aliases()
        bad.report()
        return table
    if suffix(path) in _STRING and is_string_aliases(first_line(path)):
        return read_string_aliases(path)
    if suffix(path) not in SUFFIXES:
        raise DataError(
            "aliases are a table alias, node_id[, kind] (.csv, .tsv, .parquet), STRING's file"
            " (string_protein_id, alias, source, separated by tabs) or an ontology (.obo, .json).",
            path=path,
        )
    return (reader or TableReader()).read(path, "aliases")


def with_aliases(task: SubgraphTask, path: Path | None) -> SubgraphTask:
    """A task whose nodes have the names of a file too."""
    if path is None:
        return task
    return replace(task, graph=task.graph.with_other_names(read_aliases(path)))
