"""The table of all models: ten random splits, and the published split beside them."""

from __future__ import annotations

from collections.abc import Iterator

from pages.best_tables import scores_of
from pages.claims import Claim, claim, claims_on
from pages.equal_tables import (
    equal_difference,
    equal_scores,
    longer_difference,
    longer_search,
)
from pages.markdown import generates, points, table
from pages.rows import Rows, cell, deviation, mean, p_text, read
from pages.score_tables import REAL, TABLE_OF, TASK_OF, earlier_end
from pages.verdicts import LEVEL, Difference, paired_difference

SPLITS = 10  # random ones of each data set
BEST_FILES = ("best-cpu.csv", "best.csv")  # with time for networks; without
_SIMPLE = {"bag of nodes": "bag", "exact statistics": "statistics"}
_EQUAL = {
    "GLASS": "glass",
    "Separated GCNII": "separated gcn2",
    "Connected GCNII": "connected gcn2",
    "S2N+0 GCNII": "s2n+0 gcn2",
    "S2N+A GCNII": "s2n+a gcn2",
}
ROWS = (
    "bag of nodes", "exact statistics", "SubGNN", "GLASS", "Separated GCNII", "Connected GCNII",
    "S2N+0 GCNII", "S2N+A GCNII", "S2N+A GCNII, longer search §", "S2N+A GIN, longer search §",
)  # fmt: skip
COLUMNS = {**TASK_OF, "patients": "patients"}  # which the paper does not have
_LONGER = {name: name.partition(",")[0] for name in ROWS if name.endswith("§")}


def ensemble_score(task: str) -> float:
    """Test micro-F1 of ``best`` on the split that the data came with, in points."""
    runs = [read(file).where(task=task, split="given", model="best") for file in BEST_FILES]
    return 100 * next(rows for rows in runs if len(rows)).number("micro_f1")


def ensemble_scores(task: str) -> list[float]:
    """Scores of `best` on each of the same splits; none where it was not run on all ten."""
    if task == "patients":
        rows = read("patients.csv").where(model="best")
        return [100 * value for value in rows.numbers("micro_f1")]
    values = scores_of(task, "best", splits="random", file="best-cpu.csv")
    return values if len(values) == SPLITS else []


def equal_row(model: str, task: str) -> tuple[Rows, str]:
    """Scores on ten random splits: searched, else with the settings that a search begins with."""
    for settings, mark in (("searched", ""), ("published", "‡")):
        found = read("equal-search.csv").where(
            data=task, model=model, split="random", settings=settings
        )
        if len(found):
            return found, mark + "†" * ("late" in found.only()["ended"])
    return Rows([], model), ""


def simple_scores(name: str, task: str) -> list[float]:
    """Scores of a simple model on each random split."""
    rows = read("simple-splits.csv").where(data=task, model=_SIMPLE[name])
    return rows.numbers("test")


def split_overlap(task: str) -> float:
    """Test over train subgraphs of the random splits."""
    sizes = read("simple-splits.csv").where(data=task, model="bag").rows[0]
    return float(sizes["test_size"]) / float(sizes["train"])


def split_scores(name: str, task: str) -> list[float]:
    """Scores of a row of the table on each random split; none where it was not run."""
    if name == "S2N+A GCNII, longer search §":
        rows = longer_search(task)
        return rows.numbers("test") if len(rows) else []
    if name in _SIMPLE:
        return simple_scores(name, task)
    found, _ = equal_row(_EQUAL[name], task) if name in _EQUAL else (Rows([], name), "")
    return equal_scores(found) if len(found) else []


def _over_splits(name: str, task: str) -> str:
    """Mean and spread over the random splits, with marks."""
    if name == "S2N+A GIN, longer search §":
        gin = read("random-splits.csv").where(data=task, model="s2n+a gin")
        return f"{gin.only()['test']} ± {gin.only()['test_sd']}" if len(gin) else "-"
    values = split_scores(name, task)
    if not values:
        return "-"
    marks = equal_row(_EQUAL[name], task)[1] if name in _EQUAL else ""
    return " ".join([points(mean(values), deviation(values), len(values)), marks]).strip()


def _published(name: str, column: str) -> str:
    """The mean on the published split, in brackets; where S2N+A was searched, in that row."""
    if name in _LONGER.values() or column not in TABLE_OF:
        return ""
    found = cell(TABLE_OF[column], _LONGER.get(name, name), column)
    if not len(found) or found.only()["status"] != "done":
        return ""
    return f" ({found.number('ours'):.1f}{earlier_end(found)})"


@generates("all-results")
def all_results() -> str:
    """All models, with spreads, marks and differences."""
    rows = []
    for name in ROWS:
        cells = [_over_splits(name, COLUMNS[c]) + _published(name, c) for c in COLUMNS]
        rows.append([name, *cells])
    tasks = list(COLUMNS.values())
    rows.append(["`best`", *map(_ensemble_cell, tasks)])
    tests = [equal_difference("s2n+a gcn2", "glass", task, "") for task in tasks]
    rows.append(["*S2N+A minus GLASS*", *map(_test, tests)])
    longer = [longer_difference(task, "") for task in tasks]
    rows.append(["*the same, longer search*", *map(_test, longer)])
    return table(["", *(REAL.get(column, column) for column in COLUMNS)], rows)


def _ensemble_cell(task: str) -> str:
    values = ensemble_scores(task)
    over_splits = points(mean(values), deviation(values), len(values)) if values else "-"
    return f"{over_splits} ({ensemble_score(task):.1f})"


def _test(found: Difference | None) -> str:
    return "-" if found is None else f"{found.points:+.1f} ({p_text(found.p)}){found.mark}"


def above_bag(column: str) -> Difference | None:
    """S2N+A above the bag of nodes over the same random splits."""
    task = TASK_OF[column]
    sides = split_scores("S2N+A GCNII", task), split_scores("bag of nodes", task)
    if not all(sides):
        return None
    return paired_difference(column, *sides, overlap=split_overlap(task))


@claims_on("docs/results/index.md")
def splits_against_glass() -> Iterator[Claim]:
    """S2N+A against GLASS over splits."""
    found = [equal_difference("s2n+a gcn2", "glass", task, name) for name, task in TASK_OF.items()]
    tested = [each for each in found if each is not None]
    (sure,) = [each for each in tested if each.p < LEVEL]
    (task,) = (TASK_OF[name] for name in TASK_OF if name == sure.where)
    longer = longer_difference(task, sure.where)
    assert longer is not None
    assert longer.p >= LEVEL
    yield claim(
        "table above) {count} of {all} differences of the equal search is significant: S2N+A is"
        " below GLASS on {data} by {points:.1f} points ({p}). That is what five trials"
        " find; with the settings of a longer search it has {longer:+.1f} points"
        " against GLASS there ({lp}), though",
        count=1,
        all=len(tested),
        data=sure.where,
        points=-sure.points,
        p=p_text(sure.p),
        longer=longer.points,
        lp=p_text(longer.p),
    )
