"""Members of ``best``: simple models first, then networks, each with one candidate."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ring_tasks import ring_task
from sub2node.base.errors import ConfigError
from sub2node.baselines import SIMPLE
from sub2node.models import member_plans as module
from sub2node.models.baseline import Simple
from sub2node.models.graph_network import GraphNetwork
from sub2node.models.member_plans import member_plans
from sub2node.task import Arcs, Graph

TASK = ring_task()


def test_quick_models_come_first_then_a_network_and_first_candidates_before_second_ones() -> None:
    plans = member_plans(TASK)
    names = [plan.name for plan in plans]
    assert names == [
        "bag", "hops", "diffused-bag", "statistics",
        "s2n+0 identity",  # so that a minute has a network too
        "gbdt", "wl",
        "s2n+a identity",
        "s2n+0 identity svd", "s2n+a identity svd",
        "s2n+0 shape", "s2n+a shape",
    ]  # fmt: skip
    assert [plan.is_network for plan in plans] == [False] * 4 + [True] + [False] * 2 + [True] * 5
    for plan in plans:
        if plan.is_network:
            (config,) = plan.model.candidates  # nothing is left to choose on validation
            assert config.training.patience == 40
            assert (config.features.kind == "constant") == plan.name.endswith(" shape")


@pytest.mark.parametrize(("classes", "trees"), [(2, 100), (3, 300), (65, 6500)])
def test_boosted_trees_of_many_classes_are_known_to_take_long(classes, trees) -> None:
    task = replace(TASK, class_names=tuple(map(str, range(classes))))
    seconds = {plan.name: plan.fold_seconds for plan in member_plans(task)}
    assert seconds.pop("gbdt") == pytest.approx(0.005 * trees)
    assert set(seconds.values()) == {0.0}


def test_features_of_nodes_join_networks_and_boosted_trees() -> None:
    features = np.ones((TASK.graph.num_nodes, 2), np.float32)
    task = replace(TASK, graph=replace(TASK.graph, features=features))
    plans = {plan.name: plan.model for plan in member_plans(task)}
    assert [name for name in plans if "+given" in name] == [
        "s2n+0 identity svd+given", "s2n+a identity svd+given",
        "s2n+0 shape+given", "s2n+a shape+given",
    ]  # fmt: skip
    assert plans["gbdt"].settings.features.encoding == "given"
    own = member_plans(task, encodings=np.ones((TASK.graph.num_nodes, 3)))
    assert not any("+given" in plan.name for plan in own)


def test_a_border_with_features_is_read_by_members_of_each_kind() -> None:
    size = TASK.graph.num_nodes
    featured = replace(TASK.graph, features=np.ones((size, 2), np.float32))
    directed = Graph.from_arcs(Arcs(np.arange(size - 1), np.arange(1, size)), num_nodes=size)
    for graph in (featured, directed):
        plans = {plan.name: plan for plan in member_plans(replace(TASK, graph=graph))}
        assert [name for name in plans if "border" in name] == [
            "gbdt border", "hops border",
            "s2n+0 identity+border", "s2n+a identity+border",
        ]  # fmt: skip
        assert plans["gbdt border"].model.settings.inputs == "border"
        assert plans["gbdt border"].fold_seconds == plans["gbdt"].fold_seconds > 0
        assert plans["hops border"].model.settings.inputs == "border"
        (config,) = plans["s2n+0 identity+border"].model.candidates
        assert config.features.subgraphs == "border"
    assert not any("border" in plan.name for plan in member_plans(TASK))


def test_structures_with_fewer_candidates_do_not_stop_the_others(monkeypatch) -> None:
    find = module.find_preset

    def fewer(preset, task, structure):
        from dataclasses import replace

        found = find(preset, task, structure)
        return replace(found, candidates=found.candidates[: 1 + (structure == "s2n+a")])

    monkeypatch.setattr(module, "find_preset", fewer)
    for name in ("_QUICK", "_SLOW"):
        monkeypatch.setattr(module, name, ())
    names = [plan.name for plan in member_plans(TASK)]
    assert names == [
        "s2n+0 identity svd", "s2n+a identity", "s2n+a identity svd",
    ]  # fmt: skip


def test_options_reach_the_models_that_have_them() -> None:
    columns = np.ones((40, 3), np.float32)
    options = {"device": "cpu", "compile": "off", "encodings": columns, "checkpoint": "somewhere"}
    for plan in member_plans(TASK, "fast", **options):
        assert plan.model.device == "cpu"
        if plan.is_network:
            assert plan.model.compile == "off"
            assert plan.model.encodings is columns
            assert plan.model.candidates[0].features.join == "concat"  # whatever their width
            assert plan.model.checkpoint is None  # there is no state to go on from
            assert plan.model.candidates[0].training.epochs in (100, 150)


def test_a_preset_that_is_not_there_is_refused() -> None:
    with pytest.raises(ConfigError, match="no preset 'nonsense'"):
        member_plans(TASK, "nonsense")


def test_a_network_has_a_limit_and_holds_out_its_own_validation_part() -> None:
    simple, network = member_plans(TASK)[0], member_plans(TASK)[-1]
    assert simple.make_model(3.0) == simple.make_model(3.0, all_nodes=True) == simple.model
    assert isinstance(simple.model, Simple)
    fold, whole = network.make_model(3.0), network.make_model(4.0, all_nodes=True)
    assert isinstance(fold, GraphNetwork)
    assert isinstance(whole, GraphNetwork)
    assert (fold.seconds, fold.held_out, fold.all_nodes) == (3.0, True, False)
    assert (whole.seconds, whole.held_out, whole.all_nodes) == (4.0, True, True)
    groups = np.arange(3)
    for plan in (simple, network):
        assert plan.make_model(3.0, groups=groups).groups is groups
    assert fold.candidates == whole.candidates == network.model.candidates


@pytest.mark.slow
def test_all_simple_members_answer_for_new_subgraphs() -> None:
    from sub2node.baselines import TrainingData

    labels = {part: TASK.labels[TASK.split.mask(part)] for part in ("train", "val")}
    data = TrainingData(TASK, labels, [1], "cpu")
    for plan in member_plans(TASK):
        if isinstance(plan.model, Simple):
            settings = plan.model.settings
            if plan.name in ("statistics", "gbdt"):
                settings = settings.with_settings({"trees": 2})
            assert SIMPLE[plan.name].fit(data, settings).classifier is not None
