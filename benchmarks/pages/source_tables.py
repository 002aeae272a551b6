"""Tables about the rows themselves, and about the source code."""

from __future__ import annotations

from pages.markdown import generates, table
from pages.rows import RESULTS, read, sources


@generates("sources")
def source_table() -> str:
    """Every file of results with what made it."""
    rows = []
    for source in sources():
        patterns = source["files"]
        assert isinstance(patterns, list)
        links = ", ".join(_link(pattern) for pattern in patterns)
        origin = f"{source['machine']}; {source['date']}, `{source['commit']}`"
        note = f"; {source['note']}" if "note" in source else ""
        rows.append([links, str(source["what"]), f"`{source['command']}`", origin + note])
    return table(["file", "a row", "command", "machine, date, commit"], rows)


def _link(pattern: str) -> str:
    if not (RESULTS / pattern).is_file():
        return f"`{pattern}`"
    return f"[{pattern}](../benchmarks/results/{pattern})"


@generates("source-parts")
def source_parts() -> str:
    """Files and lines of each part, before and after."""
    rows = [
        [f"`{row['name']}`", *(_count(row[name]) for name in _COUNTS)]
        for row in read("architecture.csv").where(table="part")
    ]
    return table(["part", "files before", "lines before", "files after", "lines after"], rows)


_COUNTS = ("before", "lines before", "after", "lines after")


def _count(text: str) -> str:
    return f"{int(text):,}" if text not in ("", "0") else ""


@generates("source-wording")
def source_wording() -> str:
    """Counts of names and signatures, before and after."""
    names = ("count", "identifier")
    rows = [
        [row["name"], *(f"{int(row[side]):,}" for side in ("before", "after"))]
        for row in read("wording.csv").where(table=names)
    ]
    return table(["count", "before", "after"], rows, right=1)
