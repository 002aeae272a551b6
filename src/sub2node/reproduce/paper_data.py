"""The datasets of the paper's tables, and what stands in their place here."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from ..base.errors import ConfigError, DataError, suggest
from ..base.notes import NoteKind, has_kind
from ..datasets import BENCHMARKS, SHAPES, SYNTHETIC, data_folders, load_task, others
from ..datasets.registry import locate
from ..task import SubgraphTask

STAND_INS = {"hpo_neuro": "hpo_orpha_neuro", "hpo_metab": "hpo_orpha_metab"}
REAL_DATA = ("ppi_bp", "hpo_neuro", "hpo_metab", "em_user")
SYNTHETIC_DATA = ("density", "cut_ratio", "coreness", "component")


def paper_dataset(name: str) -> str:
    """The dataset of the paper that data of this name stands for; the name itself otherwise."""
    name = name.removeprefix("like ").removeprefix("like:")
    return next((row for row, other in STAND_INS.items() if other == name), name)


@dataclass(frozen=True, eq=False)
class PaperDataset:
    """The data that stand in a column.

    Args:
        column: The dataset of the paper.
        load_name: The name that it was loaded by.
        kind: ``authentic``, ``GLASS instance``, ``other copy``, ``stand-in`` or ``random shape``.
        about: The kind of data in a sentence.
        task: The graph, subgraphs, labels and split.
    """

    column: str
    load_name: str
    kind: str
    about: str
    task: SubgraphTask


@dataclass
class DatasetCache:
    """The data at hand, each read once.

    Args:
        only: The columns or datasets to use; None: all.
    """

    only: tuple[str, ...] | None = None
    _read: dict[str, PaperDataset | str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = [*REAL_DATA, *SYNTHETIC_DATA, *STAND_INS.values()]
        for name in self.only or ():
            if name not in names:
                raise ConfigError(f"the paper has no dataset {name!r}.{suggest(name, names)}")

    def is_requested(self, column: str) -> bool:
        """Whether a column is asked for."""
        return self.only is None or column in self.only or STAND_INS.get(column) in self.only

    def load(self, column: str) -> PaperDataset | str:
        """The data of a column, or the sentence that says why there are none."""
        return self._load_once(column, self._load_published)

    def load_shape(self, column: str) -> PaperDataset | str:
        """Data to measure speed and memory: random ones of the published shape where none are here.

        A stand-in has another shape, so it does not count.
        """
        if locate(column) is not None:
            return self.load(column)
        return self._load_once(f"like:{column}", self._generate_shape)

    def _load_once(
        self, name: str, load: Callable[[str], PaperDataset | str]
    ) -> PaperDataset | str:
        if name not in self._read:
            try:
                self._read[name] = load(name)
            except DataError as error:
                self._read[name] = f"{dataset_title(name)} cannot be read: {error}"
        return self._read[name]

    def _load_published(self, column: str) -> PaperDataset | str:
        is_local = locate(column) is not None
        other = STAND_INS.get(column, "")
        if self.only is not None and other in self.only and column not in self.only:
            is_local = False  # the stand-in was asked for by name
        if is_local:
            task = load_task(column)
            return PaperDataset(column, column, *_identify_copy(column, task.notes), task)
        if other in others():
            about = (
                f"{dataset_title(column)} is not at hand; {other} stands in, which is other data."
            )
            return PaperDataset(column, other, "stand-in", about, load_task(other))
        folders = " or ".join(str(folder) for folder in data_folders())
        return (
            f"{dataset_title(column)} is not at hand (looked for the folder {column} in {folders})."
        )

    def _generate_shape(self, name: str) -> PaperDataset | str:
        column = name.removeprefix("like:")
        if column not in SHAPES:
            return f"{dataset_title(column)} has no published shape to draw."
        about = f"{dataset_title(column)} is not at hand; a random graph of its published shape is."
        return PaperDataset(column, name, "random shape", about, load_task(name))


def _identify_copy(column: str, notes: Iterable[str]) -> tuple[str, str]:
    """Which copy of a benchmark this is, by the note that reading it left."""
    first = next(iter(notes), "")
    if has_kind(first, NoteKind.AUTHENTIC):
        kind = "GLASS instance" if column in SYNTHETIC else "authentic"
        return kind, f"{dataset_title(column)}: {kind}, {BENCHMARKS[column].copy}."
    return "other copy", f"{dataset_title(column)}: {first}"


def dataset_title(column: str) -> str:
    """The name of a dataset in the paper."""
    column = column.removeprefix("like:")
    return BENCHMARKS[column].title if column in BENCHMARKS else column
