"""``best`` beside its members and the default networks: test scores over splits, read once each.

    python benchmarks/best.py SUITE --out benchmarks/results/best.csv --minutes 5

Every row is one assessment of a model under one split of a task: the split it came with
(``given``), or a random one. Members are all that ``best`` has judged, each learned from all labels
as there, so that the ensemble can be held against the best of them; those without a weight learn
after the time limit, networks among them with as many seeds as in folds, for a minute at most, or
not at all with ``--weighted-only``. Assessments that the file has are kept and not made again.
"""

from __future__ import annotations

import argparse
import csv
import multiprocessing
import os
import time
from pathlib import Path
from typing import Any

import numpy as np

COLUMNS = (
    "task", "split", "model", "micro_f1", "top_3", "log_loss", "out_of_fold", "weight", "runs",
    "seconds",
)  # fmt: skip
SPLITS = {  # random ones beside the given one, in its shares; those of the other comparisons
    "ppi_bp": 10, "disease_families": 5, "density": 10, "cut_ratio": 10, "coreness": 10,
    "component": 10, "hpo_orpha_neuro": 10, "hpo_orpha_metab": 10,
}  # fmt: skip
SEEDS = (10, 11, 12)
FOLD_SEEDS, UNWEIGHTED_SECONDS = 4, 60.0  # of a network that was judged and has no weight
GROUPS = ("publication",)  # columns whose values stay together in folds


def splits_of(task: Any, count: int) -> list[tuple[str, Any]]:
    """The task under its own split and random ones."""
    from sub2node.evaluate.protocol import random_splits

    drawn = random_splits(task, count) if count else []
    return [("given", task), *((f"random {number}", one) for number, one in enumerate(drawn))]


def score(task: Any, shares: Any) -> dict[str, Any]:
    """Scores of probabilities on the test part."""
    from sub2node.base.calibration import log_loss_of_probabilities
    from sub2node.base.metrics import micro_f1
    from sub2node.models.best import as_logits

    truth = task.labels[task.split.mask("test")]
    logits = as_logits(shares, multilabel=task.multilabel)
    row: dict[str, Any] = {
        "micro_f1": f"{micro_f1(truth, logits, multilabel=task.multilabel):.5f}",
        "log_loss": f"{log_loss_of_probabilities(shares, truth):.5f}",
    }
    if truth.ndim == 1 and shares.shape[1] > 3:
        above = (shares > shares[np.arange(len(truth)), truth][:, None]).sum(axis=1)
        row["top_3"] = f"{(above < 3).mean():.5f}"
    return row


def assess_best(task: Any, minutes: float, *, weighted_only: bool) -> list[dict[str, Any]]:
    """Rows of the ensemble and of its members."""
    from sub2node.base.calibration import probabilities
    from sub2node.config.best_settings import BestSettings
    from sub2node.evaluate.protocol import labels_of
    from sub2node.models.best import best_model

    start = time.perf_counter()
    labels = {part: labels_of(task, part) for part in ("train", "val")}
    groups = next((name for name in GROUPS if name in task.attributes), None)
    model = best_model(task, settings=BestSettings(minutes=minutes), groups=groups)
    trained = model.fit(task, labels, SEEDS)
    seconds = time.perf_counter() - start
    multilabel, total, rows = task.multilabel, 0.0, []
    for member in trained.members:
        logits = member.trained.outputs("test").logits
        shares = probabilities(logits, member.temperature, multilabel=multilabel).mean(axis=0)
        total = total + member.weight * shares
        line = next(row for row in trained.leaderboard if row.name == member.name)
        facts = {"out_of_fold": f"{line.micro_f1:.5f}", "weight": f"{member.weight:.3f}"}
        rows.append(
            {"model": f"member: {member.name}", **score(task, shares), **facts, "runs": len(logits)}
        )
    if not weighted_only:
        rows += assess_unweighted(task, model, trained, np.concatenate(list(labels.values())))
    return [{"model": "best", **score(task, total), "runs": 1, "seconds": f"{seconds:.1f}"}, *rows]


