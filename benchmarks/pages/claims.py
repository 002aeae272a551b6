"""Numbers in sentences: a text with places for numbers, and the rows that they are drawn from."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from string import Formatter

from pages.rows import ROOT

_WHOLE = r"(?![.,]?\d)"  # a number does not go on here
CLAIMS: dict[str, list[Callable[[], Iterable[Claim]]]] = {}


@dataclass(frozen=True)
class Claim:
    """A piece of a page with numbers in it.

    Args:
        text: As on the page, with places such as ``{best:.1f}``; line breaks do not matter.
        values: What stands in the places.
    """

    text: str
    values: dict[str, object]

    def __post_init__(self) -> None:
        if self.text.startswith("{") or self.text.endswith("}"):
            raise ValueError(f"a claim begins and ends with words: {self.text}")

    def said(self) -> str:
        """The text with its numbers, in one line."""
        return " ".join(self.text.format(**self.values).split())

    def pattern(self, *, any_numbers: bool = False) -> re.Pattern[str]:
        """Finds the text on a page: with these numbers, or with any in their places."""
        if not any_numbers:
            return re.compile(_loose(self.said()) + _WHOLE)
        parts = []
        for number, (fixed, place, _, _) in enumerate(Formatter().parse(self.text)):
            parts.append(_loose(fixed))
            if place is not None:
                parts.append(f"(?P<place{number}>.{{1,40}}?){_WHOLE}")
        return re.compile("".join(parts) + _WHOLE, re.DOTALL)


def claim(text: str, **values: object) -> Claim:
    """A claim whose values are given by name."""
    return Claim(text, values)


def claims_on(
    page: str,
) -> Callable[[Callable[[], Iterable[Claim]]], Callable[[], Iterable[Claim]]]:
    """Declare that a function yields claims of a page, named from the root of the repository."""

    def declared(function: Callable[[], Iterable[Claim]]) -> Callable[[], Iterable[Claim]]:
        CLAIMS.setdefault(page, []).append(function)
        return function

    return declared


def claims_of(page: str) -> Iterator[Claim]:
    """All claims of a page."""
    for function in CLAIMS.get(page, []):
        yield from function()


def wrong_claims(page: str) -> list[str]:
    """What a page should say and does not."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return [each.said() for each in claims_of(page) if not each.pattern().search(text)]


def with_claims(text: str, page: str) -> str:
    """A page with the numbers in its sentences written anew."""
    for each in claims_of(page):
        pattern = each.pattern(any_numbers=True)
        matches = list(pattern.finditer(text))
        if not matches:
            raise ValueError(f"{page} does not say: {each.said()}")
        for match in reversed(matches):
            text = text[: match.start()] + _filled(each, match) + text[match.end() :]
    return text


def _filled(each: Claim, match: re.Match[str]) -> str:
    """What was matched, with the numbers of the rows in their places and its own line breaks."""
    text, start = match[0], match.start()
    for number, (_, place, form, _) in reversed(list(enumerate(Formatter().parse(each.text)))):
        if place is not None:
            first, last = (index - start for index in match.span(f"place{number}"))
            value = format(each.values[place], form or "")
            if text[first:last].split() != value.split():
                text = text[:first] + value + text[last:]
    return text


def _loose(text: str) -> str:
    """A pattern for a text with any white space between its words."""
    return re.sub(r"(\\?\s)+", r"\\s+", re.escape(text))
