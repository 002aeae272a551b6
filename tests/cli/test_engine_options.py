"""The engine's options reach every command that reads data."""

from __future__ import annotations

from pathlib import Path

import pytest

from commands import refused, s2n
from disk_tables import disk_tables

pytest.importorskip("ibis")


@pytest.mark.slow
def test_describe_reads_a_graph_on_disk(tmp_path: Path) -> None:
    folder = disk_tables(tmp_path / "tables")
    engine = ("--engine", "duckdb", "--memory", "200MB", "--border-hops", "2")
    done = s2n("describe", folder, *engine)
    assert done.code == 0, done.err
    assert "60" in done.out


def test_options_of_engines_need_one(tmp_path: Path) -> None:
    folder = disk_tables(tmp_path / "tables")
    for option in (
        ["--memory", "8GB"],
        ["--spill", "."],
        ["--master", "x"],
        ["--border-hops", "2"],
    ):
        refused(s2n("describe", folder, *option), f"({option[0]}) goes with engine='duckdb'")
