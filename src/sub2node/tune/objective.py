"""What a trial is worth: a score that no test label or test subgraph has a part in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..config import Config
from ..encode import Encoding
from ..errors import ConfigError, DataError
from ..evaluate.choosing import TrainedNetwork
from ..evaluate.models import GraphNetwork
from ..evaluate.protocol import labels_of
from ..kernels import Compile
from ..metrics import scores
from ..ragged import Array
from ..task import Part, Split, SubgraphTask
from ..task.content import digest
from ..train import Watch

if TYPE_CHECKING:
    from .spec import Spec

RUNGS = (0.2, 0.4, 0.6)  # shares of the epochs after which a trial may be given up
_TRAIN, _VIRTUAL, _TEST = 0, 1, 3
Report = Callable[[int, float], bool]


@dataclass(frozen=True)
class Score:
    """What one point of the space gave.

    Args:
        values: Micro-F1 of each seed: its best on validation, or on what a rehearsal held out.
        losses: Validation losses at those epochs.
        training: Seconds of epochs.
        ended: ``complete``, ``stopped`` (given up) or ``interrupted``.
        wished: The user asked to stop, too late to break the training off.
    """

    values: tuple[float, ...]
    losses: tuple[float, ...]
    training: float
    ended: str = "complete"
    wished: bool = False

    @property
    def mean(self) -> float:
        """What is maximised."""
        return float(np.mean(self.values))

    @property
    def loss(self) -> float:
        """Decides between equal means."""
        return float(np.mean(self.losses))


def without_test(task: SubgraphTask) -> SubgraphTask:
    """The task without its test subgraphs: neither their labels nor their nodes can be reached.

    What train and val see does not change, since their stages come before that of test.
    """
    if task.labels is None:
        raise DataError("the task has no labels to learn.")
    if task.split is None:
        raise DataError("the task is not split into train, val and test yet.")
    known = task.subset(task.split.codes != _TEST)
    assert known.split is not None
    for part in ("train", "val"):
        if not known.split.count(part):
            raise DataError(f"there is no {part} subgraph; a search needs train and val.")
    known.require_learnable()
    return known


def digest_of(encodings: Any) -> str:
    """Names columns of the user's own by content; empty where there are none."""
    if encodings is None:
        return ""
    if isinstance(encodings, Encoding):
        return digest("columns", encodings.nodes, encodings.values)[:16]
    return digest("columns", np.asarray(encodings))[:16]


def rehearsals(known: SubgraphTask, count: int) -> list[SubgraphTask]:
    """The whole protocol inside train and val: splits of them into train, val and held out.

    A validation part of 25 subgraphs says little about a model, and the best of many epochs on it
    even less; parts that are held out of both, again and again, say more.

    Args:
        known: Without test subgraphs; see :func:`without_test`.
        count: How many splits.
    """
    assert known.split is not None
    assert known.labels is not None
    virtual = known.split.mask("virtual")
    share = known.split.count("val") / int((~virtual).sum())
    if share >= 0.4:
        raise ConfigError(
            f"{share:.0%} of the subgraphs that are not test are val; a rehearsal holds out as many"
            " again, which leaves too few to train on. Search without --rehearse."
        )
    tasks = []
    for number in range(count):
        codes = np.full(len(known), _VIRTUAL, np.int8)
        fractions = (1 - 2 * share, share, share)
        drawn = Split.random(known.labels[~virtual], fractions=fractions, seed=1000 + number)
        codes[~virtual] = drawn.codes
        tasks.append(known.with_split(Split(codes)))
    return tasks


