"""Numbers on a page that look measured and that nothing stands behind."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from pages.claims import claims_of
from pages.markdown import blocks

ALLOWED = Path(__file__).with_name("allowed.toml")
_NUMBER = r"(?<![\w.,])[-+×≈]?\d[\d.,]*"
_WORD = r"\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|thirty|hundred)"
_TIME = r"(?:s|ms|µs|ns|min|seconds?|milliseconds?|minutes?|hours?)\b"
MEASURED = {
    "a spread": rf"{_NUMBER}\s*±\s*\d[\d.]*",
    "a time": rf"(?:{_NUMBER}|{_WORD})\s+{_TIME}",
    "memory": rf"{_NUMBER}\s*(?:k|M|G|T)i?B\b",
    "a ratio": rf"{_NUMBER}\s*(?:×|times\b)|(?<!\w)×\s*\d[\d.,]*",
    "points": rf"(?:{_NUMBER}|{_WORD})\s+points?\b",
    "a p-value": r"\bp\s*[=<≈]\s*\d[\d.]*",
    "a share": rf"{_NUMBER}\s?%(?!\s+(?:bootstrap\s+)?interval)",
    "a score": r"(?<![\w.,])\d{2,3}\.\d(?![\d.])",
    "a cell of a table": r"(?<=\|)\s*[*`]*[-+]?\d[\d.,]*[*`]*\s*(?=\|)",
}
_FENCE = re.compile(r"^ *```(\w*)$(.*?)^ *```$", re.DOTALL | re.MULTILINE)
_CODE = {"python", "console", "toml", "json", "csv"}  # run by other tests, or settings
_DECIMAL = r"(?<![\w.,])\d[\d,]*\.\d+(?![\d.])"
_HIDDEN = (
    r"<!--.*?-->",
    r"(?<!`)`[^`\n]+`(?!`)",
    r"\]\([^)\s]+\)",
    r"\$[^$\n]+\$",
)


def unexplained(text: str, page: str) -> list[str]:
    """Measured-looking numbers of a page outside of tables, claims and what is allowed."""
    hidden = text
    for first, last in _explained(text, page):
        hidden = hidden[:first] + re.sub(r"[^\n]", " ", hidden[first:last]) + hidden[last:]
    hits, end = [], 0
    for kind, match in sorted(_measured(hidden), key=lambda pair: pair[1].span()):
        if match.start() >= end:
            end = match.end()
            line = text.count("\n", 0, match.start()) + 1
            hits.append(f"{page}:{line}: {kind}: {' '.join(match[0].split())}")
    return hits


def _measured(text: str) -> Iterator[tuple[str, re.Match[str]]]:
    """Everything that looks measured; in printed output that is every decimal number."""
    for kind, pattern in MEASURED.items():
        yield from ((kind, match) for match in re.finditer(pattern, text))
    for block in _FENCE.finditer(text):
        if block[1] in ("", "text"):
            decimals = re.compile(_DECIMAL).finditer(text, *block.span(2))
            yield from (("printed output", match) for match in decimals)


def _explained(text: str, page: str) -> Iterator[tuple[int, int]]:
    """Where numbers stand whose origin is known."""
    yield from ((first, last) for _, first, last in blocks(text))
    yield from (block.span() for block in _FENCE.finditer(text) if block[1] in _CODE)
    for pattern in _HIDDEN:
        yield from (m.span() for m in re.finditer(pattern, text, re.DOTALL | re.MULTILINE))
    for claim in claims_of(page):
        yield from (match.span() for match in claim.pattern().finditer(text))
    for entry in allowed(page):
        yield from (match.span() for match in entry_pattern(entry).finditer(text))


def allowed(page: str) -> list[dict[str, str]]:
    """What a page may say without a row, each with its reason."""
    with ALLOWED.open("rb") as stream:
        return list(tomllib.load(stream).get(page, {}).get("entries", []))


def entry_pattern(entry: dict[str, str]) -> re.Pattern[str]:
    """Finds what an entry allows: a piece of text, or the code block that begins with a line."""
    if "block" in entry:
        line = re.escape(entry["block"])
        return re.compile(rf"^```\w*\n{line}$.*?^```$", re.DOTALL | re.MULTILINE)
    return re.compile(r"\s+".join(map(re.escape, entry["text"].split())))
