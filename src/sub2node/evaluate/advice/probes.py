"""Short trainings on train and val: which structure is ahead, and whether that is more than noise.

Probes are given the task without its test part.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ...config import Structure
from ...errors import Sub2NodeError
from ...progress import step
from ...ragged import Array
from ...task import SubgraphTask
from ..baselines import baseline
from ..benchmark import reason_of
from ..choosing import Labels
from ..protocol import labels_of, network, seed_list
from .cost import Cost

SIMPLE = ("majority", "bag", "statistics")
_DRAWS = 4000  # of the bootstrap
_MOST = 300  # epochs of a probe
# What is told by shape alone shows after a hundred epochs; with fewer, all look alike. So the
# dearest structures are left out first, and only then, where fewer than three are left, epochs.
_LEAST, _SOME = (120, 60, 20), 3


@dataclass(frozen=True, eq=False)
class Probe:
    """A structure or a simple model that was tried.

    Args:
        name: A structure, or ``bag``, ``statistics``, ``majority``.
        right: Right answers of each replica on each val subgraph, (R, m): 0 or 1, or the labels
            that are both given and true.
        given: Answers plus true labels, (R, m): 2 where each subgraph has one label.
        seconds: It took.
        epochs: Trained; 0 for a simple model.
        state: ``complete``, ``cut short``, or why it did not work.
        features: What nodes entered with, by the choice on validation.
    """

    name: str
    right: Array = field(repr=False)
    given: Array = field(repr=False)
    seconds: float
    epochs: int = 0
    state: str = "complete"
    features: str = ""

    @property
    def failed(self) -> bool:
        """Whether there is no score."""
        return self.state.startswith("failed")

    @property
    def score(self) -> float:
        """Micro-F1 on validation, mean over replicas: 2 Σ right / Σ given."""
        return float((2 * self.right.sum(axis=1) / np.maximum(self.given.sum(axis=1), 1)).mean())

    def to_dict(self, interval: tuple[float, float]) -> dict[str, Any]:
        """For JSON."""
        return {
            "name": self.name, "val_micro_f1": self.score, "interval": list(interval),
            "replicas": len(self.right), "seconds": self.seconds, "epochs": self.epochs,
            "state": self.state, "features": self.features,
        }  # fmt: skip


def answers(labels: Array, logits: Array) -> tuple[Array, Array]:
    """Right answers and what was given, of each replica and subgraph; (R, m) each.

    Args:
        labels: (m,) classes or (m, C) booleans.
        logits: (R, m, C).
    """
    if labels.ndim == 1:
        right = (logits.argmax(axis=2) == labels).astype(np.int64)
        return right, np.full_like(right, 2)
    said = logits > 0
    return (said & labels).sum(axis=2), said.sum(axis=2) + labels.sum(axis=1)


class Draws:
    """The bootstrap: val subgraphs and replicas drawn anew, the same subgraphs for all models.

    What differs between two models on the same draws is the difference that other subgraphs and
    other seeds would have shown. A handful of subgraphs that all speak for one model would leave
    no doubt in such draws; so one more is thought for each of the two. Five for one and none
    for the other is then the least that is more than noise, as in McNemar's mid-p test.

    Args:
        probes: Of the same val subgraphs.
    """

    def __init__(self, probes: Sequence[Probe]) -> None:
        self.scores: dict[str, Array] = {}
        self.doubt = np.zeros(_DRAWS)
        if not probes:
            return
        rng, size = np.random.default_rng(0), probes[0].right.shape[1]
        times = rng.multinomial(size, np.full(size, 1 / size), _DRAWS).astype(np.float64)
        more = rng.poisson(1.0, (2, _DRAWS))
        self.doubt = (more[0] - more[1]) / size
        for probe in probes:
            replicas = len(probe.right)
            each = 2 * (times @ probe.right.T) / np.maximum(times @ probe.given.T, 1)
            chosen = rng.integers(0, replicas, (_DRAWS, replicas))
            self.scores[probe.name] = np.take_along_axis(each, chosen, axis=1).mean(axis=1)

    def interval(self, name: str) -> tuple[float, float]:
        """95 % interval of a score."""
        return _middle(self.scores[name])

    def behind(self, name: str, best: str) -> tuple[float, float]:
        """95 % interval of how far a model is behind another."""
        if name == best:
            return 0.0, 0.0
        return _middle(self.scores[best] - self.scores[name] + self.doubt)


def _middle(values: Array) -> tuple[float, float]:
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)


def within_noise(probes: Sequence[Probe]) -> tuple[str, ...]:
    """The best probe and all whose distance from it has 0 in its 95 % interval."""
    if not probes:
        return ()
    draws, best = Draws(probes), max(probes, key=lambda probe: probe.score)
    return tuple(p.name for p in probes if draws.behind(p.name, best.name)[0] <= 0)


@dataclass(frozen=True)
class Budget:
    """How long each probe trains.

    Args:
        structures: Those that fit in the time, cheapest first.
        epochs: Of each candidate of each of them: the same for all.
        left_out: Those that do not fit.
    """

    structures: tuple[Structure, ...]
    epochs: int
    left_out: tuple[Structure, ...]


def share_out(
    found: Mapping[Structure, Cost], seconds: float, seeds: int, *, features: str | None = None,
    wanted: str | None = None,
) -> Budget:  # fmt: skip
    """Which structures fit in a time, and how many epochs they all can have.

    The dearest are left out until the others can have 120 epochs each; where that leaves fewer
    than three, 60 must do, then 20.

    Args:
        found: Costs, of the structures that can be used.
        seconds: For all of them.
        seeds: Of a probe.
        features: The only candidate to train; None: all.
        wanted: A structure that is not left out as long as it fits.
    """
    order = sorted(found, key=lambda name: found[name].seconds)
    best = Budget((), 0, tuple(order))
    for least in _LEAST:
        for count in range(len(order), len(best.structures), -1):
            kept = order[:count]
            if wanted in order[count:]:
                kept = [*order[: count - 1], order[order.index(wanted)]]
            left = seconds - sum(found[name].prepare for name in kept)
            epoch = sum(_epoch(found[name], seeds, features) for name in kept)
            epochs = int(left / max(epoch, 1e-9))
            if epochs >= least:
                rest = tuple(name for name in order if name not in kept)
                best = Budget(tuple(kept), min(epochs, _MOST), rest)
                break
        if len(best.structures) >= _SOME:
            break
    return best


def _epoch(price: Cost, seeds: int, features: str | None) -> float:
    """Seconds of an epoch of each candidate that is trained."""
    kinds = price.by_features
    each = sum(kinds.values()) if features not in kinds else kinds[features]
    return each * seeds / price.seeds


def clear_features(task: SubgraphTask, simple: Sequence[Probe]) -> tuple[str | None, str]:
    """Whether labels are told by which nodes there are or by how they are joined.

    Where one of the simple models is ahead of the other by more than noise, only that candidate of
    the default settings need be tried. Also the sentence that says so.

    Args:
        task: Without its test part.
        simple: With ``bag`` and ``statistics``.
    """
    found = {each.name: each for each in simple if not each.failed}
    if task.graph.features is not None or not {"bag", "statistics"} <= set(found):
        return None, ""
    bag, shape = found["bag"], found["statistics"]
    tied = within_noise([bag, shape])
    if len(tied) == 2:
        return None, ""
    scores = f"bag {100 * bag.score:.0f}, statistics {100 * shape.score:.0f}"
    if tied == ("bag",):
        return "random", (
            f"which nodes a subgraph has says more than its shape ({scores}), so probes have"
            " vectors for nodes and no constants."
        )
    return "constant", (
        f"the shape of a subgraph says more than which nodes it has ({scores}), so probes have"
        " the same constants for all nodes."
    )


def probe_simple(task: SubgraphTask, names: Sequence[str] = SIMPLE) -> Iterator[Probe]:
    """Models without a training loop, on validation.

    Args:
        task: Without its test part.
        names: Which.
    """
    labels = _labels(task)
    for done, name in enumerate(names):
        step("Simple models", done, len(names), name)
        start = time.perf_counter()
        try:
            model, _, _ = baseline(task, name)
            logits = model.fit(task, labels, seed_list(1)).outputs("val").logits
        except Sub2NodeError as error:
            yield _failed(name, labels, time.perf_counter() - start, reason_of(error))
            continue
        yield Probe(name, *answers(labels["val"], logits), time.perf_counter() - start)
    step("Simple models", len(names), len(names))


def probe(
    task: SubgraphTask, structure: Structure, *, conv: str, epochs: int,
    seeds: int | Sequence[int], seconds: float, device: str = "auto", preset: str = "default",
    features: str | None = None,
) -> tuple[Probe, bool]:  # fmt: skip
    """Train a structure for a short time; also whether it was interrupted (Ctrl-C).

    Args:
        task: Without its test part.
        structure: Which.
        conv: The convolution by name.
        epochs: Of each candidate of the settings.
        seeds: How many replicas (10, 11, …), or which.
        seconds: After so long what is best counts.
        device: ``auto``, ``cpu`` or ``cuda``.
        preset: Settings by name.
        features: The only candidate to train; None: all of them, and validation decides.
    """
    labels, start = _labels(task), time.perf_counter()
    settings: dict[str, Any] = {"epochs": epochs}
    settings |= {} if features is None else {"features.kind": features}
    try:
        model, _, _ = network(
            task, structure=structure, conv=conv, preset=preset, settings=settings,
            device=device,
        )  # fmt: skip
        trained = replace(model, seconds=max(seconds, 0.0)).fit(task, labels, seed_list(seeds))
        logits = trained.outputs("val").logits
    except (Sub2NodeError, MemoryError, RuntimeError) as error:  # the others go on
        return _failed(structure, labels, time.perf_counter() - start, reason_of(error)), False
    ended = trained.fitted.ended
    found = Probe(
        structure, *answers(labels["val"], logits), time.perf_counter() - start,
        epochs=len(trained.fitted.history["lr"]),
        state="cut short" if ended in ("late", "interrupted") else "complete",
        features=str(trained.settings.features.kind),
    )  # fmt: skip
    return found, ended == "interrupted"


def _labels(task: SubgraphTask) -> Labels:
    return {"train": labels_of(task, "train"), "val": labels_of(task, "val")}


def _failed(name: str, labels: Labels, seconds: float, reason: str) -> Probe:
    none = np.zeros((1, len(labels["val"])), np.int64)
    return Probe(name, none, none, seconds, state=f"failed: {reason}")
