"""The way of a subgraph through ``s2n predict``, an explanation and the service: each step once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from commands import s2n
from small_models import drawn, save_model, write_csv, write_task
from sub2node import SubgraphClassifier, load_task
from sub2node.cli import file_prediction
from sub2node.scoring import load_scorer
from sub2node.scoring.forward import ForwardPass
from sub2node.scoring.network_scorer import NetworkScorer
from sub2node.scoring.node_index import NodeIndex
from sub2node.scoring.query_links import KnownGraph
from sub2node.serve.app import create_app
from sub2node.task import Subgraphs
from sub2node.translation import S2NGraph
from sub2node.translation.s2n_graph import Attachment

KNOWN = 30  # training subgraphs of the model


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    return save_model(tmp_path_factory.mktemp("walk"))


class Walk:
    """What was called: for how many subgraphs, call by call."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.patch = patch
        self.calls: dict[str, list[int]] = {}
        self.watch("attach", S2NGraph, "attach", lambda _, new, **options: len(new))
        self.watch("normalize known", S2NGraph, "normalize", lambda *_, **options: 1)
        self.watch(
            "normalize new",
            Attachment,
            "normalize",
            lambda rows, *_, **options: rows.known.shape[0],
        )
        self.watch("internal edges", Subgraphs, "internal_edges", lambda sets, _: len(sets))
        self.watch("neighbour edges", KnownGraph, "neighbor_edges", lambda _, links: len(links))
        self.watch("look up", NodeIndex, "find", lambda *_: 1)
        self.watch("answer", ForwardPass, "answer", lambda *_, **options: 1)
        self.watch("read", ForwardPass, "read", lambda *_: 1)
        # A model that is read answers for a few known subgraphs first; that is not part of the way.
        patch.setattr(NetworkScorer, "check_answers", lambda scorer: None)

    def watch(self, what: str, owner: Any, name: str, size: Callable[..., int]) -> None:
        real, sizes = getattr(owner, name), self.calls.setdefault(what, [])

        def watched(*given: Any, **options: Any) -> Any:
            sizes.append(size(*given, **options))
            return real(*given, **options)

        self.patch.setattr(owner, name, watched)

    def forget(self) -> None:
        for sizes in self.calls.values():
            sizes.clear()


@pytest.fixture
def walk(monkeypatch) -> Walk:
    return Walk(monkeypatch)


@pytest.mark.slow
def test_a_file(model: Path, tmp_path: Path, walk: Walk, monkeypatch) -> None:
    path = write_csv(tmp_path / "new.csv", drawn(30))
    opens, real = [], Path.open

    def counted(file: Path, *given: Any, **options: Any) -> Any:
        opens.append(file)
        return real(file, *given, **options)

    monkeypatch.setattr(Path, "open", counted)
    monkeypatch.setattr(file_prediction, "_BATCH", 10)
    assert s2n("predict", model, path, "-o", tmp_path / "out.csv").code == 0
    assert opens.count(path) == 4  # is it text, its header, its layout; once from beginning to end
    batches = [10, 10, 10]
    assert sorted(walk.calls.pop("internal edges")) == sorted([*batches, KNOWN])
    assert walk.calls == {
        "attach": batches,
        "normalize known": [1],
        "normalize new": batches,
        "neighbour edges": batches,
        "look up": [1, 1, 1],
        "answer": [1, 1, 1],
        "read": [1, 1, 1, 1],  # the known ones, once, and each batch
    }


def test_why(model: Path, walk: Walk) -> None:
    done = s2n("predict", model, "--nodes", "g1,g2,g20", "--why", "--json")
    assert json.loads(done.out)["why"]["neighbors"]
    once(walk, answers=1, known=True)


def once(walk: Walk, *, answers: int, known: bool) -> None:
    """One subgraph went the way, and each step was done once."""
    for step in ("attach", "normalize new", "neighbour edges", "look up"):
        assert walk.calls[step] == [1], step
    assert walk.calls["answer"] == [1] * answers
    assert walk.calls["normalize known"] == [1] * known
    assert sorted(walk.calls["internal edges"]) == [1] + [KNOWN] * known


def test_an_explanation_of_the_service(model: Path, walk: Walk) -> None:
    app = create_app(load_scorer(model))

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://s2n") as client:
            return await client.post("/v1/explain", json={"nodes": ["g1", "g2", "g20"]})

    try:
        app.state.service.warm_up()
        walk.forget()
        answer = asyncio.run(ask())
    finally:
        app.state.service.close()
    assert answer.json()["graph"]["nodes"]
    once(walk, answers=0, known=False)


@pytest.mark.parametrize("multilabel", [False, True])
def test_calibration(tmp_path: Path, walk: Walk, multilabel: bool) -> None:
    task = load_task(write_task(tmp_path / "data", multilabel=multilabel))
    settings = {"epochs": 2, "hidden": 8, "width": 8, "features.kind": "random"}
    SubgraphClassifier(seeds=2, preset="fast", settings=settings, threshold="val").fit(task)
    assert walk.calls["answer"] == [1, 1]  # the validation part, then the test part
    assert walk.calls["attach"] == [9, 9]
