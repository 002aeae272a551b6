"""The state of a training on disk: one file, replaced atomically, without pickle."""

from __future__ import annotations

import hashlib
import json
import os
import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from ..base.errors import ConfigError, DataError
from ..base.structured_text import parse_json


@dataclass
class Checkpoint:
    """A file that is rewritten at intervals.

    Args:
        path: Path of the file.
        key: Identifies the training (data, settings, seeds); a file of another key is refused.
        every: Seconds between two versions.
        resume: Whether to continue from an existing file.
        failed: Why the last version could not be written; empty if it was.
    """

    path: Path
    key: str
    every: float = 30.0
    resume: bool = False
    failed: str = ""
    _last: float = field(default_factory=time.monotonic, init=False)

    def part(self, name: str) -> Checkpoint:
        """The file of a part of the training, beside this one."""
        own = self.path.with_name(f"{self.path.stem}-{name}{self.path.suffix}")
        return replace(self, path=own, key=f"{self.key} {name}")

    @property
    def due(self) -> bool:
        """Whether it is time for a new version."""
        return not self.failed and time.monotonic() - self._last >= self.every

    def save(self, tensors: dict[str, Tensor], facts: dict[str, float]) -> None:
        """Replace the file; if that fails, training continues and ``failed`` says why."""
        text = json.dumps(facts)
        card = {"format": "sub2node checkpoint", "key": self.key, "facts": text}
        card["sha256"] = _digest(text, tensors)
        new = self.path.with_name(self.path.name + ".new")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            save_file({n: t.contiguous().clone() for n, t in tensors.items()}, new, metadata=card)
            os.replace(new, self.path)  # noqa: PTH105
        except (OSError, SafetensorError) as error:
            self.failed = str(error)
            with suppress(OSError):
                new.unlink(missing_ok=True)
        self._last = time.monotonic()

    def load(self) -> tuple[dict[str, Tensor], dict[str, float]] | None:
        """What was saved, or None where there is nothing to continue from."""
        if not self.resume or not self.path.exists():
            return None
        try:
            with safe_open(self.path, framework="pt") as file:
                card = file.metadata() or {}
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        except (SafetensorError, OSError) as error:
            raise DataError(
                f"this checkpoint cannot be read ({error}); remove it to start anew.",
                path=self.path,
            ) from None
        if card.get("format") != "sub2node checkpoint" or card.get("key") != self.key:
            raise ConfigError(
                f"{self.path} belongs to a run with other data, settings or seeds; remove it or"
                " run with those."
            )
        facts = card.get("facts", "")
        if not facts or ("sha256" in card and card["sha256"] != _digest(facts, tensors)):
            raise DataError(
                "this checkpoint is damaged (its checksum differs); remove it to start anew.",
                path=self.path,
            )
        return tensors, parse_json(facts)


def _digest(facts: str, tensors: dict[str, Tensor]) -> str:
    state = hashlib.sha256(facts.encode())
    for name in sorted(tensors):
        state.update(name.encode())
        flat = tensors[name].detach().cpu().contiguous().flatten()
        state.update(flat.view(torch.uint8).numpy().tobytes())
    return state.hexdigest()
