"""The answers of the service, one method per path."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, TypeVar

from fastapi import Query as QueryParameter
from pydantic import TypeAdapter, ValidationError
from starlette.requests import Request
from starlette.responses import Response

from ..base.errors import DataError, NotFiniteError
from ..report.html import collect_cases
from ..report.html.case_page import render_cases
from . import answer_json
from .api_schemas import EXPLAIN, NEIGHBORS, PREDICT, REPORT, PredictMany, PredictOne, Subgraph
from .batching import BatchedJob, ModelThread, SingleJob
from .error_responses import body_refusal, lookup_refusal
from .host_check import AllowedHosts
from .model_description import describe_model
from .prometheus_metrics import CONTENT_TYPE, Metrics
from .request_limits import Deadlines, GoneError, Limits, RefusalError, Token, read_body
from .static_files import page_files
from .uploads import read_upload

if TYPE_CHECKING:
    from starlette.types import Receive

    from ..scoring import Query, Scorer
    from ..scoring.query import UnknownPolicy

PATHS = (
    "/",
    "/docs",
    "/openapi.json",
    "/healthz",
    "/metrics",
    "/v1/model",
    "/v1/nodes",
    "/v1/predict",
    "/v1/explain",
    "/v1/neighbors",
    "/v1/report",
    "/v1/sets",
)

_ANSWER_AFTER_STOP = 5.0  # seconds in which answers under way may be completed
_REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
_LAST_WORK = 1.0  # seconds in which the threads of the model may end

FileName = Annotated[
    str, QueryParameter(min_length=1, max_length=300, description="Name of the file.")
]
ColumnName = Annotated[
    str | None, QueryParameter(max_length=300, description="The column of the table that has it.")
]
BodyT = TypeVar("BodyT")
OneBodyT = TypeVar("OneBodyT", bound=PredictOne)


class Service:
    """A model and the requests that it answers.

    Args:
        scorer: The model.
        limits: Limits on a request.
        token: The secret that requests must show, if there is one.
        name: What to call the data of the model; by default as the model does.
        hosts: The names for which the service answers; None: all.
    """

    def __init__(
        self,
        scorer: Scorer,
        limits: Limits,
        *,
        token: Token,
        name: str = "",
        hosts: AllowedHosts | None = None,
    ) -> None:
        self.scorer, self.limits, self.token, self.hosts = scorer, limits, token, hosts
        self.name = name
        self.stopping = False
        self._deadlines = Deadlines()
        paths = (*PATHS, *(file.path for file in page_files()))
        self.metrics = Metrics(paths, lambda: sum(map(len, self._threads)))
        # Answers wait neither for explanations, which take a hundred times as long, nor for a
        # search in the names of a large graph.
        self._threads = tuple(
            ModelThread(scorer, limits, self.metrics.count_pass) for _ in range(3)
        )
        self.model_thread, self.explain_thread, self.search_thread = self._threads
        self.description = describe_model(scorer, limits, token=token, name=name)
        self._model_json = answer_json.to_json(self.description)

    async def model(self) -> Response:
        """The model: its classes, its graph, its scores, and the limits on a request."""
        return _json(self._model_json)

    async def predict(self, request: Request) -> Response:
        """Labels of one subgraph or of many; each gets the answer that it would get alone."""
        body, deadline = await self._read_body(request, PREDICT)
        many = isinstance(body, PredictMany)
        subgraphs = body.subgraphs if isinstance(body, PredictMany) else [body]
        request.scope["sub2node"].subgraphs = len(subgraphs)
        self._check_sizes(subgraphs, many=many)
        ids = [subgraph.id for subgraph in subgraphs]
        work = BatchedJob(
            count=len(subgraphs),
            query=partial(self._look_up, subgraphs, body.unknown_nodes),
            render=partial(answer_json.predictions_json, ids),
        )
        return await self._answer(request, work, deadline, self.model_thread)

    async def explain(self, request: Request) -> Response:
        """What each member and each joined subgraph contributes to a label's probability."""
        body, deadline = await self._read_one(request, EXPLAIN)
        self._check_explained(body)
        if body.label is not None and body.label not in self.scorer.classes:
            raise RefusalError(
                422, "the model has no such label; GET /v1/model lists its classes.", field="label"
            )

        def run() -> bytes:
            placed = self.scorer.place(self._look_up([body], body.unknown_nodes))
            (explanation,) = self.scorer.explain(placed, label=body.label)
            return answer_json.explanation_json(body.id, explanation, self.scorer.around(placed)[0])

        return await self._answer(request, SingleJob(run), deadline, self.explain_thread)

    async def report(self, request: Request) -> Response:
        """A case report: the answer with its reasons as one HTML page, to read or to print."""
        body, deadline = await self._read_one(request, REPORT)
        self._check_explained(body)

        def run() -> bytes:
            query = self._look_up([body], body.unknown_nodes, names=[body.id or "asked here"])
            cases = collect_cases(self.scorer, query)
            return render_cases(self.scorer, cases, name=self.name).encode(errors="replace")

        page = await self._answer(request, SingleJob(run), deadline, self.explain_thread)
        headers = {"Content-Security-Policy": _REPORT_POLICY, "Cache-Control": "no-store"}
        return Response(page.body, headers=headers, media_type="text/html; charset=utf-8")

    async def neighbors(self, request: Request) -> Response:
        """The known subgraphs whose vectors are most similar."""
        body, deadline = await self._read_one(request, NEIGHBORS)

        def run() -> bytes:
            query = self._look_up([body], body.unknown_nodes)
            return answer_json.neighbors_json(self.scorer.neighbors(query, count=body.count)[0])

        return await self._answer(request, SingleJob(run), deadline, self.model_thread)

    async def nodes(
        self,
        request: Request,
        q: Annotated[
            str,
            QueryParameter(min_length=1, max_length=200, description="Part of a name or an id."),
        ],
        count: Annotated[int, QueryParameter(ge=1, le=100, description="Most nodes to list.")] = 20,
    ) -> Response:
        """Search nodes of the graph by all their names; what begins with the text comes first."""

        def run() -> bytes:
            return answer_json.nodes_json(self.scorer.find_nodes(q, count=count))

        return await self._answer(request, SingleJob(run), self._deadline(), self.search_thread)

    async def sets(
        self,
        request: Request,
        name: FileName,
        subgraph_id: ColumnName = None,
        node_id: ColumnName = None,
        excluded: ColumnName = None,
    ) -> Response:
        """Read a file of subgraphs (Parquet, Excel, zip of phenopackets, …) to ask about them."""
        deadline = self._deadline()
        content = await read_body(
            request, self.limits, deadline, self._deadlines, media_type="application/octet-stream"
        )
        given = {"subgraph_id": subgraph_id, "node_id": node_id, "excluded": excluded}
        columns = {ours: theirs for ours, theirs in given.items() if theirs is not None}
        work = SingleJob(lambda: answer_json.to_json(read_upload(content, name, columns)))
        return await self._answer(request, work, deadline, self.search_thread)

    async def health(self) -> Response:
        """Whether the service takes requests; 503 while it finishes its last ones."""
        if self.stopping:
            return _json(b'{"status":"stopping"}', 503)
        return _json(b'{"status":"ok"}')

    async def counts(self) -> Response:
        """Numbers of requests, their times, sizes of passes and the queue, for Prometheus."""
        return Response(self.metrics.text(), media_type=CONTENT_TYPE)

    def warm_up(self) -> None:
        """Compute each kind of answer once, so that the first request does not wait for caches."""
        for example in self.description["examples"][:1]:
            placed = self.scorer.place(self.scorer.ask([example["nodes"]]))
            self.scorer.predict(placed)
            self.scorer.neighbors(placed)
            self.scorer.explain(placed)
            self.scorer.around(placed)
        self.scorer.find_nodes("0")

    def stop(self) -> None:
        """Announce the end: requests under way are answered within seconds, or refused."""
        self.stopping = True
        self._deadlines.stop()

    def open(self) -> None:
        """Accept requests."""
        self.stopping = False
        self._deadlines.reopen()
        for thread in self._threads:
            thread.open()

    def close(self) -> None:
        """End the threads of the model; work for which no client waits is skipped."""
        end = time.monotonic() + _LAST_WORK
        for thread in self._threads:
            thread.close(max(end - time.monotonic(), 0.0))

    def _deadline(self) -> float:
        return asyncio.get_running_loop().time() + self.limits.timeout

    async def _read_body(self, request: Request, kind: TypeAdapter[BodyT]) -> tuple[BodyT, float]:
        deadline = self._deadline()
        content = await read_body(request, self.limits, deadline, self._deadlines)
        try:
            return kind.validate_json(content), deadline
        except ValidationError as error:
            raise body_refusal(error) from None

    async def _read_one(
        self, request: Request, kind: TypeAdapter[OneBodyT]
    ) -> tuple[OneBodyT, float]:
        body, deadline = await self._read_body(request, kind)
        request.scope["sub2node"].subgraphs = 1
        self._check_sizes([body], many=False)
        return body, deadline

    def _check_sizes(self, subgraphs: Sequence[Subgraph], *, many: bool) -> None:
        if len(subgraphs) > self.limits.subgraphs:
            raise RefusalError(
                422,
                f"{len(subgraphs):,} subgraphs in one request; at most"
                f" {self.limits.subgraphs:,} are allowed.",
                field="subgraphs",
            )
        for number, subgraph in enumerate(subgraphs):
            size = len(subgraph.nodes) + len(subgraph.excluded)
            if size > self.limits.nodes:
                raise RefusalError(
                    422,
                    f"a subgraph has {size:,} nodes; at most {self.limits.nodes:,} are allowed.",
                    field=f"subgraphs[{number}].nodes" if many else "nodes",
                )

    def _check_explained(self, body: Subgraph) -> None:
        if (size := len(body.nodes) + len(body.excluded)) > self.limits.explained_nodes:
            raise RefusalError(
                422,
                f"a subgraph of {size:,} nodes is not explained; at most"
                f" {self.limits.explained_nodes:,} are. POST /v1/predict answers for it.",
                field="nodes",
            )

    def _look_up(
        self,
        subgraphs: Sequence[Subgraph],
        policy: UnknownPolicy,
        *,
        names: Sequence[str] | None = None,
    ) -> Query:
        """Look the nodes up, on the model's thread."""
        sets = [subgraph.nodes for subgraph in subgraphs]
        excluded = [subgraph.excluded for subgraph in subgraphs]
        try:
            return self.scorer.ask(sets, names=names, excluded=excluded, unknown_nodes=policy)
        except DataError as error:
            every = [[*own, *absent] for own, absent in zip(sets, excluded, strict=True)]
            raise lookup_refusal(error, self.scorer, every, policy) from None

    async def _answer(
        self,
        request: Request,
        work: BatchedJob | SingleJob,
        deadline: float,
        thread: ModelThread,
    ) -> Response:
        """Wait for the model's answer until the deadline, or until the client disconnects."""
        answer = thread.submit(work)
        watch = asyncio.create_task(_watch_client(request.receive, answer))
        try:
            async with self._deadlines.until(deadline, after_stop=_ANSWER_AFTER_STOP):
                return _json(await answer)
        except TimeoutError:
            if self.stopping:
                raise RefusalError(503, "the service stops before it has this answer.") from None
            text = f"the answer took longer than {self.limits.timeout:g} s; send fewer subgraphs"
            raise RefusalError(504, f"{text} or try again later.") from None
        except NotFiniteError as error:
            raise RefusalError(500, str(error)) from None
        finally:
            watch.cancel()


async def _watch_client(receive: Receive, answer: asyncio.Future[bytes]) -> None:
    """Drop a request whose client disconnects."""
    while (await receive())["type"] != "http.disconnect":
        pass
    if not answer.done():
        answer.set_exception(GoneError())


def _json(content: bytes, status: int = 200) -> Response:
    return Response(content, status, media_type="application/json")
