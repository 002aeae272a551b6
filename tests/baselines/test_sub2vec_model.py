"""Sub2Vec as a model: vectors of each seed, standardised over train, and what is chosen."""

from __future__ import annotations

import numpy as np
import pytest

import sub2node as s2n
from sub2node.baselines import SIMPLE, TrainingData
from sub2node.baselines import sub2vec_model as module
from sub2node.baselines.sub2vec_model import Sub2VecSettings
from sub2node.evaluate.protocol import labels_of

pytest.importorskip("gensim")

SETTINGS = {"width": 4, "epochs": 2, "walk_length": 4}


@pytest.fixture(scope="module")
def data() -> TrainingData:
    task = s2n.load_task("generate:density,subgraphs=20")
    labels = {part: labels_of(task, part) for part in ("train", "val")}  # type: ignore[arg-type]
    return TrainingData(task, labels, [3, 4])


def test_a_joint_table_is_both_variants_beside_each_other(data: TrainingData) -> None:
    tables = module._vectors(data, Sub2VecSettings(**SETTINGS), seed=3)
    assert list(tables) == ["neighborhood", "structure", "joint"]
    both = np.concatenate([tables["neighborhood"], tables["structure"]], axis=1)
    assert np.array_equal(tables["joint"], both)
    train = tables["joint"][data.rows("train")]
    assert train.mean(axis=0) == pytest.approx(np.zeros(8), abs=1e-6)
    assert train.std(axis=0) == pytest.approx(np.ones(8), abs=1e-5)
    alone = module._vectors(data, Sub2VecSettings(variant="structure", **SETTINGS), seed=3)
    assert list(alone) == ["structure"]
    assert np.array_equal(alone["structure"], tables["structure"])


@pytest.mark.slow
def test_each_seed_has_vectors_and_a_classifier_of_its_own(data: TrainingData, monkeypatch) -> None:
    seeds = []
    make = module._vectors
    monkeypatch.setattr(
        module, "_vectors", lambda data, how, seed: seeds.append(seed) or make(data, how, seed)
    )
    predictions = SIMPLE["sub2vec"].fit(data, Sub2VecSettings(variant="structure", **SETTINGS))
    assert seeds == [3, 4]
    logits = predictions.logits("test")
    assert logits.shape == (2, data.rows("test").sum(), 3)
    assert not np.array_equal(logits[0], logits[1])
    assert predictions.notes == (
        "sub2vec: variant and classifier chosen on validation, seed by seed (structure in 2).",
    )
