"""The layout of the SubGNN benchmarks: ``edge_list.txt`` and ``subgraphs.pth``, both plain text.

One edge per line (``u v`` or ``u v {}``, integers from 0); one subgraph per line: node ids joined
by ``-``, a tab, the label (several joined by ``-``), a tab, the split word. Either may be gzipped.
Beside them, where present: ``nodes.tsv`` and ``subgraph_ids.tsv`` with the real names.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from ..base.errors import ConfigError, DataError
from ..base.plural import plural
from ..base.ragged import Array
from ..task.assemble import assemble
from ..task.edges import undirected
from ..task.graph import Graph
from ..task.names import Names, check_names
from ..task.reading_notes import edge_notes, parts_swapped
from ..task.reading_options import Reading
from .bad_lines import BadLines, StrictLines
from .table_layout import TableLayout
from .text_files import PACKED, delimited, first_line, lines
from .text_tables import text_table
from .white_space import StrippedValues, needed_quoting

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..task import SubgraphTask

EDGES, SUBGRAPHS = "edge_list.txt", "subgraphs.pth"
_ROW = ("nodes", "label", "split")
_SPARE_IDS = 100  # unused ids per edge above which ids do not seem to count from 0
_DIGITS = 10  # of a node id: 2,147,483,647 is the largest


def find(folder: Path, name: str) -> Path | None:
    """The file of this name in a folder, plain or packed."""
    places = (folder / f"{name}{packed}" for packed in ("", *PACKED))
    return next((path for path in places if path.exists()), None)


def read_subgnn(
    folder: Path,
    *,
    variant: str | None = None,
    swap: bool = False,
    reading: Reading | None = None,
    name: str = "",
    contents: Mapping[Path, bytes] | None = None,
) -> SubgraphTask:
    """Read a folder in the SubGNN layout.

    Args:
        folder: Has ``edge_list.txt[.gz]`` and ``subgraphs.pth[.gz]``.
        variant: Reads ``subgraphs.VARIANT.pth`` instead: the same subgraphs, with another split.
        swap: Exchange val and test if val is the smaller one, as the public readers do.
        reading: What to do about problems; takes them.
        name: What to call the data in outputs.
        contents: Unpacked bytes of files that have been read already.
    """
    contents, reading = contents or {}, reading or Reading()
    sets_name = SUBGRAPHS if variant is None else f"subgraphs.{variant}.pth"
    edge_file, set_file = find(folder, EDGES), find(folder, sets_name)
    if edge_file is None or set_file is None:
        missing = EDGES if edge_file is None else sets_name
        raise DataError(f"the folder has no {missing} (or {missing}.gz).", path=folder)
    bad_edges, bad_rows = (BadLines(path, reading) for path in (edge_file, set_file))
    source, target = read_edge_list(edge_file, content=contents.get(edge_file), bad=bad_edges)
    bad_edges.report()
    merged = undirected(source, target)
    size = int(max(source.max(initial=-1), target.max(initial=-1))) + 1
    if size > _SPARE_IDS * len(source) + 10**6 and not (folder / "nodes.tsv").is_file():
        raise DataError(
            f"node id {size - 1:,} with only {len(source):,} edges: ids count from 0; put edges"
            " with other ids in a table (edges.csv with source, target).",
            path=edge_file,
        )
    stripped = StrippedValues()
    names, titles, size = _read_node_names(folder, size, stripped)
    rows, places, num_rows = _read_rows(set_file, contents.get(set_file), bad_rows)
    bad_rows.report()
    nodes = pc.split_pattern(rows["nodes"], "-").combine_chunks()
    split, notes = _read_split(rows["split"], swap=swap)
    notes += edge_notes(merged, "same", str if names is None else lambda node: repr(names[node]))
    set_names, set_titles = _read_set_names(folder, num_rows, stripped)
    if places is not None:  # lines were dropped; the others are called by their places in the file
        set_names = set_names.take(places)
        set_titles = None if set_titles is None else set_titles.take(places)
    labels = pc.split_pattern(rows["label"], "-")
    if pc.max(pc.list_value_length(labels)).as_py() == 1:
        labels = rows["label"]
    columns = {"subgraph_id": set_names, "label": labels, "split": split}
    if set_titles is not None:
        columns["title"] = set_titles
    owner = pc.list_parent_indices(nodes)
    return assemble(
        Graph.from_undirected(merged, num_nodes=size, names=names, titles=titles),
        {"subgraph_id": set_names.take(owner), "node_id": nodes.flatten().cast(pa.int64())},
        columns,
        by_position=True,
        reading=reading,
        name=name or folder.name,
        paths={"edges": edge_file, "members": set_file, "labels": set_file},
        notes=(*bad_edges.notes, *bad_rows.notes, *notes, *stripped.notes()),
    )


EDGE_LISTS = tuple(f"{kind}{packed}" for kind in (".txt", ".edgelist") for packed in ("", *PACKED))


def is_edge_list(path: Path) -> bool:
    """Whether a text file begins with a comment or two integers, as edge lists do."""
    words = first_line(path).split()
    return (
        words[0].startswith("#")
        or all(word.isdigit() for word in words[:2])
        or (path.suffix == ".edgelist")
    )


def read_edge_list(
    path: Path, *, content: bytes | None = None, bad: BadLines | None = None
) -> tuple[Array, Array]:
    """Two integers per line, and perhaps ``{}``: sources and targets, int64 (E,) each.

    Args:
        path: The file.
        content: Its unpacked bytes, where they have been read already.
        bad: Takes lines that are no edge; None: the first of them is an error.
    """
    bad = StrictLines(path, Reading()) if bad is None else bad
    head = first_line(path, content=content)
    delimiter = "\t" if "\t" in head else " "
    columns = [f"f{i}" for i in range(head.count(delimiter) + 1)]
    types = dict.fromkeys(columns[:2], pa.int64()) | dict.fromkeys(columns[2:], pa.string())
    try:
        table = delimited(
            path, delimiter, columns=columns, types=types, quoted=False, content=content
        )
    except pa.ArrowInvalid:
        return _read_edges_by_line(path, content, bad)
    rest = [table[c] for c in columns[2:]]
    fits = len(columns) in (2, 3) and all(pc.all(pc.equal(c, "{}")).as_py() for c in rest)
    if not fits or any(c.null_count for c in table.columns):
        return _read_edges_by_line(path, content, bad)
    source, target = (np.asarray(table[c]) for c in columns[:2])
    if min(source.min(), target.min()) < 0:
        return _read_edges_by_line(path, content, bad)
    return source, target


def _read_edges_by_line(path: Path, content: bytes | None, bad: BadLines) -> tuple[Array, Array]:
    """The same, line by line: takes what is odd but clear, and says which line is wrong."""
    pairs = []
    for number, line in lines(path, content=content):
        if line.startswith("#"):
            continue
        fields = line.split()
        if len(fields) not in (2, 3) or fields[2:] not in ([], ["{}"]):
            bad.add(
                "unusable edge",
                number,
                f"expected two node ids per line ('u v' or 'u v {{}}'), found {line[:60]!r};"
                " edges with weights go in a table (edges.csv with source, target, weight).",
            )
        elif odd := next((word for word in fields[:2] if not _is_node(word)), None):
            bad.add("unusable edge", number, _no_node(odd))
        else:
            pairs.append((int(fields[0]), int(fields[1])))
    if not pairs:
        bad.raise_first()
        raise DataError("the graph has no edges.", path=path)
    array = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return array[:, 0], array[:, 1]


def _is_node(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) <= _DIGITS


def _no_node(word: str) -> str:
    return f"expected a node id (an integer from 0), found {word!r}."


def _read_rows(
    path: Path, content: bytes | None, bad: BadLines
) -> tuple[pa.Table, Array | None, int]:
    """The subgraph file as a table of text: nodes, label, split.

    Also where each row stands among the lines (None: there are no bad ones), and the number of
    lines.
    """
    columns = list(_ROW) + ["rest"] * (first_line(path, content=content).count("\t") > 2)
    types = dict.fromkeys(columns, pa.string())
    try:
        table = delimited(path, "\t", columns=columns, types=types, quoted=False, content=content)
        plain = r"^[0-9]{1,10}(-[0-9]{1,10})*\t[^\t-]+(-[^\t-]+)*\t[^\t]+$"
        joined = pc.binary_join_element_wise(*(table[c] for c in _ROW), "\t")
        tail = pc.all(pc.equal(table["rest"], "")).as_py() if "rest" in columns else True
        if tail and pc.all(pc.match_substring_regex(joined, plain)).as_py():
            return table, None, len(table)
    except pa.ArrowInvalid:
        pass
    return _read_rows_by_line(path, content, bad)


def _read_rows_by_line(
    path: Path, content: bytes | None, bad: BadLines
) -> tuple[pa.Table, Array | None, int]:
    """The same, line by line: takes what is odd but clear, and says which line is wrong."""
    rows, places, count = [], list[int](), 0
    for number, line in lines(path, content=content):
        count += 1
        fields = [field.strip() for field in line.split("\t")]
        if len(fields) == 4 and not fields[3]:
            fields.pop()
        if problem := _row_problem(fields, line):
            kind, reason = problem
            bad.add(kind, number, reason)
            continue
        nodes = "-".join(str(int(word)) for word in fields[0].split("-"))
        rows.append((nodes, fields[1], fields[2]))
        places.append(count - 1)
    columns = zip(*rows, strict=True) if rows else [()] * len(_ROW)
    table = pa.table(
        {name: pa.array(c, pa.string()) for name, c in zip(_ROW, columns, strict=True)}
    )
    return table, np.array(places, np.int64) if len(rows) < count else None, count


def _row_problem(fields: list[str], line: str) -> tuple[str, str] | None:
    """What is wrong with a line of the subgraph file, as kind and sentence; None if nothing."""
    if len(fields) != 3:
        return "unusable line", (
            "expected node ids joined by '-', a tab, the label, a tab, and train, val or test;"
            f" found {len(fields)} fields: {line[:60]!r}."
        )
    if not fields[0]:
        return "empty subgraph", "the subgraph is empty; it needs a node."
    if not all(fields[1].split("-")):
        return "missing label", "the label is missing."
    odd = next((word for word in fields[0].split("-") if not _is_node(word)), None)
    return None if odd is None else ("unusable line", _no_node(odd))


def _read_split(column: pa.Array, *, swap: bool) -> tuple[pa.Array, list[str]]:
    val, test = (pc.sum(pc.equal(column, word)).as_py() or 0 for word in ("val", "test"))
    if not swap or val >= test:
        return column, []
    swapped = pc.replace_substring_regex(column, "^val$", "-")
    swapped = pc.replace_substring_regex(swapped, "^test$", "val")
    note = parts_swapped({"val": val, "test": test})
    return pc.replace_substring_regex(swapped, "^-$", "test"), [note]


def _read_node_names(
    folder: Path, size: int, stripped: StrippedValues
) -> tuple[Names | None, Names | None, int]:
    """Names, titles and count of the nodes; ``nodes.tsv`` has ``id``, an identifier, a ``name``."""
    path = folder / "nodes.tsv"
    if not path.is_file():
        return None, None, size
    table = text_table(TableLayout.of_header(path, "\t"), stripped=stripped)
    names, titles = _pick_names(table, path, key="id")
    if names is not None:
        check_names(names, len(table), f"{path}: names", unique=True)
    if len(table) < size:
        raise DataError(f"{len(table):,} nodes, but the edges go up to {size - 1:,}.", path=path)
    return names, titles, len(table)


def _read_set_names(
    folder: Path, count: int, stripped: StrippedValues
) -> tuple[pa.Array, pa.Array | None]:
    """Names of the subgraphs (their line numbers if they have none) and titles or None."""
    path = folder / "subgraph_ids.tsv"
    if not path.is_file():
        return pa.array(np.arange(count)), None
    table = text_table(TableLayout.of_header(path, "\t"), stripped=stripped)
    if len(table) != count:
        raise DataError(f"{plural(len(table), 'name')} for {plural(count, 'subgraph')}.", path=path)
    names, titles = _pick_names(table, path, key="line")
    ids = pa.array(np.arange(count)) if names is None else names.arrow
    return ids, None if titles is None else titles.arrow


def _pick_names(table: pa.Table, path: Path, *, key: str) -> tuple[Names | None, Names | None]:
    """The identifier column as names and ``name`` as titles; alone, ``name`` is the identifier."""
    if key in table.column_names:
        expected = pa.array(np.arange(len(table))).cast(pa.string())
        if not table[key].combine_chunks().equals(expected):
            raise DataError(f"the column '{key}' must count 0, 1, 2, …", path=path)
    columns = [table[c] for c in table.column_names if c not in (key, "name")]
    if "name" in table.column_names:
        columns.append(table["name"])
    picked = [Names(column) for column in columns[:2]]
    picked += [None] * (2 - len(picked))  # type: ignore[list-item]
    return picked[0], picked[1]


def write_subgnn(task: SubgraphTask, folder: Path) -> None:
    """Write a task in the SubGNN layout, in the order of its input, names beside it.

    What the layout cannot say is refused.
    """
    graph, subgraphs = task.graph, task.input_subgraphs
    for what, value in (
        ("edge weights", graph.weights),
        ("node features", graph.features),
        ("member weights", subgraphs.weights),
        ("edges of subgraphs", subgraphs.edges),
        ("excluded nodes", subgraphs.excluded),
        ("attributes of subgraphs", task.attributes or None),
    ):
        if value is not None:
            raise ConfigError(f"the SubGNN layout has no {what}; write parquet instead.")
    if task.num_virtual:
        raise ConfigError("the SubGNN layout has no virtual subgraphs; write parquet instead.")
    if task.labels is None or task.split is None:
        raise ConfigError("the SubGNN layout needs labels and train, val, test; write parquet.")
    if task.multilabel and not task.labels.any(axis=1).all():
        raise ConfigError("the SubGNN layout cannot say 'none of the classes'; write parquet.")
    if any("-" in name for name in task.class_names):
        raise ConfigError("the SubGNN layout joins labels by '-', but a class name has one in it.")
    low, high, _ = graph.edges()
    edges = {
        "u": np.concatenate([low, graph.loops]),
        "v": np.concatenate([high, graph.loops]),
    }
    _write_table(pa.table(edges), folder / EDGES, " ")
    order = pa.array(task.input_order)
    nodes = pa.LargeListArray.from_arrays(subgraphs.ptr, pa.array(subgraphs.nodes).cast("string"))
    rows = pc.binary_join_element_wise(
        pc.binary_join(nodes, "-").cast(pa.string()),
        pc.binary_join(task.label_lists(), "-").take(order),
        pa.array(task.split.words()).take(order),
        "\t",
    )
    with (folder / SUBGRAPHS).open("w", encoding="utf-8") as file:
        file.writelines(f"{row}\n" for row in rows.to_pylist())
    lonely_end = (
        graph.num_nodes and graph.degrees[-1] == 0 and graph.num_nodes - 1 not in graph.loops
    )
    if graph.names is not None or graph.titles is not None or lonely_end:
        _write_names(
            folder / "nodes.tsv",
            "id",
            count=graph.num_nodes,
            names=graph.names,
            titles=graph.titles,
        )
    if subgraphs.names is not None or subgraphs.titles is not None:
        path = folder / "subgraph_ids.tsv"
        _write_names(
            path,
            "line",
            count=len(subgraphs),
            names=subgraphs.names,
            titles=subgraphs.titles,
        )


def _write_names(
    path: Path, key: str, *, count: int, names: Names | None, titles: Names | None
) -> None:
    columns = {key: pa.array(np.arange(count))}
    if names is not None or titles is not None:
        columns["source_id"] = columns[key] if names is None else names.arrow
    if titles is not None:
        columns["name"] = titles.arrow
    _write_table(pa.table(columns), path, "\t", header=True)


def _write_table(table: pa.Table, path: Path, delimiter: str, *, header: bool = False) -> None:
    quoting = needed_quoting(table) if header else "none"  # names may hold a quote
    options = pacsv.WriteOptions(
        include_header=header, delimiter=delimiter, quoting_style=quoting, quoting_header="none"
    )
    pacsv.write_csv(table, path, options)
