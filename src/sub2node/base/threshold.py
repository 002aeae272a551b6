"""How the threshold of multi-label answers is chosen, as users name it."""

from __future__ import annotations

from typing import Literal

from .errors import ConfigError

ThresholdWord = Literal["half", "val"]


def read_threshold(value: str) -> ThresholdWord:
    """``half`` (probability one half) or ``val`` (the best on validation).

    ``zero``, the logit of one half, is the former word for ``half``.
    """
    if value in ("half", "zero"):
        return "half"
    if value == "val":
        return "val"
    raise ConfigError(f"a threshold is 'half' or 'val', not {value!r}.")
