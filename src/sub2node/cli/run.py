"""``s2n run``: train, choose on validation, test once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import ConfigError, Sub2NodeError
from .output import AsJson, errors, print_json, progress, say
from .reading import Reading, reads_data
from .results import show_comparison, show_result, tested_against
from .tables import Tables

if TYPE_CHECKING:
    from ..evaluate import Result
    from ..task import SubgraphTask

_STATES = ("*.safetensors", "*.safetensors.new")


@reads_data
def run(
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
        str | None,
        typer.Option(
            "--conv",
            help="gcn, gcn2, gin, gatv2, sage, or module:Class of another.",
            show_default="gcn2",
        ),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Compare all structures and simple models.")
    ] = False,
    preset: Annotated[
        str,
        typer.Option(
            "--preset", help="default, fast, paper, paper:NAME, or a TOML file of your own."
        ),
    ] = "default",
    seeds: Annotated[
        int | None,
        typer.Option("--seeds", help="How many.", show_default="10; with --splits 1"),
    ] = None,
    splits: Annotated[
        int, typer.Option("--splits", help="Repeated random splits instead of the given one.")
    ] = 0,
    features: Annotated[
        str | None,
        typer.Option(
            "--features",
            help="What nodes enter with: random, constant, given, link, svd, or FILE[:TABLE].",
            show_default="chosen on validation",
        ),
    ] = None,
    encoding: Annotated[
        str | None,
        typer.Option("--encoding", help="Joins them: rwpe, lappe, structure, or FILE[:TABLE]."),
    ] = None,
    inputs: Annotated[
        str | None,
        typer.Option("--inputs", help="Of subgraphs besides their nodes: structure or wl."),
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="Replace a setting, as in lr=0.01.")
    ] = None,
    coarsen: Annotated[
        str | None,
        typer.Option(
            "--coarsen",
            help="Of CoS2N: METHOD:RATIO of its virtual subgraphs.",
            show_default="variation_edges:0.5",
        ),
    ] = None,
    threshold: Annotated[
        str, typer.Option("--threshold", help="Of multi-label answers: zero, or the best on val.")
    ] = "zero",
    device: Annotated[str, typer.Option("--device", help="auto, cpu or cuda.")] = "auto",
    against: Annotated[
        Path | None, typer.Option("--against", help="The folder of a run to test against.")
    ] = None,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="Run folder to write.")] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the folder.")] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a run into this folder that was killed.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Train a structure over several seeds, choose on validation, test once.

    Ctrl-C ends the training in hand after its epoch and evaluates the best state so far.

    Example: s2n run generate:density --structure s2n+a --conv gcn2 --seeds 3 -o density-run
    """
    if everything and (structure is not None or against is not None):
        raise ConfigError("--all compares all structures; leave out --structure and --against.")
    place = _Place(out, overwrite, resume)
    tables = Tables(features, encoding, inputs)
    plan = _Plan(structure, conv, everything, preset, seeds, splits, settings or [], coarsen,
                 threshold, device, place, tables)  # fmt: skip
    other = plan.other(against)
    task, models = plan.models(tables.read(reading.load()))
    place.claim()
    with progress():
        results = plan.results(task, models)
    _finish(plan, task, results, other, as_json)
    place.leave()
    if out is not None and not as_json:
        say("Wrote", str(out), style="green")


@dataclass
class _Place:
    """The run folder, and beside it the folder of states of a run that is not finished yet."""

    out: Path | None
    overwrite: bool
    resume: bool

    def __post_init__(self) -> None:
        from ..evaluate.store import check_run_folder
        from ..files import require_writable

        if self.out is None:
            if self.resume:
                raise ConfigError("--resume needs the folder of the run: -o FOLDER.")
            return
        check_run_folder(self.out, overwrite=self.overwrite)
        require_writable(self.out)
        if self.states is not None and self.states.exists() and not self.resume:
            if not self.overwrite:
                raise ConfigError(
                    f"{self.states} is left from a run that did not finish, or is still running;"
                    " go on with it (--resume) or start anew (--overwrite)."
                )
            foreign = set(self.states.iterdir()) - set(self._ours())
            if foreign:
                raise ConfigError(f"{self.states} holds {min(foreign).name!r}, which is not ours.")

    @property
    def states(self) -> Path | None:
        """Where states are kept."""
        return None if self.out is None else self.out.with_name(self.out.name + ".checkpoint")

    def _ours(self) -> list[Path]:
        assert self.states is not None
        return [file for pattern in _STATES for file in self.states.glob(pattern)]

    def claim(self) -> None:
        """Take the folder of states, just before the first training."""
        if self.states is not None:
            if not self.resume:
                self.leave()
            self.states.mkdir(parents=True, exist_ok=self.resume)

    def leave(self) -> None:
        """Remove the states, and nothing else."""
        if self.states is not None and self.states.is_dir():
            for file in self._ours():
                file.unlink(missing_ok=True)
            if not any(self.states.iterdir()):
                self.states.rmdir()


