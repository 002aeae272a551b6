"""``s2n predict``: answers for the subgraphs of a file."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer
from rich.text import Text

from ..base.errors import ConfigError, DataError
from ..base.plural import plural
from ..base.progress import activity
from ..base.records import JsonObject
from .data_arguments import column_mapping
from .options import AsJson, Columns, MaxExpansion, Overwrite, out_option
from .output import (
    console,
    errors,
    print_json,
    progress,
    say,
    show_notes,
    table,
)

if TYPE_CHECKING:
    from ..io.white_space import StrippedValues
    from ..scoring import Answers, Explanation, Scorer
    from ..scoring.query_changes import QueryChanges

_BATCH = 1000  # subgraphs answered together
_SHOWN = 20
_NO_SPREAD = "one seed: no spread; s2n fit --seeds 5 gives one."


def predict(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A folder that s2n fit wrote.")],
    source: Annotated[
        Path | None,
        typer.Argument(metavar="INPUT", help="CSV, TSV, Parquet, JSONL or GMT of subgraphs."),
    ] = None,
    *,
    out: Annotated[
        Path | None, out_option("File to write: .parquet, .csv, .tsv or .jsonl.")
    ] = None,
    nodes: Annotated[
        str | None,
        typer.Option("--nodes", metavar="A,B,C", help="One subgraph instead of a file: its nodes."),
    ] = None,
    why: Annotated[bool, typer.Option("--why", help="With --nodes: explain the answer.")] = False,
    unknown_nodes: Annotated[
        str,
        typer.Option("--unknown-nodes", help="Nodes that are not in the graph: error, or drop."),
    ] = "error",
    mode: Annotated[
        str,
        typer.Option(
            "--mode",
            help="independent: each subgraph beside the known ones; joint: all of INPUT in one"
            " graph.",
        ),
    ] = "independent",
    column: Columns = None,
    max_expansion: MaxExpansion = None,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Answer for new subgraphs, of a file or given by their nodes.

    Examples:
        s2n predict my-model new.csv -o answers.csv
        s2n predict my-model --nodes TP53,MDM2 --why

    CSV and Parquet have the columns subgraph_id and node_id (best with the rows of a subgraph
    together: they are then read one subgraph at a time), JSONL has lines like {"id": "a", "nodes":
    ["x", "y"]}. Bad rows are listed with their line numbers in OUT.errors.csv, and the good ones
    are answered. Of several labels, probability is that of the least probable one.
    """
    from ..io.expansion import expansion_limit
    from ..scoring import load_scorer

    request = _FileRequest(
        source=source,
        out=out,
        unknown_nodes=unknown_nodes,
        mode=mode,
        columns=column_mapping(column or []),
        overwrite=overwrite,
    )
    if (source is None) == (nodes is None):
        raise ConfigError("give a file of subgraphs, or one subgraph by --nodes A,B,C.")
    if why and nodes is None:
        raise ConfigError("--why is for one subgraph: --nodes A,B,C --why.")
    if nodes is not None and out is not None:
        raise ConfigError("-o is for a file of subgraphs; the answer for --nodes is printed.")
    request.check()
    with expansion_limit(max_expansion), progress():
        with activity(f"Loading {model}"):
            scorer = load_scorer(model)
        if nodes is not None:
            ids = [node.strip() for node in nodes.split(",") if node.strip()]
            query = scorer.ask([ids], names=[""], unknown_nodes=unknown_nodes)  # type: ignore[arg-type]
            query = replace(query, names=("this",))  # its id in JSON
            placed = scorer.place(query, mode=mode)  # type: ignore[arg-type]
            answers = scorer.predict(placed, mode=mode)  # type: ignore[arg-type]
            with activity("Explaining the answer"):
                reasons = scorer.explain(placed)[0] if why else None
        else:
            facts, first_answers = request.answer(scorer, keep=None if as_json else _SHOWN)
    if nodes is not None:
        _show_one(answers, reasons, as_json=as_json)
        return
    show_notes(facts["notes"], to=errors)
    if as_json:
        print_json(facts)
    else:
        _show_answers(facts, first_answers)


class _BadSubgraph(NamedTuple):
    """A subgraph of the file, or a row, without an answer."""

    line: int
    name: str
    nodes: list[str]
    problem: str


