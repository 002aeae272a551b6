"""Tasks for PyTorch Geometric: each subgraph a graph of its own, in one dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.errors import MissingExtraError
from ..base.ragged import lengths, pointers, ranges
from ..task import SubgraphTask

if TYPE_CHECKING:
    from torch_geometric.data import InMemoryDataset


def to_pyg_dataset(task: SubgraphTask) -> InMemoryDataset:
    """A ``torch_geometric.data.InMemoryDataset`` with one ``Data`` per subgraph (extra ``pyg``).

    The graphs come in the order of the input. Each has ``subgraph_id`` (text), ``node_id``
    (positions in the global graph), ``edge_index`` between its own nodes (both directions), and
    where the task has such ``x``, ``edge_weight``, ``y`` ((1,) class number, or (1, C) of several
    labels), ``part`` (a number as in ``PARTS``), ``member_weight``, and ``excluded_id`` (positions
    of the nodes that are excluded from it) with ``excluded_weight``.

    Args:
        task: The task.
    """
    try:
        from torch_geometric.data import Data, InMemoryDataset
    except ImportError:
        raise MissingExtraError("torch-geometric", "pyg", "a PyG dataset") from None
    import torch

    graph, subgraphs, count = task.graph, task.input_subgraphs, len(task)
    edge_ptr, ends = subgraphs.internal_edges(graph)
    # Each edge in both directions, those of one subgraph together.
    sizes = lengths(edge_ptr, np.arange(count))
    once = ranges(np.repeat(edge_ptr[:-1], 2), np.repeat(sizes, 2))
    backward = np.repeat(np.tile([False, True], count), np.repeat(sizes, 2))
    source, target = np.where(backward, ends[::-1][:, once], ends[:, once])
    local = np.stack([source, target]) - subgraphs.ptr[subgraphs.owner[source]]
    by_edge, by_node, by_graph = pointers(2 * sizes), subgraphs.ptr, np.arange(count + 1)
    columns: dict[str, tuple[Any, Any]] = {
        "edge_index": (local.astype(np.int64), by_edge),
        "node_id": (subgraphs.nodes.astype(np.int64), by_node),
    }
    if graph.weights is not None:
        nodes = subgraphs.nodes
        columns["edge_weight"] = (graph.edge_weights(nodes[source], nodes[target]), by_edge)
    if graph.features is not None:
        columns["x"] = (graph.features[subgraphs.nodes], by_node)
    if subgraphs.weights is not None:
        columns["member_weight"] = (subgraphs.weights, by_node)
    if (absent := subgraphs.excluded) is not None:
        columns["excluded_id"] = (absent.nodes.astype(np.int64), absent.ptr)
        if absent.weights is not None:
            columns["excluded_weight"] = (absent.weights, absent.ptr)
    if task.labels is not None:
        columns["y"] = (task.in_input_order(task.labels), by_graph)
    if task.split is not None:
        parts = task.in_input_order(task.split.codes)
        columns["part"] = (parts.astype(np.int64), by_graph)
    tensors = {name: torch.tensor(np.ascontiguousarray(a)) for name, (a, _) in columns.items()}
    dataset = InMemoryDataset(None)
    dataset._data = Data(subgraph_id=[subgraphs.name_of(i) for i in range(count)], **tensors)
    dataset.slices = {name: torch.tensor(ptr) for name, (_, ptr) in columns.items()}
    dataset.slices["subgraph_id"] = torch.tensor(by_graph)
    return dataset
