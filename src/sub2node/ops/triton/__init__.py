"""Fast paths in Triton for a GPU; each does what plain PyTorch does elsewhere in the package.

Whether they are used for a tensor is answered by :func:`use_triton`. Triton is loaded only where
the answer can be yes. Its interpreter runs the same kernels on the CPU, for tests.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from typing import Literal

import torch
from torch import Tensor

from ...base.errors import ConfigError

Compile = Literal["auto", "off", "interpreted"]
WIDEST = 128  # columns that one program holds

_mode: Compile = "auto"  # of the process: backward passes run in threads of their own


@cache
def triton_available() -> bool:
    """Whether Triton is installed, and the C compiler that it starts kernels with."""
    compilers = (os.environ.get("CC", "cc"), "gcc", "clang")
    return find_spec("triton") is not None and any(map(shutil.which, compilers))


def use_triton(x: Tensor) -> bool:
    """Whether the fast path is for this tensor."""
    if _mode == "off" or x.dtype != torch.float32:
        return False
    return triton_available() if x.is_cuda else _mode == "interpreted"


def check_compile_mode(mode: str) -> None:
    """Raise unless a user may choose this mode."""
    if mode not in ("auto", "off"):
        raise ConfigError(f"compile is auto or off, not {mode!r}.")


@contextmanager
def compile_mode(mode: Compile) -> Iterator[None]:
    """Inside the block fast paths are used on a GPU (``auto``), or not at all (``off``).

    ``interpreted`` is for tests: on the CPU too, where Triton was loaded with TRITON_INTERPRET=1.
    """
    global _mode  # noqa: PLW0603
    if mode != "interpreted":
        check_compile_mode(mode)
    previous, _mode = _mode, mode
    try:
        yield
    finally:
        _mode = previous
