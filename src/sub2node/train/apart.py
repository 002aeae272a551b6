"""Groups of replicas trained one after another, where all of them together exceed the memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from torch import Tensor, nn

from ..base.ragged import Array
from ..config import TrainingSettings
from ..nn import Stages, Streams
from ..task import Part
from .checkpoint import Checkpoint
from .fit import COLUMNS, Ended, Fitted, Watch, fit

_ORDER: tuple[Ended, ...] = ("interrupted", "stopped", "late", "complete", "early")


def fit_apart(
    networks: Sequence[tuple[nn.Module, Streams]],
    stages: Stages,
    labels: dict[Part, Tensor],
    training: TrainingSettings,
    *,
    checkpoint: Checkpoint | None = None,
    seconds: float | None = None,
    watch: Watch | None = None,
    **options: Any,
) -> Fitted:
    """Train one group of replicas after the other; each gives what it gives among the others.

    Gradients, the averages of Adam, the best states so far and recordings exist for one group at a
    time. Once a group was stopped, the others get one epoch each.

    Args:
        networks: As for :func:`fit`; so are the next ones.
        stages: What the networks read.
        labels: Labels of the train and the val subgraphs.
        training: Settings of the training.
        checkpoint: Names the files that keep the state, one for each group.
        seconds: Time limit; what is left of it is shared by the groups that are left.
        watch: Called with the scores of the first group.
        options: Further arguments of :func:`fit`.
    """
    parts = list[Fitted]()
    for number, (network, streams) in enumerate(networks):
        spent = sum(part.seconds for part in parts)
        left = None if seconds is None else max(seconds - spent, 0.0) / (len(networks) - number)
        own = None if checkpoint is None else checkpoint.part(_name_of(streams))
        is_over = any(part.wished or part.ended == "stopped" for part in parts)
        look = _stop if is_over else watch if not parts else None
        part = fit(
            [(network, streams)],
            stages,
            labels,
            training,
            checkpoint=own,
            seconds=left,
            watch=look,
            **options,
        )
        parts.append(part)
        for parameter in network.parameters():
            parameter.grad = None
        if checkpoint is not None and own is not None:
            checkpoint.failed = checkpoint.failed or own.failed
    return _join(parts)


def _name_of(streams: Streams) -> str:
    return f"seeds-{streams.seeds[0]}-{streams.seeds[-1]}"


def _stop(scores: Array) -> bool:
    return True


def _join(parts: Sequence[Fitted]) -> Fitted:
    """What all groups gave, as if they had been trained together."""
    wished = any(part.wished for part in parts)
    ended = min((part.ended for part in parts), key=_ORDER.index)
    return Fitted(
        history={name: _side_by_side([part.history[name] for part in parts]) for name in COLUMNS},
        best_epoch=np.concatenate([part.best_epoch for part in parts]),
        diverged=np.concatenate([part.diverged for part in parts]),
        ended="interrupted" if wished and ended == "stopped" else ended,
        seconds_before=sum(part.seconds_before for part in parts),
        tied=tuple(logits for part in parts for logits in part.tied),
        seconds=sum(part.seconds for part in parts),
        wished=wished,
    )


def _side_by_side(columns: Sequence[Array]) -> Array:
    """Columns (epochs, R) beside each other; NaN after the last epoch of a group."""
    longest = max(len(column) for column in columns)
    padded = [
        np.pad(column, ((0, longest - len(column)), (0, 0)), constant_values=np.nan)
        for column in columns
    ]
    return np.concatenate(padded, axis=1)
