"""Files of the repository that are part of the site although they lie outside ``docs``.

Links work in the repository as they are written; when the site is built, those that lead out of
``docs`` (or, from a page that lies outside, into it) are turned to where the file is in the site.
"""

from __future__ import annotations

import csv
import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

PAGES = {
    "benchmarks/README.md": "benchmarks/scripts.md",
    "examples/README.md": "examples.md",
    "CHANGELOG.md": "changelog.md",
}
_COPIED = ("benchmarks/results/*.csv", "benchmarks/results/**/*.csv",
           "benchmarks/results/**/*.jsonl", "examples/*.py",
           "benchmarks/*.png")  # fmt: skip
_LINK = re.compile(r"(\]\()([^)\s#]+)(#[^)\s]*)?(\))")
_FENCE = re.compile(r"^(```|~~~).*?^\1\s*$", re.MULTILINE | re.DOTALL)
_TABLES = "<!-- tables -->"
_MOST_ROWS = 12


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add pages and tables from outside."""
    root = Path(config.config_file_path).parent
    for source, uri in _outside(root).items():
        files.append(File.generated(config, uri, abs_src_path=str(root / source)))
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, **_: Any) -> str:
    """Turn links, and show the tables where the page asks for them."""
    root = Path(config.config_file_path).parent
    inside = {uri: source for source, uri in _outside(root).items()}
    here = inside.get(page.file.src_uri, f"docs/{page.file.src_uri}")
    if _TABLES in markdown:
        markdown = markdown.replace(_TABLES, _all_tables(root))
    fences = [found.span() for found in _FENCE.finditer(markdown)]

    def turned(found: re.Match[str]) -> str:
        if any(start <= found.start() < end for start, end in fences):
            return found[0]
        return found[1] + _target(found[2], here, page.file.src_uri, root) + (found[3] or "") + ")"

    return _LINK.sub(turned, markdown)


def _outside(root: Path) -> dict[str, str]:
    """Where each file from outside is in the site, by its place in the repository."""
    found = {path: uri for path, uri in PAGES.items() if (root / path).is_file()}
    for pattern in _COPIED:
        for path in sorted(root.glob(pattern)):
            place = path.relative_to(root).as_posix()
            found[place] = place
    return found


def _target(link: str, here: str, uri: str, root: Path) -> str:
    """A link as it must be in the site; those to other places stay as they are."""
    if ":" in link or link.startswith("/"):
        return link
    place = posixpath.normpath(posixpath.join(posixpath.dirname(here), link))
    outside = _outside(root)
    if place in outside:
        target = outside[place]
    elif place.startswith("docs/"):
        target = place.removeprefix("docs/")
    else:
        return link
    return posixpath.relpath(target, posixpath.dirname(uri) or ".")


def _all_tables(root: Path) -> str:
    """Each CSV file with its first rows and a link to the whole of it."""
    sections = []
    for path in sorted((root / "benchmarks" / "results").glob("**/*.csv")):
        with path.open(encoding="utf-8", newline="") as stream:
            head, *rows = list(csv.reader(stream))
        place = path.relative_to(root).as_posix()
        sections += [
            f"### {path.relative_to(root / 'benchmarks' / 'results').as_posix()}\n",
            f"[All {len(rows):,} rows × {len(head)} columns](../{place}); the first ones:\n",
            _table(head, rows[:_MOST_ROWS]),
        ]
    return "\n".join(sections)


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines) + "\n"


def _cell(text: str) -> str:
    """Numbers to four digits: the file has them all."""
    try:
        if "." in text or "e" in text:
            text = f"{float(text):.4g}"
    except ValueError:
        pass
    return text.replace("|", "\\|")