@dataclass
class Objective:
    """Scores settings on train and val.

    Args:
        task: As given; its test part is removed at once.
        seeds: Replicas of a trial, trained together.
        rehearse: Splits of train and val, over which the seeds are spread; 0: the given val part.
        device: ``auto``, ``cpu`` or ``cuda``.
        compile: As of :func:`sub2node.run`.
        encodings: Columns of the caller's own.
    """

    task: SubgraphTask
    seeds: Sequence[int]
    rehearse: int = 0
    device: str = "auto"
    compile: Compile = "auto"
    encodings: Any = None
    parts: list[tuple[SubgraphTask, list[int]]] = field(init=False)

    def __post_init__(self) -> None:
        self.task = without_test(self.task)
        if not 0 <= self.rehearse <= len(self.seeds):
            raise ConfigError(
                f"{self.rehearse} rehearsals need as many seeds at least, found {len(self.seeds)}."
            )
        if not self.rehearse:
            self.parts = [(self.task, list(self.seeds))]
            return
        tasks = rehearsals(self.task, self.rehearse)
        spread = [list(self.seeds[k :: self.rehearse]) for k in range(self.rehearse)]
        self.parts = list(zip(tasks, spread, strict=True))

    def require(self, spec: Spec, where: str) -> None:
        """Raise what would make every trial of a study fail here, or mean something else."""
        if self.task.hash != spec.data:
            raise ConfigError(
                f"the study in {where} is of other data ({spec.name or 'no name'}); give it the"
                " same."
            )
        if digest_of(self.encodings) != spec.encodings:
            raise ConfigError(
                f"the study in {where} was begun with other encodings; give it the same file"
                " (--encoding)."
            )
        for config in spec.base.candidates:
            self._model(config, None).check()

    def _model(self, config: Config, watch: Watch | None) -> GraphNetwork:
        return GraphNetwork(
            (config,), self.encodings, self.device, compile=self.compile, watch=watch
        )

    def __call__(self, config: Config, report: Report | None = None) -> Score:
        """Train all seeds of one point.

        Args:
            config: The point.
            report: Called at each rung with its number and the score so far; True: give it up.
        """
        training = 0.0
        values: list[float] = []
        losses: list[float] = []
        for number, (task, seeds) in enumerate(self.parts):
            watch = None
            if report is not None and len(self.parts) == 1:
                watch = _Rungs(report, config.training.epochs)
            model = self._model(config, watch)
            model.check()
            known: dict[Part, Array] = {part: labels_of(task, part) for part in ("train", "val")}
            trained = model.fit(task, known, seeds)
            training += trained.fitted.seconds
            values += map(float, self._values(task, trained))
            losses += _losses(trained)
            ended = trained.fitted.ended
            last = number + 1 == len(self.parts)
            wished = trained.fitted.wished
            if wished and not last:
                ended = "interrupted"
            if ended in ("stopped", "interrupted"):
                break
            if report is not None and not last and report(number, float(np.mean(values))):
                ended = "stopped"
                break
        word = ended if ended in ("stopped", "interrupted") else "complete"
        return Score(tuple(values), tuple(losses), training, word, wished)

    def _values(self, task: SubgraphTask, trained: TrainedNetwork) -> Array:
        if not self.rehearse:
            return trained.val_scores
        held, logits = labels_of(task, "test"), trained.outputs("test").logits
        return np.array(
            [scores(held, each, multilabel=task.multilabel)["micro_f1"] for each in logits]
        )


def _losses(trained: TrainedNetwork) -> list[float]:
    """Validation losses at the epochs that count; without one, the worst there is."""
    column = trained.fitted.history["val_loss"]
    found = [float(column[e - 1, r]) if e else np.inf for r, e in
             enumerate(trained.fitted.best_epoch)]  # fmt: skip
    return [loss if np.isfinite(loss) else 1e9 for loss in found]


class _Rungs:
    """Reports the mean best validation score at fixed epochs, whenever training looks up."""

    def __init__(self, report: Report, epochs: int) -> None:
        self.report = report
        self.left = sorted({max(1, round(share * epochs)) for share in RUNGS} - {epochs})

    def __call__(self, history: Array) -> bool:
        """Whether to give up; ``history`` has the validation scores so far, (epochs, R)."""
        while self.left and len(history) >= self.left[0]:
            epoch = self.left.pop(0)
            best = np.nan_to_num(history[:epoch], nan=0.0).max(axis=0)
            if self.report(epoch, float(best.mean())):
                return True
        return False
