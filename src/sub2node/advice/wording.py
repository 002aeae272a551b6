"""Advice in sentences, and the commands to run next."""

from __future__ import annotations

import math
import shlex
from typing import TYPE_CHECKING

from ..base.plural import plural
from ..config import CoarseningSettings

if TYPE_CHECKING:
    from .advice import Advice
    from .probes import Probe

_SMALL = 100  # validation subgraphs below which one of them is more than a point


def recommendation(advice: Advice) -> list[str]:
    """Word the advice in two to four sentences."""
    if not advice.costs:
        return ["Stopped before the structures were timed: only characteristics were measured."]
    if advice.structure is None:
        return ["No structure can be used on this data; the table says why."]
    sentences = [*(_by_probes(advice) if advice.by_probes else _by_rules(advice))]
    if (plain := _simple_model(advice)) is not None:
        sentences.append(plain)
    return sentences


def next_commands(advice: Advice, data: str = "DATA") -> list[str]:
    """Suggest the commands to run next.

    Args:
        advice: The advice.
        data: The arguments that name the data.
    """
    name = advice.structure
    if name is None or advice.traits.labelled is None:
        return [f"s2n describe {data}"]
    arguments = f"{data} --structure {shlex.quote(name)}"
    if advice.conv != "gcn2":
        arguments += f" --conv {shlex.quote(advice.conv)}"
    coarsen, settings = "", CoarseningSettings()
    if name.coarsened and not advice.traits.virtual:
        coarsen = f" --coarsen {settings.method}:{settings.ratio:g}"
    return [f"s2n run {arguments}{coarsen}", f"s2n tune {arguments}"]


def duration(seconds: float) -> str:
    """Format seconds for people."""
    if not math.isfinite(seconds):
        return "-"
    if seconds >= 5400:
        return f"{seconds / 3600:.1f} h"
    if seconds >= 90:
        return f"{seconds / 60:.1f} min"
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"


def size(count: int | None) -> str:
    """Format bytes for people."""
    if count is None:
        return "-"
    return f"{count / 2**30:.1f} GiB" if count >= 2**30 else f"{max(count / 2**20, 0.1):.3g} MiB"


def _format_score(advice: Advice, probe: Probe) -> str:
    low, high = advice.draws.interval(probe.name)
    return f"{100 * probe.score:.1f} ({100 * low:.0f} to {100 * high:.0f})"


def _format_cost(advice: Advice, name: str) -> str:
    cost = advice.price[name]
    if not cost.timed:
        return "a time that was not measured"
    return (
        f"about {duration(cost.seconds)} and {size(cost.memory)} for {plural(cost.seeds, 'seed')}"
    )


def _by_probes(advice: Advice) -> list[str]:
    name, best = advice.structure, advice.best
    assert name is not None
    assert best is not None
    chosen = next(probe for probe in advice.worked if probe.name == name)
    others = [other for other in advice.tied if other != name]
    sentences = [
        f"Use {name}: validation micro-F1 {_format_score(advice, chosen)} in a short training;"
        f" the full training takes {_format_cost(advice, name)}."
    ]
    if others:
        ahead = "" if best.name == name else f" ({best.name} had {_format_score(advice, best)})"
        why = "is what rules advise" if name != advice.by_probes else "is the cheapest"
        sentences.append(
            f"It {why} of {len(others) + 1} that {advice.epochs} epochs and {advice.val} validation"
            f" subgraphs do not tell apart{ahead}: {', '.join((name, *others))}."
        )
    elif len(advice.worked) > 1:
        sentences.append("All others that were tried are behind it by more than noise.")
    if advice.val < _SMALL:
        sentences[-1] += (
            f" One of {advice.val} validation subgraphs is {100 / advice.val:.1f} points."
        )
    if advice.by_rules is not None and advice.by_rules != name:
        sentences.append(_disagreement(advice, name))
    return sentences


def _disagreement(advice: Advice, name: str) -> str:
    """Say what rules advise, where probes advise something else."""
    rules = advice.by_rules
    assert rules is not None
    if rules in advice.tied:
        return f"By rules alone it would have been {rules}, which noise does not tell from {name}."
    if rules in {probe.name for probe in advice.worked}:
        return f"By rules alone it would have been {rules}; the probes say otherwise."
    return f"By rules alone it would have been {rules}, which was not probed."


def _by_rules(advice: Advice) -> list[str]:
    name = advice.by_rules
    assert name is not None
    in_favour = [reason.text for reason in advice.reasons if reason.points.get(name, 0) > 0]
    sentences = [f"Try {name} first: it takes {_format_cost(advice, name)}."]
    if in_favour:
        sentences.append("In its favour: " + " And ".join(in_favour[:2]))
    else:
        sentences.append(
            "No rule favours another structure, and it is the cheapest of those that remain."
        )
    if advice.worked:
        sentences.append(
            f"Only {advice.worked[0].name} could be tried, so nothing was compared; more --minutes"
            " would tell."
        )
    else:
        sentences.append(
            "Nothing was trained, so this is a guess; only probes on validation can tell."
        )
    return sentences


def _simple_model(advice: Advice) -> str | None:
    """Say so where a simple model is as good."""
    from .probes import within_noise

    best = advice.best
    usable = [probe for probe in advice.simple if not probe.failed]
    if best is None or not usable:
        return None
    plain = max(usable, key=lambda probe: probe.score)
    close = within_noise([best, plain])
    if plain.name not in close:
        return None
    verb = "cannot be told from it" if best.name in close else "is ahead by more than noise"
    if best.name in close and best.name != advice.structure:
        verb = f"cannot be told from {best.name}"
    text = f"The simple model {plain.name} {verb}: {_format_score(advice, plain)}"
    if plain.name == "majority":
        return f"{text}; so far no structure has learned anything that validation shows."
    if plain.name == "statistics":
        return (
            f"{text}; labels depend on how nodes are joined, so try --inputs structure with"
            f" {advice.structure} too."
        )
    return f"{text}; try s2n run --model {plain.name} too."
