"""Case reports: answers with their reasons as one HTML file that a reader takes in at a glance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ... import __version__
from ...base.plural import plural, plural_of
from ...base.records import JsonObject
from ...scoring import Scorer, WarningKind
from ...scoring.card_words import CardWords, card_words
from .case_findings import Case
from .page_file import OURS, check_report, write_page
from .report_wording import percent
from .templating import load_template

MOST_CASES = 20
_SHOWN_MEMBERS = 12
_LISTED = 30  # ids of unknown and excluded members
_ENOUGH = 10  # subgraphs of a class, from which its precision is said
_SCORES = {  # name of a score: what it says of the first answers
    "accuracy": "the first answer was right for",
    "top_3": "the right one was among the first three for",
    "micro_f1": "micro-F1 was",
}


@dataclass(frozen=True)
class ModelFacts:
    """What a case report says of its model.

    Args:
        title: What the data are called.
        model: The kind of model.
        trained_on: Sizes of what it has learned from.
        sources: Which releases the data were made from.
        quality: How good it is on subgraphs that it had not seen.
        precision: Share of right answers by class, where enough subgraphs tell.
        seeds: Number of networks that are averaged.
    """

    title: str
    model: str
    trained_on: str
    sources: tuple[str, ...]
    quality: str
    precision: dict[str, float]
    seeds: int


def write_case_report(
    scorer: Scorer,
    cases: Sequence[Case],
    path: str | Path,
    *,
    left: int = 0,
    notes: Sequence[str] = (),
    overwrite: bool = False,
) -> Path:
    """Write a case report: one file that opens without a network.

    Args:
        scorer: The model that was asked.
        cases: What it answered, one section each.
        path: The file to write.
        left: How many other subgraphs were asked about that have no section.
        notes: What was mapped or merged in reading them.
        overwrite: Whether an existing report may be replaced.
    """
    check_report(Path(path), overwrite=overwrite)
    text = render_cases(scorer, cases, left=left, notes=notes)
    return write_page(text, Path(path), overwrite=overwrite)


def render_cases(
    scorer: Scorer,
    cases: Sequence[Case],
    *,
    left: int = 0,
    notes: Sequence[str] = (),
    name: str = "",
) -> str:
    """The case report as HTML; the arguments are those of :func:`write_case_report`.

    Args:
        name: What to call the data instead of what the model's card says.
    """
    words = card_words(scorer.card, scorer.task)
    filters: dict[str, Callable[..., object]] = {
        "percent": percent,
        "points": _points,
        "bar": _bar,
        "plural": plural,
    }
    page, Markup, style = load_template("case.html", "a case report", filters)
    return str(
        page.render(
            version=__version__,
            style=style,
            ours=Markup(OURS),
            words=words,
            members=plural_of(words.member),
            subgraphs=plural_of(words.subgraph),
            labels=plural_of(words.label),
            cases=cases,
            left=left,
            notes=notes,
            facts=_describe_model(scorer, words, name),
            verdicts=[_describe_answer(case, words) for case in cases],
            shown=_SHOWN_MEMBERS,
            most=_LISTED,
            unknown_kind=WarningKind.UNKNOWN_NODES,
            reads_excluded=scorer.reads_excluded,
            several=scorer.multilabel,
        )
    )


def _describe_model(scorer: Scorer, words: CardWords, name: str) -> ModelFacts:
    card, task = scorer.card, scorer.task
    part = "test" if card.get("test") else "validation"
    # Out-of-fold answers are as honest as those of a test part, and more.
    honest = "validation" if card.get("leaderboard") else part
    by_class: JsonObject = card.get(f"{honest}_by_class") or {}
    known = plural(scorer.num_labelled, words.subgraph)
    sizes = f"{known} of {plural(scorer.num_learned, words.label)}"
    graph = f"{plural(scorer.graph.num_nodes, words.member)} with {scorer.graph.num_edges:,} links"
    return ModelFacts(
        title=name or words.title or task.name or "this model",
        model=_describe_kind(scorer),
        trained_on=f"{sizes}, in a graph of {graph}",
        sources=tuple(str(source) for source in card.get("sources", ())),
        quality=_describe_quality(card.get(part) or {}, part, words, several=scorer.multilabel),
        precision={
            label: float(scores["precision"])
            for label, scores in by_class.items()
            if honest != "validation" or card.get("leaderboard")
            if scores.get("subgraphs", 0) >= _ENOUGH
        },
        seeds=len(scorer.seeds),
    )


def _describe_kind(scorer: Scorer) -> str:
    """What kind of model it is, and of which models it is the mean."""
    members: list[JsonObject] = scorer.card.get("leaderboard") or []
    weights = {str(row["name"]): float(row["weight"]) for row in members if row.get("weight")}
    if len(weights) < 2:
        averaged = f", {plural(len(scorer.seeds), 'trained model')} averaged"
        return scorer.title + averaged * (len(scorer.seeds) > 1)
    shares = [
        f"{name} {percent(weights[name], 0)} %" for name in sorted(weights, key=weights.__getitem__)
    ]
    return f"{scorer.title}, a weighted mean of models: {', '.join(reversed(shares))}"


def _describe_quality(scores: JsonObject, part: str, words: CardWords, *, several: bool) -> str:
    """What the scores of the card mean, as one sentence."""
    count = scores.get("subgraphs")
    wanted = ["micro_f1"] if several else ["accuracy", "top_3"]
    texts = [f"{_SCORES[key]} {percent(scores[key])} %" for key in wanted if key in scores]
    if not texts or not count:
        return ""
    seen = "that it had not seen" if part == "test" else "that it was chosen on"
    return f"On {plural(int(count), words.subgraph)} {seen}, {' and '.join(texts)}."


def _describe_answer(case: Case, words: CardWords) -> str:
    """How sure the answer is, in a sentence."""
    best, *rest = case.ranking
    together = sum(one.probability for one in case.ranking[:3])
    if not any(one.predicted for one in case.ranking):
        return f"No {words.label} is probable enough to be claimed."
    if sum(one.predicted for one in case.ranking) > 1 or not rest:
        return ""
    if best.probability >= 0.5:
        return f"Next is {rest[0].name} with {percent(rest[0].probability)} %."
    told = f"No {words.label} is more likely than all others together"
    if len(case.ranking) <= 3:
        return f"{told}."
    return f"{told}; the first three have {percent(together)} % together."


def _points(value: float) -> str:
    """A signed number of percentage points."""
    text = f"{abs(100 * value):.1f}"
    return text if float(text) == 0 else ("−" if value < 0 else "+") + text


def _bar(value: float, largest: float) -> tuple[float, float]:
    """Start and width of a bar to the right or the left of the middle of 100."""
    width = 50 * min(abs(value) / largest, 1.0) if largest > 0 else 0.0
    return (50.0 if value >= 0 else 50.0 - width), width
