"""Tables of default settings over many data sets, and of the ensemble beside its members."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from functools import cache

from pages.claims import Claim, claim, claims_on
from pages.markdown import generates, points, table
from pages.rows import Rows, deviation, mean, p_text, read
from pages.verdicts import paired_difference
from sub2node.models.candidates import choose_candidate

TASKS = {
    "ppi_bp": "PPI-BP",
    "hpo_orpha_metab": "HPO-Metab (stand-in)",
    "hpo_orpha_neuro": "HPO-Neuro (stand-in)",
    "patients": "patients",
    "disease_families": "disease families",
    "large_sets": "large sets",
}
STRUCTURES = ("s2n+0", "s2n+a")
SYNTHETIC = (
    "density", "cut_ratio", "coreness", "component",
    "fresh_density", "fresh_cut_ratio", "fresh_coreness", "fresh_component",
)  # fmt: skip
VALIDATION = {  # subgraphs in that part of a rehearsal, on average
    "ppi_bp": 144,
    "hpo_orpha_metab": 32,
    "hpo_orpha_neuro": 140,
    "patients": 287,
    "disease_families": 163,
    "large_sets": 34,
}
HPO, FAMILIES = ("hpo_orpha_metab", "hpo_orpha_neuro"), "disease_families"
PAIRED = ("bag", "hops")  # what others are compared with on the same splits of patients
ENOUGH = 5  # splits for a test
FORMER, BEFORE, NOW = ("0",), ("1001",), ("1006", "2001")  # points of the search: defaults


@cache
def search(structure: str, candidates: int) -> dict[tuple[str, ...], dict[str, float]]:
    """Scores by task of all points, or of all pairs, of which validation chooses as it does now."""
    splits: dict[str, dict[str, tuple[list[float], list[float]]]] = {}
    for row in read("defaults.csv").where(structure=structure):
        columns = json.loads(row["val_by_split"]), json.loads(row["by_split"])
        splits.setdefault(row["point"], {})[row["task"]] = columns
    complete = {point: by_task for point, by_task in splits.items() if set(by_task) == set(TASKS)}
    return {
        chosen: {
            task: 100 * mean([_chosen_score(chosen, complete, task, split) for split in range(3)])
            for task in TASKS
        }
        for chosen in itertools.combinations(sorted(complete), candidates)
    }


def _chosen_score(
    chosen: tuple[str, ...],
    scores: dict[str, dict[str, tuple[list[float], list[float]]]],
    task: str,
    split: int,
) -> float:
    on_val = [scores[point][task][0][split] for point in chosen]
    number, _ = choose_candidate([kinds()[point] for point in chosen], on_val, VALIDATION[task])
    return scores[chosen[number]][task][1][split]


@cache
def kinds() -> dict[str, str]:
    """Initial vectors of each point of the search."""
    return {
        row["point"]: json.loads(row["settings"])["features.kind"] for row in read("defaults.csv")
    }


def regrets(structure: str, candidates: int) -> dict[tuple[str, ...], dict[str, float]]:
    """Distance to the best point of each task."""
    best = best_points(structure)
    return {
        chosen: {task: best[task] - by_task[task] for task in TASKS}
        for chosen, by_task in search(structure, candidates).items()
    }


def best_points(structure: str) -> dict[str, float]:
    """The score of the best point of each task."""
    scores = search(structure, 1).values()
    return {task: max(by_task[task] for by_task in scores) for task in TASKS}


def left_out_regret(structure: str, candidates: int) -> float:
    """Mean regret on each task of what the other tasks would have chosen for both structures."""
    tables = {each: regrets(each, candidates) for each in STRUCTURES}
    distances = []
    for task in TASKS:
        others = [other for other in TASKS if other != task]
        chosen = min(
            tables[structure],
            key=lambda name: sum(table[name][t] for table in tables.values() for t in others),
        )
        distances.append(tables[structure][chosen][task])
    return mean(distances)


@generates("defaults")
def defaults() -> str:
    """The former defaults, today's, and the best point of each task."""
    rows = []
    for structure in STRUCTURES:
        for name, point in (("version 0.1", FORMER), ("one candidate", BEFORE), ("now", NOW)):
            scores = search(structure, len(point))[point]
            cells = [f"{scores[task]:.1f}" for task in TASKS]
            regret = mean(list(regrets(structure, len(point))[point].values()))
            rows.append([f"{structure}, {name}", *cells, f"{regret:.1f}"])
        best = best_points(structure)
        cells = [f"{best[task]:.1f}" for task in TASKS]
        rows.append([f"{structure}, best of {len(search(structure, 1))}", *cells, ""])
        for count, name in ((1, "one candidate"), (2, "two candidates")):
            empty = [""] * len(TASKS)
            value = f"{left_out_regret(structure, count):.1f} *"
            rows.append([f"{structure}, {name}, left out", *empty, value])
    return table(["rehearsal micro-F1", *TASKS.values(), "mean regret"], rows)


