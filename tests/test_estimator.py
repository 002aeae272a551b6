"""SubgraphClassifier as scikit-learn and people use it."""

from __future__ import annotations

import inspect
import pickle

import joblib
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
import torch
from sklearn import metrics
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.utils import estimator_checks

from communities import (
    FLAT,
    GRAPH,
    LISTS,
    NAMED_GRAPH,
    NEW,
    NODES,
    NUMBERS,
    OWNER,
    SETS,
    TABLE,
    S,
    X,
    Y,
    classifier,
    raises,
)
from forked import processes
from scoring_tasks import small_task, with_own_edges
from sub2node import SubgraphClassifier
from sub2node.base.errors import DataError
from sub2node.task import Graph, Names, Split, Subgraphs, SubgraphTask


@pytest.fixture(scope="module")
def good() -> SubgraphClassifier:
    """One that has learned the communities."""
    return classifier(seeds=2, settings={**S, "epochs": 40}).fit(X, Y)


@pytest.fixture(scope="module")
def several() -> SubgraphClassifier:
    """Multi-label."""
    return classifier(seeds=2, settings={**S, "epochs": 40}).fit(X, LISTS)


# Parameters.


def test_parameters_are_stored_untouched_and_nothing_is_computed() -> None:
    names = list(inspect.signature(SubgraphClassifier.__init__).parameters)[1:]
    strange = {name: object() for name in names}
    made = SubgraphClassifier(**strange)
    assert vars(made) == strange
    found = made.get_params()
    assert set(found) == set(names)
    assert all(found[name] is strange[name] for name in names)
    assert made.set_params(seeds=3) is made
    assert made.seeds == 3
    with pytest.raises(ValueError, match="Invalid parameter"):
        made.set_params(nonsense=1)


@pytest.mark.slow
def test_a_clone_is_not_fitted_and_has_the_same_graph(good) -> None:
    copy = clone(good)
    assert not hasattr(copy, "scorer_")
    assert not [name for name in vars(copy) if name.endswith("_")]
    assert copy.graph is good.graph
    assert copy.settings == good.settings
    assert copy.settings is not good.settings
    with pytest.raises(NotFittedError):
        copy.predict(NEW)


@pytest.mark.parametrize(
    "check",
    [
        "check_get_params_invariance", "check_set_params", "check_no_attributes_set_in_init",
        "check_estimator_cloneable", "check_estimator_repr", "check_mixin_order",
        "check_valid_tag_types", "check_estimator_tags_renamed", "check_estimators_unfitted",
    ],
)  # fmt: skip
def test_checks_of_scikit_learn(check) -> None:
    getattr(estimator_checks, check)("SubgraphClassifier", SubgraphClassifier())


def test_more_checks_of_scikit_learn() -> None:
    estimator_checks.check_parameters_default_constructible(
        "SubgraphClassifier", SubgraphClassifier()
    )
    assert is_classifier(SubgraphClassifier())


@pytest.mark.parametrize(
    "ask",
    [
        lambda m: m.predict(NEW), lambda m: m.predict_proba(NEW), lambda m: m.transform(NEW),
        lambda m: m.score(NEW, Y[:9]), lambda m: m.explain(NEW), lambda m: m.neighbors(NEW),
        lambda m: m.answers(NEW), lambda m: m.get_feature_names_out(),
    ],
)  # fmt: skip
def test_not_fitted(ask) -> None:
    with pytest.raises(NotFittedError, match="not fitted yet"):
        ask(classifier())


# Fit and predict.


def test_fit_gives_itself_back_and_may_be_called_again() -> None:
    made = classifier()
    assert made.fit(X, Y) is made
    assert made.classes_.tolist() == ["left", "middle", "right"]
    made.fit(X, NUMBERS > 0)
    assert made.classes_.tolist() == [False, True]
    assert made.predict_proba(NEW).shape == (9, 2)
    with pytest.raises(DataError, match="36 subgraphs but 35 labels"):
        made.fit(X, Y[1:])
    assert made.predict(NEW).dtype == bool  # what it was before


