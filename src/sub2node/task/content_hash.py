"""A name for data that depends on nothing but its content."""

from __future__ import annotations

import hashlib

import numpy as np

from .names import Names

_BYTES = 8 << 20  # of an array that are read together


def digest(*parts: object) -> str:
    """SHA-256 over arrays, names, strings and None, types and shapes included; 64 hex digits.

    Integer arrays hash as int64, so that the width chosen to save memory does not matter.
    """
    state = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            kind = "<i8" if part.dtype.kind in "iu" else part.dtype.str
            state.update(f"{kind}{part.shape}".encode())
            width = 8 * max(part.size // max(len(part), 1), 1)
            rows = max(_BYTES // width, 1)
            for start in range(0, len(part), rows):  # in pieces: no second copy of a large array
                state.update(part[start : start + rows].astype(kind, copy=False).tobytes())
        elif isinstance(part, Names):
            content = part.content()
            state.update(f"names{len(part)},{len(content)}".encode())
            state.update(content)
        else:
            state.update(f"{type(part).__name__}{part!r}".encode())
        state.update(b"\0")
    return state.hexdigest()
