from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from strategies import graphs, node_sets
from sub2node import load_task, run
from sub2node.base.errors import ConfigError
from sub2node.datasets import EllipticShape, make_elliptic_like
from sub2node.encode import border
from sub2node.task import Arcs, Border, Graph, Split, Subgraphs, SubgraphTask


@st.composite
def bordered(draw):
    """A graph with or without arcs, and subgraphs of it."""
    graph = draw(graphs(edges=1))
    if draw(st.booleans()):
        size = graph.num_nodes
        node = st.integers(0, size - 1)
        ends = np.array(draw(st.lists(st.tuples(node, node), min_size=1, max_size=20)))
        count = len(ends)
        numbers = np.arange(count * 2, dtype=np.float32).reshape(count, 2) ** 1.5 - 9
        featured, weighted = draw(st.booleans()), draw(st.booleans())
        arcs = Arcs(
            ends[:, 0],
            ends[:, 1],
            weights=np.arange(1, count + 1) / 2 if weighted else None,
            features=numbers if featured else None,
            feature_names=("amount", "time") if featured else (),
        )
        graph = Graph.from_arcs(arcs, num_nodes=size, features=graph.features)
    return graph, Subgraphs.from_lists(draw(node_sets(graph.num_nodes)))


def plain_incidences(graph, direction):
    """(member, neighbour, values of the edge) of all edges, one by one."""
    if direction == "any":
        low, high, weights = graph.edges()
        for place, (a, b) in enumerate(zip(low.tolist(), high.tolist(), strict=True)):
            of_edge = [] if weights is None else [float(weights[place])]
            yield a, b, of_edge
            yield b, a, of_edge
        return
    arcs = graph.arcs
    for row in range(len(arcs)):
        ends = int(arcs.source[row]), int(arcs.target[row])
        of_edge = [] if arcs.features is None else arcs.features[row].tolist()
        of_edge += [] if arcs.weights is None else [float(arcs.weights[row])]
        if ends[0] != ends[1]:
            yield *(ends if direction == "out" else ends[::-1]), of_edge


def plain_border(graph, subgraphs, hops):
    """The definition, word by word."""
    features = np.zeros((graph.num_nodes, 0)) if graph.features is None else graph.features
    rows = []
    directions = ("any",) if graph.arcs is None else ("out", "in")
    for place in range(len(subgraphs)):
        members = set(subgraphs.nodes[subgraphs.ptr[place] : subgraphs.ptr[place + 1]].tolist())
        row = []
        for direction in directions:
            edges = list(plain_incidences(graph, direction))
            for inside in (False, True):
                values = []
                for member, neighbour, of_edge in edges:
                    if member in members and (neighbour in members) == inside:
                        own = features[neighbour].tolist()
                        if hops == 2 and graph.features is not None:
                            behind = [features[far] for near, far, _ in edges if near == neighbour]
                            around = np.mean(behind, axis=0) if behind else 0 * features[0]
                            own += np.asarray(around).tolist()
                        values.append(own + of_edge)
                row.append(len(values))
                for x in np.transpose(values) if values else []:
                    row += [x.sum(), x.mean(), x.min(), x.max(), x.std()]
                if not values:
                    row += [0.0] * (len(rows_names(graph, hops)) * 5)
        rows.append(row)
    return np.array(rows)


def rows_names(graph, hops):
    arcs, weights = graph.arcs, graph.weights
    names = [] if graph.features is None else [f"x{i}" for i in range(graph.features.shape[1])]
    names += [f"next.{name}" for name in names] if hops == 2 else []
    if arcs is not None:
        names, weights = names + [f"edge.{name}" for name in arcs.feature_names], arcs.weights
    return names + ([] if weights is None else ["edge.weight"])


