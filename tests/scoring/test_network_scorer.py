"""A network as a scorer: calibration, vectors side by side, queries that are placed once."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from scorer_cases import close, part
from scoring_tasks import small_task, trained
from sub2node.base.errors import ConfigError, NotFiniteError
from sub2node.scoring.network_scorer import NetworkScorer
from sub2node.scoring.restore import build_scorer

TASK = small_task()
ASKED = part(TASK, "test")


@pytest.fixture(scope="module")
def scorer() -> NetworkScorer:
    return build_scorer(trained(TASK), TASK)


def test_the_temperature_divides_the_logits(scorer) -> None:
    from dataclasses import replace

    warm = replace(scorer, temperature=2.5)
    logits = scorer.logits(ASKED)
    expected = torch.softmax(torch.from_numpy(logits).double() / 2.5, dim=-1).numpy()
    close(warm.replica_probabilities(warm.place(ASKED)), expected, 1e-12)
    close(warm.calibrate(logits), expected, 1e-12)
    close(warm.answers(ASKED, logits).probabilities, expected.mean(axis=0), 1e-12)
    assert scorer.replica_weights.tolist() == [0.5, 0.5]


def test_vectors_of_all_replicas_are_side_by_side(scorer) -> None:
    vectors, each = scorer.vectors(ASKED), scorer.outputs(ASKED)[0]
    assert vectors.shape == (8, 16)
    assert np.array_equal(vectors, np.concatenate(list(each), axis=1))
    assert scorer.vector_names[0] == "seed10_0"
    assert scorer.vector_names[-1] == "seed11_7"
    assert len(scorer.vector_names) == 16
    joint = scorer.vectors(ASKED, mode="joint")
    assert np.array_equal(joint, np.concatenate(list(scorer.outputs(ASKED, mode="joint")[0]), 1))


def test_a_query_is_placed_once_for_each_mode(scorer) -> None:
    alone, joint = scorer.place(ASKED), scorer.place(ASKED, mode="joint")
    assert scorer.place(alone) is alone
    assert scorer.place(joint, mode="joint") is joint
    assert not scorer.place(joint).joint
    one, other = (scorer.outputs(query)[1] for query in (ASKED, joint))
    assert np.array_equal(one, other)  # the mode that is asked for counts
    assert np.array_equal(
        scorer.replica_probabilities(joint),
        scorer.calibrate(scorer.outputs(joint, mode="joint")[1]),
    )
    with pytest.raises(ConfigError, match="a mode is independent or joint, not 'each'"):
        scorer.place(ASKED, mode="each")


def test_names_and_card(scorer) -> None:
    assert (scorer.structure, scorer.conv, scorer.title) == ("s2n+a", "gcn2", "s2n+a gcn2")
    assert scorer.task is scorer.known_subgraphs.task
    assert scorer.num_labelled == TASK.split.count("train")
    other = scorer.with_card({"b": 2})
    assert other.card == {"b": 2}
    assert other.network is scorer.network


def test_answers_that_are_not_finite_are_refused() -> None:
    broken = build_scorer(trained(TASK, seeds=1), TASK)
    with torch.no_grad():
        next(iter(broken.network.head.parameters())).fill_(torch.nan)
    with pytest.raises(NotFiniteError, match=r"no finite answer for the subgraph '52'\.$"):
        broken.predict(ASKED)
    with pytest.raises(NotFiniteError):
        broken.check_answers()
