"""Answers for new subgraphs against the network's own stages, whole graphs and themselves."""

import numpy as np
import pytest
import torch

import sub2node as s2n
from scoring_tasks import small_task, trained
from sub2node.base.errors import ConfigError, DataError
from sub2node.scoring import Query
from sub2node.scoring.answers import answer_columns, answer_objects
from sub2node.scoring.forward import ForwardPass
from sub2node.scoring.restore import build_scorer
from sub2node.task import Graph, Subgraphs, SubgraphTask


def part(task, name) -> Query:
    return Query.of(task.subgraphs.take(np.flatnonzero(task.split.mask(name))))


def close(found, wanted, tolerance=2e-5) -> None:
    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)


CASES = [
    ("separated", "gcn2", {}),
    ("connected", "gcn2", {}),
    ("connected", "sage", {}),
    *[("s2n+0", conv, {}) for conv in ("gcn", "gcn2", "gin", "sage", "gatv2")],
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
    ("s2n+a", "gcn2", {"features.encoding": "rwpe", "encoding_width": 8}),
    ("s2n+0", "gcn2", {"features.kind": "constant", "self_loops": False}),
    ("s2n+0", "torch_geometric.nn:TAGConv", {}),
    ("cos2n+a", "gcn2", {"coarsening.ratio": 0.5}),
]  # fmt: skip


@pytest.mark.parametrize(("structure", "conv", "settings"), CASES)
@pytest.mark.parametrize("weighted", [False, True])
def test_joint_answers_are_those_of_the_stage_and_independent_ones_those_of_one_alone(
    structure, conv, settings, weighted
) -> None:
    task = small_task(weighted=weighted)
    found = trained(task, structure=structure, conv=conv, **settings)
    scorer = build_scorer(found, task)
    asked = part(task, "val")
    stage = found.outputs("val")
    vectors, logits = scorer.outputs(asked, mode="joint")
    close(logits, stage.logits)
    close(vectors, stage.vectors)
    alone = [scorer.outputs(asked.take([i]), mode="joint")[1] for i in range(len(asked))]
    close(scorer.outputs(asked)[1], np.concatenate(alone, axis=1))


@pytest.mark.parametrize("conv", ["gcn", "gcn2", "gin", "sage"])
@pytest.mark.parametrize("layers", [1, 2])
def test_neighbourhoods_give_what_whole_graphs_give(conv, layers, monkeypatch) -> None:
    task = small_task(seed=3)
    scorer = build_scorer(trained(task, conv=conv, layers=layers), task)
    asked = part(task, "test")
    fast = scorer.outputs(asked)
    assert scorer.forward.by_rings
    monkeypatch.setattr(ForwardPass, "by_rings", False)
    again = rebuild_scorer(scorer)
    for here, there in zip(fast, again.outputs(asked), strict=True):
        close(here, there)


def rebuild_scorer(scorer):
    """The same networks without what was remembered."""
    return type(scorer)(scorer.known_subgraphs, scorer.network, scorer.seeds)


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


def test_many_are_cut_into_pieces_without_a_change(monkeypatch) -> None:
    from sub2node.scoring import forward

    task = small_task(seed=2)
    for conv in ("gcn2", "gatv2"):
        scorer = build_scorer(trained(task, conv=conv), task)
        asked = part(task, "test")
        whole = scorer.predict(asked).probabilities
        monkeypatch.setattr(forward, "_ROWS", 3)
        close(scorer.predict(asked).probabilities, whole, 1e-6)


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
    found = scorer.predict(asked)
    close(found.probabilities, each.mean(0).numpy(), 1e-12)
    close(found.spread, each.std(0).numpy(), 1e-12)
    if multilabel:
        assert found.labels == [[str(c) for c in np.flatnonzero(row > 0.5)]
                                for row in found.probabilities]  # fmt: skip
    else:
        assert found.labels == [str(c) for c in found.probabilities.argmax(1)]


def test_one_seed_has_no_spread() -> None:
    task = small_task()
    scorer = build_scorer(trained(task, structure="s2n+0", layers=0, seeds=1), task)
    answers = scorer.predict(part(task, "test"))
    assert np.isnan(answers.spread).all()
    assert not answers.has_spread
    assert set(answer_columns(answers)["spread"]) == {None}
    assert set(answer_objects(answers)[0]["spread"].values()) == {None}
    assert answer_objects(answers, columns=True)[0]["spread"] is None


