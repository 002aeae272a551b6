"""Run folders as a report reads them: checked once, all on the same data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import ConfigError, DataError, suggest
from ...evaluate.overlap import Overlap
from ...evaluate.significance import Summary, mark, tested
from ...evaluate.store import model_folder
from .schema import ComparisonFile, Picture, RunFile, read_file


@dataclass(frozen=True, eq=False)
class Run:
    """One model's run folder.

    Args:
        path: The folder.
        name: What the report calls it: the model, and the folder where several have that name.
        facts: All of ``result.json``.
        val: Scores by metric.
        test: Likewise.
        per_class: Test F1 by class, in the order of the classes.
        overlap: Of the parts; empty where the folder is older than this report.
        home: Where subgraphs and links lie: the folder itself, or that of its comparison.
        picture: How the S2N graph there was made.
    """

    path: Path
    name: str
    facts: dict[str, Any]
    val: dict[str, Summary]
    test: dict[str, Summary]
    per_class: dict[str, Summary]
    overlap: tuple[Overlap, ...] = ()
    home: Path = field(default_factory=Path)
    picture: dict[str, Any] = field(default_factory=dict)

    @property
    def data(self) -> dict[str, Any]:
        """Name, hash and sizes of the data."""
        return dict(self.facts["data"])

    @property
    def config(self) -> dict[str, Any]:
        """All settings."""
        return dict(self.facts["config"])

    @property
    def simple(self) -> bool:
        """Whether it has no training loop: the models that any other must beat."""
        return "baseline" in self.config and "training" not in self.config

    @property
    def multilabel(self) -> bool:
        """Whether a subgraph may have several labels."""
        return bool(self.data["multilabel"])

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes."""
        return tuple(self.per_class)

    @property
    def seeds(self) -> tuple[int, ...]:
        """One a replica."""
        return tuple(self.facts["seeds"])

    @property
    def splits(self) -> int:
        """Random splits; 0: the given one."""
        return int(self.data["splits"])

    @property
    def score(self) -> Summary:
        """Test micro-F1."""
        return self.test["micro_f1"]

    def against(self, other: Run) -> tuple[float | None, str]:
        """p that both are equally good, and the mark of this one, by the tests of comparisons."""
        p = tested(self.score, other.score, self.data["split"] if self.splits else None)
        return p, "" if p is None else mark(self.score, other.score, p)


@dataclass(frozen=True, eq=False)
class Study:
    """Runs on the same data.

    Args:
        runs: In the order given.
        main: The one that the details are of.
    """

    runs: tuple[Run, ...]
    main: Run

    @cached_property
    def reference(self) -> Run:
        """The best on validation, which the others are tested against."""
        return _best(self.runs)

    @cached_property
    def simple(self) -> Run | None:
        """The best simple model on validation, other than the main one."""
        found = [run for run in self.runs if run.simple and run is not self.main]
        return _best(found) if found else None

    @property
    def drawn(self) -> Run | None:
        """The run whose S2N graph is drawn: the main one's, else the first that has one."""
        found = [run for run in (self.main, *self.runs) if run.picture]
        return found[0] if found else None


def read_study(paths: Sequence[str | Path], *, model: str | None = None) -> Study:
    """Read run folders and comparisons.

    Args:
        paths: Folders that ``s2n run -o`` wrote, all on the same data.
        model: Which one the details are of; by default the best on validation that is not a simple
            model.
    """
    found = [run for path in dict.fromkeys(map(Path, paths)) for run in _folder(path)]
    if not found:
        raise ConfigError("a report needs a run folder at least.")
    for run in found[1:]:
        _check_same(found[0], run)
    runs = _named(found)
    return Study(runs, _main(runs, model))


def _main(runs: tuple[Run, ...], model: str | None) -> Run:
    if model is None:
        return _best([run for run in runs if not run.simple] or runs)
    for run in runs:
        if model in (run.name, run.facts["model"], model_folder(run.facts["model"])):
            return run
    names = [run.name for run in runs]
    raise ConfigError(f"there is no model {model!r} in these runs.{suggest(model, names)}")


def _best(runs: Sequence[Run]) -> Run:
    return runs[int(np.argmax([run.val["micro_f1"].mean for run in runs]))]


def _folder(path: Path) -> list[Run]:
    """The runs in a folder: one, or those of a comparison."""
    if not path.exists():
        raise DataError("there is no such folder.", path=path)
    if (path / "comparison.json").is_file():
        return _comparison(path)
    if path.is_dir() and not (path / "result.json").exists():
        raise DataError(
            "this is no run folder: it has neither result.json nor comparison.json; s2n run DATA -o"
            " FOLDER writes one.",
            path=path,
        )
    run = _run(path if path.is_dir() else path.parent)
    above = run.path.absolute().parent.parent
    if (run.path / "subgraphs.parquet").exists() or not (above / "comparison.json").is_file():
        return [run]
    found = read_file(ComparisonFile, above / "comparison.json", "comparison")
    return [replace(run, home=above, picture=_plain(found.picture))]


def _comparison(path: Path) -> list[Run]:
    found = read_file(ComparisonFile, path / "comparison.json", "comparison")
    homes = [path / "models" / model_folder(row.model) for row in found.models]
    return [replace(_run(home), home=path, picture=_plain(found.picture)) for home in homes]


def _plain(picture: Picture | None) -> dict[str, Any]:
    return {} if picture is None else picture.model_dump()


def _run(path: Path) -> Run:
    if not (path / "result.json").is_file():
        raise DataError("there is no result.json here.", path=path)
    found = read_file(RunFile, path / "result.json", "run", model=path.name)
    facts = found.model_dump()

    def scores(table: dict[str, Any]) -> dict[str, Summary]:
        return {name: Summary.from_dict(value) for name, value in table.items()}

    return Run(
        path=path,
        name=found.model,
        facts=facts,
        val=scores(facts["val"]),
        test=scores(facts["test"]),
        per_class=scores(facts["per_class"]["test"]),
        overlap=tuple(Overlap(**row) for row in facts["overlap"]),
        home=path,
        picture=_plain(found.picture),
    )


def _check_same(first: Run, run: Run) -> None:
    if run.data["hash"] != first.data["hash"]:
        raise DataError(
            f"this run is on other data or another split ({_data(run)}) than {first.path}"
            f" ({_data(first)}); write a report for each.",
            path=run.path,
        )
    if run.splits != first.splits:
        kinds = [
            f"{r.splits} random splits" if r.splits else "the given split" for r in (run, first)
        ]
        raise DataError(
            f"this run is over {kinds[0]}, {first.path} over {kinds[1]}; write a report for each.",
            path=run.path,
        )


def _data(run: Run) -> str:
    return f"{run.data['name'] or 'unnamed'}, hash {str(run.data['hash'])[:12]}"


def _named(runs: Sequence[Run]) -> tuple[Run, ...]:
    """Names that tell the runs apart."""
    often = Counter(run.name for run in runs)
    return tuple(
        replace(run, name=f"{run.name} ({run.path})") if often[run.name] > 1 else run
        for run in runs
    )
