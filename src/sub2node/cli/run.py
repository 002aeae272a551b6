"""``s2n run``: train, choose on validation, test once."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..base.errors import ConfigError, Sub2NodeError
from ..base.progress import counted
from ..base.records import JsonObject
from ..base.threshold import ThresholdWord, read_threshold
from .data_arguments import DataArguments, reads_data
from .feature_arguments import FeatureArguments
from .help_text import EVALUATION, MODEL
from .options import (
    AsJson,
    ChangedSettings,
    Coarsen,
    Compile,
    Conv,
    Device,
    Features,
    Groups,
    NodeEncoding,
    OptionalSeeds,
    Overwrite,
    Positive,
    Preset,
    Resume,
    Structure,
    SubgraphInputs,
    Threshold,
    minutes_option,
    out_option,
    parse_shares,
)
from .output import print_json, progress, say, warn
from .requested_models import RequestedModels, model_names
from .result_tables import compare_with_run, show_comparison, show_result
from .run_output import RunOutput

if TYPE_CHECKING:
    from ..evaluate import Result
    from ..models.interface import Model, ModelSpec
    from ..runs import RunFile
    from ..task import SubgraphTask

_MOST_SPLITS = 10_000


@reads_data
def run(
    source: DataArguments,
    *,
    models: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            help="Another model: best, hops, bag, diffused-bag, statistics, gbdt, wl, s2n-kernel,"
            " majority, glass, gnn-plain, gnn-seg, subgnn or sub2vec; repeatable, to compare.",
            metavar="NAME",
            rich_help_panel=MODEL,
        ),
    ] = None,
    structure: Structure = None,
    conv: Conv = None,
    all_models: Annotated[
        bool,
        typer.Option("--all", help="Compare all structures and models.", rich_help_panel=MODEL),
    ] = False,
    preset: Preset = "default",
    seeds: OptionalSeeds = None,
    splits: Annotated[
        int,
        typer.Option(
            "--splits",
            help="Repeat it on this many random splits, instead of the one split of the data.",
            rich_help_panel=EVALUATION,
        ),
    ] = 0,
    parts: Annotated[
        str | None,
        typer.Option(
            "--parts",
            help="Shares of train/val/test in random splits, as 50/25/25.",
            show_default="as in the data",
            rich_help_panel=EVALUATION,
        ),
    ] = None,
    features: Features = None,
    encoding: NodeEncoding = None,
    inputs: SubgraphInputs = None,
    settings: ChangedSettings = None,
    coarsen: Coarsen = None,
    threshold: Threshold = "half",
    positive: Positive = None,
    groups: Groups = None,
    minutes: Annotated[
        float | None, minutes_option("How long --model best may take for each split (5).")
    ] = None,
    device: Device = "auto",
    compiled: Compile = "auto",
    against: Annotated[
        Path | None,
        typer.Option(
            "--against",
            metavar="RUN",
            help="Folder of an earlier run to test this one against.",
            rich_help_panel=EVALUATION,
        ),
    ] = None,
    out: Annotated[Path | None, out_option("Run folder to write.")] = None,
    overwrite: Overwrite = False,
    resume: Resume = False,
    as_json: AsJson = False,
) -> None:
    """Train with several seeds, test once, and compare models.

    Examples:
        s2n run my-folder -o my-run
        s2n run sets.gmt --graph edges.tsv --labels labels.csv --all

    Settings are chosen on validation. Without options the model is S2N+A with the GCNII
    convolution. Of several models, each takes the settings that it has. Ctrl-C ends the training in
    hand after its epoch and evaluates the best state so far.
    """
    from ..config.best_settings import NAME as BEST

    names = model_names(models or [], structure, all_models=all_models)
    if len(names) > 1 and against is not None:
        raise ConfigError("--against is for one model; omit it where several are compared.")
    output = RunOutput(out, overwrite, resume)
    feature_arguments = FeatureArguments(features, encoding, inputs)
    requested = RequestedModels(
        names=names,
        conv=conv,
        preset=preset,
        changes=settings or [],
        coarsen=coarsen,
        device=device,
        compile=compiled,
        output=output,
        features=feature_arguments,
        groups=source.fold_groups(groups) if BEST in names else groups,
        minutes=minutes,
    )
    if splits and source.split_time is not None:
        raise ConfigError("repeated splits are random, a split by time is one; omit --splits.")
    plan = _AssessmentPlan(
        requested,
        seeds,
        splits,
        parts,
        read_threshold(threshold),
        positive,
        split_by=source.split_by,
    )
    other_run = plan.read_other_run(against)
    task, specs = plan.find_models(feature_arguments.read(source.load()))
    with output.claim_states(), progress():
        results = plan.assess_models(task, specs)
    results = [_with_command(result, source, plan) for result in results]
    _finish(plan, task, results, other_run=other_run, as_json=as_json)
    output.remove_states()
    if out is not None and not as_json:
        say("Wrote", str(out), style="green")


@dataclass
class _AssessmentPlan:
    """Which models to assess, and how.

    Args:
        requested: The models.
        seed_count: How many seeds; None: ten, or one per split.
        splits: How many random splits; 0: the split of the data.
        parts: Shares of train, val and test in random splits.
        threshold: ``half`` or ``val``.
        positive: The class whose ranking and threshold are scored too.
        split_by: The column whose values stay in one part of random splits.
    """

    requested: RequestedModels
    seed_count: int | None
    splits: int
    parts: str | None
    threshold: ThresholdWord
    positive: str | None = None
    split_by: str | None = None

    def __post_init__(self) -> None:
        from ..evaluate.seeds import seed_list

        default = 1 if self.splits else 10
        self.seeds = seed_list(self.seed_count if self.seed_count is not None else default)
        if self.splits == 1 or not 0 <= self.splits <= _MOST_SPLITS:
            raise ConfigError(
                f"repeated splits are two at least and {_MOST_SPLITS:,} at most, found"
                f" {self.splits:,}."
            )
        self.shares = None if self.parts is None else parse_shares(self.parts, "--parts")
        if self.shares is not None and not self.splits:
            raise ConfigError("--parts is for repeated splits: say --splits 10 too.")

        if self.splits and self.requested.groups and self.split_by is None:
            column = self.requested.groups
            warn(
                f"subgraphs of one {column} are together in folds, not in the parts of random"
                f" splits; --split-by {column} keeps them together there too."
            )

    def read_other_run(self, against: Path | None) -> RunFile | None:
        """The result to test against, if it can be."""
        from ..runs import read_result

        if against is None:
            return None
        other = read_result(against)
        if other.data.splits != self.splits:
            raise ConfigError(
                f"{against} is over {other.data.splits or 'no'} random splits; run"
                " with the same number of --splits to compare."
            )
        return other

    def find_models(self, task: SubgraphTask) -> tuple[SubgraphTask, list[ModelSpec[Model]]]:
        """The task with a split, and the models for it."""
        from ..base.notes import data_changes
        from ..evaluate.positive_class import PositiveClass
        from ..evaluate.protocol import split_if_needed
        from ..task import require_learnable

        changes = data_changes(task.notes)
        PositiveClass.of_task(task, self.positive)  # raises before anything is trained
        groups = self.requested.groups
        by_row = None if groups is None else task.attributes.groups(groups)
        task, split_notes = split_if_needed(task, by_row)
        if not self.splits:
            require_learnable(task)
            changes += split_notes
        specs = self.requested.models(task)
        return task, [replace(spec, notes=(*changes, *spec.notes)) for spec in specs]

    def assess_models(self, task: SubgraphTask, specs: list[ModelSpec[Model]]) -> list[Result]:
        """A result for each model that works, until one is interrupted."""
        results: list[Result] = []
        for spec in counted(specs, "Model", name=lambda spec: spec.model.name, even=False):
            name = spec.model.name
            try:
                result = self._assess(task, spec.model)
            except KeyboardInterrupt:
                if not results:
                    raise
                warn(f"interrupted in {name}; it and those after it are omitted.")
                break
            except Sub2NodeError as error:
                if not self.requested.several:
                    raise
                warn(f"{name}: {error}")
                continue
            notes = (*spec.notes, *result.notes)
            results.append(replace(result, preset=spec.preset_name, notes=notes))
            if result.ended == "interrupted":
                break
        if not results:
            raise Sub2NodeError("no model could be trained on this data.")
        return results

    def _assess(self, task: SubgraphTask, model: Model) -> Result:
        from ..evaluate import assess, over_splits

        if not self.splits:
            return assess(
                task, model, seeds=self.seeds, threshold=self.threshold, positive=self.positive
            )
        return over_splits(
            task,
            lambda _: model,
            splits=self.splits,
            seeds=self.seeds,
            threshold=self.threshold,
            parts=self.shares,
            positive=self.positive,
            groups=self.split_by,
        )


def _with_command(result: Result, source: DataArguments, plan: _AssessmentPlan) -> Result:
    """The result with the data as they were given, so that a report can say how to repeat it."""
    from ..config.best_settings import NAME as BEST

    facts: JsonObject = {"given": source.command_line()}
    if plan.requested.groups is not None and result.model == BEST:
        facts["given"] += f" --groups {shlex.quote(plan.requested.groups)}"
    if plan.parts is not None:
        facts["parts"] = plan.parts
    if files := plan.requested.features.files:
        facts["files"] = files
    return replace(result, data={**result.data, **facts})


def _finish(
    plan: _AssessmentPlan,
    task: SubgraphTask,
    results: list[Result],
    *,
    other_run: RunFile | None,
    as_json: bool,
) -> None:
    """Show first, then save: scores are not lost with a disk."""
    from ..evaluate import compare
    from ..runs import save_comparison, save_run

    out, overwrite = plan.requested.output.out, plan.requested.output.overwrite
    if plan.requested.several:
        comparison = compare(results)
        print_json(comparison.to_dict()) if as_json else show_comparison(comparison, task.notes)
        if out is not None:
            save_comparison(comparison, task, out, overwrite=overwrite)
        return
    tested = None if other_run is None else compare_with_run(results[0], other_run)
    if as_json:
        print_json({**results[0].to_dict(), **({"against": tested} if tested else {})})
    else:
        show_result(results[0], tested, shown=task.notes)
    if out is not None:
        save_run(results[0], task, out, overwrite=overwrite)
