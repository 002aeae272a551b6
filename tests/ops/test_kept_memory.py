"""Freed memory is kept inside the block, and given back behind it."""

from __future__ import annotations

import sys

import torch

from sub2node.ops.kept_memory import kept_memory

MODULE = sys.modules["sub2node.ops.kept_memory"]


def test_limits_of_memory_are_set_and_set_back(monkeypatch) -> None:
    calls = []

    class Library:
        def mallopt(self, number: int, value: int) -> None:
            calls.append((number, value))

        def malloc_trim(self, pad: int) -> None:
            calls.append(("trim", pad))

    monkeypatch.setattr(MODULE.sys, "platform", "linux")
    monkeypatch.setattr(MODULE.ctypes, "CDLL", lambda _: Library())
    with kept_memory(torch.device("cpu")):
        inside = list(calls)
    assert [number for number, _ in inside] == [-4, -1]  # no maps, no trimming
    after = calls[len(inside) :]
    assert {number for number, _ in inside} <= {number for number, _ in after}
    assert after[-1] == ("trim", 0)
    calls.clear()
    with kept_memory(torch.device("cuda")):
        pass
    assert calls == []
