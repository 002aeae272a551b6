"""One search for every trainable model, and the judgement of what it found.

    python benchmarks/equal_search.py run --rows FILE.csv [--minutes 9] [--workers 16]
        [--data ppi_bp,density] [--models "glass;s2n+a gcn2"] [--trials 8] [--search 0.5]
        [--random-only] [--processor-time]
    python benchmarks/equal_search.py judge --rows FILE.csv --out benchmarks/results [--name NAME]

`run` searches anew within each of ten random splits, the same for all models, and within the
published split: a trial is scored on rehearsals of that split's own train and val, so what a search
finds for a split has seen no subgraph of its test part. On each split every model has the same
number of trials: the published settings and random points of its own search space. Then the best
settings of each split are trained on it (`confirm`), on the published one with ten seeds
(`published`), and so are the published settings. Subgraphs of one group (patients of one
publication) are in one part, in splits and rehearsals. Processes share a GPU and take jobs in turn
over models and data, so that a search that the clock ends has equal numbers of trials; what is not
equal is not counted. Rows are written as they come; a second call with the same file goes on from
there.

`judge` writes tables: the scores, each model against GLASS (paired, corrected for overlapping
training sets), and counts of wins, ties and losses.

Data are read from `carry/data` if that folder is there, else as always (S2N_DATA).
"""

from __future__ import annotations

import argparse
import csv
import gc
import importlib
import json
import os
import queue
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from equal_jobs import PUBLISHED, Job, later_jobs, search_jobs
from equal_judge import judge

DATA = [
    "ppi_bp",
    "density",
    "cut_ratio",
    "coreness",
    "component",
    "patients",
    "hpo_orpha_metab",
    "hpo_orpha_neuro",
]
GROUPS = {"patients": "publication"}  # what is never in two parts
COLUMNS = ["kind", "data", "model", "trial", "of", "splits", "score", "scores", "val", "seconds"]
COLUMNS += ["ended", "origin", "settings", "train", "test", "note"]


@dataclass(frozen=True)
class Protocol:
    """What is the same for all models.

    Args:
        rehearsals: Splits of a split's train and val that a trial is scored on.
        splits: Random splits, and seeds on the published split.
        epochs: The most epochs of a training; None: as published.
        fit_seconds: The most seconds of a training; the best state by then counts.
        processor_time: Whether these are seconds of a processor, which other work on the same
            machine does not shorten, instead of seconds on the clock.
        device: ``auto``, ``cpu`` or ``cuda``.
    """

    rehearsals: int = 2
    splits: int = 10
    epochs: int | None = None
    fit_seconds: float = 90.0
    processor_time: bool = False
    device: str = "auto"


def do_job(job: Job, protocol: Protocol) -> dict[str, object]:
    """Train and score; the row of a job. What goes wrong becomes a row too."""
    start = time.perf_counter()
    row: dict[str, object] = {**asdict(job), "splits": " ".join(map(str, job.splits)), "note": ""}
    try:
        row |= _scores(job, protocol)
    except Exception as error:  # the others go on, whatever it is
        row["note"] = f"failed: {type(error).__name__}: {' '.join(str(error).split())}"[:300]
    row["seconds"] = round(time.perf_counter() - start, 2)
    return row


def _scores(job: Job, protocol: Protocol) -> dict[str, object]:
    from equal_models import CONTESTANTS, enter
    from equal_training import score_seeds, score_splits

    task = _load(job.data)
    contestant = CONTESTANTS[job.model]
    entry = enter(contestant, task, epochs=protocol.epochs, device=protocol.device)
    point = entry.point(job.data, job.trial)
    model = entry.model(point, device=protocol.device, seconds=protocol.fit_seconds)
    base, tasks = _tasks(job, protocol)
    if job.kind == "published":
        found = score_seeds(model, task, protocol.splits)
    else:
        found = score_splits(model, base, tasks, _numbers(job, len(tasks)))
    split = tasks[0].split
    assert split is not None
    return {
        "score": f"{sum(found.test) / len(found.test):.6f}",
        "scores": " ".join(f"{value:.6f}" for value in found.test),
        "val": f"{sum(found.val) / len(found.val):.6f}",
        "ended": found.ended,
        "origin": entry.origin,
        "settings": json.dumps(point, sort_keys=True),
        "train": split.count("train"),
        "test": split.count("test"),
    }


