"""Predict and explain, before and after: two states of the source in one run.

    python benchmarks/predict.py                     # against ffc60c8, version 0.1
    python benchmarks/predict.py --before REV --model MODEL --repeats 5

Both read the same model folder, which the older one trained on a random graph of PPI-BP's shape,
and the same CSV of 10,000 sets. They take turns, each time in a fresh process on one thread:
``s2n predict FILE -o OUT`` as a whole and by its parts (reading sets and writing answers apart from
the network), and the explanation of one set after loading. Medians; seconds of the clock and of the
processor, for the clock also shows what else runs on the machine. Rows are added to
benchmarks/results/predict.csv.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "predict.csv"
DATA = "like:ppi_bp"

FIT = """
import sys
import sub2node as s2n
settings = {"features.kind": "random", "epochs": 5}
model = s2n.SubgraphClassifier(seeds=5, preset="fast", settings=settings)
model.fit(s2n.load_task(sys.argv[1])).save(sys.argv[2])
"""

# Loading and the network take the same in both states, and are told apart.
PREDICT = """
import hashlib, json, sys, time
from pathlib import Path
import numpy as np
from sub2node import scoring
from sub2node.cli import main

def now():
    return np.array([time.perf_counter(), time.process_time()])

def watch(owner, name):
    spent, real = np.zeros(2), getattr(owner, name)

    def timed(*given, **options):
        start = now()
        answer = real(*given, **options)
        spent[:] += now() - start
        return answer

    setattr(owner, name, timed)
    return spent

load, network = watch(scoring, "load_scorer"), watch(scoring.Scorer, "predict")
model, sets, out = sys.argv[1:]
sys.argv = ["s2n", "predict", model, sets, "-o", out]
start = now()
try:
    main()
except SystemExit as leave:
    assert not leave.code, leave.code
whole = now() - start
parts = {"predict": whole, "- model folder": load, "- network": network,
         "- sets and answers": whole - load - network}
print(json.dumps({
    "jobs": {job: seconds.tolist() for job, seconds in parts.items()},
    "result": hashlib.sha256(Path(out).read_bytes()).hexdigest(),
}))
"""

EXPLAIN = """
import csv, hashlib, json, sys, time
from statistics import median
from sub2node.scoring import load_scorer
scorer, sets = load_scorer(sys.argv[1]), {}
with open(sys.argv[2]) as text:
    for row in csv.DictReader(text):
        sets.setdefault(row["subgraph_id"], []).append(row["node_id"])
        if len(sets) > 12:
            break
queries = [scorer.ask([nodes]) for nodes in list(sets.values())[:12]]
scorer.explain(queries[0])
clock, processor, reasons = [], [], []
for query in queries:
    start = time.perf_counter(), time.process_time()
    reasons += scorer.explain(query)
    clock.append(time.perf_counter() - start[0])
    processor.append(time.process_time() - start[1])
print(json.dumps({
    "jobs": {"explain one set": [median(clock), median(processor)]},
    "result": hashlib.sha256(repr([
        (reason.label, [(member.id, round(member.value, 6)) for member in reason.members])
        for reason in reasons
    ]).encode()).hexdigest(),
}))
"""


@contextmanager
def worktree(revision: str) -> Iterator[Path]:
    """The source of a commit, in a folder that goes again."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "before"
        git("worktree", "add", "--detach", str(place), revision)
        try:
            yield place / "src"
        finally:
            git("worktree", "remove", "--force", str(place))


