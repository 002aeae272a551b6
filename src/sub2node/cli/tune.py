"""``s2n tune``: search settings on validation."""

from __future__ import annotations

import shlex
import time
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..base.errors import ConfigError
from ..base.plural import plural
from .data_arguments import DataArguments, reads_data
from .feature_arguments import FeatureArguments
from .help_text import MODEL
from .options import (
    AsJson,
    ChangedSettings,
    Compile,
    Conv,
    Device,
    Features,
    Groups,
    NodeEncoding,
    Preset,
    Resume,
    Seeds,
    Structure,
    is_given,
    out_option,
)
from .output import errors, progress, say, show_notes
from .search_report import finish_search
from .study_place import StudyPlace

if TYPE_CHECKING:
    from ..config.settings import Settings
    from ..task import SubgraphTask
    from ..tune import SearchResult, Trial
    from ..tune.search_space import Axis

_SEARCH, _WORKERS = "Search", "Several processes"  # groups of options in the help
_PAPER_TRIALS = 400
_LINGER = 2.0  # seconds that a shared study stays for workers to see its end


@reads_data
def tune(
    source: DataArguments,
    *,
    context: typer.Context,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            help="A baseline with a training loop instead of a structure: glass, subgnn, …",
            metavar="NAME",
            rich_help_panel=MODEL,
        ),
    ] = None,
    structure: Structure = None,
    conv: Conv = None,
    trials: Annotated[
        str | None,
        typer.Option(
            "--trials",
            metavar="N|paper",
            help="Points to try in all; paper: 400, as the authors of S2N.",
            show_default="100",
            rich_help_panel=_SEARCH,
        ),
    ] = None,
    seeds: Seeds = 10,
    space: Annotated[
        str,
        typer.Option(
            "--space",
            help="What to search: paper, wide (readout, self-loops, scale, … too), or a TOML file.",
            rich_help_panel=_SEARCH,
        ),
    ] = "paper",
    vary: Annotated[
        list[str] | None,
        typer.Option(
            "--vary",
            metavar="NAME=RANGE",
            help="Search one more setting: lr=0.001..0.01 log, a=0..4 step 0.5, or"
            " readout=sum,degree; repeatable.",
            rich_help_panel=_SEARCH,
        ),
    ] = None,
    settings: ChangedSettings = None,
    preset: Preset = "default",
    features: Features = None,
    encoding: NodeEncoding = None,
    rehearse: Annotated[
        int,
        typer.Option(
            "--rehearse",
            help="Score on parts held out of train and val, over this many splits of them; for a"
            " small validation part.",
            rich_help_panel=_SEARCH,
        ),
    ] = 0,
    confirm: Annotated[
        int,
        typer.Option(
            "--confirm",
            help="Then score the best 5 trials, and what the search began with, on this many"
            " further splits of train and val; the best of these wins.",
            rich_help_panel=_SEARCH,
        ),
    ] = 0,
    groups: Groups = None,
    prune: Annotated[
        bool,
        typer.Option(
            "--prune/--no-prune", help="Stop trials that fall behind.", rich_help_panel=_SEARCH
        ),
    ] = True,
    seed: Annotated[
        int,
        typer.Option("--search-seed", help="Seed of the search itself.", rich_help_panel=_SEARCH),
    ] = 0,
    storage: Annotated[
        str | None,
        typer.Option(
            "--storage",
            help="Where trials are kept: a journal FILE, postgresql://…, sqlite:///FILE or"
            " grpc://HOST:PORT.",
            show_default="a journal in the folder",
            rich_help_panel=_WORKERS,
        ),
    ] = None,
    study: Annotated[
        str | None,
        typer.Option(
            "--study",
            help="Name of the study in the storage.",
            show_default="DATA STRUCTURE CONV, or DATA MODEL",
            rich_help_panel=_WORKERS,
        ),
    ] = None,
    worker: Annotated[
        bool,
        typer.Option(
            "--worker",
            help="Work on the study in --storage, which knows everything but DATA.",
            rich_help_panel=_WORKERS,
        ),
    ] = False,
    share: Annotated[
        str | None,
        typer.Option(
            "--share",
            metavar="HOST:PORT",
            help="Let workers on other machines help: the address to listen at (gRPC).",
            rich_help_panel=_WORKERS,
        ),
    ] = None,
    device: Device = "auto",
    compiled: Compile = "auto",
    out: Annotated[Path | None, out_option("Folder of the study.", show_default="./study")] = None,
    resume: Resume = False,
    as_json: AsJson = False,
) -> None:
    """Search settings on validation; the test part is removed first.

    Examples:
        s2n tune my-folder --trials 50 -o my-study
        s2n run my-folder --preset my-study/best.toml
        s2n tune my-folder --model glass --trials 50 -o glass-study
        s2n tune my-folder --rehearse 5 --groups publication --confirm 20

    Every trial trains all seeds together and is kept as soon as it ends: Ctrl-C or a crash loses
    the trial in hand, and --resume goes on. What --set fixes is not searched; the preset says what
    is not searched, and is the first point. The folder gets best.toml (a preset for s2n run),
    trials.csv, study.json and a figure. Start as many more processes as you like on the same
    storage with --worker.
    """
    from ..tune.study_spec import settings_of
    from ..tune.study_storage import require_optuna

    require_optuna()  # before a folder is made
    place = StudyPlace(out, storage, study, worker, share, resume)
    feature_arguments = FeatureArguments(features, encoding)
    fixed = feature_arguments.with_settings(settings or [], kinds=[settings_of(model or "")])
    wanted = None if trials is None else _read_trials(trials)
    if worker:
        _refuse_options(context, feature_arguments.file_options)
    request: dict[str, Any] = {
        "model": model,
        "structure": structure,
        "conv": conv,
        "preset": preset,
        "space": space,
        "vary": _parse_axes(vary or [], settings_of(model or "")),
        "settings": fixed,
        "seeds": seeds,
        "rehearse": rehearse,
        "groups": _kept_together(groups, source.split_by, splits=rehearse or confirm),
        "prune": prune,
        "seed": seed,
    }
    from ..base.notes import data_changes
    from ..evaluate.protocol import split_if_needed

    task, split_notes = split_if_needed(feature_arguments.read(source.load()))
    start = time.perf_counter()
    show_notes(split_notes, to=errors)
    if (rehearse or confirm) and request["groups"] is None:
        _warn_of_groups(task)
    changes = (*data_changes(task.notes), *split_notes)
    request["encodings"] = feature_arguments.encodings
    search = _Search(task, request, wanted, device, compiled, confirm, start)
    outcome = search.run(place)
    outcome = replace(outcome, notes=(*changes, *outcome.notes))
    if worker:
        say("Done", f"{plural(len(outcome.trials), 'trial')} ended.", style="green", to=errors)
    else:
        data = _data_words(context)
        finish_search(outcome, place.folder, data=data, shown=changes, as_json=as_json)
    if share is not None:
        time.sleep(_LINGER)
    if outcome.ended == "interrupted":
        say("Stopped", "--resume goes on.", style="yellow", to=errors)
        raise typer.Exit(130)


