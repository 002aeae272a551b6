"""Which versions of what are installed."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

_NAMED = ("sub2node", "torch", "numpy", "scipy", "scikit-learn")


def installed(name: str) -> str | None:
    """The version of a package, or None."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def versions() -> dict[str, str]:
    """Of Python and the packages that results depend on."""
    found = {name: installed(name) or "not installed" for name in _NAMED}
    return {"python": platform.python_version(), **found}
