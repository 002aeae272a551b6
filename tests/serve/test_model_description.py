"""The description of a model: its classes, scores, examples and limits."""

from __future__ import annotations

from fake_scorer import CLASSES
from sub2node.serve.app import create_app
from sub2node.serve.model_description import describe_model
from sub2node.serve.request_limits import Limits, Token


def test_model(client) -> None:
    answer = client.get("/v1/model").json()
    assert (answer["name"], answer["nodes"], answer["edges"]) == ("fake", 200, 199)
    assert answer["classes"] == list(CLASSES)
    assert answer["limits"] == {
        "subgraphs": 1000,
        "nodes": 10_000,
        "explained_nodes": 1000,
        "body_bytes": 2_048_000,
    }
    assert answer["token"] is False
    assert (answer["known_subgraphs"], answer["validation"]) == (4, {"micro_f1": 0.5})
    assert answer["examples"] == [
        {"id": "a", "title": "", "nodes": ["n0", "n1"]},
        {"id": "c", "title": "", "nodes": ["n4"]},
        {"id": "d", "title": "", "nodes": ["n5", "n6", "n7"]},
    ]


def test_the_data_can_be_called_otherwise(trained_scorer) -> None:
    assert create_app(trained_scorer).state.service.description["name"] == "density"
    service = create_app(trained_scorer, name="Planted densities").state.service
    assert service.description["name"] == "Planted densities"


def test_scores_that_json_does_not_have_are_omitted(scorer) -> None:
    scorer.card["validation"] = {"micro_f1": 0.5, "log_loss": float("nan"), "note": "x"}
    description = describe_model(scorer, Limits(), token=Token("secret"))
    assert description["validation"] == {"micro_f1": 0.5}
    assert description["token"] is True


def test_examples_are_no_larger_than_a_request_may_be(scorer) -> None:
    examples = describe_model(scorer, Limits(nodes=2), token=Token(None))["examples"]
    assert examples
    assert all(len(example["nodes"]) <= 2 for example in examples)


def test_words_come_from_the_card(scorer) -> None:
    description = describe_model(scorer, Limits(), token=Token(None))
    assert description["words"]["members"] == "nodes"
    assert description["reads_excluded"] is False
    scorer.card["words"] = {"title": "Families", "label": "family", "question": "Which?"}
    scorer.card["reads_excluded"] = True
    description = describe_model(scorer, Limits(), token=Token(None))
    assert (description["name"], description["question"]) == ("Families", "Which?")
    assert (description["words"]["label"], description["words"]["labels"]) == ("family", "families")
    assert description["reads_excluded"] is True
    assert describe_model(scorer, Limits(), token=Token(None), name="Mine")["name"] == "Mine"