def _numbers(job: Job, count: int) -> Sequence[int]:
    """The seeds of trainings: numbers of rehearsals, or of splits."""
    return range(count) if job.kind == "search" else job.splits


@cache
def _load(data: str) -> Any:
    import sub2node as s2n

    return s2n.load_task(data)


@cache
def _splits(data: str, count: int) -> tuple[Any, ...]:
    """The random splits of some data, which keep groups apart."""
    from sub2node.evaluate import random_splits

    return tuple(random_splits(_load(data), count, groups=GROUPS.get(data)))


def _tasks(job: Job, protocol: Protocol) -> tuple[Any, Sequence[Any]]:
    """The subgraphs of a job and their splits; of a search, without the test part of its split."""
    from sub2node.tune.objective import rehearsals, without_test

    task, numbers = _load(job.data), job.splits
    tasks = [
        task if number == PUBLISHED else _splits(job.data, protocol.splits)[number]
        for number in numbers
    ]
    if job.kind != "search":
        return task, tasks
    (split,) = tasks
    train_val = without_test(split)
    return train_val, rehearsals(train_val, protocol.rehearsals, groups=GROUPS.get(job.data))


def work(jobs: Any, rows: Any, protocol: Protocol) -> None:
    """A process that does jobs until there is none."""
    import torch

    torch.set_num_threads(1)
    if protocol.processor_time:  # one thread: the time of the process is that of the training
        module: Any = importlib.import_module("sub2node.train.fit")
        module.time = SimpleNamespace(perf_counter=time.process_time)
    while (job := jobs.get()) is not None:
        rows.put(do_job(job, protocol))
        gc.collect()
        if torch.cuda.is_available():
            torch.cuda.empty_cache()


