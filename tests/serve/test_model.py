"""The service around a model that was trained: every answer is the model's own."""

from __future__ import annotations

import asyncio

import httpx
import pytest

from sub2node.datasets import load_task
from sub2node.estimator import SubgraphClassifier
from sub2node.serve import api_schemas
from sub2node.serve.app import create_app


@pytest.fixture(scope="module")
def scorer():
    task = load_task("generate:density,subgraphs=40,seed=3")
    settings = {"epochs": 3}
    return SubgraphClassifier("s2n+a", seeds=2, preset="fast", settings=settings).fit(task).scorer_


def asked(scorer, work):
    async def run():
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://s2n") as client:
            return await work(client)

    app = create_app(scorer)
    app.state.service.warm_up()
    try:
        return asyncio.run(run())
    finally:
        app.state.service.close()


def test_the_data_can_be_called_otherwise(scorer) -> None:
    assert create_app(scorer).state.service.description["name"] == "density"
    service = create_app(scorer, name="Planted densities").state.service
    assert service.description["name"] == "Planted densities"


def test_shared_passes_change_no_answer(scorer) -> None:
    sets = [[str(n) for n in range(at, at + 2 + at % 7)] for at in range(0, 400, 10)]

    async def work(client):
        return await asyncio.gather(
            *(client.post("/v1/predict", json={"nodes": nodes}) for nodes in sets)
        )

    for nodes, answer in zip(sets, asked(scorer, work), strict=True):
        (found,) = api_schemas.Predictions.model_validate(answer.json()).predictions
        alone = scorer.predict(scorer.ask([nodes]))
        expected = dict(zip(scorer.classes, alone.probabilities[0].tolist(), strict=True))
        assert found.probabilities == pytest.approx(expected, abs=1e-6)
        assert found.labels == [alone.labels[0]]


def test_every_kind_of_answer(scorer) -> None:
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

    model, answer, why, alike, nodes, refused = asked(scorer, work)
    shown = api_schemas.ModelAnswer.model_validate(model.json(), strict=False)
    assert (shown.structure, shown.seeds, shown.known_subgraphs) == ("s2n+a", 2, len(scorer.task))
    assert 0 <= shown.validation["micro_f1"] <= 1
    (found,) = api_schemas.Predictions.model_validate(answer.json()).predictions
    assert found.unknown == ["nobody"]
    parts = api_schemas.ExplanationBody.model_validate(why.json())
    total = sum(one.contribution for one in [*parts.members, *parts.neighbors])
    total += parts.baseline + (parts.statistics or 0)
    assert total == pytest.approx(parts.probability - parts.gap, abs=1e-6)
    assert len(api_schemas.NeighborsAnswer.model_validate(alike.json()).neighbors) == 3
    assert len(api_schemas.NodesAnswer.model_validate(nodes.json()).nodes) == 5
    assert refused.status_code == 422
    assert "'nobody', 'none'" in refused.json()["error"]
    assert '"unknown_nodes": "drop"' in refused.json()["error"]
