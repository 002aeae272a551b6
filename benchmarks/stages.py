"""Whether a readout means the same in every stage, shown on the winner of a study.

    python benchmarks/stages.py DATA STUDY.csv [--preset paper] [--seeds 5] [--out FILE.csv]

Settings are those of the best trial of the study (benchmarks/results/studies has every trial) over
the preset it began from. They are trained with each readout; then the *validation* subgraphs are
asked twice: in their own stage, and in that of test, whose S2N graph has the test subgraphs too (no
test label is read). Last comes the score of a rehearsal inside train and val, which goes through
all stages. Runs on a CPU in some minutes.
"""

from __future__ import annotations

import argparse
import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
from measuring import save_rows

import sub2node as s2n
from sub2node.config import Config
from sub2node.config.settings import parse_setting
from sub2node.evaluate.protocol import labels_of
from sub2node.models import find_preset
from sub2node.models.graph_network import GraphNetwork
from sub2node.train.fit import forward
from sub2node.tune.objective import Objective


def winner(study: Path, base: Config) -> Config:
    """The settings of the best complete trial; of equal ones, that of the lowest loss."""
    with study.open(encoding="utf-8") as file:
        trials = [row for row in csv.DictReader(file) if row["state"] == "complete"]
    best = max(trials, key=lambda row: (float(row["value"]), -float(row["loss"])))
    given = (f"{name}={value.lower()}" for name, value in best.items() if "." in name and value)
    return base.with_settings(dict(parse_setting(text) for text in given))


def right(task: s2n.SubgraphTask, config: Config, seeds: list[int]) -> tuple[float, float]:
    """Validation subgraphs that are right, mean over seeds: in their stage, and in test's."""
    truth = {part: labels_of(task, part) for part in ("train", "val")}
    trained = GraphNetwork((config,), None, "cpu").fit(task, truth, seeds)
    own = trained.outputs("val").logits
    first, count = len(truth["train"]), len(truth["val"])
    stages = trained.built.more("test")
    stages.by_part["test"] = replace(stages["test"], scored=slice(first, first + count))
    later = forward(trained.built.networks, stages, "test")[1]
    found = [(logits.argmax(-1) == truth["val"]).sum(axis=1).mean() for logits in (own, later)]
    return float(found[0]), float(found[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data")
    parser.add_argument("study", type=Path)
    parser.add_argument("--preset", default="paper", help="What the study began from.")
    parser.add_argument("--structure", default="s2n+a")
    parser.add_argument("--conv", default="gcn2")
    parser.add_argument("--readouts", default="degree-code,node-degree")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--out", type=Path, help="Where rows are written, as CSV.")
    asked = parser.parse_args()
    task = s2n.load_task(asked.data)
    base = find_preset(asked.preset, task, asked.structure, asked.conv).config
    config, seeds = winner(asked.study, base), list(range(asked.seeds))
    objective = Objective(task, seeds, rehearse=asked.seeds, device="cpu")
    count = len(labels_of(task, "val"))
    print(f"{asked.data}: {count} validation subgraphs, mean of {len(seeds)} seeds")
    print(f"{'readout':14}{'val stage':>11}{'test stage':>12}   rehearsal")
    rows: list[dict[str, object]] = []
    for readout in asked.readouts.split(","):
        changed = config.with_settings({"readout": readout})
        here, there = right(task, changed, seeds)
        score = objective(changed)
        mean, sd = 100 * score.mean, 100 * np.std(score.values, ddof=1)
        print(f"{readout:14}{here:>11.1f}{there:>12.1f}   {mean:.1f} ± {sd:.1f}", flush=True)
        rows.append(
            {
                "data": asked.data,
                "readout": readout,
                "val_subgraphs": count,
                "right_in_val_stage": f"{here:.1f}",
                "right_in_test_stage": f"{there:.1f}",
                "rehearsal": f"{mean:.1f}",
                "seeds": len(seeds),
            }
        )
    save_rows(asked.out, rows)


if __name__ == "__main__":
    main()
