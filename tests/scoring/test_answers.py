"""Answers as tables and JSON objects: what is predicted, how likely it is, and how sure."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from scorer_cases import SEVERAL
from sub2node.scoring import AnswerWarning, WarningKind
from sub2node.scoring.answers import (
    NearbySubgraph,
    Surroundings,
    answer_columns,
    answer_objects,
    explanation_object,
)
from sub2node.scoring.explanation import Contribution, Explanation
from sub2node.scoring.name_mapping import MappedName


def test_several_labels_come_likeliest_first_with_the_probability_of_the_first() -> None:
    rows = answer_columns(SEVERAL)
    assert rows["prediction"] == [["x;y", "ü"], []]
    assert rows["probability"] == [0.9, 0.4]  # of no label, the highest
    assert rows["spread"] == pytest.approx([0.09, 0.04])
    assert rows["known"] == [1.0, 0.5]
    turned = replace(SEVERAL, probabilities=np.array([[0.7, 0.1, 0.9], [0.2, 0.4, 0.3]]))
    rows = answer_columns(turned)
    assert rows["prediction"] == [["ü", "x;y"], []]
    assert rows["probability"] == [0.9, 0.4]
    assert rows["spread"] == pytest.approx([0.07, 0.04])
    assert answer_objects(turned)[0]["labels"] == ["ü", "x;y"]


def test_command_and_service_say_the_same() -> None:
    first, second = answer_objects(SEVERAL)
    assert (first["id"], first["labels"], first["unknown"]) == ("a", ["x;y", "ü"], [])
    assert second["probabilities"] == {"x;y": 0.2, 'q"': 0.4, "ü": 0.3}
    assert second["spread"] == pytest.approx({"x;y": 0.02, 'q"': 0.04, "ü": 0.03})
    for one, other in zip((first, second), answer_objects(SEVERAL, columns=True), strict=True):
        shared = one.keys() - {"spread"}
        assert {key: one[key] for key in shared} == {key: other[key] for key in shared}
        assert other["spread"] == pytest.approx(one["probability"] / 10)


def test_doubt_is_the_share_of_the_highest_entropy() -> None:
    single = replace(
        SEVERAL,
        probabilities=np.array([[1.0, 0.0, 0.0], [1 / 3] * 3]),
        predicted=np.array([[True, False, False], [True, False, False]]),
        multilabel=False,
    )
    assert single.doubt == pytest.approx([0, 1])
    assert single.labels == ["x;y", "x;y"]
    even = replace(SEVERAL, probabilities=np.array([[0.0, 1.0, 1.0], [0.5] * 3]))
    assert even.doubt == pytest.approx([0, 1])


def test_classes_that_nothing_was_learned_about_do_not_lessen_the_doubt() -> None:
    learned = np.array([True, False, True])
    single = replace(
        SEVERAL,
        probabilities=np.array([[0.5, 0.0, 0.5], [1.0, 0.0, 0.0], [1 / 3] * 3]),
        predicted=np.array([[True, False, False]] * 3),
        multilabel=False,
        learned=learned,
    )
    assert single.doubt == pytest.approx([1, 0, 1])  # never more than 1
    assert single.part(range(1), ["mine"]).doubt == pytest.approx([1])
    even = replace(SEVERAL, probabilities=np.array([[0.5, 0.0, 0.5], [1, 0.5, 0]]), learned=learned)
    assert even.doubt == pytest.approx([1, 0])


def test_doubts_are_texts_in_tables_and_objects_in_json() -> None:
    small = AnswerWarning(WarningKind.SIZE, "1 node, where most have 3")
    far = AnswerWarning(WarningKind.NO_LINK, "far away")
    null = np.array([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]])
    answers = replace(SEVERAL, warnings=((small, far), ()), null=null)
    columns = answer_columns(answers)
    assert columns["warnings"] == ["1 node, where most have 3; far away", ""]
    assert columns["null ü"] == [0.3, 0.6]
    classes = ("x;y", 'q"', "ü")
    added = [*(f"p {c}" for c in classes), "warnings", *(f"null {c}" for c in classes)]
    assert list(columns)[5:] == added
    for first, second in (answer_objects(answers), answer_objects(answers, columns=True)):
        assert first["warnings"][0] == {"kind": "size", "text": "1 node, where most have 3"}
        assert second["warnings"] == []
        assert second["null"] == {"x;y": 0.4, 'q"': 0.5, "ü": 0.6}
    part = answers.part(range(1), ["mine"])
    assert part.warnings == ((small, far),)
    assert part.null.tolist() == [[0.1, 0.2, 0.3]]
    assert SEVERAL.warnings == ((), ())
    assert "null" not in answer_objects(SEVERAL)[0]


def test_names_that_are_no_ids_come_with_an_answer() -> None:
    row = MappedName("Cat", "n1", "a cat", "symbol")
    answers = replace(SEVERAL, mapping=((), (row,)))
    assert [one["mapping"] for one in answer_objects(answers)] == [
        [],
        [
            {
                "given": "Cat",
                "node_id": "n1",
                "title": "a cat",
                "how": "symbol",
                "candidates": [],
                "candidate_titles": [],
            }
        ],
    ]
    assert answers.part(range(1, 2), ["z"]).mapping == ((row,),)


def test_some_rows_under_other_names() -> None:
    part = SEVERAL.part(range(1, 2), ["mine"])
    assert (part.names, part.labels, part.unknown) == (("mine",), [[]], (("z",),))
    assert part.probabilities.tolist() == [[0.2, 0.4, 0.3]]
    assert repr(part) == "Answers(1 subgraph, 3 classes, several each)"


def test_an_explanation_as_an_object() -> None:
    member = Contribution("g1", "Gene", 0.3)
    neighbor = Contribution("set 1", "", -0.1, 0.5, ("x",))
    explanation = Explanation("s", "x", 0.7, 0.5, (member,), (neighbor,), None, 0.0)
    around = Surroundings((NearbySubgraph("set 1", "", ("x",), 0.5, 1),), ((-1, 0, 0.5),))
    content = explanation_object(explanation, around, id="mine")
    assert (content["id"], content["name"], content["statistics"]) == ("mine", "mine", None)
    assert content["members"][0]["value"] == content["members"][0]["contribution"] == 0.3
    assert (content["neighbors"][0]["weight"], content["neighbors"][0]["labels"]) == (0.5, ["x"])
    assert content["graph"]["links"] == [[-1, 0, 0.5]]
    assert content["graph"]["nodes"][0] == {
        "id": "set 1", "title": "", "labels": ["x"], "weight": 0.5, "hop": 1
    }  # fmt: skip
    assert "graph" not in explanation_object(explanation)
