"""The objective of a search: a score that no test label or test subgraph has a part in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.errors import ConfigError
from ..base.metrics import micro_f1
from ..base.ragged import Array
from ..baselines import NETWORKS
from ..encode import Encoding
from ..evaluate.protocol import labels_of
from ..models.baseline import BatchNetworkModel
from ..models.candidates import NetworkModel, TrainedNetwork
from ..models.graph_network import GraphNetwork
from ..ops.triton import Compile
from ..task import Part, SubgraphTask, require_learnable
from ..task.content_hash import digest
from ..train import Watch

if TYPE_CHECKING:
    from .study_spec import Spec

RUNGS = (0.2, 0.4, 0.6)  # shares of the epochs after which a trial may be pruned
Report = Callable[[int, float], bool]


@dataclass(frozen=True)
class Score:
    """The score of one point of the space.

    Args:
        values: Micro-F1 of each seed: its best on validation, or on what a rehearsal held out.
        losses: Validation losses at those epochs.
        training: Seconds of epochs.
        ended: ``complete``, ``stopped`` (pruned) or ``interrupted``.
        wished: Whether the user asked to stop too late to interrupt the training.
    """

    values: tuple[float, ...]
    losses: tuple[float, ...]
    training: float
    ended: str = "complete"
    wished: bool = False

    @property
    def mean(self) -> float:
        """The value that is maximised."""
        return float(np.mean(self.values))

    @property
    def loss(self) -> float:
        """The mean loss, which decides between equal means."""
        return float(np.mean(self.losses))


def without_test(task: SubgraphTask) -> SubgraphTask:
    """Remove the test subgraphs from a task: neither their labels nor their nodes can be reached.

    What train and val see does not change, since their stages come before that of test.
    """
    train_val = task if task.split is None else task.subset(~task.split.mask("test"))
    require_learnable(train_val, parts=("train", "val"))
    return train_val


def digest_of(encodings: Encoding | Array | None) -> str:
    """Hash the user's own columns by content; empty where there are none."""
    if encodings is None:
        return ""
    if isinstance(encodings, Encoding):
        return digest("columns", encodings.nodes, encodings.values)[:16]
    return digest("columns", np.asarray(encodings))[:16]


def rehearsals(
    task: SubgraphTask, count: int, *, groups: str | None = None, first: int = 0
) -> list[SubgraphTask]:
    """Repeat the protocol inside train and val: split them into train, val and held out.

    A validation part of 25 subgraphs says little about a model, and the best of many epochs on it
    even less; parts that are held out of both, again and again, say more.

    Args:
        task: The task without test subgraphs; see :func:`without_test`.
        count: The number of splits.
        groups: An attribute; subgraphs of equal value are in one part.
        first: The number of the first split; splits of other numbers are drawn anew.
    """
    assert task.split is not None
    assert task.labels is not None
    share = task.split.count("val") / (len(task) - task.num_virtual)
    if share >= 0.4:
        raise ConfigError(
            f"{share:.0%} of the subgraphs that are not test are val; a rehearsal holds out as many"
            " again, which leaves too few to train on. Search without --rehearse."
        )
    values = None if groups is None else task.attributes.groups(groups)
    shares = (1 - 2 * share, share, share)
    splits = (
        task.split.redrawn(task.labels, shares, seed=1000 + number, groups=values)
        for number in range(first, first + count)
    )
    return [task.with_split(split) for split in splits]


