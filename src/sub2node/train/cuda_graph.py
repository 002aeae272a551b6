"""A function of the GPU as a CUDA graph: recorded once, then replayed by one call."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Generic, TypeVar

import torch

from ..ops.triton.second_stream import main_stream

T = TypeVar("T")


@cache
def _pool() -> Any:
    return torch.cuda.graph_pool_handle()


@contextmanager
def _without_collection() -> Iterator[None]:
    """Collect garbage before and not while recording, which freed tensors would spoil."""
    gc.collect()
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


class Captured(Generic[T]):
    """A function without arguments that always does the same with the same tensors.

    The first calls run as they are, so that kernels are compiled and memory is allocated; the
    next is recorded. Its result is overwritten by the following call. Nothing waits for the GPU.

    Args:
        call: The function to record.
        device: Device of its tensors.
    """

    WARM = 2  # calls before the recorded one

    def __init__(self, call: Callable[[], T], device: torch.device) -> None:
        self.call, self.device = call, device
        self.calls = 0
        self.graph: torch.cuda.CUDAGraph | None = None
        self.result: T | None = None

    def __call__(self) -> T:
        """What the function gives."""
        self.calls += 1
        if self.graph is None and self.calls <= self.WARM:
            return self._run_aside()
        if self.graph is None:
            self.graph = self._record()
        self.graph.replay()
        return self.result  # type: ignore[return-value]

    def _record(self) -> torch.cuda.CUDAGraph:
        """All recordings share their memory: they are replayed one after the other."""
        graph = torch.cuda.CUDAGraph()
        with (
            _without_collection(),
            torch.cuda.graph(graph, pool=_pool(), stream=main_stream(self.device)),
        ):
            self.result = self.call()
        return graph

    def _run_aside(self) -> T:
        """On a stream of its own, as what is recorded later will be."""
        current, aside = torch.cuda.current_stream(self.device), main_stream(self.device)
        aside.wait_stream(current)
        with torch.cuda.stream(aside):
            result = self.call()
        current.wait_stream(aside)
        return result
