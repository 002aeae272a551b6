"""Score the best trials of studies once more, on splits that their search did not see.

    python benchmarks/confirm.py STUDY_FOLDER … -o FILE.json [--top 6] [--splits 20]

The best of a hundred is partly the luckiest of a hundred. So the best trials of each study (folders
of `s2n tune --rehearse`, all of the same data) are trained anew on further splits of train and val,
one seed each, and the best by the mean held-out micro-F1 wins. FILE.json has the whole table and
the winner; `benchmarks/tuned.py FILE.json` makes a preset of it. No test subgraph is read.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

import sub2node as s2n
from sub2node.tune.objective import Objective, rehearsals
from sub2node.tune.spec import Spec

SEARCHED = 10  # splits that searches may have used; see rehearsals


def best(folder: Path, count: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The study, and its best complete trials; of equal ones, those of lower loss come first."""
    study = json.loads((folder / "study.json").read_text(encoding="utf-8"))
    trials = [trial for trial in study["trials"] if trial["state"] == "complete"]
    trials.sort(key=lambda trial: (-trial["value"], trial["loss"]))
    return study, trials[:count]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--top", type=int, default=6)
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--device", default="auto")
    asked = parser.parse_args()
    studies = [best(folder, asked.top) for folder in asked.folders]
    [name] = {study["spec"]["name"] for study, _ in studies}
    seeds = list(range(100, 100 + asked.splits))
    objective = Objective(s2n.load_task(name), seeds, device=asked.device)
    fresh = rehearsals(objective.task, SEARCHED + asked.splits)[SEARCHED:]
    objective.rehearse = asked.splits
    objective.parts = [(task, [seed]) for task, seed in zip(fresh, seeds, strict=True)]
    rows: list[dict[str, Any]] = []
    for folder, (study, trials) in zip(asked.folders, studies, strict=True):
        for trial in trials:
            config = Spec.from_dict(study["spec"]).settings(trial["point"])
            score = objective(config)
            sd = float(np.std(score.values, ddof=1))
            rows.append({
                "study": folder.name, "trial": trial["number"], "searched": trial["value"],
                "mean": score.mean, "sd": sd, "n": len(score.values), "loss": score.loss,
                "trials": len(study["trials"]), "base": study["spec"]["base"]["name"],
                "config": config.to_dict(),
            })  # fmt: skip
            words = f"{100 * trial['value']:.1f} in the search, {100 * score.mean:.1f} ± "
            print(f"{folder.name} {trial['number']}: {words}{100 * sd:.1f} now", flush=True)
    won = max(rows, key=lambda row: (row["mean"], -row["loss"]))
    tried = sum(len(study["trials"]) for study, _ in studies)
    evidence = (
        f"the best of {len(rows)} on {won['n']} further splits of train and val (held-out micro-F1"
        f" {100 * won['mean']:.1f} ± {100 * won['sd']:.1f}), which were the best of {tried} trials"
        f" of s2n tune on {name} by the same on others; no test subgraph was there; what was not"
        f" searched is that of the preset {won['base']}"
    )
    found = {"spec": {"name": name}, "config": won["config"], "evidence": evidence, "rows": rows}
    asked.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(f"{won['study']} {won['trial']}: {evidence}")


if __name__ == "__main__":
    main()