def _kept_together(groups: str | None, split_by: str | None, *, splits: int) -> str | None:
    """The column that splits of train and val keep together: --groups, else --split-by."""
    if groups is not None and not splits:
        raise ConfigError(
            "--groups is for splits of train and val: search with --rehearse or --confirm too, or"
            " omit it."
        )
    if groups is None and split_by is not None and splits:
        text = f"splits of train and val keep subgraphs of one {split_by} together, as --split-by."
        say("Note", text, style="dim", to=errors)
    return groups if groups is not None or not splits else split_by


def _warn_of_groups(task: SubgraphTask) -> None:
    """Say where splits of train and val mix what the split of the data keeps apart."""
    from ..task.attribute_splits import kept_attributes

    for name in kept_attributes(task):
        text = (
            f"the split has no value of '{name}' in two parts, but splits of train and val may"
            f" have; --groups {shlex.quote(name)} keeps them together."
        )
        say("Warning", text, style="yellow", to=errors)


def _read_trials(text: str) -> int:
    """The number of trials, or that of the paper."""
    if text == "paper":
        return _PAPER_TRIALS
    if not (text.isascii() and text.removeprefix("-").isdecimal()):
        raise ConfigError(f"--trials is a whole number or the word paper, found {text!r}.")
    if int(text) < 1:
        raise ConfigError(f"one trial at least is needed, found {text}.")
    return int(text)


