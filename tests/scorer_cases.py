"""Networks of every structure and convolution, and parts of a task as queries."""

from __future__ import annotations

import numpy as np

from sub2node.scoring import Query
from sub2node.scoring.answers import Answers


def part(task, name) -> Query:
    """The subgraphs of a part of a task as a query."""
    return Query.of(task.subgraphs.take(np.flatnonzero(task.split.mask(name))))


def close(found, wanted, tolerance=2e-5) -> None:
    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)


CASES = [
    ("separated", "gcn2", {}),
    ("connected", "gcn2", {}),
    ("connected", "sage", {}),
    *[("s2n+0", conv, {}) for conv in ("gcn", "gcn2", "gin", "sage", "gatv2", "fagcn")],
    ("s2n+0", "gin", {"weighted": False}),
    ("s2n+a", "gcn2", {"te": "shared_nodes", "readout": "degree-code"}),
    ("s2n+0", "gcn", {"te": "shortest_path", "max_distance": 1}),
    *[("s2n+a", conv, {}) for conv in ("gcn", "gcn2", "gin", "sage", "gatv2")],
    ("s2n+a", "gcn2", {"layers": 1, "skip": True, "batch_norm": True}),
    ("s2n+a", "gcn2", {"skip": True, "batch_norm": True, "outer.shared_weights": False}),
    ("s2n+0", "gcn", {"layers": 3}),
    ("s2n+0", "gcn2", {"layers": 0}),
    ("s2n+0", "gcn2", {"readout": "degree"}),
    ("s2n+a", "gcn2", {"readout": "degree-code"}),
    ("s2n+a", "gcn2", {"readout": "node-degree"}),
    ("s2n+a", "gin", {"readout": "volume"}),
    ("s2n+a", "gcn", {"readout": "max"}),
    ("s2n+0", "gin", {"readout": "learned", "width": 5, "hidden": 8}),
    ("s2n+0", "gcn2", {"features.subgraphs": "structure"}),
    ("separated", "gcn2", {"features.subgraphs": "wl"}),
    ("s2n+0", "gcn2", {"features.subgraphs": "border"}),
    ("s2n+a", "gcn2", {"features.encoding": "rwpe", "encoding_width": 8}),
    ("s2n+0", "gcn2", {"features.kind": "constant", "self_loops": False}),
    ("s2n+0", "torch_geometric.nn:TAGConv", {}),
    ("cos2n+a", "gcn2", {"coarsening.ratio": 0.5}),
]  # fmt: skip


_P = np.array([[0.9, 0.1, 0.7], [0.2, 0.4, 0.3]])
SEVERAL = Answers(
    names=("a", "b"),
    probabilities=_P,
    spread=_P / 10,
    known=np.array([1.0, 0.5]),
    unknown=((), ("z",)),
    predicted=np.array([[True, False, True], [False] * 3]),
    classes=("x;y", 'q"', "ü"),
    multilabel=True,
)
