"""The folder that an engine makes has what the task in memory has, to the last bit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sub2node as s2n
from sub2node import SubgraphTask
from sub2node.encode import border_of
from sub2node.task import Subgraphs

pytest.importorskip("ibis")


def tables(folder: Path, seed: int, *, text: bool, weighted: bool) -> Path:
    """A random graph of 60 nodes with self-loops and repeated edges, and 12 subgraphs."""
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, 60, (2, 220))
    weights = rng.integers(1, 9, 220)
    lists = [rng.choice(40, rng.integers(1, 6), replace=False) for _ in range(12)]
    ids = np.array([f"n{number:02d}" for number in range(60)]) if text else np.arange(60) * 7
    order = rng.permutation(60)
    features = {f"f{n}": rng.integers(-9, 9, 60).astype(np.int16)[order] for n in range(3)}
    edges = {"source": ids[ends[0]], "target": ids[ends[1]]}
    edges |= {"weight": weights} if weighted else {}
    members = np.concatenate(lists)
    owner = np.repeat(np.arange(12), list(map(len, lists)))
    files = {
        "edges": edges,
        "nodes": {"node_id": ids[order], **features},
        "members": {"subgraph_id": owner, "node_id": ids[members]},
        "labels": {
            "subgraph_id": np.arange(12),
            "label": np.array(["a", "b"])[np.arange(12) % 2],
            "split": np.array(["train", "train", "train", "train", "val", "test"] * 2),
        },
    }
    folder.mkdir()
    for name, columns in files.items():
        pq.write_table(pa.table(columns), folder / f"{name}.parquet")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(("text", "weighted"), [(False, False), (True, True)])
def test_the_part_is_that_of_the_task_in_memory(
    tmp_path: Path, *, text: bool, weighted: bool
) -> None:
    folder = tables(tmp_path / "tables", 3, text=text, weighted=weighted)
    options = {"repeated": "sum"} if weighted else {}
    whole = s2n.load_task(folder, **options)  # type: ignore[arg-type]
    part = s2n.load_task(folder, engine="duckdb", memory="200MB", **options)  # type: ignore[arg-type]
    check_part(part, whole)


def check_part(part: SubgraphTask, whole: SubgraphTask) -> None:
    """Whether a part has the nodes, edges and borders that the whole task has."""
    graph, about = part.graph, part.graph.whole
    assert about is not None
    assert (about.num_nodes, about.num_edges) == (whole.graph.num_nodes, whole.graph.num_edges)
    ids = whole.graph.ids().to_pylist()
    place = np.array([ids.index(name) for name in graph.ids().to_pylist()])
    assert sorted(place) == np.unique(whole.subgraphs.nodes).tolist()
    dense, own = whole.graph.adjacency(loops=True), graph.adjacency(loops=True)
    assert np.array_equal(own.toarray(), dense[place][:, place].toarray())
    assert np.array_equal(graph.features, whole.graph.features[place])  # type: ignore[index]
    assert np.array_equal(about.degrees, whole.graph.degrees[place])
    if about.strengths is not None:
        expected = whole.graph.adjacency(dtype=np.float64).sum(axis=1)
        assert np.array_equal(about.strengths, np.asarray(expected).ravel()[place])
    assert same_members(part.subgraphs, place, whole.subgraphs)
    assert part.subgraphs.border == border_of(whole.graph, whole.subgraphs)
    assert np.array_equal(part.labels, whole.labels)  # type: ignore[arg-type]
    graphs = s2n.translate(part), s2n.translate(whole)
    assert np.array_equal(*(one.weights.toarray() for one in graphs))


def same_members(part: Subgraphs, place: np.ndarray, whole: Subgraphs) -> bool:
    """Whether subgraphs have the same nodes, whatever their positions are."""
    return all(
        set(place[part.nodes[part.ptr[i] : part.ptr[i + 1]]])
        == set(whole.nodes[whole.ptr[i] : whole.ptr[i + 1]])
        for i in range(len(whole))
    )
