"""Files with one subgraph per line: JSONL and GMT, in and out."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from ..base.errors import DataError
from ..base.ragged import Array
from ..task.attributes import OWN_COLUMNS
from .bad_lines import BadLines
from .tables import TableReader
from .text_files import PACKED, first_line, lines
from .white_space import StrippedValues

GMT = tuple(f".gmt{packed}" for packed in ("", *PACKED))
_FIELDS = {
    "id",
    "nodes",
    "weights",
    "excluded",
    "excluded_weights",
    "label",
    "split",
    "title",
    "attributes",
}


class SetTables(NamedTuple):
    """Members and labels as tables, out of a file that holds both or only members.

    Args:
        members: One member per row.
        labels: One subgraph per row.
        edges: Edges of the subgraphs, where they are not those of the graph.
        excluded: Nodes that were looked for and are absent, with columns like those of members.
        lines: Line of the file of each subgraph, where a line is one.
    """

    members: pa.Table
    labels: pa.Table | None
    edges: pa.Table | None = None
    excluded: pa.Table | None = None
    lines: Array | None = None

    def row_lines(self) -> dict[str, Array]:
        """Line of the file of each row of the tables, where a line is a subgraph."""
        if self.lines is None:
            return {}
        owner = self.members["subgraph_id"].combine_chunks().dictionary_encode().indices
        return {"members": self.lines[np.asarray(owner)], "labels": self.lines}


def read_jsonl(path: Path, reader: TableReader) -> SetTables:
    """One subgraph per line: ``{"nodes": […], "id": …, "label": … or […], "split": …}``.

    Line by line, because a columnar JSON reader guesses types and would turn ids into dates.
    """
    first_line(path)
    bad, numbers, rows = (
        BadLines(path, reader.reading, reader.notes),
        list[int](),
        list[dict[str, Any]](),
    )
    seen = set[str]()
    for number, line in lines(path):
        try:
            row = json_row(path, number, line)
        except DataError as error:
            empty = error.reason.startswith("the subgraph is empty")
            bad.add("empty subgraph" if empty else "unusable line", number, error.reason)
            continue
        name = str(row.setdefault("id", len(rows)))
        if name in seen:
            bad.add("repeated subgraph", number, repeated_name(name))
            continue
        seen.add(name)
        rows.append(row)
        numbers.append(number)
    bad.report()
    names = _id_column(row["id"] for row in rows)
    members = _json_members(rows, names, "nodes", "weights", path)
    absent = _json_members(rows, names, "excluded", "excluded_weights", path)
    labels = {"subgraph_id": names}
    for key in ("label", "split", "title"):
        values = [row.get(key) for row in rows]
        if any(value is not None for value in values):
            labels[key] = _label_column(values) if key == "label" else pa.array(values)
    for name in dict.fromkeys(name for row in rows for name in row.get("attributes", ())):
        values = [row.get("attributes", {}).get(name) for row in rows]
        labels[name] = pa.array([None if v is None else str(v) for v in values], pa.string())
    table = pa.table(labels) if len(labels) > 1 else None
    excluded = absent if len(absent) else None
    return SetTables(members, table, excluded=excluded, lines=np.array(numbers, np.int64))


def _json_members(
    rows: list[dict[str, Any]], names: pa.Array, field: str, weight_field: str, path: Path
) -> pa.Table:
    """The nodes under one field as a table, with their weights where the rows have some."""
    listed = [row for row in rows if row.get(field)]
    sizes = [len(row.get(field, ())) for row in rows]
    owner = pa.array([i for i, size in enumerate(sizes) for _ in range(size)], pa.int64())
    columns = {
        "subgraph_id": names.take(owner),
        "node_id": _id_column(node for row in listed for node in row[field]),
    }
    weighted = sum(weight_field in row for row in listed)
    if weighted not in (0, len(listed)):
        raise DataError(f"some subgraphs have '{weight_field}' and some have none.", path=path)
    if weighted:
        flat = [float(w) for row in listed for w in row[weight_field]]
        columns["weight"] = pa.array(flat, pa.float64())
    return pa.table(columns)


def repeated_name(name: str) -> str:
    """The sentence about a subgraph that comes again."""
    return f"the subgraph {name!r} is there twice; names are unique."


def json_row(path: Path, number: int, line: str) -> dict[str, Any]:
    """The subgraph of a line, checked."""

    def refuse(message: str) -> DataError:
        return DataError(message, path=path, line=number)

    row = _parse_json_object(line, refuse)
    if "subgraph_id" in row:
        row["id"] = row.pop("subgraph_id")
    if unknown := row.keys() - _FIELDS:
        raise refuse(f"unknown field '{min(unknown)}'; fields are {', '.join(sorted(_FIELDS))}.")
    nodes, label = row.get("nodes"), row.get("label")
    for key in ("nodes", "excluded"):
        ids = row.get(key, [] if key == "excluded" else None)
        if not isinstance(ids, list) or not all(_is_id(node) for node in ids):
            raise refuse(f"'{key}' must be a list of node ids (text or integers).")
    if not nodes:
        raise refuse("the subgraph is empty; it needs a node.")
    if "id" in row and not _is_id(row["id"]):
        raise refuse("'id' must be text or an integer.")
    for key in ("split", "title"):
        if not isinstance(row.get(key), str | None):
            raise refuse(f"'{key}' must be text.")
    several = label if isinstance(label, list) else [label]
    if not all(_is_id(x) or (x is None and x is label) or isinstance(x, bool) for x in several):
        raise refuse("'label' must be a class or a list of classes.")
    for key, of in (("weights", "nodes"), ("excluded_weights", "excluded")):
        weights = row.get(key, [])
        if not (isinstance(weights, list) and all(map(_is_number, weights))):
            raise refuse(f"'{key}' must be a list of numbers.")
        if key in row and len(weights) != len(row.get(of, ())):
            raise refuse(f"'{key}' and '{of}' differ in length.")
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


def is_title(description: str) -> bool:
    """Whether the description of a gene set says something; MSigDB has addresses in its place."""
    return description not in ("", "na", "NA") and not description.startswith(("http:", "https:"))


def read_gmt(path: Path, reader: TableReader) -> SetTables:
    """Gene sets: a name, a description and the genes, tab-separated, one set per line."""
    first_line(path)
    bad, names = BadLines(path, reader.reading, reader.notes), dict[str, int]()
    titles, owner, nodes = list[str](), list[str](), list[str]()
    for number, line in lines(path):
        name, title, genes = split_gmt_line(line, reader.stripped)
        if not name:
            bad.add("unusable line", number, "the set has no name.")
        elif not genes:
            reason = f"the set {name!r} is empty; expected name, description and genes, separated"
            bad.add("empty subgraph", number, f"{reason} by tabs.")
        elif name in names:
            bad.add("repeated subgraph", number, repeated_name(name))
        else:
            owner.extend([name] * len(genes))
            nodes.extend(genes)
            names[name] = number
            titles.append(title)
    bad.report()
    text = pa.string()
    columns = {"subgraph_id": pa.array(owner, text), "node_id": pa.array(nodes, text)}
    titled = any(map(is_title, titles))
    labels = {"subgraph_id": pa.array(list(names), text), "title": pa.array(titles, text)}
    numbers = np.array(list(names.values()), np.int64)
    titles_table = pa.table(labels) if titled else None
    return SetTables(pa.table(columns), titles_table, lines=numbers)


def write_jsonl(
    members: pa.Table,
    labels: pa.Table | None,
    ptr: Array,
    folder: Path,
    *,
    excluded: tuple[pa.Table, Array] | None = None,
) -> None:
    """The counterpart of :func:`read_jsonl`; members come grouped by subgraph.

    Args:
        members: The table of members.
        labels: The table of labels.
        ptr: Subgraph i has the rows ``ptr[i]…ptr[i + 1]`` of ``members``.
        folder: Where the file goes.
        excluded: The table of excluded nodes, and the pointers into it.
    """
    ids = members["subgraph_id"].combine_chunks()
    fields = _json_fields(members, ptr, "nodes", "weights")
    absent = [dict[str, Any]()] * (len(ptr) - 1)
    if excluded is not None:
        absent = list(_json_fields(*excluded, "excluded", "excluded_weights"))
    rest = None if labels is None else labels.drop_columns(["subgraph_id"]).combine_chunks()
    others = [] if rest is None else [n for n in rest.column_names if n not in OWN_COLUMNS]
    with (folder / "subgraphs.jsonl").open("w", encoding="utf-8") as file:
        for i, (own, absent_own) in enumerate(zip(fields, absent, strict=True)):
            row = {"id": ids[int(ptr[i])].as_py(), **own}
            row |= absent_own if absent_own.get("excluded") else {}
            if rest is not None:
                values = rest.slice(i, 1).to_pylist()[0]
                row.update({key: value for key, value in values.items() if value is not None})
                if attributes := {key: row.pop(key) for key in others if key in row}:
                    row["attributes"] = attributes
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def _json_fields(
    table: pa.Table, ptr: Array, field: str, weight_field: str
) -> Iterator[dict[str, Any]]:
    """The nodes of each subgraph, and their weights where there are some."""
    nodes = table["node_id"].combine_chunks()
    weights = table["weight"].combine_chunks() if "weight" in table.column_names else None
    for start, stop in zip(ptr[:-1].tolist(), ptr[1:].tolist(), strict=True):
        row = {field: nodes[start:stop].to_pylist()}
        if weights is not None:
            row[weight_field] = weights[start:stop].to_pylist()
        yield row


def write_gmt(members: pa.Table, titles: pa.Array | None, ptr: Array, folder: Path) -> None:
    """The counterpart of :func:`read_gmt`; members come grouped by subgraph."""
    ids, nodes = (members[name].combine_chunks() for name in ("subgraph_id", "node_id"))
    with (folder / "subgraphs.gmt").open("w", encoding="utf-8") as file:
        for i, (start, stop) in enumerate(zip(ptr[:-1].tolist(), ptr[1:].tolist(), strict=True)):
            title = "" if titles is None else titles[i].as_py()
            genes = map(str, nodes[start:stop].to_pylist())
            file.write("\t".join([str(ids[start].as_py()), title, *genes]) + "\n")
