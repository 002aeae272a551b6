"""What measured characteristics and costs speak for, before anything is trained.

Each rule is one sentence with the number that triggered it, and gives or takes points. Rules are
guesses: where probes can be run, those decide (see ``docs/choosing.md`` for how often they agree).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...config import STRUCTURES, Structure
from .cost import Cost
from .traits import Traits

ISOLATED = 0.5  # share of subgraphs without a link
LINKED, UNLINKED = 0.1, 0.05  # homophily above chance, as a share of what is possible
DENSE = 0.3  # links over pairs
FLAT = 0.05  # standard deviation of the internal density below which it tells nothing
FEW = 20.0  # training subgraphs of a class
UNSEEN = 0.5  # share of edges that only the global graph has; share of nodes in no subgraph
SLOWER = 10.0  # times as long as S2N
DEAR = 3.0  # times as long as the same without virtual subgraphs

_S2N: tuple[Structure, ...] = ("s2n+0", "s2n+a")
_CO: tuple[Structure, ...] = ("cos2n+0", "cos2n+a")
_INNER: tuple[Structure, ...] = ("separated", "s2n+a", "cos2n+a")
_OUTER: tuple[Structure, ...] = ("s2n+0", "cos2n+0")


@dataclass(frozen=True)
class Reason:
    """A rule that was triggered.

    Args:
        rule: Its name.
        text: What was found, with the number, and what follows.
        value: The number.
        points: By structure: for it (above 0) or against it.
    """

    rule: str
    text: str
    value: float
    points: dict[Structure, int]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"rule": self.rule, "text": self.text, "value": self.value, "points": self.points}


def reasons(found: Traits, prices: Mapping[Structure, Cost], free: int | None) -> list[Reason]:
    """All rules that hold.

    Args:
        found: Of the task.
        prices: By structure, those that can be used.
        free: Bytes there are; None: unknown.
    """
    rules = (_links(found), _labels(found), _inside(found), _around(found), _prices(prices, free))
    return [reason for each in rules for reason in each]


def ranking(
    said: Sequence[Reason], prices: Mapping[Structure, Cost]
) -> list[tuple[Structure, int]]:
    """Structures with their points, most first, the cheaper one where they are equal."""
    points = {
        name: sum(reason.points.get(name, 0) for reason in said)
        for name in STRUCTURES
        if name in prices
    }
    return sorted(points.items(), key=lambda item: (-item[1], prices[item[0]].seconds))


def _points(names: Sequence[Structure], points: int) -> dict[Structure, int]:
    return dict.fromkeys(names, points)


def _links(found: Traits) -> Iterator[Reason]:
    """Does the S2N graph carry anything?"""
    links = found.links
    if links is None:
        yield Reason("no S2N graph", "there is no S2N graph at the default cut, so S2N has nothing"
                     " to pass messages through.", 0.0, _points(_S2N, -2))  # fmt: skip
        return
    if links.isolated >= ISOLATED:
        lower = f" --set a={links.half:.3g} would join half of them," if links.half else ""
        yield Reason(
            "isolated subgraphs",
            f"{links.isolated:.0%} of the subgraphs have no link in the S2N graph at the cut"
            f" a = {links.cut:g}:{lower} else S2N+0 is a sum of node vectors for those, and S2N+A"
            " an encoder inside each subgraph.",
            links.isolated,
            {"s2n+0": -1},
        )
    if links.density >= DENSE:
        yield Reason(
            "dense links",
            f"{links.density:.0%} of all pairs of subgraphs are linked at the cut"
            f" a = {links.cut:g}, so vectors are smoothed into one another; a higher cut (--set a=)"
            " keeps the strongest.",
            links.density,
            _points(_S2N, -1),
        )
    labelled = found.labelled
    if labelled is None or labelled.homophily is None or labelled.gain is None:
        return
    words = (
        f"linked training subgraphs share their labels to {labelled.homophily:.0%}, any two to"
        f" {labelled.chance:.0%}"
    )
    if labelled.gain >= LINKED:
        text = f"{words}: links say something about labels, which S2N can use."
        yield Reason("links and labels", text, labelled.homophily, _points(_S2N, 1))
    elif labelled.gain < UNLINKED:
        text = f"{words}: links say hardly anything about labels."
        yield Reason("links and labels", text, labelled.homophily, {"separated": 1})


def _labels(found: Traits) -> Iterator[Reason]:
    """Is there enough to learn from?"""
    if found.labelled is None or found.labelled.median >= FEW or found.coverage > 1 - UNSEEN:
        return
    yield Reason(
        "few labels",
        f"a class has {found.labelled.median:g} training subgraphs (median), and they all cover"
        f" {found.coverage:.0%} of the nodes: the setting in which virtual subgraphs (CoS2N) are"
        " bridges.",
        found.labelled.median,
        _points(_CO, 2),
    )


def _inside(found: Traits) -> Iterator[Reason]:
    """Can an encoder inside subgraphs see more than which nodes there are?"""
    spread = f"{found.internal_density:.2f} ± {found.internal_density_sd:.2f}"
    if found.internal_density_sd >= FLAT:
        yield Reason(
            "edges inside",
            f"the density inside subgraphs differs ({spread}): +A and separated see that, +0 does"
            " not.",
            found.internal_density_sd,
            _points(_INNER, 1),
        )
    else:
        yield Reason(
            "edges inside",
            f"all subgraphs are about as dense inside ({spread}): +A sees hardly more than +0,"
            " which is cheaper.",
            found.internal_density_sd,
            _points(_OUTER, 1),
        )


def _around(found: Traits) -> Iterator[Reason]:
    """How much of the global graph do subgraphs leave out?"""
    unseen = found.border + found.outside
    if unseen >= UNSEEN:
        yield Reason(
            "edges outside",
            f"{unseen:.0%} of the edges have an end in no subgraph; only connected and CoS2N see"
            " those.",
            unseen,
            _points(("connected", *_CO), 1),
        )


def _prices(prices: Mapping[Structure, Cost], free: int | None) -> Iterator[Reason]:
    """What is too dear?"""
    for name, price in prices.items():
        if free is not None and price.memory > free:
            yield Reason(
                "memory",
                f"{name} needs about {price.memory / 2**30:.1f} GiB, and there are"
                f" {free / 2**30:.1f} GiB.",
                price.memory / 2**30,
                {name: -100},
            )
    if "connected" in prices and "s2n+a" in prices:
        slower = prices["connected"].seconds / max(prices["s2n+a"].seconds, 1e-9)
        if slower >= SLOWER:
            text = f"connected takes {slower:.0f} times as long as s2n+a."
            yield Reason("slow", text, slower, {"connected": -2})
    for plain, bridged in zip(_S2N, _CO, strict=True):
        if plain in prices and bridged in prices:
            slower = prices[bridged].seconds / max(prices[plain].seconds, 1e-9)
            if slower >= DEAR:
                text = f"{bridged} takes {slower:.0f} times as long as {plain}."
                yield Reason("slow", text, slower, {bridged: -1})
