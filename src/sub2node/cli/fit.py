"""``s2n fit``: train a model that answers for new subgraphs, and keep it."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import ConfigError
from .output import AsJson, Device, console, print_json, progress, say, table
from .reading import Reading, reads_data

if TYPE_CHECKING:
    from ..estimator import SubgraphClassifier


@reads_data
def fit(
    reading: Reading,
    out: Annotated[
        Path, typer.Option("-o", "--out", help="Folder to write the model to.", show_default=False)
    ],
    structure: Annotated[
        str | None,
        typer.Option(
            "--structure",
            help="separated, connected, s2n+0, s2n+a, cos2n+0, cos2n+a; auto: chosen on"
            " validation, with the convolution.",
            show_default="s2n+a",
        ),
    ] = None,
    conv: Annotated[
        str | None,
        typer.Option("--conv", help="gcn, gcn2, gin, gatv2 or sage.", show_default="gcn2"),
    ] = None,
    seeds: Annotated[int, typer.Option("--seeds", help="Networks to average.")] = 5,
    preset: Annotated[
        str,
        typer.Option("--preset", help="default, fast, paper, tuned, paper:NAME or a TOML file."),
    ] = "default",
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="Replace a setting, as lr=0.01; repeatable.")
    ] = None,
    budget: Annotated[
        float, typer.Option("--budget", help="Seconds that auto may take to choose.")
    ] = 120.0,
    balanced: Annotated[
        bool, typer.Option("--balanced", help="Rare classes count as much as frequent ones.")
    ] = False,
    threshold: Annotated[
        str, typer.Option("--threshold", help="Of multi-label answers: half, or the best on val.")
    ] = "half",
    by_reference: Annotated[
        bool, typer.Option("--by-reference", help="Refer to DATA's graph instead of copying it.")
    ] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace the model.")] = False,
    device: Device = "auto",
    as_json: AsJson = False,
) -> None:
    """Train on train, choose on val, and write a model that answers for new subgraphs.

    Data without a split gets a random one for validation. A test part is read once, at the end.

    Example: s2n fit generate:density -o density-model && s2n serve density-model
    """
    from ..estimator import SubgraphClassifier
    from ..scoring.artefact import check_place
    from ..settings import parse_setting

    check_place(out, overwrite=overwrite)
    given = dict(map(parse_setting, settings or []))
    for name in ("structure", "conv"):
        if name in given:
            raise ConfigError(f"the {name} is chosen with --{name}.")
    if conv is not None and ":" in conv:
        raise ConfigError(
            "a model with a convolution of your own is made and loaded in Python, where its class"
            " is at hand: SubgraphClassifier(conv=…)."
        )
    if by_reference and reading.data.startswith(("generate:", "like:")):
        raise ConfigError("--by-reference is for data that lies somewhere; leave it away.")
    if by_reference and not reading.plain:
        raise ConfigError("--by-reference is for data that DATA alone names; leave out the others.")
    task = reading.load()
    model = SubgraphClassifier(
        structure, conv, seeds=seeds, preset=preset, budget=budget, threshold=threshold,
        settings=given, device=device,
        class_weight="balanced" if balanced else None,
    )  # fmt: skip
    start = time.perf_counter()
    with progress():
        model.fit(task)
        seconds = time.perf_counter() - start
        model.save(out, graph=reading.data if by_reference else None, overwrite=overwrite)
    if as_json:
        print_json({**model.scorer_.card, "seconds": seconds, "path": str(out)})
        return
    _show(model, seconds, out)


_METRICS = {
    "micro_f1": "Micro-F1", "macro_f1": "Macro-F1", "accuracy": "Accuracy", "pr_auc": "PR-AUC",
}  # fmt: skip


def _show(model: SubgraphClassifier, seconds: float, out: Path) -> None:
    from ..scoring.choices import choice_table

    card: dict[str, Any] = model.scorer_.card
    if model.choices_:
        console.print(choice_table(model.choices_))
    parts = {"validation": "Validation"} | ({"test": "Test"} if model.test_ else {})
    name = card["data"]["name"] or "this task"
    view = table(f"{card['model']} on {name}", "", *parts.values())
    for metric, word in _METRICS.items():
        view.add_row(word, *(f"{100 * card[part][metric]:.1f}" for part in parts))
    view.add_row("Log loss", *(f"{card[part]['log_loss']:.3f}" for part in parts))
    view.add_row("Subgraphs", *(f"{card[part]['subgraphs']:,}" for part in parts))
    console.print(view)
    each = card[f"{list(parts)[-1]}_by_class"]
    if len(each) <= 12:
        words = ", ".join(f"{c} {100 * found['f1']:.1f}" for c, found in each.items())
        say(f"{list(parts.values())[-1]} F1 by class", words, style="bold")
    say("Seeds", f"{len(model.scorer_.seeds)}, averaged", style="bold")
    say("Time", f"{seconds:.1f} s", style="bold")
    for note in model.notes_:
        say("Note", note, style="dim")
    say("Model", str(out), style="bold")
    say("Next", f"s2n predict {out} FILE -o answers.csv, or s2n serve {out}", style="dim")
