"""``s2n predict``: answers for the subgraphs of a file."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from ..base.errors import ConfigError, DataError
from ..base.plural import plural
from ..base.progress import activity
from ..base.records import JsonObject
from .answer_collector import AnswerCollector
from .answer_printing import SHOWN, show_answers, show_one, unchosen_note
from .case_file import CaseReport, check_case_report, say_report, write_cases
from .data_arguments import column_mapping
from .doubt_lines import NullDraws, NullSeed
from .options import AsJson, Columns, MaxExpansion, Overwrite, Positive, out_option
from .output import (
    errors,
    print_json,
    progress,
    show_notes,
)

if TYPE_CHECKING:
    from ..io.white_space import StrippedValues
    from ..scoring import Answers, Query, Scorer
    from ..scoring.answer_extras import AnswerExtras
    from ..scoring.query_changes import QueryChanges
    from ..scoring.scorer import PlacedSubgraphs

_BATCH = 1000  # subgraphs answered together


def predict(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A folder that s2n fit wrote.")],
    source: Annotated[
        Path | None,
        typer.Argument(
            metavar="INPUT",
            help="CSV, TSV, Parquet, JSONL or GMT of subgraphs; phenopackets: JSON, folder, zip.",
        ),
    ] = None,
    *,
    out: Annotated[
        Path | None, out_option("File to write: .parquet, .csv, .tsv or .jsonl.")
    ] = None,
    nodes: Annotated[
        str | None,
        typer.Option("--nodes", metavar="A,B,C", help="One subgraph instead of a file: its nodes."),
    ] = None,
    top: Annotated[
        int | None,
        typer.Option("--top", metavar="K", help="Also give the K likeliest classes of each."),
    ] = None,
    positive: Positive = None,
    why: Annotated[
        bool, typer.Option("--why", help="Explain the answer for one subgraph.")
    ] = False,
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
    null: NullDraws = None,
    seed: NullSeed = 0,
    report: CaseReport = None,
    column: Columns = None,
    max_expansion: MaxExpansion = None,
    overwrite: Overwrite = False,
    as_json: AsJson = False,
) -> None:
    """Answer for new subgraphs, of a file or given by their nodes.

    Examples:
        s2n predict my-model new.csv -o answers.csv
        s2n predict my-model --nodes TP53,MDM2 --why
        s2n predict my-model patient.json --top 5 --why
        s2n predict my-model patient.json --report case.html

    CSV and Parquet have the columns subgraph_id and node_id (best with the rows of a subgraph
    together: they are then read one subgraph at a time), JSONL has lines like {"id": "a", "nodes":
    ["x", "y"]}. Bad rows are listed with their line numbers in OUT.errors.csv, and the good ones
    are answered. Several labels are listed likeliest first, and probability is that of the first.
    """
    from ..io.expansion import expansion_limit
    from ..scoring import load_scorer

    if top is not None and top < 1:
        raise ConfigError(f"--top is a number of classes from 1, found {top}.")
    request = _FileRequest(
        source=source,
        out=out,
        unknown_nodes=unknown_nodes,
        mode=mode,
        columns=column_mapping(column or []),
        overwrite=overwrite,
        draws=null,
        seed=seed,
        report=report,
    )
    if (source is None) == (nodes is None):
        raise ConfigError("give a file of subgraphs, or one subgraph by --nodes A,B,C.")
    if why and out is not None:
        raise ConfigError("--why explains one answer, which is printed; omit -o.")
    if nodes is not None and out is not None:
        raise ConfigError("-o is for a file of subgraphs; the answer for --nodes is printed.")
    request.check()
    with expansion_limit(max_expansion), progress():
        with activity(f"Loading {model}"):
            scorer = load_scorer(model)
        extras = _find_extras(scorer, top or 0, positive)
        one = nodes is not None or why
        if one:
            query = _ask(scorer, nodes, unknown_nodes) if nodes else request.read_one(scorer)
            placed = scorer.place(query, mode=mode)  # type: ignore[arg-type]
            answers = request.predict(scorer, placed)
            with activity("Explaining the answer"):
                reasons = scorer.explain(placed)[0] if why else None
        else:
            queries: list[Query] = []
            facts, collected = request.answer(scorer, extras, as_json=as_json, queries=queries)
        if report is not None:
            shown = [answers] if one else [part for part, _ in collected.shown]
            queries = [query] if one else queries
            reading_notes = [] if one else facts["notes"]
            write_cases(report, scorer, queries, shown, extras, source=source,
                        notes=reading_notes, overwrite=overwrite)  # fmt: skip
    notes = unchosen_note(extras.positive)
    if one:
        show_notes(notes, to=errors)
        show_one(answers, reasons, extras, as_json=as_json, draws=null)
        say_report(report, 1, as_json=as_json)
        return
    facts["notes"] += notes
    show_notes(facts["notes"], to=errors)
    if as_json:
        print_json(facts)
    else:
        show_answers(facts, collected.shown, extras, draws=null)
    say_report(report, collected.count, as_json=as_json)


def _ask(scorer: Scorer, nodes: str, unknown_nodes: str) -> Query:
    """The subgraph that is given by its nodes."""
    ids = [node.strip() for node in nodes.split(",") if node.strip()]
    query = scorer.ask([ids], names=[""], unknown_nodes=unknown_nodes)  # type: ignore[arg-type]
    return replace(query, names=("this",))  # its id in JSON


def _find_extras(scorer: Scorer, top: int, label: str | None) -> AnswerExtras:
    """What is given beside the answers: by the options, or by the card of the model."""
    from ..scoring.answer_extras import AnswerExtras
    from ..scoring.positive_alerts import PositiveAlerts

    positive = PositiveAlerts.of_model(
        scorer.card, scorer.classes, multilabel=scorer.multilabel, label=label
    )
    return AnswerExtras(top, positive)


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
        draws: Number of random sets to compare each subgraph with; None: none.
        seed: Seed of the random sets.
        report: Where the case report goes; None: nowhere.
    """

    source: Path | None
    out: Path | None
    unknown_nodes: str
    mode: str
    columns: dict[str, str]
    overwrite: bool
    draws: int | None = None
    seed: int = 0
    report: Path | None = None

    def check(self) -> None:
        """Raise what can be known before the model is loaded."""
        from ..base.files import require_writable
        from ..io.sets import check_columns
        from ..scoring.answer_tables import ENDINGS
        from ..scoring.null_distribution import check_draws

        check_columns(self.columns)
        if self.unknown_nodes not in ("error", "drop"):
            raise ConfigError(f"--unknown-nodes is error or drop, not {self.unknown_nodes!r}.")
        if self.mode not in ("independent", "joint"):
            raise ConfigError(f"--mode is independent or joint, not {self.mode!r}.")
        if self.draws is not None:
            check_draws(self.draws, self.seed)
            if self.mode == "joint":
                raise ConfigError("--null is for --mode independent: random sets are asked alone.")
        if self.report is not None:
            check_case_report(
                self.report, self.source, self.out, mode=self.mode, overwrite=self.overwrite
            )
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

    def predict(self, scorer: Scorer, query: Query | PlacedSubgraphs) -> Answers:
        """Answers for a query, compared with random sets where that is wanted."""
        from ..scoring.null_distribution import compare_with_null

        answers = scorer.predict(query, mode=self.mode)  # type: ignore[arg-type]
        if self.draws is None:
            return answers
        return compare_with_null(scorer, query, answers=answers, draws=self.draws, seed=self.seed)

    def read_one(self, scorer: Scorer) -> Query:
        """The only subgraph of the file."""
        from ..io.sets import read_sets
        from ..scoring.query import IdLists

        assert self.source is not None
        batches = list(islice(read_sets(self.source, self.columns, size=2, at_once=True), 2))
        if sum(len(batch.names) for batch in batches) != 1:
            raise ConfigError(f"--why is for one subgraph, and {self.source} has not just one.")
        (batch,) = (batch for batch in batches if len(batch.names))
        lists = IdLists.of_arrow(batch.names, batch.ptr, batch.nodes)
        query, unanswerable = scorer.look_up(lists, unknown_nodes=self.unknown_nodes)
        problems = {**unanswerable, **batch.problems}
        if problems:
            raise DataError(next(iter(problems.values())), path=self.source)
        return query

    def answer(
        self, scorer: Scorer, extras: AnswerExtras, *, as_json: bool, queries: list[Query]
    ) -> tuple[JsonObject, AnswerCollector]:
        """Answer for all; numbers for people and machines, and the answers to show.

        Args:
            scorer: The model.
            extras: What is added to the answers.
            as_json: Whether all answers are kept as JSON.
            queries: Takes the questions, where there will be a case report of some.
        """
        from ..io.sets import ScatteredRowsError

        try:
            return self._answer(scorer, extras, as_json=as_json, queries=queries, read_all=False)
        except ScatteredRowsError:  # a subgraph came back: nothing holds that was answered for it
            queries.clear()
            return self._answer(scorer, extras, as_json=as_json, queries=queries, read_all=True)

    def _answer(
        self,
        scorer: Scorer,
        extras: AnswerExtras,
        *,
        as_json: bool,
        queries: list[Query],
        read_all: bool,
    ) -> tuple[JsonObject, AnswerCollector]:
        from ..base.files import new_file, written
        from ..io.white_space import StrippedValues
        from ..scoring.answer_tables import table_writer
        from ..scoring.query_changes import QueryChanges

        problems: list[_BadSubgraph] = []
        changes, stripped = QueryChanges(), StrippedValues()
        with ExitStack() as stack:
            write, report = None, stack.enter_context(activity("Answering"))
            if self.out is not None:
                stack.enter_context(written(self.out))
                part = stack.enter_context(new_file(self.out, overwrite=self.overwrite))
                write = stack.enter_context(table_writer(part, self.out.suffix.lower(), extras))
            collected = AnswerCollector(extras, write, SHOWN, as_json)
            for query, bad in self._read_batches(scorer, changes, stripped, read_all=read_all):
                problems += bad
                answers = self.predict(scorer, query)
                queries += [query] * (self.report is not None)
                collected.add(answers)
                report(plural(collected.count, "subgraph"))
            if not collected.count:
                self._write_problems(problems)
                raise DataError(_why_unanswered(problems), path=self.source)
            collected.finish()
        self._write_problems(problems)
        facts: JsonObject = {**collected.facts(), "bad": len(problems)}
        facts |= {"notes": [*stripped.notes(), *changes.notes()]}
        if self.out is not None:
            facts |= {"path": str(self.out), "errors": str(self.errors_file) if problems else None}
        else:
            facts |= {"problems": [p._asdict() for p in problems]}
            facts |= {"answers": collected.rows} if as_json else {}
        facts |= {} if self.report is None else {"report": str(self.report)}
        return facts, collected

    def _read_batches(
        self, scorer: Scorer, changes: QueryChanges, stripped: StrippedValues, *, read_all: bool
    ) -> Iterator[tuple[Query, list[_BadSubgraph]]]:
        """Some subgraphs at a time, and those that cannot be answered."""
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
            yield query, bad

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
