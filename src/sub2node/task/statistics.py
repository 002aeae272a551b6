"""What a task looks like: the statistics of the paper's dataset tables, and warnings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse.csgraph import connected_components

from ..base.plural import plural
from ..base.ragged import Array, distinct
from .split import PARTS
from .subgraph_measures import Measures, measure, ratio

if TYPE_CHECKING:
    from .graph import Graph
    from .task import SubgraphTask

_SMALL_TEST = 100
_FEW = 5


def describe(task: SubgraphTask) -> dict[str, Any]:
    """Statistics of a task as plain numbers, ready for JSON.

    Means come with their standard deviation over subgraphs. ``edges`` and ``density`` leave
    self-loops aside. Of a graph on disk, what takes all of its edges is None.
    """
    graph, subgraphs = task.graph, task.subgraphs
    measures = measure(graph, subgraphs)
    parts = [part for part in PARTS if task.split is not None and task.split.count(part)]
    sizes = {} if task.split is None else {part: task.split.count(part) for part in PARTS}
    if not sizes.get("virtual"):
        sizes.pop("virtual", None)
    covered = len(distinct(subgraphs.nodes))
    counts = task.label_counts()
    overlap, repeated = _overlap(task), _repeated_sets(task)
    result: dict[str, Any] = {
        "name": task.name,
        "hash": task.hash,
        **_graph_facts(graph),
        "subgraphs": len(subgraphs),
        "unlabelled": 0 if task.unlabelled is None else len(task.unlabelled),
        "excluded_members": 0 if task.excluded is None else len(task.excluded.nodes),
        "with_excluded": 0 if task.excluded is None else int((task.excluded.sizes > 0).sum()),
        "internal_edges": int(measures.edges.sum()),
        "subgraph_nodes": _spread(measures.sizes),
        "subgraph_density": _spread(measures.density),
        "subgraph_density_with_loops": _spread(_density_with_loops(task, measures)),
        "subgraph_components": _spread(measures.components),
        "subgraph_boundary": _spread(measures.boundary),
        "subgraph_cut_ratio": _spread(measures.cut_ratio),
        "subgraph_mean_core": _spread(measures.mean_core),
        "subgraph_mean_degree": _spread(measures.degree_moments[0]),
        "coverage": covered / graph.full_size if graph.full_size else 0.0,
        "sets_per_covered_node": len(subgraphs.nodes) / covered if covered else 0.0,
        "classes": task.num_classes,
        "class_names": list(task.class_names),
        "multilabel": task.multilabel,
        "labels_per_subgraph": _labels_per_subgraph(task),
        "split": sizes,
        "label_counts": {
            part: dict(zip(task.class_names, counts[PARTS.index(part)].tolist(), strict=True))
            for part in (parts or ["train"])
        }
        if task.labels is not None
        else {},
        "node_overlap": overlap,
        "repeated_sets": repeated,
        "notes": list(task.notes),
    }
    result["warnings"] = _warnings(task, result)
    return result


def _graph_facts(graph: Graph) -> dict[str, Any]:
    """Sizes of the graph: of the whole one where a part of it is loaded."""
    whole = graph.whole
    nodes, edges = graph.full_size, graph.num_edges if whole is None else whole.num_edges
    facts: dict[str, Any] = {"nodes": nodes, "edges": edges}
    if whole is not None:
        facts |= {"loaded_nodes": graph.num_nodes, "loaded_edges": graph.num_edges}
    loops, isolated, components = None, None, None
    if whole is None:
        loops, isolated = graph.num_loops, int((graph.degrees == 0).sum())
        components = int(connected_components(graph.adjacency(), directed=False)[0])
    return {
        **facts,
        "self_loops": loops,
        "directed_edges": 0 if graph.arcs is None else len(graph.arcs),
        "edge_features": 0 if graph.arcs is None else len(graph.arcs.feature_names),
        "weighted": graph.weights is not None,
        "features": 0 if graph.features is None else int(graph.features.shape[1]),
        "isolated_nodes": isolated,
        "graph_components": components,
        "density": edges / (nodes * (nodes - 1) / 2) if nodes > 1 else 0.0,
    }


def _spread(values: Array) -> dict[str, float]:
    if not len(values):
        return {"mean": 0.0, "sd": 0.0, "min": 0.0, "max": 0.0}
    return {
        "mean": float(values.mean()),
        "sd": float(values.std()),
        "min": float(values.min()),
        "max": float(values.max()),
    }


def _density_with_loops(task: SubgraphTask, measures: Measures) -> Array:
    """Density with each self-loop counted as an edge, which is what the paper's tables hold."""
    loop = np.zeros(task.graph.num_nodes)
    loop[task.graph.loops] = 1
    loops = np.bincount(task.subgraphs.owner, loop[task.subgraphs.nodes], minlength=len(task))
    return measures.density + ratio(loops, measures.sizes * (measures.sizes - 1) / 2)


