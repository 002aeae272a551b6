"""Good requests and bad ones: what is answered, and that the service lives on."""

from __future__ import annotations

import json
import time

import numpy as np
import pytest

from fake_scorer import CLASSES, hashed

JSON = {"Content-Type": "application/json"}
GOOD = {"nodes": ["n1", "n2"]}


def test_predict_one(client) -> None:
    answer = client.post("/v1/predict", json={**GOOD, "id": "mine"})
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    (found,) = answer.json()["predictions"]
    expected = hashed(("n1", "n2"))
    assert found["probabilities"] == dict(zip(CLASSES, expected.tolist(), strict=True))
    assert found["spread"]["red"] == pytest.approx(expected[0] / 10)
    assert found["labels"] == [CLASSES[int(np.argmax(expected))]]
    assert (found["id"], found["known"], found["unknown"]) == ("mine", 1.0, [])


def test_predict_many_in_order(client) -> None:
    sets = [["n1"], ["n2", "n3"], ["n4", "zz"]]
    body = {"subgraphs": [{"nodes": nodes} for nodes in sets], "unknown_nodes": "drop"}
    found = client.post("/v1/predict", json=body).json()["predictions"]
    assert [one["id"] for one in found] == ["0", "1", "2"]
    for one, nodes in zip(found, [("n1",), ("n2", "n3"), ("n4",)], strict=True):
        assert list(one["probabilities"].values()) == hashed(nodes).tolist()
    assert (found[2]["known"], found[2]["unknown"]) == (0.5, ["zz"])


def test_explain(client) -> None:
    found = client.post("/v1/explain", json={**GOOD, "id": "x", "label": "blue"}).json()
    parts = [one["contribution"] for one in found["members"] + found["neighbors"]]
    assert found["baseline"] + sum(parts) == pytest.approx(found["probability"] - found["gap"])
    assert (found["id"], found["label"], found["statistics"]) == ("x", "blue", None)
    assert found["neighbors"][0]["weight"] == 2
    assert found["graph"]["links"] == [[-1, 0, 2.0], [0, 1, 1.0]]
    assert [one["hop"] for one in found["graph"]["nodes"]] == [1, 2]


def test_neighbors_and_nodes(client) -> None:
    found = client.post("/v1/neighbors", json={**GOOD, "count": 2}).json()["neighbors"]
    assert found == 2 * [{"id": "s1", "title": "first", "labels": ["red"], "similarity": 0.5}]
    found = client.get("/v1/nodes", params={"q": "n19", "count": 3}).json()["nodes"]
    assert [one["id"] for one in found] == ["n19", "n190", "n191"]


def test_model(client) -> None:
    found = client.get("/v1/model").json()
    assert (found["name"], found["nodes"], found["edges"]) == ("fake", 200, 199)
    assert found["classes"] == list(CLASSES)
    assert found["limits"] == {
        "subgraphs": 1000,
        "nodes": 10_000,
        "explained_nodes": 1000,
        "body_bytes": 2_048_000,
    }
    assert found["token"] is False
    assert (found["known_subgraphs"], found["validation"]) == (4, {"micro_f1": 0.5})
    assert found["examples"] == [
        {"id": "a", "title": "", "nodes": ["n0", "n1"]},
        {"id": "c", "title": "", "nodes": ["n4"]},
        {"id": "d", "title": "", "nodes": ["n5", "n6", "n7"]},
    ]


BROKEN = {
    "nothing": b"",
    "cut off": b'{"nodes": ["n1"',
    "more behind it": b'{"nodes": ["n1"]} x',
    "not UTF-8": b'{"nodes": ["\xff"]}',
    "UTF-16": '{"nodes": ["n1"]}'.encode("utf-16"),
    "half a surrogate": rb'{"nodes": ["\ud800"]}',
    "too deep": b'{"nodes": ' + b"[" * 100_000,
    "a number without end": b'{"nodes": [' + b"9" * 10_000 + b"]}",
}


@pytest.mark.parametrize("body", BROKEN.values(), ids=BROKEN)
def test_broken_json(client, body: bytes) -> None:
    refused(client, body, 400, "not JSON")


