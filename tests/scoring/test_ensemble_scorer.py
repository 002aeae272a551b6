"""An ensemble answers with the weighted mean, and so do its reasons."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from scorer_cases import close, part
from scoring_tasks import named, small_task, trained
from sub2node.base.errors import ConfigError
from sub2node.baselines import SIMPLE, TrainingData
from sub2node.evaluate.protocol import labels_of
from sub2node.scoring.ensemble_scorer import EnsembleScorer
from sub2node.scoring.network_scorer import NetworkScorer
from sub2node.scoring.restore import build_scorer
from sub2node.scoring.simple_scorer import SimpleScorer
from sub2node.task import SubgraphTask

WEIGHTS = (0.5, 0.2, 0.3)


def members_of(task: SubgraphTask) -> tuple[Any, ...]:
    """A network of two seeds, a linear model and a forest."""
    network = build_scorer(trained(task, structure="s2n+0"), task)
    labels: Any = {name: labels_of(task, name) for name in ("train", "val")}
    data = TrainingData(task, labels, [1], "cpu")
    forest = SIMPLE["statistics"].settings().with_settings({"trees": 4})
    simple = {"hops": SIMPLE["hops"].settings(), "statistics": forest}
    known = network.known_subgraphs.task
    return (
        replace(network, temperature=1.7),
        *(
            SimpleScorer(name, known, SIMPLE[name].fit(data, settings).classifier, (1,), 0.6)
            for name, settings in simple.items()
        ),
    )


@pytest.fixture(scope="module", params=[False, True], ids=["single", "several"])
def ensemble(request) -> EnsembleScorer:
    return EnsembleScorer(members_of(named(small_task(multilabel=request.param))), WEIGHTS)


def asked(ensemble: EnsembleScorer) -> Any:
    return part(small_task(multilabel=ensemble.multilabel), "test")


@pytest.mark.parametrize("mode", ["independent", "joint"])
def test_probabilities_are_the_weighted_mean_of_the_members(ensemble, mode) -> None:
    query = asked(ensemble)
    each = [member.predict(query, mode=mode).probabilities for member in ensemble.members]
    mean = sum(w * one for w, one in zip(WEIGHTS, each, strict=True))
    close(ensemble.predict(query, mode=mode).probabilities, mean, 1e-12)


def test_joint_answers_are_others(ensemble) -> None:
    query = asked(ensemble)
    joint, alone = (ensemble.predict(query, mode=mode) for mode in ("joint", "independent"))
    assert np.abs(joint.probabilities - alone.probabilities).max() > 1e-5
    placed = ensemble.place(query, mode="joint")
    assert placed.joint
    assert ensemble.place(placed, mode="joint") is placed
    close(ensemble.predict(placed, mode="joint").probabilities, joint.probabilities, 1e-12)
    close(ensemble.predict(placed).probabilities, alone.probabilities, 1e-12)
    with pytest.raises(ConfigError, match="independent or joint"):
        ensemble.place(query, mode="all")


def test_the_spread_is_weighted_and_that_of_a_sample_for_equal_weights(ensemble) -> None:
    query = asked(ensemble)
    by_replica = ensemble.replica_probabilities(ensemble.place(query))
    assert by_replica.shape == (4, 8, 3)
    weights = np.array([0.25, 0.25, 0.2, 0.3])
    assert ensemble.replica_weights == pytest.approx(weights)
    assert ensemble.seeds == (10, 11, 1, 1)
    mean = np.average(by_replica, axis=0, weights=weights)
    square = np.average((by_replica - mean) ** 2, axis=0, weights=weights)
    expected = np.sqrt(square / (1 - (weights**2).sum()))
    close(ensemble.predict(query).spread, expected, 1e-12)
    equal = replace(ensemble, weights=(0.5, 0.25, 0.25))
    close(equal.predict(query).spread, by_replica.std(axis=0, ddof=1), 1e-12)


@pytest.mark.slow
def test_an_explanation_is_the_weighted_sum_and_adds_up(ensemble) -> None:
    query = asked(ensemble)
    for number, one in enumerate(ensemble.explain(query, label=ensemble.classes[1])):
        single = query.take([number])
        each = [m.explain(single, label=ensemble.classes[1])[0] for m in ensemble.members]
        for name in ("probability", "baseline", "gap"):
            total = sum(w * getattr(e, name) for w, e in zip(WEIGHTS, each, strict=True))
            assert getattr(one, name) == pytest.approx(total, abs=1e-9)
        assert one.statistics == pytest.approx(0.3 * each[2].statistics)
        for kind in ("members", "neighbors"):
            expected: dict[str, float] = {}
            for weight, explanation in zip(WEIGHTS, each, strict=True):
                for piece in getattr(explanation, kind):
                    expected[piece.id] = expected.get(piece.id, 0.0) + weight * piece.value
            values = {piece.id: piece.value for piece in getattr(one, kind)}
            assert values == pytest.approx(expected)
            sizes = [abs(piece.value) for piece in getattr(one, kind)]
            assert sizes == sorted(sizes, reverse=True)
        parts = [piece.value for piece in (*one.members, *one.neighbors)]
        assert abs(one.baseline + sum(parts) + one.statistics - one.probability) < 1e-3
        assert one.joins
        assert all(piece.weight is not None and piece.labels is not None for piece in one.neighbors)
    (likeliest,) = ensemble.explain(query.take([0]))
    assert likeliest.probability == pytest.approx(ensemble.predict(query).probabilities[0].max())


def test_similarities_are_means_over_members_that_have_some(ensemble) -> None:
    query = asked(ensemble)
    network, hops, _ = ensemble.members
    pair = [m.similarities(m.place(query)) for m in (network, hops)]
    expected = (0.5 * pair[0] + 0.2 * pair[1]) / 0.7
    assert ensemble.similarities(ensemble.place(query)) == pytest.approx(expected)
    trees = EnsembleScorer((ensemble.members[2],) * 2, (0.5, 0.5))
    assert trees.similarities(trees.place(query)) is None
    assert trees.neighbors(query) == [[]] * 8
    with pytest.raises(ConfigError, match="no member of this model has vectors"):
        trees.vectors(query)


def test_vectors_are_those_of_the_networks_with_names_of_their_own(ensemble) -> None:
    query, network = asked(ensemble), ensemble.members[0]
    assert np.array_equal(ensemble.vectors(query), network.vectors(query))
    two = EnsembleScorer((network, network_of_constants(ensemble)), (0.5, 0.5))
    vectors, names = two.vectors(query, mode="joint"), two.vector_names
    assert np.array_equal(vectors[:, :16], network.vectors(query, mode="joint"))
    assert len(set(names)) == len(names) == vectors.shape[1] == 32


def network_of_constants(ensemble: EnsembleScorer) -> NetworkScorer:
    """Another network of the same structure and convolution."""
    task = named(small_task(multilabel=ensemble.multilabel))
    more = {"features.kind": "constant"}
    return build_scorer(trained(task, structure="s2n+0", **more), task)


def test_surroundings_are_those_of_the_heaviest_member_that_has_some(ensemble) -> None:
    query, network = asked(ensemble), ensemble.members[0]
    last = EnsembleScorer(ensemble.members[::-1], (0.5, 0.3, 0.2))
    for scorer in (ensemble, last):
        assert [one.links for one in scorer.around(query)] == [
            one.links for one in network.around(query)
        ]
    simple = EnsembleScorer(ensemble.members[1:], (0.5, 0.5))
    assert [one.nodes for one in simple.around(query)] == [()] * 8


def test_an_ensemble_is_called_best(ensemble) -> None:
    assert (ensemble.structure, ensemble.conv, ensemble.title) == ("best", "", "best")
    assert ensemble.task is ensemble.members[0].task
    assert ensemble.with_card({"a": 1}).card == {"a": 1}
    assert ensemble.with_card({}).weights == WEIGHTS
    ensemble.check_answers()
