"""A task for people and other libraries: its labels by name, a data frame, HTML, PyG."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..base.data_frame import make_frame
from ..base.errors import DataError, MissingExtraError
from ..base.html_table import MAX_ROWS, html_view
from ..base.plural import plural
from ..base.ragged import Array, pointers
from .split import PARTS

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    from torch_geometric.data import Data

    from .task import SubgraphTask


def labels_of_input(task: SubgraphTask) -> Array:
    """The labels as answers have them; see :attr:`SubgraphTask.input_labels`."""
    if task.labels is None:
        raise DataError("the task has no labels to compare with.")
    labels = task.in_input_order(task.labels)
    return labels.astype(np.int64) if task.multilabel else np.array([*task.class_names, ""])[labels]


def lists_of_labels(task: SubgraphTask) -> pa.ListArray:
    """The class names of each row; see :meth:`SubgraphTask.label_lists`."""
    import pyarrow as pa

    labels = task.labels
    if labels is None:
        raise DataError("the task has no labels.")
    one_hot = labels if task.multilabel else labels[:, None] == range(task.num_classes)
    rows, classes = np.nonzero(one_hot)
    ptr = pointers(np.bincount(rows, minlength=len(task)))
    names = pa.array(task.class_names, pa.string()).take(pa.array(classes))
    return pa.ListArray.from_arrays(ptr.astype(np.int32), names)


def task_frame(task: SubgraphTask) -> pd.DataFrame:
    """One row per subgraph, in the order of the input."""
    return make_frame(_columns(task, task.input_order))


def task_html(task: SubgraphTask) -> str:
    """Sizes of the task and its first subgraphs."""
    columns = _columns(task, task.input_order[:MAX_ROWS])
    graph, parts = task.graph, []
    if task.split is not None:
        parts = [f"{task.split.count(p):,} {p}" for p in PARTS if task.split.count(p)]
    kind = "labels, several per subgraph" if task.multilabel else "classes"
    features = "" if graph.features is None else f", {graph.features.shape[1]} features per node"
    return html_view(
        f"Subgraph task {task.name}".rstrip(),
        {
            "Graph": f"{plural(graph.num_nodes, 'node')}, {plural(graph.num_edges, 'edge')}"
            f"{features}",
            "Subgraphs": f"{len(task):,}, of {_size_range(task.subgraphs.sizes)}",
            "Labels": "none" if task.labels is None else f"{task.num_classes} {kind}",
            "Split": ", ".join(parts) if parts else "none",
            "Notes": " ".join(task.notes),
        },
        columns=list(columns),
        rows=zip(*columns.values(), strict=True),
        count=len(task),
    )


def task_data(task: SubgraphTask) -> Data:
    """The task as PyG has graphs; see :meth:`SubgraphTask.to_pyg`."""
    try:
        from torch_geometric.data import Data
    except ImportError:
        raise MissingExtraError("torch-geometric", "pyg", "a PyG graph") from None
    import torch

    matrix = task.graph.adjacency(loops=True).tocoo()
    data = Data(
        edge_index=torch.from_numpy(np.stack(matrix.coords).astype(np.int64)),
        num_nodes=task.graph.num_nodes,
        membership_index=torch.from_numpy(
            np.stack([task.subgraphs.owner, task.subgraphs.nodes.astype(np.int64)])
        ),
        num_subgraphs=len(task),
        subgraph_ids=task.subgraph_ids,
    )
    if (absent := task.excluded) is not None:
        data.excluded_index = torch.tensor(np.stack([absent.owner, absent.nodes]))
    if task.graph.weights is not None:
        data.edge_weight = torch.from_numpy(matrix.data)
    if task.graph.features is not None:
        data.x = torch.tensor(task.graph.features)
    if task.labels is not None:
        data.y = torch.tensor(task.labels)
    if task.split is not None:
        data.part = torch.tensor(task.split.codes.astype(np.int64))
    return data


def _size_range(sizes: Array) -> str:
    if not len(sizes):
        return "no nodes"
    low, high = int(sizes.min()), int(sizes.max())
    return plural(low, "node") if low == high else f"{low:,} to {high:,} nodes"


def _columns(task: SubgraphTask, rows: Array) -> dict[str, list[object]]:
    """Id, label, split, size, title and attributes of some rows; those that the task has."""
    subgraphs, columns = task.subgraphs, dict[str, list[object]]()
    columns["subgraph_id"] = [subgraphs.name_of(int(row)) for row in rows]
    if task.labels is not None:
        columns["label"] = [_label(task, int(row)) for row in rows]
    if task.split is not None:
        columns["split"] = [PARTS[task.split.codes[row]] for row in rows]
    columns["size"] = subgraphs.sizes[rows].tolist()
    if subgraphs.excluded is not None:
        columns["excluded"] = subgraphs.excluded.sizes[rows].tolist()
    if subgraphs.titles is not None:
        columns["title"] = list(subgraphs.titles.take(rows))
    for name, values in task.attributes.items():
        columns[f"{name} (attribute)" if name in columns else name] = list(values.take(rows))
    return columns


def _label(task: SubgraphTask, row: int) -> str | list[str] | None:
    """The class of a subgraph, the list of its classes, or None for a virtual one."""
    assert task.labels is not None
    if task.multilabel:
        return [task.class_names[number] for number in np.flatnonzero(task.labels[row])]
    return task.class_names[task.labels[row]] if task.labels[row] >= 0 else None
