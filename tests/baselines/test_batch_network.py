"""Batches of subgraphs: their members, their pools, and answers in fixed batches."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from glass_cases import CPU, five_nodes, network
from sub2node.baselines.batch_network import gather_members, part_rows, pool

ROOT = math.sqrt(2)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("sum", [[[4.0, 1.0]], [[10.0, -10.0]]]),
        ("mean", [[[2.0, 0.5]], [[5.0, -5.0]]]),
        ("max", [[[3.0, 2.0]], [[7.0, -3.0]]]),
        ("size", [[[4 / ROOT, 1 / ROOT]], [[10 / ROOT, -10 / ROOT]]]),
    ],
)  # fmt: skip
def test_each_pool(kind: str, expected: list) -> None:
    x = torch.tensor([[[1.0, 2], [3, -1], [9, 9]], [[0, 0], [3, -3], [7, -7]]])
    ptr, nodes = np.array([0, 2, 4]), np.array([0, 1, 1, 2])
    lists = gather_members(ptr, nodes, rows=np.array([[0], [1]]), stride=3, device=CPU)
    torch.testing.assert_close(pool(x, lists, kind).view(2, 1, 2), torch.tensor(expected))


def test_answers_are_given_in_fixed_batches() -> None:
    task = five_nodes()
    model = network(task).eval()
    _, result = model(np.array([0, 1, 2]))
    _, first = model.answer(np.array([[0, 1], [0, 1]]))
    _, second = model.answer(np.array([[2], [2]]))
    torch.testing.assert_close(result, torch.cat([first, second], dim=1))
    stages = part_rows(task, np.arange(5), CPU)
    assert [stages[part].tolist() for part in ("train", "val", "test")] == [[0, 1], [2], [3]]
