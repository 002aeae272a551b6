"""Random sets of the same degrees: each as likely as every other, and counted exactly."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from scoring_tasks import with_own_edges
from sub2node.base.errors import ConfigError, DataError
from sub2node.base.progress import listen
from sub2node.scoring import Answers, Query
from sub2node.scoring.null_distribution import (
    DegreeBins,
    check_draws,
    compare_with_null,
    draw_like,
    null_p_values,
)
from sub2node.task import Graph, Subgraphs, SubgraphTask

DEGREES = np.array([1, 1, 1, 1, 1, 2, 2, 3, 3, 4])  # of at least 4: {1}, {2, 3, 4}


class SumScorer:
    """The probability of ``high`` is higher the larger the numbers of the nodes are."""

    classes, multilabel = ("high", "low"), False

    def __init__(self, graph: Graph) -> None:
        self.graph, self.sizes = graph, []

    def predict(self, query: Query) -> Answers:
        self.sizes.append(len(query))
        sets = query.subgraphs
        total = np.bincount(sets.owner, sets.nodes, minlength=len(sets))
        high = total / (1 + total)
        p = np.stack([high, 1 - high], axis=1)
        return Answers(query.names, p, p, query.known, query.unknown, p > 0.5, self.classes, False)


def star(leaves: int = 60) -> Graph:
    return Graph.from_edges(np.zeros(leaves, int), np.arange(1, leaves + 1))


@given(st.lists(st.integers(0, 9), min_size=1, max_size=60), st.integers(1, 20))
def test_bins(degrees: list[int], smallest: int) -> None:
    bins = DegreeBins.of(np.array(degrees), smallest=smallest)
    assert sorted(bins.order) == list(range(len(degrees)))
    assert (np.diff(bins.ptr) >= min(smallest, len(degrees))).all()
    for b in range(len(bins.ptr) - 1):
        nodes = bins.order[bins.ptr[b] : bins.ptr[b + 1]]
        assert (bins.bin_of[nodes] == b).all()
    ranked = sorted(zip(degrees, bins.bin_of, strict=True))
    assert [b for _, b in ranked] == sorted(bins.bin_of)  # higher degree, higher bin
    assert len(set(zip(degrees, bins.bin_of, strict=True))) == len(set(degrees))


@given(st.data())
def test_sets_have_the_bins_of_the_members_and_no_node_twice(data: st.DataObject) -> None:
    degrees = np.array(data.draw(st.lists(st.integers(0, 5), min_size=1, max_size=40)))
    bins = DegreeBins.of(degrees, smallest=data.draw(st.integers(1, 15)))
    nodes = data.draw(st.lists(st.integers(0, len(degrees) - 1), unique=True))
    sets = bins.draw(np.array(nodes, int), 20, np.random.default_rng(data.draw(st.integers(0, 99))))
    assert sets.shape == (20, len(nodes))
    assert (bins.bin_of[sets] == bins.bin_of[nodes]).all()
    assert all(len(set(row)) == len(nodes) for row in sets.tolist())


@pytest.mark.parametrize("nodes", [[0, 1, 5], [0, 5, 6, 7], [0, 1, 2, 3, 9], list(range(10))])
def test_every_set_is_equally_likely(nodes: list[int]) -> None:
    bins = DegreeBins.of(DEGREES, smallest=4)
    assert np.diff(bins.ptr).tolist() == [5, 5]
    low, high = ([n for n in range(10) if (DEGREES[n] > 1) == part] for part in (False, True))
    counts = [sum(n in part for n in nodes) for part in (low, high)]
    pairs = product(combinations(low, counts[0]), combinations(high, counts[1]))
    possible = [(*one, *other) for one, other in pairs]
    sets = bins.draw(np.array(nodes), 6000, np.random.default_rng(1))
    found = [tuple(row) for row in np.sort(sets, axis=1).tolist()]
    assert set(found) <= set(possible)
    times = [found.count(one) for one in possible]
    assert len(possible) == 1 or chisquare(times).pvalue > 0.001


def test_each_member_has_any_node_of_its_bin() -> None:
    sets = DegreeBins.of(DEGREES, smallest=4).draw(
        np.array([7, 0, 5]), 5000, np.random.default_rng(2)
    )
    for column in sets.T:
        assert chisquare(np.unique(column, return_counts=True)[1]).pvalue > 0.001


def test_weights_go_with_their_members() -> None:
    degrees = np.array([1, 3] * 5)  # bins in turn: the order of nodes is not that of members
    members = Subgraphs.from_pairs(np.zeros(2, int), np.array([0, 9]), 1, weights=np.array([2, 5]))
    sets = draw_like(members, DegreeBins.of(degrees, smallest=4), 50, np.random.default_rng(0))
    pairs = set(zip(degrees[sets.nodes].tolist(), sets.weights.tolist(), strict=True))
    assert pairs == {(1, 2.0), (3, 5.0)}


def test_p_values_by_counting() -> None:
    scorer = SumScorer(star())
    query = Query.of(Subgraphs.from_lists([[60], [1], [2, 59, 60]]))
    found = null_p_values(scorer, query, draws=40, seed=3)
    bins = DegreeBins.of(scorer.graph.degrees)
    assert len(bins.ptr) == 2  # the centre has no bin of its own
    for number, nodes in enumerate(([60], [1], [2, 59, 60])):
        sets = bins.draw(np.array(nodes), 40, np.random.default_rng([3, *nodes]))
        as_high = [sum(row) >= sum(nodes) for row in sets.tolist()]
        as_low = [sum(row) <= sum(nodes) for row in sets.tolist()]
        assert found[number, 0] == (1 + sum(as_high)) / 41
        assert found[number, 1] == (1 + sum(as_low)) / 41
    assert found[0, 0] < 0.1
    assert found[1, 0] > 0.9


def test_p_values_depend_on_the_seed_and_on_no_other_subgraph() -> None:
    scorer, lists = SumScorer(star()), [[20, 30], [5], [1, 2, 3]]
    together = null_p_values(scorer, Query.of(Subgraphs.from_lists(lists)), draws=30)
    alone = [
        null_p_values(scorer, Query.of(Subgraphs.from_lists([one])), draws=30) for one in lists
    ]
    assert together.tolist() == np.concatenate(alone).tolist()
    other = null_p_values(scorer, Query.of(Subgraphs.from_lists(lists)), draws=30, seed=1)
    assert together.tolist() != other.tolist()


def test_ties_count_although_rounding_differs() -> None:
    scorer, query = SumScorer(star()), Query.of(Subgraphs.from_lists([range(61)]))
    p = scorer.predict(query).probabilities + 1e-8  # all nodes: every random set is this one
    assert null_p_values(scorer, query, probabilities=p, draws=5).tolist() == [[1.0, 1.0]]


def test_large_sets_are_answered_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    from sub2node.scoring import null_distribution

    monkeypatch.setattr(null_distribution, "_MOST_MEMBERS", 100)
    scorer, reports = SumScorer(star()), []
    query = Query.of(Subgraphs.from_lists([range(40), [1]]))
    with listen(reports.append):
        null_p_values(scorer, query, draws=5)
    assert scorer.sizes == [2, 2, 2, 1, 5]
    assert [report.done for report in reports] == [0, 2, 4, 5, 10]
    assert {report.total for report in reports} == {10}
    assert reports[-1].finished


def test_answers_carry_them() -> None:
    scorer, query = SumScorer(star()), Query.of(Subgraphs.from_lists([[3, 4], [5]]))
    answers = scorer.predict(query)
    assert answers.null is None
    compared = compare_with_null(scorer, query, answers=answers, draws=9)
    assert compared.null.tolist() == null_p_values(scorer, query, draws=9).tolist()
    assert compared.part(range(1, 2), ["b"]).null.tolist() == compared.null[1:].tolist()
    assert null_p_values(scorer, Query.of(Subgraphs.from_lists([])), draws=9).shape == (0, 2)


def test_what_has_no_null_distribution() -> None:
    for draws, seed, message in ((0, 0, "found 0"), (5, -2, "a seed is 0 or more, found -2")):
        with pytest.raises(ConfigError, match=message):
            check_draws(draws, seed)
    graph = star()
    sets = with_own_edges(SubgraphTask(graph, Subgraphs.from_lists([[0, 1, 2]]))).subgraphs
    with pytest.raises(DataError, match="edges of their own; give their nodes only"):
        null_p_values(SumScorer(graph), Query.of(sets), draws=5)
