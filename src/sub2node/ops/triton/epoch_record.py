"""Record an epoch on the GPU: learning-rate schedule, divergence, best epoch, history."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import triton
import triton.language as tl
from torch import Tensor


@dataclass(frozen=True, eq=False)
class EpochState:
    """What the losses and scores of an epoch change in place, for all replicas.

    Args:
        rate: Learning rates; float64 (R,).
        lowest: Lowest validation loss; float64 (R,).
        waited: Epochs since then; int64 (R,).
        best_score: Best validation score; float64 (R,).
        best_loss: Validation loss in the epoch of the best score; float64 (R,).
        best_epoch: The epoch of the best score; int64 (R,).
        diverged: The epoch in which a replica diverged, 0 for none; int64 (R,).
        running: Which replicas are still training; bool (R,).
        counted: Which replicas had a finite loss in this epoch; bool (R,).
        clock: The number of this epoch; int64 ().
        lasted: The last epoch in which some replica was running; int64 ().
        columns: Train loss, validation loss, score, rate; float64 (4, epochs, R).
    """

    rate: Tensor
    lowest: Tensor
    waited: Tensor
    best_score: Tensor
    best_loss: Tensor
    best_epoch: Tensor
    diverged: Tensor
    running: Tensor
    counted: Tensor
    clock: Tensor
    lasted: Tensor
    columns: Tensor


@triton.jit(do_not_specialize=["epochs", "patience", "start", "stop"])
def _record_epoch(
    loss, val_loss, score, rate, lowest, waited, best_score, best_loss, best_epoch, diverged,
    running, counted, clock, lasted, columns, better, replicas, epochs, patience, start, stop,
    FACTOR: tl.constexpr, MIN_RATE: tl.constexpr, THRESHOLD: tl.constexpr, BY_LOSS: tl.constexpr,
    BLOCK: tl.constexpr,
):  # fmt: skip
    r = tl.arange(0, BLOCK)
    ok = r < replicas
    now = tl.load(clock) + 1
    one = tl.load(loss + r, mask=ok, other=0.0).to(tl.float64)
    two = tl.load(val_loss + r, mask=ok, other=0.0).to(tl.float64)
    seen = tl.load(score + r, mask=ok, other=0.0)
    speed = tl.load(rate + r, mask=ok, other=0.0)
    row = columns + (now - 1) * replicas + r
    size = epochs.to(tl.int64) * replicas
    room = r < tl.where(now <= epochs, replicas, 0)
    tl.store(row, one, mask=room)
    tl.store(row + size, two, mask=room)
    tl.store(row + 2 * size, seen, mask=room)
    tl.store(row + 3 * size, speed, mask=room)
    least = tl.load(lowest + r, mask=ok, other=0.0)
    lower = two < least * tl.full([1], THRESHOLD, tl.float64)
    tl.store(lowest + r, tl.where(lower, two, least), mask=ok)
    idle = tl.where(lower, 0, tl.load(waited + r, mask=ok, other=0) + 1)
    due = idle > patience
    reduced = speed * tl.full([1], FACTOR, tl.float64)
    reduced = tl.maximum(reduced, tl.full([1], MIN_RATE, tl.float64))
    tl.store(rate + r, tl.where(due & (reduced < speed), reduced, speed), mask=ok)
    tl.store(waited + r, tl.where(due, 0, idle), mask=ok)
    on = tl.load(running + r, mask=ok, other=0) > 0
    any_on = tl.max(tl.where(on, 1, 0)) > 0
    tl.store(lasted, tl.where(any_on, now, tl.load(lasted)))
    fine = (tl.abs(one) < float("inf")) & (tl.abs(two) < float("inf"))
    lost = tl.load(diverged + r, mask=ok, other=0)
    tl.store(diverged + r, tl.where((lost == 0) & ~fine & any_on, now, lost), mask=ok)
    on = on & fine
    best = tl.load(best_score + r, mask=ok, other=0.0)
    when = tl.load(best_epoch + r, mask=ok, other=0)
    good = seen > best
    then = tl.load(best_loss + r, mask=ok, other=0.0)
    if BY_LOSS:
        good = good | ((seen == best) & (two < then))
    good = good & on & (now > start)
    tl.store(best_loss + r, tl.where(good, two, then), mask=ok)
    tl.store(best_score + r, tl.where(good, seen, best), mask=ok)
    when = tl.where(good, now, when)
    tl.store(best_epoch + r, when, mask=ok)
    tl.store(better + r, good.to(tl.uint8), mask=ok)
    tl.store(counted + r, on.to(tl.uint8), mask=ok)
    on = on & ((stop == 0) | (now - tl.maximum(when, start) < stop))
    tl.store(running + r, on.to(tl.uint8), mask=ok)
    tl.store(clock, now)


def record_epoch(
    state: EpochState,
    loss: Tensor,
    val_loss: Tensor,
    score: Tensor,
    *,
    factor: float,
    patience: int,
    min_rate: float,
    threshold: float,
    start: int,
    stop: int,
    by_loss: bool,
) -> Tensor:
    """Record one epoch; returns which replicas are better than ever, bool (R,).

    Args:
        state: The state of all replicas; changed in place.
        loss: Training loss; (R,).
        val_loss: Validation loss; (R,).
        score: Validation score; float64 (R,).
        factor: What a learning rate is multiplied by when it is lowered.
        patience: Epochs without a lower loss before a rate is lowered.
        min_rate: Lowest learning rate.
        threshold: A loss counts as lower below this share of the lowest one so far.
        start: Epochs before scores count.
        stop: Epochs without a better score after which a replica stops; 0: never.
        by_loss: Of two epochs with the same score the one with the lower validation loss is better.
    """
    replicas = len(loss)
    better = torch.empty_like(state.running)
    flags = (state.running, state.counted, better)
    running, counted, better_bytes = (flag.view(torch.uint8) for flag in flags)
    _record_epoch[(1,)](
        loss, val_loss, score, state.rate, state.lowest, state.waited, state.best_score,
        state.best_loss, state.best_epoch, state.diverged, running, counted, state.clock,
        state.lasted, state.columns, better_bytes, replicas, state.columns.shape[1], patience,
        start, stop, FACTOR=factor, MIN_RATE=min_rate, THRESHOLD=threshold,
        BY_LOSS=by_loss, BLOCK=triton.next_power_of_2(replicas),
    )  # fmt: skip
    return better
