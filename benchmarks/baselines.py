"""What do the baselines reach, beside what was published?

    python benchmarks/baselines.py run JOB… --rows rows.jsonl   # assess, one line a job
    python benchmarks/baselines.py table rows.jsonl --out benchmarks/results/baselines.csv
    python benchmarks/baselines.py search density --trials 40 --rows search.jsonl
    python benchmarks/baselines.py curves glass:cut_ratio:rehearse:0 --rows curves.jsonl
    python benchmarks/baselines.py precompute                   # anchors of SubGNN on PPI-BP, timed

A job is MODEL:DATA:PROTOCOL:NUMBERS, as `glass:density:file:10-19` (the file's own split, seeds 10
to 19), `glass:density:50/25/25:0-9` (random splits 0 to 9, one seed each) or, with the test part
left out altogether, `glass:density:rehearse:0-5` (random splits of train and val, 60/20/20). Jobs
may run in processes of their own and on several machines: rows of the same model, data and protocol
are joined. Settings come from SETTINGS below, all of them chosen without the test part, or from
`--settings PRESET,key=value,…`. `search` draws settings of SubGNN at random and looks at validation
only. Needs S2N_DATA.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from pathlib import Path
from typing import Any

import numpy as np
from measuring import save_rows

import sub2node as s2n
from sub2node.config.settings import parse_setting
from sub2node.evaluate import assess
from sub2node.evaluate.protocol import labels_of, random_splits
from sub2node.models.baseline import baseline
from sub2node.runs.journal import LineJournal

PRESETS = Path(__file__).parent / "presets"
# Where the settings of a model on a dataset come from; what is not here has the default.
SETTINGS: dict[tuple[str, str], tuple[str, dict[str, Any]]] = {
    ("glass", "density"): ("paper:density-2022", {}),
    ("glass", "cut_ratio"): ("paper", {}),
    ("glass", "coreness"): ("paper:coreness-2022", {}),
    ("glass", "component"): ("paper", {}),
    ("glass", "ppi_bp"): ("paper", {}),
    ("gnn-plain", "density"): ("paper:density-2022", {}),
    ("gnn-plain", "cut_ratio"): ("paper", {}),
    ("gnn-plain", "coreness"): ("paper:coreness-2022", {}),
    ("gnn-plain", "component"): ("paper", {}),
    ("gnn-plain", "ppi_bp"): ("paper", {}),
    ("gnn-seg", "density"): ("paper", {}),
    ("gnn-seg", "cut_ratio"): ("paper", {}),
    ("gnn-seg", "coreness"): ("paper", {}),
    ("gnn-seg", "component"): ("paper", {}),
    ("gnn-seg", "ppi_bp"): ("paper", {}),
    ("subgnn", "density"): (str(PRESETS / "subgnn-density.toml"), {}),
    ("subgnn", "cut_ratio"): (str(PRESETS / "subgnn-density.toml"), {}),
    ("subgnn", "coreness"): (str(PRESETS / "subgnn-density.toml"), {}),
    ("subgnn", "component"): (str(PRESETS / "subgnn-component.toml"), {}),
    ("subgnn", "ppi_bp"): (str(PRESETS / "subgnn-ppi_bp.toml"), {}),
}


def run(job: str, device: str, given: str | None = None) -> dict[str, Any]:
    """One job; the test part is read once a run."""
    model, data, protocol, numbers = job.split(":")
    first, _, last = numbers.partition("-")
    wanted = list(range(int(first), int(last or first) + 1))
    task = s2n.load_task(data)
    preset, settings = SETTINGS.get((model, data), ("default", {}))
    if given is not None:
        preset, *words = given.split(",")
        settings = dict(map(parse_setting, words))
    tasks, seeds = [task], wanted
    if protocol != "file":
        shares = protocol.replace("rehearse", "60/20/20").split("/")
        if protocol == "rehearse":
            task = task.subset(~task.split.mask("test"))
        drawn = random_splits(task, 20, tuple(float(word) / 100 for word in shares))  # type: ignore
        tasks, seeds = [drawn[number] for number in wanted], [10]
    row: dict[str, Any] = {"model": model, "data": data, "protocol": protocol, "numbers": wanted,
                           "val": [], "test": [], "ties": [], "settings": given}  # fmt: skip
    start = time.perf_counter()
    for part in tasks:
        network = "training.published_ties" if model in ("glass", "gnn-plain") else ""
        found = baseline(
            part, model, preset=preset, device=device,
            settings={**settings, **({network: True} if network else {})},
        ).model  # fmt: skip
        result = assess(part, found, seeds=seeds)
        for name in ("val", "test"):
            row[name] += getattr(result, name)["micro_f1"].values
        if result.published_ties is not None:
            row["ties"] += result.published_ties.values
    row["seconds"] = time.perf_counter() - start
    row["device"] = device
    return row


def joined_rows(paths: list[str]) -> list[dict[str, object]]:
    """One row for each model, protocol, data set and tie rule, over all runs in the files."""
    joined: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for path in paths:
        for line in Path(path).read_text().splitlines():
            row = json.loads(line)
            key = (row["model"], row["protocol"], row["data"], row.get("settings") or "")
            joined.setdefault(key, []).append(row)
    rows = []
    for (model, protocol, data, settings), found in joined.items():
        about = {"model": model, "split": protocol, "data": data, "settings": settings}
        for ties, part in (("ours", "test"), ("published", "ties")):
            values = [100 * value for row in found for value in row[part]]
            if values:
                sd = statistics.stdev(values) if len(values) > 1 else 0.0
                score = {"test": f"{statistics.mean(values):.1f}", "test_sd": f"{sd:.1f}"}
                rows.append({**about, "ties": ties, **score, "n": len(values)})
    return rows


def search(data: str, trials: int, seed: int, rows: Path, device: str) -> None:
    """SubGNN at random settings; the mean validation score of three seeds of each."""
    rng, task = np.random.default_rng(seed), s2n.load_task(data)
    labels = {part: labels_of(task, part) for part in ("train", "val")}  # type: ignore[arg-type]
    channels = ((0, 0, 1), (1, 0, 0), (0, 1, 0), (1, 1, 1), (1, 0, 1))
    for _ in range(trials):
        chosen = channels[rng.integers(len(channels))]
        settings = {
            **dict(zip(("neighborhood", "position", "structure"), map(bool, chosen), strict=True)),
            "layers": int(rng.integers(1, 4)),
            "lr": float(10 ** rng.uniform(-3.3, -2.0)),
            "patches": int(rng.integers(15, 46)),
            "model.dropout": float(rng.choice([0, 0.1, 0.2, 0.4])),
            "batch": int(rng.choice([32, 64])),
            "features.width": int(rng.choice([16, 32, 64])),
            "features.kind": "link" if data == "ppi_bp" else "constant",
            "features.trainable": bool(rng.integers(2)) or data == "ppi_bp",
            "epochs": 100,
            "patience": 50,
            "clip": 0.2,
        }
        if data == "ppi_bp":
            settings["features.width"] = 64
        model: Any = baseline(task, "subgnn", settings=settings, device=device).model
        trained = model.fit(task, labels, [20, 21, 22])
        loss = float(trained.fitted.history["val_loss"].min(0).mean())
        row = {"val": float(trained.val_scores.mean()), "val_loss": loss, "settings": settings}
        LineJournal(rows.parent, rows.stem).append(row)
        print(json.dumps(row), flush=True)


def curves(job: str, device: str, given: str | None, rows: Path) -> None:
    """Validation and held-out score after every epoch of a rehearsal, to choose ``start`` by."""
    import torch

    from sub2node.models.candidates import target
    from sub2node.train.scores import micro_f1

    model, data, _, number = job.split(":")
    task = s2n.load_task(data)
    task = task.subset(~task.split.mask("test"))
    task = random_splits(task, 20, (0.6, 0.2, 0.2))[int(number)]
    preset, settings = SETTINGS.get((model, data), ("default", {}))
    if given is not None:
        preset, *words = given.split(",")
        settings = dict(map(parse_setting, words))
    found: Any = baseline(task, model, preset=preset, settings={**settings, "patience": 0}).model
    config = found.candidates[0]
    built = found.build(task, config, [10], torch.device(device))
    parts = ("train", "val", "test")
    labels = {part: target(labels_of(task, part)) for part in parts}  # type: ignore[arg-type]
    group = found.group(
        *built.networks[0], stages=built.stages, labels=labels, training=config.training
    )
    scores: dict[str, list[float]] = {"val": [], "test": []}
    for epoch in range(1, config.training.epochs + 1):
        group.one_epoch(epoch)
        with torch.no_grad():
            logits = group.network.eval()(built.stages["test"])[1]
        scores["test"].append(float(micro_f1(logits, labels["test"])[0]))
        scores["val"].append(group.history["val_micro_f1"][-1][0])
    row = {"model": model, "data": data, "number": int(number), "settings": given, **scores}
    LineJournal(rows.parent, rows.stem).append(row)


def precompute_time() -> None:
    """All anchors of SubGNN on PPI-BP with the published settings, one seed, all channels."""
    import resource

    from sub2node.baselines.subgnn.precompute import precompute
    from sub2node.baselines.subgnn.subgnn_settings import SubGNNModel

    task = s2n.load_task("ppi_bp")
    for seeds in (1, 10):
        model = SubGNNModel(layers=4, patches=25)
        start = time.perf_counter()
        precompute(task, model, list(range(seeds)))
        seconds = time.perf_counter() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{seeds} seed(s), three channels, four layers: {seconds:.1f} s, {peak:.0f} MB peak")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("run", "table", "search", "curves", "precompute"))
    parser.add_argument("names", nargs="*")
    parser.add_argument("--rows", type=Path, default=Path("rows.jsonl"))
    parser.add_argument("--out", type=Path, help="Where table writes its rows, as CSV.")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--settings", help="PRESET,key=value,… instead of SETTINGS.")
    parser.add_argument("--trials", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    if "S2N_DATA" not in os.environ and given.what != "table":
        parser.error("S2N_DATA must name the folder with the data.")
    if given.what == "precompute":
        precompute_time()
    elif given.what == "table":
        save_rows(given.out, joined_rows(given.names))
    elif given.what == "curves":
        for job in given.names:
            curves(
                job, "cpu" if given.device == "auto" else given.device, given.settings, given.rows
            )
    elif given.what == "search":
        for data in given.names:
            search(data, given.trials, given.seed, given.rows, given.device)
    else:
        for job in given.names:
            row = run(job, given.device, given.settings)
            LineJournal(given.rows.parent, given.rows.stem).append(row)
            print(job, f"{row['seconds']:.0f} s", flush=True)


if __name__ == "__main__":
    main()
