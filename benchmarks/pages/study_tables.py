"""Tables of studies: few training subgraphs, baselines, searches, advice, random vectors."""

from __future__ import annotations

import tomllib

from pages.markdown import generates, points, table
from pages.rows import RESULTS, ROOT, Rows, deviation, mean, p_text, paired, read, welch

SIZES = ("10", "20", "40", "80")
DATA = ("ppi_bp", "density", "cut_ratio", "coreness", "component")


def scarce(structure: str, n: str) -> Rows:
    """Runs of a structure with n training subgraphs per class, with the chosen coarsening."""
    runs = read("ppi_bp-scarce.csv").where(structure=structure)
    return runs.where(n=n, coarsen=chosen_coarsening(structure))


def chosen_coarsening(structure: str) -> str:
    """Of several coarsenings the one with the best mean validation score over all runs."""
    runs = read("ppi_bp-scarce.csv").where(structure=structure)
    options = runs.distinct("coarsen")
    return max(options, key=lambda option: mean(runs.where(coarsen=option).numbers("val")))


def scarce_scores(structure: str, n: str) -> list[float]:
    """Test scores in points, in the order of the seeds."""
    runs = sorted(scarce(structure, n), key=lambda row: int(row["seed"]))
    return [100 * float(row["test"]) for row in runs]


@generates("few-subgraphs")
def few_subgraphs() -> str:
    """Scores of the six structures by training subgraphs per class."""
    rows = []
    for structure in read("ppi_bp-scarce.csv").distinct("structure"):
        line = [scarce_scores(structure, n) for n in SIZES]
        rows.append([structure, *(points(mean(v), deviation(v), len(v)) for v in line)])
    return table(["structure", *(f"n = {n}" for n in SIZES)], rows)


def gain(kind: str, n: str) -> tuple[float, float]:
    """What virtual subgraphs bring on the same subsets, in points, and p of a paired t-test."""
    with_virtual, without = scarce_scores(f"cos2n{kind}", n), scarce_scores(f"s2n{kind}", n)
    return mean(with_virtual) - mean(without), paired(with_virtual, without)


@generates("few-subgraphs-gain")
def few_subgraphs_gain() -> str:
    """CoS2N - S2N, with p-values."""
    rows = []
    for kind in ("+0", "+a"):
        selected = [gain(kind, n) for n in SIZES]
        rows.append([f"cos2n{kind} - s2n{kind}", *(f"{d:+.1f} ({p_text(p)})" for d, p in selected)])
    return table(["", *(f"n = {n}" for n in SIZES)], rows)


@generates("few-subgraphs-published")
def few_subgraphs_published() -> str:
    """The same experiment by s2n reproduce, with published settings and one searched."""
    selected = read("reproduction/data-scarce-ppi_bp.csv")
    rows = []
    for structure in selected.distinct("row"):
        cells = [selected.where(row=structure, column=f"n = {n}") for n in SIZES]
        origin = {"paper": "published", "tuned": "searched"}[cells[0].only()["settings"]]
        line = [points(c.number("ours"), c.number("ours_sd"), 10) for c in cells]
        rows.append([structure, origin, *line])
    return table(["structure", "settings", *(f"n = {n}" for n in SIZES)], rows)


@generates("coarsening-ratios")
def coarsening_ratios() -> str:
    """CoS2N by coarsening ratio."""
    selected = read("reproduction/ratio-ppi_bp.csv")
    rows = []
    for title in selected.distinct("row"):
        structure, _, rest = title.partition(", ")
        cells = [selected.where(row=title, column=f"n = {n}") for n in SIZES]
        line = [points(c.number("ours"), c.number("ours_sd"), 10) for c in cells]
        rows.append([structure, rest.split()[0], *line])
    return table(["structure", "ratio", *(f"n = {n}" for n in SIZES)], rows)


@generates("baselines")
def baselines() -> str:
    """Every baseline on five data sets, with published scores."""
    with (ROOT / "benchmarks" / "published-baselines.toml").open("rb") as stream:
        reported = tomllib.load(stream)
    selected = read("baselines.csv").where(settings="", split=["file", "50/25/25"])
    rows = []
    for model in selected.distinct("model"):
        for split in ("file", "50/25/25"):
            for ties in ("ours", "published"):
                runs = selected.where(model=model, split=split, ties=ties)
                if len(runs):
                    title = model + ", by its tie rule" * (ties == "published")
                    rows.append([title, split, *(_baseline(runs.where(data=d)) for d in DATA)])
        if model in reported:
            rows.append(["*published*", "", *(reported[model].get(d, "-") for d in DATA)])
    return table(["model", "split", *DATA], rows)


def _baseline(runs: Rows) -> str:
    if not len(runs):
        return "-"
    n = int(runs.number("n"))
    return f"{points(runs.number('test'), runs.number('test_sd'), n)} ({n})"


STUDIES = (
    ("ppi_bp-paper", "preset tuned"),
    ("hpo_orpha_metab-paper", ""),
    ("hpo_orpha_neuro-paper", ""),
    ("density-paper", "preset tuned"),
    ("cut_ratio-paper", ""),
    ("coreness-paper", "preset tuned"),
    ("component-paper", ""),
    ("ppi_bp-wide", ""),
    ("density-wide", ""),
    ("cut_ratio-wide", ""),
    ("cut_ratio-node-degree", "preset tuned"),
    ("coreness-wide", ""),
    ("ppi_bp-inputs", "ppi_bp-inputs"),
    ("ppi_bp-decay", "ppi_bp-decay"),
    ("density-gin", "density-gin"),
    ("density-gcn2", "density-gcn2"),
    ("cut_ratio-gin", "cut_ratio-gin"),
    ("cut_ratio-gcn2", "cut_ratio-gcn2"),
    ("coreness-gin", "coreness-gin"),
    ("coreness-gcn2", "coreness-gcn2"),
)


