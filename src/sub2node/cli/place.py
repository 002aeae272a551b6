"""The folder that a run writes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ..errors import ConfigError

_STATES = ("*.safetensors", "*.safetensors.new")


@dataclass
class Place:
    """The run folder, and beside it the folder of states of a run that is not finished yet."""

    out: Path | None
    overwrite: bool
    resume: bool

    def __post_init__(self) -> None:
        from ..evaluate.store import check_run_folder
        from ..files import require_writable

        if self.out is None:
            if self.resume:
                raise ConfigError("--resume needs the folder of the run: -o FOLDER.")
            return
        check_run_folder(self.out, overwrite=self.overwrite)
        require_writable(self.out)
        if self.states is not None and self.states.exists() and not self.resume:
            if not self.overwrite:
                raise ConfigError(
                    f"{self.states} is left from a run that did not finish, or is still running;"
                    " go on with it (--resume) or start anew (--overwrite)."
                )
            foreign = set(self.states.iterdir()) - set(self._ours())
            if foreign:
                raise ConfigError(f"{self.states} holds {min(foreign).name!r}, which is not ours.")

    @property
    def states(self) -> Path | None:
        """Where states are kept."""
        return None if self.out is None else self.out.with_name(self.out.name + ".checkpoint")

    def _ours(self) -> list[Path]:
        assert self.states is not None
        return [file for pattern in _STATES for file in self.states.glob(pattern)]

    @contextmanager
    def claimed(self) -> Iterator[None]:
        """The folder of states is this run's; where nothing was kept in it, it goes again."""
        if self.states is None:
            yield
            return
        if not self.resume:
            self.leave()
        self.states.mkdir(parents=True, exist_ok=self.resume)
        try:
            yield
        finally:
            if self.states.is_dir() and not any(self.states.iterdir()):
                self.states.rmdir()

    def leave(self) -> None:
        """Remove the states, and nothing else."""
        if self.states is not None and self.states.is_dir():
            for file in self._ours():
                file.unlink(missing_ok=True)
            if not any(self.states.iterdir()):
                self.states.rmdir()
