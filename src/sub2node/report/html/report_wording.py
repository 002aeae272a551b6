"""The sentences of a report beside its summary: leakage, margins, what is missing."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...runs import Run, RunSet

if TYPE_CHECKING:
    from ...evaluate.overlap import Overlap
    from ...runs.run_tables import Curves, RunPredictions, SubgraphTable

Numbers = dict[str, Any]  # plain values, ready for JSON
_MARGINS = {
    "majority": "counts of the training part",
    "s2n-kernel": "margins of support vectors",
    "sub2vec": "margins of support vectors where validation chose those",
}
_MUCH = 0.05  # share of near copies from which a score says little about new subgraphs


def percent(value: float, digits: int = 1) -> str:
    """A share in percent, without the sign."""
    return f"{100 * value:.{digits}f}"


def p_value(p: float | None) -> str:
    """``p = 0.03``, or that it is tiny."""
    if p is None:
        return ""
    return "p < 0.0001" if p < 1e-4 else f"p = {p:.2g}"


def points_apart(first: float, second: float) -> float:
    """By how many points a score is above another one: the difference of what is printed."""
    return round(float(percent(first)) - float(percent(second)), 1)


def data_words(run: Run) -> str:
    """The data of a run as a command line names them."""
    return run.data.given or shlex.quote(run.data.name or "DATA")


def parts(counts: dict[str, int]) -> str:
    """``200 train / 25 val / 25 test``."""
    return " / ".join(f"{count:,} {part}" for part, count in counts.items())


def check_leakage(overlap: Sequence[Overlap]) -> dict[str, str]:
    """Whether test subgraphs were seen in training: a level and a sentence.

    Args:
        overlap: What parts of the split have in common, as the run folder says.
    """
    rows = [row for row in overlap if (row.part, row.known) in (("test", "train"), ("any", "any"))]
    if not rows:
        return {
            "level": "unknown",
            "text": "The run folder has no facts on overlap: it was written by an older version;"
            " s2n describe DATA tells some of them.",
        }
    row = rows[0]
    if row.part == "test":
        who, whose, where = "test subgraphs", "a training subgraph", "training ones too"
        consequence = "scores on them measure memory"
    else:
        who, whose, where = "subgraphs", "another one", "several of them"
        consequence = "a random split may put one in train and one in test"
    level, text = _describe_copies(row, who, whose, consequence)
    nodes = percent(row.shared_nodes / max(row.nodes, 1), 0)
    return {
        "level": level,
        "text": f"{text} {nodes} % of the nodes in {who} occur in {where}, which is fair where new"
        " subgraphs will share nodes with known ones as well.",
    }


def _describe_copies(row: Overlap, who: str, whose: str, consequence: str) -> tuple[str, str]:
    """Level and sentence on equal and similar node sets."""
    copies, total = max(row.similar, row.contained), max(row.subgraphs, 1)
    if row.equal:
        return "bad", (
            f"{row.equal:,} of {total:,} {who} ({percent(row.equal / total)} %) have exactly the"
            f" nodes of {whose}: {consequence}."
        )
    if copies:
        return "warn" if copies / total >= _MUCH else "good", (
            f"No two node sets are equal, but {copies:,} of {total:,} {who}"
            f" ({percent(copies / total)} %) lie in {whose} or share half of their nodes with it."
        )
    return "good", f"None of the {total:,} {who} is nearly a copy of {whose}."


def explain_margins(run: Run) -> str:
    """What stands for a probability, where it was never meant to be one; else nothing."""
    name = str(run.config.get("baseline", ""))
    if name not in _MARGINS or (name == "majority" and run.multilabel):
        return ""
    return (
        f"The scores of {run.name} are {_MARGINS[name]}, not logits; what is shown as probability"
        " is their " + ("sigmoid." if run.multilabel else "softmax.")
    )


def explain_missing(
    study: RunSet,
    predictions: RunPredictions | None,
    curves: Curves | None,
    subgraphs: SubgraphTable | None,
) -> dict[str, str]:
    """By section, why something is not there."""
    run, texts = study.main, {}
    if predictions is None:
        why = "The run folder has no predictions.parquet"
        if run.splits:
            why = "A run over random splits keeps no predictions"
        texts["answers"] = f"{why}, so this cannot be shown."
    if curves is None:
        texts["curves"] = "The run folder has no epochs.parquet."
        if run.splits:
            texts["curves"] = "A run over random splits keeps no curves."
        elif run.simple:
            texts["curves"] = f"{run.name} has no training loop."
    if subgraphs is None:
        texts["subgraphs"] = (
            "The run folder has no subgraphs.parquet (it was written by an older version), so"
            " titles, sizes and links of subgraphs are not known."
        )
    if study.drawn is None:
        texts["picture"] = texts.get("subgraphs") or (
            "No model among these runs works on the S2N graph, so it is not drawn."
        )
    elif subgraphs is None or not subgraphs.links:
        texts["picture"] = texts.get("subgraphs") or "The S2N graph has no links."
    return texts
