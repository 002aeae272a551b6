"""A part that has grown is as if the new nodes had been there from the start."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import sub2node as s2n
from disk_tables import NODES, disk_tables, on_disk
from sub2node import SubgraphTask
from sub2node.base.errors import DataError
from sub2node.encode import border_of
from sub2node.task import Border, Subgraphs
from sub2node.task.border import join_borders

pytest.importorskip("ibis")
from sub2node.disk import grow


@pytest.fixture(scope="module", params=["plain", "full", "directed"])
def tasks(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[SubgraphTask, SubgraphTask, int]:
    """The task on disk and in memory, and the hops of its border."""
    full, directed = request.param == "full", request.param == "directed"
    weighted, hops = request.param != "plain", 2 if full else 1
    place = tmp_path_factory.mktemp("disk") / "tables"
    source = disk_tables(place, text=full, weighted=weighted, directed=directed)
    options = {"repeated": "sum"} if full else {"directed": True} if directed else {}
    return on_disk(source, border_hops=hops, **options), s2n.load_task(source, **options), hops  # type: ignore[arg-type]


def new_ids(whole: SubgraphTask, seed: int) -> list[str]:
    """Ids of some nodes, of which the part has some."""
    rng = np.random.default_rng(seed)
    return [whole.graph.ids()[int(node)].as_py() for node in rng.permutation(NODES)[:25]]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a_grown_part_has_what_the_whole_graph_has(
    tasks: tuple[SubgraphTask, SubgraphTask, int], seed: int
) -> None:
    part, whole, _ = tasks
    grown = grow(part.graph, pa.array([*new_ids(whole, seed), "unknown", "12x"]))
    ids = whole.graph.ids().to_pylist()
    place = np.array([ids.index(name) for name in grown.ids().to_pylist()])
    count = part.graph.num_nodes
    assert grown.ids().slice(0, count).to_pylist() == part.graph.ids().to_pylist()
    assert set(new_ids(whole, seed)) <= set(grown.ids().to_pylist())
    dense = whole.graph.adjacency(loops=True).toarray()
    assert np.array_equal(grown.adjacency(loops=True).toarray(), dense[place][:, place])
    assert np.array_equal(grown.features, whole.graph.features[place])  # type: ignore[index]
    assert grown.whole is not None
    assert np.array_equal(grown.whole.degrees, whole.graph.degrees[place])
    if grown.whole.strengths is not None:
        sums = np.asarray(whole.graph.adjacency(dtype=np.float64).sum(axis=1)).ravel()
        assert np.array_equal(grown.whole.strengths, sums[place])


@pytest.mark.slow
def test_what_the_part_has_is_not_looked_up_again(
    tasks: tuple[SubgraphTask, SubgraphTask, int],
) -> None:
    part = tasks[0]
    assert grow(part.graph, part.graph.ids()) is part.graph
    assert grow(part.graph, pa.array(["unknown"])) is part.graph


@pytest.mark.slow
@pytest.mark.parametrize("incidences", [1, 1 << 20])
def test_borders_of_new_subgraphs_are_those_in_the_whole_graph(
    tasks: tuple[SubgraphTask, SubgraphTask, int],
    monkeypatch: pytest.MonkeyPatch,
    incidences: int,
) -> None:
    monkeypatch.setattr("sub2node.disk.growth._INCIDENCES", incidences)
    part, whole, _ = tasks
    rng, names = np.random.default_rng(5), np.array(whole.graph.ids().to_pylist())
    lists = [rng.choice(NODES, rng.integers(1, 7), replace=False) for _ in range(6)]
    grown = grow(part.graph, pa.array(names[np.concatenate(lists)]))
    places = [grown.ids().to_pylist().index(name) for name in names[np.concatenate(lists)]]
    ends = np.cumsum(list(map(len, lists)))[:-1]
    subgraphs = Subgraphs.from_lists(np.split(np.array(places), ends))
    for reach in (1, 2):  # whatever the folder was made with
        expected = border_of(whole.graph, Subgraphs.from_lists(lists), hops=reach)
        assert border_of(grown, subgraphs, hops=reach) == expected


@pytest.mark.slow
def test_a_folder_that_is_gone_is_told(tmp_path: Path) -> None:
    part = on_disk(disk_tables(tmp_path / "tables"))
    whole = part.graph.whole
    assert whole is not None
    assert whole.folder is not None
    moved = tmp_path / "moved"
    shutil.move(whole.folder, moved)
    with pytest.raises(DataError, match="its folder is not here; make it anew"):
        grow(part.graph, pa.array(["1"]))
    again = s2n.load_task(moved)
    assert grow(again.graph, pa.array(["1"])) is again.graph
    plain = replace(again.graph, whole=None)
    with pytest.raises(DataError, match="this graph is no part of one on disk"):
        grow(plain, pa.array(["1"]))


def test_borders_are_joined_only_where_they_have_the_same_columns() -> None:
    one, other = (Border((name,), np.ones((2, 1), np.float32)) for name in "ab")
    joined = join_borders([one, one])
    assert joined is not None
    assert len(joined) == 4
    with pytest.raises(DataError, match="that others do not have"):
        join_borders([one, other])