def test_it_learns(good) -> None:
    wanted = [["left", "middle", "right"][k % 3] for k in range(9)]
    assert good.score(NEW, wanted) > 0.7
    assert good.score(X, Y) > 0.7


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        (["a", "b", "c"], "U"),
        ([0, 1, 2], "i"),
        ([-7, 0, 7], "i"),
        ([False, True, True], "b"),
        ([1.0, 2.0, 5.0], "f"),
        (np.array(["x", "y", "z"]), "U"),
        (np.array([3, 1, 2], np.int8), "i"),
    ],
)
def test_classes_keep_their_kind(labels, kind) -> None:
    y = np.array(labels)[NUMBERS]
    made = classifier().fit(X, y)
    assert made.classes_.dtype.kind == kind
    assert np.array_equal(made.classes_, np.unique(y))
    said = made.predict(NEW)
    assert said.dtype == made.classes_.dtype
    assert set(said.tolist()) <= set(made.classes_.tolist())


@pytest.mark.parametrize(
    "y",
    [
        tuple(Y), np.array(Y), np.array(Y, object), np.array(Y)[:, None], pd.Series(Y),
        pd.Series(Y, index=range(100, 136)), pd.Series(Y, dtype="category"),
        pd.Series(Y, dtype="string"), pd.DataFrame({"y": Y}), pl.Series(Y),
        pd.DataFrame({"subgraph_id": range(SETS), "label": Y}).sample(frac=1, random_state=1),
        pl.DataFrame({"subgraph_id": range(SETS), "label": Y}).reverse(),
    ],
    ids=lambda y: type(y).__module__.split(".")[0] + type(y).__name__,
)  # fmt: skip
def test_labels_as_people_give_them(y) -> None:
    wanted = classifier().fit(X, Y)
    found = classifier().fit(X, y)
    assert found.classes_.tolist() == wanted.classes_.tolist()
    assert np.array_equal(found.predict_proba(NEW), wanted.predict_proba(NEW))


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        (LISTS, ["left", "middle", "right"]),
        ([set(each) for each in LISTS], ["left", "middle", "right"]),
        ([tuple(each) for each in LISTS], ["left", "middle", "right"]),
        (pd.Series(LISTS), ["left", "middle", "right"]),
        (TABLE, [0, 1, 2]),
        (TABLE.astype(bool), [0, 1, 2]),
        (TABLE.astype(float), [0, 1, 2]),
        (pd.DataFrame(TABLE), [0, 1, 2]),
        (
            pd.DataFrame({"subgraph_id": range(SETS), "label": LISTS}),
            ["left", "middle", "right"],
        ),
    ],
    ids=lambda y: type(y).__name__,
)
def test_several_labels_as_people_give_them(y, classes) -> None:
    wanted, found = classifier().fit(X, LISTS), classifier().fit(X, y)
    assert found.classes_.tolist() == classes
    assert np.array_equal(found.predict_proba(NEW), wanted.predict_proba(NEW))
    said = found.predict(NEW)
    assert said.shape == (9, 3)
    assert set(np.unique(said)) <= {0, 1}


@pytest.mark.parametrize("labels", [[1, 2, 3], [False, True, True]])
def test_labels_of_a_frame_keep_their_kind(labels) -> None:
    y = np.array(labels)[NUMBERS]
    made = classifier().fit(X, pd.DataFrame({"subgraph_id": range(SETS), "label": y}))
    assert made.classes_.tolist() == np.unique(y).tolist()


def text(sets):
    return [[f"n{node}" for node in nodes] for nodes in sets]


@pytest.mark.slow
@pytest.mark.parametrize(
    "sets",
    [
        [[str(node) for node in nodes] for nodes in X],
        [np.array(nodes) for nodes in X],
        [tuple(nodes) for nodes in X],
        [set(nodes) for nodes in X],
        [nodes + nodes for nodes in X],
        np.array([*X, None], object)[:-1],
        pd.Series(X),
        pd.DataFrame({"subgraph_id": OWNER, "node_id": FLAT}),
        pd.DataFrame({"subgraph_id": OWNER, "node_id": np.array(FLAT, float)}),
        pl.DataFrame({"subgraph_id": OWNER, "node_id": [str(node) for node in FLAT]}),
        {"subgraph_id": OWNER, "node_id": FLAT},
        Subgraphs.from_lists(X),
        SubgraphTask(GRAPH, Subgraphs.from_lists(X)),
    ],
    ids=lambda sets: type(sets).__module__.split(".")[0] + type(sets).__name__,
)
def test_subgraphs_as_people_give_them(sets, good) -> None:
    assert np.array_equal(good.predict_proba(sets), good.predict_proba(X))
    wanted, found = classifier().fit(X, Y), classifier().fit(sets, Y)
    assert np.array_equal(found.predict_proba(NEW), wanted.predict_proba(NEW))


