"""``s2n run``: train, choose on validation, test once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import ConfigError, Sub2NodeError
from .asked import Asked, Found, asked_names
from .output import (
    AsJson,
    Compiled,
    Conv,
    Device,
    Structure,
    errors,
    print_json,
    progress,
    say,
)
from .place import Place
from .reading import Reading, reads_data
from .results import show_comparison, show_result, tested_against
from .tables import Tables

if TYPE_CHECKING:
    from ..evaluate import Result
    from ..task import SubgraphTask


@reads_data
def run(
    reading: Reading,
    models: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            help="Another model: glass, gnn-plain, gnn-seg, subgnn, sub2vec, gbdt, bag,"
            " diffused-bag, statistics, wl, s2n-kernel or majority; several are compared.",
        ),
    ] = None,
    structure: Structure = None,
    conv: Conv = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Compare all structures and models.")
    ] = False,
    preset: Annotated[
        str,
        typer.Option(
            "--preset", help="default, fast, paper, tuned, paper:NAME, or a TOML file of your own."
        ),
    ] = "default",
    seeds: Annotated[
        int | None,
        typer.Option("--seeds", help="How many.", show_default="10; with --splits 1"),
    ] = None,
    splits: Annotated[
        int, typer.Option("--splits", help="Repeated random splits instead of the given one.")
    ] = 0,
    parts: Annotated[
        str | None,
        typer.Option(
            "--parts",
            help="Of repeated splits: shares of train/val/test, as 50/25/25.",
            show_default="as given",
        ),
    ] = None,
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
        list[str] | None,
        typer.Option(
            "--set",
            help="Replace a setting, as in lr=0.01; of several models, in those that have it.",
        ),
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
    device: Device = "auto",
    compiled: Compiled = "auto",
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
    """Train a structure or another model over several seeds, choose on validation, test once.

    Ctrl-C ends the training in hand after its epoch and evaluates the best state so far.

    Example: s2n run generate:density --structure s2n+a --conv gcn2 --seeds 3 -o density-run
    """
    names = asked_names(models or [], structure, everything)
    if len(names) > 1 and against is not None:
        raise ConfigError("--against is for one model; leave it out where several are compared.")
    place = Place(out, overwrite, resume)
    tables = Tables(features, encoding, inputs)
    asked = Asked(names, conv, preset, settings or [], coarsen, device, compiled, place, tables)
    plan = _Plan(asked, seeds, splits, parts, threshold)
    other = plan.other(against)
    task, found = plan.models(tables.read(reading.load()))
    with place.claimed(), progress():
        results = plan.results(task, found)
    _finish(plan, task, results, other, as_json)
    place.leave()
    if out is not None and not as_json:
        say("Wrote", str(out), style="green")


@dataclass
class _Plan:
    """Which models to assess, and how."""

    asked: Asked
    count: int | None
    splits: int
    parts: str | None
    threshold: Any

    def __post_init__(self) -> None:
        from ..evaluate.protocol import seed_list

        default = 1 if self.splits else 10
        self.seeds = seed_list(self.count if self.count is not None else default)
        if self.splits == 1 or self.splits < 0:
            raise ConfigError(f"repeated splits are two at least, found {self.splits}.")
        self.shares = None if self.parts is None else _shares(self.parts)
        if self.shares is not None and not self.splits:
            raise ConfigError("--parts is for repeated splits: say --splits 10 too.")
        if self.threshold not in ("zero", "val"):
            raise ConfigError(f"a threshold is 'zero' or 'val', not {self.threshold!r}.")

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

    def models(self, task: SubgraphTask) -> tuple[SubgraphTask, list[Found]]:
        """The task with a split, and the models for it."""
        from ..evaluate.protocol import check, split_if_needed

        task, drawn = split_if_needed(task)
        if self.splits:
            return task, self.asked.models(task)
        check(task)
        return task, [(m, name, (*drawn, *notes)) for m, name, notes in self.asked.models(task)]

    def results(self, task: SubgraphTask, models: list[Found]) -> list[Result]:
        """A result for each model that works, until one is interrupted."""
        results: list[Result] = []
        for model, name, notes in models:
            try:
                result = self._assess(task, model)
            except KeyboardInterrupt:
                if not results:
                    raise
                say("Beware", f"interrupted in {model.name}; it and those after it are left out.",
                    style="yellow", to=errors)  # fmt: skip
                break
            except Sub2NodeError as error:
                if not self.asked.several:
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
            task, lambda _: model, splits=self.splits, seeds=self.seeds, threshold=self.threshold,
            parts=self.shares,
        )  # fmt: skip


def _shares(text: str) -> tuple[float, float, float]:
    """``50/25/25`` as shares of one."""
    try:
        train, val, test = (float(word) for word in text.split("/"))
    except ValueError:
        raise ConfigError(f"--parts is written as 50/25/25, found {text!r}.") from None
    total = train + val + test
    if not (min(train, val, test) > 0 and total < 1e9):
        raise ConfigError(f"each of the --parts is above 0, found {text!r}.")
    return train / total, val / total, test / total


def _finish(
    plan: _Plan, task: SubgraphTask, results: list[Result], other: dict[str, Any] | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Show first, then save: scores are not lost with a disk."""
    from ..evaluate import compare
    from ..evaluate.store import save_comparison, save_run

    out, overwrite = plan.asked.place.out, plan.asked.place.overwrite
    if plan.asked.several:
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
