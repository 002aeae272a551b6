"""Graphs in files of other programs: which format it is, and the graph with what goes along."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from ..base.errors import ConfigError, DataError, suggest
from ..base.plural import examples, plural
from ..task import Graph
from ..task.edges import Repeated
from ..task.reading_options import Reading
from .bad_lines import BadLines
from .ibm_aml import is_transactions_header, read_transactions
from .ontology import ONTOLOGIES, parse_ontology
from .protein_networks import (
    LinkOptions,
    is_biogrid_header,
    is_string_header,
    read_biogrid,
    read_string_links,
)
from .tables import suffix
from .text_files import PACKED, first_line, opened

FORMATS = ("obo", "string", "biogrid", "ibm-aml")
_TEXT_FILES = tuple(
    f"{kind}{packed}" for packed in ("", *PACKED) for kind in (".txt", ".csv", ".tsv", ".tab3")
)


class GraphSource(NamedTuple):
    """A graph that was read from a file.

    Args:
        graph: The graph.
        notes: What reading did to the data.
    """

    graph: Graph
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class GraphOptions:
    """How the graph of a file is read.

    Args:
        links: What the scores of STRING's links mean.
        repeated: What an edge that is given again means, as in :meth:`Graph.from_edges`.
        format: One of :data:`FORMATS`; None: recognised by the name of the file and its first line.
        reading: What to do about lines that cannot be used; takes the problems.
    """

    links: LinkOptions = field(default_factory=LinkOptions)
    repeated: Repeated = "same"
    format: str | None = None
    reading: Reading = field(default_factory=Reading)


def read_graph_file(path: Path, options: GraphOptions | None = None) -> GraphSource | None:
    """The graph of a file in a format of another program; None for tables and lists of edges.

    Args:
        path: An ontology (OBO, OBO Graphs JSON), links of STRING, BioGRID's tab3, or transactions
            of IBM AML; also as the only file of a zip archive.
        options: How to read it.
    """
    options = options or GraphOptions()
    if path.suffix.lower() == ".zip":
        path = _only_file(path)
    format = options.format or _recognise(path)
    if format == "string":
        graph, notes = read_string_links(path, options.links, repeated=options.repeated)
        return _with_edges(GraphSource(graph, tuple(notes)), path)
    options.links.refuse(path.name)
    if format in ("biogrid", "ibm-aml"):
        graph, notes = read_biogrid(path) if format == "biogrid" else read_transactions(path)
        return _with_edges(GraphSource(graph, tuple(notes)), path)
    if format is None:
        return None
    bad = BadLines(path, options.reading)
    with opened(path) as stream:
        ontology = parse_ontology(stream.read(), path, bad)
    bad.report()
    release = f", release {ontology.version}" if ontology.version else ""
    note = f"The graph is the ontology {path.name}{release}."
    return _with_edges(GraphSource(ontology.graph(), (note, *bad.notes)), path)


def _only_file(archive: Path) -> Path:
    """The file in a zip archive, as a path below that of the archive."""
    try:
        with zipfile.ZipFile(archive) as files:
            names = [entry.filename for entry in files.infolist() if not entry.is_dir()]
    except zipfile.BadZipFile as error:
        raise DataError("the zip archive is truncated or damaged.", path=archive) from error
    if len(names) != 1:
        shown = examples(map(repr, names), len(names))
        raise DataError(
            f"the archive has {plural(len(names), 'file')} ({shown}), expected one; unpack the one"
            " that is meant.",
            path=archive,
        )
    return archive / names[0]


def _recognise(path: Path) -> str | None:
    """The format of a file, by its name and its first line; None: a table or a list of edges."""
    if suffix(path) in ONTOLOGIES:
        return "obo"
    header = first_line(path) if suffix(path) in _TEXT_FILES else ""
    if is_string_header(header):
        return "string"
    if is_biogrid_header(header):
        return "biogrid"
    return "ibm-aml" if is_transactions_header(header) else None


def check_graph_format(format: str | None) -> None:
    """Raise unless the format of a graph is one that is read by its name."""
    if format is not None and format not in FORMATS:
        raise ConfigError(f"there is no format {format!r} of a graph.{suggest(format, FORMATS)}")


def _with_edges(source: GraphSource, path: Path) -> GraphSource:
    if not source.graph.num_edges:
        raise DataError("no edge joins two different nodes of this graph.", path=path)
    return source
