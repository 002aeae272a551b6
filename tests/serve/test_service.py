"""What the service answers."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

import sub2node as s2n
from asked_service import ask_service
from disk_tables import NODES, disk_tables, on_disk
from fake_scorer import CLASSES, hashed
from service_requests import GOOD
from sub2node import SubgraphClassifier
from sub2node.base.errors import NotFiniteError
from sub2node.serve import api_schemas


def test_health(client) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}
    client.app.state.service.stopping = True
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json()) == (503, {"status": "stopping"})
    assert answer.headers["connection"] == "close"


def test_predict_one(client) -> None:
    answer = client.post("/v1/predict", json={**GOOD, "id": "mine"})
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    (prediction,) = answer.json()["predictions"]
    expected = hashed(("n1", "n2"))
    assert prediction["probabilities"] == dict(zip(CLASSES, expected.tolist(), strict=True))
    assert prediction["spread"]["red"] == pytest.approx(expected[0] / 10)
    assert prediction["labels"] == [CLASSES[int(np.argmax(expected))]]
    assert (prediction["id"], prediction["known"], prediction["unknown"]) == ("mine", 1.0, [])


def test_excluded_nodes_go_to_the_model(client) -> None:
    scorer = client.app.state.service.scorer
    body = {"nodes": ["n1", "n2"], "excluded": ["n3", 4]}
    assert client.post("/v1/predict", json=body).status_code == 200
    assert scorer.excluded == [["n3", 4]]
    body = {"subgraphs": [{"nodes": ["n1"]}, {"nodes": ["n2"], "excluded": ["n5"]}]}
    assert client.post("/v1/predict", json=body).status_code == 200
    assert scorer.excluded == [[], ["n5"]]
    answer = client.post("/v1/explain", json={"nodes": ["n1", "n2"], "excluded": ["n2"]}).json()
    assert [(one["id"], one["excluded"]) for one in answer["members"]] == [
        ("n1", False),
        ("n2", True),
    ]
    many = {"nodes": ["n1"], "excluded": ["n2"] * 100_000}
    refused = client.post("/v1/predict", json=many)
    assert (refused.status_code, refused.json()["field"]) == (422, "nodes")


def test_predict_many_in_order(client) -> None:
    sets = [["n1"], ["n2", "n3"], ["n4", "zz"]]
    body = {"subgraphs": [{"nodes": nodes} for nodes in sets], "unknown_nodes": "drop"}
    predictions = client.post("/v1/predict", json=body).json()["predictions"]
    assert [one["id"] for one in predictions] == ["0", "1", "2"]
    for one, nodes in zip(predictions, [("n1",), ("n2", "n3"), ("n4",)], strict=True):
        assert list(one["probabilities"].values()) == hashed(nodes).tolist()
    assert (predictions[2]["known"], predictions[2]["unknown"]) == (0.5, ["zz"])


def test_explain(client) -> None:
    answer = client.post("/v1/explain", json={**GOOD, "id": "x", "label": "blue"}).json()
    parts = [one["contribution"] for one in answer["members"] + answer["neighbors"]]
    assert answer["baseline"] + sum(parts) == pytest.approx(answer["probability"] - answer["gap"])
    assert (answer["id"], answer["label"], answer["statistics"]) == ("x", "blue", None)
    assert answer["neighbors"][0]["weight"] == 2
    assert answer["graph"]["links"] == [[-1, 0, 2.0], [0, 1, 1.0]]
    assert [one["hop"] for one in answer["graph"]["nodes"]] == [1, 2]


def test_neighbors_and_nodes(client) -> None:
    answer = client.post("/v1/neighbors", json={**GOOD, "count": 2}).json()["neighbors"]
    known = {"id": "s1", "title": "first", "labels": ["red"], "similarity": 0.5}
    assert answer == 2 * [{**known, "shared": [], "size": 2}]
    answer = client.get("/v1/nodes", params={"q": "n19", "count": 3}).json()["nodes"]
    assert [one["id"] for one in answer] == ["n19", "n190", "n191"]


@pytest.mark.slow
def test_shared_passes_change_no_answer(trained_scorer) -> None:
    sets = [[str(n) for n in range(at, at + 2 + at % 7)] for at in range(0, 400, 10)]

    async def work(client):
        return await asyncio.gather(
            *(client.post("/v1/predict", json={"nodes": nodes}) for nodes in sets)
        )

    for nodes, answer in zip(sets, ask_service(trained_scorer, work), strict=True):
        (prediction,) = api_schemas.Predictions.model_validate(answer.json()).predictions
        alone = trained_scorer.predict(trained_scorer.ask([nodes]))
        expected = dict(zip(trained_scorer.classes, alone.probabilities[0].tolist(), strict=True))
        assert prediction.probabilities == pytest.approx(expected, abs=1e-6)
        assert prediction.labels == [alone.labels[0]]


def test_an_answer_that_is_not_finite_is_an_error_of_one_sentence(
    scorer, client, monkeypatch
) -> None:
    def fail(query, **options):
        raise NotFiniteError("the model has no finite answer for the subgraph '0'.")

    monkeypatch.setattr(scorer, "predict", fail)
    answer = client.post("/v1/predict", json={"nodes": ["n1"]})
    assert answer.status_code == 500
    assert answer.json()["error"] == "the model has no finite answer for the subgraph '0'."


def test_a_case_report(service) -> None:
    client = service(explained_nodes=4)
    body = {"nodes": ["n1", "n2", "zz"], "unknown_nodes": "drop", "id": "<mine>"}
    answer = client.post("/v1/report", json={**body, "excluded": ["n5"]})
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    assert answer.headers["cache-control"] == "no-store"
    best = max(zip(hashed(("n1", "n2")), CLASSES, strict=True))
    assert f"{best[1]}: {100 * best[0]:.1f} %" in answer.text
    assert "Case &lt;mine&gt;" in answer.text
    assert "n5. Looked for and absent; this model does not read such nodes." in answer.text
    assert "zz. Not in the graph, so left out." in answer.text
    large = client.post("/v1/report", json={"nodes": ["n1", "n2", "n3", "n4", "n5"]})
    assert (large.status_code, large.json()["field"]) == (422, "nodes")
    unknown = client.post("/v1/report", json={"nodes": ["zz"]})
    assert unknown.status_code == 422
    assert client.post("/v1/report", json={"nodes": ["n1"], "excluded": [1.5]}).status_code == 422


@pytest.mark.slow
def test_new_nodes_of_a_graph_on_disk_are_answered(tmp_path) -> None:
    pytest.importorskip("ibis")
    task = on_disk(disk_tables(tmp_path / "tables"))
    scorer = SubgraphClassifier(model="bag", seeds=1).fit(task).scorer_
    assert scorer.graph.num_nodes < NODES
    bodies = [{"nodes": [str(7 * i), str(7 * i + 7)]} for i in range(NODES - 1)]
    bodies.append({"nodes": ["0", "nowhere"]})

    async def work(client):
        return await asyncio.gather(*(client.post("/v1/predict", json=body) for body in bodies))

    *answers, refused = ask_service(scorer, work)
    whole = SubgraphClassifier(model="bag", seeds=1).fit(s2n.load_task(tmp_path / "tables"))
    expected = whole.predict_proba([body["nodes"] for body in bodies[:-1]])
    for answer, row in zip(answers, expected, strict=True):
        (prediction,) = api_schemas.Predictions.model_validate(answer.json()).predictions
        assert list(prediction.probabilities.values()) == pytest.approx(row.tolist(), abs=1e-6)
    assert refused.status_code == 422
    assert "'nowhere'" in refused.text
    assert scorer.graph.num_nodes == NODES
