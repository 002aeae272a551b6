"""Parquet tables for engines, and graphs that are the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sub2node import S2NGraph


def same_graph(one: S2NGraph, two: S2NGraph) -> bool:
    """Whether two graphs have the same weights, parts and sums."""
    return (
        np.array_equal(one.weights.toarray(), two.weights.toarray())
        and one.split.words() == two.split.words()
        and one.statistics.total == pytest.approx(two.statistics.total)
        and one.statistics.squares == pytest.approx(two.statistics.squares)
    )


def write_parquet(folder: Path, **tables: dict[str, list[object]]) -> Path:
    """One file for each table."""
    for name, columns in tables.items():
        pq.write_table(pa.table(columns), folder / f"{name}.parquet")
    return folder
