"""The model card: a description of a model for people to read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ..base.metrics import AREAS, METRIC_LABELS
from ..base.plural import examples, plural
from ..base.records import JsonObject
from ..evaluate.positive_views import positive_rows, threshold_text
from .card_words import card_words
from .ensemble_scorer import EnsembleScorer
from .network_scorer import NetworkScorer
from .simple_scorer import SimpleScorer

if TYPE_CHECKING:
    from ..task import SubgraphTask
    from .scorer import Scorer

_HEADINGS = {
    name: label[0].lower() + label[1:] if label[1].islower() else label
    for name, label in METRIC_LABELS.items()
}


def render_model_card(scorer: Scorer) -> str:
    """The card of a model in Markdown."""
    task, card = scorer.task, scorer.card
    graph, seeds = task.graph, scorer.seeds
    kind = "several labels per subgraph" if task.multilabel else "one label per subgraph"
    words = card_words(card, task)
    lines = [
        f"# {scorer.title} on {words.title or task.name or 'your data'}",
        "",
        words.full_question,
        "",
        *_class_count_lines(scorer, kind),
        "",
        "## Trained on",
        "",
        f"- A graph of {graph.full_size:,} nodes and {graph.full_edges:,} edges (content hash"
        f" `{graph.hash[:12]}`).",
        f"- {plural(len(task) - task.num_virtual, 'training subgraph')}"
        + (f" and {task.num_virtual:,} virtual ones" if task.num_virtual else "")
        + f", and {card.get('validation_subgraphs', 0):,} to choose and calibrate on.",
        f"- {len(seeds)} seeds ({', '.join(map(str, seeds))}), whose mean is the answer and whose"
        " spread is its uncertainty."
        if len(seeds) > 1
        else f"- One seed ({seeds[0]}): its answers have no spread, so nothing says how uncertain"
        " they are.",
        "",
        "## Scores",
        "",
        *_score_lines(card),
        "",
        _validation_sentence(scorer)
        + (" The test part was read once." if card.get("test") else " There was no test part."),
        "",
        "## How it answers",
        "",
        *_answering_lines(scorer),
    ]
    if task.multilabel:
        lines.append(f"- A class is claimed above a probability of {scorer.threshold:.3f}.")
    lines += [*_positive_lines(card), *_class_lines(task, card)]
    lines += ["", "## Caution", "", words.caution]
    notes = card.get("notes", [])
    if notes:
        lines += ["", "## To know", "", *(f"- {note}" for note in notes)]
    versions = ", ".join(f"{name} {number}" for name, number in card.get("versions", {}).items())
    lines += ["", "## Made with", "", versions or "unknown versions", ""]
    return "\n".join(lines)


def _class_count_lines(scorer: Scorer, kind: str) -> list[str]:
    """How many classes there are to answer with, and which the data name beside them."""
    learned = scorer.training_profile.learned
    unseen = [name for name, known in zip(scorer.classes, learned, strict=True) if not known]
    more = (
        f" {len(unseen):,} more {'has' if len(unseen) == 1 else 'have'} no training subgraph, so it"
        f" has learned nothing about {'it' if len(unseen) == 1 else 'them'}:"
        f" {examples(unseen, len(unseen))}."
    )
    count = plural(len(learned) - len(unseen), "class")
    line = f"Answers which of {count} a set of nodes belongs to ({kind})."
    return [line + more * bool(unseen)]


def _validation_sentence(scorer: Scorer) -> str:
    """What the validation scores are worth."""
    if isinstance(scorer, EnsembleScorer):
        return (
            "Validation is out of fold: no member had learned from the subgraphs that it is judged"
            " on; weights and calibration were chosen on these answers."
        )
    what = "the best epoch of each seed" if isinstance(scorer, NetworkScorer) else "settings"
    return (
        f"Validation was used to choose {what} and to calibrate, so its numbers are a little too"
        " good."
    )


def _answering_lines(scorer: Scorer) -> Iterator[str]:
    """How the model, or each of its members, comes to an answer."""
    if isinstance(scorer, EnsembleScorer):
        yield "- The answer is the weighted mean of the members' calibrated probabilities:"
        for weight, member in zip(scorer.weights, scorer.members, strict=True):
            yield f"  - {weight:.3f} {member.title}, {plural(len(member.seeds), 'seed')}"
        return
    joined = (
        isinstance(scorer, NetworkScorer) and scorer.known_subgraphs.config.structure.translated
    )
    yield (
        "- A new subgraph is joined to the training subgraphs; by default its answer does not"
        " depend on the others in the same query."
        if joined
        else "- A new subgraph is answered by itself."
    )
    assert isinstance(scorer, NetworkScorer | SimpleScorer)
    number = f"{scorer.temperature:.3f}"
    yield f"- Logits are divided by {number}, the temperature that fits validation best."
    if isinstance(scorer, NetworkScorer):
        features = scorer.known_subgraphs.config.features
        if features.trainable and features.kind == "random":
            nodes = "Nodes that no training subgraph has"
            yield f"- {nodes} keep vectors that nothing was learned about."


def _score_lines(card: JsonObject) -> list[str]:
    """A table of the scores on validation and test."""
    parts = [part for part in ("validation", "test") if card.get(part)]
    names = {**_HEADINGS, "log_loss": "log loss"}
    metrics = [name for name in names if any(name in card[part] for part in parts)]
    lines = [
        f"| | {' | '.join(names[name] for name in metrics)} | n |",
        f"|{'---|' * (len(metrics) + 2)}",
    ]
    for part in parts:
        numbers = (card[part].get(name) for name in metrics)
        lines.append(f"| {part} | {_cells(numbers, 4)} | {card[part]['subgraphs']} |")
    return lines


def _positive_lines(card: JsonObject) -> list[str]:
    """The positive class, where the model has one."""
    positive = card.get("positive")
    if not positive:
        return []
    parts = {part: positive[part] for part in ("validation", "test") if part in positive}
    threshold = threshold_text(
        [positive["threshold"]], positives=positive["validation"]["positives"]
    )
    return [
        "",
        f"## The positive class: {positive['label']}",
        "",
        f"An answer above the threshold is an alert; it is {threshold}.",
        "",
        f"| in % | {' | '.join(parts)} |",
        f"|{'---|' * (len(parts) + 1)}",
        *(f"| {' | '.join(row)} |" for row in positive_rows(parts)),
    ]


def _class_lines(task: SubgraphTask, card: JsonObject) -> list[str]:
    """Scores of each class, on test where there is such a part."""
    part = "test" if card.get("test_by_class") else "validation"
    lines = [
        "",
        "## Classes",
        "",
        f"Precision, recall, F1 and areas on {part}.",
        "",
        "| class | training subgraphs | precision | recall | F1 | ROC-AUC | PR-AUC |",
        "|---|---|---|---|---|---|---|",
    ]
    counts, class_scores = task.label_counts()[0], card.get(f"{part}_by_class", {})
    for name, count in zip(task.class_names, counts, strict=True):
        scores = class_scores.get(name, {})
        if not count and not scores.get("subgraphs"):
            continue
        numbers = (scores.get(metric) for metric in ("precision", "recall", "f1", *AREAS))
        escaped = name.replace("|", chr(92) + "|")
        lines.append(f"| {escaped} | {count:,} | {_cells(numbers, 3)} |")
    return lines


def _cells(numbers: Iterable[float | None], digits: int) -> str:
    return " | ".join("-" if value is None else f"{value:.{digits}f}" for value in numbers)
