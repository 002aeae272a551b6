"""Any file or folder → a task: the format is recognised by what is there, or named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..base.errors import ConfigError, DataError, suggest
from ..base.regular_files import require_regular_file
from ..task.node_features import check_chosen
from ..task.reading_options import Reading
from .aliases import with_aliases
from .background_files import Background, read_background
from .elliptic2 import is_elliptic2, read_elliptic2
from .encodings import says_encodings
from .excel import tables_of_workbook
from .folder import (
    CARD,
    find_edges,
    find_sets,
    format_of_sets,
    read_folder,
    read_tables,
    read_workbook,
)
from .folder_hints import describe_files
from .gmx import GMX
from .graph_files import GraphOptions, GraphSource, check_graph_format, read_graph_file
from .graphs import as_graph, direction_notes
from .ibm_aml import attempt_tables, find_pair, find_pairs, is_patterns
from .json_tables import JSONL
from .phenopacket_files import is_phenopackets
from .phenopackets import phenopacket_tables
from .protein_networks import LinkOptions
from .set_files import GMT, SetTables
from .subgnn import EDGES, SUBGRAPHS, find, read_subgnn
from .tables import EXCEL, SUFFIXES, suffix

if TYPE_CHECKING:
    from ..task import SubgraphTask

FORMATS = ("tables", "subgnn", "elliptic2", "ibm-aml", "phenopackets", "gmt", "gmx", "jsonl")
_FOLDERS = FORMATS[:5]  # that may be folders
_SETS = tuple(dict.fromkeys((*GMT, *GMX, *JSONL, *SUFFIXES)))


@says_encodings
def read_task(
    path: str | Path,
    *,
    graph: Any = None,
    labels: str | Path | None = None,
    format: str | None = None,
    graph_format: str | None = None,
    variant: str | None = None,
    swap: bool = False,
    columns: Mapping[str, str] | None = None,
    reading: Reading | None = None,
    node_features: Sequence[str] | None = None,
    background: Background | None = None,
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
    check_graph_format(graph_format)
    links = LinkOptions(min_score, score_weights)
    graph_options = GraphOptions(links, repeated, graph_format, reading)
    format = _find_format(path, format)
    _check_layout_options(format, variant, swap=swap)
    alone = suffix(path) == EXCEL and graph is None and labels is None
    sheets = tables_of_workbook(path, columns) if alone else set[str]()
    own_graph = {"edges", "members"} <= sheets or (path.is_dir() and format != "phenopackets")
    if not (isinstance(graph, str | Path) or (path.is_dir() and format == "tables")):
        links.refuse("this graph")
    check_chosen(node_features, has_nodes=own_graph and format not in ("subgnn", "ibm-aml"))
    if own_graph and (graph is not None or labels is not None):
        raise ConfigError("graph and labels go with a file of subgraphs, not with a folder.")
    common: dict[str, Any] = {"reading": reading, "name": name}
    own_names = None if aliases is None else Path(aliases)
    if own_graph and format == "subgnn":
        if columns or repeated != "same" or background is not None:
            raise ConfigError(
                "a folder in the SubGNN layout has no columns, no weights and no background."
            )
        task = read_subgnn(path, variant=variant, swap=swap, **common)
        return with_aliases(task, own_names)
    common["background"] = None if background is None else read_background(background)
    if own_graph and format == "ibm-aml":
        path, graph = find_pair(path)
    elif own_graph:
        common["node_features"] = node_features
        if sheets:
            return read_workbook(path, sheets, columns=columns, aliases=own_names, **common)
        if format == "tables":
            return read_folder(path, columns=columns, aliases=own_names, links=links, **common)
        if columns:
            raise ConfigError("the files of Elliptic2 have columns of their own; omit columns.")
        task = read_elliptic2(path, **{**common, "name": name or path.name})
        return with_aliases(task, own_names)
    if graph is None:
        raise ConfigError(
            f"{path} holds subgraphs only; name the edges of their graph too (graph=…, --graph)."
        )
    source, notes = None, list[str]()
    edges: Any = Path(graph) if isinstance(graph, str | Path) else None
    with reading.problems.collected(edges):
        source = _read_graph(graph, graph_options)
        edges = edges if source is None else source.graph
        notes += () if source is None else source.notes
    if reading.problems.open:
        edges = None
    set_tables, set_notes = None, list[str]()
    with reading.problems.collected(path):
        set_tables = _read_foreign_sets(path, format, reading, set_notes, labelled=labels is None)
    return read_tables(
        edges,
        path,
        labels=None if labels is None else Path(labels),
        columns=columns,
        format=format,
        notes=(*notes, *set_notes),
        aliases=own_names,
        set_tables=set_tables,
        **{**common, "name": name or path.stem},
    )


def _find_format(path: Path, named: str | None) -> str:
    """The format of a file or folder: the one that is named, or that which is recognised."""
    if named is not None:
        if named not in FORMATS:
            raise ConfigError(f"there is no format {named!r} of data.{suggest(named, FORMATS)}")
        if path.is_dir() and named not in _FOLDERS:
            raise ConfigError(f"the format {named} is one of files, and {path} is a folder.")
        if not path.is_dir() and named in ("subgnn", "elliptic2"):
            raise ConfigError(f"the format {named} is one of folders, and {path} is a file.")
        return named
    if path.is_dir():
        if format := _recognise_folder(path):
            return format
        if is_phenopackets(path):
            return "phenopackets"
        raise DataError(
            f"no data recognised: expected {EDGES} and {SUBGRAPHS}, or tables named edges and"
            " members (.csv, .tsv, .parquet), subgraphs.jsonl or a .gmt file with an edges table,"
            " or phenopackets (.json), or the files of Elliptic2 or IBM AML."
            f"{describe_files(path)}",
            path=path,
        )
    if is_phenopackets(path):
        return "phenopackets"
    if is_patterns(path):
        return "ibm-aml"
    if suffix(path) not in _SETS:
        raise DataError(
            f"a file of subgraphs ends in {', '.join((*_SETS, '.json', '.zip'))}, not"
            f" '{suffix(path)}'; name its format (format=…, --format), or a folder, which is"
            " recognised by the files in it.",
            path=path,
        )
    return format_of_sets(path)


def _check_layout_options(format: str, variant: str | None, *, swap: bool) -> None:
    """Raise for options of the SubGNN layout that go with another one."""
    if format != "subgnn" and (variant is not None or swap):
        raise ConfigError("variant and swap are for folders in the SubGNN layout.")


def _read_foreign_sets(
    path: Path, format: str, reading: Reading, notes: list[str], *, labelled: bool
) -> SetTables | None:
    """The subgraphs of a format of another program; None for formats of our own."""
    if format == "phenopackets":
        tables, found = phenopacket_tables(path, reading, labelled=labelled)
        notes += found
        return tables
    return attempt_tables(path, reading, notes) if format == "ibm-aml" else None


def _read_graph(graph: Any, options: GraphOptions) -> GraphSource | None:
    """The graph of a file or object; None where it is a table of edges."""
    if not isinstance(graph, str | Path):
        edges = as_graph(graph, repeated=options.repeated)
        return GraphSource(edges, direction_notes(graph))
    require_regular_file(graph)
    return read_graph_file(Path(graph), options)


def recognised(folder: Path) -> bool:
    """Whether a folder looks like data that :func:`read_task` reads."""
    try:
        return folder.is_dir() and _recognise_folder(folder) is not None
    except DataError:  # it holds tables, if too many of them
        return True


def _recognise_folder(folder: Path) -> str | None:
    """The format of a folder that has a graph of its own."""
    if is_elliptic2(folder):  # which has tables called edges and nodes, too
        return "elliptic2"
    if find(folder, EDGES) or find(folder, SUBGRAPHS):
        return "subgnn"
    if (folder / CARD).is_file() or find_edges(folder) or find_sets(folder):
        return "tables"
    return "ibm-aml" if find_pairs(folder) else None
