"""Sentences that say which model is better: each needs a claim with rows behind it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pages.claims import claims_of
from pages.markdown import blocks
from pages.scanner import allowed, entry_pattern

_PAGES = ("README.md", "docs/")
_COMPARED = (
    r"above|below|ahead|behind|better|worse|beats?|faster|slower|outperforms?|as (?:well|good) as"
    r"|lift(?:s|ed)?|raise[sd]?|lower(?:s|ed)?|solve[sd]?|times (?:less|more|as)|higher|exceeds?"
    r"|improve[sd]?|helps?|hurts?|stronger|weaker|(?:more|less) accurate|significantly"
)
_MODELS = (
    r"S2N|CoS2N|GLASS|SubGNN|Sub2Vec|GCN|GIN|GCNII|GATv2|RWPE|LapPE|[Ss]eparated|[Cc]onnected"
    r"|networks?|bags?|statistics|forest|trees|hops|WL|`\+?(?:best|bag|hops|wl|gbdt)`"
)
COMPARISON = re.compile(rf"\b(?:{_COMPARED})\b")
MODEL = re.compile(rf"(?<!\w)(?:{_MODELS})(?!\w)")
_APART = re.compile(
    r"^```.*?^```$|^\|[^\n]*$|^#[^\n]*$|<!--.*?-->|^ {4}\S[^\n]*$", re.DOTALL | re.MULTILINE
)
_SENTENCE = re.compile(r"(?:[^.!?]|[.!?](?=[\w(`*]))+[.!?]?")


def unbacked_conclusions(text: str, page: str) -> list[str]:
    """Sentences of a page that compare models and that no claim stands behind."""
    if not page.startswith(_PAGES):
        return []
    backed = list(_backed(text, page))
    hits = []
    for sentence in _sentences(text):
        if not (COMPARISON.search(sentence[0]) and MODEL.search(sentence[0])):
            continue
        if not any(first < sentence.end() and sentence.start() < last for first, last in backed):
            begins = sentence.end() - len(sentence[0].lstrip())
            line = text.count("\n", 0, begins) + 1
            hits.append(f"{page}:{line}: a conclusion: {' '.join(sentence[0].split())}")
    return hits


def _sentences(text: str) -> Iterator[re.Match[str]]:
    """Sentences outside of tables, code, headings and generated blocks."""
    for first, last in [span[1:] for span in blocks(text)] + [
        match.span() for match in _APART.finditer(text)
    ]:
        text = text[:first] + re.sub(r"[^\n]", ".", text[first:last]) + text[last:]
    yield from _SENTENCE.finditer(re.sub(r"\n(?=\s*(?:\n|[-*|]\s|\d+\. ))", ".", text))


def _backed(text: str, page: str) -> Iterator[tuple[int, int]]:
    """Where claims stand, and what is allowed with a reason."""
    for claim in claims_of(page):
        yield from (match.span() for match in claim.pattern().finditer(text))
    for entry in allowed(page):
        yield from (match.span() for match in entry_pattern(entry).finditer(text))
