"""Tables of results beside what was published."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..significance import Summary, mark, tested
from .columns import title
from .journal import Record
from .published import Published, published
from .sheet import Sheet, Spot
from .targets import BASELINES, SIMPLE, SOURCES

NAMES = {"gcn": "GCN", "gcn2": "GCNII", "gin": "GIN", "gatv2": "GATv2", "sage": "GraphSAGE"}
WORDS = {
    "sub2vec": "Sub2Vec", "gbdt": "GBDT", "subgnn": "SubGNN", "glass": "GLASS",
    "majority": "majority class", "bag": "bag of nodes", "diffused-bag": "diffused bag of nodes",
    "statistics": "exact statistics", "separated": "Separated", "connected": "Connected",
    "s2n+0": "S2N+0", "s2n+a": "S2N+A", "cos2n+0": "CoS2N+0", "cos2n+a": "CoS2N+A",
    "rwpe": "RWPE", "lappe": "LapPE", "none": "no encoding", **NAMES,
}  # fmt: skip


@dataclass(frozen=True)
class Entry:
    """One cell of a table: ours, the published one, and what to know.

    Args:
        status: ``done``, ``missing``, ``left out``, ``failed`` or ``not yet``.
        ours: In the unit of the table; scores in percent. None where there is none, or it is text.
        spread: Standard deviation (n-1) over seeds; of statistics over subgraphs.
        n: Runs.
        val: Mean on validation.
        text: Ours where it is no number.
        published: What the paper printed.
        mark: ∗ significantly better than the reference, ∼ no significant difference.
        p: Of that test.
        why: What keeps it from being there.
        spot: Which place it is of.
        record: What was found.
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
    spot: Spot | None = None
    record: Record | None = None
    style: str = "score"

    @property
    def summary(self) -> Summary:
        """Test scores by seed."""
        assert self.record is not None
        return Summary(self.record.values)

    @property
    def difference(self) -> float | None:
        """Ours less the published one."""
        if self.ours is None or self.published is None or self.published.value is None:
            return None
        return self.ours - self.published.value


@dataclass(frozen=True)
class Line:
    """One row of a table."""

    title: str
    group: str
    entries: tuple[Entry, ...]


