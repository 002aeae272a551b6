"""Tasks for the audit: a clean one, and the same with one planted fault."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from sub2node.task import Graph, Split, Subgraphs, SubgraphTask

CLASSES, NODES, SETS = 3, 80, 240  # NODES: of each class
SPLIT = Split.sizes(train=120, val=60, test=60)


def make_graph(rng: np.random.Generator) -> Graph:
    """Three communities, with about the same degrees everywhere."""
    total = CLASSES * NODES
    community = np.arange(total) // NODES
    inside = rng.integers(0, NODES, (total, 5)) + NODES * community[:, None]
    outside = rng.integers(0, total, (total, 2))
    source = np.repeat(np.arange(total), 7)
    target = np.concatenate([inside, outside], axis=1).ravel()
    keep = source != target
    return Graph.from_edges(source[keep], target[keep], num_nodes=total, repeated="max")


def clean_lists(rng: np.random.Generator, labels: np.ndarray) -> list[list[int]]:
    """Sets whose class is where their members lie; sizes have nothing to do with it."""
    return [
        (NODES * label + rng.choice(NODES, rng.integers(6, 10), replace=False)).tolist()
        for label in labels.tolist()
    ]


def make_task(lists: list[list[int]], labels: np.ndarray, seed: int = 0) -> SubgraphTask:
    graph = make_graph(np.random.default_rng(seed))
    return SubgraphTask(graph, Subgraphs.from_lists(lists), labels=labels, split=SPLIT, name="made")


def drawn_labels(seed: int = 0) -> np.ndarray:
    """Each part has all classes alike."""
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.permutation(np.arange(60) % CLASSES) for _ in range(4)])


def clean_task(seed: int = 0) -> SubgraphTask:
    labels = drawn_labels(seed)
    return make_task(clean_lists(np.random.default_rng(seed + 1), labels), labels, seed)


def task_with_copies(count: int = 6) -> SubgraphTask:
    """The first test subgraphs have the nodes of training subgraphs of the same class."""
    task = clean_task()
    assert task.labels is not None
    lists, labels = lists_of(task), task.labels
    for row in range(180, 180 + count):
        lists[row] = lists[int(np.flatnonzero(labels[:120] == labels[row])[0])]
    return make_task(lists, labels)


def task_with_conflicts(count: int = 6) -> SubgraphTask:
    """Pairs of test subgraphs have the same nodes and different classes."""
    task = clean_task()
    assert task.labels is not None
    lists, labels = lists_of(task), task.labels.copy()
    for row in range(180, 180 + 2 * count, 2):
        lists[row] = lists[row + 1]
        labels[row] = (labels[row + 1] + 1) % CLASSES
    return make_task(lists, labels)


def task_with_telling_sizes() -> SubgraphTask:
    """Members are anywhere, and each class has sizes of its own."""
    rng, labels = np.random.default_rng(3), drawn_labels()
    lists = [
        rng.choice(CLASSES * NODES, 4 + 5 * label + rng.integers(0, 3), replace=False).tolist()
        for label in labels.tolist()
    ]
    return make_task(lists, labels)


def task_without_signal() -> SubgraphTask:
    """Labels are random."""
    task = clean_task()
    assert task.labels is not None
    shuffled = [
        np.random.default_rng(9 + k).permutation(part)
        for k, part in enumerate(np.split(task.labels, [120, 180]))
    ]
    return make_task(lists_of(task), np.concatenate(shuffled))


def as_multilabel(task: SubgraphTask) -> SubgraphTask:
    """The same with two labels for every fourth subgraph."""
    assert task.labels is not None
    table = task.labels[:, None] == np.arange(CLASSES)
    table[::4, 0] = True
    return SubgraphTask(task.graph, task.subgraphs, labels=table, split=SPLIT, name="several")


def lists_of(task: SubgraphTask) -> list[list[int]]:
    ptr, nodes = task.subgraphs.ptr, task.subgraphs.nodes
    return [nodes[a:b].tolist() for a, b in pairwise(ptr)]
