"""What a case report shows: columns add up, and similar subgraphs share what they say."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from scoring_tasks import model, named, small_task
from sub2node import SubgraphClassifier
from sub2node.evaluate.positive_class import PositiveClass
from sub2node.report.html.case_findings import collect_cases
from sub2node.report.html.case_page import render_cases
from sub2node.scoring import Scorer
from sub2node.scoring.positive_alerts import PositiveAlerts

TASK = named(small_task())
SETS = [["g1", "g2", "g3"], ["g4", "g1"]]


@pytest.fixture(scope="module")
def bag() -> Scorer:
    return SubgraphClassifier(model="bag").fit(TASK).scorer_


@pytest.fixture(scope="module")
def network() -> Scorer:
    return model(TASK).scorer_


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["bag", "network"])
def test_every_column_adds_up_to_its_probability(kind: str, request) -> None:
    scorer = request.getfixturevalue(kind)
    query = scorer.ask([*SETS, ["g5", "nowhere"]], names=["a", "b", "c"], unknown_nodes="drop")
    answers = scorer.predict(query)
    cases = collect_cases(scorer, query)
    assert [case.name for case in cases] == ["a", "b", "c"]
    for number, case in enumerate(cases):
        reasons = case.reasons
        rows = (*reasons.members, *reasons.others)
        sums = np.sum([row.values for row in rows], axis=0) + reasons.baseline
        np.testing.assert_allclose(sums, reasons.total, atol=1e-3)
        asked = dict(zip(answers.classes, answers.probabilities[number], strict=True))
        assert {one.name: one.probability for one in case.ranking} == pytest.approx(asked)
        ranked = sorted(asked, key=lambda name: -asked[name])
        assert [one.name for one in case.ranking] == ranked
        assert reasons.classes == tuple(ranked[:3])
        assert reasons.total == pytest.approx([asked[name] for name in ranked[:3]], abs=1e-5)
        assert case.doubt == pytest.approx(answers.doubt[number])
        assert 0 < reasons.largest <= 1
    assert {row.id for row in cases[0].reasons.members} == {"g1", "g2", "g3"}
    sizes = [max(map(abs, row.values)) for row in cases[0].reasons.members]
    assert sizes == sorted(sizes, reverse=True)
    assert (cases[2].size, cases[2].unknown) == (1, ("nowhere",))
    joined = [row for row in cases[0].reasons.others if row.name == "neighbors"]
    assert bool(joined) == (kind == "network")


def test_similar_subgraphs_share_what_they_say(bag: Scorer) -> None:
    (case,) = collect_cases(bag, bag.ask(SETS[:1]))
    (neighbors,) = bag.neighbors(bag.ask(SETS[:1]), count=5)
    assert case.by_vectors
    assert [one.similarity for one in case.similar] == [one.similarity for one in neighbors]
    lists = {TASK.subgraphs.name_of(i): nodes for i, nodes in enumerate(members())}
    for one in case.similar:
        common = set(lists[one.id]) & {1, 2, 3}
        assert sorted(one.shared) == sorted(f"Gene № {node % 7}" for node in common)
        assert one.size == len(lists[one.id])


def members() -> list[list[int]]:
    sets = TASK.subgraphs
    return [sets.nodes[a:b].tolist() for a, b in zip(sets.ptr[:-1], sets.ptr[1:], strict=True)]


def test_without_vectors_similar_means_common_members(bag: Scorer, monkeypatch) -> None:
    scorer = bag
    monkeypatch.setattr(type(bag), "similarities", lambda *_: None)
    (case,) = collect_cases(scorer, scorer.ask(SETS[:1]))
    asked = {1, 2, 3}
    shares = [len(asked & set(own)) / len(asked | set(own)) for own in members()]
    best = sorted(shares[: scorer.num_labelled], reverse=True)[:5]
    assert not case.by_vectors
    assert [one.similarity for one in case.similar] == pytest.approx(best)


def test_what_was_excluded_has_a_name(bag: Scorer) -> None:
    query = bag.ask(SETS, names=["a", "b"], excluded=[["g8"], []])
    cases = collect_cases(bag, query)
    assert cases[0].excluded == (("Gene № 1", "g8"),)
    assert cases[1].excluded == ()
    page = render_cases(bag, cases)
    assert page.count("this model does not read such nodes") == 1


def test_names_that_are_no_ids_say_what_they_mean(bag: Scorer) -> None:
    (case,) = collect_cases(bag, bag.ask([["G8", "g3", "zz"]], unknown_nodes="drop"))
    assert case.unknown == ("zz",)  # and nothing that it was mapped to
    (mapped,) = case.mapped
    assert (mapped.given, mapped.node_id) == ("G8", "g8")
    page = render_cases(bag, [case])
    assert "“G8” is Gene № 1" in page


def test_members_without_titles_are_called_as_they_were_given() -> None:
    task = replace(TASK, graph=replace(TASK.graph, titles=None))
    scorer = SubgraphClassifier(model="bag").fit(task).scorer_
    (case,) = collect_cases(scorer, scorer.ask([["G8", "g3"]]))
    assert {row.id: row.name for row in case.reasons.members} == {"g8": "G8", "g3": "g3"}
    known = next(one for one in case.similar if one.shared)
    assert set(known.shared) <= {"G8", "g3"}


def test_of_two_classes_one_is_explained() -> None:
    task = replace(TASK, labels=TASK.labels % 2, class_names=("clean", "fraud"))
    scorer = SubgraphClassifier(model="bag").fit(task).scorer_
    query = scorer.ask(SETS[:1])
    (case,) = collect_cases(scorer, query)
    assert case.reasons.classes == (case.ranking[0].name,)
    assert case.alert is None
    target = PositiveClass("fraud", 1)
    for threshold, alert in ((0.0, True), (1.0, False)):
        positive = PositiveAlerts(target, threshold, chosen=True)
        (case,) = collect_cases(scorer, query, positive=positive)
        assert case.reasons.classes == ("fraud",)
        assert case.alert is alert
        assert case.positive is not None
        assert case.positive.name == "fraud"
        rows = [replace(case, positive=replace(case.positive, probability=p)) for p in (0.9, 0.1)]
        text = " ".join(re.sub(r"<[^>]+>", " ", render_cases(scorer, rows)).split())
        assert "Probability of fraud Alert" in text
        assert " 90.0 % " in text
        assert " 10.0 % " in text
