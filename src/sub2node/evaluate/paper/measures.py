"""What is measured of data rather than learned: statistics, compression, speed."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from ...task import SubgraphTask
from ...task.statistics import describe
from ...translate import S2NGraph
from ..benchmark import PUBLISHED_EDGES, published_cut
from ..choosing import NetworkModel
from ..compression import compression
from ..efficiency import efficiency
from ..homophily import homophily
from ..models import translated
from ..ratios import Benchmark, Row
from .choice import settings_for

_VARIANTS = [(structure, conv) for structure in ("s2n+0", "s2n+a") for conv in ("gcn", "gcn2")]


def statistics_of(task: SubgraphTask) -> dict[str, Any]:
    """The numbers of the paper's dataset tables, by the name of their row."""
    found = describe(task)
    sizes = found["split"]
    count = sum(sizes.values())
    shares = [f"{100 * sizes.get(part, 0) / count:.0f}" for part in ("train", "val", "test")]
    density = found["subgraph_density_with_loops"]  # which is what the paper's tables hold
    return {
        **{name: found[name] for name in ("nodes", "internal_edges", "subgraphs", "classes")},
        "edges": found["edges"],
        "density": found["density"],
        "subgraph_density": [density["mean"], density["sd"]],
        "subgraph_nodes": [found["subgraph_nodes"][key] for key in ("mean", "sd")],
        "subgraph_components": [found["subgraph_components"][key] for key in ("mean", "sd")],
        "labels": "Multi-label" if found["multilabel"] else "Single-label",
        "split": "/".join(shares),
        "self_loops": found["self_loops"],
    }


def compression_of(task: SubgraphTask) -> dict[str, Any]:
    """Sizes before and after translation, and homophily, over the settings of all S2N models."""
    assert task.labels is not None
    raw, rows = translated(task, True), []
    presets: dict[str, str] = {}
    for structure, conv in _VARIANTS:
        preset = settings_for(task, structure, conv)
        graph = raw.normalize(preset.config.translation.a, preset.config.translation.delta)
        sizes = compression(task, graph)
        rows.append(
            {
                "joined": sizes.edges_after,
                "entries": int(graph.weights.nnz),
                "homophily": homophily(graph.weights, task.labels, self_loops=True).edge,
                "homophily_bare": homophily(graph.weights, task.labels).edge,
            }
        )
        presets[f"{structure} {conv}"] = preset.name
    return {
        "nodes_before": task.graph.num_nodes,
        "nodes_after": len(raw),
        "edges_before": task.graph.num_edges,
        **{name: _spread([row[name] for row in rows]) for name in rows[0]},
        "presets": presets,
    }


def _spread(values: list[float]) -> list[float] | None:
    """Mean and standard deviation of what is there; None where nothing is."""
    there = [value for value in values if math.isfinite(value)]
    return [float(np.mean(there)), float(np.std(there))] if there else None


@lru_cache(maxsize=4)
def shaped(task: SubgraphTask, column: str) -> dict[str, Any]:
    """Settings that give a random graph of a published shape an S2N graph of the published size."""
    graph: S2NGraph = translated(task, True)
    return {
        "translation.a": published_cut(graph, PUBLISHED_EDGES[column]),
        "translation.delta": 1.0,
    }


def speed_of(
    task: SubgraphTask, model: NetworkModel, word: str, name: str, preset: str, *, quick: bool
) -> dict[str, Any]:
    """Throughput, latency, parameters and memory, as ``s2n bench efficiency`` writes them.

    Args:
        task: The data.
        model: With its settings; of several candidates the first counts.
        word: What the data is called.
        name: As ``s2n+a gcn2`` or ``glass``.
        preset: Where the settings come from.
        quick: Two blocks of epochs instead of ten.
    """
    one = replace(model, candidates=model.candidates[:1])
    found = efficiency(task, one, repeats=2 if quick else 10, seconds=1.0 if quick else 4.0)
    row = Row(word, name, preset, found)
    return Benchmark((row,)).records()[0]
