"""Wrong requests are refused with one sentence that says what to do."""

from __future__ import annotations

import json

import pytest

from service_requests import refused
from sub2node import DataError
from sub2node.scoring.node_index import NodeIndex
from sub2node.scoring.query import IdLists, ask
from sub2node.serve.error_responses import lookup_refusal
from sub2node.task import Graph, Names

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


class NamedScorer:
    """Two nodes with one symbol, and one with a title."""

    graph = Graph.from_edges(
        [0, 1], [1, 2], names=Names(["n1", "n2", "n3"]), titles=Names(["One", "Two", "Seizure"])
    ).with_other_names({"alias": ["Cat", "cat"], "node_id": ["n1", "n2"]})
    index = NodeIndex(graph)

    def ask(self, sets, *, unknown_nodes):
        return ask(self.index, IdLists.of(sets, None), unknown_nodes)


@pytest.mark.parametrize(
    ("policy", "sets"), [("error", [["n3"], ["n1", "CAT"]]), ("drop", [["n3"], ["CAT"]])]
)
def test_ambiguous_names_are_asked_about(policy: str, sets: list) -> None:
    refusal = lookup_refusal(DataError("?"), NamedScorer(), sets, policy)
    content = refusal.content()
    assert content["error"] == "'CAT' may mean n1 (One) or n2 (Two); give the id of one."
    choices = [{"id": "n1", "title": "One"}, {"id": "n2", "title": "Two"}]
    assert content["candidates"] == {"CAT": choices}


def test_what_is_spelled_alike_is_suggested() -> None:
    refusal = lookup_refusal(DataError("?"), NamedScorer(), [["n1", "Seizures"]], "error")
    assert refusal.content()["error"].startswith(
        "the graph has no node 'Seizures' (did you mean 'Seizure', n3?); check the ids"
    )


@pytest.mark.parametrize(("body", "text"), WRONG.values(), ids=WRONG)
def test_wrong_bodies(client, body: bytes, text: str) -> None:
    refused(client, body, 422, text)


def test_unknown_nodes_are_named_but_not_all(client) -> None:
    nodes = ["n1", "x" * 1000, *(f"zz{i}" for i in range(1000))]
    error = refused(client, json.dumps({"nodes": nodes}).encode(), 422, "'zz3' and 996 more")
    assert len(error) < 500


@pytest.mark.slow
def test_of_many_the_one_that_cannot_be_looked_up_is_named(service) -> None:
    body = {"subgraphs": [{"nodes": ["n1"]}, {"nodes": ["zz"]}], "unknown_nodes": "drop"}
    answer = service().post("/v1/predict", json=body)
    assert (answer.status_code, answer.json()["field"]) == (422, "subgraphs[1].nodes")
