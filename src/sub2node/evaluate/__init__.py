"""Measures of data and of results: the protocol, its statistics, homophily, compression.

What needs torch is loaded on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from .compression import Compression as Compression
from .compression import compression as compression
from .homophily import Homophily as Homophily
from .homophily import homophily as homophily

if TYPE_CHECKING:
    from .bootstrap import bootstrap_intervals as bootstrap_intervals
    from .comparison import Comparison as Comparison
    from .comparison import compare as compare
    from .comparison import over_splits as over_splits
    from .protocol import assess as assess
    from .protocol import random_splits as random_splits
    from .protocol import run as run
    from .result import Result as Result
    from .significance import Summary as Summary
    from .significance import corrected_resampled_t_test as corrected_resampled_t_test
    from .significance import mark as mark
    from .significance import welch as welch

_NAMES = {
    "bootstrap": ("bootstrap_intervals",),
    "comparison": ("Comparison", "compare", "over_splits"),
    "protocol": ("assess", "random_splits", "run"),
    "result": ("Result",),
    "significance": ("Summary", "corrected_resampled_t_test", "mark", "welch"),
}
_HOME = {name: home for home, names in _NAMES.items() for name in names}

__all__ = ["Compression", "Homophily", "compression", "homophily", *_HOME]  # noqa: PLE0604


def __getattr__(name: str) -> object:
    if name in _HOME:
        return getattr(import_module(f".{_HOME[name]}", __name__), name)
    raise AttributeError(f"module 'sub2node.evaluate' has no attribute {name!r}")