@generates("best-answers")
def best_answers() -> str:
    """How long an answer takes, of the ensemble and of its members."""
    rows = [
        [row["model"].removeprefix("member: "), row["weight"], row["one_ms"], row["hundred_ms"]]
        for row in read("best-answers.csv")
    ]
    return table(["PPI-BP", "weight", "one question, ms", "a hundred at once, ms"], rows)


@generates("best-gpu")
def best_gpu() -> str:
    """The ensemble with one minute on a GPU, and the members that had a weight."""
    rows = []
    for splits, said in (("random", "random splits"), ("given", "given split")):
        scores = scores_of("ppi_bp", "best", splits=splits, file="best-gpu.csv")
        best = best_member("ppi_bp", splits=splits, file="best-gpu.csv")
        rows.append([f"PPI-BP, {said} ({len(scores)})", _cell(scores), _cell(best)])
    return table(["test micro-F1", "`best`", "best of its members"], rows)


@generates("patients")
def patients() -> str:
    """Simple models and the ensemble on published patients over splits by publication."""
    rows, scores = [], read("patients.csv")
    for model in scores.distinct("model"):
        own = scores.where(model=model)
        cells = ([100 * v for v in own.numbers(column)] for column in ("micro_f1", "top_3"))
        ranks = own.numbers("mrr")
        rank = f"{mean(ranks):.3f} ± {deviation(ranks):.3f}"
        gains = ("" if model == other else _gain_over(other, own) for other in PAIRED)
        rows.append([f"{model} ({len(own)})", *map(_cell, cells), rank, *gains])
    head = ["model (splits)", "top-1", "top-3", "reciprocal rank"]
    return table([*head, *(f"top-1 minus {other}" for other in PAIRED)], rows)


def _gain_over(model: str, own: Rows) -> str:
    """Difference of top-1 to another model on the splits that these rows are of, and its test."""
    others = read("patients.csv").where(model=model, split=own.distinct("split"))
    sides = ([100 * v for v in one.numbers("micro_f1")] for one in (own, others))
    sizes = read("equal-search.csv").where(data="patients", split="random", model="s2n+0 gcn2")
    overlap = sizes.number("test_size") / sizes.number("train")  # of the same splits
    found = paired_difference(model, *sides, overlap=overlap)
    return f"{found.points:+.1f}" + (f" ({p_text(found.p)})" if len(own) >= ENOUGH else "")


@generates("defaults-test")
def defaults_test() -> str:
    """Default settings of two candidates, without a margin, and of one, on the same test parts."""
    rows, now = [], read("defaults-test.csv")
    for task in now.distinct("task"):
        for structure in STRUCTURES:
            for splits, said in (("random", "random splits"), ("given", "given split")):
                found = _rows(task, f"default {structure}", splits=splits, file="defaults-test.csv")
                if len(found):
                    same = read("best.csv").where(
                        task=task, model=f"default {structure}", split=found.distinct("split")
                    )
                    sides = ([100 * v for v in one.numbers("micro_f1")] for one in (found, same))
                    name = f"{TASKS[task]}, {said} ({len(found)})"
                    rows.append([name, structure, *map(_cell, sides)])
    return table(["test micro-F1", "structure", "two candidates", "one candidate"], rows)


def scores_of(task: str, model: str, *, splits: str, file: str = "best.csv") -> list[float]:
    """Test scores in points, of one kind of split."""
    rows = _rows(task, model, splits=splits, file=file)
    return [100 * value for value in rows.numbers("micro_f1")] if len(rows) else []


def ensemble_file(task: str) -> str:
    """The rows of the ensemble: with time for networks where such a run is there."""
    return (
        "best-cpu.csv" if len(read("best-cpu.csv").where(task=task, model="best")) else "best.csv"
    )


def best_member(task: str, *, splits: str, file: str = "") -> list[float]:
    """Test scores of the member that is best on these test parts, of those in every ensemble."""
    file = file or ensemble_file(task)
    count = len(_rows(task, "best", splits=splits, file=file))
    names = [name for name in read(file).where(task=task).distinct("model") if "member" in name]
    scores = [scores_of(task, name, splits=splits, file=file) for name in names]
    return max((values for values in scores if len(values) == count), key=mean, default=[])


@generates("best")
def best() -> str:
    """The ensemble, the best of its members and the default networks on test parts."""
    rows = []
    for task, name in {**TASKS, **{name: name for name in SYNTHETIC}}.items():
        file = ensemble_file(task)
        mark = " *" if file == "best.csv" else ""
        for splits, said in (("random", "random splits"), ("given", "given split")):
            ensemble = scores_of(task, "best", splits=splits, file=file)
            if not ensemble:
                continue
            networks = [scores_of(task, f"default {s}", splits=splits) for s in ("s2n+0", "s2n+a")]
            others = (best_member(task, splits=splits), *networks)
            cells = [f"{_cell(ensemble)}{mark}", *map(_cell, others), _top_3(task, splits)]
            rows.append([f"{name}, {said} ({len(ensemble)})", *cells])
    head = ["test micro-F1", "`best`", "best of its members", "default S2N+0", "default S2N+A",
            "`best`, top-3"]  # fmt: skip
    return table(head, rows)


