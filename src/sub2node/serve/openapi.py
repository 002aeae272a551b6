"""The OpenAPI description: what FastAPI derives from the paths, and the bodies it cannot see."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from .. import __version__
from ..base.records import JsonObject
from .api_schemas import Error, ExplainBody, NeighborsBody, PredictMany, PredictOne

if TYPE_CHECKING:
    from fastapi import FastAPI

    from .service import Service

_REF = "#/components/schemas/"
_MEMBERS = 10  # per subgraph in an example
_REASONS = {
    400: "The body is not JSON.",
    401: "The token is missing or wrong.",
    408: "The body did not arrive in time.",
    413: "The body is too large.",
    415: "The body is not of the Content-Type that the path takes.",
    421: "The request is for a name that is not the service's own.",
    422: "A field has a wrong type, a subgraph is empty or too large, or a node is unknown.",
    500: "The service failed; its log says why.",
    503: "Too many requests wait; Retry-After says when to come back.",
    504: "The answer took too long.",
}
_ABOUT = """Labels for subgraphs of one large graph, from a trained model.

A subgraph is a set of nodes. Each one gets the answer that it would get alone, whatever else is in
the request. An error is {"error": "one sentence"}, with the field at fault where there is one."""


def describe_errors(statuses: Iterable[int]) -> dict[int | str, JsonObject]:
    """The refusals of a path, for its ``responses``."""
    return {status: {"model": Error, "description": _REASONS[status]} for status in statuses}


def describe_body(*names: str) -> JsonObject:
    """The body of a path, for its ``openapi_extra``: one of the models of these names."""
    choices = [{"$ref": _REF + name} for name in names]
    schema = choices[0] if len(choices) == 1 else {"oneOf": choices}
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


def describe_file_body() -> JsonObject:
    """The body of a path that takes the bytes of a file, for its ``openapi_extra``."""
    schema = {"type": "string", "format": "binary"}
    content = {"application/octet-stream": {"schema": schema}}
    return {"requestBody": {"required": True, "content": content}}


def _example_bodies(subgraphs: list[JsonObject]) -> dict[str, JsonObject]:
    """Bodies that work with this model, from its known subgraphs, by path."""
    sets = [subgraph["nodes"][:_MEMBERS] for subgraph in subgraphs] or [["a", "b"]]
    one, last = {"nodes": sets[0]}, {"nodes": sets[-1]}
    many = {"subgraphs": [{"id": "first", **one}, last], "unknown_nodes": "drop"}
    return {
        "/v1/predict": {
            "one": {"summary": "One subgraph", "value": one},
            "many": {"summary": "Many, without the nodes that are unknown", "value": many},
        },
        "/v1/explain": {"one": {"summary": "The likeliest label", "value": one}},
        "/v1/neighbors": {"one": {"summary": "Five like it", "value": {**one, "count": 5}}},
        "/v1/report": {"one": {"summary": "Its case report", "value": {**one, "id": "mine"}}},
    }


def describe_api(app: FastAPI, service: Service) -> JsonObject:
    """The description of the service, with its limits."""
    description = get_openapi(
        title="sub2node", version=__version__, description=_ABOUT, routes=app.routes
    )
    models: list[type[BaseModel]] = [
        PredictOne,
        PredictMany,
        ExplainBody,
        NeighborsBody,
    ]
    _, schemas = models_json_schema(
        [(model, "validation") for model in models], ref_template=_REF + "{model}"
    )
    for name, schema in schemas["$defs"].items():
        fields = schema["properties"]
        if "nodes" in fields:
            fields["nodes"]["maxItems"] = service.limits.nodes
        if "subgraphs" in fields:
            fields["subgraphs"]["maxItems"] = service.limits.subgraphs
        description["components"]["schemas"][name] = schema
    # Examples are subgraphs of the model, which only those with the token may see.
    subgraphs = [] if service.token else service.description["examples"]
    for path, examples in _example_bodies(subgraphs).items():
        content = description["paths"][path]["post"]["requestBody"]["content"]
        content["application/json"]["examples"] = examples
    if service.token:
        description["components"]["securitySchemes"] = {
            "token": {"type": "http", "scheme": "bearer"}
        }
        for path, methods in description["paths"].items():
            if path.startswith(("/v1/", "/metrics")):
                for method in methods.values():
                    method["security"] = [{"token": []}]
    return description
