"""Which settings are best on validation? A random search that never reads a test label.

The space is the paper's (layers, dropouts, rate, decay, clipping, GCNII's parameters, cut), with
batch norm, skip, readout and the constants besides. Settings are ranked by mean best validation
micro-F1 over seeds, ties by validation loss.

    python benchmarks/search.py density --minutes 5 --features constant -o found.jsonl
    python benchmarks/search.py density --features constant --near found.jsonl -o b.jsonl
    python benchmarks/search.py density --again b.jsonl --seeds 10 -o c.jsonl   # the five best
    python benchmarks/search.py --best c.jsonl        # the winner, as a preset
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import sub2node as s2n
from sub2node.baselines import SIMPLE
from sub2node.config import Config
from sub2node.evaluate.baselines import Simple
from sub2node.evaluate.models import GraphNetwork
from sub2node.evaluate.protocol import labels_of, seed_list
from sub2node.settings import parse_setting, to_toml
from sub2node.train import find_preset


def draw(
    rng: np.random.Generator, structure: str, features: str, encoding: str = "none"
) -> dict[str, Any]:
    """One point of the space."""

    def tenth(low: int, high: int) -> float:
        return int(rng.integers(low, high + 1)) / 10

    settings: dict[str, Any] = {
        "lr": float(np.exp(rng.uniform(np.log(5e-4), np.log(1e-2)))),
        "weight_decay": float(np.exp(rng.uniform(np.log(1e-9), np.log(1e-6)))),
        "clip": tenth(0, 5),
        "dropout": tenth(0, 5),
        "edge_dropout": tenth(0, 5),
        "layers": int(rng.integers(1, 3)),
        "batch_norm": bool(rng.integers(2)),
        "skip": bool(rng.integers(2)),
        "readout": str(rng.choice(["sum", "degree", "degree-code"])),
        "translation.a": float(rng.integers(4, 17) / 4),
        "translation.delta": float(rng.integers(1, 5) / 2),
    }
    encoders = ["outer"]
    if structure.startswith("cos2n"):
        methods = ["variation_edges", "variation_neighborhoods"]
        settings["coarsening.method"] = str(rng.choice(methods))
        settings["coarsening.ratio"] = tenth(2, 6)
    if "s2n" not in structure:
        settings["readout"] = str(rng.choice(["sum", "degree"]))
    if structure.endswith("+a"):
        settings["inner_layers"] = int(rng.integers(1, 3))
        encoders.append("inner")
    for encoder in encoders:
        settings[f"{encoder}.alpha"] = tenth(1, 9)
        settings[f"{encoder}.theta"] = tenth(1, 20)
        settings[f"{encoder}.shared_weights"] = bool(rng.integers(2))
    if features == "constant":
        settings |= {
            "features.kind": "constant",
            "features.trainable": False,
            "features.width": int(rng.choice([1, 64])),
            "features.value": float(rng.choice([1.0, 1 / 64])),
        }
    else:
        settings |= {"features.kind": features, "features.scale": float(rng.choice([0.1, 0.3, 1]))}
        if features != "random":
            settings["features.trainable"] = bool(rng.integers(2))
    if encoding != "none":
        settings["features.encoding"] = encoding
        if features == "constant":  # the encoding takes part of the width, as published
            shared = settings["features.width"] > 1
            settings["features.join"] = "share" if shared else "concat"
            settings["features.encoding_width"] = int(rng.choice([16, 32]))
            settings["features.scaling"] = str(rng.choice(["none", "standard", "log"]))
    return settings


def near(rng: np.random.Generator, rows: list[dict[str, Any]], fresh: dict[str, Any]) -> Any:
    """One of the best points so far, with about a third of its settings drawn anew."""
    point = dict(rows[int(rng.integers(min(8, len(rows))))]["settings"])
    return {**point, **{name: fresh[name] for name in fresh if rng.random() < 0.3}}


def assess(
    task: s2n.SubgraphTask, config: Config, seeds: list[int], device: str
) -> dict[str, float]:
    """Validation only."""
    labels = {part: labels_of(task, part) for part in ("train", "val")}
    trained: Any = GraphNetwork((config,), device=device).fit(task, labels, seeds)
    best = trained.fitted.best_epoch
    loss = [trained.fitted.history["val_loss"][e - 1, r] if e else 9.9 for r, e in enumerate(best)]
    return {"val": float(trained.val_scores.mean()), "loss": float(np.mean(loss))}


def held_out(task: s2n.SubgraphTask, model: Any, splits: int) -> Iterator[Any]:
    """Results of a model on random splits of train and val, the test part left out first."""
    known = task.subset(np.flatnonzero(task.split.codes != 3))
    for number in range(splits):
        split = s2n.Split.random(known.labels, fractions=(0.78, 0.11, 0.11), seed=100 + number)
        yield s2n.evaluate.assess(known.with_split(split), model, seeds=[number])


def scarce(
    task: s2n.SubgraphTask, config: Config, sizes: list[int], seeds: list[int], device: str
) -> dict[str, float]:
    """Validation only, with few training subgraphs: a fresh subset for each size and seed."""
    assert task.split is not None
    found = [
        assess(
            task.with_split(task.split.per_class(task.labels, n, seed=seed)), config, [seed], device
        )
        for n in sizes
        for seed in seeds
    ]
    return {name: float(np.mean([each[name] for each in found])) for name in ("val", "loss")}


def rehearse(task: s2n.SubgraphTask, config: Config, splits: int, device: str) -> dict[str, float]:
    """The whole protocol inside train and val: the score on parts held out of both.

    A validation part of 25 subgraphs says little; repeated splits of train and val together say
    more, and the test part is left out before anything else.
    """
    scores, loss = [], []
    for result in held_out(task, GraphNetwork((config,), device=device), splits):
        scores.append(result.test["micro_f1"].mean)
        best = result.best_epoch[0]
        loss.append(result.history["val_loss"][best - 1, 0])
    return {"val": float(np.mean(scores)), "loss": float(np.mean(loss))}


def only(given: argparse.Namespace, task: s2n.SubgraphTask) -> None:
    """Rehearse one model and print mean and sd over the splits."""
    if given.simple:
        model: Any = Simple(SIMPLE[given.simple])
    else:
        found = find_preset(given.preset, task, given.structure, given.conv)
        found = found.with_settings(dict(map(parse_setting, given.fix)))
        model = GraphNetwork(found.candidates, device=given.device)
    scores = [each.test["micro_f1"].mean for each in held_out(task, model, given.rehearse)]
    words = f"{100 * np.mean(scores):.1f} ± {100 * np.std(scores, ddof=1):.1f}"
    print(f"{task.name}, {model.name}: {words} over {given.rehearse} splits of train and val")


def ranked(path: Path) -> list[dict[str, Any]]:
    """Trials of a file, best first."""
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return sorted(rows, key=lambda row: (-row["val"], row["loss"]))


def show(row: dict[str, Any]) -> None:
    """A trial as a preset."""
    print(f"# Chosen without the test part: micro-F1 {row['val']:.4f} over {row['n']} seeds or")
    print("# splits of train and val, by benchmarks/search.py.\n")
    config = Config().with_settings({"structure": row["structure"], "conv": row["conv"]})
    print(to_toml(config.with_settings(row["settings"]).to_dict()))


def arguments() -> argparse.Namespace:
    about = argparse.ArgumentParser(description=__doc__)
    about.add_argument("data", nargs="*")
    about.add_argument("--structure", default="s2n+a")
    about.add_argument("--conv", default="gcn2")
    about.add_argument("--features", default="random")
    about.add_argument("--encoding", default="none")
    about.add_argument("--epochs", type=int, default=650)
    about.add_argument("--seeds", type=int, default=5)
    about.add_argument("--minutes", type=float, default=5)
    about.add_argument("--number", type=int, default=0, help="Of this search; others draw others.")
    about.add_argument("--device", default="cpu")
    about.add_argument("--near", type=Path, help="Search around the best of this file.")
    about.add_argument("--again", type=Path, help="Assess the 5 best of this file on all seeds.")
    about.add_argument("--rehearse", type=int, default=0, help="Splits of train and val together.")
    about.add_argument(
        "--per-class", type=int, nargs="*", default=[], help="Training subgraphs of each class."
    )
    about.add_argument("--fix", nargs="*", default=[], help="Settings to hold, as in skip=true.")
    about.add_argument("--top", type=int, default=5, help="Of --again.")
    about.add_argument(
        "--every", type=int, default=1, help="Of --again: share with so many others."
    )
    about.add_argument("--preset", help="Only rehearse this preset, with --fix.")
    about.add_argument("--simple", help="Only rehearse this simple model.")
    about.add_argument("--best", type=Path)
    about.add_argument("-o", type=Path, default=Path("found.jsonl"))
    return about.parse_args()


def main() -> None:
    given = arguments()
    if given.best:
        show(ranked(given.best)[0])
        return
    start, rng = time.monotonic(), np.random.default_rng(given.number)
    base = {"structure": given.structure, "conv": given.conv, "epochs": given.epochs}
    tasks = {name: s2n.load_task(name) for name in given.data}
    if given.simple or given.preset:
        only(given, next(iter(tasks.values())))
        return
    points = None
    if given.again:
        best = ranked(given.again)[: given.top]
        points = [row["settings"] for row in best[given.number % given.every :: given.every]]
    while time.monotonic() - start < 60 * given.minutes and points != []:
        settings = (
            points.pop(0) if points else draw(rng, given.structure, given.features, given.encoding)
        )
        if given.near:
            settings = near(rng, ranked(given.near), settings)
        settings |= {"epochs": given.epochs, **dict(map(parse_setting, given.fix))}
        config = Config().with_settings({**base, **settings})
        if given.rehearse:
            found = [
                rehearse(task, config, given.rehearse, given.device) for task in tasks.values()
            ]
        elif given.per_class:
            seeds = seed_list(given.seeds)
            found = [
                scarce(task, config, given.per_class, seeds, given.device)
                for task in tasks.values()
            ]
        else:
            seeds = seed_list(given.seeds)
            found = [assess(task, config, seeds, given.device) for task in tasks.values()]
        row = {
            "data": list(tasks),
            "structure": given.structure,
            "conv": given.conv,
            "n": given.rehearse or given.seeds,
            "val": float(np.mean([each["val"] for each in found])),
            "loss": float(np.mean([each["loss"] for each in found])),
            "by_data": {name: each["val"] for name, each in zip(tasks, found, strict=True)},
            "settings": settings,
        }
        with given.o.open("a") as file:
            file.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
