"""The data-scarce table by several processes at once: what `s2n reproduce data-scarce` does alone.

Speed and memory are measured first, with nothing else running; then the runs are shared out. The
folder is one of that command, which draws the figures from it:

    python benchmarks/scarce.py ppi_bp --preset benchmarks/presets/ppi_bp-scarce.toml \\
        --device cuda --jobs 8 -o scarce
    s2n reproduce data-scarce ppi_bp --preset benchmarks/presets/ppi_bp-scarce.toml \\
        -o scarce --resume
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import sub2node as s2n
from sub2node.evaluate.seeds import seed_list
from sub2node.reproduce.scarce import (
    COARSENINGS,
    ScarceFinding,
    ScarcePlan,
    data_scarce,
    models_of,
    steps,
)
from sub2node.reproduce.scarce_journal import ScarceJournal


def job(
    data: str, plan: ScarcePlan, options: dict[str, Any], known: list[ScarceFinding]
) -> list[ScarceFinding]:
    """All models on the subsets of one size and seed."""
    task = s2n.load_task(data)
    models, _ = models_of(task, plan, **options)
    return list(data_scarce(task, plan, models, known=known))


def main() -> None:
    about = argparse.ArgumentParser(description=__doc__)
    about.add_argument("data")
    about.add_argument("--preset", default="default")
    about.add_argument("--device", default="auto")
    about.add_argument("--jobs", type=int, default=2)
    about.add_argument("--seeds", type=int, default=10)
    about.add_argument("--coarsen", nargs="*", default=list(COARSENINGS))
    about.add_argument("-o", type=Path, required=True)
    given = about.parse_args()
    plan = ScarcePlan(coarsenings=tuple(given.coarsen), seeds=tuple(seed_list(given.seeds)))
    task = s2n.load_task(given.data)
    findings = ScarceJournal(given.o, resume=given.o.exists())
    options = {"preset": given.preset, "device": given.device}
    models, _ = models_of(task, plan, **options)
    known = findings.open(plan, task, models)
    for found in steps(task, plan, models, known=known):
        findings.add(found)
        known.append(found)
    parts = [
        ScarcePlan((n,), plan.structures, plan.coarsenings, (seed,))
        for seed in plan.seeds
        for n in plan.sizes
    ]
    with ProcessPoolExecutor(given.jobs, mp_context=get_context("spawn")) as pool:
        waiting = [pool.submit(job, given.data, part, options, known) for part in parts]
        for number, done in enumerate(waiting, start=1):
            for found in done.result():
                findings.add(found)
            print(f"{number} of {len(parts)}", flush=True)


if __name__ == "__main__":
    main()
