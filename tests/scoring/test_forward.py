"""The forward pass for new subgraphs against the network's own stages and whole graphs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from scorer_cases import CASES, close, part
from scoring_tasks import small_task, trained, with_excluded
from sub2node.scoring import Query
from sub2node.scoring.forward import ForwardPass
from sub2node.scoring.restore import build_scorer


@pytest.mark.slow
@pytest.mark.parametrize(("structure", "conv", "settings"), CASES)
@pytest.mark.parametrize("weighted", [False, True])
def test_joint_answers_are_those_of_the_stage_and_independent_ones_those_of_one_alone(
    structure, conv, settings, weighted
) -> None:
    task = small_task(weighted=weighted)
    result = trained(task, structure=structure, conv=conv, **settings)
    scorer = build_scorer(result, task)
    asked = part(task, "val")
    stage = result.outputs("val")
    vectors, logits = scorer.outputs(asked, mode="joint")
    close(logits, stage.logits)
    close(vectors, stage.vectors)
    alone = [scorer.outputs(asked.take([i]), mode="joint")[1] for i in range(len(asked))]
    close(scorer.outputs(asked)[1], np.concatenate(alone, axis=1))


SIGNED = [
    ("separated", "gcn2", {}),
    ("connected", "gcn2", {}),
    ("s2n+0", "gcn2", {"readout": "degree"}),
    ("s2n+0", "gcn2", {"features.subgraphs": "structure"}),
    ("s2n+a", "gin", {"readout": "max"}),
    ("cos2n+0", "gcn2", {"coarsening.ratio": 0.5}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("structure", "conv", "settings"), SIGNED)
def test_excluded_nodes_are_read_as_in_training(structure, conv, settings) -> None:
    task = with_excluded(small_task())
    result = trained(task, structure=structure, conv=conv, **settings)
    scorer = build_scorer(result, task)
    assert scorer.reads_excluded
    asked = part(task, "val")
    vectors, logits = scorer.outputs(asked, mode="joint")
    stage = result.outputs("val")
    close(logits, stage.logits)
    close(vectors, stage.vectors)
    without = Query.of(replace(asked.subgraphs, excluded=None))
    assert np.abs(scorer.outputs(without, mode="joint")[1] - logits).max() > 1e-4
    alone = [scorer.outputs(asked.take([i]), mode="joint")[1] for i in range(len(asked))]
    close(scorer.outputs(asked)[1], np.concatenate(alone, axis=1))


@pytest.mark.parametrize("structure", ["s2n+0", "s2n+a", "separated"])
def test_a_network_that_learned_without_excluded_nodes_does_not_read_them(structure) -> None:
    task = small_task()
    scorer = build_scorer(trained(task, structure=structure), task)
    signed = part(with_excluded(task), "test")
    assert not scorer.reads_excluded
    assert np.array_equal(scorer.outputs(signed)[1], scorer.outputs(part(task, "test"))[1])


@pytest.mark.parametrize("conv", ["gcn", "gcn2", "gin", "sage"])
@pytest.mark.parametrize("layers", [1, 2])
def test_neighbourhoods_give_what_whole_graphs_give(conv, layers, monkeypatch) -> None:
    task = small_task(seed=3)
    scorer = build_scorer(trained(task, conv=conv, layers=layers), task)
    asked = part(task, "test")
    fast = scorer.outputs(asked)
    assert scorer.forward.by_rings
    monkeypatch.setattr(ForwardPass, "by_rings", False)
    again = rebuild_scorer(scorer)
    for here, there in zip(fast, again.outputs(asked), strict=True):
        close(here, there)


def rebuild_scorer(scorer):
    """The same networks without what was remembered."""
    return type(scorer)(scorer.known_subgraphs, scorer.network, scorer.seeds)


@pytest.mark.slow
def test_many_are_cut_into_pieces_without_a_change(monkeypatch) -> None:
    from sub2node.scoring import forward

    task = small_task(seed=2)
    for conv in ("gcn2", "gatv2"):
        scorer = build_scorer(trained(task, conv=conv), task)
        asked = part(task, "test")
        whole = scorer.predict(asked).probabilities
        monkeypatch.setattr(forward, "_ROWS", 3)
        close(scorer.predict(asked).probabilities, whole, 1e-6)
