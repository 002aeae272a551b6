"""Advice in sentences, and what to type next."""

from __future__ import annotations

import math
import shlex
from typing import TYPE_CHECKING

from ...config import Coarsening

if TYPE_CHECKING:
    from .advice import Advice
    from .probes import Probe

_SMALL = 100  # validation subgraphs below which one of them is more than a point


def recommendation(advice: Advice) -> list[str]:
    """Two to four sentences."""
    if not advice.costs:
        return ["Stopped before the structures were timed: only characteristics are there."]
    if advice.structure is None:
        return ["No structure can be used on this data; the table says why."]
    sentences = [*(_by_probes(advice) if advice.by_probes else _by_rules(advice))]
    if (plain := _simple(advice)) is not None:
        sentences.append(plain)
    return sentences


def next_commands(advice: Advice, data: str = "DATA") -> list[str]:
    """What to type next.

    Args:
        advice: What was found.
        data: The words that name the data.
    """
    name = advice.structure
    if name is None or advice.traits.labelled is None:
        return [f"s2n describe {data}"]
    words = f"{data} --structure {shlex.quote(name)}"
    if advice.conv != "gcn2":
        words += f" --conv {shlex.quote(advice.conv)}"
    coarsen, settings = "", Coarsening()
    if name.startswith("cos2n") and not any("virtual" in note for note in advice.traits.notes):
        coarsen = f" --coarsen {settings.method}:{settings.ratio:g}"
    return [f"s2n run {words}{coarsen}", f"s2n tune {words}"]


def duration(seconds: float) -> str:
    """Seconds as a person says them."""
    if not seconds < 5400:
        return "-" if math.isnan(seconds) else f"{seconds / 3600:.1f} h"
    if seconds >= 90:
        return f"{seconds / 60:.1f} min"
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"


def size(count: int) -> str:
    """Bytes as a person says them."""
    return f"{count / 2**30:.1f} GiB" if count >= 2**30 else f"{max(count / 2**20, 0.1):.3g} MiB"


def _score(advice: Advice, tried: Probe) -> str:
    low, high = advice.draws.interval(tried.name)
    return f"{100 * tried.score:.1f} ({100 * low:.0f} to {100 * high:.0f})"


def _cost(advice: Advice, name: str) -> str:
    price = advice.price[name]
    return f"about {duration(price.seconds)} and {size(price.memory)} for {price.seeds} seeds"


def _by_probes(advice: Advice) -> list[str]:
    name, best = advice.structure, advice.best
    assert name is not None
    assert best is not None
    chosen = next(each for each in advice.worked if each.name == name)
    others = [each for each in advice.tied if each != name]
    found = [
        f"Use {name}: validation micro-F1 {_score(advice, chosen)} in a short training;"
        f" the whole takes {_cost(advice, name)}."
    ]
    if others:
        ahead = "" if best.name == name else f" ({best.name} had {_score(advice, best)})"
        why = "is what rules advise" if name != advice.by_probes else "is the cheapest"
        found.append(
            f"It {why} of {len(others) + 1} that {advice.epochs} epochs and {advice.val} validation"
            f" subgraphs do not tell apart{ahead}: {', '.join((name, *others))}."
        )
    elif len(advice.worked) > 1:
        found.append("All others that were tried are behind it by more than noise.")
    if advice.val < _SMALL:
        found[-1] += f" One of {advice.val} validation subgraphs is {100 / advice.val:.1f} points."
    if advice.by_rules is not None and advice.by_rules != name:
        found.append(_disagreement(advice, name))
    return found


def _disagreement(advice: Advice, name: str) -> str:
    """What rules say, where probes say something else."""
    rules = advice.by_rules
    assert rules is not None
    if rules in advice.tied:
        return f"By rules alone it would have been {rules}, which noise does not tell from {name}."
    if rules in {each.name for each in advice.worked}:
        return f"By rules alone it would have been {rules}; the probes say otherwise."
    return f"By rules alone it would have been {rules}, which was not probed."


def _by_rules(advice: Advice) -> list[str]:
    name = advice.by_rules
    assert name is not None
    speaking = [each for each in advice.reasons if each.points.get(name, 0) > 0]
    found = [f"Try {name} first: it takes {_cost(advice, name)}."]
    if speaking:
        found.append("For it speaks that " + " And ".join(each.text for each in speaking[:2]))
    else:
        found.append("No rule speaks for another structure, and it is the cheapest of those left.")
    if advice.worked:
        found.append(
            f"Only {advice.worked[0].name} could be tried, so nothing was compared; more --minutes"
            " would tell."
        )
    else:
        found.append("Nothing was trained, so this is a guess; only probes on validation tell.")
    return found


def _simple(advice: Advice) -> str | None:
    """Whether a simple model does as well."""
    from .probes import within_noise

    best = advice.best
    usable = [each for each in advice.simple if not each.failed]
    if best is None or not usable:
        return None
    plain = max(usable, key=lambda each: each.score)
    close = within_noise([best, plain])
    if plain.name not in close:
        return None
    verb = "cannot be told from it" if best.name in close else "is ahead by more than noise"
    if best.name in close and best.name != advice.structure:
        verb = f"cannot be told from {best.name}"
    text = f"The simple model {plain.name} {verb}: {_score(advice, plain)}"
    if plain.name == "majority":
        return f"{text}; so far no structure has learned anything that validation shows."
    if plain.name == "statistics":
        return (
            f"{text}; labels depend on how nodes are joined, so try --inputs structure with"
            f" {advice.structure} too."
        )
    return f"{text}; try s2n run --model {plain.name} too."
