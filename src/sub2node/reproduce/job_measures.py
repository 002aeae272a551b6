"""What is measured of data rather than learned: statistics, compression, speed."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

import numpy as np

from ..base.errors import DataError
from ..base.ragged import Array
from ..config import TranslationSettings
from ..efficiency.benchmark import PUBLISHED_EDGES, published_cut
from ..efficiency.efficiency_table import EfficiencyRow, EfficiencyTable
from ..efficiency.measure import efficiency
from ..encode import subgraph_statistics
from ..encode.structure_statistics import SUBGRAPH_COLUMNS
from ..evaluate.compression import compression
from ..evaluate.homophily import homophily
from ..models.candidates import NetworkModel
from ..models.graph_network import translated
from ..task import SubgraphTask
from ..task.statistics import describe
from ..translation import S2NGraph
from .cell_settings import settings_for

ATTRIBUTES = {
    "internal": ("internal_edges", "density", "mean_inner_degree", "sd_inner_degree"),
    "border": ("boundary_edges", "cut_ratio"),
    "position": ("mean_core", "components"),
}
_VARIANTS = [(structure, conv) for structure in ("s2n+0", "s2n+a") for conv in ("gcn", "gcn2")]


def count_statistics(task: SubgraphTask) -> dict[str, object]:
    """The numbers of the paper's dataset tables, by the name of their row."""
    statistics = describe(task)
    sizes = statistics["split"]
    count = sum(sizes.values())
    shares = [f"{100 * sizes.get(part, 0) / count:.0f}" for part in ("train", "val", "test")]
    density = statistics["subgraph_density_with_loops"]  # which is what the paper's tables hold
    return {
        **{name: statistics[name] for name in ("nodes", "internal_edges", "subgraphs", "classes")},
        "edges": statistics["edges"],
        "density": statistics["density"],
        "subgraph_density": [density["mean"], density["sd"]],
        "subgraph_nodes": [statistics["subgraph_nodes"][key] for key in ("mean", "sd")],
        "subgraph_components": [statistics["subgraph_components"][key] for key in ("mean", "sd")],
        "labels": "Multi-label" if statistics["multilabel"] else "Single-label",
        "split": "/".join(shares),
        "self_loops": statistics["self_loops"],
    }


def explain_attributes(task: SubgraphTask) -> dict[str, object]:
    """For each kind of attribute, the statistic that labels tell most about, with its share.

    The share is that of the variance over all subgraphs which lies between classes (η²).
    """
    if task.labels is None or task.multilabel:
        raise DataError("attributes are explained by labels of which each subgraph has one.")
    columns = dict(zip(SUBGRAPH_COLUMNS, subgraph_statistics(task).T, strict=True))
    facts: dict[str, object] = {}
    for kind, names in ATTRIBUTES.items():
        shares = {name: share_between(columns[name], task.labels) for name in names}
        best = max(shares, key=lambda name: shares[name])
        facts[kind] = f"{shares[best]:.2f} ({best.replace('_', ' ')})"
    return facts


def share_between(values: Array, labels: Array) -> float:
    """The share of the variance of values that lies between classes; 0 for a constant."""
    total = float(((values - values.mean()) ** 2).sum())
    if total < 1e-12 * max(1.0, float((values**2).sum())):
        return 0.0
    counts = np.bincount(labels)
    sums = np.bincount(labels, values - values.mean())
    return float((sums[counts > 0] ** 2 / counts[counts > 0]).sum() / total)


def measure_compression(task: SubgraphTask) -> dict[str, object]:
    """Sizes before and after translation, and homophily, over the settings of all S2N models."""
    if task.labels is None:
        raise DataError("homophily needs labels, and the task has none.")
    raw, rows = translated(task, TranslationSettings()), []
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
        **{name: _mean_and_sd([row[name] for row in rows]) for name in rows[0]},
        "presets": presets,
    }


def _mean_and_sd(values: list[float]) -> list[float] | None:
    """Mean and standard deviation of finite values; None without any."""
    finite = [value for value in values if math.isfinite(value)]
    return [float(np.mean(finite)), float(np.std(finite))] if finite else None


@lru_cache(maxsize=4)
def fit_published_size(task: SubgraphTask, column: str) -> dict[str, object]:
    """Settings that give a random graph of a published shape an S2N graph of the published size."""
    graph: S2NGraph = translated(task, TranslationSettings())
    return {
        "translation.a": published_cut(graph, PUBLISHED_EDGES[column]),
        "translation.delta": 1.0,
    }


def measure_speed(
    task: SubgraphTask,
    model: NetworkModel,
    *,
    data_name: str,
    name: str,
    preset: str,
    quick: bool,
) -> dict[str, object]:
    """Throughput, latency, parameters and memory, as ``s2n bench efficiency`` writes them.

    Args:
        task: The data to train and evaluate on.
        model: The model with its settings; of several candidates the first counts.
        data_name: The name of the data in the record.
        name: The name of the model, as ``s2n+a gcn2`` or ``glass``.
        preset: Where the settings come from.
        quick: Measure two blocks of epochs instead of ten.
    """
    one = replace(model, candidates=model.candidates[:1])
    measured = efficiency(task, one, repeats=2 if quick else 10, seconds=1.0 if quick else 4.0)
    row = EfficiencyRow(data_name, name, preset, measured)
    return EfficiencyTable((row,)).records()[0]
