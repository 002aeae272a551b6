"""Graphs in files of other programs: which format it is, and the graph with what goes along."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from ..base.errors import DataError
from ..task import Graph
from .ontology import parse_ontology
from .other_names import OtherNames
from .tables import suffix
from .text_files import opened

_ONTOLOGIES = (".obo", ".obo.gz", ".json", ".json.gz")


class GraphSource(NamedTuple):
    """A graph that was read from a file.

    Args:
        graph: The graph.
        other_names: What members may be called besides their ids.
        notes: What reading did to the data.
    """

    graph: Graph
    other_names: OtherNames | None = None
    notes: tuple[str, ...] = ()


def read_graph_file(path: Path) -> GraphSource | None:
    """The graph of a file in a format of another program; None for tables and lists of edges.

    Args:
        path: The file: an ontology (OBO, OBO Graphs JSON).
    """
    if suffix(path) not in _ONTOLOGIES:
        return None
    with opened(path) as stream:
        ontology = parse_ontology(stream.read(), path)
    release = f", release {ontology.version}" if ontology.version else ""
    note = f"The graph is the ontology {path.name}{release}."
    return _with_edges(GraphSource(ontology.graph(), ontology.other_names(), (note,)), path)


def _with_edges(source: GraphSource, path: Path) -> GraphSource:
    if not source.graph.num_edges:
        raise DataError("no edge joins two different nodes of this graph.", path=path)
    return source
