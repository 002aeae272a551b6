"""The service as an ASGI application."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from . import api_schemas as schemas
from .answer_json import to_json
from .docs_page import docs_page, docs_policy
from .error_responses import parameter_refusal
from .host_check import AllowedHosts
from .middleware import RequestMiddleware
from .not_found_page import not_found_page, wants_html
from .openapi import describe_api, describe_body, describe_errors, describe_file_body
from .request_limits import Limits, RefusalError, Token
from .service import Service
from .static_files import page_files

if TYPE_CHECKING:
    from ..base.records import JsonObject
    from ..scoring import Scorer

_POST_ERRORS = (400, 401, 408, 413, 415, 421, 422, 500, 503, 504)


def create_app(
    scorer: Scorer,
    *,
    limits: Limits | None = None,
    token: Token | None = None,
    name: str = "",
    hosts: AllowedHosts | None = None,
) -> FastAPI:
    """The application around a model; ``app.state.service`` is its :class:`Service`.

    Args:
        scorer: The model.
        limits: Limits on a request.
        token: The secret that requests must show, if there is one.
        name: What to call the data of the model; by default as the model does.
        hosts: The names for which the service answers; None: all.
    """
    service = Service(
        scorer, limits or Limits(), token=token or Token(None), name=name, hosts=hosts
    )

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        service.open()
        yield
        service.close()

    app = FastAPI(
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,
    )
    app.state.service = service
    app.add_middleware(RequestMiddleware, service=service)
    app.add_exception_handler(RefusalError, _refuse)
    app.add_exception_handler(HTTPException, _refuse)
    app.add_exception_handler(RequestValidationError, _refuse)
    _add_api(app, service)
    _add_operations(app, service)
    _add_pages(app, service)
    return app


def _add_api(app: FastAPI, service: Service) -> None:
    for path, method, answer, models in (
        ("/v1/predict", service.predict, schemas.Predictions, ("PredictOne", "PredictMany")),
        ("/v1/explain", service.explain, schemas.ExplanationBody, ("ExplainBody",)),
        ("/v1/neighbors", service.neighbors, schemas.NeighborsAnswer, ("NeighborsBody",)),
    ):
        app.add_api_route(
            path,
            method,
            methods=["POST"],
            responses={200: _describe_answer(answer), **describe_errors(_POST_ERRORS)},
            openapi_extra=describe_body(*models),
        )
    html = {"text/html": {"schema": {"type": "string"}}}
    app.add_api_route(
        "/v1/report",
        service.report,
        methods=["POST"],
        response_class=Response,
        responses={
            200: {"content": html, "description": "The page."},
            **describe_errors(_POST_ERRORS),
        },
        openapi_extra=describe_body("PredictOne"),
    )
    app.add_api_route(
        "/v1/sets",
        service.sets,
        methods=["POST"],
        responses={200: _describe_answer(schemas.ReadSets), **describe_errors(_POST_ERRORS)},
        openapi_extra=describe_file_body(),
    )
    app.add_api_route(
        "/v1/nodes",
        service.nodes,
        responses={
            200: _describe_answer(schemas.NodesAnswer),
            **describe_errors((401, 421, 422, 500, 503, 504)),
        },
    )
    app.add_api_route(
        "/v1/model",
        service.model,
        responses={200: _describe_answer(schemas.ModelAnswer), **describe_errors((401, 421, 500))},
    )


def _add_operations(app: FastAPI, service: Service) -> None:
    app.add_api_route(
        "/healthz",
        service.health,
        responses={
            200: _describe_answer(schemas.Status),
            503: {
                "model": schemas.Status,
                "description": "The service finishes its last requests.",
            },
            **describe_errors((421,)),
        },
    )
    plain = {"text/plain": {"schema": {"type": "string"}}}
    app.add_api_route(
        "/metrics",
        service.counts,
        response_class=Response,
        responses={
            200: {"content": plain, "description": "The counts."},
            **describe_errors((401, 421)),
        },
    )


def _add_pages(app: FastAPI, service: Service) -> None:
    for file in page_files():
        app.add_route(file.path, file.respond, methods=["GET"], include_in_schema=False)
    description = describe_api(app, service)
    app.openapi_schema = description
    description_json, page = to_json(description), docs_page(description)
    policy = {"Content-Security-Policy": docs_policy(), "Cache-Control": "no-cache"}

    async def openapi(_: Request) -> Response:
        return Response(description_json, media_type="application/json")

    async def docs(_: Request) -> Response:
        return Response(page, headers=policy, media_type="text/html; charset=utf-8")

    app.add_route("/openapi.json", openapi, include_in_schema=False)
    app.add_route("/docs", docs, include_in_schema=False)


def _describe_answer(model: type[BaseModel]) -> JsonObject:
    return {"model": model, "description": model.__doc__ or ""}


async def _refuse(request: Request, error: Any) -> Response:
    """A response for any refusal, those of FastAPI included, with our content."""
    vary = {"Vary": "Accept"}
    if isinstance(error, HTTPException) and error.status_code == 404 and wants_html(request):
        page = not_found_page(request.url.path)
        return Response(page, 404, vary, media_type="text/html; charset=utf-8")
    if isinstance(error, RequestValidationError):
        error = parameter_refusal(error.errors())
    elif isinstance(error, HTTPException):
        error = RefusalError(
            error.status_code,
            _status_message(error.status_code),
            headers={**(error.headers or {}), **(vary if error.status_code == 404 else {})},
        )
    return Response(
        to_json(error.content()), error.status, error.headers, media_type="application/json"
    )


def _status_message(status: int) -> str:
    texts = {
        404: "there is nothing at this address; GET /docs lists what there is.",
        405: "this address takes another method; the header Allow names it.",
    }
    return texts.get(status, "the request cannot be answered.")
