"""Files of the repository that are part of the site although they lie outside ``docs``.

Links work in the repository as they are written; when the site is built, those that lead out of
``docs`` (or, from a page that lies outside, into it) are turned to where the file is in the site.
"""

from __future__ import annotations

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
    "SECURITY.md": "security.md",
}
_COPIED = (
    "benchmarks/results/**/*.csv",
    "benchmarks/results/**/*.jsonl",
    "benchmarks/results/**/*.toml",
    "benchmarks/results/**/*.txt",
    "examples/*.json",
    "benchmarks/*.png",
)
_LINK = re.compile(r"(\]\()([^)\s#]+)(#[^)\s]*)?(\))")
_SPREAD = re.compile(r"(?<=[\d)]) ± (?=\d)|(?<=\bp) ([=<]) (?=\d)")  # stays on one line
_FENCE = re.compile(r"^(```|~~~).*?^\1\s*$", re.MULTILINE | re.DOTALL)


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add pages and tables from outside."""
    root = Path(config.config_file_path).parent
    for source, uri in _outside(root).items():
        files.append(File.generated(config, uri, abs_src_path=str(root / source)))
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, **_: Any) -> str:
    """Turn links, and keep a number and its spread on one line."""
    root = Path(config.config_file_path).parent
    inside = {uri: source for source, uri in _outside(root).items()}
    here = inside.get(page.file.src_uri, f"docs/{page.file.src_uri}")
    fences = [found.span() for found in _FENCE.finditer(markdown)]

    def inside_fence(found: re.Match[str]) -> bool:
        return any(start <= found.start() < end for start, end in fences)

    def kept_together(found: re.Match[str]) -> str:
        return found[0] if inside_fence(found) else found[0].replace(" ", "\u00a0")

    def turned(found: re.Match[str]) -> str:
        if inside_fence(found):
            return found[0]
        return found[1] + _target(found[2], here, page.file.src_uri, root) + (found[3] or "") + ")"

    markdown = _SPREAD.sub(kept_together, markdown)  # as long as before: fences stay in place
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
