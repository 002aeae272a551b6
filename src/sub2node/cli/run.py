"""``s2n run``: train, choose on validation, test once."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import ConfigError
from .output import AsJson, print_json, progress, say
from .reading import Reading, reads_data
from .results import show_comparison, show_result, tested_against

if TYPE_CHECKING:
    from ..evaluate import Result
    from ..task import SubgraphTask


@reads_data
def run(
    reading: Reading,
    structure: Annotated[
        str, typer.Option("--structure", help="separated, connected, s2n+0 or s2n+a.")
    ] = "s2n+a",
    conv: Annotated[
        str,
        typer.Option("--conv", help="gcn, gcn2, gin, gatv2, sage, or module:Class of another."),
    ] = "gcn2",
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
        int | None, typer.Option("--seeds", help="How many. [default: 10; with --splits 1]")
    ] = None,
    splits: Annotated[
        int, typer.Option("--splits", help="Repeated random splits instead of the given one.")
    ] = 0,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="Replace a setting, as in lr=0.01.")
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
    from ..evaluate import compare
    from ..evaluate.store import check_run_folder, load_scores, save_comparison, save_run

    if out is not None:
        check_run_folder(out, overwrite=overwrite)
    checkpoint = _checkpoint(out, overwrite=overwrite, resume=resume)
    other = None if against is None else load_scores(against)
    task = reading.load()
    plan = _Plan(structure, conv, preset, seeds, splits, settings, threshold, device,
                 checkpoint, resume)  # fmt: skip
    with progress():
        task, results = plan.results(task, everything)
    if everything:
        comparison = compare(results, paired=splits > 0)
        if out is not None:
            save_comparison(comparison, task, out, overwrite=overwrite)
        print_json(comparison.to_dict()) if as_json else show_comparison(comparison)
    else:
        if out is not None:
            save_run(results[0], task, out, overwrite=overwrite)
        tested = None if other is None else tested_against(results[0], other)
        if as_json:
            print_json({**results[0].to_dict(), **({"against": tested} if tested else {})})
        else:
            show_result(results[0], tested)
    if checkpoint is not None:
        shutil.rmtree(checkpoint, ignore_errors=True)
    if out is not None and not as_json:
        say("Wrote", str(out), style="green")


class _Plan:
    """Which models to assess, and how."""

    def __init__(
        self, structure: str, conv: str, preset: str, seeds: int | None, splits: int,
        settings: list[str] | None, threshold: str, device: str, checkpoint: Path | None,
        resume: bool,
    ) -> None:  # fmt: skip
        from ..config import parse_setting
        from ..evaluate.protocol import seed_list

        self.structure, self.conv, self.preset = structure, conv, preset
        count = seeds if seeds is not None else (1 if splits else 10)
        self.seeds, self.splits = seed_list(count), splits
        self.settings = dict(parse_setting(text) for text in settings or [])
        for name in ("structure", "conv"):
            if name in self.settings:
                raise ConfigError(f"the {name} is chosen with --{name}.")
        self.threshold: Any = threshold
        self.options = {"device": device, "checkpoint": checkpoint, "resume": resume}

    def results(self, task: SubgraphTask, everything: bool) -> tuple[SubgraphTask, list[Result]]:
        """The task as it was used, and a result for each model."""
        from ..baselines import SIMPLE
        from ..config import STRUCTURES
        from ..evaluate.models import Simple
        from ..evaluate.protocol import network, split_if_needed

        task, drawn = split_if_needed(task)
        chosen = STRUCTURES if everything else (self.structure,)
        found = [
            network(task, structure=structure, conv=self.conv, preset=self.preset,
                    settings=self.settings, **self.options)  # type: ignore[arg-type]
            for structure in chosen
        ]  # fmt: skip
        simple = [(Simple(model), "", ()) for model in SIMPLE.values()] if everything else []
        results = []
        for model, name, notes in [*simple, *found]:
            result = self._assess(task, model)
            every = (*drawn, *notes, *result.notes)
            results.append(replace(result, preset=name, notes=every))
            if result.ended == "interrupted":
                break
        return task, results

    def _assess(self, task: SubgraphTask, model: Any) -> Result:
        from ..evaluate import assess, over_splits

        if not self.splits:
            return assess(task, model, seeds=self.seeds, threshold=self.threshold)
        return over_splits(
            task, lambda _: model, splits=self.splits, seeds=self.seeds, threshold=self.threshold
        )


def _checkpoint(out: Path | None, *, overwrite: bool, resume: bool) -> Path | None:
    """The folder of states of a run that is not finished yet, beside the run folder."""
    if out is None:
        if resume:
            raise ConfigError("--resume needs the folder of the run: -o FOLDER.")
        return None
    folder = out.with_name(out.name + ".checkpoint")
    if folder.exists() and not resume:
        if not overwrite:
            raise ConfigError(
                f"{folder} is left from a run that did not finish; go on with it (--resume) or"
                " start anew (--overwrite)."
            )
        shutil.rmtree(folder, ignore_errors=True)
    return folder
