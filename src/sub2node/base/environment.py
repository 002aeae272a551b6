"""The machine and what is installed on it: device, memory, versions."""

from __future__ import annotations

import os
import platform
import re
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import TYPE_CHECKING

from .container_memory import container_room
from .errors import ConfigError

if TYPE_CHECKING:
    import torch

_REPORTED = ("sub2node", "torch", "numpy", "scipy", "scikit-learn")


def find_device(name: str) -> torch.device:
    """``auto`` is the GPU where there is one."""
    import torch

    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if name not in ("cpu", "cuda"):
        raise ConfigError(f"a device is auto, cpu or cuda, not {name!r}.")
    if name == "cuda" and not torch.cuda.is_available():
        raise ConfigError("there is no GPU that PyTorch can use here; use --device cpu or auto.")
    return torch.device(name)


def free_memory(device: torch.device | None = None) -> int | None:
    """Bytes that new work can have on a device, by default the CPU; None where nobody says.

    In a container the memory of the CPU ends at its limit.
    """
    if device is not None and device.type == "cuda":
        import torch

        return int(torch.cuda.mem_get_info(device)[0])
    rooms = [room for room in (_machine_room(), container_room()) if room is not None]
    return min(rooms, default=None)


def _machine_room() -> int | None:
    """Bytes that are free on the machine."""
    info = Path("/proc/meminfo")
    if info.exists():
        for line in info.read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    if "SC_AVPHYS_PAGES" not in getattr(os, "sysconf_names", {}):
        return None
    return int(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))


def installed_version(name: str) -> str | None:
    """The version of a package, or None."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def required_packages() -> tuple[list[str], dict[str, list[str]]]:
    """Packages that ours requires: those of the core, and those of each extra.

    Both are empty where the package is used from its source without being installed.
    """
    try:
        requirements = requires("sub2node") or []
    except PackageNotFoundError:
        requirements = []
    core, extras = list[str](), dict[str, list[str]]()
    for requirement in requirements:
        name = re.match(r"[\w.-]+", requirement)
        extra = re.search(r"extra == ['\"]([\w-]+)", requirement)
        if name is not None:
            (extras.setdefault(extra[1], []) if extra else core).append(name[0])
    return core, extras


def versions() -> dict[str, str]:
    """Of Python and the packages that results depend on."""
    packages = {name: installed_version(name) or "not installed" for name in _REPORTED}
    return {"python": platform.python_version(), **packages}
