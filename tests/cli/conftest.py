"""Models that tests of ``s2n predict`` share."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from small_models import save_model
from sub2node.scoring import load_scorer, save_scorer, training

ALIASES = {
    "alias": ["kinase", "old1", "pet", "pet", "g 20, the large one"],
    "node_id": ["g1", "g2", "g3", "g4", "g20"],
    "kind": ["symbol", "former id", "synonym", "synonym", "synonym"],
}


@pytest.fixture(scope="package")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a model."""
    return save_model(tmp_path_factory.mktemp("single"))


@pytest.fixture(scope="package")
def named_model(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with other names of nodes."""
    scorer = load_scorer(model)
    task = replace(scorer.task, graph=scorer.graph.with_other_names(ALIASES))
    known = replace(scorer.known_subgraphs, task=task)
    named = replace(scorer, known_subgraphs=known)
    return save_scorer(named, tmp_path_factory.mktemp("named") / "model")


@pytest.fixture(autouse=True)
def few_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """`s2n fit` compares with two of the simple models only."""
    monkeypatch.setattr(training, "_COMPARED", ("bag", "hops"))
