"""Rules quote the number that triggered them, and are silent where they do not hold."""

from __future__ import annotations

from dataclasses import replace

import pytest

from advice_cases import PLAIN, PRICES, price
from sub2node.advice import Reason, Traits
from sub2node.advice.rules import ranking, reasons
from sub2node.config import STRUCTURES


def reason_of(
    characteristics: Traits, rule: str, prices=PRICES, free: int | None = None
) -> Reason | None:
    return next(
        (each for each in reasons(characteristics, prices, free) if each.rule == rule), None
    )


def links(**changes: object) -> Traits:
    return replace(PLAIN, links=replace(PLAIN.links, **changes))


def labelled(**changes: object) -> Traits:
    return replace(PLAIN, labelled=replace(PLAIN.labelled, **changes))


@pytest.mark.parametrize(
    ("characteristics", "rule", "number", "speaks_for"),
    [
        (links(isolated=0.63), "isolated subgraphs", "63%", "separated"),
        (links(density=0.41), "dense links", "41%", "separated"),
        (labelled(homophily=0.70), "links and labels", "70%", "s2n+0"),
        (labelled(homophily=0.36), "links and labels", "36%", "separated"),
        (replace(labelled(median=7.0), coverage=0.32), "few labels", "has 7 training", "cos2n+0"),
        (PLAIN, "edges inside", "0.40 ± 0.20", "s2n+a"),
        (replace(PLAIN, internal_density_sd=0.01), "edges inside", "0.40 ± 0.01", "s2n+0"),
        (replace(PLAIN, border=0.6), "edges outside", "70%", "connected"),
        (replace(PLAIN, links=None), "no S2N graph", "no S2N graph", "separated"),
    ],
)
def test_rules_quote_the_number_that_triggered_them(
    characteristics: Traits, rule: str, number: str, speaks_for: str
) -> None:
    reason = reason_of(characteristics, rule)
    assert number in reason.text
    assert reason.text.endswith(".")
    others = [reason.points.get(name, 0) for name in STRUCTURES if name != speaks_for]
    assert reason.points.get(speaks_for, 0) >= max(others)
    assert any(reason.points.values())
    assert reason.to_dict()["value"] == reason.value


def test_rules_that_do_not_hold_are_silent() -> None:
    names = {each.rule for each in reasons(PLAIN, PRICES, None)}
    assert names == {"edges inside"}
    assert reason_of(replace(PLAIN, labelled=None), "links and labels") is None
    assert reason_of(labelled(median=7.0), "few labels") is None  # coverage is high
    assert (
        reason_of(links(isolated=0.63, half=0.42), "isolated subgraphs").text.count("a=0.42") == 1
    )


def test_rules_about_costs() -> None:
    slow = {**PRICES, "connected": price("connected", 4.0), "cos2n+0": price("cos2n+0", 0.3)}
    characteristics = [each for each in reasons(PLAIN, slow, None) if each.rule == "slow"]
    assert [each.text for each in characteristics] == [
        "connected takes 100 times as long as s2n+a.",
        "cos2n+0 takes 10 times as long as s2n+0.",
    ]
    large = {**PRICES, "cos2n+a": replace(PRICES["cos2n+a"], memory=9 << 30)}
    reason = reason_of(PLAIN, "memory", large, free=2 << 30)
    assert reason.text == "cos2n+a needs about 9.0 GiB, and there are 2.0 GiB."
    order = ranking(reasons(PLAIN, large, 2 << 30), large)
    assert order[-1][0] == "cos2n+a"


def test_of_equal_points_the_cheapest_is_first() -> None:
    assert [name for name, _ in ranking([], PRICES)] == list(STRUCTURES)
    reason = Reason("x", "y.", 1.0, {"cos2n+a": 1})
    assert ranking([reason], PRICES)[0] == ("cos2n+a", 1)
