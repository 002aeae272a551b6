"""Answers of a trained model fit their schemas, and are the model's own."""

from __future__ import annotations

import pytest

from asked_service import ask_service
from sub2node.serve import api_schemas


@pytest.mark.slow
def test_every_kind_of_answer(trained_scorer) -> None:
    async def work(client):
        model = await client.get("/v1/model")
        one = {"nodes": model.json()["examples"][0]["nodes"]}
        return [
            model,
            await client.post("/v1/predict", json={"nodes": [*one["nodes"], "nobody"],
                                                   "unknown_nodes": "drop"}),
            await client.post("/v1/explain", json=one),
            await client.post("/v1/neighbors", json={**one, "count": 3}),
            await client.get("/v1/nodes", params={"q": "1", "count": 5}),
            await client.post("/v1/predict", json={"nodes": [1, "nobody", "none"]}),
        ]  # fmt: skip

    model, answer, why, alike, nodes, refused = ask_service(trained_scorer, work)
    shown = api_schemas.ModelAnswer.model_validate(model.json(), strict=False)
    assert (shown.structure, shown.seeds, shown.known_subgraphs) == (
        "s2n+a",
        2,
        len(trained_scorer.task),
    )
    assert 0 <= shown.validation["micro_f1"] <= 1
    (prediction,) = api_schemas.Predictions.model_validate(answer.json()).predictions
    assert prediction.unknown == ["nobody"]
    first = prediction.warnings[0]
    assert first.kind == "unknown-nodes"
    assert first.text.endswith("is not in the graph")
    parts = api_schemas.ExplanationBody.model_validate(why.json())
    total = sum(one.contribution for one in [*parts.members, *parts.neighbors])
    total += parts.baseline + (parts.statistics or 0)
    assert total == pytest.approx(parts.probability - parts.gap, abs=1e-6)
    assert len(api_schemas.NeighborsAnswer.model_validate(alike.json()).neighbors) == 3
    assert len(api_schemas.NodesAnswer.model_validate(nodes.json()).nodes) == 5
    assert refused.status_code == 422
    assert "'nobody', 'none'" in refused.json()["error"]
    assert '"unknown_nodes": "drop"' in refused.json()["error"]


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({"nodes": ["a", 1]}, api_schemas.PredictOne),
        ({"nodes": ["a"], "id": "x", "unknown_nodes": "drop"}, api_schemas.PredictOne),
        ({"subgraphs": [{"nodes": ["a"]}]}, api_schemas.PredictMany),
    ],
)
def test_one_and_many_are_told_apart(body, kind) -> None:
    parsed = api_schemas.PREDICT.validate_python(body)
    assert type(parsed) is kind
    assert parsed.model_dump(exclude_unset=True) == body
