"""Of a folder elsewhere, the tables are taken and nothing else."""

from __future__ import annotations

import pytest

from sub2node.disk.remote_place import is_table


@pytest.mark.parametrize(
    "name",
    [
        "edges.csv.gz",
        "edges/part-0.parquet",
        "members.tsv",
        "subgraphs.jsonl",
        "sets.gmt",
        "background_nodes.parquet",
        "connected_components.csv",
        "nodes.parquet/a/part-1.parquet",
    ],
)
def test_tables_are_taken(name: str) -> None:
    assert is_table(name)


@pytest.mark.parametrize(
    "name",
    [
        "readme.md",
        "edges/_SUCCESS",
        "old/edges.csv",
        "../edges.csv",
        "edges/../../x.parquet",
        "/edges.csv",
        ".edges.csv",
        "edges\\..\\x.csv",
        "members/part-0.parquet",
    ],
)
def test_other_files_and_places_are_not(name: str) -> None:
    assert not is_table(name)
