"""Names that tell runs apart: the model, and what differs where several are of one model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..config.settings import flatten

if TYPE_CHECKING:
    from .reader import Run

_MOST_SETTINGS = 3  # that a name can hold


def distinct_names(runs: Sequence[Run]) -> list[str]:
    """A name for each run; runs of one model differ by preset, settings or seeds, or by folder."""
    namesakes: dict[str, list[int]] = {}
    for place, run in enumerate(runs):
        namesakes.setdefault(run.name, []).append(place)
    names = [run.name for run in runs]
    for name, places in namesakes.items():
        if len(places) > 1:
            labels = _distinct_labels([runs[place] for place in places])
            for place, label in zip(places, labels, strict=True):
                names[place] = f"{name}, {label}"
    counts = Counter(names)
    return [
        f"{name} ({run.path})" if counts[name] > 1 else name
        for name, run in zip(names, runs, strict=True)
    ]


def _distinct_labels(runs: Sequence[Run]) -> list[str]:
    """What differs between runs of one model, in words; their folders where nothing short does."""
    for labels in _label_choices(runs):
        if all(labels) and len(set(labels)) == len(labels):
            return labels
    return [str(run.path) for run in runs]


def _label_choices(runs: Sequence[Run]) -> Iterator[list[str]]:
    yield [f"preset {run.result.preset}" if run.result.preset else "" for run in runs]
    settings = [dict(flatten(run.config)) for run in runs]
    keys = [key for tree in settings for key in tree]
    differing = [
        key for key in dict.fromkeys(keys) if len({repr(tree.get(key)) for tree in settings}) > 1
    ]
    if len(differing) <= _MOST_SETTINGS:
        yield [
            ", ".join(f"{key.rpartition('.')[2]} {tree[key]}" for key in differing if key in tree)
            for tree in settings
        ]
    yield [f"{len(run.seeds)} seed{'s' * (len(run.seeds) > 1)}" for run in runs]
    yield [run.path.name for run in runs]