@pytest.mark.slow
def test_ids_of_text_and_the_three_ways_to_fit() -> None:
    wanted = classifier().fit(X, Y).predict_proba(NEW)
    other = classifier(graph=NAMED_GRAPH).fit(text(X), Y)
    assert np.array_equal(other.predict_proba(text(NEW)), wanted)
    assert np.array_equal(classifier(graph=None).fit(GRAPH, X, Y).predict_proba(NEW), wanted)
    task = SubgraphTask(GRAPH, Subgraphs.from_lists(X), NUMBERS, ("left", "middle", "right"))
    assert np.array_equal(classifier(graph=None).fit(task).predict_proba(NEW), wanted)
    assert np.array_equal(classifier(graph=None).fit(task, Y).predict_proba(NEW), wanted)
    graph = nx.Graph(list(zip(*GRAPH.edges()[:2], strict=True)))
    graph.add_nodes_from(range(NODES))
    assert np.array_equal(classifier(graph=graph).fit(X, Y).predict_proba(NEW), wanted)
    assert np.array_equal(classifier(graph=None).fit(graph, X, Y).predict_proba(NEW), wanted)
    frame = pd.DataFrame({"subgraph_id": [f"s{i}" for i in OWNER], "node_id": FLAT})
    y = pd.DataFrame({"subgraph_id": [f"s{i}" for i in range(SETS)], "label": Y})
    made = classifier().fit(frame, y.iloc[::-1])
    assert np.array_equal(made.predict_proba(NEW), wanted)
    assert made.neighbors(NEW[:1], 1)[0][0].name.startswith("s")


@pytest.mark.slow
def test_the_split_of_a_task_is_kept_and_its_test_part_read() -> None:
    split = Split.sizes(train=20, val=8, test=8)
    names = ("left", "middle", "right")
    task = SubgraphTask(GRAPH, Subgraphs.from_lists(X), NUMBERS, names, split)
    made = classifier().fit(task)
    assert len(made.scorer_.task) == 20
    assert made.validation_["subgraphs"] == made.test_["subgraphs"] == 8
    wanted = metrics.accuracy_score(Y[28:], made.predict(X[28:]))
    assert made.test_["accuracy"] == pytest.approx(wanted)
    other = SubgraphTask(GRAPH, Subgraphs.from_lists(X), np.r_[NUMBERS[:28], np.zeros(8, int)],
                         names, split)  # fmt: skip
    again = classifier().fit(other)  # test labels change nothing else
    assert np.array_equal(again.predict_proba(NEW), made.predict_proba(NEW))
    assert classifier().fit(X, Y).test_ is None


def test_fit_keeps_edges_of_subgraphs() -> None:
    task = with_own_edges(small_task())
    y = task.labels
    made = classifier(graph=task.graph, structure="separated").fit(task.subgraphs, y)

    def contents(sets: Subgraphs) -> set[str]:
        edges = np.split(sets.edges, sets.edge_ptr[1:-1])
        nodes = np.split(sets.nodes, sets.ptr[1:-1])
        return {f"{a.tolist()} {b.tolist()}" for a, b in zip(nodes, edges, strict=True)}

    kept = contents(made.scorer_.task.subgraphs)
    assert kept < contents(task.subgraphs)  # those that it was trained on


@pytest.mark.slow
def test_explanations_are_of_what_was_answered() -> None:
    task = with_own_edges(small_task())
    made = classifier(structure="separated", settings={**S, "epochs": 20}).fit(task)
    said = made.predict_proba(task.subgraphs)
    for row, found in zip(said[:6], made.explain(task.subgraphs.take(np.arange(6))), strict=True):
        assert found.probability == pytest.approx(row.max(), abs=1e-5)


