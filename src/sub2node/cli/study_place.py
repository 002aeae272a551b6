"""Where a study of ``s2n tune`` is kept, and how others help with it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..base.errors import ConfigError
from .output import errors, say

if TYPE_CHECKING:
    from ..tune import Spec, Study


@dataclass
class StudyPlace:
    """Where the study is kept.

    Args:
        out: The folder of the study.
        storage: A journal file or the URL of a database, instead of a journal in the folder.
        study: The name of the study in the storage.
        worker: Whether this process only helps with a study that is there.
        share: Where to listen for workers elsewhere.
        resume: Whether to go on with the study that is there.
    """

    out: Path | None
    storage: str | None
    study: str | None
    worker: bool
    share: str | None
    resume: bool

    def __post_init__(self) -> None:
        from ..base.files import require_writable

        if self.worker:
            if self.storage is None:
                raise ConfigError("a worker needs the storage of the study: --storage URL.")
            if self.share is not None or self.resume:
                raise ConfigError("--share and --resume are for the process that begins a study.")
            return
        self.folder = self.out or Path("study")
        if self.folder.exists() and not self.folder.is_dir():
            raise ConfigError(f"{self.folder} is a file, expected a folder.")
        require_writable(self.folder / "study.json")
        if not self.resume and self.folder.exists() and any(self.folder.iterdir()):
            raise ConfigError(
                f"{self.folder} holds something already; go on with it (--resume), or name a new"
                " folder (-o)."
            )
        if self.resume and not self.folder.exists() and self.storage is None:
            raise ConfigError(f"there is no study in {self.folder} to go on with.")
        if self.share is not None and (self.folder / "journal.log").exists():
            raise ConfigError(
                f"{self.folder} has a journal, which cannot be shared over gRPC; let workers on the"
                " same disk help (--worker --storage), or begin a new study with --share."
            )

    @property
    def url(self) -> str:
        """Of the storage; one that is shared is a database."""
        if self.storage is not None:
            return self.storage
        if self.share is not None or (self.folder / "study.sqlite").exists():
            return f"sqlite:///{self.folder / 'study.sqlite'}"
        return str(self.folder / "journal.log")

    def begin(self, spec: Spec, trials: int | None) -> Study:
        """The study, new or gone on with."""
        from ..tune import Study
        from ..tune.study_storage import host_and_port, mend_journal, open_storage, share

        if self.share is not None:
            host_and_port(self.share)
        if self.share is not None and "://" not in self.url:
            raise ConfigError(
                "a journal cannot be shared over gRPC; omit --storage, or give a database."
            )
        self.folder.mkdir(parents=True, exist_ok=True)
        if self.resume and "://" not in self.url:
            mend_journal(Path(self.url))
        storage = open_storage(self.url)
        study = Study.create(
            spec,
            self.url,
            trials=trials,
            resume=self.resume,
            name=self.study,
            storage=storage,
            folder=self.folder,
        )
        if self.share is not None:
            share(storage, self.share)
            host, port = host_and_port(self.share)
            where = f"{'THIS_MACHINE' if host in ('0.0.0.0', '::') else host}:{port}"
            command = f"s2n tune DATA --worker --storage grpc://{where}"
            say("Sharing", f"help with: {command}", style="green", to=errors)
        return study
