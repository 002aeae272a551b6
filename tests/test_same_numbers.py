"""One model, three ways to ask: Python, the command and HTTP say the same."""

from __future__ import annotations

import asyncio
import csv
import json
import re
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pyarrow.parquet as pq
import pytest

from commands import fork_process, s2n
from small_models import CLASSES, drawn, save_model, write_csv
from sub2node import SubgraphClassifier, load_task
from sub2node.scoring import load_scorer

TOLERANCE = 1e-6


@pytest.fixture(scope="module", params=["single", "multi"])
def model(request, tmp_path_factory) -> Path:
    return save_model(tmp_path_factory.mktemp(request.param), multilabel=request.param == "multi")


@pytest.fixture(scope="module")
def service_address(model: Path) -> Iterator[str]:
    """A service as ``s2n serve`` starts it."""
    process = fork_process("serve", model, "--port", "0", env={"COLUMNS": "300"})
    try:
        found, deadline = None, time.monotonic() + 60
        while found is None and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
            found = re.search(r"http://[\d.]+:\d+(?=\s)", process.printed()[0])
        assert found, process.printed()
        yield found[0]
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
    assert process.returncode == 0


@pytest.fixture(scope="module")
def held_out(model: Path) -> dict[str, list[str]]:
    """Subgraphs of the test part, and others that nobody has seen."""
    task = load_task(model.with_name("data"))
    names, sets = task.graph.names, task.subgraphs
    chosen = np.flatnonzero(task.split.mask("test"))
    asked = {
        sets.name_of(i): [names[n] for n in sets.nodes[sets.ptr[i] : sets.ptr[i + 1]]]
        for i in chosen
    }
    assert len(asked) == 9
    return {**asked, **drawn(11, seed=9)}


def posted(address: str, path: str, body: dict) -> dict:
    answer = httpx.post(f"{address}/v1/{path}", json=body, timeout=60)
    assert answer.status_code == 200, answer.text
    return answer.json()


def same(found: Any, wanted: Any) -> None:
    np.testing.assert_allclose(np.array(found, float), wanted, rtol=0, atol=TOLERANCE)


def test_probabilities(model: Path, service_address: str, held_out: dict, tmp_path: Path) -> None:
    python = SubgraphClassifier.load(model)
    sets, wanted = list(held_out.values()), python.answers(list(held_out.values()))
    assert np.ptp(wanted.probabilities, axis=0).min() > 100 * TOLERANCE
    same(python.predict_proba(sets), wanted.probabilities)
    path = write_csv(tmp_path / "new.csv", held_out)
    for ending in (".csv", ".parquet", ".jsonl"):
        assert s2n("predict", model, path, "-o", tmp_path / f"out{ending}").code == 0
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as text:
        rows = list(csv.DictReader(text))
    tables = {
        "csv": rows,
        "parquet": pq.read_table(tmp_path / "out.parquet").to_pylist(),
        "jsonl": list(map(json.loads, (tmp_path / "out.jsonl").read_text("utf-8").splitlines())),
        "json": json.loads(s2n("predict", model, path, "--json").out)["answers"],
    }
    for rows in tables.values():
        assert [row["subgraph_id"] for row in rows] == list(held_out)
        same([[row[f"p {name}"] for name in CLASSES] for row in rows], wanted.probabilities)
        same([row["known"] for row in rows], wanted.known)
    assert [row["prediction"] for row in tables["json"]] == wanted.labels
    asked = [{"id": name, "nodes": nodes} for name, nodes in held_out.items()]
    many = posted(service_address, "predict", {"subgraphs": asked})["predictions"]
    one = [posted(service_address, "predict", body)["predictions"][0] for body in asked]
    for said in (many, one):
        assert [row["id"] for row in said] == list(held_out)
        same([[row["probabilities"][c] for c in CLASSES] for row in said], wanted.probabilities)
        same([[row["spread"][c] for c in CLASSES] for row in said], wanted.spread)
        lists = [[x] if isinstance(x, str) else x for x in wanted.labels]
        assert [row["labels"] for row in said] == lists


def test_one_subgraph_by_its_nodes(model: Path, service_address: str) -> None:
    nodes = ["g3", "g17", "zz"]
    done = s2n("predict", model, "--nodes", ",".join(nodes), "--unknown-nodes", "drop", "--json")
    command = json.loads(done.out)
    body = {"nodes": nodes, "unknown_nodes": "drop"}
    (http,) = posted(service_address, "predict", body)["predictions"]
    same([command[f"p {c}"] for c in CLASSES], [http["probabilities"][c] for c in CLASSES])
    assert command["known"] == pytest.approx(http["known"]) == pytest.approx(2 / 3)
    assert command["unknown"] == http["unknown"] == ["zz"]


