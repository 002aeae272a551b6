"""Run folders, comparisons, models and studies, read and checked."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from ..base.errors import ConfigError, DataError, suggest
from ..base.seals import check_seal
from ..config import Structure
from ..evaluate.significance import SignificanceTest, Summary
from ..evaluate.verdicts import (
    Verdict,
    best_on_validation,
    choose_test,
    compare_models,
    is_simple,
)
from .run_names import distinct_names
from .run_records import (
    ComparisonFile,
    DataFacts,
    ModelFile,
    ModelMember,
    PictureFacts,
    RunFile,
    StudyFile,
    read_json,
    read_raw,
)
from .writer import model_folder


@dataclass(frozen=True, eq=False)
class Run:
    """One model's run folder.

    Args:
        path: The run folder.
        name: Its name in reports: the model, and where several have that name what differs.
        result: The content of ``result.json``.
        home: The folder with subgraphs and links: the run folder, or that of its comparison.
        picture: How the S2N graph in ``home`` was made; None where there is none.
    """

    path: Path
    name: str
    result: RunFile
    home: Path
    picture: PictureFacts | None

    @property
    def data(self) -> DataFacts:
        """Name, hash and sizes of the data."""
        return self.result.data

    @property
    def config(self) -> dict[str, Any]:
        """All settings."""
        return self.result.config

    @property
    def simple(self) -> bool:
        """Whether it has no training loop: the models that any other must beat."""
        return is_simple(self.config)

    @property
    def translated(self) -> bool:
        """Whether the model works on the S2N graph."""
        structure = Structure.parse(str(self.config.get("structure", "")))
        return structure is not None and structure.translated

    @property
    def multilabel(self) -> bool:
        """Whether a subgraph may have several labels."""
        return self.data.multilabel

    @property
    def per_class(self) -> dict[str, Summary]:
        """Test F1 by class, in the order of the classes."""
        return self.result.per_class["test"]

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes."""
        return tuple(self.per_class)

    @property
    def seeds(self) -> tuple[int, ...]:
        """One seed per replica."""
        return self.result.seeds

    @property
    def splits(self) -> int:
        """Number of random splits; 0: the split of the data."""
        return self.data.splits

    @property
    def score(self) -> Summary:
        """Test micro-F1."""
        return self.result.test["micro_f1"]

    def against(self, other: Run) -> Verdict:
        """Whether both are equally good, and the mark of this one."""
        return compare_models(self.result, other.result)


@dataclass(frozen=True, eq=False)
class RunSet:
    """Runs on the same data.

    Args:
        runs: The runs in the order of their folders.
        main: The run that a report details.
    """

    runs: tuple[Run, ...]
    main: Run

    @cached_property
    def reference(self) -> Run:
        """The best on validation, which the others are tested against."""
        return _best_on_validation(self.runs)

    @cached_property
    def counterpart(self) -> Run | None:
        """What the main run is held against: of a network the best simple model on validation, of
        a simple model the best network."""
        candidates = [run for run in self.runs if run.simple != self.main.simple]
        return _best_on_validation(candidates) if candidates else None

    @cached_property
    def best_translated(self) -> Run | None:
        """The best run on validation whose structure is an S2N graph."""
        candidates = [run for run in self.runs if run.translated]
        return _best_on_validation(candidates) if candidates else None

    def place(self, run: Run) -> tuple[int, bool]:
        """The place of a run by its mean on validation, from 1, and whether others share it."""
        own = run.result.val["micro_f1"].mean
        means = [other.result.val["micro_f1"].mean for other in self.runs]
        return 1 + sum(mean > own for mean in means), means.count(own) > 1

    @property
    def drawn(self) -> Run | None:
        """The run whose S2N graph is drawn: the main one's, else the first that has one."""
        drawable = (run for run in (self.main, *self.runs) if run.picture is not None)
        return next(drawable, None)


def read_result(path: str | Path) -> RunFile:
    """Read ``result.json`` of a run.

    Args:
        path: The run folder, or the file.

    Raises:
        DataError: It is not there, or not what a run writes.
    """
    file = _result_file(path)
    return read_json(RunFile, file, model=file.parent.name)


def load_scores(path: str | Path) -> dict[str, Any]:
    """Read ``result.json`` of a run as a dict, with the scores of val and test as :class:`Summary`.

    Args:
        path: The run folder, or the file.

    Raises:
        DataError: It is not there, or not what a run writes.
    """
    file = _result_file(path)
    facts, result = read_raw(RunFile, file, model=file.parent.name)
    return {**facts, "val": result.val, "test": result.test}


def _result_file(path: str | Path) -> Path:
    file = Path(path) if Path(path).is_file() else Path(path) / "result.json"
    check_seal(file.parent, file.name, complete=False)
    return file


def read_study(paths: Sequence[str | Path], *, model: str | None = None, name: str = "") -> RunSet:
    """Read run folders and comparisons.

    Args:
        paths: Folders that ``s2n run -o`` wrote, all on the same data.
        model: Name of the run to detail; by default the best on validation.
        name: What to call the data; by default as the runs do.
    """
    unnamed = [run for path in dict.fromkeys(map(Path, paths)) for run in _read_folder(path)]
    if not unnamed:
        raise ConfigError("a report needs at least one run folder.")
    for run in unnamed[1:]:
        _check_same_data(unnamed[0], run)
    runs = tuple(
        replace(run, name=label, result=_with_data_name(run.result, name))
        for run, label in zip(unnamed, distinct_names(unnamed), strict=True)
    )
    return RunSet(runs, _find_main(runs, model))


