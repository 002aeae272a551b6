"""Sums over the entries of sparse rows, for all replicas, by sorted lists: no atomics."""

from __future__ import annotations

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor
from torch.autograd.function import once_differentiable

from .dropout_draws import Draw
from .entry_lists import EntryLists
from .random import is_kept, keys
from .tile_shapes import block, by_replica

# Measured on an H200: rows of a program and entries of each that it reads before it waits.
_SINGLE, _SHORT = (16, 1), (8, 2)  # one entry per row; several
_LONG_ROW = 64  # a row with more entries has a program of its own
_FLAT = 1024  # entries of a program that needs no rows


@triton.jit
def _short(
    x, x_stride, ptr, index, values, values_stride, plus, plus_stride, out, n, width, times,
    plus_times, BR: tl.constexpr, BF: tl.constexpr, UNROLL: tl.constexpr, VALUES: tl.constexpr,
    PLUS: tl.constexpr,
):  # fmt: skip
    """Some rows, an entry of each at a time."""
    replica = tl.program_id(1).to(tl.int64)
    row = tl.program_id(0) * BR + tl.arange(0, BR)
    inside = row < n
    start = tl.load(ptr + row, mask=inside, other=0)
    end = tl.load(ptr + row + 1, mask=inside, other=0)
    f = tl.arange(0, BF)
    fine = (f < width)[None, :]
    x += replica * x_stride + f[None, :]
    values += replica * values_stride
    total = tl.zeros([BR, BF], tl.float32)
    for done in range(0, tl.max(end - start), UNROLL):
        for ahead in tl.static_range(UNROLL):
            e = start + done + ahead
            use = e < end
            column = tl.load(index + e, mask=use, other=0).to(tl.int64)
            if VALUES:
                value = tl.load(values + e, mask=use, other=0.0)
                use = value != 0.0
                vectors = tl.load(
                    x + (column * width)[:, None], mask=use[:, None] & fine, other=0.0
                )
                total += vectors * value[:, None]
            else:
                total += tl.load(x + (column * width)[:, None], mask=use[:, None] & fine, other=0.0)
    offset = row.to(tl.int64)[:, None] * width + f[None, :]
    ok = inside[:, None] & fine
    total *= times
    if PLUS:
        total += plus_times * tl.load(plus + replica * plus_stride + offset, mask=ok, other=0.0)
    tl.store(out + replica * n * width + offset, total, mask=ok)


@triton.jit
def _long(
    x, x_stride, ptr, index, values, values_stride, plus, plus_stride, out, n, width, times,
    plus_times, CH: tl.constexpr, BF: tl.constexpr, VALUES: tl.constexpr, PLUS: tl.constexpr,
):  # fmt: skip
    """One row, many entries of it at a time."""
    replica, row = tl.program_id(1).to(tl.int64), tl.program_id(0).to(tl.int64)
    start, end = tl.load(ptr + row), tl.load(ptr + row + 1)
    f = tl.arange(0, BF)
    fine = f < width
    x += replica * x_stride + f[None, :]
    values += replica * values_stride
    total = tl.zeros([CH, BF], tl.float32)
    for done in range(start, end, CH):
        e = done + tl.arange(0, CH)
        use = e < end
        column = tl.load(index + e, mask=use, other=0).to(tl.int64)
        if VALUES:
            value = tl.load(values + e, mask=use, other=0.0)
            use = value != 0.0
        places = x + (column * width)[:, None]
        vectors = tl.load(places, mask=use[:, None] & fine[None, :], other=0.0)
        total += vectors * value[:, None] if VALUES else vectors
    result = tl.sum(total, axis=0) * times
    offset = row * width + f
    if PLUS:
        result += plus_times * tl.load(plus + replica * plus_stride + offset, mask=fine, other=0.0)
    tl.store(out + replica * n * width + offset, result, mask=fine)


@triton.jit
def _value(
    value, entry, live, loop, replica, seeds, step, site, threshold, FILL: tl.constexpr
):  # fmt: skip
    """Values of entries, 0 where there is none or it was dropped."""
    first, second = keys(seeds, step, site, replica)
    value = tl.where(is_kept(entry, first, second, threshold), value, 0.0)
    if FILL:
        value = tl.where(live & loop & (value <= 0.0), 1.0, value)
    return value


