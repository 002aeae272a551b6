"""What the tests of the service share; they need the extra ``serve``."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import pytest

from fake_scorer import FakeScorer

if any(find_spec(name) is None for name in ("fastapi", "uvicorn", "httpx")):
    collect_ignore_glob = ["test_*.py"]


class Client:
    """Asks an application without a server between; every request is whole when it returns."""

    def __init__(self, app: Any) -> None:
        from anyio.from_thread import start_blocking_portal

        self.app, self._portal = app, start_blocking_portal()
        self.portal = self._portal.__enter__()

    def get(self, path: str, **options: Any) -> Any:
        return self.portal.call(self._request, "GET", path, options)

    def post(self, path: str, **options: Any) -> Any:
        return self.portal.call(self._request, "POST", path, options)

    async def _request(self, method: str, path: str, options: dict[str, Any]) -> Any:
        import httpx

        if hasattr(content := options.get("content"), "__next__"):
            options = {**options, "content": _pieces(content)}
        transport = httpx.ASGITransport(self.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://s2n") as client:
            return await client.request(method, path, **options)

    def close(self) -> None:
        self.app.state.service.close()
        self._portal.__exit__(None, None, None)


async def _pieces(content: Any):
    for piece in content:
        yield piece


@pytest.fixture
def scorer() -> FakeScorer:
    return FakeScorer()


@pytest.fixture
def service(scorer: FakeScorer):
    """Makes clients of one model: ``service(nodes=5, token='x')``."""
    from sub2node.serve.app import create_app
    from sub2node.serve.request_limits import Limits, Token

    clients = []

    def make(*, token: str | None = None, **limits: Any) -> Client:
        clients.append(Client(create_app(scorer, limits=Limits(**limits), token=Token(token))))
        return clients[-1]

    yield make
    scorer.may_run.set()
    for client in clients:
        client.close()


@pytest.fixture
def client(service) -> Client:
    return service()


@pytest.fixture(scope="package")
def trained_scorer():
    """A model that was trained, for a few epochs."""
    from sub2node.datasets import load_task
    from sub2node.estimator import SubgraphClassifier

    task = load_task("generate:density,subgraphs=40,seed=3")
    settings = {"epochs": 3, "features.kind": "random"}
    model = SubgraphClassifier("s2n+a", seeds=2, preset="fast", settings=settings)
    return model.fit(task).scorer_
