"""The datasets of the paper's tables, and what stands in their place here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ...datasets import BENCHMARKS, SHAPES, SYNTHETIC, data_folders, load_task, others
from ...datasets.registry import locate
from ...errors import ConfigError, DataError, suggest
from ...task import SubgraphTask

STAND_INS = {"hpo_neuro": "hpo_orpha_neuro", "hpo_metab": "hpo_orpha_metab"}
REAL = ("ppi_bp", "hpo_neuro", "hpo_metab", "em_user")
MADE = ("density", "cut_ratio", "coreness", "component")
_AGREE = "Checksums agree"


def row_of(name: str) -> str:
    """The dataset of the paper that data of this name stands for; the name itself otherwise."""
    word = name.removeprefix("like ").removeprefix("like:")
    return next((row for row, other in STAND_INS.items() if other == word), word)


@dataclass(frozen=True, eq=False)
class Data:
    """What stands in a column.

    Args:
        column: The dataset of the paper.
        word: What it was loaded by.
        kind: ``authentic``, ``GLASS instance``, ``other copy``, ``stand-in`` or ``random shape``.
        about: The same in a sentence.
        task: The data.
    """

    column: str
    word: str
    kind: str
    about: str
    task: SubgraphTask


@dataclass
class Shelf:
    """The data at hand, each read once.

    Args:
        only: Columns or data to use; None: all.
    """

    only: tuple[str, ...] | None = None
    _read: dict[str, Data | str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        known = [*REAL, *MADE, *STAND_INS.values()]
        for word in self.only or ():
            if word not in known:
                raise ConfigError(f"the paper has no dataset {word!r}.{suggest(word, known)}")

    def wants(self, column: str) -> bool:
        """Whether a column is asked for."""
        return self.only is None or column in self.only or STAND_INS.get(column) in self.only

    def data(self, column: str) -> Data | str:
        """What stands in a column, or the sentence that says why nothing does."""
        return self._kept(column, self._load)

    def shape(self, column: str) -> Data | str:
        """The same for speed and memory: random data of the published shape where none is here.

        A stand-in has another shape, so it does not count.
        """
        if locate(column) is not None:
            return self.data(column)
        return self._kept(f"like:{column}", self._draw)

    def _kept(self, word: str, load: object) -> Data | str:
        if word not in self._read:
            try:
                self._read[word] = load(word)  # type: ignore[operator]
            except DataError as error:
                self._read[word] = f"{title(word)} cannot be read: {error}"
        return self._read[word]

    def _load(self, column: str) -> Data | str:
        here = locate(column) is not None
        other = STAND_INS.get(column, "")
        if self.only is not None and other in self.only and column not in self.only:
            here = False  # the stand-in was asked for by name
        if here:
            task = load_task(column)
            return Data(column, column, *_copy(column, task.notes), task)
        if other in others():
            about = f"{title(column)} is not at hand; {other} stands in, which is other data."
            return Data(column, other, "stand-in", about, load_task(other))
        places = " or ".join(str(folder) for folder in data_folders())
        return f"{title(column)} is not at hand (looked for the folder {column} in {places})."

    def _draw(self, word: str) -> Data | str:
        column = word.removeprefix("like:")
        if column not in SHAPES:
            return f"{title(column)} has no published shape to draw."
        about = f"{title(column)} is not at hand; a random graph of its published shape is."
        return Data(column, word, "random shape", about, load_task(word))


def _copy(column: str, notes: Iterable[str]) -> tuple[str, str]:
    """Which copy of a benchmark this is, by the sentence that reading it left."""
    said = next(iter(notes), "")
    if said.startswith(_AGREE):
        kind = "GLASS instance" if column in SYNTHETIC else "authentic"
        return kind, f"{title(column)}: {kind}, {BENCHMARKS[column].copy}."
    return "other copy", f"{title(column)}: {said}"


def title(column: str) -> str:
    """Its name in the paper."""
    column = column.removeprefix("like:")
    return BENCHMARKS[column].title if column in BENCHMARKS else column