def test_the_example_of_the_class_works() -> None:
    words = Names(["TP53", "MDM2", "CDKN1A", "INS", "IGF1"])
    graph = Graph.from_edges([0, 0, 3], [1, 2, 4], names=words)
    lines = [line.split(">>> ")[1] for line in SubgraphClassifier.__doc__.splitlines()
             if ">>>" in line]  # fmt: skip
    scope = {"SubgraphClassifier": lambda: classifier(graph=None), "graph": graph}
    exec("\n".join(lines[:2]), scope)
    assert eval(lines[2], scope).shape == (1, 2)


def test_a_task_of_another_order_is_scored_by_the_names_of_classes(good) -> None:
    sets = Subgraphs.from_lists(X)
    turned = SubgraphTask(GRAPH, sets, 2 - NUMBERS, ("right", "middle", "left"))
    plain = SubgraphTask(GRAPH, sets, NUMBERS, ("left", "middle", "right"))
    assert good.score(plain) == good.score(X, Y)
    assert good.score(turned) == good.score(X, Y)


def test_a_task_with_more_classes_is_scored(good) -> None:
    more = SubgraphTask(
        GRAPH, Subgraphs.from_lists(X), NUMBERS + 1, ("far", "left", "middle", "right")
    )
    assert good.score(more) == good.score(X, Y)


# Numbers.


def test_probabilities(good, several) -> None:
    one, many = good.predict_proba(NEW), several.predict_proba(NEW)
    assert one.dtype == many.dtype == np.float64
    np.testing.assert_allclose(one.sum(axis=1), 1, rtol=1e-12)
    for each in (one, many):
        assert each.shape == (9, 3)
        assert ((each >= 0) & (each <= 1)).all()
    assert np.array_equal(good.predict(NEW), good.classes_[one.argmax(axis=1)])
    assert np.array_equal(several.predict(NEW), many > 0.5)
    assert good.predict([]).shape == (0,)
    assert good.predict_proba([]).shape == (0, 3)


def test_the_score_is_that_of_scikit_learn(good, several) -> None:
    said, weights = good.predict(X), np.arange(SETS) + 1.0
    assert good.score(X, Y) == metrics.accuracy_score(Y, said)
    assert good.score(X, Y, weights) == metrics.accuracy_score(Y, said, sample_weight=weights)
    wanted = metrics.f1_score(TABLE, several.predict(X), average="micro")
    assert several.score(X, TABLE) == several.score(X, LISTS) == wanted
    assert several.score(X, [set(each) for each in LISTS]) == wanted
    assert several.score(X, pd.DataFrame(TABLE)) == wanted
    wanted = metrics.f1_score(TABLE, several.predict(X), average="micro", sample_weight=weights)
    assert several.score(X, TABLE, weights) == wanted
    log = metrics.log_loss(Y, good.predict_proba(X), labels=good.classes_)
    assert np.isfinite(log)


@pytest.mark.parametrize(
    "y",
    [tuple(LISTS), pd.Series(LISTS), pd.DataFrame({"subgraph_id": range(SETS), "label": LISTS})],
    ids=["tuple", "series", "frame"],
)
def test_score_reads_labels_as_fit_does(y, several) -> None:
    assert several.score(X, y) == several.score(X, TABLE)


def test_a_table_as_lists_scores_as_the_table_does() -> None:
    made = classifier(seeds=2).fit(X, TABLE)
    assert made.score(X, TABLE.tolist()) == made.score(X, TABLE)


@pytest.mark.slow
def test_vectors_have_a_name_each(good) -> None:
    vectors = good.transform(NEW)
    names = good.get_feature_names_out()
    assert vectors.shape == (9, len(names)) == (9, 16)
    assert names[0] == "seed10_0"
    assert names[-1] == "seed11_7"
    assert len(set(names)) == len(names)
    each, _ = good.scorer_.outputs(good.scorer_.ask(NEW))
    assert np.array_equal(vectors[:, 8:], each[1])
    head = good.scorer_.network.head
    logits = vectors[:, :8] @ head.weight[0].numpy() + head.bias[0].numpy().ravel()
    np.testing.assert_allclose(logits, good.scorer_.outputs(good.scorer_.ask(NEW))[1][0], atol=1e-5)
    frame = clone(good).set_output(transform="pandas").fit(X, Y).transform(NEW)
    assert list(frame.columns) == list(names)


def test_vectors_of_no_subgraph(good) -> None:
    assert good.transform([]).shape == (0, 16)


