"""Tables of results beside what was published."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..config import Structure, is_plain_s2n
from ..evaluate.significance import Summary, compare_scores, mark
from .cell_journal import Record
from .cell_sheet import Sheet, TableCell
from .paper_data import dataset_title
from .paper_targets import BASELINES, SIMPLE, SOURCES
from .published import Published, published

CONV_NAMES = {
    "gcn": "GCN", "gcn2": "GCNII", "gin": "GIN", "gatv2": "GATv2", "sage": "GraphSAGE",
    "fagcn": "FAGCN",
}  # fmt: skip
DISPLAY_NAMES = {
    "sub2vec": "Sub2Vec", "gbdt": "GBDT", "subgnn": "SubGNN", "glass": "GLASS",
    "majority": "majority class", "bag": "bag of nodes", "diffused-bag": "diffused bag of nodes",
    "statistics": "exact statistics", "separated": "Separated", "connected": "Connected",
    "s2n+0": "S2N+0", "s2n+a": "S2N+A", "cos2n+0": "CoS2N+0", "cos2n+a": "CoS2N+A",
    "rwpe": "RWPE", "lappe": "LapPE", "none": "no encoding", **CONV_NAMES,
}  # fmt: skip


@dataclass(frozen=True)
class Entry:
    """The content of one cell: our number, the published one, and what to know about them.

    Args:
        status: ``done``, ``missing``, ``left out``, ``failed`` or ``not yet``.
        ours: Our number in the unit of the table, scores in percent; None where it is text.
        spread: Standard deviation (n-1) over seeds; of statistics over subgraphs.
        n: The number of runs.
        val: The mean score on validation.
        text: Our result where it is no number.
        published: What the paper printed.
        mark: ∗ significantly better than the reference, ∼ no significant difference.
        p: The p-value of that test.
        why: Why there is no result.
        cell: The cell of the table.
        record: The result of the job.
        style: How the number is written: ``score``, ``count``, ``plain`` or ``ratio``.
    """

    status: str
    ours: float | None = None
    spread: float | None = None
    n: int = 0
    val: float | None = None
    text: str = ""
    published: Published | None = None
    mark: str = ""
    p: float | None = None
    why: str = ""
    cell: TableCell | None = None
    record: Record | None = None
    style: str = "score"

    @property
    def summary(self) -> Summary:
        """Test scores by seed."""
        assert self.record is not None
        return Summary(self.record.values)

    @property
    def difference(self) -> float | None:
        """Our number minus the published one."""
        if self.ours is None or self.published is None or self.published.value is None:
            return None
        return self.ours - self.published.value


@dataclass(frozen=True)
class Line:
    """One row of a table."""

    title: str
    group: str
    entries: tuple[Entry, ...]


Entries = dict[tuple[str, str], Entry]  # by row and column


@dataclass(frozen=True)
class PaperTable:
    """A table of the paper with our numbers.

    Args:
        name: The name of the table and of its CSV file.
        title: What it shows.
        source: The label of the published table or figure.
        columns: The titles of the columns.
        kinds: The kind of data in each column.
        lines: The rows of the table.
        notes: What to know, one sentence per note.
        quick: Whether its numbers are no results but a quick look.
        head: The heading over the row titles.
        more: Other content, by name; of ``theory`` the claims.
    """

    name: str
    title: str
    source: str
    columns: tuple[str, ...]
    kinds: tuple[str, ...]
    lines: tuple[Line, ...]
    notes: tuple[str, ...] = ()
    quick: bool = False
    head: str = "Model"
    more: dict[str, Any] = field(default_factory=dict)

    def count(self, status: str) -> int:
        """The number of cells with a status."""
        return sum(entry.status == status for line in self.lines for entry in line.entries)


def row_title(row: str) -> str:
    """``s2n+a gcn2 rwpe`` → ``S2N+A GCNII, RWPE``."""
    names = [DISPLAY_NAMES.get(word, word) for word in row.split(" ")]
    return " ".join(names[:2]) + "".join(f", {name}" for name in names[2:])


def make_entry(cell: TableCell, records: dict[str, Record], **more: Any) -> Entry:
    """The entry of a cell, before its numbers are taken out of the record."""
    if cell.why[0]:
        return Entry(cell.why[0], why=cell.why[1], cell=cell, **more)
    record = records.get(cell.key)
    if record is None:
        return Entry("not yet", why="it was not run yet", cell=cell, **more)
    status = "done" if record.done else "failed"
    return Entry(status, why=record.why, cell=cell, record=record, **more)


def make_score_entry(cell: TableCell, records: dict[str, Record], source: str = "") -> Entry:
    """Mean and standard deviation of the test scores, in percent."""
    printed = published(source, cell.row, cell.column) if source else None
    entry = make_entry(cell, records, published=printed)
    if entry.record is None or not entry.record.values:
        return entry
    test, val = Summary(entry.record.values), Summary(entry.record.val or (float("nan"),))
    spread = None if test.sd is None else 100 * test.sd
    return replace(entry, ours=100 * test.mean, spread=spread, n=test.n, val=100 * val.mean)


def score_table(
    name: str, sheet: Sheet, *, heading: str, records: dict[str, Record], marked: bool = False
) -> PaperTable:
    """A table of scores by dataset.

    Args:
        name: The name of the table, which is also its target.
        sheet: Which result stands where.
        heading: The title of the table.
        records: The results by key.
        marked: Whether S2N rows are compare_scores against the strongest baseline.
    """
    cells = sheet.spots[name]
    columns = list(dict.fromkeys(cell.column for cell in cells))
    rows = list(dict.fromkeys(cell.row for cell in cells))
    source = SOURCES[name]
    entries = {(s.row, s.column): make_score_entry(s, records, source) for s in cells}
    notes: list[str] = []
    if marked:
        entries, notes = _mark_entries(entries, rows, columns)
        notes += _compare_with_simple(entries, rows, columns)
    lines = tuple(
        Line(row_title(row), _row_group(row), tuple(entries[row, column] for column in columns))
        for row in rows
    )
    return PaperTable(
        name=name,
        title=heading,
        source=f"tab:{source}",
        columns=tuple(map(dataset_title, columns)),
        kinds=tuple(sheet.data.get(c, {}).get("kind", "") for c in columns),
        lines=lines,
        notes=tuple(notes),
        quick=bool(sheet.plans[name]["quick"]),
    )


def _row_group(row: str) -> str:
    if row in SIMPLE:
        return "Simple models"
    if row in BASELINES:
        return "Baselines"
    if row.endswith("rwpe") and row.count(" ") == 2:
        return "S2N with RWPE"
    first, _, second = row.partition(" ")
    if second in ("gin", "gatv2"):
        return CONV_NAMES[second]
    if first in ("separated", "connected"):
        return "Separated and connected"
    return "S2N" if second in CONV_NAMES else DISPLAY_NAMES.get(first, "")


def _mark_entries(
    entries: Entries, rows: Sequence[str], columns: Sequence[str]
) -> tuple[Entries, list[str]]:
    """The paper's marks of the S2N rows, against the strongest baseline that was run here.

    The strongest is the best on validation: of the reprinted baselines; where none of them was run,
    of separated and connected.
    """
    marked, notes = dict(entries), []
    for column in columns:
        reference = _strongest_baseline(entries, rows, column)
        if reference is None:
            continue
        base = entries[reference, column].record
        assert base is not None
        notes.append(f"{dataset_title(column)}: {row_title(reference)}")
        for row in rows:
            entry = entries[row, column]
            if not is_plain_s2n(row) or entry.record is None or not entry.record.values:
                continue
            ours, other = Summary(entry.record.values), Summary(base.values)
            p = compare_scores(ours, other, None)
            marked[row, column] = replace(entry, p=p, mark=mark(ours, other, p))
    references = "; ".join(notes)
    return marked, [
        f"Marks on S2N rows: ∗ significantly better than the strongest baseline run here, ∼ no"
        f" significant difference, ? too few runs, none: worse (Welch's t-test, level 0.01; best on"
        f" validation: {references}). The paper's marks are against GLASS."
    ] * bool(notes)


def _compare_with_simple(
    entries: Entries, rows: Sequence[str], columns: Sequence[str]
) -> list[str]:
    """The best S2N row against the best simple model, both chosen on validation."""
    parts = []
    for column in columns:
        ours = _best_row(entries, [row for row in rows if is_plain_s2n(row)], column)
        other = _best_row(entries, [row for row in rows if row in SIMPLE], column)
        if ours is None or other is None:
            continue
        pair = entries[ours, column], entries[other, column]
        p = compare_scores(pair[0].summary, pair[1].summary, None)
        gap = round((pair[0].ours or 0.0) - (pair[1].ours or 0.0), 1) + 0.0
        text = f"{dataset_title(column)}: {row_title(ours)} {gap:+.1f} points to {row_title(other)}"
        parts.append(text if p is None else f"{text}, p = {p:.2g}")
    head = "The best S2N row against the best simple model, both by validation: "
    return [f"{head}{'; '.join(parts)}."] * bool(parts)


def _best_row(entries: Entries, among: Sequence[str], column: str) -> str | None:
    """The row with the best score on validation."""
    with_score = [row for row in among if entries[row, column].val is not None]
    return max(with_score, key=lambda row: entries[row, column].val or 0.0, default=None)


def _strongest_baseline(entries: Entries, rows: Sequence[str], column: str) -> str | None:
    plain = [
        row for row in rows if (structure := Structure.parse(row)) and not structure.translated
    ]
    reprinted = [row for row in rows if row in BASELINES]
    return _best_row(entries, reprinted, column) or _best_row(entries, plain, column)
