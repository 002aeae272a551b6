"""Tables of node vectors in files: those that we write, and those that users bring."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import ConfigError, DataError, suggest
from ..files import written
from ..ragged import Array
from ..task import Graph, SubgraphTask
from .cache import edges_hash
from .encoding import Encoding

WRITTEN = (".parquet", ".npz", ".safetensors")
READ = (*WRITTEN, ".npy", ".pt", ".pth")
_NODE = "node"
_GRAPH = "graph_hash"


def save_encodings(path: str | Path, graph: Graph, encodings: Sequence[Encoding]) -> None:
    """Write tables of the same nodes to one file, whole or not at all.

    Args:
        path: Ends in .parquet (a column ``node`` with names, then ``rwpe_1``, …), .npz or
            .safetensors (arrays ``nodes``, ``rwpe``, …).
        graph: Whose nodes; its edges' hash is written too, and checked when read.
        encodings: At least one.
    """
    path = Path(path)
    check_output(path)
    nodes = encodings[0].nodes
    for other in encodings[1:]:
        if not np.array_equal(other.nodes, nodes):
            raise ConfigError(f"{other.name} has other nodes than {encodings[0].name}.")
    with written(path), _whole(path) as part:
        _write(part, graph, nodes, encodings)


def save_subgraphs(
    path: str | Path, task: SubgraphTask, name: str, columns: Sequence[str], values: Array
) -> None:
    """Write a table with one row a subgraph: a column ``subgraph`` and one of each name."""
    import pyarrow as pa
    from pyarrow import parquet

    path = Path(path)
    check_output(path)
    names = [task.subgraphs.name_of(number) for number in range(len(task))]
    with written(path), _whole(path) as part:
        if path.suffix == ".parquet":
            numbers = dict(zip(columns, values.T, strict=True))
            parquet.write_table(pa.table({"subgraph": names, **numbers}), part)
        elif path.suffix == ".npz":
            np.savez(part, **{name: values})  # type: ignore[arg-type]
        else:
            from safetensors.numpy import save_file

            save_file({name: np.ascontiguousarray(values)}, part)


@contextmanager
def _whole(path: Path) -> Iterator[Path]:
    """A place to write to that takes its name when all is there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name[:80]}.") as folder:
        part = Path(folder) / f"new{path.suffix}"
        yield part
        part.replace(path)


def check_output(path: Path, *, overwrite: bool = True) -> None:
    """Raise unless a file can be written here."""
    if path.suffix not in WRITTEN:
        raise ConfigError(f"an output ends in {', '.join(WRITTEN)}, not {path.suffix!r}.")
    if path.is_dir():
        raise ConfigError(f"{path} is a folder, expected a file.")
    if path.exists() and not overwrite:
        raise ConfigError(f"{path} exists already; choose another place, or --overwrite it.")
    home = next(parent for parent in path.absolute().parents if parent.exists())
    if not home.is_dir() or not os.access(home, os.W_OK | os.X_OK):
        raise ConfigError(f"{path} cannot be written: {home} is no folder to write into.")


def load_encoding(path: str | Path, graph: Graph, table: str | None = None) -> Encoding:
    """Read vectors of this graph's nodes.

    Rows are matched by node where the file names nodes (a Parquet column ``node``, an array
    ``nodes``); otherwise there must be one row for each node, in their order. Pickled data is never
    loaded: .npy and .npz without objects, .pt and .pth as weights only.

    Args:
        path: A .parquet, .npy, .npz, .safetensors, .pt or .pth file.
        graph: The graph.
        table: Which one, where the file has several.
    """
    path = Path(path)
    if path.suffix not in READ:
        raise ConfigError(f"features are read from {', '.join(READ)}, not {path.suffix!r}.")
    if not path.is_file():
        raise DataError("there is no such file.", path=path)
    tables, nodes, made_for = _READERS[path.suffix](path, graph)
    if made_for is not None and made_for != edges_hash(graph):
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
    return _checked(path, graph, name, values, nodes)


def _checked(path: Path, graph: Graph, name: str, values: Array, nodes: Array | None) -> Encoding:
    if values.ndim != 2 or values.dtype.kind not in "fiub":
        raise DataError(f"{name!r} is no table of numbers, one row a node.", path=path)
    if nodes is None:
        if len(values) != graph.num_nodes:
            raise DataError(
                f"{len(values):,} rows, but the graph has {graph.num_nodes:,} nodes; a Parquet file"
                f" with a column {_NODE!r} may have fewer, and in any order.",
                path=path,
            )
        nodes = np.arange(graph.num_nodes)
    if len(nodes) != len(values):
        raise DataError(f"{len(nodes):,} nodes for {len(values):,} rows.", path=path)
    order = np.argsort(nodes, kind="stable")
    nodes = nodes[order]
    twice = np.flatnonzero(np.diff(nodes) == 0)
    if len(twice):
        raise DataError(f"node {_name(graph, int(nodes[twice[0]]))} has two rows.", path=path)
    if len(nodes) and (nodes[0] < 0 or nodes[-1] >= graph.num_nodes):
        raise DataError(f"node {nodes[-1]} is not in the graph.", path=path)
    try:
        return Encoding(name, nodes, values[order].astype(np.float32), {"file": str(path)})
    except DataError as error:
        raise DataError(str(error), path=path) from None


