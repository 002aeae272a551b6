"""The S2N graph for others: a data frame of its edges, HTML, and PyG."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..base.data_frame import make_frame
from ..base.errors import MissingExtraError
from ..base.html_table import html_view
from ..base.plural import plural
from ..base.ragged import Array, owners
from ..task import PARTS

if TYPE_CHECKING:
    import pandas as pd
    from torch_geometric.data import Data

    from .s2n_graph import S2NGraph

_STRONGEST = 20  # edges that HTML lists
_MOST_ENTRIES = 10**7  # of a graph whose strongest edges are looked for


def graph_frame(graph: S2NGraph, *, diagonal: bool) -> pd.DataFrame:
    """One row per pair of joined subgraphs, by id; each direction by itself where they differ."""
    source, target, weight = _edges(graph, diagonal=diagonal)
    ids = np.array(graph.subgraph_ids, dtype=object)
    return make_frame({"source": ids[source], "target": ids[target], "weight": weight})


def graph_data(graph: S2NGraph, labels: Array | None) -> Data:
    """The graph with its weights, its parts and, where they are given, labels, for PyG."""
    try:
        from torch_geometric.data import Data
    except ImportError:
        raise MissingExtraError("torch-geometric", "pyg", "a PyG graph") from None
    import torch

    matrix = graph.weights.tocoo()
    data = Data(
        edge_index=torch.from_numpy(np.stack(matrix.coords).astype(np.int64)),
        edge_weight=torch.tensor(matrix.data),
        part=torch.tensor(graph.split.codes.astype(np.int64)),
        num_nodes=len(graph),
        subgraph_ids=graph.subgraph_ids,
    )
    if labels is not None:
        data.y = torch.tensor(labels)
    return data


def graph_html(graph: S2NGraph) -> str:
    """Sizes of the graph, how it was made, and its strongest edges."""
    settings, count, edges = graph.settings, len(graph), graph.num_edges
    ends = 2 if settings.symmetric else 1
    made = f"T_e {settings.te}, {'with' if settings.self_loops else 'without'} self-loops"
    if not settings.symmetric:
        made += f", direction {settings.direction}"
    scores = ""
    if graph.normalized:
        scores = f"normalised: 0 at a score of {settings.a:g}, 1 from"
        scores += f" {(settings.a or 0) + (settings.delta or 0):g}"
    rows: list[tuple[object, ...]] = []
    if graph.weights.nnz <= _MOST_ENTRIES:
        source, target, weight = _edges(graph, diagonal=False)
        best = np.argsort(-weight, kind="stable")[:_STRONGEST]
        rows = [(_id(graph, source[i]), _id(graph, target[i]), float(weight[i])) for i in best]
    caption = f"The strongest {len(rows)} of {plural(edges, 'edge')}." if len(rows) < edges else ""
    return html_view(
        "S2N graph",
        {
            "Nodes": f"{count:,}, one per subgraph",
            "Edges": f"{edges:,}, {ends * edges / max(count, 1):.1f} per node",
            "Stages": ", ".join(
                f"{part} sees {graph.split.visible(part):,}"
                for part in PARTS
                if part != "virtual" and graph.split.count(part)
            ),
            "Translation": made,
            "Weights": scores or "raw",
        },
        columns=["source", "target", "weight"] if rows else (),
        rows=rows,
        caption=caption if rows else "",
    )


def _id(graph: S2NGraph, node: int) -> str:
    return str(node) if graph.names is None else graph.names[int(node)]


def _edges(graph: S2NGraph, *, diagonal: bool) -> tuple[Array, Array, Array]:
    """Rows, columns and weights of one half of the matrix, or of all where it is not symmetric."""
    weights = graph.weights
    row, column = owners(weights.indptr.astype(np.int64)), weights.indices
    chosen = column > row if graph.settings.symmetric else column != row
    half = np.flatnonzero(chosen | (column == row) if diagonal else chosen)
    return row[half], column[half], weights.data[half]
