"""The model card: a description of a model for people to read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..base.plural import plural

if TYPE_CHECKING:
    from .scorer import Scorer


def render_model_card(scorer: Scorer) -> str:
    """The card of a model in Markdown."""
    task, config, card = scorer.task, scorer.known_subgraphs.config, scorer.card
    graph, seeds = task.graph, scorer.seeds
    kind = "several labels per subgraph" if task.multilabel else "one label per subgraph"
    lines = [
        f"# {config.structure} {config.conv} on {task.name or 'your data'}",
        "",
        f"Answers which of {len(task.class_names)} classes a set of nodes belongs to ({kind}).",
        "",
        "## Trained on",
        "",
        f"- A graph of {graph.num_nodes:,} nodes and {graph.num_edges:,} edges (content hash"
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
        "| | micro-F1 | macro-F1 | accuracy | log loss | n |",
        "|---|---|---|---|---|---|",
    ]
    for part in ("validation", "test"):
        scores = card.get(part)
        if scores:
            numbers = (scores[name] for name in ("micro_f1", "macro_f1", "accuracy", "log_loss"))
            cells = " | ".join(f"{value:.4f}" for value in numbers)
            lines.append(f"| {part} | {cells} | {scores['subgraphs']} |")
    lines += [
        "",
        "Validation was used to choose the best epoch of each seed and to calibrate, so its numbers"
        " are a little too good."
        + (" The test part was read once." if card.get("test") else " There was no test part."),
        "",
        "## How it answers",
        "",
        "- A new subgraph is joined to the training subgraphs; by default its answer does not"
        " depend on the others in the same query."
        if config.structure.translated
        else "- A new subgraph is answered by itself.",
        f"- Logits are divided by {scorer.temperature:.3f}, the temperature that fits validation"
        " best.",
    ]
    if task.multilabel:
        lines.append(f"- A class is claimed above a probability of {scorer.threshold:.3f}.")
    if config.features.trainable and config.features.kind == "random":
        lines.append(
            "- Nodes that no training subgraph has keep vectors that nothing was learned about."
        )
    part = "test" if card.get("test_by_class") else "validation"
    lines += [
        "",
        "## Classes",
        "",
        f"Precision, recall and F1 on {part}.",
        "",
        "| class | training subgraphs | precision | recall | F1 |",
        "|---|---|---|---|---|",
    ]
    counts, class_scores = task.label_counts()[0], card.get(f"{part}_by_class", {})
    for name, count in zip(task.class_names, counts, strict=True):
        scores = class_scores.get(name, {})
        numbers = (scores.get(metric) for metric in ("precision", "recall", "f1"))
        cells = " | ".join("-" if value is None else f"{value:.3f}" for value in numbers)
        lines.append(f"| {name.replace('|', chr(92) + '|')} | {count:,} | {cells} |")
    notes = card.get("notes", [])
    if notes:
        lines += ["", "## To know", "", *(f"- {note}" for note in notes)]
    versions = ", ".join(f"{name} {number}" for name, number in card.get("versions", {}).items())
    lines += ["", "## Made with", "", versions or "unknown versions", ""]
    return "\n".join(lines)
