"""Networks of the structures as models; virtual subgraphs pass messages on, unasked."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

import sub2node as s2n
from directed_tasks import directed_task
from sub2node.coarsen import coarsen, with_virtual
from sub2node.config import Config
from sub2node.models.graph_network import presented
from sub2node.nn import build_network, build_stages
from sub2node.task import SubgraphTask

QUICK = {"epochs": 5, "features.kind": "random"}


@pytest.fixture(scope="module")
def task() -> SubgraphTask:
    return s2n.load_task("generate:density,subgraphs=40,seed=3")


@pytest.fixture(scope="module")
def virtual(task: SubgraphTask) -> s2n.Subgraphs:
    return coarsen(task.graph, "variation_edges", 0.1).subgraphs


def config(structure: str, **settings: Any) -> Config:
    return Config().with_settings({"structure": structure, **settings})


@pytest.mark.parametrize("structure", ["separated", "connected", "s2n+0", "s2n+a"])
def test_other_structures_leave_virtual_subgraphs_out(task, virtual, structure) -> None:
    assert presented(with_virtual(task, virtual), config(structure))[0] == task


def test_virtual_subgraphs_of_the_data_come_before_a_coarsening(task, virtual) -> None:
    data = with_virtual(task, virtual)
    found, notes = presented(data, config("cos2n+0"))
    assert found == data
    assert notes == (f"{len(virtual):,} virtual subgraphs came with the data.",)


def test_without_any_the_graph_is_coarsened(task, virtual) -> None:
    settings = {"coarsening.method": "variation_edges", "coarsening.ratio": 0.1}
    found, notes = presented(task, config("cos2n+a", **settings))
    assert found == with_virtual(task, virtual)
    assert "variation_edges at ratio 0.1" in notes[0]


@pytest.mark.parametrize("structure", ["cos2n+0", "cos2n+a"])
def test_stages_hold_virtual_subgraphs_and_ask_about_none(task, virtual, structure) -> None:
    data = with_virtual(task, virtual)
    split = task.split
    stages = build_stages(data, config(structure))
    sizes = {part: split.count(part) for part in ("train", "val", "test")}
    before = {"train": 0, "val": sizes["train"] + len(virtual)}
    before["test"] = before["val"] + sizes["val"]
    for part, start in before.items():
        stage = stages[part]
        assert stage.scored == slice(start, start + sizes[part])
        seen = max(start + sizes[part], sizes["train"] + len(virtual))
        assert stage.members.pattern.num_rows == seen
    network, _ = build_network(data, config(structure), stages, [1])
    assert network(stages["train"])[1].shape[1] == sizes["train"]


def test_messages_come_from_virtual_subgraphs_and_no_loss_does(task, virtual) -> None:
    """A node that only virtual subgraphs have moves an answer in CoS2N; its own answer does not."""
    data = with_virtual(task, virtual)
    settings = config("cos2n+0", **{"translation.a": 0.0, "edge_dropout": 0.0, "dropout": 0.0})
    stages = build_stages(data, settings, parts=("train",))
    network, _ = build_network(data, settings, stages, [1])
    network.eval()
    real = np.unique(task.subgraphs.nodes)
    bridges = ~np.isin(stages.rows, real)
    assert bridges.any()
    answers = network(stages["train"])[1]
    answers.sum().backward()
    (weight,) = [p for p in network.table.parameters() if p.shape[-2] == len(stages.rows)]
    moved = weight.grad.abs().sum(dim=(0, 2)).numpy() > 0
    assert moved[bridges].any()
    # Without links nothing reaches them: they are not asked about themselves.
    alone = config("cos2n+0", **{"translation.a": 1e6, "edge_dropout": 0.0, "dropout": 0.0})
    stages = build_stages(data, alone, parts=("train",))
    network, _ = build_network(data, alone, stages, [1])
    network.eval()(stages["train"])[1].sum().backward()
    (weight,) = [p for p in network.table.parameters() if p.shape[-2] == len(stages.rows)]
    assert not (weight.grad.abs().sum(dim=(0, 2)).numpy() > 0)[bridges].any()


def test_statistics_of_the_cut_are_over_train_and_virtual(task, virtual) -> None:
    data = with_virtual(task, virtual)
    graph = s2n.translate(data)
    block = graph.stage("train").toarray().astype(float)
    assert len(block) == task.split.count("train") + len(virtual)
    assert graph.statistics.mean == pytest.approx(block.mean())
    assert graph.statistics.std == pytest.approx(block.std(ddof=1))


@pytest.mark.parametrize("structure", ["cos2n+0", "cos2n+a"])
def test_a_run_says_what_its_bridges_are(task, structure) -> None:
    found = s2n.run(
        task, structure=structure, coarsen="heavy_edge:0.2", seeds=2, settings=QUICK, preset="fast"
    )
    assert found.config["coarsening"]["method"] == "heavy_edge"
    assert found.config["coarsening"]["ratio"] == 0.2
    assert any("heavy_edge at ratio 0.2" in note for note in found.notes)
    assert found.outputs["test"].logits.shape[1] == task.split.count("test")


@pytest.mark.slow
def test_several_labels(task) -> None:
    labels = np.stack([task.labels == 0, task.labels != 1], axis=1)
    data = replace(task, labels=labels, class_names=("a", "b"))
    found = s2n.run(data, structure="cos2n+a", seeds=2, settings=QUICK, preset="fast")
    assert found.outputs["val"].logits.shape == (2, task.split.count("val"), 2)
    assert 0 <= found.test["micro_f1"].mean <= 1


@pytest.mark.slow
def test_replicas_with_bridges_equal_single_models(task) -> None:
    options = {"structure": "cos2n+a", "coarsen": "variation_edges:0.2", "settings": QUICK}
    both = s2n.run(task, seeds=[4, 7], preset="fast", **options)
    one = s2n.run(task, seeds=[7], preset="fast", **options)
    assert torch.allclose(
        torch.from_numpy(both.outputs["test"].logits[1:]),
        torch.from_numpy(one.outputs["test"].logits), atol=1e-4,
    )  # fmt: skip


@pytest.mark.slow
def test_other_structures_score_the_same_with_virtual_subgraphs_in_the_data(task, virtual) -> None:
    for structure in ("separated", "connected", "s2n+0", "s2n+a"):
        one, two = (
            s2n.run(data, structure=structure, seeds=2, preset="fast", settings=QUICK)
            for data in (task, with_virtual(task, virtual))
        )
        assert np.array_equal(one.outputs["test"].logits, two.outputs["test"].logits)


@pytest.mark.slow
@pytest.mark.parametrize("inputs", ["none", "structure", "wl"])
def test_virtual_subgraphs_kept_or_made_are_the_same(task, virtual, inputs) -> None:
    settings = {**QUICK, "features.subgraphs": inputs}
    coarsened = s2n.run(task, structure="cos2n+a", coarsen="variation_edges:0.1", seeds=1,
                   preset="fast", settings=settings)  # fmt: skip
    kept = s2n.run(
        with_virtual(task, virtual), structure="cos2n+a", seeds=1, preset="fast", settings=settings
    )
    for part in ("train", "val", "test"):
        assert np.array_equal(coarsened.outputs[part].logits, kept.outputs[part].logits)


@pytest.mark.slow
@pytest.mark.parametrize("conv", ["gcn2", "gin", "gatv2", "sage"])
def test_networks_read_one_direction_of_directed_edges(conv) -> None:
    task, logits = directed_task(), []
    for direction in ("both", "out", "in"):
        settings = {**QUICK, "translation.direction": direction, "a": 0.0, "delta": 1.0}
        result = s2n.run(
            task, structure="s2n+0", conv=conv, seeds=2, preset="fast", settings=settings
        )
        logits.append(result.outputs["test"].logits)
    assert all(np.isfinite(each).all() for each in logits)
    assert np.abs(logits[1] - logits[0]).max() > 1e-4
    assert np.abs(logits[1] - logits[2]).max() > 1e-4


def test_a_model_for_new_subgraphs_reads_both_directions() -> None:
    classifier = s2n.SubgraphClassifier(
        structure="s2n+0", seeds=1, preset="fast", settings={"translation.direction": "out"}
    )
    with pytest.raises(s2n.ConfigError, match="joins them in both directions"):
        classifier.fit(directed_task())
