"""Small tasks and models that tests of scoring share."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from sub2node import SubgraphClassifier
from sub2node.base.ragged import pointers
from sub2node.evaluate.protocol import labels_of
from sub2node.models.find import network
from sub2node.models.graph_network import GraphNetwork
from sub2node.task import Arcs, Graph, Names, Split, Subgraphs, SubgraphTask

FAST = {"epochs": 3, "hidden": 8, "features.kind": "random", "width": 8, "a": 0.0, "delta": 3.0}


QUERY = [["g1", "g2", "g3"], ["g4"]]  # of what ``named`` gives
FILES = ("model.json", "weights.safetensors", "known.safetensors", "edges.parquet",
         "nodes.parquet", "subgraphs.parquet")  # fmt: skip


def small_task(
    *, seed=0, multilabel=False, weighted=False, features=False, directed=False
) -> SubgraphTask:
    """60 subgraphs of a graph of 50 nodes, well joined to each other; self-loops, isolated node."""
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, 49, (2, 160))
    weights = None
    if weighted:
        low, high = np.sort(ends, axis=0)
        weights = 0.5 + (low * 7 + high) % 5
    graph = Graph.from_edges(
        *ends, num_nodes=50, weights=weights,
        features=rng.normal(size=(50, 5)) if features else None,
    )  # fmt: skip
    if directed:
        arcs = Arcs(*ends, features=rng.normal(size=(160, 1)), feature_names=("amount",))
        graph = Graph.from_arcs(arcs, num_nodes=50)
    sets = Subgraphs.from_lists([rng.choice(50, rng.integers(1, 7)) for _ in range(60)])
    labels = rng.random((60, 3)) < 0.4 if multilabel else rng.integers(0, 3, 60)
    return SubgraphTask(graph, sets, labels, (), Split.sizes(train=40, val=12, test=8))


def trained(task, *, structure="s2n+a", conv="gcn2", seeds=2, **settings):
    """Networks of a few epochs, which know vectors of all nodes."""
    model = network(
        task, structure=structure, conv=conv, preset="fast", settings={**FAST, **settings}
    ).model
    model = GraphNetwork(model.candidates, device="cpu", conv=model.conv, all_nodes=True)
    labels = {part: labels_of(task, part) for part in ("train", "val")}
    return model.fit(task, labels, range(10, 10 + seeds))


def model(task, *, structure="s2n+a", conv=None, seeds=2, options=None, **settings):
    """A classifier that learned for a few epochs."""
    made = SubgraphClassifier(
        structure, conv, seeds=seeds, preset="fast", settings={**FAST, **settings}, **options or {}
    )
    return made.fit(task)


def named(task: SubgraphTask) -> SubgraphTask:
    """The same with ids and titles of nodes and subgraphs."""
    graph, sets = task.graph, task.subgraphs
    new = Graph(
        graph.indptr, graph.indices, graph.weights, graph.loops, graph.loop_weights,
        graph.features, Names([f"g{i}" for i in range(graph.num_nodes)]),
        Names([f"Gene № {i % 7}" for i in range(graph.num_nodes)]),
    )  # fmt: skip
    known = Subgraphs(
        sets.ptr, sets.nodes, sets.weights, sets.edge_ptr, sets.edges,
        Names([f"set {i}" for i in range(len(sets))]),
        Names([f"What {i} does | in short" for i in range(len(sets))]),
    )  # fmt: skip
    return SubgraphTask(new, known, task.labels, task.class_names, task.split, "named data")


def with_excluded(task: SubgraphTask, *, seed: int = 0) -> SubgraphTask:
    """The same with up to three excluded nodes each, that tell the class apart."""
    rng, sets, third = np.random.default_rng(seed), task.subgraphs, task.graph.num_nodes // 3
    kinds = np.argmax(task.labels, axis=1) if task.multilabel else task.labels
    lists = [
        np.setdiff1d(third * kind + rng.integers(0, third, rng.integers(0, 4)), own)
        for kind, own in zip(kinds, np.split(sets.nodes, sets.ptr[1:-1]), strict=True)
    ]
    return replace(task, subgraphs=replace(sets, excluded=Subgraphs.from_lists(lists)))


def with_own_edges(task: SubgraphTask) -> SubgraphTask:
    """The same, but every other edge inside a subgraph is none of its own."""
    sets = task.subgraphs
    _, ends = sets.induced_edges(task.graph)
    owner, pairs = sets.owner[ends[0]], sets.nodes[ends].T
    order = np.lexsort((pairs[:, 1], pairs[:, 0], owner))[::2]
    ptr = pointers(np.bincount(owner[order], minlength=len(sets)))
    known = Subgraphs(sets.ptr, sets.nodes, edge_ptr=ptr, edges=pairs[order])
    return SubgraphTask(task.graph, known, task.labels, task.class_names, task.split)


def signed(folder: Path, change: Callable[[dict[str, Any]], None], **files: bytes) -> None:
    """Change a saved model so that all of its checksums fit again."""
    path = folder / "model.json"
    facts = json.loads(path.read_text(encoding="utf-8"))
    for name, content in files.items():
        (folder / name).write_bytes(content)
        facts["files"][name] = hashlib.sha256(content).hexdigest()
    facts.pop("digest")
    change(facts)
    text = json.dumps(facts, sort_keys=True, ensure_ascii=True, allow_nan=True)
    facts["digest"] = hashlib.sha256(text.encode()).hexdigest()
    path.write_text(json.dumps(facts, ensure_ascii=False), encoding="utf-8")


def copied(folder: Path, target: Path) -> Path:
    """A copy that may be changed."""
    shutil.rmtree(target, ignore_errors=True)
    return Path(shutil.copytree(folder, target))
