"""Models of gene sets, clusters of accounts, patients and others, for tests of case reports."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from scoring_tasks import named, small_task
from small_ensembles import QUICK, use_short_plans
from sub2node import SubgraphClassifier, load_task
from sub2node.scoring import Scorer

DISEASES = {"subgraph": "disease", "member": "symptom", "label": "family",
            "question": "Which family is it?", "caution": "No medical device."}  # fmt: skip
_NODES, _SETS = 60, 45


def gene_sets(folder: Path) -> Scorer:
    """Sets of genes from a GMT file; no word is given."""
    edges, sets, labels = _draw(["protein a", "protein b"])
    (folder / "links.csv").write_text("\n".join(["source,target", *edges]) + "\n")
    lines = ["\t".join([name, f"about {name}", *nodes]) for name, nodes in sets.items()]
    (folder / "sets.gmt").write_text("\n".join(lines) + "\n")
    rows = [f"{name},{label}" for name, label in labels.items()]
    (folder / "labels.csv").write_text("\n".join(["subgraph_id,label", *rows]) + "\n")
    graph, table = folder / "links.csv", folder / "labels.csv"
    task = load_task(folder / "sets.gmt", graph=graph, labels=table)
    return SubgraphClassifier(model="diffused-bag").fit(task).scorer_


def accounts(folder: Path) -> Scorer:
    """Clusters of accounts from tables whose columns say so, with a class that is sought."""
    edges, sets, labels = _draw(["innocent", "laundering"])
    members = [f"{name},{node}" for name, nodes in sets.items() for node in nodes]
    tables = {
        "edges": ["payer,payee", *edges],
        "members": ["alert,account", *members],
        "labels": ["alert,label", *(f"{name},{label}" for name, label in labels.items())],
    }
    for table, lines in tables.items():
        (folder / f"{table}.csv").write_text("\n".join(lines) + "\n")
    task = load_task(folder)
    return SubgraphClassifier(model="bag", positive="laundering").fit(task).scorer_


def patients(folder: Path) -> Scorer:
    """Sets of nodes under words of the user."""
    del folder
    return SubgraphClassifier(model="bag", words=DISEASES).fit(named(small_task())).scorer_


def several_labels(folder: Path) -> Scorer:
    """Subgraphs with several labels each."""
    del folder
    return SubgraphClassifier(model="bag").fit(named(small_task(multilabel=True))).scorer_


def ensemble(folder: Path) -> Scorer:
    """An ensemble of two members."""
    del folder
    with pytest.MonkeyPatch.context() as patch:
        use_short_plans(patch, ("bag", "statistics"))
        model = SubgraphClassifier(model="best", time_limit=60 * QUICK.minutes, seeds=1)
        return model.fit(named(small_task())).scorer_


SCORERS: dict[str, Callable[[Path], Scorer]] = {
    "gene sets": gene_sets,
    "accounts": accounts,
    "patients": patients,
    "several labels": several_labels,
    "best": ensemble,
}


def _draw(classes: list[str]) -> tuple[list[str], dict[str, list[str]], dict[str, str]]:
    """Edges, sets and their labels; the class is where in the graph a set lies."""
    rng, each = np.random.default_rng(0), _NODES // len(classes)
    ends = rng.integers(0, _NODES, (150, 2)).tolist()
    edges = sorted({f"n{min(pair)},n{max(pair)}" for pair in ends if pair[0] != pair[1]})
    edges = [*dict.fromkeys([*edges, *(f"n{i},n{i + 1}" for i in range(_NODES - 1))])]
    sets, labels = {}, {}
    for number in range(_SETS):
        place = number % len(classes)
        nodes = place * each + rng.choice(each, 5, replace=False)
        sets[f"set {number}"] = [f"n{node}" for node in nodes.tolist()]
        labels[f"set {number}"] = classes[place]
    return edges, sets, labels