@triton.jit(do_not_specialize=["site", "threshold"])
def _factors(
    ptr, index, values, values_stride, seeds, step, site, threshold, out, n,
    BR: tl.constexpr, CH: tl.constexpr, FILL: tl.constexpr, COUNT: tl.constexpr,
):  # fmt: skip
    replica = tl.program_id(1).to(tl.int64)
    row = tl.program_id(0) * BR + tl.arange(0, BR)
    inside = row < n
    start = tl.load(ptr + row, mask=inside, other=0)
    end = tl.load(ptr + row + 1, mask=inside, other=0)
    total = tl.zeros([BR, CH], tl.float32)
    for done in range(0, tl.max(end - start), CH):
        e = start[:, None] + done + tl.arange(0, CH)[None, :]
        live = e < end[:, None]
        loop = tl.load(index + e, mask=live, other=0) == row[:, None]
        value = tl.load(values + replica * values_stride + e, mask=live, other=0.0)
        value = _value(value, e, live, loop, replica, seeds, step, site, threshold, FILL)
        if COUNT:
            value = tl.where(value != 0.0, 1.0, 0.0)
        total += value
    factor = tl.sum(total, axis=1)
    if COUNT:
        factor = 1.0 / tl.maximum(factor, 1.0)
    else:
        factor = tl.rsqrt(tl.where(inside, factor, 1.0))
    tl.store(out + replica * n + row, factor, mask=inside)


@triton.jit(do_not_specialize=["site", "threshold"])
def _entries(
    rows, columns, values, values_stride, back_rows, back_columns, order, factor,
    seeds, step, site, threshold, out, size, n, replicas,
    BLOCK: tl.constexpr, FILL: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr,
):  # fmt: skip
    """Values of the entries by rows, and after them by columns: what sums and gradients read."""
    k = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    live, j = k < 2 * size, k - size
    ahead, back = k < size, live & (k >= size)
    entry = tl.where(ahead, k, tl.load(order + j, mask=back, other=0))
    row = tl.load(rows + k, mask=ahead, other=0) + tl.load(back_rows + j, mask=back, other=0)
    column = tl.load(columns + k, mask=ahead, other=0)
    column += tl.load(back_columns + j, mask=back, other=0)
    for replica in range(0, replicas):
        r = tl.cast(replica, tl.int64)
        value = tl.load(values + r * values_stride + entry, mask=live, other=0.0)
        value = _value(value, entry, live, row == column, r, seeds, step, site, threshold, FILL)
        if ROWS:
            value *= tl.load(factor + r * n + row, mask=live, other=0.0)
        if COLUMNS:
            value *= tl.load(factor + r * n + column, mask=live, other=0.0)
        tl.store(out + 2 * r * size + k, value, mask=live)


def factors(lists: EntryLists, values: Tensor, draw: Draw, *, fill: bool, count: bool) -> Tensor:
    """Of each row, 1 over the root of the sum of its values, or 1 over their number; (R, n).

    Args:
        lists: The entries.
        values: Values of the entries; (E,) or (R, E).
        draw: Decides which entries are kept.
        fill: An entry (i, i) that is 0 or was dropped counts 1.
        count: The number of values that are not 0, at least 1, instead of the root of their sum.
    """
    out = torch.empty(len(draw.seeds), lists.rows, device=values.device)
    chunk = min(256, triton.next_power_of_2(max(4, lists.typical)))
    rows = _FLAT // chunk
    _factors[(triton.cdiv(lists.rows, rows), len(out))](
        lists.ptr, lists.index, values, values.stride(0) if values.dim() == 2 else 0,
        draw.seeds, draw.step, draw.site, draw.threshold, out, lists.rows,
        BR=rows, CH=chunk, FILL=fill, COUNT=count,
    )  # fmt: skip
    return out


