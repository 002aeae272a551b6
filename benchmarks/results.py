"""What do the models reach? 10 seeds, settings chosen on validation only, the test part read once.

    python benchmarks/results.py synthetic     # the four instances that GLASS published
    python benchmarks/results.py ppi           # PPI-BP, all structures beside simple models

Needs S2N_DATA. Settings for the synthetic ones are in benchmarks/presets, found by
benchmarks/search.py; on PPI-BP they are the package's `default`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import sub2node as s2n
from sub2node.baselines import SIMPLE
from sub2node.config import STRUCTURES
from sub2node.evaluate import Result, assess, compare
from sub2node.evaluate.models import Simple

PRESETS = Path(__file__).parent / "presets"
# dataset, structure, target and published value of test micro-F1
SYNTHETIC = [
    ("density", "s2n+a", 90.0, "93.2 ± 2.6"),
    ("cut_ratio", "s2n+a", 56.0, "56.0 ± 0.0"),
    ("coreness", "s2n+a", 83.0, "85.7 ± 5.8"),
    ("component", "s2n+a", 100.0, "100 ± 0.0"),
    ("component", "s2n+0", 100.0, "100 ± 0.0"),
]


def points(result: Result, part: str) -> str:
    found = result.scores[part]["micro_f1"]  # type: ignore[index]
    return f"{100 * found.mean:.1f} ± {100 * found.sd:.1f}"


def synthetic() -> None:
    print("GLASS instances, micro-F1 (n = 10 seeds), GCNII, constants frozen")
    head = ("dataset", "structure", "val", "test", "target", "published", "statistics", "s")
    print("{:<11}{:<11}{:>13}{:>13}{:>8}{:>13}{:>12}{:>7}".format(*head))
    for name, structure, target, published in SYNTHETIC:
        task = s2n.load_task(name)
        result = s2n.run(task, structure=structure, preset=str(PRESETS / f"{name}.toml"))
        exact = assess(task, Simple(SIMPLE["structure statistics"]), seeds=list(range(10, 20)))
        print(
            f"{name:<11}{structure:<11}{points(result, 'val'):>13}{points(result, 'test'):>13}"
            f"{target:>8.0f}{published:>13}{points(exact, 'test'):>12}{result.seconds:>7.0f}",
            flush=True,
        )
    print("statistics: a random forest on seven exact measures of each subgraph; these benchmarks")
    print("ask whether a model can see such measures.")


def ppi() -> None:
    task = s2n.load_task("ppi_bp")
    results = [assess(task, Simple(model), seeds=list(range(10, 20))) for model in SIMPLE.values()]
    for structure in STRUCTURES:
        results.append(s2n.run(task, structure=structure))
        print(f"# {structure}: {results[-1].seconds:.0f} s", file=sys.stderr)
    found = compare(results)
    print(f"PPI-BP, micro-F1, features from scratch; marks: {found.test}, against the best val")
    print(f"{'model':<24}{'val':>13}{'test':>13}{'':>4}{'n':>4}{'s':>7}")
    for number, row in enumerate(found.rows):
        sign = "best" if number == found.reference else row.sign
        print(
            f"{row.result.model:<24}{points(row.result, 'val'):>13}"
            f"{points(row.result, 'test'):>13}{sign:>5}{row.result.test['micro_f1'].n:>4}"
            f"{row.result.seconds:>7.0f}"
        )


if __name__ == "__main__":
    for word in sys.argv[1:] or ["synthetic", "ppi"]:
        {"synthetic": synthetic, "ppi": ppi}[word]()
