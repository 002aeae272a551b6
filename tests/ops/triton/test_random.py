"""Bits inside kernels are those of plain draws."""

from __future__ import annotations

import pytest
import torch

pytest.importorskip("triton", reason="Triton is not installed")
import triton
import triton.language as tl

from fast_path import DEVICE
from sub2node.ops.triton.dropout_draws import Draw
from sub2node.ops.triton.random import is_kept, keys

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # words of 32 bits overflow


@triton.jit(do_not_specialize=["site", "threshold"])  # as in the kernels that draw
def _keep(out, seeds, step, site, threshold, size, BLOCK: tl.constexpr):
    replica = tl.program_id(0)
    first, second = keys(seeds, step, site, replica)
    place = tl.arange(0, BLOCK)
    kept = is_kept(place, first, second, threshold)
    tl.store(out + replica * size + place, kept.to(tl.float32), mask=place < size)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.999])
@pytest.mark.parametrize(("step", "site"), [(0, 1), (7, 2), (10**6, 31)])
def test_kernels_draw_what_pytorch_draws(share: float, step: int, site: int) -> None:
    seeds = torch.tensor([0, 1, 2**32, 2**62 + 12345, -1], device=DEVICE)
    draw = Draw(seeds, torch.tensor(step, device=DEVICE), site, share)
    out = torch.empty(len(seeds), 100, device=DEVICE)
    _keep[(len(seeds),)](out, seeds, draw.step, site, draw.threshold, 100, BLOCK=128)
    assert torch.equal(out, draw.keep(100))