def _parse_axes(texts: list[str], settings: type[Settings]) -> dict[str, Axis]:
    from ..tune.search_space import parse_axis

    axes: dict[str, Axis] = {}
    for text in texts:
        name, axis = parse_axis(text, settings)
        if name in axes:
            raise ConfigError(f"{name} is varied twice.")
        axes[name] = axis
    return axes


_OF_A_WORKER = {"data", "worker", "storage", "study", "device", "compiled", "out", "context"}


def _refuse_options(context: typer.Context, file_options: set[str]) -> None:
    """A worker is told about its data, and takes all the rest from the study."""
    accepted = _OF_A_WORKER | {item.name for item in fields(DataArguments)} | file_options
    for parameter in context.command.params:
        if parameter.name not in accepted and is_given(context, str(parameter.name)):
            raise ConfigError(
                f"a worker takes everything but the data from the study; omit {parameter.opts[0]}."
            )


def _data_words(context: typer.Context) -> str:
    """The options that name data, as they were given."""
    words = [shlex.quote(str(context.params["data"]))]
    naming = {item.name for item in fields(DataArguments)} | {"features", "encoding"}
    for parameter in context.command.params:
        name = str(parameter.name)
        if name == "data" or name not in naming or not is_given(context, name):
            continue
        value = context.params[name]
        if name in ("features", "encoding") and "." not in str(value):
            continue  # the preset says it; files are named again
        if isinstance(value, bool):
            words.append(parameter.opts[0] if value else parameter.secondary_opts[0])
            continue
        for item in value if isinstance(value, list) else [value]:
            words += [parameter.opts[0], shlex.quote(str(item))]
    return " ".join(words)


@dataclass
class _Search:
    """What to search, and on what machine.

    Args:
        task: The data.
        request: The arguments of ``make_spec``.
        trials: How many trials in all; None: as the study says.
        device: ``auto``, ``cpu`` or ``cuda``.
        compile: ``auto`` or ``off``.
        confirm: Further splits on which the best trials are scored again; 0: none.
        start: When the search began.
    """

    task: SubgraphTask
    request: dict[str, Any]
    trials: int | None
    device: str
    compile: str
    confirm: int
    start: float

    def run(self, place: StudyPlace) -> SearchResult:
        """Open the study, after all that could be refused was looked at, and work on it."""
        from ..tune import Objective, Study, confirm, fresh_objective, make_spec

        joined = Study.join(place.url, place.study, place.out) if place.worker else None
        spec = make_spec(self.task, **self.request) if joined is None else joined.spec
        objective = Objective(
            self.task,
            spec.seeds,
            spec.rehearse,
            device=self.device,
            compile=self.compile,  # type: ignore[arg-type]  # checked there
            encodings=self.request["encodings"],
            baseline=spec.baseline,
            groups=spec.groups,
        )
        fresh = fresh_objective(objective, spec, self.confirm) if self.confirm else None
        objective.require(spec, place.url)
        study = joined or place.begin(spec, self.trials)
        before = study.result(weigh=False)
        best = (before.best.value or 0.0) if before.count("complete") else 0.0

        def report(trial: Trial) -> None:
            nonlocal best
            if trial.state == "complete" and (trial.value or 0.0) > best:
                best = trial.value or 0.0
                text = f"trial {trial.number}: {trial.score_text}"
                say("Best so far", text, style="green", to=errors)
            elif trial.state == "failed":
                say("Failed", f"trial {trial.number}: {trial.reason}", style="yellow", to=errors)

        with progress():
            ended = study.work(objective, wait=not place.worker, tell=report)
        seconds = time.perf_counter() - self.start
        result = study.result(seconds=seconds, ended=ended, weigh=not place.worker)
        if fresh is None or ended != "complete" or not result.count("complete"):
            return result
        with progress():
            return confirm(result, fresh)