@dataclass(frozen=True)
class _FileRequest:
    """A file of subgraphs, and what to do with it.

    Args:
        source: The file; None: the subgraph is given by its nodes instead.
        out: Where the answers go; None: to the terminal.
        unknown_nodes: Whether nodes that are not in the graph are an ``error``, or ``drop``.
        mode: ``independent`` or ``joint``.
        columns: The user's names of our columns.
        overwrite: Whether a file that is there may be replaced.
    """

    source: Path | None
    out: Path | None
    unknown_nodes: str
    mode: str
    columns: dict[str, str]
    overwrite: bool

    def check(self) -> None:
        """Raise what can be known before the model is loaded."""
        from ..base.files import require_writable
        from ..io.sets import check_columns
        from ..scoring.answer_tables import ENDINGS

        check_columns(self.columns)
        if self.unknown_nodes not in ("error", "drop"):
            raise ConfigError(f"--unknown-nodes is error or drop, not {self.unknown_nodes!r}.")
        if self.mode not in ("independent", "joint"):
            raise ConfigError(f"--mode is independent or joint, not {self.mode!r}.")
        if self.out is None:
            return
        if self.out.suffix.lower() not in ENDINGS:
            raise ConfigError(f"{self.out} must end in {', '.join(ENDINGS)}.")
        for path in (self.out, self.errors_file):
            if self.source is not None and path.resolve() == self.source.resolve():
                raise ConfigError(f"{path} is the input; choose another name for the answers.")
            if path.exists() and not self.overwrite:
                raise ConfigError(f"{path} exists already; choose another name, or --overwrite.")
            if path.is_dir():
                raise ConfigError(f"{path} is a folder, expected a file.")
        require_writable(self.out)

    @property
    def errors_file(self) -> Path:
        """Where bad rows are listed."""
        assert self.out is not None
        return self.out.with_name(self.out.name + ".errors.csv")

    def answer(self, scorer: Scorer, keep: int | None) -> tuple[JsonObject, list[Answers]]:
        """Answer for all; numbers for people and machines, and the first answers."""
        from ..io.sets import ScatteredRowsError

        try:
            return self._answer(scorer, keep, read_all=False)
        except ScatteredRowsError:  # a subgraph came back: nothing holds that was answered for it
            return self._answer(scorer, keep, read_all=True)

    def _answer(
        self, scorer: Scorer, keep: int | None, *, read_all: bool
    ) -> tuple[JsonObject, list[Answers]]:
        from ..base.files import new_file, written
        from ..io.white_space import StrippedValues
        from ..scoring.answer_tables import table_writer
        from ..scoring.answers import answer_objects
        from ..scoring.query_changes import QueryChanges

        count, problems, first_answers, rows = 0, [], [], []
        changes, stripped = QueryChanges(), StrippedValues()
        with ExitStack() as stack:
            write, report = None, stack.enter_context(activity("Answering"))
            if self.out is not None:
                stack.enter_context(written(self.out))
                part = stack.enter_context(new_file(self.out, overwrite=self.overwrite))
                write = stack.enter_context(table_writer(part, self.out.suffix.lower()))
            for answers, bad in self._answer_batches(scorer, changes, stripped, read_all=read_all):
                problems += bad
                count += len(answers)
                report(plural(count, "subgraph"))
                if write is not None:
                    write(answers)
                elif keep is None:
                    rows += answer_objects(answers, columns=True)
                if count - len(answers) < (keep or 0):
                    first_answers.append(answers)
            if not count:
                self._write_problems(problems)
                raise DataError(_why_unanswered(problems), path=self.source)
        self._write_problems(problems)
        facts: JsonObject = {"answered": count, "bad": len(problems)}
        facts |= {"notes": [*stripped.notes(), *changes.notes()]}
        if self.out is not None:
            facts |= {"path": str(self.out), "errors": str(self.errors_file) if problems else None}
        else:
            facts |= {"problems": [p._asdict() for p in problems]}
            facts |= {"answers": rows} if keep is None else {}
        return facts, first_answers

    def _answer_batches(
        self, scorer: Scorer, changes: QueryChanges, stripped: StrippedValues, *, read_all: bool
    ) -> Iterator[tuple[Answers, list[_BadSubgraph]]]:
        """Answers for some subgraphs at a time, and those that have none."""
        from ..io.sets import read_sets
        from ..scoring.query import IdLists

        assert self.source is not None
        size = None if self.mode == "joint" else _BATCH
        for batch in read_sets(
            self.source, self.columns, size=size, at_once=read_all, stripped=stripped
        ):
            lists = IdLists.of_arrow(batch.names, batch.ptr, batch.nodes)
            query, unanswerable = scorer.look_up(lists, unknown_nodes=self.unknown_nodes)
            changes.add(query, lists)
            problems = {**unanswerable, **batch.problems}
            bad = [
                _BadSubgraph(int(batch.lines[at]), batch.names[at], [], problems[at])
                for at in sorted(problems)
            ]
            yield scorer.predict(query, mode=self.mode), bad  # type: ignore[arg-type]

    def _write_problems(self, problems: list[_BadSubgraph]) -> None:
        """Write the list of bad rows; an old one that does not hold any more goes."""
        from ..base.files import new_file, written

        if self.out is None:
            return
        with written(self.errors_file):
            if not problems:
                self.errors_file.unlink(missing_ok=True)
                return
            with (
                new_file(self.errors_file) as part,
                part.open("w", encoding="utf-8", newline="") as text,
            ):
                writer = csv.writer(text)
                writer.writerow(["line", "subgraph_id", "problem"])
                writer.writerows([p.line, p.name, p.problem] for p in problems)


