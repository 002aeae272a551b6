"""Damage files of every input format, read them, and count what must not happen.

A damaged file is refused in one sentence, or read: text is what it says. Where a checksum exists,
what is read is what was written. Models are damaged elsewhere.

    cd tests && python -m torture files --count 5600
"""

from __future__ import annotations

import json
import random
import shutil
import signal
import traceback
import warnings
from dataclasses import dataclass
from pathlib import Path

from torture.children import command, run_child, warm_parent
from torture.damage import ALL
from torture.file_readers import READERS, Reader, write_originals
from torture.rows import Row, new_row, tally

_LIMIT = 20  # seconds for a file


class HangError(BaseException):
    """A reader took too long."""


@dataclass(frozen=True)
class Case:
    """A folder of good files, which of them to damage, and how they are read.

    Args:
        reader: What reads the files.
        folder: The good files.
    """

    reader: Reader
    folder: Path

    def try_all(self, row: Row, tries: range, *, seed: int, work: Path, log: Path) -> None:
        """Damage and read; the row is kept in a file after each try."""
        expected = repr(self.reader.read(self.folder))
        for number in tries:
            draw = random.Random(f"{seed} {self.reader.name} {number}")
            shutil.rmtree(work, ignore_errors=True)
            shutil.copytree(self.folder, work)
            file = work / draw.choice(self.reader.files)
            damage = draw.choice(ALL)
            content = damage(file.read_bytes(), draw)
            file.write_bytes(content)
            tally(row, "tried")
            log.write_text(json.dumps(row), encoding="utf-8")
            note = f"{damage.__name__} of {file.name}, try {number}"
            self._try_one(row, work, note=note, expected=expected)
            log.write_text(json.dumps(row), encoding="utf-8")

    def _try_one(self, row: Row, work: Path, *, note: str, expected: str) -> None:
        from sub2node import Sub2NodeError

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", RuntimeWarning)  # one that leaks to the user
                signal.alarm(_LIMIT)
                value = repr(self.reader.read(work))
        except Sub2NodeError as error:
            tally(row, "refused")
            if not str(error).strip():
                tally(row, "tracebacks", f"{note}: refused without a word")
        except HangError:
            tally(row, "hangs", note)
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(place.filename).name}:{place.lineno}"
            tally(row, "tracebacks", f"{note}: {error!r:.120} at {where}")
        else:
            if self.reader.sealed and value != expected:
                tally(row, "wrong", note)
        finally:
            signal.alarm(0)


def _stop(*_: object) -> None:
    raise HangError


def try_case(case: Case, tries: int, *, seed: int, place: Path) -> Row:
    """All tries of a case, in a process that may die."""
    log, row = place / "row.json", new_row(case.reader.name) | {"refused": 0}
    done = 0
    while done < tries:

        def attempt(row: Row = row, done: int = done) -> None:
            signal.signal(signal.SIGALRM, _stop)
            case.try_all(row, range(done, tries), seed=seed, work=place / "work", log=log)

        log.unlink(missing_ok=True)
        outcome = run_child(attempt, place / "log", limit=60.0 + 2.0 * tries)
        if log.exists():
            row = json.loads(log.read_text(encoding="utf-8"))
        if outcome.status == 0:
            break
        if int(str(row["tried"])) == done:
            raise SystemExit(f"{case.reader.name}: {outcome.text[-2000:]}")
        done = int(str(row["tried"]))
        tally(row, "tracebacks", f"the process died ({outcome.status}): {outcome.text[-200:]}")
    refused = row.pop("refused")
    row["note"] = row["note"] or f"{refused} refused"
    return row


def main(seed: int = 1, count: int = 5600) -> list[Row]:
    """Damage ``count`` files in all; a row for each format.

    Args:
        seed: Of all that is drawn.
        count: Files in all, spread evenly; at least one per format.
    """
    with warm_parent() as folder:
        scratch, originals = folder / "scratch", folder / "originals"
        scratch.mkdir()
        originals.mkdir()

        def prepare() -> None:
            write_originals(originals, lambda *words: command(list(map(str, words)), scratch))

        done = run_child(prepare, scratch / "log")
        if done.status:
            raise SystemExit(done.text)
        rows = []
        for position, reader in enumerate(READERS):
            case = Case(reader, originals / reader.folder)
            tries = count // len(READERS) + (position < count % len(READERS))
            rows.append(try_case(case, max(tries, 1), seed=seed, place=scratch))
        return rows
