"""What does drawing random node vectors by a hash of seed and node change? Old beside new.

Until version 0.1.0 vectors were drawn for all nodes from each replica's stream, which the first
values of the weights followed in. Both sources train the same networks on random features, each
in a process of its own; the rows go to benchmarks/results/random-vectors.csv:

    git worktree add /somewhere ffc60c8
    python benchmarks/random_vectors.py /somewhere/src src
    python benchmarks/random_vectors.py /somewhere/src src memory     # at a million nodes
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

DATA = ("ppi_bp", "hpo_orpha_neuro", "hpo_orpha_metab")
STRUCTURES = ("separated", "connected", "s2n+0", "s2n+a")
JOB = """
import json, sys
import sub2node as s2n
data, structure, device = sys.argv[1:]
result = s2n.run(s2n.load_task(data), structure=structure, device=device,
                 settings={"features.kind": "random"})
scores = {part: result.scores[part]["micro_f1"] for part in ("val", "test")}
print(json.dumps({part: list(found.values) for part, found in scores.items()}))
"""

LARGE = """
import json, resource
import numpy as np
import sub2node as s2n
rng = np.random.default_rng(0)
graph = s2n.Graph.from_edges(*rng.integers(0, 1_000_000, (2, 2_000_000)), num_nodes=1_000_000)
members = [rng.choice(1_000_000, 20, replace=False) for _ in range(200)]
task = s2n.SubgraphTask(graph, s2n.Subgraphs.from_lists(members), np.arange(200) % 2)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
s2n.run(task, structure="s2n+0", seeds=5, device="cpu",
        settings={"features.kind": "random", "epochs": 1})
after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps([before, after]))
"""


def main(before: str, after: str, what: str = "auto") -> None:
    """Compare scores on a device (``auto``, ``cpu``, ``cuda``), or ``memory``."""
    sources = {"before": before, "after": after}
    if what == "memory":
        compare_memory(sources)
    else:
        compare_scores(sources, what)


def compare_scores(sources: dict[str, str], device: str) -> None:
    """Train with both sources, print and keep the scores."""
    rows = []
    heads = ("before: val", "test", "after: val", "test")
    print(f"{'data':<18}{'structure':<12}" + "".join(f"{head:>14}" for head in heads))
    for data in DATA:
        for structure in STRUCTURES:
            cells = []
            for label, source in sources.items():
                scores = run_job(source, JOB, data, structure, device)
                for part, values in scores.items():
                    cells.append(f"{100 * mean(values):.1f} ± {100 * deviation(values):.1f}")
                    rows += [
                        [data, structure, label, part, seed, value]
                        for seed, value in enumerate(values, start=10)
                    ]
            print(f"{data:<18}{structure:<12}" + "".join(f"{c:>14}" for c in cells), flush=True)
    write_rows("random-vectors.csv", ["data", "structure", "source", "part", "seed", "score"], rows)


def compare_memory(sources: dict[str, str]) -> None:
    """Peak resident memory of a run with 200 subgraphs in a graph of a million nodes."""
    rows = []
    for label, source in sources.items():
        data, peak = (kilobytes / 1024 for kilobytes in run_job(source, LARGE))
        rows.append([label, round(data), round(peak)])
        print(f"{label}: {data:.0f} MiB with the data, {peak:.0f} MiB at most")
    write_rows("random-vectors-memory.csv", ["source", "data_mib", "peak_mib"], rows)


def run_job(source: str, code: str, *arguments: str) -> Any:
    """What code prints last, in a process that imports the package from a source folder."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, "PYTHONPATH": str(Path(source).resolve())},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        raise SystemExit(done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def write_rows(name: str, header: list[str], rows: list[list[Any]]) -> None:
    """Keep rows as CSV, in $OUT where that is set."""
    folder = Path(os.environ.get("OUT", Path(__file__).parent / "results"))
    with (folder / name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)


def mean(values: list[float]) -> float:
    """Of scores over seeds."""
    return sum(values) / len(values)


def deviation(values: list[float]) -> float:
    """Standard deviation, n - 1."""
    centre = mean(values)
    return float((sum((value - centre) ** 2 for value in values) / (len(values) - 1)) ** 0.5)


if __name__ == "__main__":
    main(*sys.argv[1:])
