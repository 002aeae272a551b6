"""The content of the JSON files of runs, comparisons, models and studies.

Only fields that are read are declared; other keys are ignored. Fields that older versions did not
write have a default.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from ..base.errors import DataError
from ..base.leaderboard import LeaderboardRow
from ..base.records import Count, from_json
from ..base.structured_text import parse_json
from ..evaluate.overlap import Overlap
from ..evaluate.positive_class import PositiveScores
from ..evaluate.significance import Summary
from ..evaluate.verdicts import ScoredOn


@dataclass(frozen=True)
class DataFacts:
    """Name, hash and sizes of the data, as ``data_facts`` of ``evaluate`` makes them.

    ``splits`` counts random splits; 0: the split that the data came with. From the command line
    come ``given``, the data as the user named them, with their options; ``parts``, the shares of
    random splits; and ``files``, options that name files of node vectors.
    """

    name: str
    hash: str
    nodes: Count
    edges: Count
    subgraphs: Count
    classes: Count
    multilabel: bool
    split: dict[str, Count]
    splits: Count = 0
    given: str = ""
    parts: str = ""
    files: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class SizeFacts:
    """Nodes per subgraph of a part."""

    mean: float
    min: Count
    max: Count


@dataclass(frozen=True)
class PictureFacts:
    """How the S2N graph in a folder was made, and how much of it the folder has."""

    model: str
    a: float
    delta: float
    self_loops: bool
    subgraphs: Count
    links: Count
    shown_subgraphs: Count
    shown_links: Count


@dataclass(frozen=True)
class RunFile:
    """``result.json``, and each model of ``comparison.json``.

    Fields up to ``leaderboard`` are those of ``Result``, the others are facts about the data for
    reports. Folders of 0.1.0 have no ``test_intervals``.
    """

    model: str
    val: dict[str, Summary]
    test: dict[str, Summary]
    per_class: dict[str, dict[str, Summary]]
    data: DataFacts
    seconds: float
    seeds: tuple[int, ...]
    test_intervals: dict[str, tuple[float, ...]] = field(default_factory=dict)
    config: dict[str, Any] = field(default_factory=dict)
    preset: str = ""
    best_epoch: tuple[Count, ...] = ()
    ended: str = "complete"
    parameters: int | None = None
    thresholds: tuple[float, ...] = ()
    notes: tuple[str, ...] = ()
    areas_per_class: dict[str, dict[str, dict[str, Summary]]] = field(default_factory=dict)
    positive: PositiveScores | None = None
    leaderboard: tuple[LeaderboardRow, ...] = ()
    versions: dict[str, str] = field(default_factory=dict)
    overlap: tuple[Overlap, ...] = ()
    class_counts: dict[str, dict[str, Count]] = field(default_factory=dict)
    sizes: dict[str, SizeFacts] = field(default_factory=dict)
    picture: PictureFacts | None = None

    def __post_init__(self) -> None:
        if not {"micro_f1", "macro_f1"} <= self.test.keys() & self.val.keys():
            raise ValueError(
                f"val has the scores {', '.join(self.val) or 'none'}, test has"
                f" {', '.join(self.test) or 'none'}; both must have micro_f1 and macro_f1"
            )
        if not self.per_class.get("test"):
            raise ValueError("per_class: the scores of test by class are missing")
        tables = {"val": self.val, "test": self.test}
        tables |= {f"per_class.{part}": table for part, table in self.per_class.items()}
        tables |= {
            f"areas_per_class.{part}.{metric}": table
            for part, by_metric in self.areas_per_class.items()
            for metric, table in by_metric.items()
        }
        for place, table in tables.items():
            for name, summary in table.items():
                if not summary.values:
                    raise ValueError(f"{place}.{name}.values: expected a value, found []")
        if self.positive is not None and self.positive.label not in self.per_class["test"]:
            raise ValueError(f"positive.label: there is no class {self.positive.label!r}")
        if not self.seeds:
            raise ValueError("seeds: expected at least one, found []")
        for name, ends in self.test_intervals.items():
            if len(ends) != 2:
                raise ValueError(f"test_intervals.{name}: expected two ends, found {list(ends)}")

    @property
    def scored_on(self) -> ScoredOn:
        """What the values of each score are of: seeds, or random splits."""
        return ScoredOn(self.data.hash, self.data.splits, self.data.split)


@dataclass(frozen=True)
class ComparisonFile:
    """``comparison.json``."""

    models: tuple[RunFile, ...]
    picture: PictureFacts | None = None

    def __post_init__(self) -> None:
        if not self.models:
            raise ValueError("models: expected at least one, found []")


@dataclass(frozen=True)
class ModelCard:
    """The part of ``model.json`` that says where a model comes from."""

    data: DataFacts


@dataclass(frozen=True)
class ModelMember:
    """A member in ``model.json``: a network has ``config``, a simple model its name, ``simple``."""

    config: dict[str, Any] = field(default_factory=dict)
    seeds: tuple[int, ...] = ()
    simple: str = ""

    @property
    def described(self) -> dict[str, Any]:
        """Settings as in the ``config.toml`` of a run, as far as they are known."""
        return {"baseline": self.simple} if self.simple else self.config


@dataclass(frozen=True)
class ModelFile:
    """``model.json``, as far as it can be read without its arrays.

    A network has ``config`` and ``seeds``; a simple model and an ensemble have ``members``.
    """

    card: ModelCard
    config: dict[str, Any] = field(default_factory=dict)
    seeds: tuple[int, ...] = ()
    members: tuple[ModelMember, ...] = ()


@dataclass(frozen=True)
class StudyFile:
    """``study.json``.

    ``spec`` is what ``Spec.from_dict`` of ``tune`` takes, ``config`` the settings of the winner,
    ``evidence`` why it won; ``trials`` are as ``Trial.to_dict`` wrote them.
    """

    spec: dict[str, Any]
    config: dict[str, Any]
    evidence: str = ""
    trials: tuple[dict[str, Any], ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.spec.get("name"), str):
            raise ValueError(f"spec.name: expected text, found {self.spec.get('name')!r}")

    @property
    def name(self) -> str:
        """The name of the data."""
        return str(self.spec["name"])


File = TypeVar("File", RunFile, ComparisonFile, ModelFile, StudyFile)
_CONTENT = {
    RunFile: "the result of a run",
    ComparisonFile: "the result of a comparison",
    ModelFile: "the card of a model",
    StudyFile: "the result of a study",
}


def read_json(kind: type[File], file: Path, **defaults: object) -> File:
    """Read and check a JSON file.

    Args:
        kind: The class of the content.
        file: The path of the file.
        defaults: Values of fields that the file does not have.

    Raises:
        DataError: The file is missing or has other content; names the field and its value.
    """
    return read_raw(kind, file, **defaults)[1]


def read_raw(kind: type[File], file: Path, **defaults: object) -> tuple[dict[str, Any], File]:
    """Read a JSON file: all its content as it is, and what :func:`read_json` makes of it."""
    try:
        value = parse_json(file.read_text(encoding="utf-8"))
        value = {**defaults, **value} if isinstance(value, dict) else value
        return value, from_json(kind, value)
    except FileNotFoundError:
        raise DataError(f"there is no {file.name} here.", path=file.parent) from None
    except OSError as error:
        raise DataError(f"it cannot be read ({error.strerror}).", path=file) from None
    except (ValueError, RecursionError) as error:
        raise DataError(f"this is not {_CONTENT[kind]} ({error}).", path=file) from None
