"""Threads and memory of a training."""

from __future__ import annotations

import pytest
import torch

from sub2node.train.training_resources import fitting_threads, replicas_at_once


@pytest.mark.parametrize(("numbers", "expected"), [(0, 1), (2**14, 1), (2**15, 2), (2**20, 3)])
def test_small_work_gets_few_threads(numbers, expected) -> None:
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(3)
        with fitting_threads(numbers, torch.device("cpu")):
            assert torch.get_num_threads() == expected
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize(
    ("rows", "width", "replicas", "expected"),
    [(1000, 64, 10, 10), (10_000, 64, 10, 1), (4096, 64, 10, 4), (10**6, 64, 10, 1), (0, 0, 3, 3)],
)
def test_replicas_are_stacked_as_far_as_the_cache_goes(rows, width, replicas, expected) -> None:
    cpu = torch.device("cpu")
    assert replicas_at_once(rows, width, cpu, replicas) == expected
    assert expected == replicas or (expected + 1) * rows * width * 4 > 4 * 2**20


def test_threads_of_a_gpu_are_left_alone() -> None:
    before = torch.get_num_threads()
    with fitting_threads(0, torch.device("cuda")):
        assert torch.get_num_threads() == before
