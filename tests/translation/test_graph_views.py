"""An S2N graph in a notebook."""

from __future__ import annotations

import numpy as np
import pytest

import sub2node as s2n
from directed_tasks import directed_task
from report_runs import NASTY, small_task


def test_a_frame_has_each_edge_once_by_id() -> None:
    task = small_task(12)
    graph = s2n.translate(task)
    frame = graph.to_frame()
    assert list(frame) == ["source", "target", "weight"]
    assert len(frame) == graph.num_edges
    row = {name: number for number, name in enumerate(task.subgraph_ids)}
    dense = np.zeros((12, 12))
    for source, target, weight in frame.itertuples(index=False):
        assert row[source] < row[target]
        dense[row[source], row[target]] = weight
    assert np.array_equal(dense, np.triu(graph.weights.toarray(), 1))
    loops = graph.to_frame(diagonal=True)
    assert len(loops) == graph.num_edges + np.count_nonzero(graph.weights.diagonal())


def test_a_frame_has_both_directions_where_they_differ() -> None:
    task = directed_task()
    graph = s2n.translate(task, direction="out")
    frame, dense = graph.to_frame(diagonal=True), np.zeros((40, 40))
    for source, target, weight in frame.itertuples(index=False):
        dense[int(source), int(target)] = weight
    assert np.array_equal(dense, graph.weights.toarray())
    assert len(graph.to_frame()) == graph.num_edges
    page = graph._repr_html_()
    assert "direction out" in page
    assert f"{graph.num_edges:,}, {graph.num_edges / 40:.1f} per node" in page


def test_html_and_repr_are_short_and_safe() -> None:
    task = small_task(40, names=[f"{NASTY} {number}" for number in range(40)])
    graph = s2n.translate(task)
    page = graph._repr_html_()
    assert "<script" not in page
    assert f"The strongest 20 of {graph.num_edges:,} edges." in page
    assert "train sees 20, val sees 30, test sees 40" in page
    strongest = graph.to_frame()["weight"].max()
    assert f">{int(strongest)}</td>" in page
    assert "normalised: 0 at a score of 1, 1 from 3" in graph.normalize(1.0, 2.0)._repr_html_()
    assert len(repr(graph).splitlines()) == 1


def test_a_graph_without_names_or_edges() -> None:
    task = s2n.SubgraphTask(s2n.Graph.from_edges([0], [1], num_nodes=4),
                            s2n.Subgraphs.from_lists([[0], [3]]))  # fmt: skip
    graph = s2n.translate(task)
    assert graph.subgraph_ids == ["0", "1"]
    assert graph.to_frame().empty
    assert "strongest" not in graph._repr_html_()


def test_pyg_has_the_weights_parts_and_labels() -> None:
    pytest.importorskip("torch_geometric")
    task = small_task(12)
    graph = s2n.translate(task)
    data = graph.to_pyg(task)
    assert data.validate()
    dense = np.zeros((12, 12))
    dense[tuple(data.edge_index.numpy())] = data.edge_weight.numpy()
    assert np.array_equal(dense, graph.weights.toarray())
    assert data.part.tolist() == task.split.codes.tolist()
    assert data.y.tolist() == task.labels.tolist()
    assert data.subgraph_ids == task.subgraph_ids
    assert graph.to_pyg().y is None
    with pytest.raises(s2n.ConfigError, match="another task"):
        graph.to_pyg(small_task(13))