@dataclass(frozen=True)
class Table:
    """A table.

    Args:
        name: Of its CSV file too.
        title: What it shows.
        source: Label of the published table or figure.
        columns: Their titles.
        kinds: Of the data in each column, in words.
        lines: Its rows.
        notes: What to know, a sentence each.
        quick: Whether its numbers are no results but a quick look.
        head: Over the rows.
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
        """Cells of a status."""
        return sum(entry.status == status for line in self.lines for entry in line.entries)


def row_title(row: str) -> str:
    """``s2n+a gcn2 rwpe`` → ``S2N+A GCNII, RWPE``."""
    words = [WORDS.get(word, word) for word in row.split(" ")]
    return " ".join(words[:2]) + "".join(f", {word}" for word in words[2:])


def entry_of(spot: Spot, records: dict[str, Record], **more: Any) -> Entry:
    """What stands at a place, before its numbers are taken out of the record."""
    if spot.why[0]:
        return Entry(spot.why[0], why=spot.why[1], spot=spot, **more)
    record = records.get(spot.key)
    if record is None:
        return Entry("not yet", why="it was not run yet", spot=spot, **more)
    status = "done" if record.done else "failed"
    return Entry(status, why=record.why, spot=spot, record=record, **more)


def score_entry(spot: Spot, records: dict[str, Record], source: str = "") -> Entry:
    """Mean and standard deviation of the test scores, in percent."""
    printed = published(source, spot.row, spot.column) if source else None
    entry = entry_of(spot, records, published=printed)
    if entry.record is None or not entry.record.values:
        return entry
    found, val = Summary(entry.record.values), Summary(entry.record.val or (float("nan"),))
    return replace(
        entry, ours=100 * found.mean, spread=100 * found.sd, n=found.n, val=100 * val.mean
    )


def score_table(name: str, heading: str, sheet: Sheet, target: str, records: dict[str, Record],
                *, marked: bool = False, head: str = "Model") -> Table:  # fmt: skip
    """A table of scores by dataset."""
    spots = sheet.spots[target]
    columns = list(dict.fromkeys(spot.column for spot in spots))
    rows = list(dict.fromkeys(spot.row for spot in spots))
    source = SOURCES[name]
    found = {(s.row, s.column): score_entry(s, records, source) for s in spots}
    notes: list[str] = []
    if marked:
        found, notes = _marks(found, rows, columns)
        notes += _simple(found, rows, columns)
    lines = tuple(
        Line(row_title(row), _group(row), tuple(found[row, column] for column in columns))
        for row in rows
    )
    return Table(
        name, heading, f"tab:{source}", tuple(map(title, columns)),
        tuple(sheet.data.get(c, {}).get("kind", "") for c in columns), lines, tuple(notes),
        bool(sheet.plans[target]["quick"]), head,
    )  # fmt: skip


def _group(row: str) -> str:
    if row in SIMPLE:
        return "Simple models"
    if row in BASELINES:
        return "Baselines"
    if row.endswith("rwpe") and row.count(" ") == 2:
        return "S2N with RWPE"
    first, _, second = row.partition(" ")
    if second in ("gin", "gatv2"):
        return NAMES[second]
    if first in ("separated", "connected"):
        return "Separated and connected"
    return "S2N" if second in NAMES else WORDS.get(first, "")


def _marks(
    found: dict[tuple[str, str], Entry], rows: Sequence[str], columns: Sequence[str]
) -> tuple[dict[tuple[str, str], Entry], list[str]]:
    """The paper's marks of the S2N rows, against the strongest baseline that was run here.

    The strongest is the best on validation: of the reprinted baselines; where none of them was run,
    of separated and connected.
    """
    marked, notes = dict(found), []
    for column in columns:
        reference = _strongest(found, rows, column)
        if reference is None:
            continue
        base = found[reference, column].record
        assert base is not None
        notes.append(f"{title(column)}: {row_title(reference)}")
        for row in rows:
            entry = found[row, column]
            if not row.startswith("s2n") or entry.record is None or not entry.record.values:
                continue
            ours, other = Summary(entry.record.values), Summary(base.values)
            p = tested(ours, other, None)
            sign = "" if p is None else mark(ours, other, p)
            marked[row, column] = replace(entry, p=p, mark=sign)
    words = "; ".join(notes)
    return marked, [
        f"Marks on S2N rows: ∗ significantly better than the strongest baseline run here, ∼ no"
        f" significant difference, none: worse (Welch's t-test, level 0.01; best on validation:"
        f" {words}). The paper's marks are against GLASS."
    ] * bool(notes)


def _simple(
    found: dict[tuple[str, str], Entry], rows: Sequence[str], columns: Sequence[str]
) -> list[str]:
    """The best S2N row against the best simple model, both chosen on validation."""
    parts = []
    for column in columns:
        ours = _best(found, [row for row in rows if row.startswith("s2n")], column)
        other = _best(found, [row for row in rows if row in SIMPLE], column)
        if ours is None or other is None:
            continue
        pair = found[ours, column], found[other, column]
        p = tested(pair[0].summary, pair[1].summary, None)
        gap = round((pair[0].ours or 0.0) - (pair[1].ours or 0.0), 1) + 0.0
        words = f"{row_title(ours)} {gap:+.1f} points to {row_title(other)}"
        parts.append(f"{title(column)}: {words}{'' if p is None else f', p = {p:.2g}'}")
    head = "The best S2N row against the best simple model, both by validation: "
    return [f"{head}{'; '.join(parts)}."] * bool(parts)


def _best(found: dict[tuple[str, str], Entry], among: Sequence[str], column: str) -> str | None:
    """The best on validation."""
    there = [row for row in among if found[row, column].val is not None]
    return max(there, key=lambda row: found[row, column].val or 0.0, default=None)


def _strongest(found: dict[tuple[str, str], Entry], rows: Sequence[str], column: str) -> str | None:
    plain = [row for row in rows if row.startswith(("separated", "connected"))]
    reprinted = [row for row in rows if row in BASELINES]
    return _best(found, reprinted, column) or _best(found, plain, column)
