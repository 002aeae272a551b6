"""Has anything become slower? Ratios of ours to fixed plain versions, in minutes.

    python benchmarks/guard.py                                          # measure and compare
    python benchmarks/guard.py --out benchmarks/results/guard.csv       # and keep the rows
    python benchmarks/guard.py rwpe answers                            # some jobs

Each job is a process with one thread that runs a plain version, which never changes, and ours in
turns; a ratio is the quickest plain run by the quickest of ours, in processor time, so that other
work on the machine matters little. The ratio is compared with the median of the rows kept of the
last five commits. One that fell by more than 20 % is measured again; if it is still so low, the
exit code is 1.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import steps

ROOT = Path(__file__).resolve().parents[1]
ROWS = ROOT / "benchmarks" / "results" / "guard.csv"
MOST = 0.20  # share of a ratio that it may fall by
COMMITS = 5  # whose rows are compared with
Row = dict[str, str]


class Times(NamedTuple):
    """Processor seconds of a job."""

    plain: float
    ours: float

    @property
    def ratio(self) -> float:
        """How many times quicker ours is."""
        return self.plain / self.ours


@dataclass(frozen=True)
class Job:
    """Code that defines ``plain()`` and ``ours()``, and how often each runs.

    Args:
        code: The definitions.
        rounds: How often the two take turns.
        children: Whether the two start processes, whose time counts.
    """

    code: str
    rounds: int = 7
    children: bool = False


def _step(shape: str) -> str:
    """A training step of S2N+A GCNII, two seeds, against two of the plain composition."""
    setup = steps.SETUP.format(shape=shape, edges=steps.SHAPES[shape])
    ours = steps.OURS.format(replicas=2) + "\nours = step\n"
    twice = "\none = step\ndef plain(): one(); one()\n"
    one_thread = "\ntorch.set_num_threads(1)\n"
    return setup + one_thread + ours + steps.PLAIN + twice


_HELP = """
import subprocess, sys
HELP = "from sub2node.cli.app import app; app(['--help'])"
def plain(): subprocess.run([sys.executable, "-c", "import typer, rich.console"], check=True)
def ours(): subprocess.run([sys.executable, "-c", HELP], check=True, stdout=subprocess.DEVNULL)
"""
_TRANSLATE = """
import numpy as np, scipy.sparse as sp
import sub2node as s2n
from sub2node.task import Subgraphs, SubgraphTask
graph, rng = s2n.datasets.like("hpo_neuro").graph, np.random.default_rng(0)
sets = Subgraphs.from_lists([rng.choice(graph.num_nodes, 15, replace=False) for _ in range(1500)])
task = SubgraphTask(graph, sets)
task.hash
A = graph.adjacency() + sp.eye_array(graph.num_nodes, format="csr", dtype=np.float32)
M = sets.membership(graph.num_nodes)
def plain(): return M @ (A @ M.T)
def ours(): return s2n.translate(task)
"""
_RWPE = """
import numpy as np, scipy.sparse as sp, torch
from sub2node import Graph
from sub2node.encode import random_walk
torch.set_num_threads(1)
rng = np.random.default_rng(0)
ends = rng.integers(0, 3000, (2, 60000))
graph = Graph.from_edges(*ends[:, ends[0] < ends[1]], num_nodes=3000)
A = graph.adjacency()
P = sp.diags_array(1 / np.maximum(np.asarray(A.sum(axis=1)).ravel(), 1)) @ A
def plain():
    power, columns = P.toarray(), []
    for k in range(8):
        columns.append(power.diagonal())
        power = P @ power
    return np.stack(columns, axis=1)
