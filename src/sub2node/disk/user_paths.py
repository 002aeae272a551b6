"""Messages about tables name the user's files, not what was made of them on the way."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..base.errors import DataError
from ..task.problems import DataProblemsError, Problem, Problems
from .large_files import find_large

_MADE = "part_"  # begins the names of tables that hold a part of the user's


@contextmanager
def user_paths(source: Path, work: Path, problems: Problems) -> Iterator[None]:
    """Rename the files of errors and problems.

    Args:
        source: The user's folder or archive.
        work: The folder with what was made of it.
        problems: Those that were found on the way.
    """

    def renamed(problem: Problem) -> Problem:
        if problem.path is None or not Path(problem.path).is_relative_to(work):
            return problem
        theirs = str(_path_of_user(Path(problem.path), source))
        if not Path(problem.path).name.startswith(_MADE):
            return replace(problem, path=theirs)
        rows = np.empty(0, np.int64)  # its rows are those of a part
        return replace(problem, path=theirs, rows=rows, lines=None, values=None)

    try:
        yield
    except DataProblemsError as error:
        raise DataProblemsError([renamed(one) for one in error.problems]) from None
    except DataError as error:
        if error.path is None or not Path(error.path).is_relative_to(work):
            raise
        theirs = _path_of_user(Path(error.path), source)
        raise DataError(error.reason, path=theirs, line=error.line) from None
    finally:
        problems.all[:] = map(renamed, problems.all)


def _path_of_user(path: Path, source: Path) -> Path:
    """The file that a table was made of."""
    if source.is_dir():
        stem = path.stem.removeprefix(_MADE)
        for name in (f"background_{stem}", stem):
            if (found := find_large(source, name)) is not None:
                return found
    return source