WRONG = {
    "a list": (b"[]", "JSON object"),
    "a number": (b"1", "JSON object"),
    "null": (b"null", "JSON object"),
    "no nodes": (b"{}", "'nodes' is missing"),
    "empty": (b'{"nodes": []}', "'nodes' is empty"),
    "empty among many": (b'{"subgraphs": [{"nodes": ["n1"]}, {"nodes": []}]}', "subgraphs[1]"),
    "none at all": (b'{"subgraphs": []}', "'subgraphs' is empty"),
    "text": (b'{"nodes": "n1"}', "'nodes'"),
    "a fraction": (b'{"nodes": ["n1", 1.5]}', "'nodes[1]' must be text or an integer"),
    "a whole fraction": (b'{"nodes": [1.0]}', "'nodes[0]' must be text or an integer"),
    "true": (b'{"nodes": [true]}', "'nodes[0]' must be text or an integer"),
    "no node": (b'{"nodes": [null]}', "'nodes[0]' must be text or an integer"),
    "a list in it": (b'{"nodes": [["n1"]]}', "'nodes[0]' must be text or an integer"),
    "not a number": (b'{"nodes": [NaN]}', "'nodes[0]' must be text or an integer"),
    "infinite": (b'{"nodes": [-Infinity]}', "'nodes[0]' must be text or an integer"),
    "huge": (b'{"nodes": [99999999999999999999999]}', "'nodes[0]'"),
    "beyond 2^63": (b'{"nodes": [9223372036854775808]}', "'nodes[0]'"),
    "another field": (b'{"nodes": ["n1"], "mode": "joint"}', "'mode' is not a field"),
    "one and many": (b'{"nodes": ["n1"], "subgraphs": [{"nodes": ["n1"]}]}', "'nodes' is not"),
    "a number for a name": (b'{"nodes": ["n1"], "id": 5}', "'id'"),
    "a long name": (b'{"nodes": ["n1"], "id": "' + b"x" * 201 + b'"}', "'id'"),
    "a policy": (b'{"nodes": ["n1"], "unknown_nodes": "maybe"}', "'error' or 'drop'"),
    "unknown nodes": (b'{"nodes": ["n1", "zz", "yy"]}', '"unknown_nodes": "drop"'),
    "an unknown integer": (b'{"nodes": ["n1", 7]}', "'7'"),
    "a zero byte": (rb'{"nodes": ["n1", "n\u0000"]}', "no node 'n"),
    "only unknown ones": (b'{"nodes": ["zz"], "unknown_nodes": "drop"}', "no node that the graph"),
}


@pytest.mark.parametrize(("body", "text"), WRONG.values(), ids=WRONG)
def test_wrong_bodies(client, body: bytes, text: str) -> None:
    refused(client, body, 422, text)


def test_unknown_nodes_are_named_but_not_all(client) -> None:
    nodes = ["n1", "x" * 1000, *(f"zz{i}" for i in range(1000))]
    error = refused(client, json.dumps({"nodes": nodes}).encode(), 422, "'zz3' and 996 more")
    assert len(error) < 500


def test_sizes(client, service) -> None:
    many = json.dumps({"nodes": [f"n{i}" for i in range(100_000)]}).encode()
    assert len(many) < 2_048_000
    refused(client, many, 422, "100,000 nodes; at most 10,000")
    sets = [{"nodes": ["n1"]}] * 1001
    refused(client, json.dumps({"subgraphs": sets}).encode(), 422, "at most 1,000")
    small = service(nodes=2, subgraphs=2)
    body = {"subgraphs": [{"nodes": ["n1"]}, {"nodes": ["n1", "n2", "n3"]}]}
    answer = small.post("/v1/predict", json=body)
    assert (answer.status_code, answer.json()["field"]) == (422, "subgraphs[1].nodes")
    assert small.post("/v1/predict", json=GOOD).status_code == 200
    assert small.get("/openapi.json").json()["components"]["schemas"]["Subgraph"]["properties"][
        "nodes"]["maxItems"] == 2  # fmt: skip


def test_large_bodies(client) -> None:
    refused(client, b" " * 10_000_000, 413, "larger than 2,048,000 bytes")
    sent = 0

    def pieces():
        nonlocal sent
        for _ in range(200):
            sent += 100_000
            yield b" " * 100_000

    answer = client.post("/v1/predict", content=pieces(), headers=JSON)  # no Content-Length
    assert answer.status_code == 413
    assert sent < 3_000_000  # refused while it was read
    alive(client)


@pytest.mark.parametrize(
    "headers",
    [
        {"Content-Type": "text/plain"},
        {"Content-Type": "application/x-www-form-urlencoded"},
        {"Content-Type": "application/json; charset=utf-16"},
        {**JSON, "Content-Encoding": "gzip"},
        {"Content-Type": ""},
    ],
)
def test_content_types(client, headers: dict[str, str]) -> None:
    answer = client.post("/v1/predict", content=b'{"nodes": ["n1"]}', headers=headers)
    assert answer.status_code == 415
    assert "the body must" in answer.json()["error"]
    same = {"Content-Type": 'Application/JSON; charset="UTF-8"'}
    body = b'{"nodes": ["n1"]}'
    assert client.post("/v1/predict", content=body, headers=same).status_code == 200


