"""Tables beside the answers of a file: reasons, neighbours, what names mean, and bad rows."""

from __future__ import annotations

import csv
import time
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..base.plural import plural
from .output import errors, say

if TYPE_CHECKING:
    from ..base.ragged import Array
    from ..io.table_writer import TableWriter
    from ..scoring import Explanation, Query, Scorer
    from ..scoring.name_mapping import MappedName, NameMapping

MOST_EXPLAINED = 1000  # members of a subgraph of a file that is explained
_TIMED = 3  # explanations after which the time of the others is estimated
_LONG = 60.0  # seconds per thousand subgraphs that are worth a word
_THOUSAND = 1000


class BadSubgraph(NamedTuple):
    """A subgraph of the file, or a row, without an answer."""

    line: int
    name: str
    nodes: list[str]
    problem: str


def beside(out: Path, kind: str) -> Path:
    """The file of a kind beside the answers: ``answers.why.csv`` for ``answers.csv``."""
    return out.with_name(f"{out.stem}.{kind}{'.csv' if out.suffix == '.json' else out.suffix}")


@dataclass
class FileExplainer:
    """Explains subgraphs of a file, batch by batch, and says beforehand how long it takes.

    Args:
        scorer: The model.
        too_large: Subgraphs that were not explained, since they have too many members.
    """

    scorer: Scorer
    too_large: int = 0
    _estimated: bool = False

    def explain(self, query: Query) -> list[Explanation]:
        """The reasons of all subgraphs of a batch but the largest."""
        import numpy as np

        small = np.flatnonzero(query.subgraphs.sizes <= MOST_EXPLAINED)
        self.too_large += len(query) - len(small)
        first = 0 if self._estimated else _TIMED
        explanations = self._explain(query, small[:first])
        return explanations + self._explain(query, small[first:])

    def _explain(self, query: Query, chosen: Array) -> list[Explanation]:
        if not len(chosen):
            return []
        start = time.perf_counter()
        explanations = self.scorer.explain(query.take(chosen))
        each = (time.perf_counter() - start) / len(chosen)
        if not self._estimated and each * _THOUSAND > _LONG:
            minutes = each * _THOUSAND / 60
            text = f"about {each:.1f} s per subgraph, {minutes:.0f} minutes for a thousand."
            say("Explaining", text, style="dim", to=errors)
        self._estimated = True
        return explanations

    def notes(self) -> list[str]:
        """That some subgraphs are too large, if some are."""
        if not self.too_large:
            return []
        count = plural(self.too_large, "subgraph")
        return [f"{count} of more than {MOST_EXPLAINED:,} members not explained."]


@dataclass
class MappingCollector:
    """What the names in a file mean, each distinct one once.

    Args:
        with_ids: Whether names that are ids are kept too.
        rows: The names that were seen, in their order, with what they mean.
    """

    with_ids: bool
    rows: dict[str, MappedName] = field(default_factory=dict)

    def add(self, mapping: NameMapping) -> None:
        """Take the names of a batch."""
        import numpy as np

        from ..task.other_names import ID

        kept: Iterable[int] = range(len(mapping.names))
        if not self.with_ids:
            kept = np.flatnonzero(mapping.matches.hows != ID).tolist()
        for place in kept:
            name = mapping.names[place]
            if name not in self.rows:
                self.rows[name] = mapping.row(place)

    def notes(self) -> list[str]:
        """How many names were found in which way, if not all were ids."""
        from ..base.notes import changed, dropped
        from ..base.plural import examples
        from ..task.node_names import AMBIGUOUS, UNKNOWN, by_kind
        from ..task.other_names import ID

        by_how: dict[str, list[MappedName]] = {}
        for row in self.rows.values():
            by_how.setdefault(row.how, []).append(row)
        notes: list[str] = []
        for how, rows in by_how.items():
            if how in (ID, UNKNOWN):
                continue
            if how == AMBIGUOUS:
                shown = (f"{r.given!r} ({' or '.join(r.candidates[:3])})" for r in rows)
                text = f"{plural(len(rows), 'ambiguous name')}: {examples(shown, len(rows))}."
                notes.append(dropped(text))
                continue
            shown = (f"{row.given!r} is {row.node_id!r}" for row in rows)
            text = examples(shown, len(rows))
            notes.append(changed(f"{plural(len(rows), 'name')} given {by_kind(how)}: {text}."))
        return notes


@dataclass
class SideTables:
    """The tables that are written while answers are.

    Args:
        out: The file of the answers.
        overwrite: Whether files that are there may be replaced.
        stack: What closes the tables.
    """

    out: Path
    overwrite: bool
    stack: ExitStack

    def open(self, kind: str) -> TableWriter:
        """A table of a kind, ``why`` or ``neighbors``."""
        from ..scoring.answer_details import NEIGHBORS, WHY

        path = beside(self.out, kind)
        return open_output(
            path, {"why": WHY, "neighbors": NEIGHBORS}[kind], self.stack, overwrite=self.overwrite
        )


def open_output(path: Path, schema: object, stack: ExitStack, *, overwrite: bool) -> TableWriter:
    """A table that takes its place when the stack is closed without an error."""
    from ..base.files import new_file, written
    from ..io.table_writer import open_table

    stack.enter_context(written(path))
    part = stack.enter_context(new_file(path, overwrite=overwrite))
    return stack.enter_context(open_table(part, path.suffix.lower(), schema))


def write_mapping(rows: Sequence[MappedName], path: Path, *, overwrite: bool) -> None:
    """Write the table of what names mean."""
    from ..scoring.answer_details import MAPPING, mapping_table

    with ExitStack() as stack:
        open_output(path, MAPPING, stack, overwrite=overwrite)(mapping_table(rows))


def write_problems(problems: Sequence[BadSubgraph], path: Path) -> None:
    """Write the list of bad rows; an old one that does not hold any more goes."""
    from ..base.files import new_file, written

    with written(path):
        if not problems:
            path.unlink(missing_ok=True)
            return
        with new_file(path) as part, part.open("w", encoding="utf-8", newline="") as text:
            writer = csv.writer(text)
            writer.writerow(["line", "subgraph_id", "problem"])
            writer.writerows([p.line, p.name, p.problem] for p in problems)
