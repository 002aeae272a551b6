"""Score the best trials of studies once more, on splits that their search did not see.

    python benchmarks/confirm.py STUDY_FOLDER … -o FILE.json [--top 6] [--splits 20]
        [--also PRESET[,NAME=VALUE…]] [--known FILE.json]

The best of a hundred is partly the luckiest of a hundred. So the best trials of each study (folders
of `s2n tune --rehearse`, all of the same data) are trained anew on further splits of train and val,
one seed each, and the best by the mean held-out micro-F1 wins. Presets can take part (`--also`),
and rows that were scored before are not scored again (`--known`). FILE.json has the whole table and
the winner; `benchmarks/tuned.py FILE.json` makes a preset of it. No test subgraph is read.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import sub2node as s2n
from sub2node.config import Config
from sub2node.config.settings import parse_setting
from sub2node.models import find_preset
from sub2node.runs import StudyFile, read_json
from sub2node.tune.confirmation import FIRST_SPLIT
from sub2node.tune.objective import Objective
from sub2node.tune.study_spec import Spec


def trials(folder: Path, count: int) -> Iterator[tuple[dict[str, Any], Any]]:
    """The best complete trials of a study; of equal ones, those of lower loss come first."""
    study = read_json(StudyFile, folder / "study.json")
    done = [trial for trial in study.trials if trial["state"] == "complete"]
    done.sort(key=lambda trial: (-trial["value"], trial["loss"]))
    spec = Spec.from_dict(study.spec)
    for trial in done[:count]:
        about = {"study": folder.name, "trial": trial["number"], "searched": trial["value"],
                 "trials": len(study.trials), "base": spec.base.name,
                 "model": spec.baseline}  # fmt: skip
        yield about, spec.settings(trial["point"])


def preset(text: str, task: s2n.SubgraphTask, conv: str) -> tuple[dict[str, Any], Config]:
    """A preset for S2N+A, with settings changed."""
    name, *changes = text.split(",")
    config = find_preset(name, task, "s2n+a", conv).config
    about = {"study": f"preset {Path(name).stem}", "trial": None, "searched": None, "trials": 0,
             "base": Path(name).stem, "model": ""}  # fmt: skip
    return about, config.with_settings(dict(map(parse_setting, changes)))


def fresh(task: s2n.SubgraphTask, count: int, device: str) -> Objective:
    """Scores on splits after those of searches, a seed each."""
    seeds = range(100, 100 + count)
    return Objective(task, seeds, count, device=device, first_split=FIRST_SPLIT)


def evidence(won: dict[str, Any], rows: list[dict[str, Any]], name: str) -> str:
    tried = sum({row["study"]: row["trials"] for row in rows}.values())
    return (
        f"the best of {len(rows)} on {won['n']} splits of train and val that no search had seen"
        f" (held-out micro-F1 {100 * won['mean']:.1f} ± {100 * won['sd']:.1f}), which were the best"
        f" of {tried} trials of s2n tune on {name}, and presets; no test subgraph was there; what"
        f" was not searched is that of the preset {won['base']}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folders", type=Path, nargs="*")
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--top", type=int, default=6)
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--also", action="append", default=[])
    parser.add_argument("--known", type=Path, action="append", default=[])
    parser.add_argument("--data", help="Its name, where no folder says it.")
    parser.add_argument("--conv", default="gcn2", help="Of presets.")
    parser.add_argument("--device", default="auto")
    asked = parser.parse_args()
    known = [json.loads(file.read_text(encoding="utf-8")) for file in asked.known]
    name = asked.data or read_json(StudyFile, asked.folders[0] / "study.json").name
    task = s2n.load_task(name)
    objective = fresh(task, asked.splits, asked.device)
    rows: list[dict[str, Any]] = [row for file in known for row in file["rows"]]
    candidates = [each for folder in asked.folders for each in trials(folder, asked.top)]
    candidates += [preset(text, task, asked.conv) for text in asked.also]
    for about, config in candidates:
        objective.baseline = about["model"]
        score = objective(config)
        sd = float(np.std(score.values, ddof=1))
        numbers = {"mean": score.mean, "sd": sd, "n": len(score.values), "loss": score.loss}
        rows.append({**about, **numbers, "config": config.to_dict()})
        words = f"{about['study']} {about['trial']}: {100 * score.mean:.1f} ± {100 * sd:.1f}"
        print(f"{words} (in its search: {about['searched']})", flush=True)
    won = max(rows, key=lambda row: (row["mean"], -row["loss"]))
    said = evidence(won, rows, name)
    found = {"spec": {"name": name}, "config": won["config"], "evidence": said, "rows": rows}
    asked.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(f"{won['study']} {won['trial']}: {said}")


if __name__ == "__main__":
    main()
