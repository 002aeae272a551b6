"""Each kernel against its plain definition: on a GPU where there is one, else interpreted."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("triton", reason="Triton is not installed")

from fast_path import CUDA, DEVICE, drawn, normal
from sub2node.config import TrainingSettings
from sub2node.nn.adjacency import Adjacency
from sub2node.ops import triton as kernels
from sub2node.ops.pattern import Pattern
from sub2node.ops.triton import dense
from sub2node.ops.triton.adam import adam, keep
from sub2node.ops.triton.aggregate import Aggregate, drawn_values
from sub2node.ops.triton.dense import LinearSum
from sub2node.ops.triton.dropout_draws import Draw
from sub2node.ops.triton.loss import Losses
from sub2node.ops.triton.norm_relu_dropout import Norm, NormReluDropout
from sub2node.ops.triton.reduce import summed
from sub2node.train import Group
from sub2node.train.plateau import Plateau

pytestmark = pytest.mark.filterwarnings("ignore:divide by zero")  # 1 / 0 is inf on a GPU
few = settings(max_examples=40 if CUDA else 12, deadline=None)


def close(found: torch.Tensor | None, expected: torch.Tensor | None, tolerance: float = 2e-5):
    assert found is not None
    assert expected is not None
    found, expected = found.detach(), expected.detach()
    scale = max(1.0, float(expected.abs().max()) if expected.numel() else 1.0)
    assert found.shape == expected.shape
    assert torch.equal(found.isfinite(), expected.isfinite())
    assert float((found - expected).abs().nan_to_num().max() if found.numel() else 0) < (
        tolerance * scale
    )


# ----------------------------------------------------------------------------------------- draws


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_shares_are_kept_and_differ_by_step_site_and_replica(share) -> None:
    base = drawn(share, 3).keep(20_000)
    assert base.mean(1).cpu().numpy() == pytest.approx(1 - share, abs=0.015)
    for other in (drawn(share, 3, step=4).keep(20_000), drawn(share, 3, site=3).keep(20_000)):
        together = torch.stack([base.flatten(), other.flatten()])
        assert abs(float(torch.corrcoef(together)[0, 1])) < 0.02
    assert (torch.corrcoef(base) - torch.eye(3, device=DEVICE)).abs().max() < 0.03
    shifted = torch.stack([base[0, 1:], base[0, :-1]])
    assert abs(float(torch.corrcoef(shifted)[0, 1])) < 0.03


def test_a_replica_draws_the_same_alone_and_beside_others() -> None:
    many, one = drawn(0.4, 3), drawn(0.4, 3)
    alone = Draw(one.seeds[1:2], one.step, one.site, one.share)
    assert torch.equal(many.keep(50, 7)[1], alone.keep(50, 7)[0])


# ------------------------------------------------------------------------------------- aggregate


def pattern_of(rows: int, columns: int, density: float, seed: int) -> tuple[Pattern, np.ndarray]:
    rng = np.random.default_rng(seed)
    dense = rng.random((rows, columns)) < density
    if rows > 2:
        dense[0] = True  # one long row
        dense[1] = False  # and one empty
    index = np.nonzero(dense)[1]
    ptr = np.concatenate([[0], np.cumsum(dense.sum(1))])
    return Pattern.from_csr(ptr, index, columns, DEVICE), dense


def dense_of(pattern: Pattern, values: torch.Tensor, columns: int) -> torch.Tensor:
    made = torch.zeros(len(values), pattern.num_rows, columns, device=DEVICE)
    made[:, pattern.row.long(), pattern.index.long()] = values
    return made


@few
@given(
    rows=st.integers(1, 40), columns=st.integers(1, 90), width=st.sampled_from([1, 5, 16, 64, 70]),
    replicas=st.integers(1, 3), kind=st.sampled_from(["none", "shared", "own"]),
    plus=st.booleans(), seed=st.integers(0, 99),
)  # fmt: skip
def test_aggregate_is_a_product_with_a_dense_matrix(
    rows, columns, width, replicas, kind, plus, seed
) -> None:
    pattern, _ = pattern_of(rows, columns, 0.2, seed)
    entries = len(pattern.index)
    values = {"none": None, "shared": normal(entries, seed=1),
              "own": normal(replicas, entries, seed=1)}[kind]  # fmt: skip
    x = normal(replicas, columns, width, seed=4, grad=True)
    added = normal(replicas, rows, width, seed=5, grad=True) if plus else None
    full = torch.ones(replicas, entries, device=DEVICE) if values is None else values
    matrix = dense_of(pattern, full.expand(replicas, -1), columns)
    expected = 0.7 * matrix @ x
    if added is not None:
        expected = expected + 0.3 * added
    found = Aggregate.apply(x, added, pattern.lists, pattern.back, values, None, 0.7, 0.3)
    close(found, expected)
    way = normal(*found.shape, seed=6)
    asked = [x] if added is None else [x, added]
    for one, other in zip(
        torch.autograd.grad(found, asked, way), torch.autograd.grad(expected, asked, way),
        strict=True,
    ):  # fmt: skip
        close(one, other)


def test_what_is_added_may_be_what_is_summed() -> None:
    pattern, _ = pattern_of(9, 9, 0.4, 1)
    x = normal(2, 9, 16, grad=True)
    matrix = dense_of(pattern, torch.ones(2, len(pattern.index), device=DEVICE), 9)
    found = Aggregate.apply(x, x, pattern.lists, pattern.back, None, None, 0.5, 0.25)
    expected = 0.5 * matrix @ x + 0.25 * x
    way = normal(*found.shape, seed=2)
    close(found, expected)
    close(torch.autograd.grad(found, x, way)[0], torch.autograd.grad(expected, x, way)[0])


@few
@given(
    size=st.integers(1, 40), kind=st.sampled_from(["normalized", "weighted", "mean"]),
    share=st.sampled_from([0.3, 0.9]), own=st.booleans(), replicas=st.integers(1, 3),
    seed=st.integers(0, 99),
)  # fmt: skip
def test_drawn_values_are_those_of_the_graph_without_the_dropped(
    size, kind, share, own, replicas, seed
) -> None:
    rng = np.random.default_rng(seed)
    matrix = np.triu(rng.random((size, size)) * (rng.random((size, size)) < 0.3))
    graph = Adjacency.from_csr(sp.csr_array(matrix + matrix.T), device=DEVICE)
    if own:
        graph = replace(
            graph, weights=graph.weights * drawn(0.5, replicas).keep(len(graph.weights))
        )
    draw, pattern = drawn(share, replicas), graph.pattern
    expected = graph.drop(draw.keep(len(pattern.index)))._values_of(kind)
    values, back = drawn_values(pattern.lists, pattern.back, graph.weights, draw, kind=kind)
    close(values, expected)
    close(back, expected.index_select(-1, pattern.back_order))


# ----------------------------------------------------------------------------------------- dense


@few
@given(
    rows=st.integers(1, 150), width_in=st.sampled_from([3, 16, 40, 64]),
    width=st.sampled_from([2, 6, 64]), second=st.sampled_from([0, 5, 64]), bias=st.booleans(),
    replicas=st.integers(1, 3), shared=st.booleans(),
)  # fmt: skip
def test_linear_is_the_sum_of_its_terms(
    rows, width_in, width, second, bias, replicas, shared
) -> None:
    x = normal(1 if shared else replicas, rows, width_in, grad=True)
    weight = normal(replicas, width_in, width, seed=1, grad=True)
    first = (0.3 if width_in == width else 0.0, 0.7)
    y = normal(replicas, rows, second, seed=2, grad=True) if second else None
    other = normal(replicas, second, width, seed=3, grad=True) if second else None
    last = (0.2 if second == width else 0.0, 0.5)
    b = normal(replicas, 1, width, seed=4, grad=True) if bias else None
    seen = x.expand(replicas, -1, -1)
    expected = first[1] * seen @ weight + (first[0] * seen if first[0] else 0.0)
    if y is not None and other is not None:
        expected = expected + last[1] * y @ other + (last[0] * y if last[0] else 0.0)
    if b is not None:
        expected = expected + b
    found = LinearSum.apply(seen, weight, *first, y, other, *last, b)
    close(found, expected, 5e-5)
    way = normal(*found.shape, seed=5)
    asked = [t for t in (x, weight, y, other, b) if t is not None]
    for one, right in zip(
        torch.autograd.grad(found, asked, way), torch.autograd.grad(expected, asked, way),
        strict=True,
    ):  # fmt: skip
        close(one, right, 5e-5)


def test_gradients_are_asked_for_one_by_one() -> None:
    x, weight = normal(2, 70, 16), normal(2, 16, 16, seed=1, grad=True)
    found = LinearSum.apply(x, weight, 0.0, 1.0, None, None, 0.0, 1.0, None)
    expected = torch.autograd.grad((x @ weight).sum(), weight)[0]
    close(torch.autograd.grad(found.sum(), weight)[0], expected)


@pytest.mark.parametrize("asked", [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)])
def test_only_what_a_kernel_wrote_is_summed(asked, monkeypatch) -> None:
    buffers: list[torch.Tensor] = []
    monkeypatch.setattr(dense, "summed", lambda parts: buffers.append(parts) or summed(parts))
    empty = torch.Tensor.new_empty
    monkeypatch.setattr(
        torch.Tensor,
        "new_empty",
        lambda self, *shape, **options: empty(self, *shape, **options).fill_(torch.nan),
    )
    parameters = [normal(2, 16, 8, seed=1), normal(2, 5, 8, seed=3), normal(2, 1, 8, seed=4)]
    for number in asked:
        parameters[number].requires_grad_()
    weight, second, bias = parameters
    x, y = normal(2, 70, 16), normal(2, 70, 5, seed=2)
    result = LinearSum.apply(x, weight, 0.0, 1.0, y, second, 0.0, 1.0, bias)
    expected = x @ weight + y @ second + bias
    inputs = [parameters[number] for number in asked]
    for one, right in zip(
        torch.autograd.grad(result.sum(), inputs),
        torch.autograd.grad(expected.sum(), inputs),
        strict=True,
    ):
        close(one, right, 5e-5)
    assert buffers
    assert not any(parts.isnan().any() for parts in buffers)


# ---------------------------------------------------------------------------------------- finish


@few
@given(
    rows=st.integers(2, 150), width=st.sampled_from([1, 6, 64]), replicas=st.integers(1, 3),
    norm=st.booleans(), skip=st.booleans(), relu=st.booleans(), share=st.sampled_from([0.0, 0.4]),
    shift=st.sampled_from([0.0, 100.0]),
)  # fmt: skip
def test_finish_is_norm_skip_relu_dropout(
    rows, width, replicas, norm, skip, relu, share, shift
) -> None:
    relu = relu or norm  # a norm always has a ReLU behind it
    z = (normal(replicas, rows, width) * 2 + shift).requires_grad_()
    added = normal(replicas, rows, width, seed=1, grad=True) if skip else None
    gamma, beta = (normal(replicas, width, seed=s, grad=True) for s in (2, 3))
    means = [torch.zeros(replicas, width, device=DEVICE) for _ in range(2)]
    variances = [torch.ones(replicas, width, device=DEVICE) for _ in range(2)]
    draw = drawn(share, replicas) if share else None
    expected: torch.Tensor = z
    if norm:
        each = zip(z, means[0], variances[0], gamma, beta, strict=True)
        expected = torch.stack(
            [torch.nn.functional.batch_norm(*part, training=True) for part in each]
        )
    if added is not None:
        expected = expected + added
    if relu:
        expected = expected.relu()
    if draw is not None:
        expected = expected * draw.keep(rows, width) / (1 - share)
    made = Norm(means[1], variances[1], training=True) if norm else None
    found = NormReluDropout.apply(
        z, added, gamma if norm else None, beta if norm else None, made, draw, relu
    )
    near = 1e-3 if shift else 5e-5  # float32 at 100 ± 2
    close(found, expected, near)
    close(means[1], means[0], 1e-5)
    close(variances[1], variances[0], 1e-4)
    if shift or rows < 4:  # two rows are ±1 after the norm: gradients are what rounding leaves
        return
    way = normal(*found.shape, seed=5)
    asked = [t for t in (z, added, *((gamma, beta) if norm else ())) if t is not None]
    for one, right in zip(
        torch.autograd.grad(found, asked, way), torch.autograd.grad(expected, asked, way),
        strict=True,
    ):  # fmt: skip
        close(one, right, 1e-3)


def test_finish_in_evaluation_reads_the_running_statistics() -> None:
    z, gamma, beta = normal(2, 9, 6), normal(2, 6, seed=1), normal(2, 6, seed=2)
    mean, variance = normal(2, 6, seed=3), normal(2, 6, seed=4).abs() + 0.1
    norm = Norm(mean.clone(), variance.clone(), training=False)
    found = NormReluDropout.apply(z, None, gamma, beta, norm, None, True)
    spread = (variance[:, None] + 1e-5).sqrt()
    close(found, ((z - mean[:, None]) / spread * gamma[:, None] + beta[:, None]).relu())
    assert torch.equal(norm.mean, mean)


# ---------------------------------------------------------------------------- loss and optimiser


@few
@given(
    rows=st.integers(1, 150), classes=st.integers(2, 12), replicas=st.integers(1, 3),
    binary=st.booleans(), own=st.booleans(), wide=st.sampled_from([1.0, 80.0]),
)  # fmt: skip
def test_losses_are_pytorchs(rows, classes, replicas, binary, own, wide) -> None:
    from sub2node.train.scores import losses

    shape = (replicas, rows) if own else (rows,)
    generator = torch.Generator().manual_seed(1)
    if binary:
        labels = torch.randint(2, (*shape, classes), generator=generator).float()
    else:
        labels = torch.randint(classes, shape, generator=generator)
    labels = labels.to(DEVICE)
    logits = (wide * normal(replicas, rows, classes)).requires_grad_()
    with kernels.compile_mode("off"):
        expected = losses(logits, labels, own=own)
    found = Losses.apply(logits, labels, own)
    close(found, expected)
    way = torch.arange(1.0, replicas + 1, device=DEVICE)
    close(torch.autograd.grad(found, logits, way)[0], torch.autograd.grad(expected, logits, way)[0])


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


def test_only_better_replicas_are_kept() -> None:
    source, target = normal(3, 1500), normal(3, 1500, seed=1)
    before = target.clone()
    keep(source, target, torch.tensor([True, False, True], device=DEVICE))
    assert torch.equal(target[[0, 2]], source[[0, 2]])
    assert torch.equal(target[1], before[1])


@few
@given(
    replicas=st.integers(1, 5), stop=st.sampled_from([0, 3]), start=st.sampled_from([0, 2]),
    patience=st.integers(0, 2), ties=st.sampled_from(["first", "loss"]), broken=st.booleans(),
    seed=st.integers(0, 99),
)  # fmt: skip
def test_a_look_at_once_is_the_plain_one(
    replicas, stop, start, patience, ties, broken, seed
) -> None:
    """Schedule, divergence, patience, best epochs and history over some epochs."""
    training = TrainingSettings(
        lr=0.01, patience=stop, ties=ties, plateau_patience=patience, epochs=8, min_lr=0.004
    )
    groups = [bare_group(training, replicas, start, fast=fast) for fast in (True, False)]
    generator = torch.Generator().manual_seed(seed)
    for epoch in range(8):
        loss, val = (torch.rand(replicas, generator=generator).to(DEVICE) for _ in range(2))
        score = torch.randint(4, (replicas,), generator=generator).to(DEVICE).double() / 4
        if broken and epoch == 4:
            loss[0], val[-1] = torch.inf, torch.nan
        for group in groups:
            group._record_epoch(loss, val, score)
    fast, plain = groups
    assert [k.tolist() for k in fast.optimizer.kept] == [k.tolist() for k in plain.optimizer.kept]
    for name in (
        "best_score", "best_loss", "best_epoch", "diverged", "running", "counted", "clock",
        "_lasted",
    ):  # fmt: skip
        assert torch.equal(getattr(fast, name), getattr(plain, name)), name
    for name in ("rate", "best", "waited"):
        assert torch.equal(getattr(fast.plateau, name), getattr(plain.plateau, name)), name
    assert torch.equal(fast._columns.nan_to_num(7.0), plain._columns.nan_to_num(7.0))


def bare_group(training: TrainingSettings, replicas: int, start: int, *, fast: bool) -> Group:
    """A group without a network."""
    group = Group.__new__(Group)
    group.training, group.start, group.fast = training, start, fast
    group.plateau = Plateau(training, replicas, DEVICE)
    group.best_score = torch.full((replicas,), -1.0, dtype=torch.float64, device=DEVICE)
    group.best_loss = torch.full_like(group.best_score, torch.inf)
    for name in ("best_epoch", "diverged"):
        setattr(group, name, torch.zeros(replicas, dtype=torch.int64, device=DEVICE))
    group.running, group.counted = (
        torch.ones(replicas, dtype=torch.bool, device=DEVICE) for _ in range(2)
    )
    group.clock, group._lasted = (
        torch.zeros((), dtype=torch.int64, device=DEVICE) for _ in range(2)
    )
    shape = (4, training.epochs, replicas)
    group._columns = torch.zeros(shape, dtype=torch.float64, device=DEVICE)
    kept: list[torch.Tensor] = []
    group.optimizer = SimpleNamespace(  # type: ignore[assignment]
        keep=lambda better: kept.append(better.clone()), kept=kept
    )
    return group