@pytest.mark.parametrize(("structure", "conv", "settings"), CASES)
def test_contributions_add_up_to_the_probability(structure, conv, settings) -> None:
    task = small_task(seed=4)
    scorer = build_scorer(trained(task, structure=structure, conv=conv, **settings), task)
    asked = part(task, "test").take([0, 3])
    said = scorer.predict(asked)
    for number, found in enumerate(scorer.explain(asked)):
        best = said.probabilities[number].argmax()
        assert found.label == task.class_names[best]
        assert found.probability == pytest.approx(said.probabilities[number, best], abs=1e-5)
        parts = [c.value for c in (*found.members, *found.neighbors)] + [found.statistics or 0.0]
        total = found.baseline + sum(parts)
        assert total + found.gap == pytest.approx(found.probability, abs=1e-6)
        assert abs(found.gap) < 2e-3
        assert len(found.members) == asked.subgraphs.sizes[number]
        assert (found.statistics is not None) == ("features.subgraphs" in settings)


def test_contributions_are_the_same_each_time_and_tell_members_apart() -> None:
    task = small_task(seed=5)
    scorer = build_scorer(trained(task, epochs=40), task)
    asked = part(task, "test").take([1])
    one, two = scorer.explain(asked)[0], scorer.explain(asked)[0]
    assert one == two
    assert len({round(c.value, 9) for c in one.members}) == len(one.members)
    other = scorer.explain(asked, label="2")[0]
    assert other.label == "2"
    with pytest.raises(ConfigError, match="no class 'x'"):
        scorer.explain(asked, label="x")


def test_a_linear_model_is_explained_by_its_terms() -> None:
    """One replica, no layers: the log-odds are linear in the members' vectors."""
    task = small_task(multilabel=True)
    scorer = build_scorer(trained(task, structure="s2n+0", layers=0, seeds=1), task)
    asked = part(task, "test").take([2])
    found = scorer.explain(asked, label="1")[0]
    head, table = scorer.network.head, scorer.network.table()[0]
    nodes = asked.subgraphs.nodes
    terms = (table[torch.from_numpy(nodes.astype(np.int64))] @ head.weight[0])[:, 1].detach()
    terms = terms.double().numpy()
    values = {c.id: c.value for c in found.members}
    mine = np.array([values[str(node)] for node in nodes])
    close(mine / np.abs(mine).sum(), terms / np.abs(terms).sum(), 1e-4)


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
    for row, found in zip(mean, scorer.neighbors(asked, count=5), strict=True):
        assert [int(n.name) for n in found] == list(np.argsort(-row)[:5])
        close([n.similarity for n in found], np.sort(row)[::-1][:5], 1e-5)
        assert found[0].labels == (str(task.labels[int(found[0].name)]),)


def test_surroundings_are_the_graph_around() -> None:
    task = small_task()
    scorer = build_scorer(trained(task), task)
    asked = part(task, "test")
    matrix = scorer.known_subgraphs.outer.matrix.toarray()
    for number, found in enumerate(scorer.around(asked, most=12)):
        links = scorer.place(asked).attachment.links.part(number, number + 1)
        strength = dict(zip(map(str, links.nodes), links.weights.numpy(), strict=True))
        names = [n.name for n in found.nodes]
        assert len(names) == len(set(names)) <= 12
        near = [n for n in found.nodes if n.hop == 1]
        assert sorted((n.weight for n in near), reverse=True) == [n.weight for n in near]
        assert {n.name for n in near} <= set(strength)
        for a, b, weight in found.links:
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
    found = scorer.find_nodes("GENE 4", count=3)
    assert found[0].id == "gene 4"
    assert all("gene 4" in node.id for node in found)
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
    found = trained(own)
    scorer = build_scorer(found, own)
    asked = part(own, "val")
    close(scorer.outputs(asked, mode="joint")[1], found.outputs("val").logits)
    order = np.array([3, 3, 0])
    whole = scorer.outputs(asked)[1]
    close(scorer.outputs(asked.take(order))[1], whole[:, order])
    close(scorer.outputs(Query.join([asked.take([1]), asked]))[1][:, 1:], whole)
    with pytest.raises(DataError, match="some subgraphs have edges"):
        Query.join([asked, part(task, "val")])
