"""An audit as a file, ``audit.json``, which a report of a run beside it shows."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..base.errors import ConfigError, DataError
from ..base.files import new_file, require_writable, written
from ..base.records import RecordError, from_json
from ..base.structured_text import parse_json
from .check import Verdict

if TYPE_CHECKING:
    from .task_audit import Audit

FILE = "audit.json"


@dataclass(frozen=True)
class CheckRecord:
    """A check as it was written; see :class:`Check`."""

    name: str
    title: str
    verdict: str
    found: str
    advice: str

    def __post_init__(self) -> None:
        _require_verdict(self.verdict)


@dataclass(frozen=True)
class AuditRecord:
    """An audit as it was written; see :class:`Audit`."""

    data: str
    hash: str
    verdict: str
    checks: tuple[CheckRecord, ...]

    def __post_init__(self) -> None:
        _require_verdict(self.verdict)


def _require_verdict(word: str) -> None:
    if word not in set(Verdict):
        raise ValueError(f"verdict: expected one of {', '.join(Verdict)}")


def check_audit_file(folder: Path, *, overwrite: bool) -> Path:
    """The file in a folder that an audit can be written to; raises where it cannot.

    Args:
        folder: The folder of a run, or a new one.
        overwrite: Whether an audit that is there may be replaced.
    """
    path = folder / FILE
    if path.exists() and not overwrite:
        raise ConfigError(f"{path} exists already; choose another folder (-o), or --overwrite it.")
    require_writable(path)
    return path


def save_audit(found: Audit, folder: Path, *, overwrite: bool = False) -> Path:
    """Write an audit into a folder as ``audit.json``.

    Args:
        found: What the audit found.
        folder: The folder of a run, or a new one.
        overwrite: Whether an audit that is there may be replaced.
    """
    path = check_audit_file(folder, overwrite=overwrite)
    text = json.dumps(found.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)
    with written(path), new_file(path, overwrite=overwrite) as part:
        part.write_text(text + "\n", encoding="utf-8", errors="replace")
    return path


def read_audit(folder: Path) -> AuditRecord | None:
    """The audit in a folder; None where there is none.

    Args:
        folder: The folder of a run.
    """
    path = folder / FILE
    if not path.is_file():
        return None
    try:
        return from_json(AuditRecord, parse_json(path.read_bytes()))
    except (RecordError, ValueError) as error:
        raise DataError(
            f"this is no audit of ours ({error}); write it anew with s2n audit -o.", path=path
        ) from None