@dataclass
class _Plan:
    """Which models to assess, and how."""

    structure: str | None
    conv: str | None
    everything: bool
    preset: str
    count: int | None
    splits: int
    words: list[str]
    coarsen: str | None
    threshold: Any
    device: str
    place: _Place
    tables: Tables

    def __post_init__(self) -> None:
        from ..evaluate.protocol import seed_list

        default = 1 if self.splits else 10
        self.seeds = seed_list(self.count if self.count is not None else default)
        if self.splits == 1 or self.splits < 0:
            raise ConfigError(f"repeated splits are two at least, found {self.splits}.")
        if self.threshold not in ("zero", "val"):
            raise ConfigError(f"a threshold is 'zero' or 'val', not {self.threshold!r}.")
        self.settings = self.tables.with_settings(self.words, self.coarsen)

    def other(self, against: Path | None) -> dict[str, Any] | None:
        """The result to test against, if it can be."""
        from ..evaluate import load_scores

        if against is None:
            return None
        found = load_scores(against)
        if int(found["data"].get("splits", 0)) != self.splits:
            raise ConfigError(
                f"{against} is over {found['data'].get('splits', 0) or 'no'} random splits; run"
                " with the same number of --splits to compare."
            )
        return found

    def models(self, task: SubgraphTask) -> tuple[SubgraphTask, list[tuple[Any, Any, Any]]]:
        """The task with a split; models with the names of their presets and what to know."""
        from ..baselines import SIMPLE
        from ..config import STRUCTURES
        from ..evaluate.models import Simple
        from ..evaluate.protocol import check, network, split_if_needed

        task, drawn = split_if_needed(task)
        if not self.splits:
            check(task)
        drawn = () if self.splits else drawn
        found: list[tuple[Any, Any, Any]] = []
        failed: list[tuple[Any, ConfigError]] = []
        if self.coarsen and task.num_virtual:
            raise ConfigError("the data brings virtual subgraphs; leave the coarsening away.")
        for structure in STRUCTURES if self.everything else (self.structure,):
            bridges = not self.everything or str(structure).startswith("cos2n")
            try:
                model = network(
                    task, structure=structure, conv=self.conv, preset=self.preset,
                    settings=self.settings, coarsen=self.coarsen if bridges else None,
                    device=self.device, encodings=self.tables.encodings,
                    checkpoint=self.place.states, resume=self.place.resume,
                )  # fmt: skip
            except ConfigError as error:
                failed.append((structure, error))
                continue
            found.append(model)
        if not found:
            raise failed[0][1]
        for structure, why in failed:
            say("Beware", f"{structure}: {why}", style="yellow", to=errors)
        simple = [(Simple(model), "", ()) for model in SIMPLE.values()] if self.everything else []
        return task, [(m, name, (*drawn, *notes)) for m, name, notes in [*simple, *found]]

    def results(self, task: SubgraphTask, models: list[tuple[Any, Any, Any]]) -> list[Result]:
        """A result for each model that works, until one is interrupted."""
        results: list[Result] = []
        for model, name, notes in models:
            try:
                result = self._assess(task, model)
            except Sub2NodeError as error:
                if not self.everything:
                    raise
                say("Beware", f"{model.name}: {error}", style="yellow", to=errors)
                continue
            results.append(replace(result, preset=name, notes=(*notes, *result.notes)))
            if result.ended == "interrupted":
                break
        if not results:
            raise Sub2NodeError("no model could be trained on this data.")
        return results

    def _assess(self, task: SubgraphTask, model: Any) -> Result:
        from ..evaluate import assess, over_splits

        if not self.splits:
            return assess(task, model, seeds=self.seeds, threshold=self.threshold)
        return over_splits(
            task, lambda _: model, splits=self.splits, seeds=self.seeds, threshold=self.threshold
        )


def _finish(
    plan: _Plan, task: SubgraphTask, results: list[Result], other: dict[str, Any] | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Show first, then save: scores are not lost with a disk."""
    from ..evaluate import compare
    from ..evaluate.store import save_comparison, save_run

    out, overwrite = plan.place.out, plan.place.overwrite
    if plan.everything:
        comparison = compare(results, paired=plan.splits > 0)
        print_json(comparison.to_dict()) if as_json else show_comparison(comparison)
        if out is not None:
            save_comparison(comparison, task, out, overwrite=overwrite)
        return
    tested = None if other is None else tested_against(results[0], other)
    if as_json:
        print_json({**results[0].to_dict(), **({"against": tested} if tested else {})})
    else:
        show_result(results[0], tested)
    if out is not None:
        save_run(results[0], task, out, overwrite=overwrite)