def drawn_values(
    lists: EntryLists, back: EntryLists, values: Tensor, draw: Draw, *, kind: str
) -> tuple[Tensor, Tensor]:
    """Values of the entries that are kept, by rows and by columns; (R, E) each.

    Args:
        lists: The entries by rows.
        back: The entries by columns.
        values: Values of the entries; (E,) or (R, E).
        draw: Decides which entries are kept.
        kind: ``normalized``: D^-½ (A + missing loops) D^-½; ``weighted``: A; ``mean``: A over the
            number of entries of a row.
    """
    assert back.order is not None
    normalized, size = kind == "normalized", len(lists.index)
    out = torch.empty(len(draw.seeds), 2 * size, device=values.device)
    if not size:
        return out, out
    factor = out
    if kind != "weighted":
        factor = factors(lists, values, draw, fill=normalized, count=not normalized)
    _entries[(triton.cdiv(2 * size, _FLAT),)](
        lists.owner, lists.index, values, values.stride(0) if values.dim() == 2 else 0,
        back.index, back.owner, back.order, factor,
        draw.seeds, draw.step, draw.site, draw.threshold, out, size, lists.rows, len(out),
        BLOCK=_FLAT, FILL=normalized, ROWS=kind != "weighted", COLUMNS=normalized,
    )  # fmt: skip
    return out[:, :size], out[:, size:]


def aggregate(
    x: Tensor,
    lists: EntryLists,
    values: Tensor | None = None,
    *,
    times: float = 1.0,
    plus: Tensor | None = None,
    plus_times: float = 1.0,
) -> Tensor:
    """``times`` · sum over each row's entries of value · x[column], + ``plus_times`` · ``plus``.

    Entries of value 0 are not read: what is not finite does not reach whom it has no edge to.

    Args:
        x: Vectors of the columns; (R, m, F).
        lists: n rows of entries.
        values: (E,) for all replicas, (R, E), or None for ones.
        times: Factor of the sum.
        plus: Added to the sum; (R, n, F).
        plus_times: Factor of ``plus``.

    Returns:
        (R, n, F).
    """
    x = by_replica(x)
    replicas, _, width = x.shape
    out = x.new_empty(replicas, lists.rows, width)
    if not out.numel():
        return out
    added = None if plus is None else by_replica(plus)
    arguments = (
        x, x.stride(0), lists.ptr, lists.index, x if values is None else values,
        values.stride(0) if values is not None and values.dim() == 2 else 0,
        x if added is None else added, 0 if added is None else added.stride(0), out,
        lists.rows, width, times, plus_times,
    )  # fmt: skip
    columns = block(width)
    constants = {"BF": columns, "VALUES": values is not None, "PLUS": plus is not None}
    narrow = max(1, columns // 64)
    if lists.longest > _LONG_ROW:
        few = lists.rows * replicas < _FLAT
        chunk, warps = (32, 2) if lists.typical <= 64 else (128 if few else 64, 4)
        chunk = max(1, chunk // narrow)
        _long[(lists.rows, replicas)](*arguments, CH=chunk, num_warps=warps, **constants)
    else:
        rows, unroll = _SINGLE if lists.longest <= 1 else _SHORT
        rows = max(1, rows // narrow)
        grid = (triton.cdiv(lists.rows, rows), replicas)
        _short[grid](*arguments, BR=rows, UNROLL=unroll, **constants)
    return out


class Aggregate(torch.autograd.Function):
    """:func:`aggregate`, with its gradient over the transposed lists.

    ``back_values`` are the values in their order; where they are not given, they are sorted.
    """

    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        plus: Tensor | None,
        lists: EntryLists,
        back: EntryLists,
        values: Tensor | None,
        back_values: Tensor | None,
        times: float,
        plus_times: float,
    ) -> Tensor:
        """(R, m, F) → (R, n, F)."""
        ctx.back, ctx.times, ctx.plus_times = back, times, plus_times
        ctx.values, ctx.back_values, ctx.same = values, back_values, plus is x
        added = x if ctx.same else plus
        return aggregate(x, lists, values, times=times, plus=added, plus_times=plus_times)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        """To x and to what was added."""
        (grad,), back, values = grads, ctx.back, ctx.back_values
        if values is None and ctx.values is not None:
            values = ctx.values.index_select(-1, back.order)
        to_x = to_plus = None
        if ctx.needs_input_grad[0]:
            plus = grad if ctx.same else None
            to_x = aggregate(
                grad, back, values, times=ctx.times, plus=plus, plus_times=ctx.plus_times
            )
        if ctx.needs_input_grad[1] and not ctx.same:
            to_plus = grad * ctx.plus_times
        return to_x, to_plus, None, None, None, None, None, None
