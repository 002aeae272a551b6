"""Odd shapes, numbers that are not finite, and threads: kernels against plain PyTorch."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from torch.nn.functional import batch_norm

pytest.importorskip("triton", reason="Triton is not installed")

from fast_path import CUDA, DEVICE, FAST, drawn, normal
from sub2node.nn import Streams
from sub2node.nn.adjacency import Adjacency
from sub2node.nn.layers import BatchNorm, Dropout, Mapped, combine, finish
from sub2node.nn.streams import Init
from sub2node.ops import triton as kernels
from sub2node.ops.pattern import Pattern
from sub2node.ops.triton.adam import adam
from sub2node.ops.triton.aggregate import Aggregate, drawn_values
from sub2node.ops.triton.dense import LinearSum
from sub2node.ops.triton.dropout_draws import Draw
from sub2node.ops.triton.loss import Losses
from sub2node.ops.triton.norm_relu_dropout import Norm, NormReluDropout
from sub2node.train.scores import losses

NAN, INF = float("nan"), float("inf")
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def near(found: torch.Tensor, expected: torch.Tensor, tolerance: float = 5e-5) -> None:
    found, expected = found.detach(), expected.detach()
    assert found.shape == expected.shape
    torch.testing.assert_close(found, expected, rtol=tolerance, atol=tolerance, equal_nan=True)


def both(call: Any, asked: list[torch.Tensor], tolerance: float = 5e-5) -> None:
    """The same result and gradients by kernels and without."""
    rows = []
    for mode in (FAST, "off"):
        with kernels.compile_mode(mode):
            found = call()
            way = normal(*found.shape, seed=9)
            rows.append([found, *torch.autograd.grad(found, asked, way)])
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


# ---------------------------------------------------------------------------------------- shapes


@pytest.mark.parametrize("width", [1, 70, 128, 129, 300])
@pytest.mark.parametrize("rows", [1, 9])
def test_maps_of_any_width(width, rows) -> None:
    x, weight = normal(2, rows, width, grad=True), normal(2, width, width, seed=1, grad=True)
    bias = normal(2, 1, width, seed=2, grad=True)
    both(lambda: combine(Mapped(x, weight, 0.3, 0.7), None, bias), [x, weight, bias], 1e-3)
    y, other = normal(2, rows, 5, seed=3, grad=True), normal(2, 5, width, seed=4, grad=True)
    call = lambda: combine(Mapped(x, weight), Mapped(y, other, 0.0, 0.5), bias)  # noqa: E731
    both(call, [x, weight, y, other, bias], 1e-3)


def test_two_maps_of_the_widest() -> None:
    """On a GPU: two matrices of 128 × 128 and their tiles fit its shared memory."""
    x, y = (normal(1, 130, 128, seed=s, grad=True) for s in (1, 2))
    one, two = (normal(1, 128, 128, seed=s, grad=True) for s in (3, 4))
    call = lambda: combine(Mapped(x, one, 0.1, 0.9), Mapped(y, two, 0.2, 0.8))  # noqa: E731
    both(call, [x, one, y, two], 1e-3)


def test_maps_of_no_rows_and_to_one_class() -> None:
    for rows in (0, 3):
        x, weight = normal(2, rows, 6, grad=True), normal(2, 6, 1, seed=1, grad=True)
        bias = normal(2, 1, 1, seed=2, grad=True)
        both(lambda: combine(Mapped(x, weight), bias=bias), [x, weight, bias])  # noqa: B023


@pytest.mark.parametrize("width", [1, 70, 128, 129, 300])
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_sums_of_any_width_and_index(width, dtype) -> None:
    pattern = ring(7, dtype)
    x, values = normal(2, 7, width, grad=True), normal(12, seed=1)
    both(lambda: pattern.aggregate(x, values, plus=x, times=0.5), [x])
    both(lambda: pattern.aggregate(x), [x])


@pytest.mark.parametrize("rows", [0, 1, 4])
def test_sums_without_entries(rows) -> None:
    pattern = Pattern.from_csr(np.zeros(rows + 1, int), np.zeros(0, int), 3, DEVICE)
    x, plus = normal(2, 3, 5, grad=True), normal(2, rows, 5, grad=True)
    both(lambda: pattern.aggregate(x, plus=plus, times=2.0), [x, plus])
    both(lambda: pattern.columns(x), [x])
    both(lambda: pattern.sum(pattern.columns(x)), [x])


def test_sums_of_rows_that_are_no_neighbours_in_memory() -> None:
    pattern, values = ring(7), normal(2, 12, seed=1)
    wide = normal(2, 7, 8, grad=True)
    both(lambda: pattern.aggregate(wide[:, :, ::2], values), [wide])
    both(lambda: pattern.aggregate(wide.transpose(0, 1)[:2, :1].expand(2, 7, 8), values), [wide])
    one = normal(1, 7, 8, grad=True)
    both(lambda: pattern.aggregate(one.expand(2, -1, -1), values), [one])
    for way in (lambda x: x.sum((1, 2)), lambda x: x.transpose(1, 2).flatten(1).cumsum(1)[:, -1]):
        both(lambda: way(pattern.aggregate(wide, values)), [wide])  # noqa: B023


def test_a_long_row_beside_short_ones() -> None:
    ptr = np.array([0, 200, 201, 201])
    index = np.concatenate([np.arange(200), [5]])
    for dtype in (torch.int32, torch.int64):
        made = Pattern.from_csr(ptr, index, 200, DEVICE)
        made = Pattern(*(getattr(made, n).to(dtype) for n in made.__dataclass_fields__))
        x, values = normal(2, 200, 3, grad=True), normal(2, 201, seed=1)
        both(lambda: made.aggregate(x, values), [x], 1e-4)  # noqa: B023


@pytest.mark.parametrize("kind", ["normalized", "weighted", "mean"])
@pytest.mark.parametrize("size", [1, 5])
@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
def test_a_graph_of_one_node_or_without_edges_with_edges_dropped(kind, size, dtype) -> None:
    graph = Adjacency.from_csr(sp.csr_array((size, size)), device=DEVICE)
    names = graph.pattern.__dataclass_fields__
    pattern = Pattern(*(getattr(graph.pattern, n).to(dtype) for n in names))
    draw = drawn(0.5, 3)
    expected = graph.drop(draw.keep(size))._values_of(kind)
    found, back = drawn_values(pattern.lists, pattern.back, graph.weights, draw, kind=kind)
    near(found, expected)
    near(back, expected)


@pytest.mark.parametrize("classes", [1, 2, 40])
@pytest.mark.parametrize("rows", [1, 65])
@pytest.mark.parametrize("binary", [False, True])
def test_losses_of_any_number_of_classes(classes, rows, binary) -> None:
    wide = normal(2, rows, classes + 2, grad=True)
    generator = torch.Generator().manual_seed(1)
    labels = torch.randint(2 if binary else classes, (rows, classes) if binary else (rows,),
                           generator=generator).to(DEVICE)  # fmt: skip
    labels = labels.float() if binary else labels
    both(lambda: losses(wide[:, :, 1:-1], labels), [wide])


def ended(rows: int, width: int, *, training: bool, share: float = 0.4) -> tuple[Any, ...]:
    norm = BatchNorm(width, Init([1, 2])).train(training).to(DEVICE)
    dropout = Dropout(share, Streams([1, 2], DEVICE, counted=True)).train(training)
    return normal(2, rows, width, grad=True), normal(2, rows, width, seed=1), norm, dropout


@pytest.mark.parametrize("width", [1, 70, 300])
@pytest.mark.parametrize("rows", [1, 40])
@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("normed", [True, False])
def test_the_end_of_a_layer_of_any_shape(width, rows, training, normed) -> None:
    z, skip, norm, dropout = ended(rows, width, training=training)
    start = {name: t.clone() for name, t in norm.state_dict().items()}
    left = []

    def call() -> torch.Tensor:
        norm.load_state_dict(start)
        dropout.streams.restore(torch.tensor([4, 0]))
        found = finish(z * 1, once(skip), norm if normed else None, dropout)
        left.append((norm.mean.clone(), norm.variance.clone()))
        return found

    both(call, [z, norm.weight, norm.bias] if normed else [z], 2e-3)
    for one, other in zip(*left, strict=True):
        near(one, other, 1e-4)


@pytest.mark.parametrize("training", [True, False])
def test_the_end_of_a_layer_without_gradients(training) -> None:
    z, skip, norm, dropout = ended(5, 6, training=training)
    with torch.no_grad():
        found = []
        for mode in (FAST, "off"):
            with kernels.compile_mode(mode):
                dropout.streams.restore(torch.tensor([4, 0]))
                found.append(finish(z * 1, once(skip), norm, dropout))
    near(*found)


def test_no_rows_end_and_drop_too() -> None:
    z, skip, _, dropout = ended(0, 6, training=True)
    both(lambda: finish(z * 1, once(skip), None, dropout), [z])
    both(lambda: dropout(z * 1), [z])


def test_what_is_normed_may_be_what_is_skipped() -> None:
    z, _, norm, dropout = ended(9, 6, training=True, share=0.0)
    both(lambda: finish(z * 1, once(z * 1), norm, dropout), [z], 1e-3)
    both(lambda: finish((w := z * 1), once(w), None, dropout), [z])


def test_gradients_where_only_some_are_asked_for() -> None:
    pattern, x, plus = ring(7), normal(2, 7, 5), normal(2, 7, 5, seed=1, grad=True)
    both(lambda: pattern.aggregate(x, plus=plus, times=0.5), [plus])
    z, skip, norm, dropout = ended(9, 6, training=True, share=0.0)
    norm.bias.requires_grad_(False)
    both(lambda: finish(z.detach() * 1, once(skip), norm, dropout), [norm.weight], 1e-3)
    x, weight, bias = normal(2, 7, 5), normal(2, 5, 6), normal(2, 1, 6, grad=True)
    both(lambda: combine(Mapped(x, weight), bias=bias), [bias])
    y, other = normal(2, 7, 5), normal(2, 5, 6, grad=True)
    both(lambda: combine(Mapped(x, weight), Mapped(y, other)), [other])


# ------------------------------------------------------------------------ numbers without an end


@pytest.mark.parametrize("bad", [NAN, INF])
def test_a_replica_that_diverged_disturbs_no_other(bad) -> None:
    x, weight = normal(3, 9, 6), normal(3, 6, 6, seed=1)
    skip, gamma = normal(3, 9, 6, seed=2), normal(3, 6, seed=3)
    pattern, values = ring(9), normal(3, 16, seed=4)
    labels = torch.arange(9, device=DEVICE) % 6

    def run(factor: float) -> list[torch.Tensor]:
        start = x.clone()
        start[1, 2] *= factor
        start.requires_grad_()
        w = weight.clone().requires_grad_()
        out = Aggregate.apply(start, None, pattern.lists, pattern.back, values, None, 1.0, 1.0)
        out = LinearSum.apply(out, w, 0.5, 0.5, None, None, 0.0, 1.0, None)
        norm = Norm(torch.zeros(3, 6, device=DEVICE), torch.ones(3, 6, device=DEVICE), True)
        out = NormReluDropout.apply(out, skip, gamma, gamma, norm, drawn(0.3, 3), True)
        loss = Losses.apply(out, labels, False)
        found = torch.autograd.grad(loss.sum(), [start, w])
        slab, rate = weight.reshape(3, -1).clone(), torch.full((3,), 0.1, dtype=torch.float64)
        adam([(slab, found[1].reshape(3, -1), torch.zeros_like(slab), torch.zeros_like(slab))],
             rate.to(DEVICE), torch.ones((), device=DEVICE), clip=0.5, decay=0.1)  # fmt: skip
        return [loss.detach(), out.detach(), *found, norm.mean, norm.variance, slab]

    for one, other in zip(run(bad), run(1.0), strict=True):
        assert torch.equal(one[[0, 2]], other[[0, 2]])


@pytest.mark.parametrize("large", [INF, 1e30])
def test_a_norm_of_numbers_too_large_is_batch_norms(large) -> None:
    z = normal(1, 9, 2)
    z[0, 4, 0] = large
    one, zero = torch.ones(1, 2, device=DEVICE), torch.zeros(1, 2, device=DEVICE)
    means, variances = (zero.clone(), zero.clone()), (one.clone(), one.clone())
    found = NormReluDropout.apply(
        z, None, one, zero, Norm(means[0], variances[0], True), None, True
    )
    expected = batch_norm(z[0], means[1][0], variances[1][0], one[0], zero[0], training=True)
    near(found[0], expected.relu())
    near(variances[0], variances[1])


def test_a_norm_whose_first_row_is_far_from_the_rest() -> None:
    rows = 2**16
    z = normal(1, rows, 1)
    z[0, 0] = 1e4
    mean, variance = torch.zeros(1, 1, device=DEVICE), torch.ones(1, 1, device=DEVICE)
    one, zero = torch.ones(1, 1, device=DEVICE), torch.zeros(1, 1, device=DEVICE)
    NormReluDropout.apply(z, None, one, zero, Norm(mean, variance, True), None, True)
    found = (float(variance) - 0.9) / 0.1
    assert found == pytest.approx(float(z.double().var()), rel=1e-3)


@pytest.mark.parametrize("bad", [NAN, INF])
def test_what_is_not_finite_is_so_after_dropout_too(bad) -> None:
    z = torch.full((1, 4, 2), bad, device=DEVICE)
    dropout = Dropout(0.5, Streams([1], DEVICE, counted=True)).train()
    found = []
    for mode in (FAST, "off"):
        with kernels.compile_mode(mode):
            dropout.streams.restore(torch.tensor([4, 0]))
            found.append(finish(z.clone(), None, None, dropout))
    assert torch.equal(found[0].isfinite(), found[1].isfinite())


@pytest.mark.parametrize("bad", [NAN, INF, -INF])
@pytest.mark.parametrize("binary", [False, True])
def test_losses_of_logits_that_are_not_finite(bad, binary) -> None:
    logits = normal(5, 4, 3)
    for r, row in enumerate(((0, 0), (1, 1), (2, 0))):
        logits[r + 1, row[0], row[1]] = bad
    labels = torch.tensor([0, 1, 2, 0], device=DEVICE)
    if binary:
        labels = torch.nn.functional.one_hot(labels, 3).float()
    with kernels.compile_mode("off"):
        expected = losses(logits, labels)
    found = Losses.apply(logits, labels, False)
    assert torch.equal(found.isfinite(), expected.isfinite())
    near(found[[0, 4]], expected[[0, 4]])


def test_a_small_loss_of_large_logits_is_exact() -> None:
    logits = torch.tensor([[[800.0, 791.0]], [[80.0, 70.0]]], device=DEVICE)
    labels = torch.tensor([0], device=DEVICE)
    with kernels.compile_mode("off"):
        expected = losses(logits, labels)
    near(Losses.apply(logits, labels, False) / expected, torch.ones(2, device=DEVICE), 1e-3)


# ------------------------------------------------------------------------- threads and gradients


def test_the_mode_holds_in_the_thread_of_the_backward_pass() -> None:
    pattern, seen = ring(5), []
    x = normal(1, 5, 2, grad=True)

    def watched(tensor: torch.Tensor) -> bool:  # as a GPU's tensor would be seen
        fake: Any = SimpleNamespace(dtype=tensor.dtype, is_cuda=True)
        seen.append(real(fake))
        return False

    real = kernels.use_triton
    with pytest.MonkeyPatch.context() as patch, kernels.compile_mode("off"):
        patch.setattr(kernels, "use_triton", watched)
        patch.setattr(kernels, "triton_available", lambda: True)
        out = pattern.aggregate(x).sum() + pattern.columns(x).sum()
        thread = threading.Thread(target=lambda: torch.autograd.grad(out, x))
        thread.start()
        thread.join()
    assert not any(seen)


@pytest.mark.skipif(not CUDA, reason="needs a GPU")
def test_compile_off_calls_no_kernel_in_the_backward_pass(monkeypatch) -> None:
    from sub2node.ops.triton import aggregate

    calls: list[int] = []
    monkeypatch.setattr(aggregate, "aggregate", lambda *a, **k: calls.append(1) or 1 / 0)
    pattern, x = ring(5), normal(1, 5, 2, grad=True)
    with kernels.compile_mode("off"):
        pattern.aggregate(x).sum().backward()
    assert not calls


# ------------------------------------------------------------------------------------------ bits


def test_bits_of_neighbours_steps_sites_and_seeds_are_independent() -> None:
    size = 4096
    seeds = torch.arange(8, device=DEVICE)  # the worst: no spreading by SeedSequence
    rows = torch.cat([
        Draw(seeds, torch.tensor(step, device=DEVICE), site, 0.5).keep(size)
        for step in (0, 1, 2) for site in (1, 2, 3)
    ])  # fmt: skip
    assert len(torch.unique(rows, dim=0)) == len(rows)
    correlation = torch.corrcoef(rows) - torch.eye(len(rows), device=DEVICE)
    assert correlation.abs().max() < 5.5 / size**0.5
    for lag in (1, 2, 16, 64, 1024):
        moved = (rows[:, lag:] - 0.5) * (rows[:, :-lag] - 0.5) * 4
        spread = moved.mean(1) * (size - lag) ** 0.5
        assert spread.abs().max() < 4.5
        assert 0.7 < float(spread.std()) < 1.3
    counts = (rows.mean(1) - 0.5) * 2 * size**0.5
    assert 0.7 < float(counts.std()) < 1.3


def test_rows_of_replicas_with_other_counts_draw_the_same() -> None:
    def kept(seeds: list[int], counts: list[int]) -> torch.Tensor:
        streams = Streams(seeds, DEVICE, counted=True)
        streams.begin()
        return streams.keep_rows(0.5, counts, 3)

    assert torch.equal(kept([1, 2], [4, 9])[4:], kept([2], [9]))
    assert torch.equal(kept([1, 2], [4, 9])[:4], kept([1], [4]))


def test_a_stream_goes_on_where_it_was() -> None:
    one, other = (Streams([1, 2], DEVICE, counted=True) for _ in range(2))
    one.begin()
    one.keep(0.5, 3)
    other.restore(one.state())
    assert torch.equal(one.keep(0.5, 50), other.keep(0.5, 50))
    one.begin(), other.begin()
    assert torch.equal(one.keep(0.5, 50), other.keep(0.5, 50))
    assert one.integers() == other.integers()