def _with_data_name(result: RunFile, name: str) -> RunFile:
    """The result with another name of its data; what repeats the run keeps the old one."""
    if not name:
        return result
    given = result.data.given or shlex.quote(result.data.name or "DATA")
    return replace(result, data=replace(result.data, name=name, given=given))


def _find_main(runs: tuple[Run, ...], model: str | None) -> Run:
    if model is None:
        return _best_on_validation(runs)
    for run in runs:
        own = (run.name, run.result.model, model_folder(run.result.model), str(run.path))
        if model in own:
            return run
    names = [run.name for run in runs]
    raise ConfigError(f"there is no model {model!r} in these runs.{suggest(model, names)}")


def _best_on_validation(runs: Sequence[Run]) -> Run:
    best = best_on_validation([run.result for run in runs])
    return next(run for run in runs if run.result is best)


def _read_folder(path: Path) -> list[Run]:
    """Read the runs in a folder: one, or those of a comparison."""
    if not path.exists():
        raise DataError("there is no such folder.", path=path)
    check_seal(path, "*.json", "*.parquet", complete=False)
    if (path / "comparison.json").is_file():
        comparison = read_json(ComparisonFile, path / "comparison.json")
        homes = [path / "models" / model_folder(model.model) for model in comparison.models]
        return [replace(_read_run(home), home=path, picture=comparison.picture) for home in homes]
    if not path.is_dir() and path.name != "result.json":
        raise DataError(
            "this is a file, expected a folder that s2n run DATA -o FOLDER wrote.", path=path
        )
    if path.is_dir() and not (path / "result.json").exists():
        raise DataError(
            "this is no run folder: it has neither result.json nor comparison.json; s2n run DATA -o"
            " FOLDER writes one.",
            path=path,
        )
    run = _read_run(path if path.is_dir() else path.parent)
    parent = run.path.absolute().parent.parent
    if (run.path / "subgraphs.parquet").exists() or not (parent / "comparison.json").is_file():
        return [run]
    comparison = read_json(ComparisonFile, parent / "comparison.json")
    return [replace(run, home=parent, picture=comparison.picture)]


def _read_run(path: Path) -> Run:
    result = read_result(path)
    return Run(path, result.model, result, home=path, picture=result.picture)


def _check_same_data(first: Run, run: Run) -> None:
    if run.data.hash != first.data.hash:
        raise DataError(
            f"this run is on other data or another split ({_describe_data(run)}) than {first.path}"
            f" ({_describe_data(first)}); write a report for each.",
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
    if run.splits and run.data.split != first.data.split:
        raise DataError(
            f"the random splits of this run have {_describe_parts(run)}, those of {first.path} have"
            f" {_describe_parts(first)}; write a report for each.",
            path=run.path,
        )


def _describe_parts(run: Run) -> str:
    return ", ".join(f"{count:,} {part}" for part, count in run.data.split.items())


def _describe_data(run: Run) -> str:
    return f"{run.data.name or 'unnamed'}, hash {run.data.hash[:12]}"


# What tells of a comparison, a model, a study and a run.
WORK_FILES = ("comparison.json", "model.json", "study.json", "result.json")


@dataclass(frozen=True)
class Work:
    """One model as a folder tells of it, for citations.

    Args:
        kind: ``run`` (also those of a comparison), ``model`` or ``study``; ``data``: no model, but
            a data set by its name.
        config: All settings; of a baseline, with its name under ``baseline``.
        name: The name of the data; may be empty.
        data: Hash and sizes of the data; None where the folder does not have them.
        seeds: The number of networks.
        significance_test: The statistical test against other models; None where there was none.
    """

    kind: Literal["run", "model", "study", "data"]
    config: Mapping[str, object]
    name: str
    data: DataFacts | None = None
    seeds: int = 1
    significance_test: SignificanceTest | None = None

    @property
    def own_bridges(self) -> bool:
        """Whether the data brought virtual subgraphs of its own."""
        return self.data is not None and bool(self.data.split.get("virtual"))


def read_works(path: Path) -> list[Work]:
    """Read the models of a run, a comparison, a model folder or a study.

    Args:
        path: The folder, or the JSON file in it.

    Raises:
        DataError: There is no such folder, or it is none of these.
    """
    folder = path.parent if path.suffix == ".json" else path
    if not folder.is_dir():
        what = "this is a file, expected a folder" if path.is_file() else "there is no such folder"
        raise DataError(f"{what}.", path=path)
    content = next((name for name in WORK_FILES if (folder / name).is_file()), None)
    if content == "comparison.json":
        comparison = read_json(ComparisonFile, folder / content)
        first = comparison.models[0].scored_on
        return [_as_work(model, choose_test(model.scored_on, first)) for model in comparison.models]
    if content == "model.json":
        model = read_json(ModelFile, folder / content)
        data = model.card.data
        single = ModelMember(model.config, model.seeds)
        works = [
            Work("model", member.described, name=data.name, data=data, seeds=len(member.seeds))
            for member in model.members or (single,)
        ]
        if len(works) > 1:
            works.append(Work("model", {"baseline": "best"}, name=data.name, data=data))
        return works
    if content == "study.json":
        study = read_json(StudyFile, folder / content)
        return [Work("study", study.config, name=study.name)]
    if content == "result.json":
        return [_as_work(read_result(folder))]
    raise DataError(
        "this is no run, comparison, model or study: it has none of"
        f" {', '.join(WORK_FILES)}; s2n run, s2n fit and s2n tune write such folders with -o.",
        path=path,
    )


def _as_work(result: RunFile, test: SignificanceTest | None = None) -> Work:
    return Work(
        "run",
        result.config,
        name=result.data.name,
        data=result.data,
        seeds=len(result.seeds),
        significance_test=test,
    )
