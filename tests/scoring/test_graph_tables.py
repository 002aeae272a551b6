"""The graph of a model comes back from its files."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from scoring_tasks import named, small_task
from sub2node.base.errors import DataError
from sub2node.scoring.graph_tables import encode_graph, read_graph_files
from sub2node.task import Arcs, Graph


@dataclass
class Files:
    files: dict[str, bytes]

    def has(self, name: str) -> bool:
        return name in self.files

    def table(self, name: str) -> pa.Table:
        return pq.read_table(pa.BufferReader(self.files[name]))


def directed(weighted: bool, featured: bool) -> Graph:
    rng = np.random.default_rng(0)
    arcs = Arcs(
        *rng.integers(0, 9, (2, 30)),
        weights=rng.random(30) + 0.1 if weighted else None,
        features=rng.normal(size=(30, 2)) if featured else None,
        feature_names=("low", "amount") if featured else (),
    )
    return Graph.from_arcs(arcs, num_nodes=11, features=rng.normal(size=(11, 3)))


@pytest.mark.parametrize("kind", ["plain", "weighted", "named", "arcs", "weighted arcs"])
def test_a_graph_comes_back(kind: str) -> None:
    if "arcs" in kind:
        graph = directed("weighted" in kind, featured="weighted" in kind)
    else:
        task = small_task(weighted=kind == "weighted", features=True)
        graph = (named(task) if kind == "named" else task).graph
    arrays = {"graph.loops": graph.loops, "graph.features": graph.features}
    if graph.loop_weights is not None:
        arrays["graph.loop_weights"] = graph.loop_weights
    files = encode_graph(graph)
    assert next(iter(files)) == ("arcs.parquet" if "arcs" in kind else "edges.parquet")
    assert read_graph_files(graph.num_nodes, arrays, Files(files)) == graph


def test_a_number_of_nodes_that_makes_no_sense_is_refused() -> None:
    graph = directed(weighted=False, featured=False)
    with pytest.raises(DataError, match="with only 30 edges"):
        read_graph_files(10**9, {}, Files(encode_graph(graph)))
