"""What tests of the fast path share: on a GPU where there is one, else interpreted."""

from __future__ import annotations

from typing import Any

import torch

from sub2node.ops.triton.dropout_draws import Draw

CUDA = torch.cuda.is_available()
DEVICE = "cuda" if CUDA else "cpu"
FAST: Any = "auto" if CUDA else "interpreted"


def normal(*shape: int, seed: int = 0, grad: bool = False) -> torch.Tensor:
    made = torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(DEVICE)
    return made.requires_grad_(grad)


def drawn(share: float, replicas: int, *, step: int = 3, site: int = 2) -> Draw:
    seeds = torch.arange(1, replicas + 1, device=DEVICE) * 0x123456789ABCDEF
    return Draw(seeds, torch.tensor(step, device=DEVICE), site, share)
