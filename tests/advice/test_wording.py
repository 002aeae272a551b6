"""Advice in sentences: what was compared, what noise does not tell apart, what to run next."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from advice_cases import PLAIN, advice_on
from sub2node.advice.wording import duration, next_commands, recommendation, size

pytestmark = pytest.mark.usefixtures("few_trees")


@pytest.mark.slow
def test_small_parts_simple_models_and_disagreement_are_said() -> None:
    result = advice_on({"s2n+a": 0.8, "separated": 0.6, "statistics": 1.0}, count=40)
    text = " ".join(recommendation(result))
    assert result.tied == ("s2n+a",)
    assert "One of 40 validation subgraphs is 2.5 points." in text
    assert "The simple model statistics is ahead by more than noise: 100.0 (100 to 100)" in text
    assert "--inputs structure" in text
    none = advice_on({"s2n+a": 0.4, "s2n+0": 0.2, "majority": 0.4})
    assert "no structure has learned anything" in " ".join(recommendation(none))
    assert "which was not probed" in " ".join(recommendation(none))
    bag = advice_on({"s2n+a": 0.4, "s2n+0": 0.2, "bag": 0.42})
    assert "The simple model bag cannot be told from it" in " ".join(recommendation(bag))
    assert "try s2n run --model bag too" in " ".join(recommendation(bag))
    tied = advice_on({"s2n+a": 0.8, "s2n+0": 0.8}, by_rules="s2n+a")
    assert "which noise does not tell from s2n+0" in " ".join(recommendation(tied))


@pytest.mark.slow
def test_next_commands() -> None:
    assert next_commands(advice_on({"cos2n+a": 0.9, "s2n+0": 0.1}), "my.csv --graph g.csv") == [
        "s2n run my.csv --graph g.csv --structure cos2n+a --coarsen variation_edges:0.5",
        "s2n tune my.csv --graph g.csv --structure cos2n+a",
    ]
    own = replace(PLAIN, virtual=8)
    assert (
        "--coarsen" not in next_commands(advice_on({"cos2n+a": 0.9, "s2n+0": 0.1}, traits=own))[0]
    )
    assert "--conv gin" in next_commands(advice_on({"s2n+0": 0.9}, conv="gin"))[1]
    alone = advice_on({"s2n+0": 0.9}, by_rules="s2n+a")
    assert (alone.by_probes, alone.structure) == (None, "s2n+a")
    assert "Only s2n+0 could be tried, so nothing was compared" in " ".join(recommendation(alone))
    bare = advice_on({}, traits=replace(PLAIN, labelled=None))
    assert next_commands(bare) == ["s2n describe DATA"]


def test_numbers_for_people() -> None:
    words = [duration(each) for each in (0.04, 9.96, 42, 300, 9000, math.inf)]
    assert words == ["0.0 s", "10.0 s", "42 s", "5.0 min", "2.5 h", "-"]
    sizes = [size(each) for each in (5 << 20, 3 << 30, 10, None)]
    assert sizes == ["5 MiB", "3.0 GiB", "0.1 MiB", "-"]