def _name(graph: Graph, node: int) -> str:
    return str(node) if graph.names is None else repr(graph.names[node])


def _write(path: Path, graph: Graph, nodes: Array, encodings: Sequence[Encoding]) -> None:
    mark = edges_hash(graph)
    arrays = {found.name: np.array(found.values) for found in encodings}
    if path.suffix == ".npz":
        np.savez(path, nodes=nodes, **arrays, **{_GRAPH: np.array(mark)})  # type: ignore[arg-type]
    elif path.suffix == ".safetensors":
        from safetensors.numpy import save_file

        save_file({"nodes": np.array(nodes), **arrays}, path, {_GRAPH: mark})
    else:
        import pyarrow as pa
        from pyarrow import parquet

        names = nodes if graph.names is None else [graph.names[int(node)] for node in nodes]
        columns: dict[str, Any] = {_NODE: pa.array(names)}
        for found in encodings:
            titles = found.facts.get("columns") or range(1, found.width + 1)
            for title, column in zip(titles, found.values.T, strict=True):
                columns[f"{found.name}_{title}"] = pa.array(column)
        whole = pa.table(columns).replace_schema_metadata({_GRAPH: mark})
        parquet.write_table(whole, path)


def _read_parquet(path: Path, graph: Graph) -> tuple[dict[str, Array], Array | None, str | None]:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        whole = parquet.read_table(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise _not_read(path, error) from None
    mark = (whole.schema.metadata or {}).get(_GRAPH.encode(), b"").decode() or None
    groups: dict[str, list[Array]] = {}
    for name in whole.column_names:
        column = whole[name]
        if name == _NODE or not (
            pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
        ):
            continue
        if column.null_count:
            row = column.is_null().index(True).as_py()
            raise DataError(f"column {name!r} is empty in row {row + 1}.", path=path)
        groups.setdefault(name.split("_")[0], []).append(column.to_numpy())
    tables = {name: np.stack(columns, axis=1) for name, columns in groups.items()}
    if len(tables) > 1 and mark is None:  # a table of the user's own is one table
        tables = {"features": np.concatenate(list(tables.values()), axis=1)}
    if _NODE not in whole.column_names:
        return tables, None, mark
    return tables, _positions(path, graph, whole[_NODE].to_pylist()), mark


def _positions(path: Path, graph: Graph, names: list[Any]) -> Array:
    """Positions of nodes by their names."""
    if graph.names is None:
        try:
            return np.array([int(name) for name in names], np.int64)
        except (TypeError, ValueError):
            raise DataError(
                "the nodes of the graph are numbers, those here are not.", path=path
            ) from None
    place = {name: position for position, name in enumerate(graph.names)}
    found = [place.get(str(name), -1) for name in names]
    if -1 in found:
        stranger = names[found.index(-1)]
        raise DataError(f"node {stranger!r} is not in the graph.", path=path)
    return np.array(found, np.int64)


def _read_npy(path: Path, graph: Graph) -> tuple[dict[str, Array], Array | None, str | None]:
    try:
        return {"features": np.load(path, allow_pickle=False)}, None, None
    except (ValueError, OSError, EOFError) as error:
        raise _not_read(path, error) from None


def _read_npz(path: Path, graph: Graph) -> tuple[dict[str, Array], Array | None, str | None]:
    import zipfile

    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except (ValueError, OSError, EOFError, zipfile.BadZipFile, AttributeError) as error:
        raise _not_read(path, error) from None
    mark = arrays.pop(_GRAPH, None)
    nodes = arrays.pop("nodes", None)
    return arrays, nodes, None if mark is None else str(mark)


def _read_safetensors(
    path: Path, graph: Graph
) -> tuple[dict[str, Array], Array | None, str | None]:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            mark = (file.metadata() or {}).get(_GRAPH)
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError, TypeError) as error:
        raise _not_read(path, error) from None
    return arrays, arrays.pop("nodes", None), mark


def _read_torch(path: Path, graph: Graph) -> tuple[dict[str, Array], Array | None, str | None]:
    import pickle

    import torch

    try:
        found = torch.load(path, map_location="cpu", weights_only=True)
    except (pickle.UnpicklingError, RuntimeError, OSError, EOFError, KeyError, ValueError) as error:
        raise DataError(
            f"this is no file of tensors alone ({type(error).__name__}); objects in it are not"
            " loaded. Save the tensor itself.",
            path=path,
        ) from None
    tensors = {"features": found} if isinstance(found, torch.Tensor) else found
    if not isinstance(tensors, dict):
        raise DataError("expected a tensor, or a dict of tensors.", path=path)
    tables = {
        str(name): value.detach().float().numpy()
        for name, value in tensors.items()
        if isinstance(value, torch.Tensor) and value.dim() == 2
    }
    return tables, None, None


def _not_read(path: Path, error: Exception) -> DataError:
    return DataError(f"this cannot be read ({type(error).__name__}: {error}).", path=path)


_READERS = {
    ".parquet": _read_parquet,
    ".npy": _read_npy,
    ".npz": _read_npz,
    ".safetensors": _read_safetensors,
    ".pt": _read_torch,
    ".pth": _read_torch,
}