@generates("best-targets")
def best_targets() -> str:
    """What was aimed at, beside what was reached on test parts."""
    ensemble, default = "`best`, {}", "default, single seeds, {}"
    fresh = [name for name in SYNTHETIC if name.startswith("fresh_")]
    worst_fresh = min(mean(_ensemble(name, "given")) for name in fresh)
    singles = [max(mean(_network(task, s, "given")) for s in STRUCTURES) for task in HPO]
    ahead = min(
        mean(_ensemble(task, "given")) - max(single, mean(best_member(task, splits="given")))
        for task, single in zip(HPO, singles, strict=True)
    )
    behind = max(
        mean(best_member(task, splits=splits)) - mean(_ensemble(task, splits))
        for task in (*TASKS, *SYNTHETIC)
        for splits in ("given", "random")
        if _ensemble(task, splits)
    )
    families = {splits: mean(_ensemble(FAMILIES, splits)) for splits in ("given", "random")}
    older = _best_default(FAMILIES, "given", "old")
    patients = read(ensemble_file("patients")).where(task="patients", split="given", model="best")
    rows = [
        (ensemble.format("PPI-BP, given split"), 67.0, mean(_ensemble("ppi_bp", "given"))),
        (ensemble.format("PPI-BP, random splits"), 66.0, mean(_ensemble("ppi_bp", "random"))),
        (ensemble.format("patients, top-1"), 70.5, mean(_ensemble("patients", "given"))),
        (ensemble.format("patients, top-3"), 84.0, 100 * patients.number("top_3")),
        (ensemble.format("disease families, given split"), 82.5, families["given"]),
        (ensemble.format("disease families, random splits"), 82.5, families["random"]),
        (ensemble.format("the worst of four fresh synthetic sets"), 99.0, worst_fresh),
        (ensemble.format("stand-ins, ahead of the best single model"), 0.0, ahead),
        (ensemble.format("at most so far behind its best member"), 0.5, behind),
        (default.format("PPI-BP, random splits"), 64.0, _best_default("ppi_bp", "random", "now")),
        (default.format("patients"), 68.5, _best_default("patients", "given", "now")),
        (default.format("disease families, given split *"), 79.5, older),
    ]  # fmt: skip
    head = ["test micro-F1", "wanted", "reached", ""]
    most = rows[-4][0]
    return table(
        head,
        [
            [name, f"{wanted:.1f}", f"{value:.1f}", _met(wanted, value, at_most=name == most)]
            for name, wanted, value in rows
        ],
    )


def _met(wanted: float, value: float, *, at_most: bool) -> str:
    met = value <= wanted if at_most else value >= wanted
    return "" if met else "missed"


def _ensemble(task: str, splits: str) -> list[float]:
    return scores_of(task, "best", splits=splits, file=ensemble_file(task))


def _network(task: str, structure: str, splits: str, file: str = "best.csv") -> list[float]:
    return scores_of(task, f"default {structure}", splits=splits, file=file)


def _best_default(task: str, splits: str, when: str) -> float:
    """The better structure of those that were measured, with two candidates or with one."""
    file = "defaults-test.csv" if when == "now" else "best.csv"
    scores = [_network(task, structure, splits, file) for structure in STRUCTURES]
    return max(mean(values) for values in scores if values)


def _rows(task: str, model: str, *, splits: str, file: str) -> Rows:
    rows = read(file).where(task=task, model=model)
    return rows.where(split=lambda name: name.startswith(splits))


def _cell(values: Sequence[float]) -> str:
    return points(mean(values), deviation(values), len(values)) if values else "-"


def _top_3(task: str, splits: str) -> str:
    rows = _rows(task, "best", splits=splits, file=ensemble_file(task)).where(top_3=bool)
    return f"{100 * mean(rows.numbers('top_3')):.1f}" if len(rows) else "-"


@claims_on("docs/best.md")
def missed_on_families() -> Iterator[Claim]:
    """The ensemble and its best member on the given split of the families, one run."""
    ensemble, member = _ensemble(FAMILIES, "given"), best_member(FAMILIES, splits="given")
    assert len(ensemble) == len(member) == 1
    assert member > ensemble
    yield claim(
        "the given split of the families (one run: {ensemble:.1f}, where one member alone has"
        " {member:.1f})",
        ensemble=ensemble[0],
        member=member[0],
    )


@claims_on("docs/best.md")
def ahead_over_splits() -> Iterator[Claim]:
    """The ensemble is at least level with the best measured member over several splits."""
    repeated = [task for task in (*TASKS, *SYNTHETIC) if _ensemble(task, "random")]
    for task in repeated:
        assert mean(_ensemble(task, "random")) >= mean(best_member(task, splits="random"))
    yield claim(
        "Over repeated splits `best` is on none of {count} data sets behind the best member"
        " that has a score on all of them",
        count=len(repeated),
    )
    size, share = 159, mean(_ensemble("ppi_bp", "random")) / 100
    yield claim(
        "a test part of {size} subgraphs has a standard error of {error:.1f} points",
        size=size,
        error=100 * (share * (1 - share) / size) ** 0.5,
    )
