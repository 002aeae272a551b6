"""Networks restored from their parameters answer as the trained ones do."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from scorer_cases import close, part
from scoring_tasks import small_task, trained
from small_ensembles import QUICK, short_plans, weigh_equally
from sub2node.base.calibration import probabilities
from sub2node.evaluate.protocol import labels_of
from sub2node.models.best import BestModel
from sub2node.models.graph_network import presented
from sub2node.scoring.restore import (
    _renumber_replica,
    build_ensemble,
    join_states,
    restore_network,
)

pytestmark = pytest.mark.usefixtures("few_trees")


@pytest.fixture(scope="module")
def task():
    return small_task()


@pytest.mark.parametrize(
    ("settings", "shape"),
    [
        ({}, (2, 50, 8)),
        ({"features.trainable": False, "features.kind": "constant"}, (1, 1, 8)),
        ({"conv": "torch_geometric.nn:TAGConv"}, (2, 50, 8)),
    ],
)
def test_a_restored_network_has_the_same_parameters(task, settings, shape) -> None:
    settings = dict(settings)
    model = trained(task, structure="s2n+0", conv=settings.pop("conv", "gcn2"), **settings)
    (network, _), *_ = model.built.networks
    state, table = join_states([network.eval()])
    assert table.shape == shape  # equal vectors once
    known = presented(task, model.settings)[0].subset(np.arange(40))
    again = restore_network(model.settings, known, seeds=model.seeds, table=table, state=state)
    assert torch.equal(again.table(), network.table())
    for name, tensor in again.state_dict().items():
        assert torch.equal(tensor, network.state_dict()[name]), name
    assert not again.training
    assert not any(parameter.requires_grad for parameter in again.parameters())


def test_groups_of_replicas_are_joined_in_order(task) -> None:
    one, two = (trained(task, structure="s2n+0", seeds=seeds) for seeds in (1, 2))
    groups = [model.built.networks[0][0].eval() for model in (one, two)]
    state, table = join_states(groups)
    assert table.shape == (3, 50, 8)
    assert torch.equal(state["head.weight"], torch.cat([group.head.weight for group in groups]))
    assert torch.equal(table[1:], groups[1].table())


def test_replicas_of_a_custom_convolution_are_renumbered() -> None:
    name = "outer.layers.0.conv.replicas.1.weight"
    assert _renumber_replica(name, 3) == "outer.layers.0.conv.replicas.4.weight"
    assert _renumber_replica("head.weight", 3) == "head.weight"


@pytest.mark.slow
@pytest.mark.parametrize("multilabel", [False, True])
def test_an_ensemble_answers_for_subgraphs_as_it_did_for_its_test_part(
    multilabel, monkeypatch
) -> None:
    weigh_equally(monkeypatch)
    task = small_task(multilabel=multilabel)
    labels = {part: labels_of(task, part) for part in ("train", "val")}
    ensemble = BestModel(short_plans(), QUICK, all_nodes=True).fit(task, labels, [3])
    scorer = build_ensemble(ensemble)
    assert [member.title for member in scorer.members] == ["hops", "statistics", "s2n+0 gcn2"]
    assert scorer.weights == tuple(member.weight for member in ensemble.members)
    assert scorer.seeds == (0, 0, 3, 4)
    answers = scorer.predict(part(task, "test"), mode="joint")
    logits = ensemble.outputs("test").logits
    close(answers.probabilities, probabilities(logits, 1.0, multilabel=multilabel)[0], 1e-5)
    for member in scorer.members:
        assert len(member.task) == task.split.count("train") + task.split.count("val")
        assert np.array_equal(member.task.labels, task.labels[: len(member.task)])
