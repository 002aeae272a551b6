"""Templates of the pages, and the style that they share."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...errors import MissingExtraError

_HOME = Path(__file__).parent / "templates"


def template(name: str, job: str, filters: Mapping[str, Any]) -> tuple[Any, Any, Any]:
    """A template, ``Markup`` for what is HTML already, and the style sheet.

    Args:
        name: Of the file.
        job: What needs it, for the message where Jinja is missing.
        filters: That the template uses.
    """
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
        from markupsafe import Markup
    except ImportError:
        raise MissingExtraError("jinja2", "report", job) from None
    environment = Environment(
        loader=FileSystemLoader(_HOME, encoding="utf-8"), autoescape=True, trim_blocks=True,
        lstrip_blocks=True, undefined=StrictUndefined,
    )  # fmt: skip
    environment.filters.update(filters)
    style = Markup((_HOME / "style.css").read_text(encoding="utf-8"))
    return environment.get_template(name), Markup, style
