"""What stands around the answers: the page, the docs, the counts and the log."""

from __future__ import annotations

import io
import json
import logging
import re

import numpy as np
import pytest

from sub2node.base.errors import ConfigError
from sub2node.scoring import Answers
from sub2node.serve import static_files
from sub2node.serve.answer_json import predictions_json, to_json
from sub2node.serve.logs import JsonLines, log_to_stderr
from sub2node.serve.prometheus_metrics import Histogram
from sub2node.serve.request_limits import Limits, Token, read_token

GOOD = {"nodes": ["n1", "n2"]}
SAMPLE = re.compile(r'([a-z0-9_]+)(?:\{((?:[a-z]+="[^"\\\n]*",?)*)\})? (\S+)')


def samples(text: str) -> dict[str, float]:
    """Prometheus' text, line by line, by its grammar."""
    found, kinds = {}, {}
    assert text.endswith("\n")
    for line in text.splitlines():
        if line.startswith("# TYPE"):
            _, _, name, kind = line.split()
            kinds[name] = kind
        elif not line.startswith("# HELP"):
            name, labels, value = SAMPLE.fullmatch(line).groups()
            base = re.sub("_(bucket|sum|count)$", "", name)
            assert name in kinds or kinds[base] == "histogram"
            found[f"{name}{{{labels or ''}}}"] = float(value)
    return found


def test_metrics(client) -> None:
    for _ in range(3):
        client.post("/v1/predict", json=GOOD)
    client.post("/v1/predict", json={"subgraphs": [GOOD] * 20})
    client.post("/v1/predict", json={"nodes": []})
    client.get("/made/up")
    answer = client.get("/metrics")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    found = samples(answer.text)
    path = 'path="/v1/predict"'
    assert found[f's2n_requests_total{{{path},status="200"}}'] == 4
    assert found[f's2n_requests_total{{{path},status="422"}}'] == 1
    assert found['s2n_requests_total{path="other",status="404"}'] == 1
    assert found[f"s2n_request_seconds_count{{{path}}}"] == 5
    assert found[f's2n_request_seconds_bucket{{{path},le="+Inf"}}'] == 5
    assert found["s2n_subgraphs_total{}"] == 23
    assert found['s2n_batch_subgraphs_bucket{le="1"}'] == 3
    assert found['s2n_batch_subgraphs_bucket{le="32"}'] == 4
    assert found["s2n_batch_subgraphs_sum{}"] == 23
    assert found["s2n_queue_length{}"] == 0
    assert found["s2n_requests_in_flight{}"] == 1  # this one


def test_a_histogram_counts_up_to_its_bounds() -> None:
    counts = Histogram((1, 2))
    for value in (0.5, 1, 1.5, 2, 99):
        counts.add(value)
    assert list(counts.lines("x")) == [
        'x_bucket{le="1"} 2', 'x_bucket{le="2"} 4', 'x_bucket{le="+Inf"} 5', "x_sum 104",
        "x_count 5",
    ]  # fmt: skip


def test_docs_need_nothing_from_outside(client) -> None:
    answer = client.get("/docs")
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert not re.search(r"""(?:src|href|url)\s*[=(]\s*["']?(?:https?:)?//""", answer.text)
    assert "http" not in re.sub("<code>.*?</code>|<pre>.*?</pre>", "", answer.text, flags=re.S)
    for text in ("/v1/predict", "/v1/explain", "/v1/neighbors", "/v1/nodes", "/healthz", "422",
                 "PredictMany", "unknown_nodes"):  # fmt: skip
        assert text in answer.text
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    for anchor in re.findall('href="#([^"]+)"', answer.text):
        assert f'id="{anchor}"' in answer.text


def test_pages(client, monkeypatch, service) -> None:
    file = static_files.PageFile("/", b"<p>hello</p>", "text/html; charset=utf-8")
    script = static_files.PageFile("/static/app.js", b"1", "text/javascript; charset=utf-8")
    monkeypatch.setattr("sub2node.serve.app.page_files", lambda: (file, script))
    client = service()
    answer = client.get("/")
    assert (answer.status_code, answer.text) == (200, "<p>hello</p>")
    assert answer.headers["cache-control"] == "no-cache"
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'self';")
    assert "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    again = client.get("/", headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert client.get("/static/app.js").headers["content-type"].startswith("text/javascript")
    assert client.get("/static/other.js").status_code == 404


def test_without_page_files(service, monkeypatch) -> None:
    monkeypatch.setattr("sub2node.serve.app.page_files", lambda: ())
    client = service()
    assert client.get("/").status_code == 404
    assert client.post("/v1/predict", json=GOOD).status_code == 200


def test_the_log_has_a_line_a_request(client, capsys) -> None:
    client.post("/v1/predict", json={"subgraphs": [GOOD] * 3})
    client.get("/v1/nodes", params={"q": "private\nwords"})
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [line["subgraphs"] for line in lines] == [3, 0]
    first = lines[0]
    assert (first["method"], first["path"], first["status"]) == ("POST", "/v1/predict", 200)
    assert first["ms"] > 0
    assert first["client"] == "127.0.0.1"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", first["time"])
    assert "private" not in json.dumps(lines)


def test_a_log_that_is_gone_takes_no_answer_with_it(client, monkeypatch) -> None:
    class Broken(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    monkeypatch.setattr("sys.stderr", Broken())
    assert client.post("/v1/predict", json=GOOD).status_code == 200


def test_errors_are_logged_as_one_line(capsys) -> None:
    names = ("sub2node", "uvicorn", "asyncio")
    before = [(logger, logger.handlers, logger.propagate, logger.level)
              for logger in map(logging.getLogger, names)]  # fmt: skip
    try:
        log_to_stderr()
        try:
            raise ValueError("two\nlines")
        except ValueError:
            logging.getLogger("sub2node.serve").exception("it failed")
        (line,) = capsys.readouterr().err.splitlines()
        assert json.loads(line)["message"] == "it failed"
        assert "ValueError: two" in json.loads(line)["trace"]
        assert isinstance(logging.getLogger("uvicorn").handlers[0].formatter, JsonLines)
    finally:
        for logger, handlers, propagate, level in before:
            logger.handlers, logger.propagate = handlers, propagate
            logger.setLevel(level)


def test_health(client) -> None:
    assert client.get("/healthz").json() == {"status": "ok"}
    client.app.state.service.stopping = True
    answer = client.get("/healthz")
    assert (answer.status_code, answer.json()) == (503, {"status": "stopping"})
    assert answer.headers["connection"] == "close"


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


def test_answers_with_several_labels() -> None:
    shown = np.array([[0.9, 0.8], [0.1, 0.2]])
    answers = Answers(
        ("a", "b"), shown, np.zeros((2, 2)), np.array([1.0, 0.5]), ((), ("zz",)), shown > 0.5,
        ("red", "blue"), True,
    )  # fmt: skip
    first, second = json.loads(predictions_json(["x", None], answers, range(2)))["predictions"]
    assert (first["id"], first["labels"]) == ("x", ["red", "blue"])
    assert (first["prediction"], first["probability"]) == (["red", "blue"], 0.8)
    assert (second["id"], second["labels"], second["unknown"]) == ("1", [], ["zz"])
    with pytest.raises(ValueError, match="JSON"):  # never NaN on the wire
        to_json({"probability": float("nan")})
