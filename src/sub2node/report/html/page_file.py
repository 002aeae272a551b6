"""Files of pages: only those of ours are replaced, and they appear whole."""

from __future__ import annotations

from pathlib import Path

from ...base.errors import ConfigError
from ...base.files import new_file, require_writable, written

OURS = '<meta name="generator" content="sub2node report'


def check_report(path: Path, *, overwrite: bool) -> None:
    """Raise unless a report can be written here, or one of ours be replaced."""
    if path.is_dir():
        raise ConfigError(f"{path} is a folder, expected a file such as report.html.")
    if path.exists():
        if not overwrite:
            raise ConfigError(f"{path} exists already; choose another place, or --overwrite it.")
        with path.open("rb") as file:
            if OURS.encode() not in file.read(2000):
                raise ConfigError(f"{path} is not a report of ours; it is not overwritten.")
    require_writable(path)


def write_page(text: str, path: Path, *, overwrite: bool) -> Path:
    """Write a page.

    Args:
        text: The HTML.
        path: The file, which :func:`check_report` has admitted.
        overwrite: Whether an existing report may be replaced.
    """
    with written(path), new_file(path, overwrite=overwrite) as part:
        part.write_text(text, encoding="utf-8", errors="replace")
    return path
