"""Freed memory that stays with the process while the same sizes are needed again and again."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import torch

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _MMAP_MAX = -1, -3, -4  # numbers of glibc's mallopt


@contextmanager
def kept_memory(device: torch.device) -> Iterator[None]:
    """Inside the block glibc keeps freed memory, instead of fetching every page anew per step."""
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
