"""Graphs of other libraries, in and out: NetworkX, igraph, SciPy, PyG. None of them is imported."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import scipy.sparse as sp

from ..base.errors import DataError, MissingExtraError
from ..base.notes import changed
from ..base.plural import plural
from ..task import Graph, Names, SubgraphTask
from ..task.assemble import assemble
from ..task.reading_options import Reading, ReadingOptions, UnknownNodes, Unlabelled

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import igraph
    import networkx
    from torch import Tensor
    from torch_geometric.data import Data

    from ..base.ragged import Array
    from ..task.edges import Repeated


def as_graph(graph: Any, *, repeated: Repeated = "same") -> Graph:
    """A graph of another library as ours. Direction is dropped: an edge either way is an edge.

    Node labels that are not 0, 1, 2, … become names; an edge attribute ``weight`` that every edge
    has becomes the weight. Integer labels are put in ascending order, others keep theirs.

    Args:
        graph: A NetworkX graph, an igraph graph, a square SciPy sparse matrix or array, a PyG
            ``Data`` with ``edge_index``, or one of ours.
        repeated: What an edge that is given again means, as in :meth:`Graph.from_edges`.
    """
    if isinstance(graph, Graph):
        return graph
    if sp.issparse(graph):
        return _from_scipy(graph, repeated)
    if hasattr(graph, "edge_index"):
        return _from_pyg(graph, repeated)
    if hasattr(graph, "get_edgelist"):
        return _from_igraph(graph, repeated)
    if hasattr(graph, "nodes") and hasattr(graph, "edges") and hasattr(graph, "adj"):
        return _from_networkx(graph, repeated)
    raise DataError(
        f"cannot make a graph from {type(graph).__name__}; expected NetworkX, igraph, SciPy sparse,"
        " PyG Data, or tables."
    )


def direction_notes(graph: Any) -> tuple[str, ...]:
    """The sentence that directions of edges are ignored, where the graph object has directions."""
    if isinstance(graph, Graph):
        return ()
    if sp.issparse(graph):
        one_way = (graph != graph.T).nnz > 0
    else:
        is_directed = getattr(graph, "is_directed", None)
        one_way = callable(is_directed) and bool(is_directed())
    note = "The graph is directed; directions are ignored, and an edge either way is an edge."
    return (changed(note),) if one_way else ()


def task_from_graph(
    graph: Any,
    subgraphs: Mapping[Any, Sequence[Any]] | Sequence[Sequence[Any]],
    labels: Mapping[Any, Any] | Sequence[Any] | None = None,
    split: Mapping[Any, str] | Sequence[str] | None = None,
    *,
    unknown_nodes: UnknownNodes = "error",
    repeated: Repeated = "same",
    unlabelled: Unlabelled = "keep",
    name: str = "",
) -> SubgraphTask:
    """A task from a graph object and lists of node ids, as the graph names its nodes.

    Args:
        graph: Anything that :func:`as_graph` takes.
        subgraphs: Lists of node ids, or a mapping from a subgraph's name to its list.
        labels: A class, or a list of classes, for each subgraph: in the same order, or by name.
        split: train, val or test for each subgraph: in the same order, or by name.
        unknown_nodes: What to do about members that the graph does not have, as in
            :meth:`SubgraphTask.from_tables`.
        repeated: What an edge that is given again means, as in :meth:`Graph.from_edges`.
        unlabelled: What to do about subgraphs whose label is None, as in
            :meth:`SubgraphTask.from_tables`.
        name: What to call the data in outputs.
    """
    if isinstance(subgraphs, Mapping):
        keys, lists = list(subgraphs), [list(nodes) for nodes in subgraphs.values()]
    else:
        lists = [list(nodes) for nodes in subgraphs]
        keys = list(range(len(lists)))
    if len({str(key) for key in keys}) != len(keys):
        raise DataError("two subgraphs have the same name once it is text.")
    ids = _id_array(keys)
    empty = next((key for key, nodes in zip(keys, lists, strict=True) if not nodes), None)
    if empty is not None:
        raise DataError(f"subgraph {empty!r} is empty; it needs a node.")
    owner = np.repeat(np.arange(len(keys)), [len(nodes) for nodes in lists])
    members = {
        "subgraph_id": ids.take(pa.array(owner)),
        "node_id": _id_array([node for nodes in lists for node in nodes]),
    }
    columns = {"subgraph_id": ids}
    if labels is not None:
        columns["label"] = _label_array(_per_subgraph(labels, keys, "label"))
    if split is not None:
        columns["split"] = pa.array([str(w) for w in _per_subgraph(split, keys, "split")])
    # A label that is missing is None or NaN here.
    options = ReadingOptions(
        unknown_nodes, repeated, na_labels="keep", label_case="keep", unlabelled=unlabelled
    )
    return assemble(
        as_graph(graph, repeated=repeated),
        members,
        columns if len(columns) > 1 else None,
        reading=Reading(options),
        name=name,
        notes=direction_notes(graph),
    )


def _per_subgraph(values: Any, keys: list[Any], what: str) -> list[Any]:
    if isinstance(values, Mapping):
        lost = next((key for key in keys if key not in values), None)
        if lost is not None:
            raise DataError(f"the {what} of subgraph {lost!r} is missing.")
        return [values[key] for key in keys]
    if len(values) != len(keys):
        raise DataError(f"{plural(len(keys), 'subgraph')} but {plural(len(values), what)}.")
    return list(values)


def _label_array(values: list[Any]) -> pa.Array:
    """One class per subgraph, or one list of classes; None and NaN are missing."""
    if any(isinstance(v, np.ndarray) and v.ndim for v in values):
        raise DataError("labels are classes or lists of classes; for a 0/1 table list the classes.")
    if any(isinstance(v, list | tuple | set) for v in values):
        rows = [v if isinstance(v, list | tuple | set) else [v] for v in values]
        return pa.array([[_class_text(x) for x in row] for row in rows], pa.list_(pa.string()))
    return pa.array([_class_text(v) for v in values], pa.string())


def _class_text(value: object) -> str | None:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return None
    if isinstance(value, float | np.floating) and float(value).is_integer():
        return str(int(value))
    return str(value)


def _id_array(values: Iterable[Any]) -> pa.Array:
    """Node or subgraph ids as integers if all are, else as text."""
    values = list(values)
    are_integers = all(isinstance(v, int | np.integer) and not isinstance(v, bool) for v in values)
    if are_integers and all(abs(int(v)) < 2**63 for v in values):
        return pa.array([int(v) for v in values], pa.int64())
    return pa.array([str(v) for v in values], pa.string())


def _from_scipy(matrix: sp.sparray, repeated: Repeated) -> Graph:
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise DataError(f"an adjacency matrix is square, found shape {matrix.shape}.")
    coo = matrix.tocoo()
    keep = coo.data != 0
    weights = coo.data[keep]
    source, target = (ends[keep].astype(np.int64) for ends in coo.coords)
    plain = weights.dtype == bool or bool((weights == 1).all())
    return Graph.from_edges(
        source,
        target,
        num_nodes=matrix.shape[0],
        weights=None if plain else weights,
        repeated=repeated,
    )


def _from_pyg(data: Data, repeated: Repeated) -> Graph:
    def array(value: Tensor) -> Array:
        return value.detach().cpu().numpy()

    if data.edge_index is None or data.edge_index.ndim != 2 or data.edge_index.shape[0] != 2:
        raise DataError("a PyG Data needs an edge_index of shape (2, E).")
    source, target = array(data.edge_index)
    weight = getattr(data, "edge_weight", None)
    features = getattr(data, "x", None)
    return Graph.from_edges(
        source,
        target,
        num_nodes=data.num_nodes,
        weights=None if weight is None else array(weight).ravel(),
        features=None if features is None else array(features),
        repeated=repeated,
    )


def _from_igraph(graph: igraph.Graph, repeated: Repeated) -> Graph:
    ends = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    named = "name" in graph.vs.attributes()
    return Graph.from_edges(
        ends[:, 0],
        ends[:, 1],
        num_nodes=graph.vcount(),
        weights=graph.es["weight"] if "weight" in graph.es.attributes() else None,
        names=Names(map(str, graph.vs["name"])) if named else None,
        repeated=repeated,
    )


def _from_networkx(graph: networkx.Graph, repeated: Repeated) -> Graph:
    nodes = list(graph.nodes)
    if all(isinstance(node, int | np.integer) for node in nodes):
        nodes.sort()
    names = Names(map(str, nodes))
    place = {node: position for position, node in enumerate(nodes)}
    table = [(place[u], place[v], w) for u, v, w in graph.edges(data="weight")]
    weights = [w for _, _, w in table]
    missing = sum(w is None for w in weights)
    if 0 < missing < len(weights):
        raise DataError(
            f"{missing:,} of {len(weights):,} edges have no 'weight'; give all or none."
        )
    ends = np.array([(u, v) for u, v, _ in table], dtype=np.int64).reshape(-1, 2)
    return Graph.from_edges(
        ends[:, 0],
        ends[:, 1],
        num_nodes=len(nodes),
        weights=None if missing or not weights else np.array(weights),
        names=names,
        repeated=repeated,
    )


def to_networkx(graph: Graph) -> networkx.Graph:
    """Our graph as a NetworkX graph, nodes by name."""
    try:
        import networkx
    except ImportError:
        raise MissingExtraError("networkx", "baselines", "a NetworkX graph") from None
    result = networkx.Graph()
    names = range(graph.num_nodes) if graph.names is None else list(graph.names)
    result.add_nodes_from(names)
    result.add_edges_from(_named_edges(graph, names))
    return result


def to_igraph(graph: Graph) -> igraph.Graph:
    """Our graph as an igraph graph; the name is the vertex attribute ``name``."""
    try:
        import igraph
    except ImportError:
        raise MissingExtraError("igraph", "dev", "an igraph graph") from None
    edges = list(_named_edges(graph, range(graph.num_nodes)))
    result = igraph.Graph(n=graph.num_nodes, edges=[edge[:2] for edge in edges])
    if graph.weights is not None:
        result.es["weight"] = [edge[2]["weight"] for edge in edges]
    if graph.names is not None:
        result.vs["name"] = list(graph.names)
    return result


def _named_edges(
    graph: Graph, names: Sequence[int | str]
) -> Iterator[tuple[int | str, int | str, dict[str, float]]]:
    low, high, weights = graph.edges()
    source = np.concatenate([low, graph.loops]).tolist()
    target = np.concatenate([high, graph.loops]).tolist()
    if weights is None or graph.loop_weights is None:
        return ((names[u], names[v], {}) for u, v in zip(source, target, strict=True))
    values = np.concatenate([weights, graph.loop_weights]).tolist()
    return (
        (names[u], names[v], {"weight": w}) for u, v, w in zip(source, target, values, strict=True)
    )
