"""The folder that a run writes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ..base.errors import ConfigError

_STATE_FILES = ("*.safetensors", "*.safetensors.new")


@dataclass
class RunOutput:
    """The run folder, and beside it the folder of states of a run that is not finished yet.

    Args:
        out: The run folder; None: nothing is written.
        overwrite: Whether a folder that is there may be replaced.
        resume: Whether to continue from the states that are there.
    """

    out: Path | None
    overwrite: bool
    resume: bool

    def __post_init__(self) -> None:
        from ..base.files import require_writable
        from ..runs import check_run_folder

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
            foreign = set(self.states.iterdir()) - set(_state_files(self.states))
            if foreign:
                raise ConfigError(f"{self.states} holds {min(foreign).name!r}, which is not ours.")

    @property
    def states(self) -> Path | None:
        """Where states are kept."""
        return None if self.out is None else self.out.with_name(self.out.name + ".checkpoint")

    @contextmanager
    def claim_states(self) -> Iterator[None]:
        """Make the folder of states this run's; where nothing was kept in it, remove it."""
        if self.states is None:
            yield
            return
        if not self.resume:
            self.remove_states()
        self.states.mkdir(parents=True, exist_ok=self.resume)
        try:
            yield
        finally:
            if self.states.is_dir() and not any(self.states.iterdir()):
                self.states.rmdir()

    def remove_states(self) -> None:
        """Remove the states, and nothing else."""
        if self.states is not None and self.states.is_dir():
            for file in _state_files(self.states):
                file.unlink(missing_ok=True)
            if not any(self.states.iterdir()):
                self.states.rmdir()


def _state_files(folder: Path) -> list[Path]:
    return [file for pattern in _STATE_FILES for file in folder.glob(pattern)]
