from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from sub2node.base.errors import ConfigError
from sub2node.datasets import EllipticShape, make_elliptic_like
from sub2node.datasets import elliptic_like as module
from sub2node.io import read_task

SMALL = EllipticShape(nodes=9_001, edges=30_000, subgraphs=900)


def columns(folder: Path, name: str) -> dict[str, np.ndarray]:
    table = pq.read_table(folder / f"{name}.parquet")
    return {column: table[column].to_numpy() for column in table.column_names}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("elliptic") / "small"
    make_elliptic_like(folder, shape=SMALL)
    return folder


def test_the_tables_are_a_task_of_the_published_shape(made: Path) -> None:
    task = read_task(made)
    assert (task.graph.num_nodes, len(task)) == (SMALL.nodes, SMALL.subgraphs)
    assert task.graph.features is not None
    assert task.graph.features.shape[1] == 43
    assert np.median(task.subgraphs.sizes) == 3
    assert (np.bincount(task.subgraphs.nodes) <= 1).all()
    assert task.class_names == ("licit", "suspicious")
    assert np.mean(task.labels) == pytest.approx(0.023, abs=0.001)
    assert task.split is not None
    assert [task.split.count(part) for part in ("train", "val", "test")] == [720, 90, 90]
    assert (task.label_counts()[:, 1] > 0).sum() == 3
    ends = columns(made, "edges")
    assert len(ends["source"]) == SMALL.edges
    assert (ends["source"] != ends["target"]).all()


def test_edges_have_as_many_features_as_wanted_and_are_else_the_same(
    made: Path, tmp_path: Path
) -> None:
    make_elliptic_like(tmp_path / "wide", shape=replace(SMALL, edge_features=5))
    wide, usual = columns(tmp_path / "wide", "edges"), columns(made, "edges")
    assert list(wide) == [*usual, "edge_03", "edge_04", "edge_05"]
    assert all((wide[name] == usual[name]).all() for name in usual)
    with pytest.raises(ConfigError, match="edges have 2 to 1000 features, found 1"):
        replace(SMALL, edge_features=1)


def signs(made: Path, ends: dict[str, np.ndarray], inside: str, column: int) -> np.ndarray:
    """Mean over suspicious and over other subgraphs of the mean of a feature around them."""
    members, labels, nodes = (columns(made, name) for name in ("members", "labels", "nodes"))
    owner = np.full(SMALL.nodes, -1)
    owner[members["node_id"]] = members["subgraph_id"]
    outside = "source" if inside == "target" else "target"
    border = (owner[ends[inside]] >= 0) & (owner[ends[outside]] != owner[ends[inside]])
    of, value = owner[ends[inside][border]], nodes[f"feature_{column:02d}"][ends[outside][border]]
    mean = np.bincount(of, value, SMALL.subgraphs) / np.bincount(of, minlength=SMALL.subgraphs)
    suspicious = labels["label"] == "suspicious"
    return np.array([mean[suspicious].mean(), mean[~suspicious].mean()])


def test_only_the_features_of_senders_and_receivers_tell_the_classes(made: Path) -> None:
    ends = columns(made, "edges")
    for inside, planted, other in (("target", 7, 23), ("source", 23, 7)):
        high, low = signs(made, ends, inside, planted)
        assert high > 32, inside
        assert low < 23, inside
        for column in (other, 5):
            one, two = signs(made, ends, inside, column)
            assert abs(one - two) < 2, (inside, column)


def test_members_and_edges_between_them_tell_nothing(made: Path) -> None:
    task = read_task(made)
    assert task.graph.features is not None
    own = task.subgraphs.membership(SMALL.nodes) @ task.graph.features
    mean = own / task.subgraphs.sizes[:, None]
    one, two = mean[task.labels == 1], mean[task.labels == 0]
    assert np.abs(one.mean(axis=0) - two.mean(axis=0)).max() < 2
    inner = np.diff(task.internal_edges()[0])
    assert (inner >= task.subgraphs.sizes - 1).all()


def test_the_seed_decides_all(made: Path, tmp_path: Path) -> None:
    make_elliptic_like(tmp_path / "same", shape=SMALL)
    make_elliptic_like(tmp_path / "other", shape=SMALL, seed=1)
    for name in ("nodes", "edges", "members", "labels"):
        table = pq.read_table(made / f"{name}.parquet")
        assert pq.read_table(tmp_path / "same" / f"{name}.parquet").equals(table)
        assert not pq.read_table(tmp_path / "other" / f"{name}.parquet").equals(table)


def test_rows_are_written_in_groups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_ROWS", 4000)
    make_elliptic_like(tmp_path / "parts", shape=SMALL)
    for name, rows in (("nodes", SMALL.nodes), ("edges", SMALL.edges)):
        facts = pq.read_metadata(tmp_path / "parts" / f"{name}.parquet")
        assert facts.num_rows == rows
        sizes = [facts.row_group(i).num_rows for i in range(facts.num_row_groups)]
        assert max(sizes) == 4000
    ids = columns(tmp_path / "parts", "nodes")["node_id"]
    assert np.array_equal(ids, np.arange(SMALL.nodes))


def test_what_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    assert EllipticShape.of_scale(0.1) == EllipticShape(4_929_986, 19_621_561, 12_181)
    with pytest.raises(ConfigError, match=r"between 0\.001 and 50, found 0"):
        EllipticShape.of_scale(0)
    with pytest.raises(ConfigError, match=r"need 5,\d+ nodes"):
        make_elliptic_like(tmp_path / "few", shape=replace(SMALL, nodes=4000))
    with pytest.raises(ConfigError, match="seed is 0 or more"):
        make_elliptic_like(tmp_path / "few", shape=SMALL, seed=-1)
    assert not (tmp_path / "few").exists()
