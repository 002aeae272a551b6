"""Any file or folder → a task: the format is recognised by what is there."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..base.errors import ConfigError, DataError
from ..base.regular_files import require_regular_file
from ..task.reading_options import Reading
from .folder import CARD, find_sets, find_table, read_folder, read_tables
from .graph_files import GraphOptions, GraphSource, read_graph_file
from .graphs import as_graph, direction_notes
from .phenopackets import is_phenopackets, phenopacket_tables
from .set_files import GMT, JSONL
from .subgnn import EDGES, SUBGRAPHS, find, read_subgnn
from .tables import SUFFIXES, suffix

if TYPE_CHECKING:
    from ..task import SubgraphTask

_SETS = (*GMT, *JSONL, *SUFFIXES)


def read_task(
    path: str | Path,
    *,
    graph: Any = None,
    labels: str | Path | None = None,
    variant: str | None = None,
    swap: bool = False,
    columns: Mapping[str, str] | None = None,
    reading: Reading | None = None,
    aliases: str | Path | None = None,
    min_score: float | None = None,
    score_weights: bool = False,
    name: str = "",
) -> SubgraphTask:
    """Read a task; see :func:`sub2node.load_task`, which also takes names of benchmarks."""
    path = Path(path)
    if not path.exists():
        raise DataError("there is no such file or folder.", path=path)
    reading = reading or Reading()
    repeated = reading.options.repeated
    options = GraphOptions(aliases, min_score, score_weights, repeated)
    if not isinstance(graph, str | Path):
        options.refuse_string_options("this graph")
    common: dict[str, Any] = {"reading": reading, "name": name}
    foreign = is_phenopackets(path) and not (path.is_dir() and recognised(path))
    if path.is_dir() and not foreign:
        if graph is not None or labels is not None:
            raise ConfigError("graph and labels go with a file of subgraphs, not with a folder.")
        if _is_subgnn(path):
            if columns or repeated != "same":
                raise ConfigError("a folder in the SubGNN layout has no columns and no weights.")
            return read_subgnn(path, variant=variant, swap=swap, **common)
        _refuse_subgnn_options(variant, swap=swap)
        if _has_tables(path):
            return read_folder(path, columns=columns, **common)
        raise DataError(
            f"no data recognised: expected {EDGES} and {SUBGRAPHS}, or tables named edges and"
            " members (.csv, .tsv, .parquet), subgraphs.jsonl or a .gmt file with an edges table,"
            " or phenopackets (.json).",
            path=path,
        )
    _refuse_subgnn_options(variant, swap=swap)
    if not foreign and suffix(path) not in _SETS:
        raise DataError(
            f"a file of subgraphs ends in {', '.join((*_SETS, '.json', '.zip'))}, not"
            f" '{suffix(path)}'; a folder is recognised by the files in it.",
            path=path,
        )
    if graph is None:
        raise ConfigError(
            f"{path} holds subgraphs only; name the edges of their graph too (graph=…, --graph)."
        )
    source, set_tables, notes = None, None, list[str]()
    edges: Any = Path(graph) if isinstance(graph, str | Path) else None
    with reading.problems.collected(edges):
        source = _read_graph(graph, options)
        edges = edges if source is None else source.graph
        notes += () if source is None else source.notes
    if reading.problems.open:
        edges = None
    if foreign:
        set_tables, set_notes = phenopacket_tables(path, labelled=labels is None)
        notes += set_notes
    return read_tables(
        edges,
        path,
        labels=None if labels is None else Path(labels),
        columns=columns,
        reading=reading,
        name=name or path.stem,
        notes=tuple(notes),
        other_names=None if source is None else source.other_names,
        set_tables=set_tables,
    )


def _read_graph(graph: Any, options: GraphOptions) -> GraphSource | None:
    """The graph of a file or object; None where it is a table of edges."""
    if not isinstance(graph, str | Path):
        edges = as_graph(graph, repeated=options.repeated)
        return GraphSource(edges, None, direction_notes(graph))
    require_regular_file(graph)
    return read_graph_file(Path(graph), options)


def recognised(folder: Path) -> bool:
    """Whether a folder looks like data that :func:`read_task` reads."""
    try:
        return folder.is_dir() and (_is_subgnn(folder) or _has_tables(folder))
    except DataError:  # it holds tables, if too many of them
        return True


def _is_subgnn(folder: Path) -> bool:
    return bool(find(folder, EDGES) or find(folder, SUBGRAPHS))


def _has_tables(folder: Path) -> bool:
    return bool((folder / CARD).is_file() or find_table(folder, "edges") or find_sets(folder))


def _refuse_subgnn_options(variant: str | None, *, swap: bool) -> None:
    if variant is not None or swap:
        raise ConfigError("variant and swap are for folders in the SubGNN layout.")
