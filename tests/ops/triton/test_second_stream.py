"""Work beside the main stream: ordered, held until it is joined, and none on the CPU."""

from __future__ import annotations

import pytest
import torch

from fast_path import CUDA
from sub2node.ops.triton import second_stream

CPU = torch.device("cpu")


def test_gradients_beside_are_allowed_inside_the_block_only() -> None:
    gpu = torch.device("cuda", 0)
    assert not second_stream.is_allowed(gpu)
    with second_stream.allow():
        assert second_stream.is_allowed(gpu)
        assert not second_stream.is_allowed(CPU)
    assert not second_stream.is_allowed(gpu)

    def fail() -> None:
        with second_stream.allow():
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert not second_stream.is_allowed(gpu)


def test_on_the_cpu_nothing_is_held_and_nothing_waits() -> None:
    with second_stream.launch_beside(CPU, torch.ones(3)):
        total = torch.ones(3).sum()
    assert second_stream._held == []
    assert second_stream.record_event(CPU) is None
    second_stream.wait_for(None)
    second_stream.join(CPU)
    assert total == 3


@pytest.mark.skipif(not CUDA, reason="needs a GPU")
def test_what_runs_beside_is_done_after_joining() -> None:
    device = torch.device("cuda", 0)
    x = torch.ones(2**22, device=device)
    with second_stream.launch_beside(device, x):
        assert torch.cuda.current_stream(device) != torch.cuda.default_stream(device)
        for _ in range(50):
            x = x * 1.01
    assert second_stream._held
    second_stream.join(device)
    assert second_stream._held == []
    assert float((x - 1.01**50).abs().max()) < 1e-3
