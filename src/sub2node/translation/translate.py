"""translate: global graph and subgraphs → S2N graph."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, get_args

import numpy as np
from numpy.typing import DTypeLike

from ..base.byte_sizes import parse_memory
from ..base.errors import ConfigError, DataError, suggest
from ..base.ragged import SparseMatrix, distinct
from ..task import SubgraphTask
from .edge_weights import (
    DIRECTIONS,
    Direction,
    EdgeWeights,
    LinearEdgeWeights,
    Operator,
    make_edge_weights,
    signed,
)
from .memory_limits import Limit
from .product import Keep, Sums, measure, rows, united, upper, upper_by_score
from .s2n_graph import (
    EXACT,
    S2NGraph,
    Source,
    TranslationOptions,
    check_delta,
    largest_possible,
    task_split,
)

Engine = Literal["memory", "duckdb", "spark"]
ENGINES: tuple[Engine, ...] = get_args(Engine)
_COVER = 0.9  # share of covered nodes above which the graph is not cut to them


def translate(
    task: SubgraphTask | str | Path,
    *,
    te: str | Operator = "edges",
    self_loops: bool = True,
    max_distance: int = 2,
    direction: Direction = "both",
    cut: float | None = None,
    min_weight: float | None = None,
    top_k: int | None = None,
    engine: Engine = "memory",
    memory: str | int | None = None,
    master: str | None = None,
    spill: str | Path | None = None,
) -> S2NGraph:
    """Translate a task: subgraphs become nodes, joined by W = M(A+I)Mᵀ (section 3 of the paper).

    Where subgraphs have excluded nodes, W = M(A+I)Mᵀ + M⁻(A+I)M⁻ᵀ with M⁻ their membership; so with
    each T_e, whose shortest paths are those between nodes of one sign.

    Args:
        task: A task; for the engines ``duckdb`` and ``spark`` also a folder of Parquet tables that
            is never loaded.
        te: T_e. ``edges``: the number of edges between two subgraphs (plus the nodes they share, by
            ``self_loops``); ``shared_nodes``; ``shortest_path``: 1 / (1 + hops) of the closest
            pair; or a symmetric sparse matrix (N, N), or a function from the graph to one, summed
            over pairs of members.
        self_loops: W = M(A+I)Mᵀ, with which the published results were obtained; False: M A Mᵀ,
            the paper's equation 2.
        max_distance: The most hops that count, for ``shortest_path``.
        direction: Of directed edges, which count for W_ij: those from subgraph i to j (``out``),
            from j to i (``in``), or both, which alone gives a symmetric W.
        cut: Drop entries at or below this standard score while W is produced, so that the memory
            is that of what is kept. By default the raw W is kept and can be cut again at will.
        min_weight: Drop entries below this weight.
        top_k: Keep the diagonal and the k largest other entries of each row (of either end, where W
            is symmetric).
        engine: ``memory``; ``duckdb`` for graphs beyond memory; ``spark`` for a cluster.
        memory: How much may be used, as ``"2GB"``; by default 128 MB to work in and what is kept.
        master: Spark's master, as ``local[2]``.
        spill: Where DuckDB puts what does not fit; by default beside the system's temporary files.

    Returns:
        The S2N graph with raw weights.
    """
    settings = TranslationOptions(
        te=te if isinstance(te, str) else "operator",
        self_loops=self_loops,
        max_distance=max_distance,
        direction=direction,
        cut=cut,
        min_weight=min_weight,
        top_k=top_k,
    )
    check_settings(settings)
    check_engine(engine, settings.te, master=master, spill=spill)
    if engine != "memory":
        from .engines import translate_tables

        return translate_tables(
            task, settings, engine=engine, memory=memory, master=master, spill=spill
        )
    if not isinstance(task, SubgraphTask):
        raise ConfigError("engine='memory' takes a task: translate(load_task(path)).")
    return _in_memory(task, te, settings, Limit(parse_memory(memory)))


def check_engine(engine: str, te: str, *, master: str | None, spill: str | Path | None) -> None:
    """Raise for an engine that there is not, that cannot do this T_e, or has no such option."""
    if engine not in ENGINES:
        raise ConfigError(f"there is no engine {engine!r}.{suggest(str(engine), ENGINES)}")
    if engine != "memory" and te != "edges":
        raise ConfigError(f"the engine {engine} knows only T_e 'edges'; use engine='memory'.")
    if engine == "memory" and (master is not None or spill is not None):
        raise ConfigError("master and spill are for the engines spark and duckdb.")


def check_settings(settings: TranslationOptions) -> None:
    """Raise for numbers that make no sense, or that have no meaning together."""
    _check_number("cut", settings.cut)
    _check_number("min_weight", settings.min_weight, least=0)
    _check_number("a", settings.a)
    if settings.a is not None:
        check_delta(settings.delta)
        if settings.cut is not None and settings.cut > settings.a:
            raise ConfigError(
                f"a cut at {settings.cut:g} drops scores that a = {settings.a:g} keeps; omit the"
                " cut, or lower it."
            )
    for name, least in (("top_k", 1), ("max_distance", 0)):
        value = getattr(settings, name)
        is_integer = isinstance(value, int | np.integer) and not isinstance(value, bool)
        if value is not None and not (is_integer and value >= least):
            raise ConfigError(f"{name} must be a whole number from {least}, found {value!r}.")
    if not isinstance(settings.self_loops, bool):
        raise ConfigError(f"self_loops is True or False, found {settings.self_loops!r}.")
    if settings.direction not in DIRECTIONS:
        raise ConfigError(
            f"there is no direction {settings.direction!r}."
            f"{suggest(str(settings.direction), DIRECTIONS)}"
        )
    if not settings.symmetric and settings.te != "edges":
        raise ConfigError(f"direction is for T_e 'edges', not for {settings.te!r}.")
    if not settings.self_loops and settings.te in ("shared_nodes", "shortest_path"):
        raise ConfigError(f"self_loops is for T_e 'edges', not for '{settings.te}'.")


def _check_number(name: str, value: float | None, *, least: float = -np.inf) -> None:
    if value is None:
        return
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not (number and np.isfinite(value) and value >= least):
        bound = " of 0 or more" if least == 0 else ""
        raise ConfigError(f"{name} must be a number{bound}, found {value!r}.")


def _in_memory(
    task: SubgraphTask, te: str | Operator, settings: TranslationOptions, limit: Limit
) -> S2NGraph:
    split = task_split(task)
    train = split.visible("train")
    if not train:
        raise DataError("the train stage is empty: no subgraph is in train.")
    edge_weights, members = exact_edge_weights(task, te, settings)
    source = Source(edge_weights, members, task.excluded is not None)
    edge_weights, members = _covered(edge_weights, members)
    sums = Sums(train)
    weights = _weights(edge_weights, members, sums=sums, settings=settings, limit=limit)
    return S2NGraph(
        weights=weights,
        split=split,
        statistics=sums.statistics,
        settings=settings,
        task_hash=task.hash,
        source=source,
        names=task.subgraphs.names,
    )


def _weights(
    edge_weights: EdgeWeights,
    members: SparseMatrix,
    *,
    sums: Sums,
    settings: TranslationOptions,
    limit: Limit,
) -> SparseMatrix:
    """The kept entries of W; fills ``sums``."""
    least, top_k, score = settings.min_weight or 0.0, settings.top_k, settings.cut
    if settings.complete:
        return rows(edge_weights, members, members, Keep(), limit=limit, sums=sums)
    above, gather = 0.0, sums if score is None else None
    if score is not None and not settings.symmetric:
        measure(edge_weights, members, sums, limit=limit, half=False)
        above = sums.statistics.weight_at(score)
    elif score is not None:
        if isinstance(edge_weights, LinearEdgeWeights) and score >= 0 and top_k is None:
            weights = upper_by_score(
                edge_weights, members, sums=sums, score=score, least=least, limit=limit
            )
            if weights is not None:
                return weights
        else:
            measure(edge_weights, members, sums, limit=limit)
        above = sums.statistics.weight_at(score)
    keep = Keep(above, least, top_k)
    if not settings.symmetric:
        return rows(edge_weights, members, members, keep, limit=limit, sums=gather)
    if top_k is None:
        return upper(edge_weights, members, keep, limit=limit, sums=gather)
    return united(rows(edge_weights, members, members, keep, limit=limit, sums=gather))


def exact_edge_weights(
    task: SubgraphTask, te: str | Operator, settings: TranslationOptions
) -> tuple[EdgeWeights, SparseMatrix]:
    """EdgeWeights and membership in float32 where every weight is a count that it holds exactly."""
    excluded = task.excluded
    unweighted = (task.graph, task.subgraphs, *(() if excluded is None else (excluded,)))
    plain = all(part.weights is None for part in unweighted)
    counts = plain and isinstance(te, str) and te in ("edges", "shared_nodes")
    exact = counts and largest_possible(task.graph.degrees, task.subgraphs) < EXACT
    dtype: DTypeLike = np.float32 if exact else np.float64
    edge_weights = make_edge_weights(
        task.graph,
        te,
        self_loops=settings.self_loops,
        max_distance=settings.max_distance,
        direction=settings.direction,
        dtype=dtype,
    )
    if excluded is None:
        return edge_weights, task.subgraphs.membership(task.graph.num_nodes, dtype=dtype)
    return signed(edge_weights), task.subgraphs.signed_membership(task.graph.num_nodes, dtype)


def _covered(edge_weights: EdgeWeights, members: SparseMatrix) -> tuple[EdgeWeights, SparseMatrix]:
    """The same on the nodes that occur in subgraphs only, where that is worth the cutting."""
    nodes = distinct(members.indices)
    if not isinstance(edge_weights, LinearEdgeWeights) or len(nodes) > _COVER * members.shape[1]:
        return edge_weights, members
    diagonal = None if edge_weights.diagonal is None else edge_weights.diagonal[nodes]
    return LinearEdgeWeights(edge_weights.operator[nodes][:, nodes].tocsr(), diagonal), members[
        :, nodes
    ].tocsr()
