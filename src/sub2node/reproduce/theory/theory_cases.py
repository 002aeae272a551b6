"""Random graphs, subgraphs and features for the bounds, odd ones among them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from ...base.ragged import Array
from ...task import SubgraphTask
from .linear_layers import Kind, LayerInputs, Layers
from .sampling import configuration_model, degree_sequence, node_sets

GRAPHS = ("power-law", "poisson", "regular", "dense", "stars")
SETS = ("partition", "covering", "few", "single nodes", "walks")
FEATURES = ("normal", "positive", "free", "rebuilt", "worst")
_STEPS = 60  # of the power iteration for the worst features


@dataclass(frozen=True, eq=False)
class Case:
    """One comparison of a bound with a measured error.

    Args:
        graph: The kind of graph, or the name of a task.
        sets: The kind of subgraphs.
        features: The kind of features.
        inputs: A, M, X, X̂ and W; X̂ is what the readout makes of X (``normal``, ``positive``),
            drawn by itself (``free``), such that X = R X̂ (``rebuilt``), or 0 (``worst``).
        eps: ε of GIN.
    """

    graph: str
    sets: str
    features: str
    inputs: LayerInputs
    eps: float


def random_case(number: int, kind: Kind, rng: np.random.Generator) -> Case:
    """A case of up to 150 nodes; the number selects the kinds of graph, sets and features."""
    graph, sets = GRAPHS[number % 5], SETS[number // 5 % 5]
    features = FEATURES[number // 25 % 5]
    adjacency = random_adjacency(graph, int(np.exp(rng.uniform(np.log(4), np.log(150)))), rng)
    layers = Layers(adjacency, random_sets(adjacency, sets, rng))
    if kind == "gcn" and number % 2:
        loops = sp.eye_array(adjacency.shape[0], format="csr")
        layers = Layers((adjacency + loops).tocsr(), layers.membership)
    return _add_features(layers, (graph, sets, features), kind, rng)


def task_cases(
    tasks: Mapping[str, SubgraphTask], kind: Kind, rng: np.random.Generator
) -> list[Case]:
    """Each task with all of its subgraphs and with 20 of them, and each kind of features."""
    cases = []
    for name, task in tasks.items():
        few = rng.choice(len(task), min(20, len(task)), replace=False)
        for sets, subgraphs in (("all", task.subgraphs), ("20", task.subgraphs.take(few))):
            layers = Layers.of(task.graph, subgraphs)
            cases += [
                _add_features(layers, (name, sets, features), kind, rng, width=8)
                for features in FEATURES
            ]
    return cases


def random_adjacency(kind: str, nodes: int, rng: np.random.Generator) -> sp.csr_array:
    """A without diagonal, zeros and ones; CSR (N, N). Some nodes may be isolated."""
    if kind == "dense":
        upper = sp.triu(sp.random_array((nodes, nodes), density=0.6, rng=rng), k=1)
        matrix = (upper + upper.T).tocsr()
        matrix.data[:] = 1
        return matrix
    if kind == "stars":  # hubs in a row, each with leaves of its own
        hubs = max(1, nodes // 8)
        hub = np.r_[np.arange(hubs - 1), rng.integers(0, hubs, nodes - hubs)]
        leaf = np.r_[np.arange(1, hubs), np.arange(hubs, nodes)]
        ends = (np.r_[hub, leaf], np.r_[leaf, hub])
        return sp.coo_array((np.ones(len(ends[0])), ends), shape=(nodes, nodes)).tocsr()
    mean = min(float(rng.uniform(1, 10)), nodes - 1)
    degrees = degree_sequence(kind, nodes, mean, rng)  # type: ignore[arg-type]
    return configuration_model(degrees, rng, simple=True)


def random_sets(adjacency: sp.csr_array, kind: str, rng: np.random.Generator) -> sp.csr_array:
    """Subgraphs as membership; CSR (M, N)."""
    nodes = adjacency.shape[0]
    count = int(rng.integers(1, max(2, nodes // 2)))
    if kind == "walks":
        return node_sets(adjacency, rng.integers(2, 9, count), "walks", rng)
    if kind == "single nodes":
        return node_sets(adjacency, np.ones(count, np.int64), "uniform", rng)
    some = np.minimum(rng.integers(1, 9, count), nodes)
    if kind == "few":
        return node_sets(adjacency, some[: max(1, count // 8)], "uniform", rng)
    owner = rng.permutation(np.r_[np.arange(count), rng.integers(0, count, nodes - count)])
    data = (np.ones(nodes), (owner, np.arange(nodes)))
    parts = sp.coo_array(data, shape=(count, nodes)).tocsr()
    if kind == "partition":
        return parts
    return sp.vstack([parts, node_sets(adjacency, some, "uniform", rng)]).tocsr()


def worst_features(layers: Layers, kind: Kind, rng: np.random.Generator) -> Array:
    """X (N, 1) that Rᵀ D^-½ A D^-½, or Mᵀ A of GIN, makes as long as it can; by power iteration."""
    x = np.abs(rng.standard_normal((layers.adjacency.shape[0], 1))) + 0.1
    for _ in range(_STEPS):
        if kind == "gcn":
            x = layers.spread(layers.rebuild(layers.pool(layers.spread(x), kind), kind))
        else:
            x = layers.adjacency @ layers.rebuild(layers.pool(layers.adjacency @ x, kind), kind)
        x = x / max(float(np.linalg.norm(x)), 1e-300)
    return np.asarray(x)


def _add_features(
    layers: Layers,
    names: tuple[str, str, str],
    kind: Kind,
    rng: np.random.Generator,
    *,
    width: int = 0,
) -> Case:
    """A case with features of the kind that the last name says, and weights."""
    (count, nodes), features = layers.membership.shape, names[2]
    if features == "worst":
        x = worst_features(layers, kind, rng)
        inputs = LayerInputs(layers, x, np.zeros((count, 1)), np.ones((1, 1)))
        return Case(*names, inputs, eps=0.0)
    width = width or int(rng.integers(1, 9))
    x, x_hat = rng.standard_normal((nodes, width)), rng.standard_normal((count, width))
    if features == "rebuilt":
        x = layers.rebuild(x_hat, kind)
    elif features != "free":
        x = np.abs(x) if features == "positive" else x
        x_hat = layers.pool(x, kind)
    weight = rng.standard_normal((width, width))
    inputs = LayerInputs(layers, x, x_hat, weight)
    return Case(*names, inputs, eps=float(rng.uniform(-1, 1)))