@pytest.mark.slow
def test_the_same_each_time_and_other_seeds_are_others() -> None:
    one, two = (classifier(seeds=2).fit(X, Y) for _ in range(2))
    assert np.array_equal(one.predict_proba(NEW), two.predict_proba(NEW))
    assert np.array_equal(one.transform(NEW), two.transform(NEW))
    other = classifier(seeds=[5]).fit(X, Y)
    assert not np.array_equal(one.predict_proba(NEW), other.predict_proba(NEW))
    split = classifier(random_state=1).fit(X, Y)
    known = [each.scorer_.task.subgraphs for each in (one, split)]
    assert known[0] != known[1]
    state = np.random.get_state()[1].copy(), torch.get_rng_state().clone()  # noqa: NPY002
    classifier().fit(X, Y)
    assert np.array_equal(np.random.get_state()[1], state[0])  # noqa: NPY002
    assert torch.equal(torch.get_rng_state(), state[1])


def test_a_fitted_one_can_be_pickled(good) -> None:
    back = pickle.loads(pickle.dumps(good))
    assert np.array_equal(back.predict_proba(NEW), good.predict_proba(NEW))
    assert clone(back).get_params().keys() == good.get_params().keys()


# In scikit-learn's company.


@pytest.mark.process
def test_cross_validation_in_two_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    # Processes that have imported torch already; what goes to them is pickled as by the usual ones.
    monkeypatch.setattr(joblib.parallel, "DEFAULT_MP_CONTEXT", processes())
    alone = cross_val_score(classifier(), X, Y, cv=2)
    assert alone.shape == (2,)
    with joblib.parallel_config(backend="multiprocessing"):
        assert np.array_equal(cross_val_score(classifier(), X, Y, cv=2, n_jobs=2), alone)


@pytest.mark.slow
def test_cross_validation_of_several_labels() -> None:
    found = cross_val_score(classifier(), X, TABLE, cv=KFold(2), error_score="raise")
    lists = cross_val_score(classifier(), X, LISTS, cv=KFold(2), error_score="raise")
    assert np.array_equal(found, lists)
    scoring = cross_val_score(classifier(), X, TABLE, cv=2, scoring="f1_micro")
    assert np.isfinite(scoring).all()
    losses = cross_val_score(classifier(), X, Y, cv=2, scoring="neg_log_loss")
    assert (losses < 0).all()


@pytest.mark.slow
def test_a_grid_over_structures_and_settings() -> None:
    grid = {
        "structure": ["s2n+0", "separated"],
        "settings": [{**S, "epochs": 1}, {**S, "epochs": 20}],
    }
    search = GridSearchCV(classifier(), grid, cv=2, error_score="raise").fit(X, Y)
    best = int(np.argmax(search.cv_results_["mean_test_score"]))
    assert search.best_params_ == search.cv_results_["params"][best]
    assert set(search.predict(NEW)) <= {"left", "middle", "right"}
    assert search.best_estimator_.graph is GRAPH
    assert search.predict_proba(NEW).shape == (9, 3)
    assert search.score(X, Y) == metrics.accuracy_score(Y, search.predict(X))


@pytest.mark.slow
def test_the_last_step_of_a_pipeline_and_one_before_another() -> None:
    last = Pipeline([("model", classifier())]).fit(X, Y)
    assert np.array_equal(last.predict_proba(NEW), classifier().fit(X, Y).predict_proba(NEW))
    assert last.set_params(model__seeds=2).get_params()["model__seeds"] == 2
    vectors = classifier(seeds=2, settings={**S, "epochs": 40})
    first = Pipeline([("vectors", vectors), ("model", LogisticRegression())]).fit(X, Y)
    assert first[-1].n_features_in_ == 16
    assert first.score(X, Y) > 0.6
    assert first[:-1].get_feature_names_out()[0] == "seed10_0"
    assert np.isfinite(cross_val_score(clone(first), X, Y, cv=2)).all()


# What cannot be.


