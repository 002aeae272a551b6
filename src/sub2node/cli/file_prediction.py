"""Answers for the subgraphs of a file, batch by batch, with what goes beside them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ..base.errors import DataError
from ..base.plural import plural
from ..base.progress import activity
from ..base.records import JsonObject
from .answer_collector import AnswerCollector
from .case_file import CaseCollector
from .prediction_request import PredictionRequest
from .side_files import (
    BadSubgraph,
    FileExplainer,
    MappingCollector,
    SideTables,
    write_mapping,
    write_problems,
)

if TYPE_CHECKING:
    from ..io.table_writer import TableWriter
    from ..scoring import Query, Scorer
    from ..scoring.answer_extras import AnswerExtras
    from ..scoring.answer_tables import AnswerWriter

_BATCH = 1000  # subgraphs answered together
_DISK_BATCHES = 10  # of them where the graph lies on disk, which each time is searched as a whole


def answer_file(
    request: PredictionRequest,
    scorer: Scorer,
    extras: AnswerExtras,
    *,
    keep: int | None,
    cases: CaseCollector | None = None,
) -> tuple[JsonObject, AnswerCollector]:
    """Answer for all; numbers for people and machines, and the answers to show.

    Args:
        request: The file and what is wanted.
        scorer: The model.
        extras: What is added to the answers.
        keep: How many answers a table shows; None: all are kept, as JSON, unless written.
        cases: Takes questions and answers for a case report.
    """
    from ..io.grouped_rows import ScatteredRowsError

    try:
        return _FilePrediction(request, scorer, extras, keep, cases, read_all=False).run()
    except ScatteredRowsError:  # a subgraph came back: nothing holds that was answered for it
        if cases is not None:
            cases.clear()
        return _FilePrediction(request, scorer, extras, keep, cases, read_all=True).run()


@dataclass
class _FilePrediction:
    """One pass through the file."""

    request: PredictionRequest
    scorer: Scorer
    extras: AnswerExtras
    keep: int | None
    cases: CaseCollector | None
    read_all: bool
    problems: list[BadSubgraph] = field(default_factory=list)

    def __post_init__(self) -> None:
        from ..io.white_space import StrippedValues
        from ..scoring.query_changes import QueryChanges

        self.changes, self.stripped = QueryChanges(), StrippedValues()
        self.reading_notes = list[str]()
        self.mapping = MappingCollector(with_ids=self.request.mapping is not None)
        self.explainer = FileExplainer(self.scorer)
        self.tables: dict[str, TableWriter] = {}

    def run(self) -> tuple[JsonObject, AnswerCollector]:
        """Answer for all, write what is to be written, and count."""
        request = self.request
        with ExitStack() as stack:
            report = stack.enter_context(activity("Answering"))
            collected = AnswerCollector(self.extras, self._open_outputs(stack), self.keep)
            for query in self._queries():
                answers = request.predict(self.scorer, query)
                collected.add(answers, self._details(query))
                if self.cases is not None:
                    self.cases.add(query, answers)
                report(plural(collected.count, "subgraph"))
            if not collected.count:
                self._write_problems()
                raise DataError(_why_unanswered(self.problems), path=request.source)
            collected.finish()
        self._write_problems()
        return self._facts(collected), collected

    def _open_outputs(self, stack: ExitStack) -> AnswerWriter | None:
        from ..base.files import new_file, written
        from ..scoring.answer_tables import answer_writer

        out = self.request.out
        if out is None:
            return None
        stack.enter_context(written(out))
        part = stack.enter_context(new_file(out, overwrite=self.request.overwrite))
        write = stack.enter_context(answer_writer(part, out.suffix.lower(), self.extras))
        tables = SideTables(out, self.request.overwrite, stack)
        self.tables = {kind: tables.open(kind) for kind in self.request.side_files()}
        return write

    def _queries(self) -> Iterator[Query]:
        """Some subgraphs at a time that can be answered; those that cannot are put aside."""
        from ..scoring.name_mapping import NameMapping
        from ..scoring.query import IdLists

        request = self.request
        on_disk = self.scorer.graph.whole is not None
        most = _BATCH * _DISK_BATCHES if on_disk else _BATCH
        size = None if request.mode == "joint" else most
        for batch in request.read_sets(
            size=size, at_once=self.read_all, stripped=self.stripped, notes=self.reading_notes
        ):
            lists = IdLists.of_arrow(batch.names, batch.ptr, batch.nodes, absent=batch.absent)
            self.scorer.reach(lists.ids)
            index = self.scorer.index
            matches = index.match(lists.ids)
            lists = replace(lists, matches=matches)
            self.mapping.add(NameMapping(index, lists.ids, matches))
            query, unanswerable = self.scorer.look_up(lists, unknown_nodes=request.unknown_nodes)
            self.changes.add(query, lists)
            problems = {**unanswerable, **batch.problems}
            self.problems += [
                BadSubgraph(int(batch.lines[at]), batch.names[at], [], problems[at])
                for at in sorted(problems)
            ]
            yield query

    def _details(self, query: Query) -> list[JsonObject]:
        """Reasons and neighbours of a batch: written beside the answers, or as JSON."""
        from ..scoring.answer_details import neighbor_objects, neighbor_table, why_table
        from ..scoring.answers import explanation_object

        request = self.request
        details: list[JsonObject] = [{} for _ in range(len(query))]
        if request.why:
            explanations = self.explainer.explain(query)
            if write := self.tables.get("why"):
                write(why_table(explanations))
            by_name = {one.name: explanation_object(one) for one in explanations}
            for name, row in zip(query.names, details, strict=True):
                row["why"] = by_name.get(name)
        if request.neighbors:
            neighbors = self.scorer.neighbors(query, count=request.neighbors)
            if write := self.tables.get("neighbors"):
                write(neighbor_table(query.names, neighbors))
            for row, some in zip(details, neighbors, strict=True):
                row["neighbors"] = neighbor_objects(some)
        return details if request.why or request.neighbors else []

    def _write_problems(self) -> None:
        if self.request.out is not None:
            write_problems(self.problems, self.request.errors_file)

    def _facts(self, collected: AnswerCollector) -> JsonObject:
        request = self.request
        facts: JsonObject = {**collected.facts(), "bad": len(self.problems)}
        notes = [
            *self.reading_notes,
            *self.stripped.notes(),
            *self.mapping.notes(),
            *self.changes.notes(),
        ]
        facts |= {"notes": [*notes, *self.explainer.notes()]}
        facts |= self._write_mapping()
        if request.out is None:
            facts |= {"problems": [p._asdict() for p in self.problems]}
            return facts | ({"answers": collected.rows} if self.keep is None else {})
        facts |= {"path": str(request.out)}
        facts |= {"errors": str(request.errors_file) if self.problems else None}
        return facts | {kind: str(path) for kind, path in request.side_files().items()}

    def _write_mapping(self) -> JsonObject:
        """Write the table of names, where it was asked for or some name is not an id."""
        request = self.request
        path = request.mapping_file
        if path is None:
            return {}
        if request.mapping is None and not self.mapping.rows:
            path.unlink(missing_ok=True)  # an old one that does not hold any more
            return {}
        write_mapping(list(self.mapping.rows.values()), path, overwrite=request.overwrite)
        return {"mapping": str(path)}


def _why_unanswered(problems: list[BadSubgraph]) -> str:
    if not problems:
        return "there is no subgraph in it."
    first = problems[0]
    count = plural(len(problems), "subgraph")
    return f"none of {count} has an answer; line {first.line}: {first.problem}"
