"""Requests that share a pass of the model: the same answers, and no one pays for another."""

from __future__ import annotations

import asyncio
import random
import threading
import time

import httpx
import pytest

from fake_scorer import FakeScorer, hashed
from sub2node.serve.app import create_app
from sub2node.serve.batching import BatchedJob, ModelThread, SingleJob
from sub2node.serve.request_limits import Limits


def running(app, work):
    """Run ``work(client)`` against the application, without a server."""

    async def run():
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://s2n") as client:
            return await work(client)

    try:
        return asyncio.run(run())
    finally:
        app.state.service.close()


async def begun(scorer: FakeScorer, request) -> asyncio.Task:
    """A request that the model is busy with, and that holds it until it may run."""
    scorer.may_run.clear()
    task = asyncio.create_task(request)
    while not scorer.busy:
        await asyncio.sleep(0.005)
    return task


async def together(scorer: FakeScorer, requests):
    """Let all requests but the first wait while the model is busy with that one."""
    first, *others = requests
    tasks = [await begun(scorer, first), *map(asyncio.create_task, others)]
    await asyncio.sleep(0.3)
    scorer.may_run.set()
    return await asyncio.gather(*tasks)


@pytest.mark.slow
def test_the_same_answers_for_fifty_clients(scorer: FakeScorer) -> None:
    rng = random.Random(1)
    nodes = [f"n{i}" for i in range(200) if i != 13]
    sets = [[rng.sample(nodes, rng.randint(1, 12)) for _ in range(8)] for _ in range(50)]
    scorer.seconds = 0.002

    async def one(client, mine):
        found = []
        for at, members in enumerate(mine):
            body = {"nodes": members} if at % 2 else {"subgraphs": [{"nodes": members}] * 2}
            answer = await client.post("/v1/predict", json=body)
            assert answer.status_code == 200
            found.append(answer.json()["predictions"])
        return found

    async def work(client):
        return await asyncio.gather(*(one(client, mine) for mine in sets))

    app = create_app(scorer, limits=Limits(batch=16))
    for mine, found in zip(sets, running(app, work), strict=True):
        for at, (members, answers) in enumerate(zip(mine, found, strict=True)):
            assert len(answers) == (1 if at % 2 else 2)
            for answer in answers:
                alone = scorer.predict(scorer.ask([members]))
                assert list(answer["probabilities"].values()) == alone.probabilities[0].tolist()
                assert answer["labels"] == [alone.labels[0]]
    assert max(scorer.passes) > 4  # they did share
    assert max(scorer.passes) <= 16
    assert scorer.threads == {"model", "MainThread"}  # MainThread: the test itself


@pytest.mark.slow
def test_wrong_ones_fail_alone(scorer: FakeScorer) -> None:
    good = [[f"n{i}"] for i in range(20, 30)]

    async def work(client):
        bodies = [{"nodes": nodes} for nodes in good]
        bodies[3:3] = [{"nodes": ["zz"]}, {"nodes": ["n13"]}]  # unknown; makes the model fail
        return await together(scorer, (client.post("/v1/predict", json=b) for b in bodies))

    found = running(create_app(scorer), work)
    assert [answer.status_code for answer in found] == [200] * 3 + [422, 500] + [200] * 7
    right = [answer for answer in found if answer.status_code == 200]
    for answer, nodes in zip(right, good, strict=True):
        values = answer.json()["predictions"][0]["probabilities"].values()
        assert list(values) == hashed(tuple(nodes)).tolist()


@pytest.mark.slow
def test_other_requests_keep_their_place(scorer: FakeScorer) -> None:
    async def work(client):
        kinds = ["predict", "neighbors", "predict", "predict", "neighbors", "predict"]
        return await together(
            scorer, (client.post(f"/v1/{kind}", json={"nodes": ["n1"]}) for kind in kinds)
        )

    assert {answer.status_code for answer in running(create_app(scorer), work)} == {200}
    assert scorer.passes == [1, 1, 2, 1, 1]
    assert scorer.threads == {"model"}


@pytest.mark.slow
def test_time_out(scorer: FakeScorer) -> None:
    async def work(client):
        started = time.monotonic()
        under_way = await begun(scorer, client.post("/v1/predict", json={"nodes": ["n1"]}))
        second = await client.post("/v1/predict", json={"nodes": ["n2"]})
        first = await under_way
        took = time.monotonic() - started
        scorer.may_run.set()
        return first, second, took, await client.post("/v1/predict", json={"nodes": ["n3"]})

    first, second, took, later = running(create_app(scorer, limits=Limits(timeout=0.3)), work)
    assert (first.status_code, second.status_code, later.status_code) == (504, 504, 200)
    assert 0.25 < took < 3
    assert "longer than 0.3 s" in first.json()["error"]
    assert sum(scorer.passes) == 2  # the one under way and the last; the waiting one was dropped