def test_a_slow_body_is_given_up(service) -> None:
    import anyio

    client = service(timeout=0.2)
    messages = [{"type": "http.request", "body": b'{"no', "more_body": True}]
    sent = []

    async def receive():
        if not messages:
            await anyio.sleep(30)
        return messages.pop()

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/v1/predict", "query_string": b"",
             "headers": [(b"content-type", b"application/json")]}  # fmt: skip
    started = time.monotonic()
    client.portal.call(client.app, scope, receive, send)
    assert time.monotonic() - started < 5
    assert sent[0]["status"] == 408
    assert b"did not arrive within 0.2 s" in sent[1]["body"]


def test_other_refusals(client) -> None:
    for path, status in (("/nothing", 404), ("/v1/predict", 405), ("/v1/nodes", 422),
                         ("/v1/nodes?q=", 422), ("/v1/nodes?q=n&count=x", 422),
                         ("/v1/nodes?q=n&count=101", 422), ("/static/../app.py", 404),
                         ("/static/..%2fapp.py", 404), ("/healthz/", 404)):  # fmt: skip
        answer = client.get(path)
        assert answer.status_code == status, path
        assert answer.json()["error"]
    assert client.get("/v1/predict").headers["allow"] == "POST"
    answer = client.post("/v1/explain", json={**GOOD, "label": "no such"})
    assert (answer.status_code, answer.json()["field"]) == (422, "label")
    for count in (0, 1001, "5"):
        assert client.post("/v1/neighbors", json={**GOOD, "count": count}).status_code == 422
    alive(client)


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "text/html"),
        ("*/*", "application/json"),
        ("application/json, text/html;q=0.5", "application/json"),
        ("", "application/json"),
    ],
)
def test_an_address_that_does_not_exist(client, accept: str, kind: str) -> None:
    """A page for browsers, JSON for programs."""
    answer = client.get("/no/<such>", headers={"Accept": accept})
    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith(kind)
    assert answer.headers["vary"] == "Accept"
    if kind == "text/html":
        assert "There is no page here" in answer.text
        assert "&lt;such&gt;" in answer.text
        assert 'href="../"' in answer.text
        assert client.post("/no", headers={"Accept": accept}).json()["error"]
    else:
        assert "nothing at this address" in answer.json()["error"]


def test_a_failure_tells_nothing_outside(client, caplog) -> None:
    answer = client.post("/v1/predict", json={"nodes": ["n13"]})
    assert answer.status_code == 500
    assert answer.json() == {"error": "the service failed; its log says why."}
    assert "secret detail" in caplog.text
    alive(client)


def test_token(service) -> None:
    client = service(token="s3cret")
    for shown in (None, "", "Bearer", "Bearer wrong", "Bearer s3cret2", "Basic s3cret", "s3cret",
                  "Bearer ŝ3cret".encode()):  # fmt: skip
        headers = {} if shown is None else {"Authorization": shown}
        for answer in (client.post("/v1/predict", json=GOOD, headers=headers),
                       client.get("/v1/model", headers=headers),
                       client.get("/metrics", headers=headers)):  # fmt: skip
            assert answer.status_code == 401
            assert answer.headers["www-authenticate"] == "Bearer"
            assert "token" in answer.json()["error"]
            assert "s3cret" not in answer.text
    for shown in ("Bearer s3cret", "bearer s3cret"):
        headers = {"Authorization": shown}
        assert client.post("/v1/predict", json=GOOD, headers=headers).status_code == 200
        assert client.get("/v1/model", headers=headers).json()["token"] is True
    assert client.get("/healthz").status_code == 200  # a probe has no token
    described = client.get("/openapi.json").json()
    assert described["paths"]["/v1/predict"]["post"]["security"] == [{"token": []}]


def refused(client, body: bytes, status: int, text: str) -> str:
    """The request is refused with a clear sentence, and the service lives on."""
    answer = client.post("/v1/predict", content=body, headers=JSON)
    assert answer.status_code == status, answer.text
    error = answer.json()["error"]
    assert text in error
    assert "Traceback" not in error
    assert error.endswith(".")
    alive(client)
    return error


def alive(client) -> None:
    assert client.post("/v1/predict", json=GOOD).status_code == 200


def test_without_the_token_nothing_of_the_training_data_is_told(service) -> None:
    client = service(token="s3cret")
    headers = {"Authorization": "Bearer s3cret"}
    example = client.get("/v1/model", headers=headers).json()["examples"][0]["nodes"]
    described = client.get("/openapi.json")
    content = described.json()["paths"]["/v1/predict"]["post"]["requestBody"]["content"]
    shown = str(content["application/json"].get("examples", {}))
    assert not any(f"'{node}'" in shown for node in example)
    assert f'"{example[0]}"' not in client.get("/docs").text


def test_of_many_the_one_that_cannot_be_looked_up_is_named(service) -> None:
    body = {"subgraphs": [{"nodes": ["n1"]}, {"nodes": ["zz"]}], "unknown_nodes": "drop"}
    answer = service().post("/v1/predict", json=body)
    assert (answer.status_code, answer.json()["field"]) == (422, "subgraphs[1].nodes")
