"""What a model keeps of a graph on disk, and of what lies around its known subgraphs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ..base.errors import DataError
from ..base.ragged import Array
from ..base.records import JsonObject
from ..datasets.on_disk import on_disk_folders
from ..task import Border, Graph, Subgraphs, SubgraphTask, WholeGraph


def part_facts(task: SubgraphTask) -> JsonObject:
    """What the card says of the graph on disk and of the borders; {}: there are neither."""
    facts: JsonObject = {}
    if (whole := task.graph.whole) is not None:
        folder = None if whole.folder is None else str(whole.folder.absolute())
        facts["whole"] = {"nodes": whole.num_nodes, "edges": whole.num_edges, "folder": folder}
    if task.subgraphs.border is not None:
        facts["border"] = list(task.subgraphs.border.columns)
    return facts


def graph_arrays(graph: Graph) -> dict[str, Array | None]:
    """Degrees and strengths in the whole graph, where only a part of it is loaded."""
    whole = graph.whole
    if whole is None:
        return {}
    return {"whole.degrees": whole.degrees, "whole.strengths": whole.strengths}


def border_arrays(subgraphs: Subgraphs) -> dict[str, Array | None]:
    """What lies around subgraphs, where it is known."""
    return {} if subgraphs.border is None else {"border.values": subgraphs.border.values}


def as_part(graph: Graph, facts: JsonObject, arrays: Mapping[str, Array]) -> Graph:
    """The graph as a part of the one on disk, if it is one.

    Args:
        graph: The graph of the model's files.
        facts: The card of the model.
        arrays: Its arrays.
    """
    about = facts.get("whole")
    if about is None:
        return graph
    try:
        sizes, folder = (int(about["nodes"]), int(about["edges"])), about["folder"]
        degrees = arrays["whole.degrees"]
    except (KeyError, TypeError, ValueError):
        raise DataError("model.json: 'whole' must have nodes, edges and a folder.") from None
    if not isinstance(folder, str | None):
        raise DataError("model.json: the folder of the whole graph must be text.")
    place = None if folder is None else _where_it_is(Path(folder))
    whole = WholeGraph(*sizes, degrees, arrays.get("whole.strengths"), folder=place)
    return replace(graph, whole=whole)


def _where_it_is(folder: Path) -> Path:
    """A folder of a graph on disk; where it is gone, that of its name in the cache of here."""
    if not folder.exists() and (here := on_disk_folders() / folder.name).exists():
        return here
    return folder


def read_border(facts: JsonObject, arrays: Mapping[str, Array]) -> Border | None:
    """What lies around the known subgraphs, if the model keeps it."""
    columns = facts.get("border")
    if columns is None:
        return None
    if not isinstance(columns, list) or not all(isinstance(name, str) for name in columns):
        raise DataError("model.json: 'border' must be a list of text.")
    return Border(tuple(columns), arrays["border.values"])