def _why_unanswered(problems: list[_BadSubgraph]) -> str:
    if not problems:
        return "there is no subgraph in it."
    first = problems[0]
    count = plural(len(problems), "subgraph")
    return f"none of {count} has an answer; line {first.line}: {first.problem}"


def _show_answers(facts: JsonObject, first_answers: list[Answers]) -> None:
    from ..scoring.answers import answer_columns

    if "path" not in facts:
        has_spread = all(answers.has_spread for answers in first_answers)
        headings = ("Prediction", "Probability", *["Spread"] * has_spread, "Known")
        view = table("Answers", "Subgraph", *headings)
        rows = [
            row
            for answers in first_answers
            for row in zip(*list(answer_columns(answers).values())[:5], strict=True)
        ]
        for name, labels, probability, spread, known_share in rows[:_SHOWN]:
            text = ", ".join(labels) if isinstance(labels, list) else labels
            spreads = [f"{spread:.3f}"] if has_spread else []
            view.add_row(
                Text(name), Text(text), f"{probability:.3f}", *spreads, f"{known_share:.0%}"
            )
        console.print(view)
        if not has_spread:
            say("Spread", _NO_SPREAD, style="bold")
        if facts["answered"] > _SHOWN:
            say("More", f"{facts['answered'] - _SHOWN:,}; -o FILE writes all.", style="dim")
    say("Answered", plural(facts["answered"], "subgraph"), style="bold")
    for row in facts.get("problems", [])[:_SHOWN]:
        say("Bad", f"line {row['line']}, {row['name']!r}: {row['problem']}", style="yellow")
    if "path" in facts:
        say("Answers", facts["path"], style="bold")
        if facts["bad"]:
            count = plural(facts["bad"], "row")
            say("Bad", f"{count} without an answer: {facts['errors']}", style="yellow")


def _show_one(answers: Answers, reasons: Explanation | None, *, as_json: bool) -> None:
    from ..scoring.answers import answer_objects, explanation_object

    if as_json:
        (answer,) = answer_objects(answers, columns=True)
        print_json(answer if reasons is None else {**answer, "why": explanation_object(reasons)})
        return
    has_spread = answers.has_spread
    title = "Probabilities: mean and spread over seeds" if has_spread else "Probabilities"
    view = table(title, "Class", "Probability", *["Spread"] * has_spread, "")
    order = (-answers.probabilities[0]).argsort(kind="stable")[:_SHOWN]
    for c in order:
        mark = "predicted" if answers.predicted[0, c] else ""
        spreads = [f"{answers.spread[0, c]:.3f}"] if has_spread else []
        probability = f"{answers.probabilities[0, c]:.3f}"
        view.add_row(Text(answers.classes[c]), probability, *spreads, mark)
    console.print(view)
    if not has_spread:
        say("Spread", _NO_SPREAD, style="bold")
    if answers.unknown[0]:
        say("Unknown", ", ".join(answers.unknown[0][:_SHOWN]), style="yellow")
    if reasons is not None:
        _show_why(reasons)


def _show_why(explanation: Explanation) -> None:
    title = f"Why {explanation.label}: contributions to its probability"
    view = table(title, "What", "", "Points")
    view.add_row("an empty subgraph", "", f"{100 * explanation.baseline:.1f}")
    for kind, parts in (("member", explanation.members), ("neighbour", explanation.neighbors)):
        for part in parts[:10]:
            title = f" ({part.title})" if part.title and part.title != part.id else ""
            label = f" · {', '.join(part.labels)}" if part.labels else ""
            view.add_row(Text(f"{part.id}{title}"), Text(kind + label), f"{100 * part.value:+.1f}")
        if len(parts) > 10:
            rest = sum(part.value for part in parts[10:])
            view.add_row(f"{len(parts) - 10} more", kind, f"{100 * rest:+.1f}")
    if not explanation.neighbors and explanation.joins:
        view.add_row("no link to known subgraphs", "", "")
    if explanation.statistics is not None:
        view.add_row("its statistics", "", f"{100 * explanation.statistics:+.1f}")
    view.add_row("together", "", f"{100 * explanation.probability:.1f}", style="bold")
    console.print(view)