def _labels_per_subgraph(task: SubgraphTask) -> float:
    if task.labels is None:
        return 0.0
    return float(task.labels.sum(axis=1).mean()) if task.multilabel and len(task) else 1.0


def _overlap(task: SubgraphTask) -> dict[str, float]:
    """Share of a part's nodes that occur in training subgraphs too."""
    if task.split is None:
        return {}
    owner = task.subgraphs.owner
    in_train = np.zeros(task.graph.num_nodes, dtype=bool)
    in_train[task.subgraphs.nodes[task.split.mask("train")[owner]]] = True
    shares = {}
    for part in ("val", "test"):
        nodes = np.unique(task.subgraphs.nodes[task.split.mask(part)[owner]])
        if len(nodes):
            shares[f"{part}_in_train"] = float(in_train[nodes].mean())
    return shares


def _repeated_sets(task: SubgraphTask) -> dict[str, int]:
    """Subgraphs of val and test whose node set is exactly that of a training subgraph."""
    if task.split is None or not len(task):
        return {}
    # Sets compare by a 2 × 64-bit fingerprint: the sum of random codes of their nodes.
    node_codes = np.random.default_rng(0).integers(0, 2**63, (task.graph.num_nodes, 2), np.uint64)
    fingerprints = np.add.reduceat(
        node_codes[task.subgraphs.nodes], task.subgraphs.ptr[:-1], axis=0
    )
    _, set_numbers = np.unique(fingerprints, axis=0, return_inverse=True)
    in_train = np.isin(set_numbers, set_numbers[task.split.mask("train")])
    return {
        f"{part}_in_train": int((in_train & task.split.mask(part)).sum())
        for part in PARTS[2:]
        if task.split.count(part)
    }


def _warnings(task: SubgraphTask, facts: dict[str, Any]) -> list[str]:
    warnings = []
    if task.labels is None:
        warnings.append("No labels: the data can be translated and scored, not trained on.")
    if task.split is None:
        warnings.append(
            "No split: commands that train draw one at random; a column 'split' of the labels, or"
            " --split-by and --split-time, say which subgraphs are train, val and test."
        )
    for part, count in facts["repeated_sets"].items():
        if count:
            copies = plural(count, f"{part.split('_')[0]} subgraph")
            have, them = ("has", "it") if count == 1 else ("have", "them")
            warnings.append(
                f"{copies} {have} exactly the nodes of a training subgraph: scores on {them}"
                " measure memory."
            )
    if facts["classes"] == 1:
        warnings.append("There is one class only: nothing to tell apart.")
    test = facts["split"].get("test", 0)
    if 0 < test < _SMALL_TEST:
        warnings.append(
            f"Only {plural(test, 'test subgraph')}: one of them is {100 / test:.1f} points, so"
            " small differences between models mean nothing; repeat over random splits."
        )
    if task.split is not None:
        absent = [part for part in ("train", "val", "test") if not facts["split"].get(part)]
        warnings += [f"No {part} subgraphs." for part in absent]
    rare = {
        name: count
        for name, count in facts["label_counts"].get("train", {}).items()
        if count < _FEW
    }
    if rare and task.labels is not None and task.split is not None:
        listed = ", ".join(f"{name} ({count})" for name, count in list(rare.items())[:5])
        warnings.append(f"Fewer than {_FEW} training subgraphs of: {listed}.")
    if facts["isolated_nodes"]:
        have = "has" if facts["isolated_nodes"] == 1 else "have"
        warnings.append(f"{plural(facts['isolated_nodes'], 'node')} {have} no neighbour.")
    return warnings
