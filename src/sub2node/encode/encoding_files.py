"""Tables of node vectors in files: those that we write, and those that users bring."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..base.errors import ConfigError, DataError, suggest
from ..base.files import new_file, require_writable, written
from ..base.ragged import Array, integers
from ..base.regular_files import require_regular_file
from ..base.structured_text import parse_json
from ..task import Graph, SubgraphTask
from .cache import edges_hash
from .encoding import Encoding

if TYPE_CHECKING:
    import pyarrow as pa

WRITTEN = (".parquet", ".npz", ".safetensors")
READ = (*WRITTEN, ".npy", ".pt", ".pth")
_NODE = "node"
_GRAPH, _TABLES, _CONTENT = "graph_hash", "tables", "sha256"


@dataclass(frozen=True, eq=False)
class _TableFile:
    """Tables of a file.

    Args:
        tables: Vectors by the name of the table, one row per node.
        nodes: Names or positions of the nodes, where the file has them.
        graph_hash: Hash of the graph they were made for, where the file has it.
    """

    tables: dict[str, Array]
    nodes: Array | list[str] | None = None
    graph_hash: str | None = None


def save_encodings(path: str | Path, graph: Graph, encodings: Sequence[Encoding]) -> None:
    """Write tables of the same nodes to one file, completely or not at all.

    Args:
        path: Ends in .parquet (a column ``node`` with names, then ``rwpe_1``, …), .npz or
            .safetensors (arrays ``nodes``, ``rwpe``, …).
        graph: The graph of the nodes; the hash of its edges is written too, and checked when read.
        encodings: Tables of the same nodes, at least one.
    """
    path = Path(path)
    check_output(path)
    if not encodings:
        raise ConfigError("there is nothing to write.")
    names = [encoding.name for encoding in encodings]
    if len(set(names)) < len(names) or {"nodes", "file", _NODE, _GRAPH} & set(names):
        raise ConfigError(f"tables need names of their own, found {', '.join(names)}.")
    nodes = encodings[0].nodes
    for other in encodings[1:]:
        if not np.array_equal(other.nodes, nodes):
            raise ConfigError(f"{other.name} has other nodes than {encodings[0].name}.")
    with written(path), new_file(path) as part:
        _write(part, graph, nodes, encodings)


def save_subgraphs(
    path: str | Path, task: SubgraphTask, *, name: str, columns: Sequence[str], values: Array
) -> None:
    """Write a table with one row per subgraph: a column ``subgraph`` and one of each name.

    Args:
        path: A .parquet, .npz or .safetensors file.
        task: The task; the file has its subgraphs in the order of its input.
        name: The name of the array in .npz and .safetensors; the ids are the array ``subgraph`` in
            .npz, and the entry ``subgraph`` of the metadata, as JSON, in .safetensors.
        columns: The name of each column.
        values: One row per row of the task, one column per name.
    """
    import pyarrow as pa
    from pyarrow import parquet

    path = Path(path)
    check_output(path)
    names = task.in_input_order(task.subgraph_ids).tolist()
    values = task.in_input_order(values)
    with written(path), new_file(path) as part:
        if path.suffix == ".parquet":
            numbers = dict(zip(columns, values.T, strict=True))
            parquet.write_table(pa.table({"subgraph": names, **numbers}), part)
        elif path.suffix == ".npz":
            np.savez(part, **{name: values, "subgraph": np.array(names)})  # type: ignore[arg-type]
        else:
            from safetensors.numpy import save_file

            metadata = {"subgraph": json.dumps(names)}
            save_file({name: np.ascontiguousarray(values)}, part, metadata)


def check_output(path: Path, *, overwrite: bool = True) -> None:
    """Raise unless a file can be written here."""
    if path.suffix not in WRITTEN:
        raise ConfigError(f"an output ends in {', '.join(WRITTEN)}, not {path.suffix!r}.")
    if path.is_dir():
        raise ConfigError(f"{path} is a folder, expected a file.")
    if path.exists() and not overwrite:
        raise ConfigError(f"{path} exists already; choose another place, or --overwrite it.")
    require_writable(path)


def load_encoding(path: str | Path, graph: Graph, table: str | None = None) -> Encoding:
    """Read vectors of this graph's nodes.

    Rows are matched by node where the file names nodes (a Parquet column ``node``, an array
    ``nodes``); otherwise there must be one row for each node, in their order. Pickled data is never
    loaded: .npy and .npz without objects, .pt and .pth as weights only.

    Args:
        path: A .parquet, .npy, .npz, .safetensors, .pt or .pth file.
        graph: The graph whose nodes the rows belong to.
        table: Name of the table, where the file has several.
    """
    path = Path(path)
    if path.suffix not in READ:
        raise ConfigError(f"features are read from {', '.join(READ)}, not {path.suffix!r}.")
    _check_size(path)
    file = _READERS[path.suffix](path)
    tables = file.tables
    if file.graph_hash is not None and file.graph_hash != edges_hash(graph):
        raise DataError("these vectors were made for another graph.", path=path)
    if not tables:
        raise DataError("there is no table of numbers in it.", path=path)
    if table is None and len(tables) > 1:
        raise ConfigError(
            f"{path} has several tables ({', '.join(tables)}); name one, as {path}:{min(tables)}."
        )
    if table is not None and table not in tables:
        raise ConfigError(f"{path} has no table {table!r}.{suggest(table, tables)}")
    name, values = next(iter(tables.items())) if table is None else (table, tables[table])
    return _check_table(path, graph, name=name, values=values, nodes=file.nodes)


def _check_size(path: Path) -> None:
    """Raise for what is no regular file, or expands to too much."""
    from ..io.expansion import check_archive, check_parquet

    size = require_regular_file(path)
    with _reading(path):
        if path.suffix == ".parquet":
            check_parquet(path, size, path=path)
        elif path.suffix == ".npz":
            check_archive(path, size)


def _check_table(
    path: Path, graph: Graph, *, name: str, values: Array, nodes: Array | list[str] | None
) -> Encoding:
    if values.ndim != 2 or not values.shape[1] or values.dtype.kind not in "fiub":
        raise DataError(f"{name!r} is no table of numbers, one row per node.", path=path)
    if nodes is None:
        if len(values) != graph.num_nodes:
            raise DataError(
                f"{len(values):,} rows, but the graph has {graph.num_nodes:,} nodes; a Parquet file"
                f" with a column {_NODE!r} may have fewer, and in any order.",
                path=path,
            )
        nodes = np.arange(graph.num_nodes)
    positions = _find_positions(path, graph, nodes)
    if len(positions) != len(values):
        raise DataError(f"{len(positions):,} nodes for {len(values):,} rows.", path=path)
    order = np.argsort(positions, kind="stable")
    positions = positions[order]
    twice = np.flatnonzero(np.diff(positions) == 0)
    if len(twice):
        raise DataError(
            f"node {_node_name(graph, int(positions[twice[0]]))} has two rows.", path=path
        )
    try:
        with np.errstate(over="ignore"):  # too large for float32: infinite, and refused as such
            facts = {"file": str(path)}
            return Encoding(name, positions, values[order].astype(np.float32), facts)
    except DataError as error:
        raise DataError(str(error), path=path) from None


def _node_name(graph: Graph, node: int) -> str:
    return str(node) if graph.names is None else repr(graph.names[node])


def _write(path: Path, graph: Graph, nodes: Array, encodings: Sequence[Encoding]) -> None:
    mark = edges_hash(graph)
    arrays = {encoding.name: np.array(encoding.values) for encoding in encodings}
    if path.suffix == ".npz":
        np.savez(path, nodes=nodes, **arrays, **{_GRAPH: np.array(mark)})  # type: ignore[arg-type]
    elif path.suffix == ".safetensors":
        from safetensors.numpy import save_file

        about = {_GRAPH: mark, _CONTENT: _hash_tables(nodes.tolist(), arrays)}
        save_file({"nodes": np.array(nodes), **arrays}, path, about)
    else:
        import pyarrow as pa
        from pyarrow import parquet

        names = nodes if graph.names is None else [graph.names[int(node)] for node in nodes]
        columns: dict[str, pa.Array] = {_NODE: pa.array(names)}
        tables: dict[str, list[str]] = {}
        for encoding in encodings:
            name, facts = encoding.name, encoding.facts
            titles = facts.get("column_names") or range(1, encoding.width + 1)
            tables[name] = [f"{name}_{title}" for title in titles]
            columns |= zip(tables[name], map(pa.array, encoding.values.T), strict=True)
        content = _hash_tables(columns[_NODE].to_pylist(), arrays)
        about = {_GRAPH: mark, _TABLES: json.dumps(tables), _CONTENT: content}
        parquet.write_table(pa.table(columns).replace_schema_metadata(about), path)


def _hash_tables(nodes: Sequence[int | str], tables: Mapping[str, Array]) -> str:
    """SHA-256 of the nodes and of the tables by name, as they are written."""
    state = hashlib.sha256("\n".join(map(str, nodes)).encode())
    for name in sorted(tables):
        values = np.ascontiguousarray(tables[name], dtype="<f4")
        state.update(f"\n{name} {values.shape}".encode())
        state.update(values.tobytes())
    return state.hexdigest()


def _check_content(
    path: Path, expected: str | None, nodes: Sequence[int | str], tables: Mapping[str, Array]
) -> None:
    """Raise where a file that we wrote has other numbers than it was written with."""
    if expected is not None and _hash_tables(nodes, tables) != expected:
        raise DataError("this file is damaged: its checksum differs; make it anew.", path=path)


def _find_positions(path: Path, graph: Graph, nodes: Array | list[str]) -> Array:
    """Positions of nodes: words are names, or numbers where the graph has none."""
    listed = np.asarray(nodes)
    if listed.ndim != 1:
        raise DataError("nodes are one list.", path=path)
    if graph.names is not None and listed.dtype.kind not in "iu":
        place = {name: position for position, name in enumerate(graph.names)}
        positions = np.array([place.get(str(name), -1) for name in nodes], np.int64)
        missing = positions < 0
    else:
        try:
            positions = integers(
                np.array([int(n) for n in nodes]) if listed.dtype.kind in "UO" else listed, "nodes"
            )
        except (DataError, TypeError, ValueError):
            raise DataError(
                "the nodes of the graph are numbers, those here are not.", path=path
            ) from None
        missing = (positions < 0) | (positions >= graph.num_nodes)
    if missing.any():
        stranger = nodes[int(np.argmax(missing))]
        named = repr(str(stranger)) if isinstance(stranger, str) else stranger
        raise DataError(f"node {named} is not in the graph.", path=path)
    return positions


def _read_parquet(path: Path) -> _TableFile:
    import pyarrow as pa
    from pyarrow import parquet

    with _reading(path):
        file_table = parquet.read_table(path)
        file_table.validate(full=True)  # Parquet does not promise that text is UTF-8
        about = {
            k.decode(): v.decode()
            for k, v in (file_table.schema.metadata or {}).items()
            if k != b"pandas"
        }
    numbers = {}
    for name in file_table.column_names:
        column, kind = file_table[name], file_table[name].type
        if name == _NODE:
            continue
        if pa.types.is_boolean(kind) or pa.types.is_decimal(kind):
            column, kind = column.cast(pa.float64()), pa.float64()
        if not (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
            continue  # a title or a note
        if column.null_count:
            row = column.is_null().index(True).as_py()
            raise DataError(f"column {name!r} is empty in row {row + 1}.", path=path)
        numbers[name] = column.to_numpy()
    with _reading(path):
        groups = parse_json(about.get(_TABLES, "null")) or {"features": list(numbers)}
        tables = {
            name: np.stack([numbers[column] for column in columns], axis=1)
            for name, columns in groups.items()
            if columns
        }
    nodes = None
    if _NODE in file_table.column_names:  # names, also where they are numbers
        nodes = [str(name) for name in file_table[_NODE].to_pylist()]
    _check_content(path, about.get(_CONTENT), nodes or [], tables)
    return _TableFile(tables, nodes, about.get(_GRAPH))


def _read_npy(path: Path) -> _TableFile:
    with _reading(path):
        array = np.load(path, allow_pickle=False)
        if not isinstance(array, np.ndarray):
            raise ValueError("an archive, expected one array")
    return _TableFile({"features": array})


def _read_npz(path: Path) -> _TableFile:
    with _reading(path), path.open("rb") as file:
        archive = np.load(file, allow_pickle=False)
        if isinstance(archive, np.ndarray):
            raise ValueError("one array, expected an archive")
        arrays = {name: archive[name] for name in archive.files}
    mark = arrays.pop(_GRAPH, None)
    nodes = arrays.pop("nodes", None)
    return _TableFile(arrays, nodes, None if mark is None else str(mark))


def _read_safetensors(path: Path) -> _TableFile:
    from safetensors import safe_open

    with _reading(path), safe_open(path, framework="numpy") as file:
        about = file.metadata() or {}
        arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    nodes = arrays.pop("nodes", None)
    listed = [] if nodes is None else nodes.ravel().tolist()
    _check_content(path, about.get(_CONTENT), listed, arrays)
    return _TableFile(arrays, nodes, about.get(_GRAPH))


def _read_torch(path: Path) -> _TableFile:
    import torch

    with _reading(path):
        content = torch.load(path, map_location="cpu", weights_only=True)
        tensors = {"features": content} if isinstance(content, torch.Tensor) else content
        if not isinstance(tensors, dict):
            raise DataError("expected a tensor, or a dict of tensors.", path=path)
        arrays = {
            str(name): value.detach().to_dense().numpy()
            if value.layout != torch.strided
            else (value.float() if value.is_floating_point() else value).detach().numpy()
            for name, value in tensors.items()
            if isinstance(value, torch.Tensor)
        }
    nodes = arrays.pop("nodes", None)
    return _TableFile({name: array for name, array in arrays.items() if array.ndim == 2}, nodes)


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Turn whatever error a reader of a foreign file raises into a DataError of one sentence."""
    try:
        yield
    except DataError:
        raise
    except Exception as error:
        reason = " ".join(str(error).split())[:120]
        raise DataError(
            f"this cannot be read as {path.suffix} without loading objects"
            f" ({type(error).__name__}: {reason}).",
            path=path,
        ) from None


_READERS = {
    ".parquet": _read_parquet,
    ".npy": _read_npy,
    ".npz": _read_npz,
    ".safetensors": _read_safetensors,
    ".pt": _read_torch,
    ".pth": _read_torch,
}
