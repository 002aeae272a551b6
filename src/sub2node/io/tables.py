"""Tables in files: CSV, TSV and Parquet by column, JSONL and GMT by line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from ..errors import DataError
from ..task.frames import ALIASES
from .text import first_line, lines, text_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

DELIMITERS = {".csv": ",", ".tsv": "\t", ".csv.gz": ",", ".tsv.gz": "\t"}
PARQUET = (".parquet", ".pq")
SUFFIXES = (*PARQUET, *DELIMITERS)
# Columns of ids and words: kept as the text that is written there.
_TEXT = {
    "edges": ("source", "target"),
    "subgraph_edges": ("subgraph_id", "source", "target"),
    "members": ("subgraph_id", "node_id"),
    "labels": ("subgraph_id", "label", "split", "title"),
    "nodes": ("node_id", "title"),
}
_FIELDS = {"id", "nodes", "weights", "label", "split", "title"}


class Sets(NamedTuple):
    """Members and labels as tables, out of a file that holds both or only members."""

    members: Any
    labels: Any | None


def suffix(path: Path) -> str:
    """The ending that tells the format: ``.csv``, ``.csv.gz``, …"""
    parts = path.suffixes[-2:] if path.name.endswith(".gz") else path.suffixes[-1:]
    return "".join(parts).lower()


def read_table(path: Path, what: str, columns: Mapping[str, str]) -> Any:
    """One table. Ids, labels and words stay text, as written; other columns are read as they are.

    Args:
        path: A CSV, TSV (either may be gzipped) or Parquet file.
        what: "edges", "members", "labels", "nodes" or "subgraph_edges".
        columns: The user's column for ours, as in :meth:`SubgraphTask.from_tables`.
    """
    ending = suffix(path)
    if ending in PARQUET:
        return _read_parquet(path)
    if ending not in DELIMITERS:
        raise DataError(f"a table ends in {', '.join(SUFFIXES)}, not '{ending}'.", path=path)
    text = {columns.get(ours, ours) for ours in _TEXT[what]}
    text.update(alias for ours in _TEXT[what] for alias in ALIASES.get(ours, ()))
    return text_table(path, DELIMITERS[ending], text=text)


def _read_parquet(path: Path) -> Any:
    if not path.is_file():
        raise DataError("there is no such file.", path=path)
    if not path.stat().st_size:
        raise DataError("the file is empty.", path=path)
    try:
        return pq.read_table(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise DataError(f"this is no whole Parquet file ({error}).", path=path) from error


def read_jsonl(path: Path) -> Sets:
    """One subgraph a line: ``{"nodes": […], "id": …, "label": … or […], "split": …}``.

    Line by line, because a columnar JSON reader guesses types and would turn ids into dates.
    """
    first_line(path)
    rows = [_json_row(path, number, line) for number, line in lines(path)]
    ids = [row.get("id", position) for position, row in enumerate(rows)]
    _check_unique(ids, path)
    names = _column(ids)
    sizes = [len(row["nodes"]) for row in rows]
    owner = pa.array([i for i, size in enumerate(sizes) for _ in range(size)], pa.int64())
    members = {
        "subgraph_id": names.take(owner),
        "node_id": _column(node for row in rows for node in row["nodes"]),
    }
    if any("weights" in row for row in rows):
        members["weight"] = pa.array([w for row in rows for w in row.get("weights", ())])
    labels = {"subgraph_id": names}
    for field in ("label", "split", "title"):
        values = [row.get(field) for row in rows]
        if any(value is not None for value in values):
            labels[field] = _label_column(values) if field == "label" else pa.array(values)
    return Sets(pa.table(members), pa.table(labels) if len(labels) > 1 else None)


def _json_row(path: Path, number: int, line: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise DataError(f"this is not JSON: {error.msg}.", path=path, line=number) from None
    if not isinstance(row, dict):
        raise DataError("expected an object {…} with 'nodes'.", path=path, line=number)
    if "subgraph_id" in row:
        row["id"] = row.pop("subgraph_id")
    if unknown := row.keys() - _FIELDS:
        raise DataError(
            f"unknown field '{min(unknown)}'; fields are {', '.join(sorted(_FIELDS))}.",
            path=path,
            line=number,
        )
    nodes = row.get("nodes")
    if not isinstance(nodes, list) or not all(isinstance(n, int | str) for n in nodes):
        raise DataError("'nodes' must be a list of node ids.", path=path, line=number)
    if not nodes:
        raise DataError("the subgraph is empty; it needs a node.", path=path, line=number)
    for field, kinds in (("id", int | str), ("split", str | None), ("title", str | None)):
        if not isinstance(row.get(field, ""), kinds):
            raise DataError(f"'{field}' must be text.", path=path, line=number)
    if not isinstance(row.get("label"), int | str | list | None):
        raise DataError("'label' must be a class or a list of classes.", path=path, line=number)
    if "weights" in row and len(row["weights"]) != len(nodes):
        raise DataError("'weights' and 'nodes' differ in length.", path=path, line=number)
    return row


def _column(values: Iterable[Any]) -> Any:
    """Ids as an Arrow column: numbers if all are, else text."""
    values = list(values)
    if all(isinstance(value, int) for value in values):
        return pa.array(values, pa.int64())
    return pa.array([str(value) for value in values], pa.string())


def _label_column(values: list[Any]) -> Any:
    if any(isinstance(value, list) for value in values):
        rows = [value if isinstance(value, list) else [value] for value in values]
        return pa.array([[str(v) for v in row if v is not None] for row in rows])
    return pa.array([None if value is None else str(value) for value in values], pa.string())


def read_gmt(path: Path) -> Sets:
    """Gene sets: a name, a description and the genes, tab-separated, one set a line."""
    first_line(path)
    names, titles, owner, nodes = [], [], [], []
    for number, line in lines(path):
        fields = line.split("\t")
        genes = [gene for gene in fields[2:] if gene]
        if not fields[0]:
            raise DataError("the set has no name.", path=path, line=number)
        if not genes:
            raise DataError(
                f"the set {fields[0]!r} is empty; expected name, description and genes, separated"
                " by tabs.",
                path=path,
                line=number,
            )
        owner.extend([fields[0]] * len(genes))
        nodes.extend(genes)
        names.append(fields[0])
        titles.append(fields[1])
    _check_unique(names, path)
    members = pa.table({"subgraph_id": owner, "node_id": nodes})
    titled = any(title not in ("", "na") for title in titles)
    return Sets(members, pa.table({"subgraph_id": names, "title": titles}) if titled else None)


def _check_unique(names: list[Any], path: Path) -> None:
    seen: set[str] = set()
    for name in map(str, names):
        if name in seen:
            raise DataError(f"the subgraph {name!r} is there twice; names are unique.", path=path)
        seen.add(name)


def write_table(table: Any, path: Path) -> None:
    """Write one table; the ending of the path tells how."""
    if suffix(path) in PARQUET:
        pq.write_table(table, path)
        return
    options = pacsv.WriteOptions(delimiter=DELIMITERS[suffix(path)], quoting_style="needed")
    pacsv.write_csv(table, path, options)


def write_jsonl(members: Any, labels: Any | None, path: Path) -> None:
    """The counterpart of :func:`read_jsonl`; members come grouped by subgraph."""
    rows: dict[Any, dict[str, Any]] = {}
    for row in members.to_pylist():
        entry = rows.setdefault(row["subgraph_id"], {"id": row["subgraph_id"], "nodes": []})
        entry["nodes"].append(row["node_id"])
        if "weight" in row:
            entry.setdefault("weights", []).append(row["weight"])
    for row in labels.to_pylist() if labels is not None else ():
        rows[row.pop("subgraph_id")].update({k: v for k, v in row.items() if v is not None})
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows.values())


def write_gmt(members: Any, titles: dict[Any, str], path: Path) -> None:
    """The counterpart of :func:`read_gmt`."""
    sets: dict[Any, list[str]] = {}
    for row in members.to_pylist():
        sets.setdefault(row["subgraph_id"], []).append(str(row["node_id"]))
    with path.open("w", encoding="utf-8") as file:
        for name, genes in sets.items():
            file.write("\t".join([str(name), titles.get(name) or "na", *genes]) + "\n")
