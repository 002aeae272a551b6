"""Counters by the grammar of Prometheus."""

from __future__ import annotations

import re

from sub2node.serve.prometheus_metrics import Histogram

GOOD = {"nodes": ["n1", "n2"]}
SAMPLE = re.compile(r'([a-z0-9_]+)(?:\{((?:[a-z]+="[^"\\\n]*",?)*)\})? (\S+)')


def samples(text: str) -> dict[str, float]:
    """Prometheus' text, line by line, by its grammar."""
    values, kinds = {}, {}
    assert text.endswith("\n")
    for line in text.splitlines():
        if line.startswith("# TYPE"):
            _, _, name, kind = line.split()
            kinds[name] = kind
        elif not line.startswith("# HELP"):
            name, labels, value = SAMPLE.fullmatch(line).groups()
            base = re.sub("_(bucket|sum|count)$", "", name)
            assert name in kinds or kinds[base] == "histogram"
            values[f"{name}{{{labels or ''}}}"] = float(value)
    return values


def test_metrics(client) -> None:
    for _ in range(3):
        client.post("/v1/predict", json=GOOD)
    client.post("/v1/predict", json={"subgraphs": [GOOD] * 20})
    client.post("/v1/predict", json={"nodes": []})
    client.get("/made/up")
    answer = client.get("/metrics")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    counts = samples(answer.text)
    path = 'path="/v1/predict"'
    assert counts[f's2n_requests_total{{{path},status="200"}}'] == 4
    assert counts[f's2n_requests_total{{{path},status="422"}}'] == 1
    assert counts['s2n_requests_total{path="other",status="404"}'] == 1
    assert counts[f"s2n_request_seconds_count{{{path}}}"] == 5
    assert counts[f's2n_request_seconds_bucket{{{path},le="+Inf"}}'] == 5
    assert counts["s2n_subgraphs_total{}"] == 23
    assert counts['s2n_batch_subgraphs_bucket{le="1"}'] == 3
    assert counts['s2n_batch_subgraphs_bucket{le="32"}'] == 4
    assert counts["s2n_batch_subgraphs_sum{}"] == 23
    assert counts["s2n_queue_length{}"] == 0
    assert counts["s2n_requests_in_flight{}"] == 1  # this one


def test_a_histogram_counts_up_to_its_bounds() -> None:
    counts = Histogram((1, 2))
    for value in (0.5, 1, 1.5, 2, 99):
        counts.add(value)
    assert list(counts.lines("x")) == [
        'x_bucket{le="1"} 2', 'x_bucket{le="2"} 4', 'x_bucket{le="+Inf"} 5', "x_sum 104",
        "x_count 5",
    ]  # fmt: skip
