"""Around every request: the token, and failures that tell nothing outside."""

from __future__ import annotations

from service_requests import GOOD, alive


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


def test_every_answer_has_the_headers_of_safety(client) -> None:
    for path in ("/healthz", "/nothing", "/v1/model"):
        headers = client.get(path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["content-security-policy"].startswith("default-src")


def test_a_client_that_left_is_counted_and_not_answered(client) -> None:
    sent = []

    async def receive():
        return {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": "/v1/predict", "query_string": b"",
             "headers": [(b"content-type", b"application/json")]}  # fmt: skip
    client.portal.call(client.app, scope, receive, send)
    assert sent == []
    assert 'path="/v1/predict",status="499"} 1' in client.get("/metrics").text
