"""``s2n fit``: train a model that answers for new subgraphs, and keep it."""

from __future__ import annotations

import shlex
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..base.addresses import is_address
from ..base.errors import ConfigError
from ..base.plural import plural
from ..base.progress import activity
from .data_arguments import DataArguments, question_line, reads_data
from .feature_arguments import FeatureArguments
from .fitted_model import show_fitted_model
from .help_text import MODEL, OUTPUT
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
    Overwrite,
    Positive,
    Preset,
    Seeds,
    Structure,
    SubgraphInputs,
    Threshold,
    minutes_option,
    out_option,
)
from .output import print_json, progress, say
from .requested_models import settings_kind, split_model_name

if TYPE_CHECKING:
    from ..task import SubgraphTask


@reads_data
def fit(
    source: DataArguments,
    *,
    out: Annotated[Path, out_option("Folder to write the model to.", show_default=False)],
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            help="best: an ensemble of several kinds of models within --minutes; or hops, bag,"
            " diffused-bag, statistics, gbdt, wl, majority, or a structure. Others do not answer"
            " for new subgraphs: s2n run compares them.",
            metavar="NAME",
            rich_help_panel=MODEL,
        ),
    ] = None,
    structure: Structure = None,
    conv: Conv = None,
    preset: Preset = "default",
    seeds: Seeds = 5,
    features: Features = None,
    encoding: NodeEncoding = None,
    inputs: SubgraphInputs = None,
    settings: ChangedSettings = None,
    coarsen: Coarsen = None,
    minutes: Annotated[
        float | None,
        minutes_option("How long --model best may take (5), or --structure auto to choose (2)."),
    ] = None,
    balanced: Annotated[
        bool,
        typer.Option(
            "--balanced",
            help="Let rare classes count as much as frequent ones.",
            rich_help_panel=MODEL,
        ),
    ] = False,
    threshold: Threshold = "half",
    positive: Positive = None,
    groups: Groups = None,
    name: Annotated[
        str,
        typer.Option(
            "--name",
            metavar="NAME",
            help="What page and case reports call the data, as 'Disease families'.",
            show_default="its own name",
            rich_help_panel=OUTPUT,
        ),
    ] = "",
    question: Annotated[
        str,
        typer.Option(
            "--question",
            metavar="TEXT",
            help="What the model answers, as 'Which disease family has these phenotypes?'.",
            show_default="made from the words",
            rich_help_panel=OUTPUT,
        ),
    ] = "",
    words: Annotated[
        str | None,
        typer.Option(
            "--words",
            metavar="SUBGRAPH,MEMBER,CLASS",
            help="What to call a subgraph, a member and a class, as disease,phenotype,family.",
            show_default="by the data",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    by_reference: Annotated[
        bool,
        typer.Option(
            "--by-reference",
            help="Store where DATA's graph lies instead of a copy of it.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    device: Device = "auto",
    compiled: Compile = "auto",
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Train a model that answers for new subgraphs, and save it.

    Examples:
        s2n fit my-folder --model best --minutes 5 -o my-model
        s2n fit sets.gmt --graph edges.tsv --labels labels.csv -o my-model

    Trains on train and chooses on val. The networks of the seeds are averaged. With --model best,
    simple models and networks are judged out of fold and averaged by what they are worth; Ctrl-C
    keeps what was judged by then. With --structure auto, structure and convolution are chosen on
    validation. Data without a split gets a random one for validation. A test part is read once, at
    the end.
    """
    from ..config.best_settings import NAME as BEST
    from ..estimator import SubgraphClassifier
    from ..scoring.artefact import check_place
    from ..train.stop_request import stoppable

    check_place(out, overwrite=overwrite)
    model_name, structure = split_model_name(model, structure)
    _read_nouns(words)  # raises before the data is read
    feature_arguments = FeatureArguments(features, encoding, inputs)
    changes = feature_arguments.with_settings(settings or [], coarsen, [settings_kind(model_name)])
    if conv is not None and ":" in conv:
        raise ConfigError(
            "a model with a convolution of your own is made and loaded in Python, where its class"
            " is at hand: SubgraphClassifier(conv=…)."
        )
    if by_reference:
        _check_reference(source, feature_arguments)
    if groups is not None and model_name != BEST:
        raise ConfigError("--groups is for --model best, which has folds; omit it.")
    if balanced and model_name is not None:
        raise ConfigError(f"--balanced is for networks, not for {model_name}; omit it.")
    if model_name == BEST:
        groups = source.fold_groups(groups)
    task = feature_arguments.read(source.load(), all_nodes=True)
    classifier = SubgraphClassifier(
        structure,
        conv,
        model=model_name,
        time_limit=60 * (5.0 if minutes is None else minutes),
        seeds=seeds,
        preset=preset,
        settings=changes,
        coarsen=coarsen,
        encodings=feature_arguments.encodings,
        budget=60 * (2.0 if minutes is None else minutes),
        threshold=threshold,
        positive=positive,
        device=device,
        compile=compiled,
        class_weight="balanced" if balanced else None,
        compare=model_name != BEST,  # which has its leaderboard
        words=_card_words(task, name=name, question=question, words=words),
    )
    start = time.perf_counter()
    with progress():
        classifier.fit(task, groups=groups)
        seconds = time.perf_counter() - start
        with stoppable(), activity(f"Writing {out}"):  # Ctrl-C would lose a model that has learned
            classifier.save(out, graph=source.data if by_reference else None, overwrite=overwrite)
    if as_json:
        print_json({**classifier.scorer_.card, "seconds": seconds, "path": str(out)})
    else:
        show_fitted_model(classifier, seconds, out=out, shown=task.notes)
        if task.unlabelled is not None:
            _say_unlabelled(task.unlabelled, source, out)


def _say_unlabelled(unlabelled: SubgraphTask, source: DataArguments, out: Path) -> None:
    """How to score the subgraphs that came without a label."""
    count = plural(len(unlabelled), "subgraph")
    command = f"s2n predict {shlex.quote(str(out))} {question_line(source)}"
    whom = "them" if source.labels is None else "all of that file"
    say("Next", f"{count} without a label: {command} answers for {whom}", style="dim")


def _read_nouns(words: str | None) -> dict[str, str]:
    """The three nouns of --words."""
    if words is None:
        return {}
    nouns = [word.strip() for word in words.split(",")]
    if len(nouns) != 3 or not all(nouns):
        raise ConfigError(
            f"--words is three singular nouns, as disease,phenotype,family; found {words!r}."
        )
    return dict(zip(("subgraph", "member", "label"), nouns, strict=True))


def _card_words(
    task: SubgraphTask, *, name: str, question: str, words: str | None
) -> dict[str, str]:
    """The words of the model's card: those of the data, and what the options say instead."""
    from ..scoring.card_words import default_words

    given = {"title": name, "question": question}
    changes = {key: text for key, text in given.items() if text} | _read_nouns(words)
    return asdict(default_words(task).with_changes(changes))


def _check_reference(source: DataArguments, features: FeatureArguments) -> None:
    """Raise unless DATA alone gives the graph of the model again."""
    if source.data.startswith(("generate:", "like:")) or is_address(source.data):
        raise ConfigError(
            "--by-reference is for data that lies somewhere on this machine; omit it."
        )
    if not source.is_plain:
        raise ConfigError("--by-reference is for data that DATA alone names; omit the others.")
    if "features" in features.file_options:
        raise ConfigError(
            "--by-reference is for the graph as DATA has it, not for one with the vectors of"
            " --features; omit --by-reference."
        )
