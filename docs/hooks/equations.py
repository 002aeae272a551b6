"""Equations become MathML when the site is built: no script, no font and no network is needed."""

from __future__ import annotations

import html
import re
from typing import Any

from latex2mathml.converter import convert

_INLINE = re.compile(r'<span class="arithmatex">\\\((.*?)\\\)</span>', re.DOTALL)
_BLOCK = re.compile(r'<div class="arithmatex">\s*\\\[(.*?)\\\]\s*</div>', re.DOTALL)
_ROLE = re.compile(r":(?:py:)?(?:func|class|meth|mod|attr|data):(<code>)")


def on_page_content(content: str, **_: Any) -> str:
    """Replace what the Markdown extension marked; drop the roles of docstrings."""
    content = _BLOCK.sub(lambda found: _block(found[1]), content)
    content = _INLINE.sub(lambda found: _math(found[1], "inline"), content)
    return _ROLE.sub(r"\1", content)


def _block(latex: str) -> str:
    return f'<div class="equation">{_math(latex, "block")}</div>'


def _math(latex: str, display: str) -> str:
    source = html.unescape(latex).strip()
    return str(convert(source, display=display))
