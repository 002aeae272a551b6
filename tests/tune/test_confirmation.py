"""The best trials of a search once more, on splits that the search did not see."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from studies import spec, task
from sub2node.base.errors import ConfigError
from sub2node.task.attributes import SubgraphAttributes
from sub2node.tune.confirmation import FIRST_SPLIT, TOP, confirm, fresh_objective
from sub2node.tune.objective import Objective, Score
from sub2node.tune.search_result import SearchResult, Trial


def searched(count: int = 9) -> SearchResult:
    """A search whose later trials are better, but for the last, which was given up."""
    point = {"training.lr": 0.1, "model.layers": 2}
    trials = [
        Trial(k, "complete", {**point, "training.lr": 0.01 * (k + 1)}, 0.5 + 0.01 * k, (0.5,))
        for k in range(count)
    ]
    return SearchResult(spec(), (*trials, replace(trials[0], number=count, state="pruned")))


def scored(values: dict[float, float], ended: str = "complete", **more):
    """An objective that knows what a learning rate is worth."""

    def score(config) -> Score:
        value = values.get(round(config.training.lr, 6), 0.2)
        return Score((value - 0.1, value + 0.1), (1.0, 1.0), 0.1, ended=ended, **more)

    return score


def test_of_the_best_and_the_first_the_best_on_fresh_splits_wins() -> None:
    result = searched()
    assert len(result.spec.first_points()) == 1
    after = confirm(result, scored({0.06: 0.9, 0.01: 0.8}))
    assert [trial.number for trial in after.confirmed] == [8, 7, 6, 5, 4, 0]
    assert len(after.confirmed) == TOP + 1
    assert (result.winner.number, after.best.number, after.winner.number) == (8, 8, 5)
    assert after.config.training.lr == pytest.approx(0.06)
    assert after.evidence.startswith(
        "the best of 6 on 2 splits of train and val that its search had not seen (held-out micro-F1"
        " 90.0 ± 14.1), which were the best of 10 trials of s2n tune on component"
    )
    assert [trial["number"] for trial in after.to_dict()["confirmed"]][:2] == [8, 7]
    assert after.preset() != result.preset()


@pytest.mark.parametrize(("ended", "wished"), [("interrupted", False), ("complete", True)])
def test_what_is_interrupted_confirms_nothing(ended: str, wished: bool) -> None:
    result = searched()
    after = confirm(result, scored({0.06: 0.9}, ended, wished=wished))
    assert after == replace(result, ended="interrupted")

    def interrupt(config) -> Score:
        raise KeyboardInterrupt

    assert confirm(result, interrupt) == replace(result, ended="interrupted")


def held_out(objective: Objective) -> set[frozenset[str]]:
    """The subgraphs that each part of an objective holds out."""
    return {
        frozenset(np.array(list(part.subgraph_ids))[part.split.mask("test")])
        for part, _ in objective.parts
    }


def test_splits_are_others_than_those_of_the_search() -> None:
    objective = Objective(task(), range(12), 12, device="cpu")
    fresh = fresh_objective(objective, spec(rehearse=12), 4)
    assert fresh.first_split == 12 > FIRST_SPLIT
    assert [seeds for _, seeds in fresh.parts] == [[100], [101], [102], [103]]
    assert not held_out(objective) & held_out(fresh)
    assert len(held_out(fresh)) == 4
    with pytest.raises(ConfigError, match="two splits or more, found 1"):
        fresh_objective(objective, spec(), 1)


def test_splits_keep_groups_together() -> None:
    families = [f"family {number // 3}" for number in range(len(task().subgraphs))]
    grouped = replace(task(), attributes=SubgraphAttributes({"family": families}))
    objective = Objective(grouped, [1, 2], 2, device="cpu", groups="family")
    for part, _ in [*objective.parts, *fresh_objective(objective, spec(), 3).parts]:
        codes, groups = part.split.codes, part.attributes.groups("family")
        assert all(len(np.unique(codes[groups == one])) == 1 for one in np.unique(groups))
    mixed = Objective(grouped, [1, 2], 2, device="cpu")
    part = mixed.parts[0][0]
    groups = part.attributes.groups("family")
    assert any(len(np.unique(part.split.codes[groups == one])) > 1 for one in np.unique(groups))
