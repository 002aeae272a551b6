"""Small tables of a task for engines, in all formats, and whether a part is that of the whole."""

from __future__ import annotations

import gzip
import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

import sub2node as s2n
from sub2node import SubgraphTask
from sub2node.encode import border_of
from sub2node.task import Subgraphs

NODES, MEMBERS = 60, 40  # nodes of the graph, and those of them that may be members


def disk_tables(
    folder: Path,
    *,
    seed: int = 3,
    text: bool = False,
    weighted: bool = False,
    directed: bool = False,
    kind: str = "parquet",
    names: Mapping[str, str] | None = None,
) -> Path:
    """A random graph with self-loops and repeated edges, and 12 subgraphs; one without a label.

    Args:
        folder: The folder to make; of a zip archive, its name without the ending.
        seed: Seed.
        text: Whether ids are text, as 007.
        weighted: Whether edges have weights, which are whole numbers.
        directed: Whether edges have columns that are features where they have a direction.
        kind: ``parquet``, ``csv``, ``csv.gz`` or ``zip`` (of the latter).
        names: What columns of ours are called.
    """
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, NODES, (2, 220))
    lists = [rng.choice(MEMBERS, rng.integers(1, 6), replace=False) for _ in range(12)]
    ids = np.array([f"{i:03d}" for i in range(NODES)]) if text else np.arange(NODES) * 7
    order = rng.permutation(NODES)
    features = {f"age{n}": rng.integers(-9, 9, NODES).astype(np.int16)[order] for n in range(3)}
    weights = {"weight": rng.integers(1, 9, 220)} if weighted else {}
    if directed:
        weights |= {"amount": rng.integers(0, 99, 220), "fee": rng.integers(0, 9, 220)}
    labels = np.array(["a", "b"])[np.arange(12) % 2].astype(object)
    labels[7] = None
    tables = {
        "edges": {"source": ids[ends[0]], "target": ids[ends[1]], **weights},
        "nodes": {"node_id": ids[order], **features},
        "members": {
            "subgraph_id": np.repeat(np.arange(12), list(map(len, lists))),
            "node_id": ids[np.concatenate(lists)],
        },
        "labels": {
            "subgraph_id": np.arange(12),
            "label": labels,
            "split": np.array(["train", "train", "train", "train", "val", "test"] * 2),
        },
    }
    folder.mkdir()
    for name, columns in tables.items():
        renamed = {(names or {}).get(ours, ours): values for ours, values in columns.items()}
        _write(pa.table(renamed), folder / f"{name}.{'csv.gz' if kind == 'zip' else kind}")
    if kind != "zip":
        return folder
    archive = folder.with_suffix(".zip")
    with zipfile.ZipFile(archive, "w") as files:
        for path in sorted(folder.iterdir()):
            files.write(path, f"data/{path.name}")
    return archive


def _write(table: pa.Table, path: Path) -> None:
    if path.suffix == ".parquet":
        pq.write_table(table, path)
        return
    with gzip.open(path, "wb") if path.suffix == ".gz" else path.open("wb") as file:
        pacsv.write_csv(table, file)


def on_disk(folder: Path | str, **options: object) -> SubgraphTask:
    """The task of some tables on DuckDB."""
    chosen = {"engine": "duckdb", "memory": "200MB", **options}
    return s2n.load_task(folder, **chosen)  # type: ignore[arg-type]


def check_part(part: SubgraphTask, whole: SubgraphTask, *, hops: int = 1) -> None:
    """Fail unless a part has the nodes, edges and borders that the whole task has."""
    graph, about = part.graph, part.graph.whole
    assert about is not None
    assert (about.num_nodes, about.num_edges) == (whole.graph.num_nodes, whole.graph.num_edges)
    ids = whole.graph.ids().to_pylist()
    place = np.array([ids.index(name) for name in graph.ids().to_pylist()])
    assert part.unlabelled is not None
    assert whole.unlabelled is not None
    members = np.concatenate([whole.subgraphs.nodes, whole.unlabelled.subgraphs.nodes])
    assert sorted(place) == np.unique(members).tolist()
    dense, own = whole.graph.adjacency(loops=True), graph.adjacency(loops=True)
    assert np.array_equal(own.toarray(), dense[place][:, place].toarray())
    assert np.array_equal(graph.features, whole.graph.features[place])  # type: ignore[index]
    assert np.array_equal(about.degrees, whole.graph.degrees[place])
    if whole.graph.weights is not None:
        expected = whole.graph.adjacency(dtype=np.float64).sum(axis=1)
        assert np.array_equal(about.strengths, np.asarray(expected).ravel()[place])  # type: ignore[arg-type]
    for one, other in ((part, whole), (part.unlabelled, whole.unlabelled)):
        assert same_members(one.subgraphs, place, other.subgraphs)
        assert one.subgraph_ids == other.subgraph_ids
        assert one.subgraphs.border == border_of(whole.graph, other.subgraphs, hops=hops)
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


def write_elliptic2(folder: Path) -> Path:
    """A small folder in the layout of Elliptic2: two components."""
    texts = {
        "background_nodes": "clId,a,b\n1,1,0\n2,2,0\n3,3,1\n4,4,1\n5,5,2\n",
        "background_edges": "clId1,clId2,txId,amount\n1,2,7,3\n3,4,8,1\n2,5,9,2\n5,3,9,6\n",
        "connected_components": "ccId,ccLabel\n0,licit\n1,suspicious\n",
        "nodes": "clId,ccId\n1,0\n2,0\n3,1\n4,1\n",
        "edges": "clId1,clId2,txId\n1,2,7\n3,4,8\n",
    }
    folder.mkdir()
    for name, text in texts.items():
        (folder / f"{name}.csv").write_text(text, "utf-8")
    return folder