def assess_unweighted(task: Any, model: Any, trained: Any, truth: Any) -> list[dict[str, Any]]:
    """Rows of members that were judged and have no weight."""
    from sub2node.base.calibration import probabilities

    groups = None if model.groups is None else task.attributes.groups(model.groups)
    groups = None if groups is None else groups[~task.split.mask("test")]
    plans, chosen = {plan.name: plan for plan in model.plans}, {m.name for m in trained.members}
    labels, rows = {"train": truth, "val": truth[:0]}, []
    for line in trained.leaderboard:
        if line.name in chosen or line.micro_f1 is None:
            continue
        plan = plans[line.name]
        seeds = range(SEEDS[0], SEEDS[0] + (FOLD_SEEDS if plan.is_network else 1))
        member = plan.make_model(UNWEIGHTED_SECONDS, groups=groups).fit(
            trained.task, labels, list(seeds)
        )
        logits = member.outputs("test").logits
        scores = score(task, probabilities(logits, 1.0, multilabel=task.multilabel).mean(axis=0))
        scores.pop("log_loss")  # it has no temperature
        facts = {"out_of_fold": f"{line.micro_f1:.5f}", "weight": "0.000", "runs": len(logits)}
        rows.append({"model": f"member: {line.name}", **scores, **facts})
    return rows


def assess_default(task: Any, structure: str) -> list[dict[str, Any]]:
    """One row: the mean of single seeds of a default network."""
    import sub2node as s2n

    start = time.perf_counter()
    result = s2n.run(task, structure=structure, seeds=list(SEEDS))
    row = {"model": f"default {structure}", "micro_f1": f"{result.test['micro_f1'].mean:.5f}"}
    return [{**row, "runs": len(SEEDS), "seconds": f"{time.perf_counter() - start:.1f}"}]


def work(job: tuple[str, int, str, argparse.Namespace]) -> None:
    """One assessment; its rows are appended to the file."""
    folder, number, model, options = job
    if options.cpu_time:  # limits and measured seconds, so that other work does not matter
        time.perf_counter = time.process_time
    import torch

    import sub2node as s2n

    torch.set_num_threads(options.threads)
    name = Path(folder).name
    split, task = splits_of(s2n.load_task(folder), SPLITS.get(name, 0))[number]
    try:
        if model == "best":
            rows = assess_best(task, options.minutes, weighted_only=options.weighted_only)
        else:
            rows = assess_default(task, model)
    except Exception as error:  # a row says what went wrong
        rows = [
            {"model": model, "micro_f1": " ".join(f"{type(error).__name__}: {error}".split())[:150]}
        ]
    with options.out.open("a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writerows({"task": name, "split": split, **row} for row in rows)


def read_done(path: Path) -> set[tuple[str, str, str]]:
    """Task, split and model of the rows of a file, which is begun where it is not there."""
    if not path.is_file():
        with path.open("w", newline="") as file:
            csv.DictWriter(file, COLUMNS).writeheader()
    with path.open(newline="") as file:
        return {(row["task"], row["split"], row["model"]) for row in csv.DictReader(file)}


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("suite", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=5.0)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2, help="Of each worker.")
    parser.add_argument(
        "--cpu-time", action="store_true", help="Minutes of CPU time of one thread, not of a clock."
    )
    parser.add_argument("--models", default="best,s2n+0,s2n+a")
    parser.add_argument("--only", default="", help="Names of tasks in their order, with commas.")
    parser.add_argument(
        "--weighted-only", action="store_true", help="Leave out members that have no weight."
    )
    parser.add_argument("--splits", type=int, default=99, help="The most random ones per task.")
    arguments = parser.parse_args()
    names = [path.name for path in sorted(arguments.suite.iterdir()) if path.is_dir()]
    if arguments.cpu_time and arguments.threads != 1:
        parser.error("--cpu-time needs --threads 1: threads that wait would count.")
    wanted = arguments.only.split(",") if arguments.only else names
    done = read_done(arguments.out)
    jobs = [
        (str(arguments.suite / name), number, model, arguments)
        for model in arguments.models.split(",")
        for name in wanted
        for number in range(min(SPLITS.get(name, 0), arguments.splits) + 1)
        if (name, f"random {number - 1}" if number else "given", model) not in done
    ]
    os.environ.setdefault("S2N_CACHE", str(arguments.out.parent.resolve() / "cache"))
    with multiprocessing.get_context("spawn").Pool(arguments.workers) as pool:
        for _ in pool.imap_unordered(work, jobs, chunksize=1):
            pass


if __name__ == "__main__":
    main()