def test_explanations(model: Path, service_address: str, held_out: dict) -> None:
    python = SubgraphClassifier.load(model)
    seen = 0
    for nodes in list(held_out.values())[:4]:
        for label in (None, CLASSES[1]):
            (wanted,) = python.explain([nodes], label)
            body = {"nodes": nodes, **({} if label is None else {"label": label})}
            http = posted(service_address, "explain", body)
            assert http["label"] == wanted.label
            for name in ("probability", "baseline", "gap"):
                same(http[name], getattr(wanted, name))
            for part in ("members", "neighbors"):
                mine, theirs = getattr(wanted, part), http[part]
                same([one["contribution"] for one in theirs], [one.value for one in mine])
                by_id = {one.id: one.value for one in mine}
                same([by_id[one["id"]] for one in theirs],
                     [one["contribution"] for one in theirs])  # fmt: skip
                assert {one["id"]: one["title"] for one in theirs} == {
                    one.id: one.title for one in mine
                }
                seen += len(theirs) * (part == "neighbors")
            (asked,) = posted(service_address, "predict", {"nodes": nodes})["predictions"]
            same(http["probability"], asked["probabilities"][wanted.label])
        words = ("--nodes", ",".join(nodes), "--why", "--json")
        why = json.loads(s2n("predict", model, *words).out)["why"]
        (wanted,) = python.explain([nodes])
        same([one["value"] for one in why["members"]], [one.value for one in wanted.members])
    assert seen > 5


def test_neighbors(model: Path, service_address: str, held_out: dict) -> None:
    python = SubgraphClassifier.load(model)
    for nodes in list(held_out.values())[:4]:
        (wanted,) = python.neighbors([nodes], count=6)
        http = posted(service_address, "neighbors", {"nodes": nodes, "count": 6})["neighbors"]
        same([one["similarity"] for one in http], [one.similarity for one in wanted])
        assert [tuple(one["labels"]) for one in http] == [one.labels for one in wanted]


def test_many_clients_at_once(model: Path, service_address: str, held_out: dict) -> None:
    wanted = SubgraphClassifier.load(model).predict_proba(list(held_out.values()))
    asked = [(i, nodes) for _ in range(6) for i, nodes in enumerate(held_out.values())]
    with httpx.Client(timeout=60) as client, ThreadPoolExecutor(16) as pool:

        def ask(item: tuple[int, list[str]]) -> list[float]:
            body = {"nodes": item[1], "id": str(item[0])}
            (row,) = client.post(f"{service_address}/v1/predict", json=body).json()["predictions"]
            assert row["id"] == str(item[0])
            return [row["probabilities"][c] for c in CLASSES]

        found = list(pool.map(ask, asked))
    same(found, [wanted[i] for i, _ in asked])


class Held:
    """A model whose passes wait until they may run; it notes how large they are."""

    def __init__(self, scorer: Any) -> None:
        self.scorer, self.sizes = scorer, []
        self.may_run, self.waits = threading.Event(), threading.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.scorer, name)

    def predict(self, query: Any, **options: Any) -> Any:
        self.waits.set()
        assert self.may_run.wait(30)
        self.sizes.append(len(query))
        return self.scorer.predict(query, **options)


@pytest.mark.slow
def test_requests_that_share_a_pass(model: Path, held_out: dict) -> None:
    from sub2node.serve.app import create_app

    held = Held(load_scorer(model))
    app = create_app(held)
    sets = list(held_out.values())
    alone = [load_scorer(model).predict(held.ask([nodes])).probabilities[0] for nodes in sets]

    async def ask_all() -> list[httpx.Response]:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://s2n") as client:

            def ask(nodes: list[str]) -> asyncio.Task[httpx.Response]:
                return asyncio.create_task(client.post("/v1/predict", json={"nodes": nodes}))

            first = ask(["g0"])
            while not held.waits.is_set():
                await asyncio.sleep(0.01)
            others = [ask(nodes) for nodes in [*sets, ["not a node"]]]
            while len(app.state.service.model_thread) <= len(sets):
                await asyncio.sleep(0.01)
            held.may_run.set()
            await first
            return await asyncio.gather(*others)

    try:
        *good, bad = asyncio.run(asyncio.wait_for(ask_all(), 25))
    finally:
        held.may_run.set()
        app.state.service.close()
    assert bad.status_code == 422
    assert held.sizes == [1, len(sets)]
    found = [answer.json()["predictions"][0]["probabilities"] for answer in good]
    same([[row[c] for c in CLASSES] for row in found], alone)
