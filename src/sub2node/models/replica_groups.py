"""Replicas in groups that fit into the memory of a device, trained together or apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import nn

from ..base.environment import free_memory
from ..base.notes import Note, NoteKind
from ..nn import Streams
from ..train.training_resources import activation_bytes

COPIES = 4  # of what a replica learns, beside itself: gradient, two averages of Adam, best state
_GIGABYTE = 1e9
Network = tuple[nn.Module, Streams]


@dataclass(frozen=True)
class ReplicaGroups:
    """Groups of replicas.

    Args:
        networks: The groups.
        apart: Whether one is trained after the other.
        notes: Says so.
    """

    networks: list[Network]
    apart: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Estimate:
    """Bytes that training takes beyond what is there when the first group has been built.

    Args:
        own: What a replica learns.
        activation: The activations of a replica.
        replicas: All replicas.
        built: Those of the first group.
        recorded: Whether each group keeps its activations while others are trained, as recordings
            on a GPU do; else only one group has some at a time.
    """

    own: int
    activation: int
    replicas: int
    built: int
    recorded: bool

    def together(self) -> int:
        """All groups at once."""
        groups = -(-self.replicas // self.built)
        held = groups * self.built * self.activation if self.recorded else 0
        return self.own * (self.replicas - self.built + COPIES * self.replicas) + held

    def most_at_once(self, free: int) -> int:
        """The largest group that can be trained where the others only lie there; 1 at least."""
        left = free - self.own * (self.replicas - self.built)
        each = COPIES * self.own + (self.activation if self.recorded else 0)
        return max(1, min(self.built, left // max(each, 1)))


def build_in_groups(
    make: Callable[[Sequence[int]], Network],
    seeds: Sequence[int],
    *,
    at_once: int,
    numbers: int,
    device: torch.device,
) -> ReplicaGroups:
    """The networks of all seeds, in groups, and whether they are to be trained one after another.

    Args:
        make: Makes the stacked networks of some seeds.
        seeds: One seed per replica.
        at_once: The most replicas per group.
        numbers: Size of the largest activation of a replica.
        device: Where they are trained.
    """
    first = make(seeds[:at_once])
    learned = sum(p.numel() * p.element_size() for p in first[0].parameters() if p.requires_grad)
    estimate = _Estimate(
        learned // len(seeds[:at_once]),
        activation_bytes(numbers),
        len(seeds),
        len(seeds[:at_once]),
        recorded=device.type == "cuda",
    )
    free, needed = free_memory(device), estimate.together()
    apart = len(seeds) > 1 and free is not None and needed > free
    notes: tuple[str, ...] = ()
    if apart and free is not None:
        fitting = estimate.most_at_once(free)
        if fitting < at_once:
            first, at_once = make(seeds[:fitting]), fitting
        place = "the GPU" if device.type == "cuda" else "this machine"
        notes = (
            Note(
                NoteKind.CHOSEN,
                f"replicas are trained one after another, {at_once} at a time: together they take"
                f" about {needed / _GIGABYTE:,.2f} GB more, and {place} has"
                f" {free / _GIGABYTE:,.2f} GB free; the results are the same up to rounding.",
            ),
        )
    rest = [make(seeds[start : start + at_once]) for start in range(at_once, len(seeds), at_once)]
    return ReplicaGroups([first, *rest], apart, notes)
