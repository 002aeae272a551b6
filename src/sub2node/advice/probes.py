"""Short trainings on train and val: which structure is ahead, and whether that is more than noise.

Probes get the task without its test part.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter

import numpy as np

from ..base.errors import Sub2NodeError
from ..base.progress import counted
from ..base.ragged import Array
from ..config import Structure
from ..efficiency.benchmark import reason_of
from ..evaluate.protocol import labels_of
from ..evaluate.seeds import seed_list
from ..models.baseline import baseline
from ..models.candidates import TrainedNetwork
from ..models.find import network
from ..models.interface import Labels
from ..task import SubgraphTask
from .chooser import StructureChoice, StructureTrial, TrialState, try_structures
from .timing import Cost

SIMPLE = ("majority", "bag", "statistics")
_DRAWS = 4000  # of the bootstrap
_MAX_EPOCHS = 300  # of a probe
# Labels that depend on shape alone are learned after a hundred epochs; with fewer, all structures
# score alike. So the most expensive structures are omitted first, and epochs are reduced only
# where fewer than three structures are left.
_MIN_EPOCHS, _ENOUGH_STRUCTURES = (120, 60, 20), 3


@dataclass(frozen=True, eq=False)
class Probe:
    """A structure or a simple model that was tried.

    Args:
        name: A structure, or ``bag``, ``statistics``, ``majority``.
        correct: Correct answers of each replica on each val subgraph, (R, m): 0 or 1, or the
            number of labels that are both predicted and true.
        label_total: Predicted plus true labels, (R, m): 2 where each subgraph has one label.
        seconds: Time of the probe.
        epochs: Number of trained epochs; 0 for a simple model.
        state: How it ended.
        features: The kind of node features that was chosen on validation.
        reason: Why it failed.
        interrupted: Whether Ctrl-C ended it.
    """

    name: str
    correct: Array = field(repr=False)
    label_total: Array = field(repr=False)
    seconds: float
    epochs: int = 0
    state: TrialState = TrialState.COMPLETE
    features: str = ""
    reason: str = ""
    interrupted: bool = False

    @property
    def failed(self) -> bool:
        """Whether there is no score."""
        return self.state is TrialState.FAILED

    @property
    def outcome(self) -> str:
        """How it ended, with the reason where it failed."""
        return f"{self.state}: {self.reason}" if self.failed else str(self.state)

    @property
    def score(self) -> float:
        """Micro-F1 on validation, mean over replicas: 2 Σ correct / Σ label_total."""
        label_totals = np.maximum(self.label_total.sum(axis=1), 1)
        return float((2 * self.correct.sum(axis=1) / label_totals).mean())

    def to_dict(self, interval: tuple[float, float]) -> dict[str, object]:
        """Score, time and outcome, for JSON."""
        return {
            "name": self.name,
            "val_micro_f1": self.score,
            "interval": list(interval),
            "replicas": len(self.correct),
            "seconds": self.seconds,
            "epochs": self.epochs,
            "state": self.outcome,
            "features": self.features,
        }


def count_correct(labels: Array, logits: Array) -> tuple[Array, Array]:
    """Count correct answers, and predicted plus true labels, per replica and subgraph; (R, m).

    Args:
        labels: (m,) classes or (m, C) booleans.
        logits: (R, m, C).
    """
    if labels.ndim == 1:
        correct = (logits.argmax(axis=2) == labels).astype(np.int64)
        return correct, np.full_like(correct, 2)
    predicted = logits > 0
    return (predicted & labels).sum(axis=2), predicted.sum(axis=2) + labels.sum(axis=1)


class Draws:
    """The bootstrap: val subgraphs and replicas drawn again, the same subgraphs for all models.

    What differs between two models on the same draws is the difference that other subgraphs and
    other seeds would have shown. A handful of subgraphs that all favour one model would leave no
    doubt in such draws; so one more subgraph is added in favour of each of the two. Five for one
    and none for the other is then the least that is more than noise, as in McNemar's mid-p test.

    Args:
        probes: Probes on the same val subgraphs.
    """

    def __init__(self, probes: Sequence[Probe]) -> None:
        self.scores: dict[str, Array] = {}
        self.doubt = np.zeros(_DRAWS)
        if not probes:
            return
        rng, size = np.random.default_rng(0), probes[0].correct.shape[1]
        counts = rng.multinomial(size, np.full(size, 1 / size), _DRAWS).astype(np.float64)
        added = rng.poisson(1.0, (2, _DRAWS))
        self.doubt = (added[0] - added[1]) / size
        for probe in probes:
            replicas = len(probe.correct)
            totals = np.maximum(counts @ probe.label_total.T, 1)
            scores = 2 * (counts @ probe.correct.T) / totals
            chosen = rng.integers(0, replicas, (_DRAWS, replicas))
            self.scores[probe.name] = np.take_along_axis(scores, chosen, axis=1).mean(axis=1)

    def interval(self, name: str) -> tuple[float, float]:
        """95 % interval of a score."""
        return _central_interval(self.scores[name])

    def behind(self, name: str, best: str) -> tuple[float, float]:
        """95 % interval of how far a model is behind another."""
        if name == best:
            return 0.0, 0.0
        return _central_interval(self.scores[best] - self.scores[name] + self.doubt)


def _central_interval(values: Array) -> tuple[float, float]:
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
    """Which structures are probed, and for how many epochs.

    Args:
        structures: Structures that fit in the time, cheapest first.
        epochs: Epochs of each candidate of each structure: the same for all.
        left_out: Structures that do not fit in the time.
    """

    structures: tuple[Structure, ...]
    epochs: int
    left_out: tuple[Structure, ...]


def share_out(
    costs: Mapping[Structure, Cost],
    seconds: float,
    seeds: int,
    *,
    features: str | None = None,
    wanted: str | None = None,
) -> Budget:
    """Choose the structures that fit in a time, and the epochs that they all can have.

    The most expensive are omitted until the others can have 120 epochs each; where that leaves
    fewer than three, 60 suffice, then 20.

    Args:
        costs: Costs of the structures that can be used.
        seconds: Time for all of them.
        seeds: Replicas of a probe.
        features: The only candidate to train; None: all.
        wanted: A structure that is not omitted as long as it fits.
    """
    order = sorted(costs, key=lambda name: costs[name].seconds)
    best = Budget((), 0, tuple(order))
    for min_epochs in _MIN_EPOCHS:
        for count in range(len(order), len(best.structures), -1):
            chosen = order[:count]
            if wanted in order[count:]:
                chosen = [*order[: count - 1], Structure(wanted)]
            left = seconds - sum(costs[name].prepare for name in chosen)
            epoch = sum(_seconds_per_epoch(costs[name], seeds, features) for name in chosen)
            epochs = int(left / max(epoch, 1e-9))
            if epochs >= min_epochs:
                rest = tuple(name for name in order if name not in chosen)
                best = Budget(tuple(chosen), min(epochs, _MAX_EPOCHS), rest)
                break
        if len(best.structures) >= _ENOUGH_STRUCTURES:
            break
    return best


def _seconds_per_epoch(cost: Cost, seeds: int, features: str | None) -> float:
    """Seconds of an epoch of all candidates that are trained."""
    kinds = cost.by_features
    seconds = sum(kinds.values()) if features not in kinds else kinds[features]
    return seconds * seeds / cost.seeds


def clear_features(task: SubgraphTask, simple: Sequence[Probe]) -> tuple[str | None, str]:
    """Find whether labels depend on which nodes there are or on how they are joined.

    Where one of the simple models is ahead of the other by more than noise, only that candidate of
    the default settings need be tried. Also returns the sentence that says so.

    Args:
        task: The task without its test part.
        simple: Probes of simple models, ``bag`` and ``statistics`` among them.
    """
    by_name = {probe.name: probe for probe in simple if not probe.failed}
    if task.graph.features is not None or not {"bag", "statistics"} <= set(by_name):
        return None, ""
    bag, shape = by_name["bag"], by_name["statistics"]
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
    """Probe models without a training loop on validation.

    Args:
        task: The task without its test part.
        names: Names of the models.
    """
    labels = _labels(task)
    for name in counted(names, "Simple model", name=str, even=False):
        start = perf_counter()
        try:
            model = baseline(task, name).model
            logits = model.fit(task, labels, seed_list(1)).outputs("val").logits
        except Sub2NodeError as error:
            yield _failed_probe(name, labels, perf_counter() - start, reason_of(error))
            continue
        yield Probe(name, *count_correct(labels["val"], logits), perf_counter() - start)


def probe_structures(
    task: SubgraphTask,
    structures: Sequence[Structure],
    *,
    conv: str,
    epochs: int,
    seeds: int | Sequence[int],
    seconds: float,
    weights: Sequence[float] | None = None,
    device: str = "auto",
    preset: str = "default",
    features: str | None = None,
) -> Iterator[Probe]:
    """Train structures for a short time; those that the time does not reach are not among them.

    Args:
        task: The task without its test part.
        structures: The structures, the most important first.
        conv: The convolution by name.
        epochs: Epochs of each candidate of the settings.
        seeds: The number of replicas (10, 11, …), or their seeds.
        seconds: Time for all of them.
        weights: Expected time of each one relative to the others; see :func:`try_structures`.
        device: ``auto``, ``cpu`` or ``cuda``.
        preset: The name of the preset.
        features: The only candidate to train; None: all of them, and validation decides.
    """
    labels = _labels(task)
    settings: dict[str, object] = {"epochs": epochs}
    settings |= {} if features is None else {"features.kind": features}

    def fit(choice: StructureChoice, seconds: float) -> TrainedNetwork:
        model = network(
            task,
            structure=choice.structure,
            conv=choice.conv,
            preset=preset,
            settings=settings,
            device=device,
        ).model
        return replace(model, seconds=seconds).fit(task, labels, seed_list(seeds))

    choices = [StructureChoice(name, conv) for name in structures]
    for trial in try_structures(choices, fit, seconds=seconds, weights=weights):
        if trial.state is not TrialState.NOT_TRIED:
            yield _as_probe(trial, labels)


def _as_probe(trial: StructureTrial, labels: Labels) -> Probe:
    name, trained = trial.choice.structure, trial.trained
    if trained is None:
        return _failed_probe(name, labels, trial.seconds, trial.reason)
    return Probe(
        name,
        *count_correct(labels["val"], trained.outputs("val").logits),
        trial.seconds,
        epochs=len(trained.fitted.history["lr"]),
        state=trial.state,
        features=str(trained.settings.features.kind),
        interrupted=trial.interrupted,
    )


def _labels(task: SubgraphTask) -> Labels:
    return {"train": labels_of(task, "train"), "val": labels_of(task, "val")}


def _failed_probe(name: str, labels: Labels, seconds: float, reason: str) -> Probe:
    zeros = np.zeros((1, len(labels["val"])), np.int64)
    return Probe(name, zeros, zeros, seconds, state=TrialState.FAILED, reason=reason)
