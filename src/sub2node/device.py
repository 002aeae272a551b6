"""Where tensors are: the CPU, or a GPU where there is one."""

from __future__ import annotations

import torch

from .errors import ConfigError


def find_device(name: str) -> torch.device:
    """``auto`` is the GPU where there is one."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if name not in ("cpu", "cuda"):
        raise ConfigError(f"a device is auto, cpu or cuda, not {name!r}.")
    if name == "cuda" and not torch.cuda.is_available():
        raise ConfigError("there is no GPU that PyTorch can use here; use --device cpu or auto.")
    return torch.device(name)
