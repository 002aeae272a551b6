"""``s2n tune``: search settings on validation."""

from __future__ import annotations

import shlex
import time
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import ConfigError, Sub2NodeError
from .output import (
    AsJson,
    Compiled,
    Conv,
    Device,
    Structure,
    console,
    errors,
    given,
    print_json,
    progress,
    say,
    table,
)
from .reading import Reading, reads_data
from .tables import Tables

if TYPE_CHECKING:
    from ..task import SubgraphTask
    from ..tune import Found, Spec, Study, Trial

_LINGER = 2.0  # seconds that a shared study stays for workers to see its end


@reads_data
def tune(
    reading: Reading,
    context: typer.Context,
    structure: Structure = None,
    conv: Conv = None,
    trials: Annotated[
        int | None,
        typer.Option("--trials", help="Points to try, in all.", show_default="100"),
    ] = None,
    seeds: Annotated[int, typer.Option("--seeds", help="Replicas of a trial.")] = 10,
    space: Annotated[
        str,
        typer.Option("--space", help="paper, wide (readout, self-loops, scale, … too), or FILE."),
    ] = "paper",
    vary: Annotated[
        list[str] | None,
        typer.Option(
            "--vary",
            help="One more axis: lr=0.001..0.01 log, a=0..4 step 0.5, or readout=sum,degree.",
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="Fix a setting, as in epochs=200; it is not searched."),
    ] = None,
    preset: Annotated[
        str, typer.Option("--preset", help="What is not searched, and the first point: as of run.")
    ] = "default",
    features: Annotated[
        str | None,
        typer.Option("--features", help="As of s2n run.", show_default="searched"),
    ] = None,
    encoding: Annotated[
        str | None, typer.Option("--encoding", help="As of s2n run.", show_default="none")
    ] = None,
    rehearse: Annotated[
        int,
        typer.Option(
            "--rehearse",
            help="Score on parts held out of train and val, over so many splits of them; for a"
            " small validation part.",
        ),
    ] = 0,
    prune: Annotated[
        bool, typer.Option("--prune/--no-prune", help="Give trials up that fall behind.")
    ] = True,
    seed: Annotated[int, typer.Option("--search-seed", help="Of the search itself.")] = 0,
    storage: Annotated[
        str | None,
        typer.Option(
            "--storage",
            help="A journal FILE, postgresql://…, sqlite:///FILE or grpc://HOST:PORT.",
            show_default="a journal in the folder",
        ),
    ] = None,
    study: Annotated[
        str | None,
        typer.Option(
            "--study", help="Its name in the storage.", show_default="DATA STRUCTURE CONV"
        ),
    ] = None,
    worker: Annotated[
        bool,
        typer.Option("--worker", help="Help with the study in --storage, which says all the rest."),
    ] = False,
    share: Annotated[
        str | None,
        typer.Option("--share", help="Let workers elsewhere help: HOST:PORT to listen at (gRPC)."),
    ] = None,
    device: Device = "auto",
    compiled: Compiled = "auto",
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", help="Folder of the study.", show_default="./study"),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the study that is there.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Search settings on validation; the test part is removed from the data first.

    Every trial trains all seeds together and is kept as soon as it ends: Ctrl-C or a crash loses
    the trial in hand, and --resume goes on. The folder gets best.toml (a preset for s2n run),
    trials.csv, study.json and a figure. Start as many more processes as you like on the same
    storage with --worker.

    Example: s2n tune generate:density --structure s2n+a --trials 20 --seeds 3 -o study
    """
    place = _Place(out, storage, study, worker, share, resume)
    tables = Tables(features, encoding, None)
    fixed = tables.with_settings(settings or [])
    if trials is not None and trials < 1:
        raise ConfigError(f"one trial at least is needed, found {trials}.")
    if worker:
        _refuse_options(context, files=tables.files)
    asked = {
        "structure": structure, "conv": conv, "preset": preset, "space": space,
        "vary": _axes(vary or []), "settings": fixed, "seeds": seeds, "rehearse": rehearse,
        "prune": prune, "seed": seed,
    }  # fmt: skip
    from ..evaluate.protocol import split_if_needed

    task, drawn = split_if_needed(tables.read(reading.load()))
    start = time.perf_counter()
    for note in drawn:
        say("Note", note, style="dim", to=errors)
    found = _search(place, task, {**asked, "encodings": tables.encodings}, trials,
                    (device, compiled), start)  # fmt: skip
    if worker:
        say("Done", f"{len(found.trials)} trials have ended.", style="green", to=errors)
    else:
        _finish(found, place, _next(context), as_json)
    if share is not None:
        time.sleep(_LINGER)
    if found.ended == "interrupted":
        say("Stopped", "--resume goes on.", style="yellow", to=errors)
        raise typer.Exit(130)


def _axes(words: list[str]) -> dict[str, Any]:
    from ..tune.space import parse_axis

    axes: dict[str, Any] = {}
    for text in words:
        name, axis = parse_axis(text)
        if name in axes:
            raise ConfigError(f"{name} is varied twice.")
        axes[name] = axis
    return axes


_OF_A_WORKER = {"data", "worker", "storage", "study", "device", "compiled", "out", "context"}


def _refuse_options(context: typer.Context, *, files: set[str]) -> None:
    """A worker is told about its data, and takes all the rest from the study."""
    own = _OF_A_WORKER | {item.name for item in fields(Reading)} | files
    for parameter in context.command.params:
        if parameter.name not in own and given(context, str(parameter.name)):
            raise ConfigError(
                f"a worker takes everything but the data from the study; leave out"
                f" {parameter.opts[0]}."
            )


def _next(context: typer.Context) -> str:
    """The options that name data, as they were given."""
    words = [shlex.quote(str(context.params["data"]))]
    named = {item.name for item in fields(Reading)} | {"features", "encoding"}
    for parameter in context.command.params:
        name = str(parameter.name)
        if name == "data" or name not in named or not given(context, name):
            continue
        value = context.params[name]
        if name in ("features", "encoding") and "." not in str(value):
            continue  # the preset says it; files are named again
        if isinstance(value, bool):
            words.append(parameter.opts[0] if value else parameter.secondary_opts[0])
            continue
        for each in value if isinstance(value, list) else [value]:
            words += [parameter.opts[0], shlex.quote(str(each))]
    return " ".join(words)


@dataclass
class _Place:
    """Where the study is kept."""

    out: Path | None
    storage: str | None
    study: str | None
    worker: bool
    share: str | None
    resume: bool

    def __post_init__(self) -> None:
        from ..files import require_writable

        if self.worker:
            if self.storage is None:
                raise ConfigError("a worker needs the storage of the study: --storage URL.")
            if self.share is not None or self.resume:
                raise ConfigError("--share and --resume are for the process that begins a study.")
            return
        self.folder = self.out or Path("study")
        if self.folder.exists() and not self.folder.is_dir():
            raise ConfigError(f"{self.folder} is a file, expected a folder.")
        require_writable(self.folder / "study.json")
        if not self.resume and self.folder.exists() and any(self.folder.iterdir()):
            raise ConfigError(
                f"{self.folder} holds something already; go on with it (--resume), or name a new"
                " folder (-o)."
            )
        if self.resume and not self.folder.exists() and self.storage is None:
            raise ConfigError(f"there is no study in {self.folder} to go on with.")
        if self.share is not None and (self.folder / "journal.log").exists():
            raise ConfigError(
                f"{self.folder} has a journal, which cannot be shared over gRPC; let workers on the"
                " same disk help (--worker --storage), or begin a new study with --share."
            )

    @property
    def url(self) -> str:
        """Of the storage; one that is shared is a database."""
        if self.storage is not None:
            return self.storage
        if self.share is not None or (self.folder / "study.sqlite").exists():
            return f"sqlite:///{self.folder / 'study.sqlite'}"
        return str(self.folder / "journal.log")

    def begin(self, spec: Spec, trials: int | None) -> Study:
        """The study, new or gone on with."""
        from ..tune import Study
        from ..tune.storage import host_and_port, mend_journal, open_storage, share

        if self.share is not None:
            host_and_port(self.share)
        if self.share is not None and "://" not in self.url:
            raise ConfigError(
                "a journal cannot be shared over gRPC; leave --storage out, or give a database."
            )
        self.folder.mkdir(parents=True, exist_ok=True)
        if self.resume and "://" not in self.url:
            mend_journal(Path(self.url))
        storage = open_storage(self.url)
        found = Study.create(
            spec, self.url, trials=trials, resume=self.resume, name=self.study, storage=storage,
            folder=self.folder,
        )  # fmt: skip
        if self.share is not None:
            share(storage, self.share)
            host, port = host_and_port(self.share)
            where = f"{'THIS_MACHINE' if host in ('0.0.0.0', '::') else host}:{port}"
            say("Sharing", f"help with: s2n tune DATA --worker --storage grpc://{where}",
                style="green", to=errors)  # fmt: skip
        return found


def _search(
    place: _Place, task: SubgraphTask, asked: dict[str, Any], trials: int | None,
    machine: tuple[str, Any], start: float,
) -> Found:  # fmt: skip
    """Open the study, after all that could be refused was looked at, and work on it."""
    from ..tune import Objective, Study, make_spec

    joined = Study.join(place.url, place.study, place.out) if place.worker else None
    spec = make_spec(task, **asked) if joined is None else joined.spec
    objective = Objective(task, spec.seeds, spec.rehearse, *machine, asked["encodings"])
    objective.require(spec, place.url)
    study = joined or place.begin(spec, trials)
    known = study.found(weigh=False)
    best = (known.best.value or 0.0) if known.count("complete") else 0.0

    def tell(trial: Trial) -> None:
        nonlocal best
        if trial.state == "complete" and (trial.value or 0.0) > best:
            best = trial.value or 0.0
            text = f"trial {trial.number}: {100 * best:.1f} ± {100 * trial.sd:.1f}"
            say("Best so far", text, style="green", to=errors)
        elif trial.state == "failed":
            say("Failed", f"trial {trial.number}: {trial.reason}", style="yellow", to=errors)

    with progress():
        ended = study.work(objective, wait=not place.worker, tell=tell)
    seconds = time.perf_counter() - start
    return study.found(seconds=seconds, ended=ended, weigh=not place.worker)


def _finish(found: Found, place: _Place, data: str, as_json: bool) -> None:
    if not found.count("complete"):
        if found.ended == "interrupted":
            return
        raise Sub2NodeError("no trial was completed; the reasons are above.")
    print_json(found.to_dict()) if as_json else _show(found)
    found.save(place.folder)
    _draw(found, place.folder)
    if not as_json:
        say("Wrote", str(place.folder), style="green")
        say("Next", f"s2n run {data} --preset {place.folder / 'best.toml'}", style="bold")


def _show(found: Found) -> None:
    best, spec, config = found.best, found.spec, found.spec.config
    title = f"{spec.name or 'This task'}, {config.structure} {config.conv}: the best of the search"
    view = table(title, "Setting", "Best", "Searched", "Importance")
    view.columns[0].no_wrap = True
    order = list(found.importance) or list(spec.space.axes)
    for name in [*order, *(axis for axis in spec.space.axes if axis not in order)]:
        share = found.importance.get(name)
        words = "-" if share is None else f"{100 * share:.0f} %"
        view.add_row(name, _value(best.point[name]), str(spec.space.axes[name]), words)
    console.print(view)
    many = f"{len(found.trials)} trials, {found.count('pruned')} given up early"
    failed = f", {found.count('failed')} failed" if found.count("failed") else ""
    kind = "held-out" if spec.rehearse else "validation"
    score = f"{100 * (best.value or 0):.1f} ± {100 * best.sd:.1f} (n = {len(best.values)})"
    say("Best", f"{kind} micro-F1 {score}, trial {best.number}", style="bold")
    say(
        "Trials",
        f"{many}{failed}; {found.seconds:.0f} s here, {100 * found.overhead:.0f} % of the trials'"
        " time outside epochs",
        style="bold",
    )
    for note in found.notes:
        say("Note", note, style="dim")


def _value(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value).lower()


def _draw(found: Found, folder: Path) -> None:
    from ..errors import MissingExtraError
    from ..report.figures import save_figure
    from ..report.tuning import study_figure

    try:
        if why := save_figure(study_figure(found), folder / "search"):
            say("Note", why, style="dim", to=errors)
    except MissingExtraError as error:
        say("Note", f"no figure was drawn: {error}", style="dim", to=errors)
