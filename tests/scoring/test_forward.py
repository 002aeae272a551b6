"""The forward pass for new subgraphs against the network's own stages and whole graphs."""

from __future__ import annotations

import numpy as np
import pytest

from scorer_cases import CASES, close, part
from scoring_tasks import small_task, trained
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
