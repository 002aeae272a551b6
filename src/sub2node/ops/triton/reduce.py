"""Sums of the partial results of programs, in a fixed order."""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

_NUMBERS = 4096  # per program


@triton.jit
def _total(parts, out, count, size, BP: tl.constexpr, BS: tl.constexpr):
    """Some columns, over all rows."""
    s = tl.program_id(0) * BS + tl.arange(0, BS)
    total = tl.zeros([BP, BS], tl.float32)
    for done in range(0, count, BP):
        p = done + tl.arange(0, BP)
        ok = (p < count)[:, None] & (s < size)[None, :]
        total += tl.load(parts + p.to(tl.int64)[:, None] * size + s[None, :], mask=ok, other=0.0)
    tl.store(out + s, tl.sum(total, axis=0), mask=s < size)


def summed(parts: Tensor) -> Tensor:
    """The sum over the first axis: (P, R, …) → (R, …)."""
    out = torch.empty_like(parts[0])
    rows = min(128, triton.next_power_of_2(len(parts)))
    columns = _NUMBERS // rows
    _total[(triton.cdiv(out.numel(), columns),)](
        parts, out, len(parts), out.numel(), BP=rows, BS=columns
    )
    return out
