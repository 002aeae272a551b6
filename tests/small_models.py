"""A small task with string ids, and models trained on it."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

from commands import Done, refused, s2n  # noqa: F401
from sub2node import SubgraphClassifier, load_task

CLASSES = ("blåu ½", "plain", 'red, "hot"')
QUICK = {"epochs": 4, "hidden": 8, "width": 8, "features.kind": "random", "a": 0.0, "delta": 3.0}
NODES = [f"g{i}" for i in range(48)]


def write_task(folder: Path, *, multilabel: bool = False, split: bool = True) -> Path:
    """Edges and subgraphs of 48 nodes in rings, as a folder; the class is where a subgraph lies."""
    folder.mkdir(parents=True)
    random = Random(7)
    pairs = {(i, i // 16 * 16 + (i + 1) % 16) for i in range(48)}
    pairs |= {tuple(random.sample(range(48), 2)) for _ in range(40)}
    edges = {(min(pair), max(pair)) for pair in pairs}  # none is there in both directions
    rows = [f"g{a},g{b}" for a, b in sorted(edges)]
    (folder / "edges.csv").write_text("\n".join(["source,target", *rows]) + "\n")
    names = [f"{node},gene {node[1:]}" for node in NODES]
    (folder / "nodes.csv").write_text("\n".join(["node_id,title", *names]) + "\n")
    with (folder / "subgraphs.jsonl").open("w", encoding="utf-8") as file:
        for i in range(48):
            c = i % 3
            nodes = [f"g{n}" for n in random.sample(range(16 * c, 16 * c + 16), 2 + i % 4)]
            row: dict[str, object] = {"id": f"s{i}", "nodes": nodes, "label": CLASSES[c]}
            if multilabel:
                row["label"] = [CLASSES[k] for k in range(3) if k == c or (i + k) % 4 == 0]
            if split:
                row["split"] = "train" if i < 30 else "val" if i < 39 else "test"
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    return folder


def save_model(folder: Path, *, multilabel: bool = False) -> Path:
    """Train on such a task and save: ``folder/data`` and ``folder/model``."""
    task = load_task(write_task(folder / "data", multilabel=multilabel))
    model = SubgraphClassifier(seeds=2, preset="fast", settings=QUICK).fit(task)
    return model.save(folder / "model")


def drawn(count: int, seed: int = 0) -> dict[str, list[str]]:
    """New subgraphs, by name."""
    random = Random(seed)
    return {f"new {i}": random.sample(NODES, random.randint(1, 6)) for i in range(count)}


def write_csv(path: Path, sets: dict[str, list[str]]) -> Path:
    """Subgraphs as a table of members."""
    rows = [f"{name},{node}" for name, nodes in sets.items() for node in nodes]
    path.write_text("\n".join(["subgraph_id,node_id", *rows]) + "\n", encoding="utf-8")
    return path
