"""The OpenAPI description as a plain HTML page without external resources."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from html import escape

from ..base.records import JsonObject

_PLAIN_LIST = re.compile(r"\[[^\[\]{}]*\]")  # without objects or lists in it: in one line
_STYLE = """
:root { color-scheme: light dark; --line: #8884; --soft: #5b6675; }
@media (prefers-color-scheme: dark) { :root { --soft: #a6b1bd; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1, h2, h3, p, td, dd { overflow-wrap: anywhere; }
h2 { margin-top: 2.5rem; font-size: 1.15rem; border-top: 1px solid var(--line); padding-top: 1rem; }
h3 { font-size: 1rem; margin-bottom: .3rem; }
code, pre { font: .875em/1.45 ui-monospace, monospace; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #8881; padding: .75rem;
      border-radius: .4rem; }
nav ul { columns: 18rem; padding: 0; list-style: none; margin: 0 0 1rem; }
table { border-collapse: collapse; width: 100%; }
td { text-align: left; vertical-align: top; padding: .3rem .75rem .3rem 0;
     border-bottom: 1px solid var(--line); }
td:last-child { width: 50%; }
.method { text-transform: uppercase; font-weight: 700; margin-right: .5rem; }
@media (max-width: 40rem) {
  body { margin-top: 1rem; }
  table, tbody { display: block; }
  tr { display: block; border-bottom: 1px solid var(--line); padding: .4rem 0; }
  td { display: inline-block; border: 0; padding: 0 .75rem 0 0; }
  td:last-child { display: block; width: auto; color: var(--soft); }
}
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
            '<p>For machines: <a href="openapi.json">openapi.json</a>.',
            ' For people: <a href="./">the page</a>.</p>',
            *_contents_html(description),
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


def _contents_html(description: JsonObject) -> Iterator[str]:
    """A list of the addresses, each a link to its section."""
    yield '<nav aria-label="Addresses"><ul>'
    for path, methods in description["paths"].items():
        for method in methods:
            name = f'<span class="method">{escape(method)}</span><code>{escape(path)}</code>'
            yield f'<li><a href="#{_section_id(path, method)}">{name}</a></li>'
    yield "</ul></nav>"


def _section_id(path: str, method: str) -> str:
    return escape(f"{method}{path.replace('/', '-')}")


def _operation_html(path: str, method: str, operation: JsonObject) -> Iterator[str]:
    yield f'<h2 id="{_section_id(path, method)}">'
    yield f'<span class="method">{escape(method)}</span><code>{escape(path)}</code></h2>'
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
            body = _PLAIN_LIST.sub(lambda found: " ".join(found[0].split()), body)
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
