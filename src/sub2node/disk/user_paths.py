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
from .source_tables import SourceRequest

_MADE = "part_"  # begins the names of tables that hold a part of the user's


@contextmanager
def user_paths(request: SourceRequest, work: Path, problems: Problems) -> Iterator[None]:
    """Rename the files of errors and problems.

    Args:
        request: The user's folder or archive, or what was fetched of one.
        work: The folder with what was made of it.
        problems: Those that were found on the way.
    """

    def renamed(problem: Problem) -> Problem:
        if problem.path is None or not Path(problem.path).is_relative_to(work):
            return problem
        theirs = _path_of_user(Path(problem.path), request)
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
        theirs = _path_of_user(Path(error.path), request)
        raise DataError(error.reason, path=theirs, line=error.line) from None
    finally:
        problems.all[:] = map(renamed, problems.all)


def _path_of_user(path: Path, request: SourceRequest) -> str:
    """The file that a table was made of, or its address."""
    theirs = _source_of(path, request.path)
    return str(theirs) if request.remote is None else request.remote.place_of(theirs, request.path)


def _source_of(path: Path, source: Path) -> Path:
    """The file that a table was made of."""
    if path.is_relative_to(source):  # fetched, and read as it is
        return path
    if source.is_dir():
        stem = path.stem.removeprefix(_MADE)
        for name in (f"background_{stem}", stem):
            if (found := find_large(source, name)) is not None:
                return found
    return source
