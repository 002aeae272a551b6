"""The small tables that stand first: a score per cell, over random splits and on the given one."""

from __future__ import annotations

from collections.abc import Iterator

from pages.claims import Claim, claim, claims_on
from pages.equal_tables import equal_difference, equal_scores, longer_search
from pages.headline_tables import (
    COLUMNS,
    ensemble_score,
    ensemble_scores,
    simple_scores,
    split_overlap,
)
from pages.markdown import generates, table
from pages.rows import cell, deviation, mean, p_text, read
from pages.score_tables import SYNTHETIC, TABLE_OF, TASK_OF
from pages.verdicts import LEVEL, Difference, paired_difference

TITLES = {"HPO-Neuro": "HPO-Neuro\\*", "HPO-Metab": "HPO-Metab\\*"}  # stand-ins
SIMPLE = ("bag of nodes", "exact statistics")
NETWORKS = {"GLASS": "glass", "S2N+0": "s2n+0 gcn2", "S2N+A": "s2n+a gcn2"}
ENSEMBLE = "`best`"


def split_scores(name: str, task: str) -> list[float]:
    """Scores on each of ten random splits: simple models, networks as published, the ensemble."""
    if name in SIMPLE:
        return simple_scores(name, task)
    if name == ENSEMBLE:
        return ensemble_scores(task)
    found = read("equal-search.csv").where(
        data=task, model=NETWORKS[name], split="random", settings="published"
    )
    return equal_scores(found) if len(found) else []


def given_score(name: str, column: str) -> float:
    """The mean on the split that the data come with, over ten seeds where anything is random."""
    task = COLUMNS[column]
    if name == ENSEMBLE:
        return ensemble_score(task)
    if column in TABLE_OF:
        row = name if name not in NETWORKS or name == "GLASS" else f"{name} GCNII"
        return cell(TABLE_OF[column], row, column).number("ours")
    if name in SIMPLE:
        model = {"bag of nodes": "bag", "exact statistics": "statistics"}[name]
        return read("simple-given.csv").where(data=task, model=model).number("test")
    found = read("equal-search.csv").where(
        data=task, model=NETWORKS[name], split="published", settings="published"
    )
    return found.number("test")


def _head() -> list[str]:
    return ["", *(TITLES.get(column, column) for column in COLUMNS)]


@generates("readme-results")
def readme_results() -> str:
    """The mean of each model over ten random splits, and the largest spread of a column."""
    scores = {
        name: [split_scores(name, task) for task in COLUMNS.values()]
        for name in (*SIMPLE, *NETWORKS, ENSEMBLE)
    }
    rows = [
        [name, *(f"{mean(values):.1f}" if values else "-" for values in cells)]
        for name, cells in scores.items()
    ]
    spreads = [max(map(deviation, filter(None, own))) for own in zip(*scores.values(), strict=True)]
    return table(_head(), [*rows, ["*largest ±*", *(f"{spread:.1f}" for spread in spreads)]])


@generates("readme-given")
def readme_given() -> str:
    """The mean of each model on the split that the data come with."""
    names = (*SIMPLE, *NETWORKS, ENSEMBLE)
    return table(
        _head(),
        [[name, *(f"{given_score(name, column):.1f}" for column in COLUMNS)] for name in names],
    )


def over_glass() -> list[Difference]:
    """S2N+A minus GLASS over ten random splits, both with published settings."""
    found = [
        equal_difference("s2n+a gcn2", "glass", task, name, kinds=["published"])
        for name, task in TASK_OF.items()
    ]
    return [difference for difference in found if difference is not None]


def over_bag(name: str, column: str) -> Difference:
    """A model minus the bag of nodes over the same random splits."""
    task = COLUMNS[column]
    sides = split_scores(name, task), split_scores("bag of nodes", task)
    return paired_difference(column, *sides, overlap=split_overlap(task))


@claims_on("README.md")
@claims_on("docs/results/index.md")
def what_the_splits_show() -> Iterator[Claim]:
    """S2N+A against GLASS and against the bag of nodes over ten random splits."""
    glass = over_glass()
    (below,) = [difference for difference in glass if difference.contradicts]
    assert not [difference for difference in glass if difference.passes("above")]
    yield claim(
        "S2N+A minus GLASS is {points:+.1f} on {data} ({p}) and not significant at level {level} on"
        " the other {count} that have both",
        points=below.points,
        data=below.where,
        p=p_text(below.p),
        level=LEVEL,
        count=len(glass) - 1,
    )
    real = {name: over_bag("S2N+A", name) for name in ("PPI-BP", "HPO-Metab", "patients")}
    assert all(difference.points < 0 for difference in real.values())
    values = {key: real[name] for key, name in zip("bmk", real, strict=True)}
    yield claim(
        "S2N+A minus the bag of nodes is {b:+.1f} on PPI-BP ({bp}), {m:+.1f} on HPO-Metab ({mp})"
        " and {k:+.1f} on patients ({kp})",
        **{key: value.points for key, value in values.items()},
        **{f"{key}p": p_text(value.p) for key, value in values.items()},
    )


@claims_on("docs/results/index.md")
def what_a_longer_search_has() -> Iterator[Claim]:
    """S2N+A with the settings of a longer search, which its given-split row has too."""
    found = {name: mean(longer_search(TASK_OF[name]).numbers("test")) for name in SYNTHETIC[:3]}
    yield claim(
        "S2N+A has {c:.1f} on Cut-Ratio, {d:.1f} on Density and {k:.1f} on Coreness over the same"
        " splits",
        c=found["Cut-Ratio"], d=found["Density"], k=found["Coreness"],
    )  # fmt: skip


@claims_on("README.md")
@claims_on("docs/results/index.md")
def what_the_ensemble_gains() -> Iterator[Claim]:
    """The ensemble against the bag of nodes over the same random splits."""
    found = {name: over_bag(ENSEMBLE, name) for name in ("PPI-BP", "patients")}
    values = dict(zip("bk", found.values(), strict=True))
    yield claim(
        "`best` minus the bag of nodes is {b:+.1f} on PPI-BP ({bp}) and {k:+.1f} on patients"
        " ({kp})",
        **{key: value.points for key, value in values.items()},
        **{f"{key}p": p_text(value.p) for key, value in values.items()},
    )
