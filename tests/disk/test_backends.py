"""Engines are opened, watched and closed; their errors become one sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

import sub2node as s2n
from sub2node import ConfigError, Sub2NodeError, SubgraphTask
from sub2node.translation import TranslationOptions

pytest.importorskip("ibis")
from parquet_tables import same_graph, write_parquet
from sub2node.disk import backends
from sub2node.translation.engines import translate_to


@pytest.fixture(scope="module")
def task() -> SubgraphTask:
    return s2n.datasets.generate("density", subgraphs=40, seed=2)


def test_spark_needs_a_master_and_nothing_of_duckdb(task: SubgraphTask) -> None:
    pytest.importorskip("pyspark")
    with pytest.raises(ConfigError, match="needs a master"):
        s2n.translate(task, engine="spark")
    with pytest.raises(ConfigError, match="are DuckDB's"):
        s2n.translate(task, engine="spark", master="local[2]", memory="1GB")
    with pytest.raises(ConfigError, match="a master is Spark's"):
        s2n.translate(task, engine="duckdb", master="local[2]")


@pytest.mark.slow
def test_a_query_tells_its_progress(random_tables: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sub2node.base import progress

    monkeypatch.setattr(backends, "_INTERVAL", 0.01)
    seen: list[progress.Report] = []
    with progress.listen(seen.append):
        s2n.translate(random_tables, engine="duckdb")
    assert max(report.done for report in seen if report.what == "Joining tables") > 0


@pytest.fixture(scope="module")
def random_tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """So many rows that joining them takes a moment, and more memory than little."""
    rng = np.random.default_rng(0)
    ends = rng.integers(0, 8_000, (2, 160_000))
    rows = np.stack([rng.choice(8_000, 20, replace=False) for _ in range(1_600)])
    return write_parquet(
        tmp_path_factory.mktemp("tables"),
        edges={"source": ends[0], "target": ends[1]},  # type: ignore[dict-item]
        members={"subgraph_id": np.repeat(np.arange(1_600), 20), "node_id": rows.ravel()},  # type: ignore[dict-item]
    )


@pytest.mark.slow
def test_out_of_disk_while_spilling(
    random_tables: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import ibis

    connect: Callable[..., object] = ibis.duckdb.connect
    monkeypatch.setattr(
        backends,
        "_duckdb",
        lambda graph, config: connect(**config, max_temp_directory_size="1MB", threads=1),
    )
    out = tmp_path / "out"
    out.mkdir()
    with pytest.raises(Sub2NodeError, match="memory limit is too small for this query, or what it"):
        translate_to(
            random_tables, out, TranslationOptions(), engine="duckdb", memory="20MB", spill=tmp_path
        )
    assert [p.name for p in tmp_path.iterdir() if "s2n-work" in p.name] == []
    full = backends._explain(OSError("IO Error: No space left on device"), tmp_path)
    assert "no room is left to spill" in str(full)
    full = backends._explain(OSError("IO Error: No space left on device"), tmp_path, out)
    assert f"no room is left to write the output in {out}" in str(full)
    # Both on one full disk: DuckDB names the file that it could not write.
    monkeypatch.setattr(backends, "_FULL", 10**18)
    for place, words in ((out, "write the output in"), (tmp_path / "spill", "to spill in")):
        text = f'IO Error: Could not write file "{place}/x": No space left on device'
        assert words in str(backends._explain(OSError(text), tmp_path, out))


@pytest.mark.slow
def test_spilling_gives_the_same(random_tables: Path, tmp_path: Path) -> None:
    kept = {"engine": "duckdb", "min_weight": 3.0}
    roomy = s2n.translate(random_tables, **kept)  # type: ignore[arg-type]
    tight = s2n.translate(random_tables, memory="90MB", spill=tmp_path, **kept)  # type: ignore[arg-type]
    assert same_graph(roomy, tight)


def test_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch, task: SubgraphTask) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "ibis", None)
    with pytest.raises(s2n.MissingExtraError, match=r"pip install 'sub2node\[scale\]'"):
        s2n.translate(task, engine="duckdb")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("IO Error: No space left on device", "no room is left to spill in"),
        ("Out of Memory Error: failed to allocate", "the memory limit is too small"),
        (
            "Binder Error: no such column\nLINE 1",
            "the engine gave up: Binder Error: no such column$",
        ),
        ("", "the engine gave up: RuntimeError$"),
        (
            "An exception was thrown:\n  File x\nsub2node.base.errors.DataError: /m: it is lost.\n",
            r"^/m: it is lost\.$",
        ),
    ],
)
def test_errors_of_an_engine_are_one_sentence(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(Sub2NodeError, match=words), backends.translate_errors(tmp_path):
        raise RuntimeError(text)
    with pytest.raises(ConfigError, match="ours"), backends.translate_errors(tmp_path):
        raise ConfigError("ours")
    with pytest.raises(KeyboardInterrupt), backends.translate_errors(tmp_path):
        raise RuntimeError("INTERRUPT Error: Interrupted!")


@pytest.mark.slow
def test_an_engine_leaves_nothing_where_it_spilled(tmp_path: Path) -> None:
    write_parquet(tmp_path, numbers={"n": [1, 2, 3]})
    with backends.opened("duckdb", memory=10**8, spill=tmp_path, master=None) as backend:
        assert backend.spill is not None
        assert backend.spill.parent == tmp_path
        table = backend.read(tmp_path / "numbers.parquet")
        total = backend.value(table.aggregate(total=table.n.sum()), what="Adding")
        backend.write(table.filter(table.n > 1), tmp_path / "some.parquet", what="Writing")
    assert total == {"total": 6}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["numbers.parquet", "some.parquet"]
    assert pq.read_table(tmp_path / "some.parquet")["n"].to_pylist() == [2, 3]
