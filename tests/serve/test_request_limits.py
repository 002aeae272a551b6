"""Limits on requests: sizes, types, time, and the token."""

from __future__ import annotations

import json
import time

import pytest

from service_requests import GOOD, JSON, alive, refused
from sub2node.base.errors import ConfigError
from sub2node.serve.request_limits import Limits, Token, read_token


def test_tokens(tmp_path) -> None:
    file = tmp_path / "token"
    file.write_text("abc\n")
    assert read_token(file, {"S2N_TOKEN": "other"}).admits(b"Bearer abc")
    assert read_token(None, {"S2N_TOKEN": "other"}).admits(b"Bearer other")
    assert not read_token(None, {})
    assert "abc" not in repr(Token("abc"))
    for text in (b"", b"a b", b"\xff", "ß".encode()):
        file.write_bytes(text)
        with pytest.raises(ConfigError, match="token"):
            read_token(file, {})
    with pytest.raises(ConfigError):
        Token("")
    with pytest.raises(OSError, match="No such file"):
        read_token(tmp_path / "missing", {})


def test_limits() -> None:
    assert Limits().body_bytes == 2_048_000
    assert Limits(subgraphs=1).body_bytes == 1024 * 1024
    for wrong in ({"subgraphs": 0}, {"nodes": 0}, {"timeout": 0}, {"timeout": float("nan")}):
        with pytest.raises(ConfigError):
            Limits(**wrong)


@pytest.mark.slow
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


@pytest.mark.slow
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
