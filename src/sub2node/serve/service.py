"""The answers of the service, one method a path."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from fastapi import Query as Asked
from pydantic import TypeAdapter, ValidationError
from starlette.requests import Request
from starlette.responses import Response

from ..errors import DataError
from . import answers
from .batching import Ask, Errand, ModelThread
from .bodies import EXPLAIN, NEIGHBORS, PREDICT, PredictMany, PredictOne, Subgraph
from .complaints import complaint, lookup_complaint
from .describe import describe
from .limits import GoneError, Limits, RefusalError, Token, read_body
from .metrics import CONTENT_TYPE, Metrics
from .pages import page_files

if TYPE_CHECKING:
    from ..scoring import Query, Scorer

PATHS = ("/", "/docs", "/openapi.json", "/healthz", "/metrics", "/v1/model", "/v1/nodes",
         "/v1/predict", "/v1/explain", "/v1/neighbors")  # fmt: skip

T = TypeVar("T")
One = TypeVar("One", bound=PredictOne)


class Service:
    """A model and the requests that it answers.

    Args:
        scorer: The model.
        limits: What a request may ask for.
        token: The secret that requests must show, if there is one.
    """

    def __init__(self, scorer: Scorer, limits: Limits, token: Token) -> None:
        self.scorer, self.limits, self.token = scorer, limits, token
        self.stopping = False
        paths = (*PATHS, *(file.path for file in page_files()))
        self.metrics = Metrics(paths, lambda: sum(map(len, self._threads)))
        # Answers wait neither for explanations, which take a hundred times as long, nor for a
        # search in the names of a large graph.
        self._threads = tuple(ModelThread(scorer, limits, self.metrics.ran) for _ in range(3))
        self.model_thread, self.why_thread, self.search_thread = self._threads
        self.description = describe(scorer, limits, token)
        self._described = answers.to_json(self.description)

    async def model(self) -> Response:
        """What the model is: its classes, its graph, its scores, and what a request may hold."""
        return _json(self._described)

    async def predict(self, request: Request) -> Response:
        """Labels of one subgraph or of many, each as if it were asked alone."""
        body, deadline = await self._body(request, PREDICT)
        asked = body.subgraphs if isinstance(body, PredictMany) else [body]
        request.scope["sub2node"].subgraphs = len(asked)
        self._check_sizes(asked, many=isinstance(body, PredictMany))
        ids = [one.id for one in asked]
        work = Ask(
            count=len(asked),
            query=partial(self._query, asked, body.unknown_nodes),
            render=partial(answers.predictions, ids),
        )
        return await self._answer(request, work, deadline)

    async def explain(self, request: Request) -> Response:
        """How much each member and each joined subgraph adds to a label's probability."""
        body, deadline = await self._one(request, EXPLAIN)
        if body.label is not None and body.label not in self.scorer.classes:
            raise RefusalError(
                422, "the model has no such label; GET /v1/model lists its classes.", field="label"
            )

        def run() -> bytes:
            query = self._query([body], body.unknown_nodes)
            found = self.scorer.explain(query, label=body.label)[0]
            return answers.explanation(body.id, found, self.scorer.around(query)[0])

        return await self._answer(request, Errand(run), deadline, self.why_thread)

    async def neighbors(self, request: Request) -> Response:
        """The known subgraphs that the model sees as most alike."""
        body, deadline = await self._one(request, NEIGHBORS)

        def run() -> bytes:
            query = self._query([body], body.unknown_nodes)
            return answers.neighbors(self.scorer.neighbors(query, count=body.count)[0])

        return await self._answer(request, Errand(run), deadline)

    async def nodes(
        self,
        request: Request,
        q: Annotated[
            str, Asked(min_length=1, max_length=200, description="Part of an id or a title.")
        ],
        count: Annotated[int, Asked(ge=1, le=100, description="Most nodes to list.")] = 20,
    ) -> Response:
        """Search nodes of the graph by id or title; those that begin with the text come first."""

        def run() -> bytes:
            return answers.nodes(self.scorer.find_nodes(q, count=count))

        return await self._answer(request, Errand(run), self._deadline(), self.search_thread)

    async def health(self) -> Response:
        """Whether the service takes requests; 503 while it finishes its last ones."""
        if self.stopping:
            return _json(b'{"status":"stopping"}', 503)
        return _json(b'{"status":"ok"}')

    async def counts(self) -> Response:
        """Requests, times, sizes of passes and the queue, as Prometheus reads them."""
        return Response(self.metrics.text(), media_type=CONTENT_TYPE)

    def warm_up(self) -> None:
        """Answer once of each kind, so that the first request does not wait for what is kept."""
        for example in self.description["examples"][:1]:
            query = self.scorer.ask([example["nodes"]])
            self.scorer.predict(query)
            self.scorer.neighbors(query)
            self.scorer.explain(query)
            self.scorer.around(query)
        self.scorer.find_nodes("0")

    def open(self) -> None:
        """Take requests."""
        self.stopping = False
        for thread in self._threads:
            thread.open()

    def close(self) -> None:
        """Finish what waits for the model."""
        for thread in self._threads:
            thread.close()

    def _deadline(self) -> float:
        return asyncio.get_running_loop().time() + self.limits.timeout

    async def _body(self, request: Request, kind: TypeAdapter[T]) -> tuple[T, float]:
        deadline = self._deadline()
        raw = await read_body(request, self.limits, deadline)
        try:
            return kind.validate_json(raw), deadline
        except ValidationError as error:
            raise complaint(error) from None

    async def _one(self, request: Request, kind: TypeAdapter[One]) -> tuple[One, float]:
        body, deadline = await self._body(request, kind)
        request.scope["sub2node"].subgraphs = 1
        self._check_sizes([body], many=False)
        return body, deadline

    def _check_sizes(self, asked: Sequence[Subgraph], *, many: bool) -> None:
        if len(asked) > self.limits.subgraphs:
            raise RefusalError(
                422,
                f"{len(asked):,} subgraphs in one request; at most {self.limits.subgraphs:,} go.",
                field="subgraphs",
            )
        for at, one in enumerate(asked):
            if len(one.nodes) > self.limits.nodes:
                raise RefusalError(
                    422,
                    f"a subgraph has {len(one.nodes):,} nodes; at most {self.limits.nodes:,} go.",
                    field=f"subgraphs[{at}].nodes" if many else "nodes",
                )

    def _query(self, asked: Sequence[Subgraph], policy: Any) -> Query:
        """Look the nodes up, on the model's thread."""
        sets = [one.nodes for one in asked]
        try:
            return self.scorer.ask(sets, unknown_nodes=policy)
        except DataError as error:
            raise lookup_complaint(error, self.scorer, sets, policy) from None

    async def _answer(
        self,
        request: Request,
        work: Ask | Errand,
        deadline: float,
        thread: ModelThread | None = None,
    ) -> Response:
        """Wait for the model's answer: until the deadline, and while the client waits, too."""
        answer = (thread or self.model_thread).submit(work)
        watch = asyncio.create_task(_watch(request.receive, answer))
        try:
            async with asyncio.timeout_at(deadline):
                return _json(await answer)
        except TimeoutError:
            text = f"the answer took longer than {self.limits.timeout:g} s; send fewer subgraphs"
            raise RefusalError(504, f"{text} or try again later.") from None
        finally:
            watch.cancel()


async def _watch(receive: Callable[[], Awaitable[Any]], answer: asyncio.Future[bytes]) -> None:
    """Drop a request whose client goes away."""
    while (await receive())["type"] != "http.disconnect":
        pass
    if not answer.done():
        answer.set_exception(GoneError())


def _json(content: bytes, status: int = 200) -> Response:
    return Response(content, status, media_type="application/json")