@given(bordered(), st.sampled_from([1, 2]), st.sampled_from([1, 3, 1000]))
def test_the_border_is_as_defined_however_it_is_cut(drawn, hops, incidences):
    graph, sets = drawn
    width = 64 + 24 * len(rows_names(graph, hops))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(border, "_SCRATCH", incidences * width)
        made = border.border_of(graph, sets, hops=hops)

    expected = plain_border(graph, sets, hops)
    np.testing.assert_allclose(made.values, expected, rtol=1e-5, atol=1e-4)
    directions = ("any",) if graph.arcs is None else ("out", "in")
    assert made.columns == tuple(
        f"{direction}.{side}.{name}"
        for direction in directions
        for side in ("outside", "inside")
        for name in (
            "count",
            *(
                f"{value}.{how}"
                for value in rows_names(graph, hops)
                for how in ("sum", "mean", "min", "max", "sd")
            ),
        )
    )


def test_a_border_that_was_made_before_is_taken_as_it_is():
    plain = Graph.from_edges([0, 1], [1, 2])
    graph = Graph.from_edges([0, 1], [1, 2], features=[[1], [2], [3]])
    sets = Subgraphs.from_lists([[0], [1, 2]])
    stored = Border(("any.outside.count", "any.inside.count"), [[7, 7], [8, 8]])
    task = SubgraphTask(graph, sets)

    made = border.border_inputs(replace(task, graph=plain))
    assert made.values.tolist() == [[1, 0], [1, 2]]
    task = replace(task, subgraphs=replace(sets, border=stored))
    assert border.border_inputs(task) is stored
    with pytest.raises(ConfigError, match="one hop"):
        border.border_inputs(task, hops=2)
    assert border.border_inputs(replace(task, graph=plain), hops=2) is stored
    columns = ("any.outside.next.x0.mean", "any.outside.edge.a.next.b.sum")
    two = Border(columns, [[1, 3], [2, 4]])
    task = replace(task, subgraphs=replace(sets, border=two))
    assert border.border_inputs(task, hops=2) is two
    one = border.border_inputs(task)
    assert (one.columns, one.values.tolist()) == (columns[1:], [[3], [4]])


def test_nothing_around_and_no_subgraphs():
    graph = Graph.from_edges([0], [1], num_nodes=3, features=[[1], [2], [3]])
    alone = border.border_of(graph, Subgraphs.from_lists([[2]]))
    assert not alone.values.any()
    assert border.border_of(graph, Subgraphs.from_lists([])).values.shape == (0, 12)


def test_other_numbers_of_hops_are_refused():
    with pytest.raises(ConfigError, match="1 or 2 hops, not 3"):
        border.border_of(Graph.from_edges([0], [1]), Subgraphs.from_lists([[0]]), hops=3)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "border", "plain"),
    [
        (
            {"model": "gbdt"},
            {"inputs": "border", "rate": 0.2, "leaves": 7, "trees": 20},
            {"inputs": "statistics", "rate": 0.2, "leaves": 7, "trees": 20},
        ),
        (
            {"structure": "s2n+0", "preset": "fast"},
            {"features.subgraphs": "border", "features.kind": "given", "epochs": 60},
            {"features.kind": "given", "epochs": 60},
        ),
    ],
)
def test_classes_that_only_the_border_tells_apart_are_told_by_it(
    model, border, plain, tmp_path: Path
) -> None:
    make_elliptic_like(tmp_path / "tables", shape=EllipticShape(9_001, 30_000, 900))
    task = load_task(tmp_path / "tables", directed=True)
    task = task.with_split(Split.random(task.labels, fractions=(0.5, 0.1, 0.4), seed=0))
    truth, areas = task.labels[task.split.mask("test")], []
    for settings in (border, plain):
        logits = run(task, seeds=1, settings=settings, **model).outputs["test"].logits[0]
        areas.append(average_precision_score(truth, logits[:, 1] - logits[:, 0]))
    assert areas[0] > 0.95
    assert areas[1] < 0.3  # 8 of 360 are suspicious
