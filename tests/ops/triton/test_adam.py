"""Adam by a kernel against PyTorch's, with clipping by replica."""

from __future__ import annotations

import pytest
import torch

pytest.importorskip("triton", reason="Triton is not installed")

from fast_path import DEVICE, close, normal
from sub2node.ops.triton.adam import adam, keep

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


@pytest.mark.slow
@pytest.mark.parametrize("clip", [0.0, 0.5, 1e6])
def test_adam_is_pytorchs_with_clipping_by_replica(clip) -> None:
    rates = torch.tensor([0.01, 0.002, 0.05], dtype=torch.float64, device=DEVICE)
    slabs = [normal(3, size, seed=size) for size in (2100, 37)]
    plain = [[part.clone().requires_grad_() for part in slab] for slab in slabs]
    optimizers = [
        torch.optim.Adam([slab[r] for slab in plain], lr=float(rates[r]), weight_decay=0.01)
        for r in range(3)
    ]
    moments = [(torch.zeros_like(slab), torch.zeros_like(slab)) for slab in slabs]
    count = torch.zeros((), device=DEVICE)
    for step in range(4):
        grads = [normal(3, slab.shape[1], seed=100 * step + slab.shape[1]) for slab in slabs]
        for r in range(3):
            for slab, grad in zip(plain, grads, strict=True):
                slab[r].grad = grad[r].clone()
            if clip:
                torch.nn.utils.clip_grad_norm_([slab[r] for slab in plain], clip)
            optimizers[r].step()
        count += 1
        given_slabs = [(s, g, *m) for s, g, m in zip(slabs, grads, moments, strict=True)]
        adam(given_slabs, rates, count, clip=clip, decay=0.01)
    for slab, right in zip(slabs, plain, strict=True):
        close(slab, torch.stack([part.detach() for part in right]), 1e-5)


@pytest.mark.slow
def test_only_better_replicas_are_kept() -> None:
    source, target = normal(3, 1500), normal(3, 1500, seed=1)
    before = target.clone()
    keep(source, target, torch.tensor([True, False, True], device=DEVICE))
    assert torch.equal(target[[0, 2]], source[[0, 2]])
    assert torch.equal(target[1], before[1])
