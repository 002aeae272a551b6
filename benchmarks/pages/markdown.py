"""Pages with numbers: which there are, what is generated on them, and what a table looks like."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from pages.rows import ROOT

_BLOCK = re.compile(
    r"^<!-- rows: (?P<name>[\w-]+) -->$(?P<text>.*?)^<!-- end rows -->$", re.DOTALL | re.MULTILINE
)
TABLES: dict[str, Callable[[], str]] = {}


def pages() -> list[Path]:
    """Every page whose numbers are checked."""
    return [
        *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
        *sorted((ROOT / "docs").glob("**/*.md")),
        *(ROOT / folder / "README.md" for folder in ("benchmarks", "examples")),
    ]


def name_of(page: Path) -> str:
    """A page, from the root of the repository."""
    return page.relative_to(ROOT).as_posix()


def generates(name: str) -> Callable[[Callable[[], str]], Callable[[], str]]:
    """Declare that a function writes the block of a name."""

    def declared(function: Callable[[], str]) -> Callable[[], str]:
        if name in TABLES:
            raise ValueError(f"two functions write the block {name!r}")
        TABLES[name] = function
        return function

    return declared


def blocks(text: str) -> Iterator[tuple[str, int, int]]:
    """The name, start and end of each generated block, markers included."""
    for block in _BLOCK.finditer(text):
        yield block["name"], block.start(), block.end()


def with_tables(text: str, where: str) -> str:
    """A page with every generated block written anew."""
    opened, closed = text.count("<!-- rows:"), text.count("<!-- end rows -->")
    names = [block["name"] for block in _BLOCK.finditer(text)]
    if not opened == closed == len(names):
        raise ValueError(f"{where}: {opened} blocks begin, {closed} end, {len(names)} are whole")
    if unknown := sorted(set(names) - set(TABLES)):
        known = ", ".join(sorted(TABLES))
        raise ValueError(f"{where}: no table is called {', '.join(unknown)}; there are {known}")

    def written(block: re.Match[str]) -> str:
        content = TABLES[block["name"]]().strip("\n")
        return f"<!-- rows: {block['name']} -->\n\n{content}\n\n<!-- end rows -->"

    return _BLOCK.sub(written, text)


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, right: int = 0) -> str:
    """A Markdown table.

    Args:
        head: Titles of the columns.
        rows: The cells.
        right: From which column on cells are aligned to the right; 0 for none.
    """
    for row in rows:
        if len(row) != len(head):
            raise ValueError(f"{len(head)} cells are expected: {row}")
    rules = ["---:" if right and number >= right else "---" for number in range(len(head))]
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, rules, *rows))


def points(mean: float, sd: float, n: int) -> str:
    """A score in points: mean and standard deviation, or one run without a spread."""
    return f"{mean:.1f} ± {sd:.1f}" if n > 1 else f"{mean:.1f}"


def digits(value: float, count: int = 3) -> str:
    """A number to so many significant digits, without an exponent."""
    if abs(value) >= 10**count:
        return f"{float(f'{value:.{count}g}'):,.0f}"
    return f"{value:#.{count}g}".rstrip(".") if value else "0"
