"""The model card says what is true."""

from __future__ import annotations

import numpy as np
from sklearn.metrics import roc_auc_score

from scoring_tasks import FAST, named, small_task
from sub2node import SubgraphClassifier
from sub2node.base.environment import versions


def test_the_model_card_says_what_is_true(fitted, saved) -> None:
    text = (saved / "MODEL_CARD.md").read_text(encoding="utf-8")
    task, scorer = named(small_task(weighted=True)), fitted.scorer_
    graph = task.graph
    assert text.startswith("# s2n+a gcn2 on named data\n")
    assert "which of 3 classes" in text
    assert "one label per subgraph" in text
    assert f"{graph.num_nodes} nodes and {graph.num_edges} edges" in text
    assert graph.hash[:12] in text
    assert "40 training subgraphs, and 12 to choose and calibrate on" in text
    assert "2 seeds (10, 11)" in text
    assert f"divided by {scorer.temperature:.3f}" in text
    for part, name in (("val", "validation"), ("test", "test")):
        mask = task.split.mask(part)
        truth = task.labels[mask]
        asked = task.subgraphs.take(np.flatnonzero(mask))
        said = fitted.predict_proba(asked)
        right = float((said.argmax(1) == truth).mean())
        loss = float(-np.log(said[np.arange(len(truth)), truth]).mean())
        row = next(line for line in text.splitlines() if line.startswith(f"| {name} |"))
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        assert cells[1] == cells[3] == f"{right:.4f}"
        assert cells[-2] == f"{loss:.4f}"
        assert cells[-1] == str(mask.sum())
        header = next(line for line in text.splitlines() if line.startswith("| | micro-F1 |"))
        names = [cell.strip() for cell in header.strip("|").split("|")]
        areas = [
            roc_auc_score(truth == c, said[:, c]) for c in range(3) if 0 < (truth == c).mean() < 1
        ]
        assert cells[names.index("ROC-AUC")] == f"{np.mean(areas):.4f}"
        assert "mean reciprocal rank" in names
    for label, count in enumerate(np.bincount(task.labels[:40], minlength=3)):
        assert f"| {label} | {count} |" in text
    assert f"torch {versions()['torch']}" in text


def test_the_model_card_of_several_labels(several) -> None:
    text = (several / "MODEL_CARD.md").read_text(encoding="utf-8")
    assert "several labels per subgraph" in text
    assert "claimed above a probability of 0.500" in text


def test_the_model_card_of_virtual_subgraphs_and_bars(tmp_path) -> None:
    task = small_task()
    kinds = np.array(["a|b", "c", "d"])[task.labels]
    made = SubgraphClassifier("cos2n+0", seeds=1, preset="fast", settings=FAST).fit(task, kinds)
    text = (made.save(tmp_path / "model") / "MODEL_CARD.md").read_text(encoding="utf-8")
    assert f"40 training subgraphs and {made.scorer_.task.num_virtual} virtual ones" in text
    assert made.scorer_.task.num_virtual > 0
    assert r"| a\|b |" in text
