"""The OpenAPI description as a plain HTML page without external resources."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from html import escape

from ..base.records import JsonObject

_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h2 { margin-top: 2.5rem; font-size: 1.15rem; border-top: 1px solid #8886; padding-top: 1rem; }
h3 { font-size: 1rem; margin-bottom: .3rem; }
code, pre { font: .875em/1.45 ui-monospace, monospace; }
pre { overflow-x: auto; background: #8881; padding: .75rem; border-radius: .4rem; }
table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; vertical-align: top; padding: .3rem .75rem .3rem 0;
         border-bottom: 1px solid #8883; }
.method { text-transform: uppercase; font-weight: 700; margin-right: .5rem; }
"""


def docs_policy() -> str:
    """The Content-Security-Policy of the page: its own style and nothing else."""
    digest = b64encode(sha256(_STYLE.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; frame-ancestors 'none'"
    )


def docs_page(description: JsonObject) -> str:
    """HTML with a section for each path and a table for each model of the description."""
    info = description["info"]
    return "".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(info['title'])}</title><style>{_STYLE}</style></head><body><main>",
            f"<h1>{escape(info['title'])} {escape(info['version'])}</h1>",
            *(_paragraphs_html(info["description"])),
            '<p>For machines: <a href="/openapi.json">openapi.json</a>.</p>',
            *(
                part
                for path, methods in description["paths"].items()
                for method, operation in methods.items()
                for part in _operation_html(path, method, operation)
            ),
            *(
                part
                for name, schema in sorted(description["components"]["schemas"].items())
                for part in _schema_html(name, schema)
            ),
            "</main></body></html>",
        ]
    )


def _operation_html(path: str, method: str, operation: JsonObject) -> Iterator[str]:
    yield f'<h2><span class="method">{escape(method)}</span><code>{escape(path)}</code></h2>'
    yield from _paragraphs_html(operation.get("description", ""))
    if rows := operation.get("parameters"):
        yield "<h3>Parameters</h3><table>"
        for row in rows:
            need = "required" if row.get("required") else "optional"
            text = escape(row.get("description", ""))
            yield f"<tr><td><code>{escape(row['name'])}</code></td>"
            yield f"<td>{_type_html(row['schema'])}</td><td>{need}</td><td>{text}</td></tr>"
        yield "</table>"
    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if content:
        yield f"<h3>Body: {_type_html(content['schema'])}</h3>"
        for example in content["examples"].values():
            body = json.dumps(example["value"], indent=2, ensure_ascii=False)
            yield f"<p>{escape(example['summary'])}:</p><pre>{escape(body)}</pre>"
    yield "<h3>Answers</h3><table>"
    for status, answer in sorted(operation["responses"].items()):
        kinds = " or ".join(
            _type_html(media["schema"]) for media in answer.get("content", {}).values()
        )
        text = escape(answer.get("description", ""))
        yield f"<tr><td>{escape(status)}</td><td>{kinds}</td><td>{text}</td></tr>"
    yield "</table>"


def _schema_html(name: str, schema: JsonObject) -> Iterator[str]:
    yield f'<h2 id="{escape(name)}"><code>{escape(name)}</code></h2>'
    yield from _paragraphs_html(schema.get("description", ""))
    needed = schema.get("required", [])
    yield "<table>"
    for field, kind in schema.get("properties", {}).items():
        need = "required" if field in needed else "optional"
        yield f"<tr><td><code>{escape(field)}</code></td><td>{_type_html(kind)}</td><td>{need}</td>"
        yield f"<td>{escape(kind.get('description', ''))}</td></tr>"
    yield "</table>"


def _type_html(schema: JsonObject) -> str:
    """A type for people to read; a model is a link to its table."""
    if "$ref" in schema:
        name = escape(schema["$ref"].rpartition("/")[2])
        return f'<a href="#{name}">{name}</a>'
    for choice in ("anyOf", "oneOf"):
        if choice in schema:
            return " or ".join(dict.fromkeys(_type_html(option) for option in schema[choice]))
    if "enum" in schema or "const" in schema:
        return " or ".join(escape(json.dumps(v)) for v in schema.get("enum", [schema.get("const")]))
    if "items" in schema:
        return f"list of {_type_html(schema['items'])}"
    if isinstance(schema.get("additionalProperties"), dict):
        return f"object of {_type_html(schema['additionalProperties'])}"
    return escape(str(schema.get("type", "")))


def _paragraphs_html(text: str) -> Iterator[str]:
    for part in filter(None, text.split("\n\n")):
        yield f"<p>{escape(part.strip())}</p>"
