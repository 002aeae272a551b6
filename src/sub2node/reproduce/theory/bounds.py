"""The lemma and the error bounds on many cases."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ...base import progress
from ...task import SubgraphTask
from .approximation import compute_bound, lemma_difference, measure_error
from .claim import Cell, Claim, Slack
from .linear_layers import Kind
from .theory_cases import FEATURES, Case, random_case, task_cases

_ROUNDING = 1e-10  # of the sizes of what is subtracted
_POINTS = 1500  # in a figure

_GCN_NOTES = (
    "Norms are Frobenius norms. The step ‖Rᵀ‖ ‖D^-½ A D^-½‖ ≤ M^½ needs the spectral norm for the"
    " second factor, which is 1 at most; its Frobenius norm may be N^½.",
    "‖R‖² = Σ_i vol(S_i) / d̂_i, where d̂_i counts a neighbour as often as subgraphs have it. It is M"
    " in a partition, and M at most where every neighbour of a member is in some subgraph. With"
    " neighbours outside all subgraphs it may be any number, and the printed bound may fail.",
    "Corrected: ‖R‖ ‖X - R X̂‖ ‖W‖, for every graph, subgraphs, X, X̂ and W, with A or A + I.",
    "Isolated nodes, and subgraphs with d̂_i = 0, count as zeros (a root of 0 is inverted to 0).",
    "The layer is linear. A ReLU behind both layers is outside of the proposition: see the rows"
    " 'with ReLU'.",
)
_GIN_NOTES = (
    "‖Mᵀ‖ = (M N̄)^½ is exact. ‖A‖ ≤ E^½ is not: ‖A‖ = (2E)^½, and even the spectral norm is above"
    " E^½ in a triangle. E counts an edge once, as elsewhere in the paper. The printed bound is"
    " too small by up to 2^½, and fails for one subgraph that is a whole triangle with x = 1.",
    "Corrected: ((2 M N̄ E)^½ ‖X - M X̂‖ + |1+ε| ‖Mᵀ X - X̂‖) ‖W‖.",
    "The third line of the printed proof has Mᵀ A (X - M X̂) X W for Mᵀ A (X - M X̂) W.",
    "With X̂ = Mᵀ X the second term is 0: this is the corollary. With the worst features X̂ is 0.",
)


class _Tally:
    """Cases of one row of a table, or of all."""

    def __init__(self) -> None:
        self.cases = self.held = self.printed = self.proven = 0
        self.slack: list[float] = []
        self.printed_slack: list[float] = []
        self.tight_slack: list[float] = []

    def add(self, case: Mapping[str, Any]) -> None:
        self.cases += 1
        self.held += case["held"]
        self.printed += case["printed_held"]
        self.proven += case["proven"]
        self.slack.append(case["slack"])
        self.printed_slack.append(case["printed_slack"])
        self.tight_slack.append(case["tight_slack"])

    def row(self, **labels: Cell) -> dict[str, Cell]:
        lows = [Slack.of(s) for s in (self.slack, self.tight_slack, self.printed_slack)]
        tight, printed = lows[1:]
        return {
            **labels,
            "cases": self.cases,
            "corrected held": self.held,
            "printed held": self.printed,
            "printed follows": self.proven,
            "smallest slack": None if lows[0] is None else lows[0].low,
            "smallest tight slack": None if tight is None else tight.low,
            "smallest printed slack": None if printed is None else printed.low,
        }


def lemma_claim(count: int, seed: int, tasks: Mapping[str, SubgraphTask]) -> Claim:
    """The lemma: both sides are the same matrix."""
    start, rng = time.perf_counter(), np.random.default_rng([seed, 1])
    differences: dict[str, list[float]] = {}
    for case in _generate_cases(count, "gcn", rng=rng, tasks={}, label="lemma"):
        differences.setdefault(case.sets, []).append(lemma_difference(case.inputs.layers))
    for case in task_cases(tasks, "gcn", rng)[:: len(FEATURES)]:
        differences.setdefault(f"{case.graph}, {case.sets}", []).append(
            lemma_difference(case.inputs.layers)
        )
    all_values = [value for values in differences.values() for value in values]
    return Claim(
        name="lemma",
        title="Lemma: degrees",
        statement="Rᵀ D^-½ A D^-½ R = D̂^-½ Â D̂^-½, to 1e-12 in every entry.",
        cases=len(all_values),
        held=sum(value <= 1e-12 for value in all_values),
        printed_held=None,
        slack=None,
        printed_slack=None,
        notes=(
            "True without conditions, where Â = Mᵀ A M keeps its diagonal (twice the edges inside)"
            " and D̂ is its row sum: overlaps, uncovered and isolated nodes do no harm.",
            "It is about raw weights: after the cut to strong links, which networks read, it does"
            " not hold any more.",
        ),
        rows=tuple(
            {"subgraphs": sets, "cases": len(values), "largest difference": max(values)}
            for sets, values in differences.items()
        ),
        data={"differences": differences},
        seconds=time.perf_counter() - start,
    )


def error_claim(kind: Kind, count: int, seed: int, tasks: Mapping[str, SubgraphTask]) -> Claim:
    """Proposition 3, or the proposition on GIN with its corollary."""
    start, rng = time.perf_counter(), np.random.default_rng([seed, 2 + (kind == "gin")])
    total, relu = _Tally(), _Tally()
    by_row: dict[tuple[str, str], _Tally] = {}
    points = []
    for case in _generate_cases(count, kind, rng=rng, tasks=tasks, label=f"{kind} error"):
        numbers = measure_case(case, kind)
        sets = case.sets if case.graph not in tasks else f"{case.graph}, {case.sets} subgraphs"
        for tally in (total, by_row.setdefault((sets, case.features), _Tally())):
            tally.add(numbers)
        points.append(
            [sets, case.features, numbers["error"], numbers["corrected"], numbers["printed"]]
        )
        if kind == "gcn" and case.graph not in tasks:
            relu.add(measure_case(case, kind, relu=True))
    rows = [
        tally.row(subgraphs=sets, features=features)
        for (sets, features), tally in sorted(by_row.items(), key=lambda item: item[0][0])
    ]
    if relu.cases:
        rows.append(relu.row(subgraphs="random, all kinds", features="with ReLU"))
    names = {"gcn": "Proposition 3: single-layer GCN", "gin": "GIN Sum-1-Layer, with corollary"}
    statement = {
        "gcn": "‖Rᵀ H - Ĥ‖ ≤ ‖R‖ ‖X - R X̂‖ ‖W‖; as printed, with M^½ for ‖R‖.",
        "gin": "‖Mᵀ H - Ĥ‖ ≤ ((2 M N̄ E)^½ ‖X - M X̂‖ + |1+ε| ‖Mᵀ X - X̂‖) ‖W‖; as printed, with E"
        " for 2E.",
    }
    return Claim(
        name=f"{kind}-error",
        title=names[kind],
        statement=statement[kind],
        cases=total.cases,
        held=total.held,
        printed_held=total.printed,
        slack=Slack.of(total.slack),
        printed_slack=Slack.of(total.printed_slack),
        notes=_GCN_NOTES if kind == "gcn" else _GIN_NOTES,
        rows=tuple(rows),
        data={"points": _choose_points(points, set(tasks))},
        seconds=time.perf_counter() - start,
    )


def measure_case(case: Case, kind: Kind, *, relu: bool = False) -> dict[str, Any]:
    """The error of a case, its bounds, and whether they hold."""
    error = measure_error(case.inputs, kind, eps=case.eps, relu=relu)
    bound = compute_bound(case.inputs, kind, eps=case.eps)
    pooled, s2n_output = case.inputs.outputs(kind, eps=case.eps, relu=relu)
    rounding = _ROUNDING * float(np.linalg.norm(pooled) + np.linalg.norm(s2n_output))

    def slack(value: float) -> float:
        return value / error if error > rounding else np.inf

    return {
        "error": error,
        "corrected": bound.corrected,
        "printed": bound.printed,
        "proven": bound.proven,
        "held": error <= min(bound.corrected, bound.tight) + rounding,
        "printed_held": error <= bound.printed + rounding,
        "slack": slack(bound.corrected),
        "printed_slack": slack(bound.printed),
        "tight_slack": slack(bound.tight),
    }


def _generate_cases(
    count: int,
    kind: Kind,
    *,
    rng: np.random.Generator,
    tasks: Mapping[str, SubgraphTask],
    label: str,
) -> Iterable[Case]:
    for number in progress.counted(range(count), "Case", name=lambda number: label):
        yield random_case(number, kind, rng)
    yield from task_cases(tasks, kind, rng)


def _choose_points(points: Sequence[list[Any]], tasks: set[str]) -> list[list[Any]]:
    """All that failed as printed and those of tasks, and as many others as a figure shows."""
    first = [p for p in points if p[2] > p[4] or p[0].split(",")[0] in tasks]
    rest = [p for p in points if not (p[2] > p[4] or p[0].split(",")[0] in tasks)]
    step = max(1, len(rest) // _POINTS)
    return first + rest[::step]
