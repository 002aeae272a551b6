"""How good is the advice? Beside what a longer comparison on validation says.

    S2N_DATA=… python benchmarks/advice.py density ppi_bp --minutes 2 --seeds 2 --longest 120 \\
        --out benchmarks/results/advice.csv

For each task: what `s2n advise` says within its minutes, by rules alone and by probes; then all
structures trained in full (default settings, all epochs, other seeds than the probes', test part
left out), as far as one takes at most `--longest` seconds by the estimate. Prints validation
micro-F1 of the long training, how far the advised structure is behind the best one, whether that
is more than noise, and estimated against real seconds.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from measuring import save_rows

from sub2node import load_task
from sub2node.advice import advise
from sub2node.advice.probes import Draws, Probe, probe_structures
from sub2node.advice.task_parts import without_test_part
from sub2node.config import STRUCTURES
from sub2node.evaluate.protocol import split_if_needed
from sub2node.task import SubgraphTask

TASKS = ("density", "cut_ratio", "coreness", "component", "ppi_bp", "hpo_orpha_metab",
         "hpo_orpha_neuro")  # fmt: skip


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("tasks", nargs="*", default=TASKS)
    words.add_argument("--minutes", type=float, default=2.0)
    words.add_argument("--seeds", type=int, default=2)
    words.add_argument("--longest", type=float, default=120.0)
    words.add_argument("--out", type=Path, help="Where rows are written, as CSV.")
    asked = words.parse_args()
    rows: list[dict[str, object]] = []
    for name in asked.tasks:
        task, _ = split_if_needed(load_task(name))
        rows += show_advice(name, task, asked)
    save_rows(asked.out, rows)


def show_advice(
    name: str, task: SubgraphTask, asked: argparse.Namespace
) -> list[dict[str, object]]:
    """Advice, then the longer comparison."""
    start = time.perf_counter()
    advice = advise(task, minutes=asked.minutes)
    spent = time.perf_counter() - start
    print(f"\n{name}: advised {advice.structure} (rules {advice.by_rules}, probes"
          f" {advice.by_probes}; within noise: {', '.join(advice.tied) or '-'}), {spent:.0f} s,"
          f" {advice.epochs} epochs", flush=True)  # fmt: skip
    print("  probes: " + ", ".join(f"{p.name} {100 * p.score:.1f}" for p in advice.tried))
    known, long = without_test_part(task), dict[str, Probe]()
    for structure in STRUCTURES:
        price = advice.price[structure]
        expected = price.prepare + price.training * asked.seeds / price.seeds
        if price.reason or expected > asked.longest:
            seconds = f"{expected:.0f} s" if price.timed else "not timed"
            print(f"  {structure:<10} {price.reason or f'not trained: {seconds}'}")
            continue
        seeds = range(20, 20 + asked.seeds)
        (found,) = probe_structures(
            known, [structure], conv="gcn2", epochs=300, seeds=seeds, seconds=1e9
        )
        if found.interrupted:
            raise KeyboardInterrupt
        long[structure] = found
        print(f"  {structure:<10} val {100 * found.score:5.1f}  {found.seconds:6.1f} s, estimated"
              f" {expected:.1f} s", flush=True)  # fmt: skip
    about = {"data": name, "val_subgraphs": int(task.split.mask("val").sum())}
    about |= {"advised": advice.structure, "by_rules": advice.by_rules}
    rows: list[dict[str, object]] = [
        {
            **about,
            "structure": structure,
            "val": f"{100 * long[structure].score:.1f}" if structure in long else "",
        }
        for structure in STRUCTURES
    ]
    if not long:
        return rows
    best = max(long.values(), key=lambda each: each.score)
    draws = Draws(list(long.values()))
    for who, structure in (("advice", advice.structure), ("rules", advice.by_rules)):
        if structure not in long:
            print(f"  {who}: {structure} was not trained in full")
            continue
        low, _ = draws.behind(structure, best.name)
        behind = 100 * (best.score - long[structure].score)
        word = "within noise" if low <= 0 else "more than noise"
        print(f"  {who}: {structure} is {behind:.1f} points behind the best ({best.name}): {word}")
    return rows


if __name__ == "__main__":
    main()
