"""The conclusions of the paper, each with our rows, tests and a verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from pages.claims import Claim, claim, claims_on
from pages.equal_tables import equal_difference, longer_difference
from pages.markdown import generates, table
from pages.rows import cell, cell_scores, mean, read, seed_scores
from pages.score_tables import REAL, TABLE_OF, TASK_OF
from pages.speed_tables import SHAPES, authors, captured_ratio, h200, plain_ratio
from pages.study_tables import SIZES, scarce_scores
from pages.verdicts import (
    MARGIN,
    Claimed,
    Difference,
    listed,
    paired_difference,
    verdict,
    welch_difference,
)

SHORT = {"HPO-Neuro": "HPO-Neuro*", "HPO-Metab": "HPO-Metab*"}
EQUAL = {
    "GLASS": "glass",
    "S2N+0 GCNII": "s2n+0 gcn2",
    "S2N+A GCNII": "s2n+a gcn2",
}


@dataclass(frozen=True)
class Statement:
    """A conclusion about scores: one model above another, or not below it.

    Args:
        text: What the paper says.
        pairs: Rows that are compared: the first and the second side.
        data: The columns.
        claimed: What must hold of each difference.
        table: The table of the rows; empty: that of the data.
        note: What stands behind the evidence.
        more: Further differences over ten seeds on the published split.
    """

    text: str
    pairs: Sequence[tuple[str, str]]
    data: Sequence[str]
    claimed: Claimed = "above"
    table: str = ""
    note: str = ""
    more: Callable[[], list[Difference]] | None = None

    def over_seeds(self) -> list[Difference]:
        """On the published split."""
        found = [d for pair in self.pairs for d in differences(*pair, self.data, table=self.table)]
        return found + (self.more() if self.more else [])

    def over_splits(self) -> list[Difference]:
        """In the equal search, and against GLASS after a longer one, where both sides are there."""
        found = [
            difference
            for first, second in self.pairs
            if first in EQUAL and second in EQUAL and not self.table
            for name in self.data
            for difference in _split_differences(first, second, name)
        ]
        return [difference for difference in found if difference is not None]

    def row(self) -> list[str]:
        """As it stands in a table."""
        seeds, splits = self.over_seeds(), self.over_splits()
        return [
            self.text,
            verdict([*seeds, *splits], self.claimed),
            listed(seeds, self.claimed) + self.note,
            listed(splits, self.claimed),
        ]


def differences(
    first: str, second: str, data: Iterable[str], *, table: str = ""
) -> list[Difference]:
    """One row minus another over ten seeds, on each data set."""
    found = []
    for name in data:
        sides = [cell_scores(table or TABLE_OF[name], row, name) for row in (first, second)]
        found.append(welch_difference(SHORT.get(name, name), *sides))
    return found


def _split_differences(first: str, second: str, name: str) -> list[Difference | None]:
    """One row minus another over the same random splits: equal search, then the longer one."""
    task, title = TASK_OF[name], SHORT.get(name, name)
    found = [equal_difference(EQUAL[first], EQUAL[second], task, title)]
    if {first, second} == {_A, "GLASS"}:
        longer = longer_difference(task, title)
        found.append(longer.reversed() if longer is not None and first == "GLASS" else longer)
    return found


def searched_walks() -> list[Difference]:
    """S2N+0 with RWPE above S2N+0 without, each with the best settings of the same search."""
    found = []
    for name in ("Density", "Cut-Ratio"):
        rows = read("diagnosis.csv").where(data=TASK_OF[name], change="settings of a search")
        sides = [
            [float(value) for value in rows.where(cell=cell).only()["scores"].split()]
            for cell in ("s2n+0 gcn2 rwpe", "s2n+0 gcn2")
        ]
        found.append(welch_difference(name, *sides, mark="°"))
    return found


_REAL = tuple(REAL)
_A, _ZERO = "S2N+A GCNII", "S2N+0 GCNII"
_CONVS, _KINDS = ("GIN", "GATv2"), ("S2N+0", "S2N+A")
_WALKS = [(f"{row}, RWPE", row) for row in (_A, _ZERO)]
SCORES = (
    Statement("S2N is as good as GLASS or better on real data", [(_A, "GLASS")], _REAL,
              "not below"),
    Statement("S2N+A is better than S2N+0 on real data", [(_A, _ZERO)], _REAL),
    Statement("RWPE generally raises scores on real data", _WALKS, _REAL,
              note="; S2N+A, then S2N+0"),
    Statement("S2N+A is as good as GLASS or better on Density, Coreness and Component",
              [(_A, "GLASS")], ("Density", "Coreness", "Component"), "not below"),
    Statement("S2N+0 is below GLASS but on Component", [("GLASS", _ZERO)],
              ("Density", "Cut-Ratio", "Coreness"), note="; GLASS minus S2N+0"),
    Statement("Cut-Ratio is hard for S2N: S2N+A is below GLASS", [("GLASS", _A)], ("Cut-Ratio",),
              note="; GLASS minus S2N+A"),
    Statement("RWPE lifts S2N on Density and Cut-Ratio", _WALKS, ("Density", "Cut-Ratio"),
              more=searched_walks,
              note="; S2N+A searched without RWPE, S2N+0 as published without RWPE, S2N+0"
              " searched alike with and without RWPE (°);"
              " [why](below-published.md#rwpe-on-density-and-cut-ratio)"),
    Statement("RWPE does not lift S2N on Coreness", [(_A, f"{_A}, RWPE")], ("Coreness",),
              "not below", note="; without minus with"),
)  # fmt: skip
ABLATIONS = (
    Statement("The sum is the best readout in general",
              [("S2N+A sum", f"S2N+A {other}") for other in ("mean", "degree")], _REAL,
              table="readout", note="; mean, then degree"),
    Statement("The maximum is the worst readout",
              [(f"S2N+A {other}", "S2N+A max") for other in ("sum", "mean", "degree")], _REAL,
              table="readout", note="; sum, mean, degree"),
    Statement("Messages between subgraphs raise scores", [("S2N+0 2", "S2N+0 0")], _REAL,
              table="layers", note="; S2N+0, two layers against none"),
    Statement("LapPE raises scores in general",
              [(f"{kind} LapPE", f"{kind} no encoding") for kind in ("S2N+A", "S2N+0")], _REAL,
              table="encoding", note="; S2N+A, then S2N+0"),
    Statement("LapPE and RWPE are as good as each other",
              [(f"{kind} {a}", f"{kind} {b}") for a, b in (("LapPE", "RWPE"), ("RWPE", "LapPE"))
               for kind in ("S2N+A", "S2N+0")], _REAL, "not below", table="encoding",
              note="; LapPE minus RWPE, then RWPE minus LapPE, each S2N+A, then S2N+0"),
    Statement("With GIN and GATv2 S2N is above GLASS on PPI-BP",
              [(f"{kind} {conv}", "GLASS") for conv in _CONVS for kind in _KINDS], ("PPI-BP",),
              table="gnns", note="; GIN, then GATv2, each S2N+0, then S2N+A"),
    Statement("With GIN and GATv2 S2N is above separated and connected subgraphs (PPI-BP)",
              [(f"{kind} {conv}", f"{other} {conv}") for conv in _CONVS for kind in _KINDS
               for other in ("Separated", "Connected")], ("PPI-BP",), table="gnns",
              note="; GIN, then GATv2, each S2N+0, then S2N+A against separated, connected"),
    Statement("GIN and GATv2 are below GCNII in S2N (PPI-BP)",
              [(f"{kind} GCNII", f"{kind} {conv}") for conv in _CONVS for kind in _KINDS],
              ("PPI-BP",), table="gnns",
              note="; GCNII minus GIN, then GATv2, each S2N+0, then S2N+A"),
)  # fmt: skip


@dataclass(frozen=True)
class FewStatement:
    """A conclusion about few training subgraphs, with settings of one kind.

    Args:
        text: What the paper says.
        settings: Where the settings come from.
        found: The differences, paired over subsets.
    """

    text: str
    settings: str
    found: Sequence[Difference]


def few_subgraphs() -> Iterator[FewStatement]:
    """Conclusions about few training subgraphs, with searched settings and with published ones."""
    kinds, baselines = ("s2n+0", "s2n+a", "cos2n+0", "cos2n+a"), ("separated", "connected")
    statements = {
        "CoS2N is above S2N in all conditions":
            [(f"cos2n{kind}", f"s2n{kind}", n) for kind in ("+0", "+a") for n in SIZES],
        "CoS2N+A is generally above all other models":
            [("cos2n+a", other, n) for other in (*baselines, *kinds[:3]) for n in SIZES],
        "With very few (n = 10) S2N and CoS2N are above separated and connected subgraphs":
            [(kind, other, "10") for kind in kinds for other in baselines],
    }  # fmt: skip
    for text, triples in statements.items():
        for settings, scores in (("searched", scarce_scores), ("published", published_scarce)):
            found = [
                paired_difference(f"{title(a)} - {title(b)} ({n})", scores(a, n), scores(b, n))
                for a, b, n in triples
            ]
            yield FewStatement(text, settings, found)


def published_scarce(structure: str, n: str) -> list[float]:
    """Scores with few subgraphs and published settings, in the order of the seeds."""
    runs = read("reproduction/data-scarce-ppi_bp.csv").where(column=f"n = {n}")
    return seed_scores(runs.where(row=title(structure)))


def title(structure: str) -> str:
    """A structure as in the paper."""
    return {"separated": "Separated", "connected": "Connected"}.get(
        structure, structure.replace("cos2n", "CoS2N").replace("s2n", "S2N").replace("+a", "+A")
    )


def counts() -> list[list[str]]:
    """The paper's counts of experiments on real data, and its share of GLASS's score."""
    models = [f"{kind} {conv}" for kind in _KINDS for conv in ("GCN", "GCNII")]
    walks = [f"{name}, RWPE" for name in models]
    subgnn = [name for name in _REAL if cell("real", "SubGNN", name).only()["status"] == "done"]
    shares = []
    for name in _REAL:
        best = max((*models, *walks), key=lambda row: mean(cell_scores("real", row, name)))
        share = mean(cell_scores("real", best, name)) / mean(cell_scores("real", "GLASS", name))
        shares.append(f"{SHORT.get(name, name)} {100 * share:.1f} % ({best})")
    return [
        ["S2N is ahead of GLASS in 9 of 16 experiments, and not significantly different in 12",
         *_count(models, "GLASS", _REAL)],
        ["With RWPE it is ahead in 13 of 16, and not significantly different in 14",
         *_count(walks, "GLASS", _REAL)],
        ["S2N is ahead of SubGNN in 16 of 16", *_count(models, "SubGNN", subgnn)],
        ["The best S2N has 99.9 to 102.9 % of GLASS's score",
         "a share without a test; the best is that by test score, of eight", ", ".join(shares)],
    ]  # fmt: skip


def _count(rows: Sequence[str], rival: str, data: Sequence[str]) -> list[str]:
    """How often rows are ahead of a rival, and how often that is significant; the evidence."""
    found = [d for row in rows for d in differences(row, rival, data)]
    ahead, above = sum(d.points > 0 for d in found), sum(d.passes("above") for d in found)
    below = sum(d.contradicts for d in found)
    return [
        f"ahead in {ahead} of {len(found)}; not significantly different in"
        f" {len(found) - above - below}, above in {above}, below in {below}",
        f"{listed(found)}; in the order {', '.join(rows)}",
    ]


def efficiency() -> list[list[str]]:
    """Conclusions about speed and memory."""

    def span(values: Sequence[float], form: str = ",.0f") -> str:
        return f"{min(values):{form}} to {max(values):{form}}"

    def against(column: str, model: str) -> list[float]:
        return [
            h200("s2n+a gcn2", s).number(column) / h200(model, s).number(column) for s in SHAPES
        ]

    def faster(model: str) -> list[float]:
        return [1 / ratio for ratio in against("train_seconds", model)]

    plain = [plain_ratio(shape) for shape in SHAPES]
    replayed = [captured_ratio("s2n+a gcn2", shape) for shape in SHAPES]
    theirs = [
        authors("GLASS", shape).number("authors_epoch_ms")
        / authors("S2N+A GCNII", shape).number("authors_epoch_ms")
        for shape in SHAPES
    ]
    memory = [h200("s2n+a gcn2", shape).number("memory_ratio") for shape in SHAPES]
    connected, separated = faster("connected gcn2"), faster("separated gcn2")
    answers = {
        kind: [h200(f"{kind} gcn2", shape).number("eval_throughput_ratio") for shape in SHAPES]
        for kind in ("s2n+a", "s2n+0")
    }
    times, bytes_ = against("train_seconds", "s2n+0 gcn2"), against("memory", "s2n+0 gcn2")
    return [
        ["S2N trains ×183 to ×711 as fast as GLASS",
         "depends on what is compared, and is larger or smaller than that",
         f"S2N+A: authors' code ×{span(theirs)}; ours, plain against plain ×{span(plain, '.1f')};"
         f" ours replayed, GLASS not ×{span(replayed)}"],
        ["S2N trains faster than connected subgraphs", _all_above(connected),
         f"S2N+A ×{span(connected, '.2f')}"],
        ["S2N trains faster than separated subgraphs", _all_above(separated),
         f"S2N+A ×{span(separated, '.2f')}"],
        ["S2N takes less memory than GLASS", _all_above([1 / m for m in memory]),
         f"S2N+A ×{span(memory, '.2f')}"],
        ["S2N takes ×0.13 of the memory of connected subgraphs on average",
         _all_above([1 / ratio for ratio in against("memory", "connected gcn2")], "it takes less"),
         f"S2N+A ×{span(against('memory', 'connected gcn2'), '.2f')}"],
        ["S2N answers for ×7 to ×56 as many subgraphs per second as GLASS",
         _all_above([r / 7 for r in answers["s2n+a"]], "replayed, GLASS not: more than ×7"),
         f"S2N+A ×{span(answers['s2n+a'])}, S2N+0 ×{span(answers['s2n+0'])}"],
        ["S2N+A does not differ from S2N+0 in efficiency",
         f"it differs: more time {_all_above(times)}, more memory {_all_above(bytes_)}",
         f"S2N+A against S2N+0: time ×{span(times, '.2f')}, memory ×{span(bytes_, '.2f')}"],
    ]  # fmt: skip


def _all_above(ratios: Sequence[float], words: str = "") -> str:
    """At how many shapes a ratio is above 1; times and memory have no test, so no verdict."""
    return f"{words} ".lstrip() + f"at {sum(ratio > 1 for ratio in ratios)} of {len(ratios)} shapes"


def conclusions_of(rows: Callable[[], list[list[str]]]) -> str:
    """A table of conclusions about cost."""
    return table(["the paper says", "here", "evidence"], rows())


HEAD = ["the paper says", "verdict", "published split, ten seeds", "ten random splits"]


@generates("conclusions-performance")
def conclusions_performance() -> str:
    """What the paper concludes about scores."""
    return table(HEAD, [statement.row() for statement in SCORES])


@generates("conclusions-counts")
def conclusions_counts() -> str:
    """What the paper counts on real data."""
    return conclusions_of(counts)


@generates("conclusions-ablations")
def conclusions_ablations() -> str:
    """What the paper concludes about readout, layers, encodings and convolutions."""
    return table(HEAD, [statement.row() for statement in ABLATIONS])


@generates("conclusions-few")
def conclusions_few() -> str:
    """What the paper concludes about few training subgraphs."""
    head = ["the paper says", "settings", "verdict", "differences (n), paired over ten subsets"]
    origins = {
        "searched": "searched for each",
        "published": "published, S2N+A's searched with all subgraphs",
    }
    rows = [
        [few.text, origins[few.settings], verdict(few.found), listed(few.found)]
        for few in few_subgraphs()
    ]
    return table(head, rows)


@generates("conclusions-efficiency")
def conclusions_efficiency() -> str:
    """What the paper concludes about speed and memory."""
    return conclusions_of(efficiency)


@claims_on("docs/results/conclusions.md")
def margin() -> Iterator[Claim]:
    """What does not count as below."""
    yield claim("significantly larger than −{points:.0f} points, each time", points=MARGIN)
