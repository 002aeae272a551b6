"""How much memory Python takes for something.

It is measured in a process of its own: tracing that is switched off while another thread takes
memory can end the process.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

from forked import Forked


def peak_of(action: Callable[..., object], *given: object) -> int:
    """Most bytes that are held at a time while a function of a module runs."""
    process = Forked(_print_peak, action, given)
    printed, errors = process.communicate()
    assert process.returncode == 0, errors
    return int(printed)


def _print_peak(action: Callable[..., object], given: tuple[object, ...]) -> None:
    tracemalloc.start()
    action(*given)
    print(tracemalloc.get_traced_memory()[1])