class Rows:
    """A CSV file that rows are appended to."""

    def __init__(self, path: Path) -> None:
        self.path, self.rows = path, list(read_rows(path))
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(",".join(COLUMNS) + "\n", encoding="utf-8")

    def append(self, row: dict[str, Any]) -> None:
        self.rows.append(row)
        with self.path.open("a", encoding="utf-8", newline="") as file:
            csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n").writerow(row)

    @property
    def keys(self) -> set[tuple[object, ...]]:
        return {
            (
                r["kind"],
                r["data"],
                r["model"],
                int(r["trial"]),
                tuple(map(int, r["splits"].split())),
            )
            for r in self.rows
        }


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a file; none where there is no file."""
    if path.exists():
        with path.open(encoding="utf-8", newline="") as file:
            yield from csv.DictReader(file)


def run(
    rows: Rows,
    *,
    data: Sequence[str],
    models: Sequence[str],
    trials: int,
    protocol: Protocol,
    search_until: float,
    until: float,
    workers: int,
    given: bool = True,
    say: Callable[[str], None] = print,
) -> None:
    """Search until the first time, then score what was found until the second."""
    known = rows.keys
    all_trials = search_jobs(data, models, trials, protocol.splits, given=given)
    searching = [job for job in all_trials if job.key not in known]
    with Processes(workers, protocol) as pool:
        _share(pool, searching, rows, until=search_until, say=say)
        for _ in range(2):  # trials that were under way may change what is best
            later = [job for job in later_jobs(rows.rows, data, models) if job.key not in rows.keys]
            jobs = list({job.key: job for job in later}.values())
            _share(pool, jobs, rows, until=until, say=say)
            _share(pool, [], rows, until=until, say=say, empty=True)


def _share(
    pool: Processes,
    jobs: list[Job],
    rows: Rows,
    *,
    until: float,
    say: Callable[[str], None],
    empty: bool = False,
) -> None:
    """Hand out jobs until there are none or the time is up; with ``empty`` wait for the last."""
    jobs = jobs[::-1]
    while time.time() < until and (jobs or (empty and pool.busy)):
        while jobs and pool.busy < pool.workers:
            pool.give(jobs.pop())
        row = pool.take(min(1.0, max(0.01, until - time.time())))
        if row is not None:
            rows.append(row)
            score = f"{100 * float(row['score']):5.1f}" if row.get("score") else row["note"]
            say(
                f"{max(0, until - time.time()):5.0f} s left · {row['kind']} {row['data']}"
                f" {row['model']} trial {row['trial']}, split {row['splits']}: {score} in"
                f" {row['seconds']} s"
            )


class Processes:
    """Processes that take jobs from one queue; ended when the time is up."""

    def __init__(self, workers: int, protocol: Protocol) -> None:
        self.workers, self.protocol, self.busy = workers, protocol, 0

    def __enter__(self) -> Processes:
        import multiprocessing

        context = multiprocessing.get_context("spawn")
        self.jobs, self.rows = context.Queue(), context.Queue()
        arguments = (self.jobs, self.rows, self.protocol)
        self.all = [
            context.Process(target=work, args=arguments, daemon=True) for _ in range(self.workers)
        ]
        for process in self.all:
            process.start()
        return self

    def give(self, job: Job) -> None:
        self.busy += 1
        self.jobs.put(job)

    def take(self, seconds: float) -> dict[str, Any] | None:
        try:
            row: dict[str, Any] = self.rows.get(timeout=seconds)
        except queue.Empty:
            return None
        self.busy -= 1
        return row

    def __exit__(self, *_: object) -> None:
        for process in self.all:
            process.terminate()
        for process in self.all:
            process.join()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=("run", "judge"))
    parser.add_argument("--rows", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/results"))
    parser.add_argument("--name", default="equal-search", help="How names of tables begin.")
    parser.add_argument("--data", help="Names with commas; by default all.")
    parser.add_argument("--models", help="Names with semicolons; by default all.")
    parser.add_argument("--data-folder", help="Where the data are; by default carry/data, if any.")
    parser.add_argument("--minutes", type=float, default=9.0)
    parser.add_argument("--search", type=float, default=0.5, help="Share of the time for trials.")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--trials", type=int, default=8)
    parser.add_argument("--random-only", action="store_true", help="Omit the published split.")
    parser.add_argument("--processor-time", action="store_true")
    apart = ("device", "processor_time")
    options = [field for field in fields(Protocol) if field.name not in apart]
    for field in options:
        kind = float if field.name == "fit_seconds" else int
        parser.add_argument(f"--{field.name.replace('_', '-')}", type=kind, default=field.default)
    parser.add_argument("--device", default="auto")
    asked = parser.parse_args()
    start = time.time()
    rows = Rows(asked.rows)
    if asked.what == "judge":
        judge(rows.rows, asked.out, asked.name)
        return
    folder = asked.data_folder or ("carry/data" if Path("carry/data").is_dir() else None)
    if folder:
        os.environ["S2N_DATA"] = str(Path(folder).resolve())
    from equal_models import CONTESTANTS, walks

    protocol = replace(
        Protocol(device=asked.device, processor_time=asked.processor_time),
        **{field.name: getattr(asked, field.name) for field in options},
    )
    seconds = 60 * asked.minutes
    data = asked.data.split(",") if asked.data else DATA
    models = asked.models.split(";") if asked.models else list(CONTESTANTS)
    if any(CONTESTANTS[name].encoding == "rwpe" for name in models):
        for name in data:  # once, before sixteen processes want them
            walks(_load(name), asked.device)
    run(
        rows,
        data=data,
        models=models,
        trials=asked.trials,
        protocol=protocol,
        search_until=start + asked.search * seconds,
        until=start + seconds,
        workers=asked.workers,
        given=not asked.random_only,
    )


if __name__ == "__main__":
    main()
