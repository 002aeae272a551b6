"""A coarsening as a folder: tables that say what it is, and a task that has its sets."""

from __future__ import annotations

import json
from pathlib import Path

import networkx as nx
import numpy as np
import pyarrow.parquet as pq
import pytest

from networkx_graphs import graph_of
from sub2node import ConfigError, DataError, load_task
from sub2node.coarsen import coarsen
from sub2node.coarsen.coarsening_files import check_place, save_coarsening, summary
from sub2node.task import Graph, Names, Split, Subgraphs, SubgraphTask

RING = graph_of(nx.cycle_graph(12))
NAMED = Graph(RING.indptr, RING.indices, names=Names([f"n{node}" for node in range(12)]))


def task_of(graph: Graph, *, split: bool = True) -> SubgraphTask:
    sets = Subgraphs.from_lists([[0, 1], [2, 3, 4], [6, 7]])
    words = Split.given(["train", "val", "test"]) if split else None
    return SubgraphTask(graph, sets, labels=[0, 0, 0], split=words)


@pytest.mark.parametrize("graph", [RING, NAMED])
def test_tables_hold_the_partition_and_the_coarse_graph(tmp_path: Path, graph: Graph) -> None:
    coarse = coarsen(graph, "variation_edges", 0.4)
    path = save_coarsening(coarse, task_of(graph), tmp_path / "out", facts={"seconds": 2})
    tables = {
        name: pq.read_table(path / f"{name}.parquet").to_pydict()
        for name in ("partition", "coarse_edges", "virtual")
    }
    ids = list(range(12)) if graph.names is None else list(graph.names)
    assert tables["partition"] == {"node_id": ids, "set": coarse.partition.tolist()}
    dense = np.zeros((coarse.num_sets, coarse.num_sets))
    edges = tables["coarse_edges"]
    dense[edges["source"], edges["target"]] = edges["weight"]
    assert np.array_equal(dense + dense.T, coarse.graph.adjacency().toarray())
    own = coarse.subgraphs
    assert tables["virtual"]["node_id"] == [ids[node] for node in own.nodes]
    assert tables["virtual"]["subgraph_id"] == own.owner.tolist()
    card = json.loads((path / "coarsening.json").read_text())
    assert card == {**summary(coarse), "seconds": 2}


def test_the_folder_is_a_task_with_virtual_subgraphs(tmp_path: Path) -> None:
    coarse = coarsen(RING, "variation_edges", 0.4)
    task = load_task(save_coarsening(coarse, task_of(RING), tmp_path / "out"))
    assert task.num_virtual == len(coarse)
    virtual = task.subgraphs.take(np.flatnonzero(task.split.mask("virtual")))
    assert virtual.nodes.tolist() == coarse.subgraphs.nodes.tolist()
    bare = save_coarsening(coarse, task_of(RING, split=False), tmp_path / "bare")
    assert not (bare / "members.parquet").exists()


def test_sets_that_overlap_have_no_partition(tmp_path: Path) -> None:
    coarse = coarsen(RING, "ego_nets", 0.5)
    path = save_coarsening(coarse, task_of(RING), tmp_path / "out")
    assert (path / "virtual.parquet").exists()
    assert not (path / "partition.parquet").exists()
    assert summary(coarse)["edges"] == {"before": 12, "after": None}


def test_a_summary_counts_what_there_is() -> None:
    graph = graph_of(nx.disjoint_union(nx.cycle_graph(12), nx.path_graph(3)))
    facts = summary(coarsen(graph, "variation_edges", 0.5, seed=3))
    assert (facts["nodes"], facts["left_out"], facts["sets"], facts["wanted"]) == (15, 3, 6, 6)
    assert facts["covered_nodes"] <= 12
    assert facts["sizes"]["mean"] * facts["virtual_subgraphs"] == facts["covered_nodes"]
    assert facts["seed"] == 3


def test_what_is_refused(tmp_path: Path) -> None:
    coarse = coarsen(RING, "variation_edges", 0.4)
    other = graph_of(nx.cycle_graph(13))
    with pytest.raises(DataError, match="of another graph"):
        save_coarsening(coarse, task_of(other), tmp_path / "out")
    assert not (tmp_path / "out").exists()
    save_coarsening(coarse, task_of(RING), tmp_path / "out")
    check_place(tmp_path / "out", overwrite=True)
    with pytest.raises(ConfigError, match="exists already"):
        check_place(tmp_path / "out", overwrite=False)
