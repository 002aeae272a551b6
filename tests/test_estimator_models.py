"""SubgraphClassifier with other models than a network: ``best`` and simple ones."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

from communities import GRAPH, LISTS, NEW, TABLE, X, Y, raises
from scoring_tasks import small_task
from small_ensembles import use_short_plans
from sub2node import SubgraphClassifier, load_task
from sub2node.base.errors import ConfigError, DataError
from sub2node.task import Split, Subgraphs, SubgraphTask

WANTED = [["left", "middle", "right"][k % 3] for k in range(9)]


def classifier(model: str, **options) -> SubgraphClassifier:
    return SubgraphClassifier(**{"model": model, "graph": GRAPH, "seeds": 1, **options})


def fit_best(names=("hops", "statistics", "network"), labels=Y, **options) -> SubgraphClassifier:
    """An ensemble of a few quick members."""
    usual = {"time_limit": 30.0, "settings": {"folds": 2, "most_seeds": 2}, "device": "cpu"}
    with pytest.MonkeyPatch.context() as patch:
        use_short_plans(patch, names)
        return classifier("best", **{**usual, **options}).fit(X, labels)


@pytest.fixture(scope="module")
def best() -> SubgraphClassifier:
    return fit_best()


@pytest.fixture(scope="module")
def hops() -> SubgraphClassifier:
    return classifier("hops").fit(X, Y)


def same(one: SubgraphClassifier, other: SubgraphClassifier) -> None:
    """Both answer the same, bit by bit."""
    assert np.array_equal(one.predict_proba(NEW), other.predict_proba(NEW))
    assert np.array_equal(one.predict(NEW), other.predict(NEW))
    assert one.explain(NEW[:1]) == other.explain(NEW[:1])
    assert one.neighbors(NEW, 2) == other.neighbors(NEW, 2)
    assert (one.model, one.classes_.tolist()) == (other.model, other.classes_.tolist())
    assert one.leaderboard_ == other.leaderboard_


def test_a_simple_model_learns_answers_and_says_why(hops) -> None:
    assert hops.score(NEW, WANTED) > 0.8
    assert hops.predict_proba(NEW).sum(axis=1) == pytest.approx(np.ones(9))
    for one in hops.explain(NEW):
        total = one.baseline + sum(part.value for part in one.members)
        assert total == pytest.approx(one.probability, abs=1e-6)
    nearest = hops.neighbors(NEW, 2)
    assert [len(row) for row in nearest] == [2] * 9
    assert nearest[0][0].similarity >= nearest[0][1].similarity
    assert hops.leaderboard_ == []
    assert hops.scorer_.card["model"] == "hops"
    assert hops.validation_["micro_f1"] > 0.5
    assert 0 < hops.null(NEW[:1], draws=5).min() <= 1


def test_a_simple_model_has_no_vectors(hops) -> None:
    assert hops.get_feature_names_out().tolist() == []
    with pytest.raises(ConfigError, match=r"^hops has no vectors of subgraphs; networks have\.$"):
        hops.transform(NEW)


def test_a_simple_model_is_saved_and_read(hops, tmp_path: Path) -> None:
    again = SubgraphClassifier.load(hops.save(tmp_path / "model"))
    same(hops, again)
    assert again.get_params()["time_limit"] == 300.0


@pytest.mark.slow
def test_a_simple_model_with_settings_and_several_labels() -> None:
    made = classifier("diffused-bag", settings={"hops": 2}, threshold="val").fit(X, LISTS)
    assert made.predict(NEW).shape == (9, 3)
    assert made.scorer_.classifier.bag.hops == 2
    assert made.score(X, TABLE) > 0.5
    forest = classifier("statistics", seeds=3, settings={"trees": 3}).fit(X, Y)
    assert forest.answers(NEW).spread.shape == (9, 3)
    assert np.isfinite(forest.answers(NEW).spread).all()
    assert len(forest.scorer_.seeds) == 3


@pytest.mark.slow
def test_best_learns_answers_and_says_why(best) -> None:
    assert best.score(NEW, WANTED) > 0.6
    assert best.scorer_.title == "best"
    assert best.leaderboard_[0]["name"] in ("hops", "statistics", "s2n+0 gcn2")
    assert sum(row["weight"] for row in best.leaderboard_) == pytest.approx(1)
    assert all(row["fit_seconds"] > 0 for row in best.leaderboard_)
    assert best.scorer_.card["validation_subgraphs"] == len(X)  # out of fold, train and val
    assert any("chosen out of fold" in note for note in best.notes_)
    for one in best.explain(NEW[:2], label="left"):
        parts = [part.value for part in (*one.members, *one.neighbors)]
        assert one.label == "left"
        assert abs(one.baseline + sum(parts) + one.statistics - one.probability) < 1e-3
    assert len(best.neighbors(NEW, 3)[0]) == 3
    assert np.isfinite(best.answers(NEW).spread).all()


@pytest.mark.slow
def test_vectors_of_best_are_those_of_its_networks(best) -> None:
    vectors, names = best.transform(NEW), best.get_feature_names_out()
    assert vectors.shape == (9, len(names)) == (9, 16)
    assert len(set(names)) == 16
    with pytest.raises(ConfigError, match="no member of this model has vectors"):
        fit_best(("hops", "statistics")).transform(NEW)


@pytest.mark.slow
def test_best_is_saved_and_read(best, tmp_path: Path) -> None:
    folder = best.save(tmp_path / "model")
    again = SubgraphClassifier.load(folder)
    same(best, again)
    assert np.array_equal(best.transform(NEW), again.transform(NEW))
    assert again.time_limit == 30.0
    only = fit_best(("hops",))
    same(only, SubgraphClassifier.load(only.save(tmp_path / "only")))


@pytest.mark.slow
def test_best_with_several_labels_and_a_threshold_of_its_own() -> None:
    made = fit_best(("hops", "statistics"), LISTS, threshold="val")
    assert made.predict(NEW).shape == (9, 3)
    assert made.scorer_.threshold != 0.5
    assert made.score(X, TABLE) > 0.5


@pytest.mark.slow
def test_best_reads_the_test_part_once_and_learns_nothing_from_it() -> None:
    task = small_task()
    labels = np.array(task.labels)
    labels[-8:] = (labels[-8:] + 1) % 3
    other = SubgraphTask(task.graph, task.subgraphs, labels, (), task.split)
    with pytest.MonkeyPatch.context() as patch:
        use_short_plans(patch, ("hops", "statistics"))
        one, two = (classifier("best", settings={"folds": 2}).fit(t) for t in (task, other))
    asked = [[1, 2, 3], [4]]
    assert np.array_equal(one.predict_proba(asked), two.predict_proba(asked))
    assert one.validation_ == two.validation_
    assert one.test_ != two.test_
    assert len(one.scorer_.task) == 52  # train and val are known, test is not


@pytest.mark.slow
def test_groups_are_given_in_the_order_of_the_input() -> None:
    task = small_task()
    words = np.random.default_rng(0).permutation(["train"] * 40 + ["val"] * 20)
    sets = Subgraphs.from_lists(np.split(task.subgraphs.nodes, task.subgraphs.ptr[1:-1]))
    mixed = SubgraphTask(task.graph, sets, task.labels, (), Split.given(words.tolist()))
    seen = []
    with pytest.MonkeyPatch.context() as patch:
        use_short_plans(patch, ("hops",))
        real = __import__("sub2node.models.best", fromlist=["fold_tasks"]).fold_tasks
        patch.setattr(
            "sub2node.models.best.fold_tasks",
            lambda labelled, count, groups: (
                seen.append((labelled, groups)) or real(labelled, count, groups=groups)
            ),
        )
        groups = [str(nodes[0]) for nodes in np.split(sets.nodes, sets.ptr[1:-1])]
        classifier("best", settings={"folds": 2}).fit(mixed, groups=groups)
    ((labelled, used),) = seen
    first = labelled.subgraphs.nodes[labelled.subgraphs.ptr[:-1]]
    assert used.tolist() == [str(node) for node in first]
    with pytest.raises(DataError, match="groups have the shape"):
        classifier("best").fit(mixed, groups=groups[1:])
    with pytest.raises(ConfigError, match="groups are for model='best'"):
        classifier("hops").fit(mixed, groups=groups)


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {"model": "best", "conv": "gin"},
        {"model": "best", "coarsen": "heavy_edge:0.5"},
        {"model": "hops", "class_weight": "balanced"},
        {"model": "best", "time_limit": 0},
        {"model": "best", "time_limit": "60"},
        {"model": "best", "time_limit": 0.01},
        {"model": "best", "settings": {"lr": 0.1}},
        {"model": "best", "preset": "nonsense"},
        {"model": "hops", "settings": {"lr": 0.1}},
        {"model": "hops", "encodings": np.ones((30, 2))},
        {"model": "hop"},
        {"model": "glass"},
        {"model": "s2n-kernel"},
        {"model": 3},
    ],
)
def test_wrong_combinations_are_refused(options) -> None:
    raises(lambda: SubgraphClassifier(**{"graph": GRAPH, **options}).fit(X, Y))


def test_a_model_is_a_parameter_as_any_other(hops) -> None:
    copy = clone(hops)
    assert (copy.model, copy.time_limit) == ("hops", 300.0)
    copy.set_params(model="bag").fit(X, Y)
    assert copy.scorer_.title == "bag"


@pytest.mark.slow
def test_a_table_of_useless_numbers_does_no_harm() -> None:
    task = load_task("generate:density,subgraphs=40")
    nodes = task.graph.num_nodes
    noise = np.random.default_rng(0).uniform(0, 1e6, (nodes, 2)).astype(np.float32)
    featured = replace(task, graph=replace(task.graph, features=noise))
    scores = []
    for one in (task, featured):
        model = SubgraphClassifier(seeds=1, preset="fast", settings={"epochs": 8}).fit(one)
        scores.append(model.scorer_.card["validation"]["micro_f1"])
    assert scores[1] >= scores[0]  # validation may always choose to do without them