def best_trial(study: str) -> dict[str, str]:
    """The best complete trial; of equal ones that of the lowest loss."""
    done = read(f"studies/{study}.csv").where(state="complete")
    return max(done, key=lambda row: (float(row["value"]), -float(row["loss"])))


def confirmed(study: str, source: str) -> Rows:
    """The best of a study, or a preset, on fresh splits; no rows where it was not confirmed."""
    selected = read("studies/confirmed.csv").where(study=source) if source else Rows([], study)
    conv = "gin" if study.endswith("-gin") else "gcn2"
    selected = selected.where(data=study.partition("-")[0], conv=conv)
    return Rows(sorted(selected, key=lambda row: -float(row["mean"]))[:1], study)


@generates("searches")
def searches() -> str:
    """Every study: its best trial, that on fresh splits, and its winner on test."""
    rows = []
    for study, source in STUDIES:
        trials = read(f"studies/{study}.csv")
        tested = read("studies/tests.csv").where(study=study)
        best, fresh = best_trial(study), confirmed(study, source)
        given_up = len(trials.where(state="pruned"))
        scored = "validation" if study.endswith("-paper") else "rehearsal"
        winner = tested.only()["winner"] if len(tested) else "gcn2, svd, RWPE"
        value = points(100 * float(best["value"]), 100 * float(best["sd"]), int(best["n"]))
        line = [f"`{study}`", scored, f"{len(trials)} ({given_up})", winner, value]
        rows.append([*line, _fresh(fresh), _tested(tested)])
    for title, study, name in (
        ("preset `ppi_bp-rwpe`", "preset ppi_bp-rwpe", "preset ppi_bp-rwpe"),
        ("`cut_ratio-gcn2`, readout `volume`", "the same, readout volume",
         "cut_ratio-gcn2, readout volume"),
    ):  # fmt: skip
        tested = read("studies/tests.csv").where(study=study)
        all_rows = read("studies/confirmed.csv").where(study=name)
        fresh = Rows(sorted(all_rows, key=lambda row: -float(row["mean"]))[:1], study)
        rows.append([title, "", "", tested.only()["winner"], "-", _fresh(fresh), _tested(tested)])
    head = ["study", "scored by", "trials (given up)", "winner", "score", "20 fresh splits"]
    return table([*head, "test, 10 seeds"], rows)


def _fresh(selected: Rows) -> str:
    if not len(selected):
        return "-"
    text = points(100 * selected.number("mean"), 100 * selected.number("sd"), 20)
    return f"**{text}**" if selected.only()["won"] == "True" else text


def _tested(selected: Rows) -> str:
    return points(selected.number("test"), selected.number("test_sd"), 10) if len(selected) else "-"


@generates("advice")
def advice() -> str:
    """What was advised beside validation scores of a full training."""
    selected = read("advice.csv")
    structures = selected.distinct("structure")
    rows = []
    for data in selected.distinct("data"):
        runs = selected.where(data=data)
        scores = {row["structure"]: row["val"] for row in runs}
        best = max((float(value) for value in scores.values() if value), default=0.0)
        first = runs.rows[0]
        cells = [_best_in_bold(scores[name], best) for name in structures]
        about = [data, first["val_subgraphs"], first["advised"], first["by_rules"]]
        rows.append([*about, *cells])
    return table(["data", "val subgraphs", "advised", "by rules alone", *structures], rows)


def _best_in_bold(value: str, best: float) -> str:
    if not value:
        return "-"
    return f"**{value}**" if float(value) == best else value


@generates("advise-example")
def advise_example() -> str:
    """The printed advice for one task."""
    text = (RESULTS / "printed" / "advise-cut_ratio.txt").read_text(encoding="utf-8")
    return f"```text\n{text.rstrip()}\n```"


def random_vector_scores(data: str, structure: str, source: str, part: str) -> list[float]:
    """Scores on random node features of every seed, in points."""
    runs = read("random-vectors.csv").where(data=data, structure=structure)
    return [100 * v for v in runs.where(source=source, part=part).numbers("score")]


def random_vector_cells() -> list[tuple[str, str, str]]:
    """Data, structure and part of each comparison."""
    selected = read("random-vectors.csv")
    pairs = dict.fromkeys((row["data"], row["structure"]) for row in selected)
    return [(*pair, part) for pair in pairs for part in ("val", "test")]


@generates("random-vectors")
def random_vectors() -> str:
    """Scores on random node features, before and after they became a hash."""
    rows = []
    for data, structure, part in random_vector_cells():
        if part == "val":
            continue
        before, after = (
            random_vector_scores(data, structure, source, part) for source in ("before", "after")
        )
        texts = [points(mean(v), deviation(v), len(v)) for v in (before, after)]
        difference = f"{mean(after) - mean(before):+.1f} ({p_text(welch(before, after))})"
        rows.append([data, structure, *texts, difference])
    return table(["data", "structure", "before", "after", "difference"], rows)
