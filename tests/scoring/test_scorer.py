"""Answers for new subgraphs: means over seeds, neighbours, surroundings, and ids as written."""

from __future__ import annotations

import numpy as np
import pytest
import torch

import sub2node as s2n
from scorer_cases import close, part
from scoring_tasks import small_task, trained
from sub2node.base.errors import ConfigError, DataError
from sub2node.scoring import Query
from sub2node.scoring.answers import answer_columns, answer_objects
from sub2node.scoring.restore import build_scorer
from sub2node.task import Graph, Subgraphs, SubgraphTask


def test_an_answer_does_not_depend_on_the_others_asked_with_it() -> None:
    task = small_task(seed=1)
    scorer = build_scorer(trained(task), task)
    asked = part(task, "test")
    order = np.random.default_rng(0).permutation(len(asked))
    whole = scorer.predict(asked).probabilities
    close(scorer.predict(asked.take(order)).probabilities, whole[order], 1e-6)
    close(scorer.predict(Query.join([asked, asked])).probabilities[len(asked) :], whole, 1e-6)
    joint = scorer.predict(asked, mode="joint").probabilities
    assert np.abs(joint - whole).max() > 1e-4  # the other mode does depend on them


def test_a_subgraph_without_links_and_no_subgraph_at_all() -> None:
    task = small_task()
    scorer = build_scorer(trained(task), task)
    lonely = scorer.ask([[49]])
    assert len(scorer.place(lonely).attachment.links.nodes) == 0
    assert np.isfinite(scorer.predict(lonely).probabilities).all()
    none = scorer.predict(scorer.ask([]))
    assert none.probabilities.shape == (0, 3)
    assert none.labels == []
    assert scorer.neighbors(scorer.ask([])) == []


@pytest.mark.parametrize("multilabel", [False, True])
def test_probabilities_are_means_over_seeds_and_the_spread_is_theirs(multilabel) -> None:
    task = small_task(multilabel=multilabel)
    scorer = build_scorer(trained(task, seeds=3), task)
    asked = part(task, "test")
    logits = torch.from_numpy(scorer.outputs(asked)[1]).double()
    each = torch.sigmoid(logits) if multilabel else torch.softmax(logits, -1)
    result = scorer.predict(asked)
    close(result.probabilities, each.mean(0).numpy(), 1e-12)
    close(result.spread, each.std(0).numpy(), 1e-12)
    if multilabel:
        assert result.labels == [[str(c) for c in np.flatnonzero(row > 0.5)]
                                for row in result.probabilities]  # fmt: skip
    else:
        assert result.labels == [str(c) for c in result.probabilities.argmax(1)]


def test_one_seed_has_no_spread() -> None:
    task = small_task()
    scorer = build_scorer(trained(task, structure="s2n+0", layers=0, seeds=1), task)
    answers = scorer.predict(part(task, "test"))
    assert np.isnan(answers.spread).all()
    assert not answers.has_spread
    assert set(answer_columns(answers)["spread"]) == {None}
    assert set(answer_objects(answers)[0]["spread"].values()) == {None}
    assert answer_objects(answers, columns=True)[0]["spread"] is None


def test_neighbors_are_nearest_by_cosine() -> None:
    task = small_task()
    scorer = build_scorer(trained(task), task)
    asked = part(task, "test")
    vectors = scorer.outputs(asked)[0]
    known = scorer.forward.known_vectors().numpy()
    each = [
        v @ k.T / np.linalg.norm(v, axis=1)[:, None] / np.linalg.norm(k, axis=1)
        for v, k in zip(vectors, known, strict=True)
    ]
    mean = np.mean(each, axis=0)
    for row, result in zip(mean, scorer.neighbors(asked, count=5), strict=True):
        assert [int(n.name) for n in result] == list(np.argsort(-row)[:5])
        close([n.similarity for n in result], np.sort(row)[::-1][:5], 1e-5)
        assert result[0].labels == (str(task.labels[int(result[0].name)]),)
    sets = task.subgraphs
    for number, result in enumerate(scorer.neighbors(asked, count=3)):
        own = set(asked.subgraphs.nodes[slice(*asked.subgraphs.ptr[number : number + 2])].tolist())
        for near in result:
            others = set(sets.nodes[slice(*sets.ptr[int(near.name) : int(near.name) + 2])].tolist())
            assert set(near.shared) == {scorer.index.name(node) for node in own & others}
            assert near.size == len(others)


