"""Memory of a training on the CPU: how many replicas at once, and not giving it back each step."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from ..config import Config
from ..nn import Stages

_CACHE = 4 * 2**20  # bytes of one activation that still stay near the processor
_TRIM_THRESHOLD, _MMAP_THRESHOLD, _MMAP_MAX = -1, -3, -4  # numbers of glibc's mallopt


def replicas_at_once(stages: Stages, config: Config, replicas: int) -> int:
    """How many replicas to stack: all on a GPU; on the CPU as many as its cache holds.

    Beyond that, stacking only moves the same numbers through slower memory.
    """
    if stages.device.type != "cpu":
        return replicas
    stage = stages["train"]
    rows = max(
        stage.members.pattern.num_rows, 0 if stage.nodes is None else stage.nodes.pattern.num_rows
    )
    return max(1, min(replicas, _CACHE // max(1, rows * config.model.hidden * 4)))


@contextmanager
def kept_memory(device: torch.device) -> Iterator[None]:
    """Inside the block glibc keeps freed memory, instead of getting every page anew each step."""
    libc = ctypes.CDLL(None) if sys.platform == "linux" and device.type == "cpu" else None
    if libc is None or not hasattr(libc, "mallopt"):
        yield
        return
    libc.mallopt(_MMAP_MAX, 0)
    libc.mallopt(_TRIM_THRESHOLD, 2**31 - 1)
    try:
        yield
    finally:
        libc.mallopt(_MMAP_MAX, 65536)  # glibc's default, and what its other limits grow to
        libc.mallopt(_MMAP_THRESHOLD, 32 * 2**20)
        libc.mallopt(_TRIM_THRESHOLD, 64 * 2**20)
        libc.malloc_trim(0)
