"""Data whose graph is too large to load: the tables that an engine reads, and those that we do."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from ..base.errors import ConfigError, DataError, suggest
from ..base.notes import unused
from ..base.plural import examples, plural
from ..io.elliptic2 import TRANSACTION, is_elliptic2, small_tables
from ..io.folder import find_sets, find_table
from ..task.column_names import column_in
from ..task.content_hash import digest
from ..task.reading_options import Reading
from .large_files import as_parquet, find_large, parquet_schema, unpacked_archive
from .remote_source import RemoteSource

_SMALL = ("labels", "subgraph_edges", "excluded", "aliases")
_RESERVED = {"edges": ("source", "target", "weight"), "nodes": ("node_id", "title")}
_ENDS = 1 << 20  # bytes at either end of a file that name its content


@dataclass(frozen=True)
class LargeTable:
    """A table that only an engine reads.

    Args:
        path: A Parquet file, or a folder of them.
        columns: Its column for each of ours that it has, as ``{"source": "clId1"}``.
        features: Its columns of numbers, which become features.
        width: How many numbers each has, where the one feature column has lists; None: one.
    """

    path: Path
    columns: Mapping[str, str]
    features: tuple[str, ...]
    width: int | None = None

    @property
    def num_features(self) -> int:
        """How many features there are."""
        return len(self.features) if self.width is None else self.width


@dataclass(frozen=True)
class SourceTables:
    """The tables of a task whose graph stays on disk.

    Args:
        edges: The edges.
        nodes: The nodes, where there is such a table.
        sets: The file of the members, which is read as usual; so are the next ones.
        small: Files of labels, subgraph_edges, excluded nodes and aliases.
        columns: The user's column for ours, for all files.
        name: What the task is called.
        notes: What is not as one may expect.
    """

    edges: LargeTable
    nodes: LargeTable | None
    sets: Path
    small: Mapping[str, Path]
    columns: Mapping[str, str]
    name: str
    notes: tuple[str, ...] = ()

    @property
    def node_features(self) -> int:
        """How many features nodes have."""
        return 0 if self.nodes is None else self.nodes.num_features


@dataclass
class SourceRequest:
    """What the user said about the data.

    Args:
        path: A folder of tables or of Elliptic2's files, or a zip archive of one; of data at an
            address, what they are called.
        columns: The user's column for ours.
        node_features: The columns of the nodes that become features; None: all with numbers.
        directed: Whether edges have a direction, and features of their own.
        remote: The data at an address.
    """

    path: Path
    columns: Mapping[str, str] = field(default_factory=dict)
    node_features: Sequence[str] | None = None
    directed: bool = False
    remote: RemoteSource | None = None

    @property
    def origin(self) -> str:
        """The address, or the whole path."""
        return str(self.path.resolve()) if self.remote is None else self.remote.shown

    def local(self, work: Path) -> SourceRequest:
        """The request for files on this machine, to which data at an address are fetched.

        Args:
            work: A folder to write into.
        """
        if self.remote is None:
            return self
        return replace(self, path=self.remote.fetch(work / "fetched"))

    def files_digest(self) -> str:
        """Names the files by their names, sizes, times and both ends.

        Reading all of them to name them would take as long as using them.
        """
        if self.remote is not None:
            return self.remote.files_digest()
        if not self.path.exists():
            raise DataError("there is no such file or folder.", path=self.path)
        files = [self.path]
        if self.path.is_dir():
            files = sorted(path for path in self.path.rglob("*") if path.is_file())
        parts = [
            f"{path.relative_to(self.path)} {path.stat().st_size} {path.stat().st_mtime_ns}"
            for path in files
        ]
        return digest("files on disk", *parts, *map(_ends_of, files))

    def fingerprint(self) -> str:
        """Names the data by their files and the request."""
        chosen = None if self.node_features is None else list(self.node_features)
        asked = json.dumps([sorted(self.columns.items()), chosen, self.directed])
        return digest("tables on disk", asked, self.files_digest())


def _ends_of(path: Path) -> str:
    with path.open("rb") as file:
        head = file.read(_ENDS)
        file.seek(max(path.stat().st_size - _ENDS, 0))
        return digest("ends", head.hex(), file.read(_ENDS).hex())


def find_source(request: SourceRequest, work: Path) -> SourceTables:
    """The tables of some data; those that are not Parquet are rewritten as such, piece by piece.

    Args:
        request: What the user said about the data.
        work: A folder to write into.
    """
    folder = request.path
    if folder.is_file():
        folder = unpacked_archive(folder, work, request.columns)
    if not folder.is_dir():
        raise ConfigError(
            f"{request.path} is no folder of tables; an engine reads edges, members and, if there"
            " are such, nodes and labels (s2n convert makes such a folder)."
        )
    name = request.path.name.removesuffix(".zip")
    if is_elliptic2(folder) or find_large(folder, "background_edges") is not None:
        return _find_elliptic2(folder, request, work, name)
    edges, sets = find_large(folder, "edges"), find_sets(folder)
    if edges is None or sets is None:
        lacking = "edges" if edges is None else "members"
        raise DataError(f"the folder has no {lacking} table ({lacking}.parquet, …).", path=folder)
    nodes = find_large(folder, "nodes")
    small = {what: path for what in _SMALL if (path := find_table(folder, what)) is not None}
    source = SourceTables(
        edges=_large(as_parquet(edges, work, "edges", request.columns), "edges", request),
        nodes=None
        if nodes is None
        else _large(as_parquet(nodes, work, "nodes", request.columns), "nodes", request),
        sets=sets,
        small=small,
        columns=request.columns,
        name=name,
    )
    return _with_notes(source, request)


def _find_elliptic2(folder: Path, request: SourceRequest, work: Path, name: str) -> SourceTables:
    if request.columns:
        raise ConfigError("the files of Elliptic2 have columns of their own; omit columns.")
    reading, notes = Reading(), list[str]()
    tables = small_tables(folder, reading, notes)
    reading.problems.raise_open()
    paths = {}
    for what, table in tables.items():
        paths[what] = work / f"{what}.parquet"
        pq.write_table(table, paths[what])
    own = {"edges.source": "clId1", "edges.target": "clId2", "nodes.node_id": "clId"}
    asked = replace(request, columns=own)
    files = {"edges": "background_edges", "nodes": "background_nodes"}
    large = {}
    for what, stem in files.items():
        path = find_large(folder, stem)
        if path is None:
            raise DataError(f"the folder has no {stem}.csv.", path=folder)
        large[what] = _large(as_parquet(path, work, what, own), what, asked)
    edges = large["edges"]
    features = tuple(name for name in edges.features if name != TRANSACTION)
    source = SourceTables(
        edges=replace(edges, features=features),
        nodes=large["nodes"],
        sets=paths.pop("members"),
        small=paths,
        columns=own,
        name=name,
        notes=tuple(notes),
    )
    return _with_notes(source, asked)


def _large(path: Path, what: str, request: SourceRequest) -> LargeTable:
    """A table and its columns."""
    schema = parquet_schema(path)
    columns = {}
    for ours in _RESERVED[what]:
        theirs = column_in(schema.names, ours, what, request.columns)
        if theirs is not None:
            columns[ours] = theirs
        elif ours not in ("weight", "title"):
            mapped = request.columns.get(f"{what}.{ours}", request.columns.get(ours, ours))
            raise DataError(
                f"no column '{mapped}' in the {what} table; columns found:"
                f" {', '.join(schema.names) or 'none'}. Map it: --column {what}.{ours}=….",
                path=path,
            )
    _check_id_types(schema, columns, path)
    others = [field for field in schema if field.name not in columns.values()]
    lists = [one for one in others if pa.types.is_fixed_size_list(one.type)]
    numbers = tuple(one.name for one in others if _is_number(one.type))
    if what == "nodes" and request.node_features is not None:
        chosen = tuple(dict.fromkeys(request.node_features))
        for name in chosen:
            if name not in numbers:
                raise ConfigError(
                    f"the table of nodes has no column of numbers {name!r}, which is to be a"
                    f" feature.{suggest(name, numbers)}"
                )
        return LargeTable(path, columns, chosen)
    if what == "nodes" and len(lists) == 1 and not numbers:
        return LargeTable(path, columns, (lists[0].name,), lists[0].type.list_size)
    if what == "edges" and not request.directed:
        numbers = ()
    return LargeTable(path, columns, numbers)


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _check_id_types(schema: pa.Schema, columns: Mapping[str, str], path: Path) -> None:
    for ours in ("source", "target", "node_id"):
        if ours not in columns:
            continue
        kind = schema.field(columns[ours]).type
        text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
        if not (text or pa.types.is_integer(kind)):
            raise DataError(
                f"'{columns[ours]}' has the type {kind}; ids are integers or text.", path=path
            )


def _with_notes(source: SourceTables, request: SourceRequest) -> SourceTables:
    """Say which columns nobody reads, and check that ids are of one type."""
    kinds, notes = dict[str, str](), list(source.notes)
    for what, table in (("edges", source.edges), ("nodes", source.nodes)):
        if table is None:
            continue
        schema = parquet_schema(table.path)
        used = {*table.columns.values(), *table.features}
        if others := [name for name in schema.names if name not in used]:
            few = examples([f"'{name}'" for name in others], len(others))
            notes.append(unused(f"{plural(len(others), 'column')} of {what} not used: {few}."))
        for ours in ("source", "target", "node_id"):
            if ours in table.columns:
                number = pa.types.is_integer(schema.field(table.columns[ours]).type)
                kinds["numbers" if number else "text"] = f"{what}.{ours}"
    if len(kinds) > 1:
        raise DataError(
            f"ids are numbers in {kinds['numbers']} but text in {kinds['text']}; make them alike.",
            path=request.path,
        )
    return replace(source, notes=tuple(notes))