def test_surroundings_are_the_graph_around() -> None:
    task = small_task()
    scorer = build_scorer(trained(task), task)
    asked = part(task, "test")
    matrix = scorer.known_subgraphs.outer.matrix.toarray()
    for number, result in enumerate(scorer.around(asked, most=12)):
        links = scorer.place(asked).attachment.links.part(number, number + 1)
        strength = dict(zip(map(str, links.nodes), links.weights.numpy(), strict=True))
        names = [n.name for n in result.nodes]
        assert len(names) == len(set(names)) <= 12
        near = [n for n in result.nodes if n.hop == 1]
        assert sorted((n.weight for n in near), reverse=True) == [n.weight for n in near]
        assert {n.name for n in near} <= set(strength)
        for a, b, weight in result.links:
            wanted = strength[names[b]] if a < 0 else matrix[int(names[a]), int(names[b])]
            assert weight == pytest.approx(wanted)


def test_node_ids_as_people_write_them() -> None:
    names = s2n.task.names.Names([f"gene {i}" for i in range(50)])
    task = small_task()
    graph = Graph(task.graph.indptr, task.graph.indices, names=names, titles=names,
                  loops=task.graph.loops)  # fmt: skip
    named = SubgraphTask(graph, task.subgraphs, task.labels, (), task.split)
    scorer = build_scorer(trained(named), named)
    asked = scorer.ask([["gene 3", "gene 4", "gene 3"], ["gene 7"]], names=["a", "b"])
    assert asked.names == ("a", "b")
    assert asked.subgraphs.nodes.tolist() == [3, 4, 7]
    with pytest.raises(DataError, match=r"'a' has nodes that are not in the graph: 'x', 'y'"):
        scorer.ask([["gene 3", "x", "y"]], names=["a"])
    some = scorer.ask([["gene 3", "x", "y"]], unknown_nodes="drop")
    assert some.known.tolist() == pytest.approx([1 / 3])
    assert some.unknown == (("x", "y"),)
    for bad, message in (
        ([[]], "is empty"),
        ([["x"]], "no node of subgraph"),
        (["gene 3"], "expected a list"),
        ([[1.5]], "text or a whole number"),
        ([[True]], "text or a whole number"),
    ):
        with pytest.raises(DataError, match=message):
            scorer.ask(bad, unknown_nodes="drop")
    with pytest.raises(ConfigError, match="error or drop"):
        scorer.ask([["gene 3"]], unknown_nodes="ignore-subgraph")
    result = scorer.find_nodes("GENE 4", count=3)
    assert result[0].id == "gene 4"
    assert all("gene 4" in node.id for node in result)
    assert scorer.find_nodes("  ") == []


def test_numbers_are_ids_where_nodes_have_no_names() -> None:
    task = small_task()
    scorer = build_scorer(trained(task), task)
    asked = scorer.ask([[3, "4"], [np.int64(5)]])
    assert asked.subgraphs.nodes.tolist() == [3, 4, 5]
    for bad in ([[-1]], [[50]], [["04"]], [["٣"]], [["9" * 30]]):
        with pytest.raises(DataError, match="not in the graph"):
            scorer.ask(bad)
    assert [node.id for node in scorer.find_nodes("12", count=2)] == ["12"]


def test_edges_and_weights_of_members_are_kept() -> None:
    task = small_task()
    rng = np.random.default_rng(0)
    _, pairs = task.subgraphs.induced_edges(task.graph)
    keep = rng.random(pairs.shape[1]) < 0.5
    counts = np.bincount(task.subgraphs.owner[pairs[0][keep]], minlength=len(task))
    given = task.subgraphs
    sets = Subgraphs(
        given.ptr, given.nodes, rng.random(len(given.nodes)) + 0.5,
        np.concatenate([[0], np.cumsum(counts)]), given.nodes[pairs[:, keep]].T,
    )  # fmt: skip
    own = SubgraphTask(task.graph, sets, task.labels, (), task.split)
    result = trained(own)
    scorer = build_scorer(result, own)
    asked = part(own, "val")
    close(scorer.outputs(asked, mode="joint")[1], result.outputs("val").logits)
    order = np.array([3, 3, 0])
    whole = scorer.outputs(asked)[1]
    close(scorer.outputs(asked.take(order))[1], whole[:, order])
    close(scorer.outputs(Query.join([asked.take([1]), asked]))[1][:, 1:], whole)
    with pytest.raises(DataError, match="some subgraphs have edges"):
        Query.join([asked, part(task, "val")])
