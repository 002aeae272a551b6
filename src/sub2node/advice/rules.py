"""Rules that rank structures by measured characteristics and costs, before anything is trained.

Each rule is one sentence with the number that triggered it, and adds or subtracts points. Rules
are guesses: where probes can be run, those decide (``docs/choosing.md``: how often they agree).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..config import STRUCTURES, Structure
from .timing import Cost
from .traits import Traits

ISOLATED = 0.5  # share of subgraphs without a link
LINKED, UNLINKED = 0.1, 0.05  # homophily above chance, as a share of what is possible
DENSE = 0.3  # links over pairs
FLAT = 0.05  # standard deviation of the internal density below which it says nothing
FEW = 20.0  # training subgraphs of a class
UNSEEN = 0.5  # share of edges that only the global graph has; share of nodes in no subgraph
SLOWER = 10.0  # times as long as S2N
SLOWER_WITH_BRIDGES = 3.0  # times as long as the same without virtual subgraphs

_S2N: tuple[Structure, ...] = (Structure.S2N_0, Structure.S2N_A)
_CO: tuple[Structure, ...] = (Structure.COS2N_0, Structure.COS2N_A)
_INNER: tuple[Structure, ...] = (Structure.SEPARATED, Structure.S2N_A, Structure.COS2N_A)
_OUTER: tuple[Structure, ...] = (Structure.S2N_0, Structure.COS2N_0)


@dataclass(frozen=True)
class Reason:
    """A rule that was triggered.

    Args:
        rule: The name of the rule.
        text: A sentence with the measured number and what follows from it.
        value: The measured number.
        points: Points by structure: for it (above 0) or against it.
    """

    rule: str
    text: str
    value: float
    points: dict[Structure, int]

    def to_dict(self) -> dict[str, object]:
        """The fields, for JSON."""
        return {"rule": self.rule, "text": self.text, "value": self.value, "points": self.points}


def reasons(traits: Traits, costs: Mapping[Structure, Cost], free: int | None) -> list[Reason]:
    """Apply all rules; returns those that hold.

    Args:
        traits: Characteristics of the task.
        costs: Costs by structure, of those that can be used.
        free: Free bytes; None: unknown.
    """
    return [
        *_link_rules(traits),
        *_label_rules(traits),
        *_density_rules(traits),
        *_coverage_rules(traits),
        *_cost_rules(costs, free),
    ]


def ranking(
    triggered: Sequence[Reason], costs: Mapping[Structure, Cost]
) -> list[tuple[Structure, int]]:
    """Rank structures by points, most first, the cheaper one where they are equal."""
    points = {
        name: sum(reason.points.get(name, 0) for reason in triggered)
        for name in STRUCTURES
        if name in costs
    }
    return sorted(points.items(), key=lambda item: (-item[1], costs[item[0]].seconds))


def _give_points(names: Sequence[Structure], points: int) -> dict[Structure, int]:
    return dict.fromkeys(names, points)


def _link_rules(traits: Traits) -> Iterator[Reason]:
    """Does the S2N graph say anything about labels?"""
    links = traits.links
    if links is None:
        text = (
            "there is no S2N graph at the default cut, so S2N has nothing to pass messages through."
        )
        yield Reason("no S2N graph", text, 0.0, _give_points(_S2N, -2))
        return
    if links.isolated >= ISOLATED:
        lower = f" --set a={links.half:.3g} would join half of them," if links.half else ""
        yield Reason(
            "isolated subgraphs",
            f"{links.isolated:.0%} of the subgraphs have no link in the S2N graph at the cut"
            f" a = {links.cut:g}:{lower} else S2N+0 is a sum of node vectors for those, and S2N+A"
            " an encoder inside each subgraph.",
            links.isolated,
            {Structure.S2N_0: -1},
        )
    if links.density >= DENSE:
        yield Reason(
            "dense links",
            f"{links.density:.0%} of all pairs of subgraphs are linked at the cut"
            f" a = {links.cut:g}, so vectors are smoothed into one another; a higher cut (--set a=)"
            " keeps the strongest.",
            links.density,
            _give_points(_S2N, -1),
        )
    labelled = traits.labelled
    if labelled is None or labelled.homophily is None or labelled.gain is None:
        return
    overlap = (
        f"linked training subgraphs share their labels to {labelled.homophily:.0%}, any two to"
        f" {labelled.chance:.0%}"
    )
    if labelled.gain >= LINKED:
        text = f"{overlap}: links say something about labels, which S2N can use."
        yield Reason("links and labels", text, labelled.homophily, _give_points(_S2N, 1))
    elif labelled.gain < UNLINKED:
        text = f"{overlap}: links say hardly anything about labels."
        yield Reason("links and labels", text, labelled.homophily, {Structure.SEPARATED: 1})


def _label_rules(traits: Traits) -> Iterator[Reason]:
    """Are there enough labels to learn from?"""
    if traits.labelled is None or traits.labelled.median >= FEW or traits.coverage > 1 - UNSEEN:
        return
    yield Reason(
        "few labels",
        f"a class has {traits.labelled.median:g} training subgraphs (median), and they all cover"
        f" {traits.coverage:.0%} of the nodes: the setting in which virtual subgraphs (CoS2N) are"
        " bridges.",
        traits.labelled.median,
        _give_points(_CO, 2),
    )


def _density_rules(traits: Traits) -> Iterator[Reason]:
    """Can an encoder inside subgraphs see more than which nodes there are?"""
    spread = f"{traits.internal_density:.2f} ± {traits.internal_density_sd:.2f}"
    if traits.internal_density_sd >= FLAT:
        yield Reason(
            "edges inside",
            f"the density inside subgraphs differs ({spread}): +A and separated see that, +0 does"
            " not.",
            traits.internal_density_sd,
            _give_points(_INNER, 1),
        )
    else:
        yield Reason(
            "edges inside",
            f"all subgraphs are about as dense inside ({spread}): +A sees hardly more than +0,"
            " which is cheaper.",
            traits.internal_density_sd,
            _give_points(_OUTER, 1),
        )


def _coverage_rules(traits: Traits) -> Iterator[Reason]:
    """How much of the global graph is outside subgraphs?"""
    unseen = traits.border + traits.outside
    if unseen >= UNSEEN:
        yield Reason(
            "edges outside",
            f"{unseen:.0%} of the edges have an end in no subgraph; only connected and CoS2N see"
            " those.",
            unseen,
            _give_points((Structure.CONNECTED, *_CO), 1),
        )


def _cost_rules(costs: Mapping[Structure, Cost], free: int | None) -> Iterator[Reason]:
    """Which structures need too much memory or time?"""
    for name, cost in costs.items():
        if free is not None and cost.memory is not None and not cost.fits(free):
            yield Reason(
                "memory",
                f"{name} needs about {cost.memory / 2**30:.1f} GiB, and there are"
                f" {free / 2**30:.1f} GiB.",
                cost.memory / 2**30,
                {name: -100},
            )
    seconds = {name: cost.seconds for name, cost in costs.items() if cost.timed}
    for slow, fast, limit, points in (
        (Structure.CONNECTED, Structure.S2N_A, SLOWER, -2),
        (Structure.COS2N_0, Structure.S2N_0, SLOWER_WITH_BRIDGES, -1),
        (Structure.COS2N_A, Structure.S2N_A, SLOWER_WITH_BRIDGES, -1),
    ):
        if slow in seconds and fast in seconds:
            ratio = seconds[slow] / max(seconds[fast], 1e-9)
            if ratio >= limit:
                text = f"{slow} takes {ratio:.0f} times as long as {fast}."
                yield Reason("slow", text, ratio, {slow: points})