@pytest.mark.parametrize(
    "y",
    [
        None, Y[1:], [*Y, "left"], [], [None, *Y[1:]], pd.Series([None, *Y[1:]]),
        pd.Series([pd.NA, *Y[1:]], dtype="string"), [np.nan, *NUMBERS[1:]],
        pd.Series([np.nan, *NUMBERS[1:]]), [np.inf, *NUMBERS[1:]], np.linspace(0, 1, SETS),
        ["left"] * SETS, [[]] * SETS, np.zeros((SETS, 3)), np.full((SETS, 2), 2),
        np.array([Y, Y]).T, [LISTS[0], *Y[1:]], ["", *Y[1:]], ["a\tb", *Y[1:]],
        [[None], *LISTS[1:]], TABLE + 0.5,
        pd.DataFrame({"subgraph_id": range(SETS - 1), "label": Y[1:]}),
        pd.DataFrame({"subgraph_id": range(SETS + 1), "label": [*Y, "left"]}),
        pd.DataFrame({"subgraph_id": range(SETS), "x": Y}),
        [np.nan, *Y[1:]],
        [[np.nan], *LISTS[1:]],
        [1, *Y[1:]],
        [[1], *LISTS[1:]],
        [True, 2, 3] * 12,
        5, "abc", {"a": 1},
        {"left", "right"}, (y for y in Y),
        sp.csr_array(TABLE),
        np.zeros((SETS, 2, 2), int),
        [object()] * SETS, NUMBERS + 1j,
    ],
    ids=lambda y: type(y).__name__,
)  # fmt: skip
def test_labels_that_cannot_be(y) -> None:
    raises(lambda: classifier(settings={**S, "epochs": 1}).fit(X, y))


@pytest.mark.parametrize(
    "sets",
    [
        None, 5, "x", [[]], [[], [1]], [5], ["ab"], [b"x"], [["x"]], [[1.5]], [[None]], [[True]],
        [[[1]]], [[-1]], [[99]], [[np.nan]], np.array([1, 2]), np.array([[1.0, 2.0]]),
        {"a": 1}, {"subgraph_id": [1, 2], "node_id": [1]}, pd.DataFrame({"x": [1]}),
        {"subgraph_id": [0], "node_id": [None]}, {"subgraph_id": [None], "node_id": [0]},
        (nodes for nodes in X), GRAPH, Subgraphs.from_lists([[], [1]]),
        Subgraphs.from_lists([[99]]),
        SubgraphTask(Graph.from_edges([0], [1], num_nodes=NODES), Subgraphs.from_lists(X)),
    ],
    ids=lambda sets: f"{type(sets).__name__} {sets!s:.20}",
)  # fmt: skip
def test_subgraphs_that_cannot_be(sets, good) -> None:
    for ask in (good.predict, good.predict_proba, good.transform, good.explain, good.neighbors):
        raises(lambda ask=ask: ask(sets))
    if not isinstance(sets, SubgraphTask):  # which brings its own graph
        raises(lambda: classifier().fit(sets, Y))


@pytest.mark.slow
def test_nodes_that_the_graph_does_not_have(good) -> None:
    raises(lambda: good.predict([[1, 99], [2]]))
    lenient = clone(good).set_params(unknown_nodes="drop").fit([[*X[0], 99], *X[1:]], Y)
    assert np.array_equal(lenient.predict_proba(NEW), good.predict_proba(NEW))
    found = lenient.answers([[1, 2, 99], [3]])
    assert found.known.tolist() == pytest.approx([2 / 3, 1])
    assert found.unknown == (("99",), ())
    assert np.array_equal(found.probabilities, good.predict_proba([[1, 2], [3]]))
    raises(lambda: lenient.predict([[99]]))
    raises(lambda: clone(lenient).fit([[99], *X[1:]], Y))


@pytest.mark.parametrize(("count", "classes"), [(0, 2), (1, 1), (1, 2), (2, 2), (3, 3)])
def test_too_few_subgraphs(count, classes) -> None:
    raises(lambda: classifier().fit(X[:count], (NUMBERS[:count] % classes).tolist()))


