"""Answers as JSON: several labels, names of one's own, never NaN."""

from __future__ import annotations

import json

import numpy as np
import pytest

from sub2node.scoring import Answers, Node
from sub2node.scoring.answers import Neighbor, Surroundings
from sub2node.scoring.explanation import Explanation
from sub2node.serve.answer_json import (
    explanation_json,
    neighbors_json,
    nodes_json,
    predictions_json,
    to_json,
)


def test_answers_with_several_labels() -> None:
    shown = np.array([[0.9, 0.8], [0.1, 0.2]])
    answers = Answers(
        ("a", "b"), shown, np.zeros((2, 2)), np.array([1.0, 0.5]), ((), ("zz",)), shown > 0.5,
        ("red", "blue"), True,
    )  # fmt: skip
    first, second = json.loads(predictions_json(["x", None], answers, range(2)))["predictions"]
    assert (first["id"], first["labels"]) == ("x", ["red", "blue"])
    assert (first["prediction"], first["probability"]) == (["red", "blue"], 0.9)
    assert (second["id"], second["labels"], second["unknown"]) == ("1", [], ["zz"])
    with pytest.raises(ValueError, match="JSON"):  # never NaN on the wire
        to_json({"probability": float("nan")})


def test_lists_of_the_service() -> None:
    neighbor = Neighbor("s1", "first", ("red", "blue"), 0.5, ("Cat",), 3)
    assert json.loads(neighbors_json([neighbor])) == {
        "neighbors": [
            {
                "id": "s1",
                "title": "first",
                "labels": ["red", "blue"],
                "similarity": 0.5,
                "shared": ["Cat"],
                "size": 3,
            }
        ]
    }
    wanted = '{"nodes":[{"id":"ü","title":"","degree":3,"alias":"u"}]}'
    assert nodes_json([Node("ü", "", 3, "u")]) == wanted.encode()


def test_a_subgraph_without_a_name_is_number_0() -> None:
    explanation = Explanation("s", "red", 0.7, 0.5, (), (), None, 0.0)
    around = Surroundings((), ())
    assert json.loads(explanation_json(None, explanation, around))["id"] == "0"
    assert json.loads(explanation_json("mine", explanation, around))["id"] == "mine"
