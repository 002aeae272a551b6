"""Parameters that cannot be are refused before any work is done, with one sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from scoring_tasks import small_task
from sub2node import SubgraphClassifier
from sub2node.base.errors import ConfigError, DataError
from sub2node.scoring.parameter_checks import check_parameters, learned_groups, read_seeds
from sub2node.task import Graph, Split, SubgraphAttributes, Subgraphs, SubgraphTask

WRONG: list[tuple[dict[str, Any], str]] = [
    ({"mode": "each"}, "a mode is independent or joint, not 'each'"),
    ({"threshold": 0.5}, "a threshold is 'half' or 'val'"),
    ({"unknown_nodes": "ignore"}, "unknown_nodes is error or drop"),
    ({"structure": "auto", "conv": "gin"}, "chooses the convolution too"),
    ({"structure": "auto", "coarsen": "heavy_edge:0.5"}, "coarsening is for cos2n"),
    *[({"validation": value}, "a share between 0 and 1") for value in (0, 1, True, "x", np.nan)],
    *[({"budget": value}, "a budget is a number of seconds above 0") for value in (0, "x", True)],
    *[
        ({"time_limit": value}, "a time limit is a number of seconds above 0")
        for value in (0, -1, np.inf, np.nan, "60", True, None)
    ],
    ({"model": "best", "conv": "gin"}, "best has no conv to choose; omit it"),
    ({"model": "hops", "coarsen": "heavy_edge:0.5"}, "hops has no coarsen to choose"),
    ({"model": "hops", "class_weight": "balanced"}, "hops has no class_weight to choose"),
    ({"preset": 3}, "a preset is a name or a path"),
    ({"settings": ["lr"]}, "settings are a dict"),
    ({"settings": {3: 4}}, "settings are a dict"),
]


@pytest.mark.parametrize(("options", "message"), WRONG)
def test_wrong_parameters(options, message) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        check_parameters(SubgraphClassifier(**options))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "options",
    [{}, {"model": "best", "time_limit": 1}, {"structure": "auto"}, {"settings": {"lr": 0.1}},
     {"model": "hops", "structure": "s2n+a"}, {"conv": "gin", "class_weight": "balanced"}],
)  # fmt: skip
def test_parameters_that_go_together(options) -> None:
    assert check_parameters(SubgraphClassifier(**options)) is None


def test_seeds_are_a_number_or_a_list() -> None:
    assert read_seeds(3) == 3
    assert read_seeds(np.int64(4)) == 4
    assert read_seeds((1, np.int64(2))) == [1, 2]
    assert read_seeds(range(2)) == [0, 1]
    for wrong in ([], "12", [1.5], 2.0, None, ["1"]):
        with pytest.raises(ConfigError, match="seeds are a number, or a list"):
            read_seeds(wrong)


def test_groups_follow_their_subgraphs_into_the_order_of_the_rows() -> None:
    graph = small_task().graph
    words = ["test", "val", "train", "val", "train", "test"]
    sets = Subgraphs.from_lists([[i] for i in range(6)])
    task = SubgraphTask(graph, sets, np.arange(6) % 2, (), Split.given(words))
    groups = [f"group {i}" for i in range(6)]  # of the subgraph with node i
    found = learned_groups(task, groups)
    labelled = task.subgraphs.nodes[~task.split.mask("test")]
    assert found.tolist() == [f"group {i}" for i in labelled]
    assert learned_groups(task, None) is None
    for wrong in (groups[1:], [[1]] * 6, list("abc")):
        with pytest.raises(DataError, match="there are 6 subgraphs"):
            learned_groups(task, wrong)


def test_groups_by_the_name_of_an_attribute() -> None:
    task = SubgraphTask(
        Graph.from_edges([0, 1, 2], [1, 2, 3]),
        Subgraphs.from_lists([[0], [1], [2], [3]]),
        labels=[0, 0, 1, 1],
        split=Split.given(["test", "val", "train", "train"]),
        attributes=SubgraphAttributes({"paper": ["a", "b", "a", "b"]}),
    )
    groups = learned_groups(task, "paper")
    assert groups is not None
    assert groups[0] != groups[1]
    assert groups[1] == groups[2]
    with pytest.raises(ConfigError, match="no column 'journal'"):
        learned_groups(task, "journal")
