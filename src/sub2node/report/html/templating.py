"""Templates of the pages, and the style that they share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ...base.errors import MissingExtraError

if TYPE_CHECKING:
    from jinja2 import Template
    from markupsafe import Markup

_HOME = Path(__file__).parent / "templates"


def load_template(
    name: str, job: str, filters: Mapping[str, Callable[..., object]], *, home: Path = _HOME
) -> tuple[Template, type[Markup], Markup]:
    """A template, ``Markup`` for what is HTML already, and the style sheet.

    Args:
        name: The file name of the template.
        job: What needs it, for the message where Jinja is missing.
        filters: The filters that the template uses, by name.
        home: The folder with the template.
    """
    try:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined
        from markupsafe import Markup
    except ImportError:
        raise MissingExtraError("jinja2", "report", job) from None
    environment = Environment(
        loader=FileSystemLoader(home, encoding="utf-8"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters.update(filters)
    style = Markup((_HOME / "style.css").read_text(encoding="utf-8"))
    return environment.get_template(name), Markup, style
