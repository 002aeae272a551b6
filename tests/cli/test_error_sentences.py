"""Errors of libraries that mean something to the user, as one sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from commands import refused, s2n
from sub2node.datasets import load


def allocate_too_much() -> None:
    torch.empty(10**14)


def ask_for_more_than_there_can_be() -> None:
    torch.empty(10**10, 10**10)


def fill_a_gpu() -> None:
    raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB.")


def recurse() -> None:
    recurse()


def diverge() -> None:
    raise np.linalg.LinAlgError("Eigenvalues did not converge")


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (allocate_too_much, "out of memory; nothing was written."),
        (ask_for_more_than_there_can_be, "out of memory; nothing was written."),
        (fill_a_gpu, "out of memory; nothing was written."),
        (recurse, "the input is nested too deeply."),
        (diverge, "a numerical method failed (Eigenvalues did not converge)"),
    ],
)
def test_errors_of_libraries(
    action: Callable[[], None], message: str, tables: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load, "read_task", lambda *_, **__: action())
    refused(s2n("describe", tables), message)


def test_other_runtime_errors_come_through(tables: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("a bug of ours")

    monkeypatch.setattr(load, "read_task", fail)
    with pytest.raises(RuntimeError, match="a bug of ours"):
        s2n("describe", tables)
