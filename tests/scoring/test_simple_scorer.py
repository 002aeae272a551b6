"""Simple models answer for new subgraphs; a linear one's reasons add up exactly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from scoring_tasks import named, small_task, with_excluded
from sub2node import SubgraphClassifier
from sub2node.base.calibration import probabilities
from sub2node.base.errors import ConfigError, NotFiniteError
from sub2node.baselines import SIMPLE, TrainingData
from sub2node.evaluate.protocol import labels_of
from sub2node.scoring import Query
from sub2node.scoring.simple_scorer import SimpleScorer
from sub2node.task import SubgraphTask

TREES = {
    "statistics": {"trees": 4},
    "gbdt": {"trees": 3, "inputs": "both", "rate": 0.1, "leaves": 7},
}
LINEAR = ("hops", "bag", "diffused-bag", "majority", "wl")


def scorer_of(name: str, *, multilabel: bool = False, **options: Any) -> SimpleScorer:
    """What a simple model learned from a small task."""
    task = named(small_task(multilabel=multilabel, weighted=True))
    labels: Any = {part: labels_of(task, part) for part in ("train", "val")}
    seeds, changes = options.pop("seeds", [1, 2]), options.pop("settings", {})
    data = TrainingData(task, labels, seeds, "cpu")
    settings = SIMPLE[name].settings().with_settings({**TREES.get(name, {}), **changes})
    classifier = SIMPLE[name].fit(data, settings).classifier
    assert classifier is not None
    used = tuple(seeds[: len(classifier.empty_logits)])
    return SimpleScorer(name, data.train_task, classifier, used, **options)


def asked() -> Query:
    task = small_task(weighted=True)
    return Query.of(task.subgraphs.take(np.flatnonzero(task.split.mask("test"))))


@pytest.mark.slow
@pytest.mark.parametrize("multilabel", [False, True])
@pytest.mark.parametrize("name", LINEAR)
def test_reasons_of_a_linear_model_add_up_exactly(name, multilabel) -> None:
    scorer = scorer_of(name, multilabel=multilabel, temperature=0.2)
    answers = scorer.predict(asked())
    for label in scorer.classes:
        column = scorer.classes.index(label)
        for number, one in enumerate(scorer.explain(asked(), label=label)):
            total = one.baseline + sum(part.value for part in one.members)
            assert total == pytest.approx(one.probability, abs=1e-6)
            assert one.gap == pytest.approx(0, abs=1e-6)
            assert one.probability == pytest.approx(answers.probabilities[number, column])
            assert len(one.members) == asked().subgraphs.sizes[number]
            assert (one.neighbors, one.statistics, one.joins) == ((), None, False)
            sizes = [abs(part.value) for part in one.members]
            assert sizes == sorted(sizes, reverse=True)


@pytest.mark.parametrize("name", ["bag", "hops", "diffused-bag"])
def test_excluded_nodes_of_a_linear_model_are_reasons_too(name) -> None:
    task = with_excluded(small_task())
    model = SubgraphClassifier(model=name, seeds=1).fit(task)
    scorer, query = model.scorer_, Query.of(task.subgraphs.take(np.arange(52, 60)))
    assert scorer.reads_excluded
    for number, one in enumerate(scorer.explain(query)):
        total = one.baseline + sum(part.value for part in one.members)
        assert total == pytest.approx(one.probability, abs=1e-6)
        kinds = [part.excluded for part in one.members]
        assert kinds.count(True) == query.subgraphs.excluded.sizes[number]
        assert kinds.count(False) == query.subgraphs.sizes[number]
    frame = scorer.explain(query.take([0]))[0].to_frame()
    assert set(frame["kind"]) == {"baseline", "member", "excluded", "rounding"}
    rows = scorer.classifier.vectors(task)
    assert np.sqrt(rows.multiply(rows).sum(axis=1)) == pytest.approx(1)


@pytest.mark.parametrize("multilabel", [False, True])
def test_reasons_are_the_gradient_along_the_line_by_many_small_steps(multilabel) -> None:
    scorer = scorer_of("hops", multilabel=multilabel, temperature=0.3)
    query = asked().take([1])
    task = SubgraphTask(scorer.graph, query.subgraphs)
    shares, start = scorer.classifier.member_logits(task), scorer.classifier.empty_logits[0]
    expected, steps = np.zeros(len(shares)), 20_000
    path = start + (np.arange(steps) + 0.5)[:, None] / steps * shares.sum(axis=0)
    for c in range(3):
        unit = 1e-6 * np.eye(3)[c]
        ends = [
            probabilities(path + side * unit, scorer.temperature, multilabel=multilabel)[:, 2]
            for side in (1, -1)
        ]
        expected += shares[:, c] * ((ends[0] - ends[1]) / 2e-6).mean()
    (one,) = scorer.explain(query, label=scorer.classes[2])
    nodes = [scorer.index.name(int(node)) for node in query.subgraphs.nodes]
    values = {part.id: part.value for part in one.members}
    assert [values[node] for node in nodes] == pytest.approx(expected, abs=1e-6)
    assert {part.title for part in one.members} <= {f"Gene № {i}" for i in range(7)}


@pytest.mark.parametrize("multilabel", [False, True])
@pytest.mark.parametrize("name", list(TREES))
def test_trees_put_all_into_statistics(name, multilabel) -> None:
    scorer = scorer_of(name, multilabel=multilabel)
    one = scorer.explain(asked())[0]
    assert (one.members, one.neighbors, one.gap) == ((), (), 0.0)
    assert one.baseline + one.statistics == pytest.approx(one.probability)
    assert one.probability == pytest.approx(scorer.predict(asked()).probabilities[0].max())
    assert scorer.similarities(scorer.place(asked())) is None
    assert scorer.neighbors(asked()) == [[]] * 8


@pytest.mark.parametrize("multilabel", [False, True])
def test_the_border_is_a_reason_of_its_own(multilabel) -> None:
    linear = scorer_of("hops", multilabel=multilabel, settings={"inputs": "border"})
    trees = scorer_of("gbdt", multilabel=multilabel, settings={"inputs": "border"})
    for scorer, count in ((linear, 2), (trees, 0)):
        one = scorer.explain(asked().take([0]))[0]
        total = one.baseline + one.border + sum(part.value for part in one.members)
        assert total == pytest.approx(one.probability, abs=1e-6)
        assert one.statistics is None
        assert one.border != 0
        assert len(one.members) == (asked().subgraphs.sizes[0] if count else 0)
        assert list(one.to_frame()["kind"][-2:]) == ["border", "rounding"]


@pytest.mark.parametrize("name", ["bag", "hops", "wl"])
def test_similarities_are_cosines(name) -> None:
    scorer = scorer_of(name)
    bag, known = scorer.classifier.bag, scorer.known_task
    rows = bag.rows(SubgraphTask(scorer.graph, asked().subgraphs)).toarray()
    others = bag.rows(known).toarray()
    lengths = np.linalg.norm(rows, axis=1)[:, None] * np.linalg.norm(others, axis=1)
    cosines = rows @ others.T / lengths
    assert scorer.similarities(scorer.place(asked())) == pytest.approx(cosines, abs=1e-9)
    for row, nearest in zip(cosines, scorer.neighbors(asked(), count=3), strict=True):
        assert [one.similarity for one in nearest] == pytest.approx(np.sort(row)[::-1][:3])
        assert nearest[0].name == known.subgraphs.name_of(int(row.argmax()))


@pytest.mark.parametrize("multilabel", [False, True])
def test_answers_are_calibrated_means_over_seeds(multilabel) -> None:
    scorer = scorer_of("statistics", multilabel=multilabel, temperature=2.0, seeds=[1, 2, 3])
    logits = scorer.logits(asked())
    assert logits.shape == (3, 8, 3)
    each = probabilities(logits, 2.0, multilabel=multilabel)
    for answers in (scorer.predict(asked()), scorer.answers(asked(), logits)):
        assert answers.probabilities == pytest.approx(each.mean(axis=0))
        assert answers.spread == pytest.approx(each.std(axis=0, ddof=1))


def test_a_query_stays_as_it_is_in_either_mode() -> None:
    scorer = scorer_of("hops")
    placed = scorer.place(asked(), mode="joint")
    assert placed.joint
    assert len(placed) == 8
    joint = scorer.predict(placed, mode="joint").probabilities
    assert np.array_equal(joint, scorer.predict(asked()).probabilities)
    with pytest.raises(ConfigError, match="independent or joint"):
        scorer.place(asked(), mode="both")  # type: ignore[arg-type]


def test_a_simple_model_has_a_name_and_no_vectors_and_no_surroundings() -> None:
    scorer = scorer_of("hops")
    assert (scorer.structure, scorer.conv, scorer.title) == ("hops", "", "hops")
    assert scorer.vector_names == []
    with pytest.raises(ConfigError, match=r"hops has no vectors of subgraphs; networks have\.$"):
        scorer.vectors(asked())
    assert [one.nodes for one in scorer.around(asked())] == [()] * 8
    assert scorer.with_card({"a": 1}).card == {"a": 1}
    assert scorer.replica_weights.tolist() == [1.0]
    scorer.check_answers()


def test_answers_that_are_not_finite_are_refused() -> None:
    scorer = scorer_of("bag")
    scorer.classifier.biases[0] = np.nan
    with pytest.raises(NotFiniteError, match="no finite answer for the subgraph"):
        scorer.predict(asked())
