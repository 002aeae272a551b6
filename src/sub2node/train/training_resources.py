"""Memory and threads of a training: how many replicas at once, how many threads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

_ACTIVATIONS = 64  # that a step holds at once, to be safe
_SHARE = 2**14  # numbers of an activation that are worth a thread
_CACHE = 4 * 2**20  # bytes of one activation that still stay near the processor


def replicas_at_once(rows: int, width: int, device: torch.device, replicas: int) -> int:
    """How many replicas to stack: on the CPU as many as its cache holds, on a GPU as its memory.

    Beyond the cache, stacking only moves the same numbers through slower memory.

    Args:
        rows: Number of rows of the largest activation.
        width: Number of its columns.
        device: Device of the training.
        replicas: Number of replicas in all.
    """
    room = _CACHE
    if device.type == "cuda":
        room = torch.cuda.mem_get_info(device)[0] // _ACTIVATIONS
    return max(1, min(replicas, room // max(1, rows * width * 4)))


def activation_bytes(numbers: int) -> int:
    """Bytes of the activations that a step holds, of a replica whose largest has these numbers."""
    return _ACTIVATIONS * numbers * 4


@contextmanager
def fitting_threads(numbers: int, device: torch.device) -> Iterator[None]:
    """Inside the block PyTorch uses as many threads of the CPU as the work is worth.

    Measured (``benchmarks/gpu.py threads``): steps on ten thousand rows are the quicker the more
    threads there are, up to 16; on two hundred, threads only wait for each other.

    Args:
        numbers: Size of the largest activation of one replica.
        device: Device of the training.
    """
    before = torch.get_num_threads()
    if device.type == "cpu":
        torch.set_num_threads(max(1, min(before, numbers // _SHARE)))
    try:
        yield
    finally:
        torch.set_num_threads(before)
