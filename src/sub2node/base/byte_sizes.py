"""Sizes of memory in words: ``8GB``."""

from __future__ import annotations

import numpy as np

from .errors import ConfigError


def parse_memory(text: str | int | None) -> int | None:
    """``"2GB"``, ``"500MB"`` or a number of bytes → bytes."""
    if text is None:
        return None
    if isinstance(text, int | np.integer) and not isinstance(text, bool):
        if text < 1:
            raise ConfigError(f"a memory limit is positive, found {text}.")
        return int(text)
    if not isinstance(text, str):
        raise ConfigError(f"a memory limit looks like 2GB or 500MB, found {text!r}.")
    units = {"kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12}
    number, unit = text.strip()[:-2], text.strip()[-2:].lower()
    try:
        value = float(number) * units[unit]
    except (KeyError, ValueError):
        raise ConfigError(f"a memory limit looks like 2GB or 500MB, found {text!r}.") from None
    if not 1 <= value < 2**62:
        raise ConfigError(f"a memory limit is positive, found {text!r}.")
    return int(value)


def size_words(count: float) -> str:
    """Bytes for people: ``3 MB``, ``1.2 GB``."""
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{max(count / 1e6, 1):.0f} MB"
