"""All tables and claims of the pages: importing this module declares them."""

from __future__ import annotations

import difflib
from pathlib import Path

from pages import (  # noqa: F401 (they declare)
    audit_tables,
    below_tables,
    best_tables,
    border_tables,
    conclusion_summary,
    conclusion_tables,
    cost_claims,
    cost_tables,
    demo_tables,
    equal_tables,
    excluded_tables,
    front_tables,
    guide_claims,
    headline_tables,
    scale_tables,
    score_claims,
    score_tables,
    source_tables,
    speed_claims,
    speed_tables,
    study_claims,
    study_tables,
    suite_tables,
    tested_claims,
    theory_claims,
    theory_tables,
    within_tables,
)
from pages.claims import with_claims, wrong_claims
from pages.conclusions import unbacked_conclusions
from pages.markdown import name_of, with_tables
from pages.scanner import allowed, entry_pattern, unexplained


def written(page: Path) -> str:
    """A page as the rows want it."""
    name = name_of(page)
    return with_claims(with_tables(page.read_text(encoding="utf-8"), name), name)


def problems(page: Path) -> list[str]:
    """Where a page and the rows disagree, one line each."""
    name, text = name_of(page), page.read_text(encoding="utf-8")
    return [
        *outdated_tables(text, name),
        *(f"{name} should say: {said}" for said in wrong_claims(name)),
        *unexplained(text, name),
        *unbacked_conclusions(text, name),
        *(
            f"{name} no longer has what allowed.toml allows: {entry.get('text') or entry['block']}"
            for entry in allowed(name)
            if not entry_pattern(entry).search(text)
        ),
    ]


def outdated_tables(text: str, name: str) -> list[str]:
    """Lines of generated tables that the rows want otherwise."""
    wanted = with_tables(text, name)
    lines = difflib.unified_diff(text.splitlines(), wanted.splitlines(), lineterm="", n=0)
    return [
        f"{name}: {line}" for line in lines if line[0] in "+-" and line[:3] not in ("---", "+++")
    ]
