"""Pages are written whole, and only those of ours are replaced."""

from __future__ import annotations

from pathlib import Path

import pytest

from sub2node.base.errors import ConfigError
from sub2node.report.html.page_file import OURS, check_report, write_page


def test_only_pages_of_ours_are_replaced(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    check_report(path, overwrite=False)
    write_page(f'{OURS} 1">first', path, overwrite=False)
    with pytest.raises(ConfigError, match="exists already"):
        check_report(path, overwrite=False)
    check_report(path, overwrite=True)
    write_page(f'{OURS} 1">second', path, overwrite=True)
    assert path.read_text().endswith("second")
    path.write_text("mine")
    with pytest.raises(ConfigError, match="not a report of ours"):
        check_report(path, overwrite=True)
    with pytest.raises(ConfigError, match="is a folder"):
        check_report(tmp_path, overwrite=True)