@dataclass
class Objective:
    """Scores settings on train and val.

    Args:
        task: The task; its test part is removed at once.
        seeds: Seeds of the replicas of a trial, trained together.
        rehearse: Splits of train and val, over which the seeds are spread; 0: the val part of the
            task.
        device: ``auto``, ``cpu`` or ``cuda``.
        compile: Whether to use own kernels, as in :func:`sub2node.run`.
        encodings: The caller's own columns of node features.
        baseline: The name of a baseline with a training loop; empty: a network of a structure.
        groups: An attribute; rehearsals keep subgraphs of equal value in one part. Empty: none.
        first_split: The number of the first rehearsal.
    """

    task: SubgraphTask
    seeds: Sequence[int]
    rehearse: int = 0
    device: str = "auto"
    compile: Compile = "auto"
    encodings: Encoding | Array | None = None
    baseline: str = ""
    groups: str = ""
    first_split: int = 0
    parts: list[tuple[SubgraphTask, list[int]]] = field(init=False)

    def __post_init__(self) -> None:
        self.task = without_test(self.task)
        if not 0 <= self.rehearse <= len(self.seeds):
            raise ConfigError(
                f"{self.rehearse} rehearsals need at least as many seeds, found {len(self.seeds)}."
            )
        if not self.rehearse:
            self.parts = [(self.task, list(self.seeds))]
            return
        tasks = rehearsals(
            self.task, self.rehearse, groups=self.groups or None, first=self.first_split
        )
        spread = [list(self.seeds[k :: self.rehearse]) for k in range(self.rehearse)]
        self.parts = list(zip(tasks, spread, strict=True))

    def require(self, spec: Spec, where: str) -> None:
        """Raise what would make every trial of a study fail, or mean something else."""
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
        if self.baseline != spec.baseline:
            raise ConfigError(f"the study in {where} is of another model; give it the same.")
        for config in spec.base.candidates:
            self._model(config, None).check()

    def _model(self, config: Any, watch: Watch | None) -> NetworkModel:
        if self.baseline:
            return BatchNetworkModel(
                (config,),
                self.encodings,
                self.device,
                compile=self.compile,
                watch=watch,
                model=NETWORKS[self.baseline],
            )
        return GraphNetwork(
            (config,), self.encodings, self.device, compile=self.compile, watch=watch
        )

    def __call__(self, config: Any, report: Report | None = None) -> Score:
        """Train all seeds of one point.

        Args:
            config: The settings of the point.
            report: Called at each rung with its number and the score so far; it returns whether
                to prune the trial.
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
            labels: dict[Part, Array] = {part: labels_of(task, part) for part in ("train", "val")}
            trained = model.fit(task, labels, seeds)
            training += trained.fitted.seconds
            values += map(float, self._seed_scores(task, trained))
            losses += _best_losses(trained)
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
        ended = ended if ended in ("stopped", "interrupted") else "complete"
        return Score(tuple(values), tuple(losses), training=training, ended=ended, wished=wished)

    def _seed_scores(self, task: SubgraphTask, trained: TrainedNetwork) -> Array:
        if not self.rehearse:
            return trained.val_scores
        labels, logits = labels_of(task, "test"), trained.outputs("test").logits
        return np.array(
            [micro_f1(labels, replica, multilabel=task.multilabel) for replica in logits]
        )


def _best_losses(trained: TrainedNetwork) -> list[float]:
    """Validation losses at the best epochs; without one, a very large number."""
    column, epochs = trained.fitted.history["val_loss"], trained.fitted.best_epoch
    losses = [float(column[e - 1, r]) if e else np.inf for r, e in enumerate(epochs)]
    return [loss if np.isfinite(loss) else 1e9 for loss in losses]


class _Rungs:
    """Reports the mean best validation score at fixed epochs of a training."""

    def __init__(self, report: Report, epochs: int) -> None:
        self.report = report
        self.epochs_left = sorted({max(1, round(share * epochs)) for share in RUNGS} - {epochs})

    def __call__(self, history: Array) -> bool:
        """Whether to prune the trial; ``history`` has the validation scores so far, (epochs, R)."""
        while self.epochs_left and len(history) >= self.epochs_left[0]:
            epoch = self.epochs_left.pop(0)
            best = np.nan_to_num(history[:epoch], nan=0.0).max(axis=0)
            if self.report(epoch, float(best.mean())):
                return True
        return False