def git(*words: str) -> str:
    """What git says."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def run(source: Path, code: str, *words: object) -> dict[str, Any]:
    """Run code with a state of the source; the last line it prints, and its peak memory in MB."""
    variables = {**os.environ, "PYTHONPATH": str(source), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", code, *map(str, words)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=variables, text=True) as process:
        assert process.stdout is not None
        printed = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{source}: exit code {process.returncode}")
    last = printed.strip().splitlines()[-1:] or ["{}"]
    kilobytes = usage.ru_maxrss if sys.platform != "darwin" else usage.ru_maxrss // 1024
    return {**json.loads(last[0]), "megabytes": kilobytes / 1024}


def write_sets(path: Path, count: int) -> None:
    """Sets as large as the known ones: a random node and random neighbours of what is there."""
    import numpy as np

    from sub2node import load_task

    task, rng = load_task(DATA), np.random.default_rng(0)
    graph = task.graph
    starts = np.flatnonzero(graph.degrees)
    with path.open("w", encoding="utf-8") as text:
        text.write("subgraph_id,node_id\n")
        for number, size in enumerate(rng.choice(task.subgraphs.sizes, count)):
            members = [int(rng.choice(starts))]
            while len(members) < size:
                node = members[int(rng.integers(len(members)))]
                around = graph.indices[graph.indptr[node] : graph.indptr[node + 1]]
                members.append(int(rng.choice(around)))
            text.writelines(f"new {number},{node}\n" for node in members)


def compare(sources: dict[str, Path], model: Path, sets: Path, repeats: int) -> list[dict]:
    """Medians of all jobs in both states, which take turns."""
    seconds: dict[tuple[str, str], list[list[float]]] = {}
    memory: dict[tuple[str, str], list[float]] = {}
    results: dict[str, set[str]] = {}
    out = sets.with_name("out.csv")
    for _ in range(repeats):
        for name, source in sources.items():
            for code, words in ((PREDICT, (model, sets, out)), (EXPLAIN, (model, sets))):
                done = run(source, code, *words)
                for job, pair in done["jobs"].items():
                    seconds.setdefault((job, name), []).append(pair)
                    memory.setdefault((job, name), []).append(done["megabytes"])
                    results.setdefault(job, set()).add(done["result"])
            out.unlink()
    different = [job for job, found in results.items() if len(found) > 1]
    print(f"Results differ: {', '.join(different)}" if different else "Results: the same bytes")
    return [
        {
            "job": job, "state": name, "seconds": round(statistics.median(p[0] for p in pairs), 4),
            "processor_seconds": round(statistics.median(p[1] for p in pairs), 4),
            "peak_mb": round(statistics.median(memory[job, name])), "repeats": repeats,
        }
        for (job, name), pairs in seconds.items()
    ]  # fmt: skip


def show(rows: list[dict], before: str, after: str) -> None:
    """Print the table."""
    print(f"{'':<20}{'':>14}{'before':>10}{'after':>10}{'before/after':>14}")
    by_key = {(row["job"], row["state"]): row for row in rows}
    for job in dict.fromkeys(row["job"] for row in rows):
        for column in ("seconds", "processor_seconds", "peak_mb"):
            old, new = (by_key[job, state][column] for state in (before, after))
            words = {"processor_seconds": "processor s", "peak_mb": "peak MB"}.get(column, "s")
            print(f"{job:<20}{words:>14}{old:>10.3f}{new:>10.3f}{old / new:>13.2f}x")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--before", default="ffc60c8", help="a revision")
    parser.add_argument("--model", type=Path, help="a folder that both states read")
    parser.add_argument("--sets", type=int, default=10_000)
    parser.add_argument("--repeats", type=int, default=3)
    chosen = parser.parse_args()
    before = git("rev-parse", "--short", chosen.before)
    after = git("describe", "--always", "--dirty")
    with tempfile.TemporaryDirectory() as folder, worktree(before) as old:
        sets, model = Path(folder) / "sets.csv", chosen.model or Path(folder) / "model"
        if chosen.model is None:
            run(old, FIT, DATA, model)
        write_sets(sets, chosen.sets)
        rows = compare({before: old, after: ROOT / "src"}, model, sets, chosen.repeats)
    show(rows, before, after)
    fresh = not RESULTS.exists()
    with RESULTS.open("a", encoding="utf-8", newline="") as text:
        writer = csv.DictWriter(text, list(rows[0]))
        if fresh:
            writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()
