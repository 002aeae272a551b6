"""How long does an answer take? One core, PPI-BP's size, after loading.

    python benchmarks/scoring.py            # fits a model on ppi_bp first (about a minute)
    python benchmarks/scoring.py MODEL --out benchmarks/results/scoring.csv    # one of s2n fit

Asks for subgraphs of real sizes with nodes drawn at random around one another: one at a time, a
thousand at once, joint, and why. Times are of everything from ids to probabilities, in processor
time of one thread: that of the clock where nothing else runs.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = "1"

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from measuring import save_rows

import sub2node as s2n
from sub2node.scoring import Scorer, load_scorer

TARGETS = {"one": 0.020, "thousand": 2.0, "thirty": 0.100}
ROWS: list[dict[str, object]] = []


def sets_of(scorer: Scorer, count: int, seed: int = 0, size: int | None = None) -> list[list[str]]:
    """A random node and random neighbours of what is there; as many as known sets have."""
    rng = np.random.default_rng(seed)
    graph, sizes = scorer.graph, scorer.task.subgraphs.sizes
    starts = np.flatnonzero(graph.degrees)
    found = []
    for wanted in rng.choice(sizes, count) if size is None else [size] * count:
        members = [int(rng.choice(starts))]
        while len(members) < wanted:
            node = members[int(rng.integers(len(members)))]
            around = graph.indices[graph.indptr[node] : graph.indptr[node + 1]]
            members.append(int(rng.choice(around)))
        found.append([scorer.index.name(node) for node in members])
    return found


def timed(work: Callable[[], object], repeats: int) -> list[float]:
    """Processor seconds of each run."""
    spent = []
    for _ in range(repeats):
        start = time.process_time()
        work()
        spent.append(time.process_time() - start)
    return spent


def row(name: str, seconds: list[float], target: float | None = None) -> None:
    median, high = np.median(seconds), np.quantile(seconds, 0.99)
    goal = "" if target is None else f"   target {1000 * target:,.0f} ms"
    print(f"{name:<38}{1000 * median:>10.1f} ms{1000 * high:>10.1f} ms (99 %){goal}")
    times = {"median_ms": f"{1000 * median:.1f}", "p99_ms": f"{1000 * high:.1f}"}
    ROWS.append({"job": name, **times})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", nargs="?", type=Path)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--out", type=Path, help="Where rows are written, as CSV.")
    asked = parser.parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        path = asked.model
        if path is None:
            model = s2n.SubgraphClassifier(seeds=asked.seeds, settings={"features.kind": "random"})
            path = model.fit(s2n.load_task("ppi_bp")).save(Path(folder) / "model")
        start = time.process_time()
        scorer = load_scorer(path)
        loaded = time.process_time() - start
        sets = sets_of(scorer, 1000)
        first = timed(lambda: scorer.predict(scorer.ask(sets[:1])), 1)
    config = scorer.known_subgraphs.config
    print(
        f"{config.structure} {config.conv}, {config.model.layers} layers,"
        f" {len(scorer.seeds)} seeds; {scorer.graph.num_nodes:,} nodes,"
        f" {len(scorer.task):,} known subgraphs"
    )
    row("load", [loaded])
    row("first answer", first)
    row("one subgraph", [timed(lambda s=s: scorer.predict(scorer.ask([s])), 1)[0] for s in sets],
        TARGETS["one"])  # fmt: skip
    row("1,000 subgraphs", timed(lambda: scorer.predict(scorer.ask(sets)), 5), TARGETS["thousand"])
    query = scorer.ask(sets)
    row("1,000 subgraphs, joint", timed(lambda: scorer.predict(query, mode="joint"), 3))
    row(
        "why, one subgraph",
        [timed(lambda i=i: scorer.explain(query.take([i])), 1)[0] for i in range(50)],
    )
    thirty = scorer.ask(sets_of(scorer, 30, size=30))
    row(
        "why, a set of thirty",
        [timed(lambda i=i: scorer.explain(thirty.take([i])), 1)[0] for i in range(30)],
        TARGETS["thirty"],
    )
    row(
        "nearest known, one subgraph",
        [timed(lambda i=i: scorer.neighbors(query.take([i])), 1)[0] for i in range(50)],
    )
    save_rows(asked.out, ROWS)


if __name__ == "__main__":
    main()
