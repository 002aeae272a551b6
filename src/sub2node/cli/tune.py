"""``s2n tune``: search settings on validation."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import ConfigError, Sub2NodeError
from .output import AsJson, Compiled, Device, console, errors, print_json, progress, say, table
from .reading import Reading, reads_data
from .tables import Tables

if TYPE_CHECKING:
    from ..task import SubgraphTask
    from ..tune import Found, Study, Trial

_LINGER = 2.0  # seconds that a shared study stays for workers to see its end


@reads_data
def tune(
    reading: Reading,
    structure: Annotated[
        str | None,
        typer.Option(
            "--structure",
            help="separated, connected, s2n+0, s2n+a, cos2n+0 or cos2n+a.",
            show_default="s2n+a",
        ),
    ] = None,
    conv: Annotated[
        str | None, typer.Option("--conv", help="As of s2n run.", show_default="gcn2")
    ] = None,
    trials: Annotated[int, typer.Option("--trials", help="Points to try, in all.")] = 100,
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
    if trials < 1:
        raise ConfigError(f"one trial at least is needed, found {trials}.")
    if worker:
        _refuse_options(structure, conv, vary, settings, features, rehearse, space, preset)
    asked = {
        "structure": structure, "conv": conv, "preset": preset, "space": space,
        "vary": _axes(vary or []), "settings": fixed, "seeds": seeds, "rehearse": rehearse,
        "prune": prune, "seed": seed,
    }  # fmt: skip
    from ..evaluate.protocol import split_if_needed

    task, drawn = split_if_needed(tables.read(reading.load()))
    start = time.perf_counter()
    found_study = place.open(task, asked, trials)
    for note in drawn:
        say("Note", note, style="dim", to=errors)
    found = _search(found_study, task, tables.encodings, device, compiled, worker, start)
    if worker:
        say("Done", f"{len(found.trials)} trials have ended.", style="green", to=errors)
    else:
        _finish(found, place, reading.data, as_json)
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


def _refuse_options(*given: Any) -> None:
    if any(value not in (None, [], 0, "paper", "default") for value in given):
        raise ConfigError(
            "a worker takes structure, space and settings from the study; leave those options out."
        )


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

    @property
    def url(self) -> str:
        """Of the storage; one that is shared is a database."""
        if self.storage is not None:
            return self.storage
        if self.share is not None or (self.folder / "study.sqlite").exists():
            return f"sqlite:///{self.folder / 'study.sqlite'}"
        return str(self.folder / "journal.log")

    def open(self, task: SubgraphTask, asked: dict[str, Any], trials: int) -> Study:
        """The study, begun or joined."""
        from ..tune import Study, make_spec
        from ..tune.storage import mend_journal, open_storage, share

        if self.worker:
            return Study.join(self.url, self.study, self.out)
        spec = make_spec(task, **asked)
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
            say("Sharing", f"help with: s2n tune DATA --worker --storage grpc://{self.share}",
                style="green", to=errors)  # fmt: skip
        return found


def _search(
    study: Study, task: SubgraphTask, encodings: Any, device: str, compiled: Any, worker: bool,
    start: float,
) -> Found:  # fmt: skip
    from ..tune import Objective

    spec = study.spec
    objective = Objective(task, spec.seeds, spec.rehearse, device, compiled, encodings)
    best = 0.0

    def tell(trial: Trial) -> None:
        nonlocal best
        if trial.state == "complete" and (trial.value or 0.0) > best:
            best = trial.value or 0.0
            text = f"trial {trial.number}: {100 * best:.1f} ± {100 * trial.sd:.1f}"
            say("Best so far", text, style="green", to=errors)
        elif trial.state == "failed":
            say("Failed", f"trial {trial.number}: {trial.reason}", style="yellow", to=errors)

    with progress():
        ended = study.work(objective, wait=not worker, tell=tell)
    return study.found(seconds=time.perf_counter() - start, ended=ended)


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
