"""The errors a user can meet: one sentence each, with the place and the next step."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike


class Sub2NodeError(Exception):
    """Root of every error raised on purpose; the command line prints it in one line."""


class DataError(Sub2NodeError):
    """The data is not what it should be.

    Args:
        message: What was found and what was expected.
        path: The file it was found in, if there is one.
        line: Its line, counted from 1.
    """

    def __init__(
        self, message: str, *, path: str | PathLike[str] | None = None, line: int | None = None
    ) -> None:
        self.reason, self.path, self.line = message, path, line
        place = "" if path is None else f"{path}: " if line is None else f"{path}:{line}: "
        super().__init__(place + message)


class ConfigError(Sub2NodeError):
    """An argument, option or setting is not one that exists or can be used here."""


class NotFiniteError(Sub2NodeError):
    """A model gives numbers that are not finite, so there is no answer."""


class MissingExtraError(Sub2NodeError):
    """A package that only some jobs need is not installed."""

    def __init__(self, package: str, extra: str, job: str) -> None:
        super().__init__(
            f"{job} needs the package '{package}': pip install 'sub2node[{extra}]' brings it."
        )


def suggest(name: str, candidates: Iterable[str]) -> str:
    """' Did you mean X?' for the nearest name that exists, else the list of those names."""
    names = list(candidates)
    nearest = get_close_matches(name, names, n=1)
    return f" Did you mean '{nearest[0]}'?" if nearest else f" Known: {', '.join(names)}."
