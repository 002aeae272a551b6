"""Tables in files: CSV, TSV and Parquet by column, JSONL and GMT by line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from ..base.errors import DataError
from ..base.ragged import Array
from ..base.regular_files import require_regular_file
from ..task.attributes import OWN_COLUMNS
from ..task.frames import ALIASES, check_unique_columns
from .expansion import check_parquet
from .text_files import first_line, lines, text_table
from .white_space import StrippedValues, needed_quoting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

DELIMITERS = {".csv": ",", ".tsv": "\t", ".csv.gz": ",", ".tsv.gz": "\t"}
PARQUET = (".parquet", ".pq")
SUFFIXES = (*PARQUET, *DELIMITERS)
# Columns of ids and words: they stay the text that the file has. All of the labels table do.
_TEXT = {
    "edges": ("source", "target"),
    "subgraph_edges": ("subgraph_id", "source", "target"),
    "members": ("subgraph_id", "node_id"),
    "nodes": ("node_id", "title"),
    "aliases": ("alias", "node_id", "kind"),
}
_FIELDS = {"id", "nodes", "weights", "label", "split", "title", "attributes"}


class SetTables(NamedTuple):
    """Members and labels as tables, out of a file that holds both or only members.

    Args:
        members: Subgraph and node, and where there are such, weights.
        labels: Labels, titles and attributes.
        edges: Edges of the subgraphs, where they are not those of the graph.
    """

    members: pa.Table
    labels: pa.Table | None
    edges: pa.Table | None = None


def suffix(path: Path) -> str:
    """The ending that tells the format: ``.csv``, ``.csv.gz``, …"""
    parts = path.suffixes[-2:] if path.name.endswith(".gz") else path.suffixes[-1:]
    return "".join(parts).lower()


def read_table(
    path: Path,
    what: str,
    columns: Mapping[str, str],
    *,
    stripped: StrippedValues | None = None,
) -> pa.Table:
    """One table. Ids, labels and words stay text, as written; types of other columns are inferred.

    Args:
        path: A CSV, TSV (either may be gzipped) or Parquet file.
        what: What the rows are: "edges", "members", "labels", "nodes" or "subgraph_edges".
        columns: The user's column for ours, as in :meth:`SubgraphTask.from_tables`.
        stripped: Counts values that lose the white space around them.
    """
    ending = suffix(path)
    if ending in PARQUET:
        return _read_parquet(path)
    if ending not in DELIMITERS:
        raise DataError(f"a table ends in {', '.join(SUFFIXES)}, not '{ending}'.", path=path)
    text = None
    if what in _TEXT:
        text = {columns.get(ours, ours) for ours in _TEXT[what]}
        text.update(alias for ours in _TEXT[what] for alias in ALIASES.get(ours, ()))
    return text_table(path, DELIMITERS[ending], text=text, stripped=stripped)


def _read_parquet(path: Path) -> pa.Table:
    size = require_regular_file(path)
    if not size:
        raise DataError("the file is empty.", path=path)
    try:
        check_parquet(path, size, path=path)
        check_unique_columns(pq.ParquetFile(path).schema_arrow.names, path.stem, path)
        return pq.read_table(path)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        reason = " ".join(str(error).split())
        raise DataError(f"this is no whole Parquet file ({reason}).", path=path) from error


def read_jsonl(path: Path) -> SetTables:
    """One subgraph per line: ``{"nodes": […], "id": …, "label": … or […], "split": …}``.

    Line by line, because a columnar JSON reader guesses types and would turn ids into dates.
    """
    first_line(path)
    rows = [json_row(path, number, line) for number, line in lines(path)]
    ids = [row.get("id", position) for position, row in enumerate(rows)]
    check_unique_sets(ids, path)
    names = _id_column(ids)
    sizes = [len(row["nodes"]) for row in rows]
    owner = pa.array([i for i, size in enumerate(sizes) for _ in range(size)], pa.int64())
    members = {
        "subgraph_id": names.take(owner),
        "node_id": _id_column(node for row in rows for node in row["nodes"]),
    }
    weighted = sum("weights" in row for row in rows)
    if weighted not in (0, len(rows)):
        raise DataError("some subgraphs have 'weights' and some have none.", path=path)
    if weighted:
        flat = [float(w) for row in rows for w in row["weights"]]
        members["weight"] = pa.array(flat, pa.float64())
    labels = {"subgraph_id": names}
    for field in ("label", "split", "title"):
        values = [row.get(field) for row in rows]
        if any(value is not None for value in values):
            labels[field] = _label_column(values) if field == "label" else pa.array(values)
    for name in dict.fromkeys(name for row in rows for name in row.get("attributes", ())):
        values = [row.get("attributes", {}).get(name) for row in rows]
        labels[name] = pa.array([None if v is None else str(v) for v in values], pa.string())
    return SetTables(pa.table(members), pa.table(labels) if len(labels) > 1 else None)


def json_row(path: Path, number: int, line: str) -> dict[str, Any]:
    """The subgraph of a line, checked."""

    def refuse(message: str) -> DataError:
        return DataError(message, path=path, line=number)

    row = _parse_json_object(line, refuse)
    if "subgraph_id" in row:
        row["id"] = row.pop("subgraph_id")
    if unknown := row.keys() - _FIELDS:
        raise refuse(f"unknown field '{min(unknown)}'; fields are {', '.join(sorted(_FIELDS))}.")
    nodes, weights, label = row.get("nodes"), row.get("weights"), row.get("label")
    if not isinstance(nodes, list) or not all(_is_id(node) for node in nodes):
        raise refuse("'nodes' must be a list of node ids (text or integers).")
    if not nodes:
        raise refuse("the subgraph is empty; it needs a node.")
    if "id" in row and not _is_id(row["id"]):
        raise refuse("'id' must be text or an integer.")
    for field in ("split", "title"):
        if not isinstance(row.get(field), str | None):
            raise refuse(f"'{field}' must be text.")
    several = label if isinstance(label, list) else [label]
    if not all(_is_id(x) or (x is None and x is label) or isinstance(x, bool) for x in several):
        raise refuse("'label' must be a class or a list of classes.")
    if "weights" in row and not (isinstance(weights, list) and all(map(_is_number, weights))):
        raise refuse("'weights' must be a list of numbers.")
    if "weights" in row and len(row["weights"]) != len(nodes):
        raise refuse("'weights' and 'nodes' differ in length.")
    _check_attributes(row.get("attributes", {}), refuse)
    return row


def _check_attributes(attributes: object, refuse: Callable[[str], DataError]) -> None:
    """Raise unless attributes are texts or numbers by name, the names none of ours."""
    values = attributes.values() if isinstance(attributes, dict) else [[]]
    if not all(isinstance(value, str | int | float | None) for value in values):
        raise refuse("'attributes' must be an object of texts or numbers.")
    if taken := [name for name in OWN_COLUMNS if name in attributes]:  # type: ignore[operator]
        raise refuse(f"an attribute of subgraphs cannot be called {taken[0]!r}.")


def _parse_json_object(line: str, refuse: Callable[[str], DataError]) -> dict[str, Any]:
    try:
        row = json.loads(line)
        json.dumps(row, ensure_ascii=False).encode()  # half a surrogate pair is no text
    except json.JSONDecodeError as error:
        raise refuse(f"this is not JSON: {error.msg}.") from None
    except (RecursionError, ValueError):
        raise refuse("this JSON cannot be read: too deep, or no proper text or number.") from None
    if not isinstance(row, dict):
        raise refuse("expected an object {…} with 'nodes'.")
    return row


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_id(value: object) -> bool:
    if isinstance(value, bool):
        return False
    return isinstance(value, str) or (isinstance(value, int) and abs(value) < 2**63)


def _id_column(values: Iterable[Any]) -> pa.Array:
    """Ids as an Arrow column: numbers if all are, else text."""
    values = list(values)
    if all(isinstance(value, int) for value in values):
        return pa.array(values, pa.int64())
    return pa.array([str(value) for value in values], pa.string())


def _label_column(values: list[Any]) -> pa.Array:
    if any(isinstance(value, list) for value in values):
        rows = [value if isinstance(value, list) else [value] for value in values]
        return pa.array([[str(v) for v in row if v is not None] for row in rows])
    return pa.array([None if value is None else str(value) for value in values], pa.string())


def split_gmt_line(line: str, stripped: StrippedValues) -> tuple[str, str, list[str]]:
    """The name, the description and the genes of a line; ids without white space around them."""
    name, title, *genes = [*line.split("\t"), ""]
    genes = [gene for gene in map(stripped.strip, genes) if gene]
    return stripped.strip(name), title, genes


def read_gmt(path: Path, *, stripped: StrippedValues | None = None) -> SetTables:
    """Gene sets: a name, a description and the genes, tab-separated, one set per line."""
    first_line(path)
    stripped = stripped or StrippedValues()
    names: list[str | int] = []
    titles, owner, nodes = [], [], []
    for number, line in lines(path):
        name, title, genes = split_gmt_line(line, stripped)
        if not name:
            raise DataError("the set has no name.", path=path, line=number)
        if not genes:
            raise DataError(
                f"the set {name!r} is empty; expected name, description and genes, separated"
                " by tabs.",
                path=path,
                line=number,
            )
        owner.extend([name] * len(genes))
        nodes.extend(genes)
        names.append(name)
        titles.append(title)
    check_unique_sets(names, path)
    members = pa.table({"subgraph_id": owner, "node_id": nodes})
    titled = any(title not in ("", "na", "NA") for title in titles)
    return SetTables(members, pa.table({"subgraph_id": names, "title": titles}) if titled else None)


def check_unique_sets(names: list[str | int], path: Path) -> None:
    """Raise if two subgraphs of a file have the same name."""
    seen: set[str] = set()
    for name in map(str, names):
        if name in seen:
            raise DataError(f"the subgraph {name!r} is there twice; names are unique.", path=path)
        seen.add(name)


def write_table(table: pa.Table, path: Path) -> None:
    """Write one table; the ending of the path tells the format."""
    if suffix(path) in PARQUET:
        pq.write_table(table, path)
        return
    quoting = needed_quoting(table)
    options = pacsv.WriteOptions(delimiter=DELIMITERS[suffix(path)], quoting_style=quoting)
    pacsv.write_csv(table, path, options)


def write_jsonl(members: pa.Table, labels: pa.Table | None, ptr: Array, folder: Path) -> None:
    """The counterpart of :func:`read_jsonl`; members come grouped by subgraph."""
    ids, nodes = (members[name].combine_chunks() for name in ("subgraph_id", "node_id"))
    weights = members["weight"].combine_chunks() if "weight" in members.column_names else None
    rest = None if labels is None else labels.drop_columns(["subgraph_id"]).combine_chunks()
    others = [] if rest is None else [n for n in rest.column_names if n not in OWN_COLUMNS]
    with (folder / "subgraphs.jsonl").open("w", encoding="utf-8") as file:
        for i, (start, stop) in enumerate(zip(ptr[:-1].tolist(), ptr[1:].tolist(), strict=True)):
            row = {"id": ids[start].as_py(), "nodes": nodes[start:stop].to_pylist()}
            if weights is not None:
                row["weights"] = weights[start:stop].to_pylist()
            if rest is not None:
                fields = rest.slice(i, 1).to_pylist()[0]
                row.update({key: value for key, value in fields.items() if value is not None})
                if attributes := {key: row.pop(key) for key in others if key in row}:
                    row["attributes"] = attributes
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def write_gmt(members: pa.Table, titles: pa.Array | None, ptr: Array, folder: Path) -> None:
    """The counterpart of :func:`read_gmt`; members come grouped by subgraph."""
    ids, nodes = (members[name].combine_chunks() for name in ("subgraph_id", "node_id"))
    with (folder / "subgraphs.gmt").open("w", encoding="utf-8") as file:
        for i, (start, stop) in enumerate(zip(ptr[:-1].tolist(), ptr[1:].tolist(), strict=True)):
            title = "" if titles is None else titles[i].as_py()
            genes = map(str, nodes[start:stop].to_pylist())
            file.write("\t".join([str(ids[start].as_py()), title, *genes]) + "\n")