@pytest.mark.slow
def test_full_queue(scorer: FakeScorer) -> None:
    async def work(client):
        return await together(
            scorer, (client.post("/v1/predict", json={"nodes": [f"n{i}"]}) for i in range(20, 30))
        )

    found = running(create_app(scorer, limits=Limits(waiting=4)), work)
    away = [answer for answer in found if answer.status_code == 503]
    assert len(away) == 5  # one is with the model, four wait
    assert away[0].headers["retry-after"] == "1"
    assert "too many requests wait" in away[0].json()["error"]
    assert all(answer.status_code in (200, 503) for answer in found)


@pytest.mark.slow
def test_a_client_that_leaves_is_dropped(scorer: FakeScorer) -> None:
    app = create_app(scorer)
    service = app.state.service

    async def work(_):
        leave = asyncio.Event()
        sent = []

        async def ask(node: str, leaves: bool) -> None:
            body = b'{"nodes": ["%s"]}' % node.encode()
            messages = [{"type": "http.request", "body": body}]

            async def receive():
                if messages:
                    return messages.pop()
                await (leave if leaves else asyncio.Event()).wait()
                return {"type": "http.disconnect"}

            async def send(message):
                sent.append((node, message))

            scope = {"type": "http", "method": "POST", "path": "/v1/predict", "query_string": b"",
                     "headers": [(b"content-type", b"application/json")]}  # fmt: skip
            await app(scope, receive, send)

        tasks = [await begun(scorer, ask("n1", False))]
        tasks += [asyncio.create_task(ask(*one)) for one in (("n2", True), ("n3", False))]
        await asyncio.sleep(0.2)
        leave.set()
        await asyncio.sleep(0.1)
        assert tasks[1].done()
        scorer.may_run.set()
        await asyncio.gather(*tasks)
        return sent

    answered = {node for node, _ in running(app, work)}
    assert answered == {"n1", "n3"}
    assert sum(scorer.passes) == 2
    assert 's2n_requests_total{path="/v1/predict",status="499"} 1' in service.metrics.text()


def test_close_finishes_what_waits(scorer: FakeScorer) -> None:
    scorer.seconds = 0.02

    async def work():
        thread = ModelThread(scorer, Limits(batch=1), lambda subgraphs, requests: None)
        asks = [
            BatchedJob(1, lambda: scorer.ask([["n1"]]), lambda said, rows: str(rows).encode())
            for _ in range(5)
        ]
        answers = [thread.submit(ask) for ask in asks]
        await asyncio.get_running_loop().run_in_executor(None, thread.close, 20)
        found = await asyncio.wait_for(asyncio.gather(*answers), 10)
        assert found == [b"range(0, 1)"] * 5
        with pytest.raises(Exception, match="busy"):
            thread.submit(SingleJob(lambda: b""))

    asyncio.run(work())


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/v1/explain", "/v1/nodes"])
def test_a_prediction_waits_neither_for_an_explanation_nor_for_a_search(
    scorer: FakeScorer, path, monkeypatch
) -> None:
    release = threading.Event()
    for name in ("explain", "find_nodes"):
        real = getattr(scorer, name)

        def slow(*arguments, real=real, **options):
            release.wait(20)
            return real(*arguments, **options)

        monkeypatch.setattr(scorer, name, slow)

    async def work(client):
        if path == "/v1/explain":
            request = client.post(path, json={"nodes": ["n1", "n2"]})
        else:
            request = client.get(path, params={"q": "n1"})
        long_work = asyncio.create_task(request)
        await asyncio.sleep(0.1)
        try:
            answer = await client.post("/v1/predict", json={"nodes": ["n3"]}, timeout=5)
            assert not long_work.done()
        finally:
            release.set()
        return answer, await long_work

    answer, long_answer = running(create_app(scorer, limits=Limits(timeout=3)), work)
    assert answer.status_code == long_answer.status_code == 200


def test_a_large_subgraph_is_not_explained(scorer: FakeScorer) -> None:
    async def work(client):
        body = {"nodes": ["n1", "n2", "n3"]}
        return await client.post("/v1/explain", json=body), await client.post(
            "/v1/predict", json=body
        )

    refusal, answer = running(create_app(scorer, limits=Limits(explained_nodes=2)), work)
    assert refusal.status_code == 422
    assert "3 nodes is not explained; at most 2 are" in refusal.json()["error"]
    assert answer.status_code == 200
