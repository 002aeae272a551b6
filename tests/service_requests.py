"""Requests to a service: good ones, and bad ones that are refused."""

from __future__ import annotations

JSON = {"Content-Type": "application/json"}
GOOD = {"nodes": ["n1", "n2"]}


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
