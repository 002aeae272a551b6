"""The application: refusals of other addresses, methods and parameters."""

from __future__ import annotations

from service_requests import GOOD, alive


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