def test_a_class_with_one_subgraph_is_learned_from() -> None:
    made = classifier().fit(X, ["rare", *Y[1:]])
    assert made.classes_.tolist() == ["left", "middle", "rare", "right"]
    assert made.scorer_.task.label_counts()[0][2] == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("seeds", v) for v in (0, -1, True, [], [1, 1], [-1])],
        *[("seeds", v) for v in (1.5, "ab", None, [1.5], ["x"])],
        *[("validation", v) for v in (0, 1, 1.5, -0.1, "x", None, True, np.nan, 1e-9, 0.999)],
        ("random_state", -1),
        *[("random_state", v) for v in ("x", 1.5)],
        *[("settings", v) for v in ({"nope": 1}, {"lr": "x"}, {"epochs": 0}, {"lr": np.nan})],
        *[("settings", v) for v in ("lr=1", [1], 5, {1: 2})],
        *[("structure", v) for v in ("x", "S2N+A", 5, ["s2n+a"], "")],
        *[("conv", v) for v in ("x", "os:system", "no_such_module:X", 5, int)],
        ("preset", "x"),
        *[("preset", v) for v in (None, 5)],
        *[
            ("class_weight", v)
            for v in ("x", 5, [1, 2, 3], {"far": 1}, {"left": 0}, {"left": -1}, {"left": "2"},
                      {"left": np.nan}, {"left": np.inf}, {"left": True}, {0: 1.0})
        ],
        *[("threshold", v) for v in ("x", None, 0.3, "zero")],
        *[("unknown_nodes", v) for v in ("x", None, "ignore-subgraph")],
        ("mode", "x"),
        *[("device", v) for v in ("x", "gpu", None)],
        *[("graph", v) for v in (None, 5, "x", {}, np.eye(3), [(0, 1)], sp.csr_array((2, 3)))],
    ],
    ids=str,
)  # fmt: skip
def test_parameters_that_cannot_be(name, value) -> None:
    raises(lambda: classifier(**{name: value}).fit(X, Y).predict(NEW))


@pytest.mark.parametrize("budget", [0, -1, "x", None, np.nan, True])
def test_budgets_that_cannot_be(budget) -> None:
    raises(lambda: classifier(structure="auto", budget=budget).fit(X, Y))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("seeds", np.arange(2)),
        ("seeds", range(2)),
        ("random_state", np.int64(3)),
        ("validation", np.float64(0.3)),
        ("seeds", np.int64(2)),
        ("random_state", None),
        ("random_state", np.random.RandomState(0)),
        ("validation", np.float32(0.3)),
    ],
)
def test_parameters_as_scikit_learn_knows_them(name, value) -> None:
    assert classifier(**{name: value}).fit(X, Y).predict(NEW).shape == (9,)


def test_an_unknown_mode_is_refused_before_training() -> None:
    raises(lambda: classifier(mode="x").fit(X, Y))


def test_lists_by_name_and_scores_by_class(good) -> None:
    found = good.answers({"one": X[0], "two": X[1]})
    assert found.names == ("one", "two")
    each = good.scorer_.card["validation_by_class"]
    assert set(each) == {"left", "middle", "right"}
    assert sum(row["subgraphs"] for row in each.values()) == good.validation_["subgraphs"]
    assert all(0 <= row[word] <= 1 for row in each.values() for word in ("precision", "recall"))


def test_lists_of_zero_and_one_are_labels_where_the_model_has_other_classes() -> None:
    rows = [[0, 1], [2]] * (SETS // 2)
    made = classifier(settings={**S, "epochs": 2}).fit(X, rows)
    assert made.classes_.tolist() == [0, 1, 2]
    table = np.array([[1, 1, 0], [0, 0, 1]] * (SETS // 2))
    assert made.score(X, rows) == made.score(X, table)
    assert made.score(X[:2], [[0, 1], [0, 1]]) == made.score(X[:2], table[[0, 0]])
    assert made.score(X[:2], [[], []]) == 0


def test_a_label_given_twice_is_one_label() -> None:
    frame = pd.DataFrame({"subgraph_id": [*range(SETS), 0], "label": [*Y, Y[0]]})
    assert not classifier().fit(X, frame).scorer_.multilabel


@pytest.mark.parametrize("budget", [np.inf, np.nan, -1, "x", True])
def test_a_budget_that_cannot_be_is_refused_before_training(budget) -> None:
    raises(lambda: classifier(budget=budget).fit(X, Y))


def test_labels_too_large_for_a_number() -> None:
    raises(lambda: classifier().fit(X, [2**63 + number for number in NUMBERS.tolist()]))


def test_a_dict_is_a_frame_only_with_both_columns(good) -> None:
    assert good.answers({"set": X[0], "node": X[1]}).names == ("set", "node")
