"""Numbers as tables and figures write them."""

from __future__ import annotations

import math


def short(value: float) -> str:
    """A number to three digits: 0.0123, 12.3, 123k, 1.23M."""
    for sign, size in (("", 1.0), ("k", 1e3), ("M", 1e6)):
        if abs(value) < 999.5 * size:
            return f"{float(f'{value / size:.3g}'):g}{sign}"
    return f"{float(f'{value / 1e9:.3g}'):g}G"


def ratio_text(ratio: float) -> str:
    """``×711``, ``×7.3`` or ``×0.05``: no decimals from ten on, below that two digits."""
    if ratio >= 9.95:
        return f"×{ratio:,.0f}"
    return f"×{ratio:.{max(0, 1 - math.floor(math.log10(ratio)))}f}"


def log_ticks(low: float, high: float) -> list[float]:
    """Round numbers for a log axis, eight at the most."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    for steps in ((1, 1.5, 2, 3, 5, 7), (1, 2, 5), (1, 3), (1,)):
        ticks = [s * 10.0**power for power in range(first, last + 1) for s in steps]
        ticks = [tick for tick in ticks if low <= tick <= high]
        if len(ticks) <= 8:
            return ticks
    return ticks[:: math.ceil(len(ticks) / 8)]