def ours(): return random_walk(graph, 8, device="cpu", route="products").values
"""
_LINKS = """
import sys
import numpy as np, scipy.sparse as sp, torch
from torch import nn
import sub2node as s2n, sub2node.encode
from sub2node.config import LinkSettings
from sub2node.encode import link_prediction
torch.set_num_threads(1)
graph = s2n.datasets.like("ppi_bp").graph
size, (low, high, _) = graph.num_nodes, graph.edges()
A = graph.adjacency().tocoo()
scale = 1 / np.maximum(np.asarray(graph.adjacency().sum(axis=1)).ravel(), 1)
weights = torch.from_numpy((scale[A.row] * A.data).astype(np.float32))
messages = torch.sparse_coo_tensor(np.stack([A.row, A.col]), weights, (size, size)).coalesce()
table = nn.Parameter(torch.randn(size, 64))
maps = nn.ModuleList([nn.Linear(64, 64), nn.Linear(128, 64), nn.Linear(64, 64),
                      nn.Linear(128, 64), nn.Linear(64, 64), nn.Linear(64, 1)])
adam, rng = torch.optim.Adam([table, *maps.parameters()], lr=1e-3), np.random.default_rng(0)
def plain():
    for _ in range(len(low) // 65536):
        x = table
        for layer in (0, 1):
            around = torch.sparse.mm(messages, maps[2 * layer](x).relu())
            around = (around - around.mean(0)) / around.var(0).add(1e-5).sqrt()
            x = maps[2 * layer + 1](torch.cat([around, x], -1))
            x = x.relu() if layer == 0 else x
        chosen = rng.integers(0, len(low), 65536)
        joined = np.stack([low[chosen], high[chosen]])
        pairs = np.concatenate([joined, rng.integers(0, size, joined.shape)], 1).astype(np.int64)
        first, second = torch.from_numpy(pairs)
        logits = maps[5](maps[4]((x[first] + x[second]) / 2).relu())[:, 0]
        truth = (torch.arange(len(logits)) < 65536).float()
        adam.zero_grad()
        nn.functional.binary_cross_entropy_with_logits(logits, truth).backward()
        adam.step()
def ours(): link_prediction(graph, 64, LinkSettings(epochs=1, every=1), device="cpu")
"""
_MODEL = """
import numpy as np, torch
import sub2node as s2n
from sub2node.scoring import load_scorer
import tempfile
torch.set_num_threads(1)
task = s2n.datasets.like("ppi_bp")
settings = {"features.kind": "random", "epochs": 2, "hidden": 64}
classifier = s2n.SubgraphClassifier(seeds=2, settings=settings).fit(task)
folder = tempfile.mkdtemp()
scorer = load_scorer(classifier.save(folder + "/model"))
rng = np.random.default_rng(0)
nodes = np.unique(scorer.task.subgraphs.nodes)
sets = [[scorer.index.name(n) for n in rng.choice(nodes, 30, replace=False)] for _ in range(20)]
query = scorer.ask(sets)
known = scorer.known_subgraphs.outer.adjacency
x = torch.randn(2, len(scorer.task), 64)
def plain():  # the whole S2N graph once for each new subgraph: what attachment saves
    with torch.no_grad():
        for _ in sets: scorer.network.outer(x, known)
"""
_ANSWERS = _MODEL + "def ours():\n    for one in sets: scorer.predict(scorer.ask([one]))\n"
_REASONS = _MODEL + "def ours(): scorer.explain(query.take([0, 1, 2]))\n"

JOBS = {
    "help": Job(_HELP, rounds=5, children=True),
    "step ppi_bp": Job(_step("ppi_bp")),
    "step hpo_metab": Job(_step("hpo_metab"), rounds=4),
    "translate": Job(_TRANSLATE),
    "rwpe": Job(_RWPE, rounds=4),
    "links": Job(_LINKS, rounds=3),
    "answers": Job(_ANSWERS, rounds=20),
    "reasons": Job(_REASONS),
}
_RUNNER = """
import json, os, resource, sys, time
sys.path[:0] = {path!r}
{code}
def clock():
    if {children}:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime
    return time.process_time()
plain(), ours()
best = [float("inf")] * 2
for _ in range({rounds}):
    for number, job in enumerate((plain, ours)):
        start = clock()
        job()
        best[number] = min(best[number], clock() - start)
print()
print(json.dumps(best))
"""


def measure(job: Job) -> Times:
    """Run a job in a process of its own."""
    paths = [p for p in sys.path if p]
    code = _RUNNER.format(path=paths, code=job.code, rounds=job.rounds, children=job.children)
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    return Times(*json.loads(done.stdout.strip().splitlines()[-1]))


def expected_ratio(rows: Sequence[Row], name: str) -> float | None:
    """Median ratio of a job over the last commits that have it; None: it is new."""
    ratios = [float(row["ratio"]) for row in rows if row["job"] == name][-COMMITS:]
    return statistics.median(ratios) if ratios else None


def has_fallen(ratio: float, expected: float | None) -> bool:
    """Whether a ratio fell by more than is allowed."""
    return expected is not None and ratio < (1 - MOST) * expected


def guard(
    jobs: Mapping[str, Job], rows: Sequence[Row], measure: Callable[[Job], Times] = measure
) -> tuple[dict[str, Times], list[str]]:
    """Times of all jobs, and the names of those that became slower.

    Args:
        jobs: What is measured.
        rows: What was kept before.
        measure: Measures a job.
    """
    times, fallen = {}, []
    print(f"{'':<16}{'plain ms':>10}{'ours ms':>10}{'ratio':>8}{'before':>8}")
    for name, job in jobs.items():
        expected, found = expected_ratio(rows, name), measure(job)
        if has_fallen(found.ratio, expected):
            found = max(found, measure(job), key=lambda one: one.ratio)
        times[name] = found
        note = ""
        if has_fallen(found.ratio, expected):
            fallen.append(name)
            note = "  fell by more than 20 %"
        before = "new" if expected is None else f"{expected:.2f}"
        print(f"{name:<16}{1e3 * found.plain:>10.1f}{1e3 * found.ours:>10.1f}"
              f"{found.ratio:>8.2f}{before:>8}{note}", flush=True)  # fmt: skip
    return times, fallen


def read_rows(path: Path) -> list[Row]:
    """The rows that were kept; none where there is no file."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def keep(path: Path, rows: Sequence[Row], times: Mapping[str, Times], commit: str) -> None:
    """Write the rows with those of this commit at the end, in place of earlier ones of it."""
    date = datetime.datetime.now(datetime.UTC).date().isoformat()
    new = [
        {"commit": commit, "date": date, "job": name, "plain_ms": f"{1e3 * one.plain:.1f}",
         "ours_ms": f"{1e3 * one.ours:.1f}", "ratio": f"{one.ratio:.3g}"}
        for name, one in times.items()
    ]  # fmt: skip
    kept = [row for row in rows if (row["commit"], row["job"]) not in {(commit, n) for n in times}]
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(new[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows([*kept, *new])


def main() -> int:
    about = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    about.add_argument("jobs", nargs="*", metavar="JOB", help=", ".join(JOBS))
    about.add_argument("--out", type=Path, help="Where rows are kept, as CSV.")
    options = about.parse_args()
    unknown = [name for name in options.jobs if name not in JOBS]
    if unknown:
        about.error(f"no job {unknown[0]!r}; jobs are {', '.join(JOBS)}.")
    rows = read_rows(options.out or ROWS)
    chosen = {name: JOBS[name] for name in options.jobs or JOBS}
    times, fallen = guard(chosen, rows)
    if options.out:
        git = ["git", "-C", str(ROOT), "rev-parse", "--short=7", "HEAD"]
        commit = subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()
        keep(options.out, rows, times, commit)
    if fallen:
        print(f"Slower than before: {', '.join(fallen)}.", file=sys.stderr)
    return bool(fallen)


if __name__ == "__main__":
    sys.exit(main())
