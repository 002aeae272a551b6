"""What tests of the fast path share: on a GPU where there is one, else interpreted."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from hypothesis import settings

import sub2node as s2n
from sub2node.ops import triton as kernels
from sub2node.ops.pattern import Pattern
from sub2node.ops.triton.dropout_draws import Draw
from sub2node.task import Graph, Split, Subgraphs, SubgraphTask

CUDA = torch.cuda.is_available()
DEVICE = "cuda" if CUDA else "cpu"
FAST: Any = "auto" if CUDA else "interpreted"


def small_task() -> s2n.SubgraphTask:
    """A task for whole networks; the interpreter, which runs one program after the other, has less.

    No number of rows fills a block, and a node is in several subgraphs or in none.
    """
    if CUDA:
        return s2n.load_task("generate:density,subgraphs=12,seed=3")
    nodes = np.arange(13)
    ends = np.concatenate([nodes, nodes[::2]]), np.concatenate([(nodes + 1) % 13, nodes[::2] // 3])
    graph = Graph.from_edges(*ends, num_nodes=14, repeated="sum")
    sets = [[0, 1, 2], [2, 3, 4, 5], [6], [7, 8, 9], [0, 9, 10], [5, 6], [1, 11, 12]]
    labels, parts = np.array([0, 1, 2, 0, 1, 2, 0]), ["train"] * 5 + ["val"] * 2
    return SubgraphTask(graph, Subgraphs.from_lists(sets), labels, (), Split.given(parts))


def normal(*shape: int, seed: int = 0, grad: bool = False) -> torch.Tensor:
    made = torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(DEVICE)
    return made.requires_grad_(grad)


def drawn(share: float, replicas: int, *, step: int = 3, site: int = 2) -> Draw:
    seeds = torch.arange(1, replicas + 1, device=DEVICE) * 0x123456789ABCDEF
    return Draw(seeds, torch.tensor(step, device=DEVICE), site, share)


few_examples = settings(max_examples=40 if CUDA else 8, deadline=None)


def close(result: torch.Tensor | None, expected: torch.Tensor | None, tolerance: float = 2e-5):
    assert result is not None
    assert expected is not None
    result, expected = result.detach(), expected.detach()
    scale = max(1.0, float(expected.abs().max()) if expected.numel() else 1.0)
    assert result.shape == expected.shape
    assert torch.equal(result.isfinite(), expected.isfinite())
    assert float((result - expected).abs().nan_to_num().max() if result.numel() else 0) < (
        tolerance * scale
    )


NAN, INF = float("nan"), float("inf")


def near(result: torch.Tensor, expected: torch.Tensor, tolerance: float = 5e-5) -> None:
    result, expected = result.detach(), expected.detach()
    assert result.shape == expected.shape
    torch.testing.assert_close(result, expected, rtol=tolerance, atol=tolerance, equal_nan=True)


def both(call: Any, inputs: list[torch.Tensor], tolerance: float = 5e-5) -> None:
    """The same result and gradients by kernels and without."""
    rows = []
    for mode in (FAST, "off"):
        with kernels.compile_mode(mode):
            result = call()
            direction = normal(*result.shape, seed=9)
            rows.append([result, *torch.autograd.grad(result, inputs, direction)])
    for one, other in zip(*rows, strict=True):
        near(one, other, tolerance)


def ring(size: int, dtype: type = np.int32) -> Pattern:
    """Two entries a row; row 0 has none."""
    here = np.arange(size)
    index = np.stack([(here + 1) % size, (here + 3) % size], 1)[1:].ravel()
    ptr = np.concatenate([[0], np.arange(size) * 2])
    made = Pattern.from_csr(ptr, index, size, DEVICE)
    if dtype is np.int64:
        made = Pattern(*(getattr(made, name).long() for name in made.__dataclass_fields__))
    return made


def once(tensor: torch.Tensor | None) -> Any:
    """As ``finish`` asks for it."""
    return None if tensor is None else lambda: tensor
