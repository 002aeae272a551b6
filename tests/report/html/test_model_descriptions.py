"""Every model is described in a report."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from sub2node.report.html.model_descriptions import describe_run


def test_every_model_is_described_in_a_report() -> None:
    from sub2node.baselines import MODELS
    from sub2node.config import STRUCTURES
    from sub2node.report.html import model_descriptions as descriptions

    assert set(descriptions._BASELINES) == {*MODELS, "best"}
    assert descriptions._STRUCTURES.keys() == set(STRUCTURES)


@pytest.mark.parametrize(
    ("config", "text"),
    [
        (
            {"structure": "connected", "conv": "gin"},
            "a graph network on the whole graph (GIN layers)",
        ),
        ({"structure": "connected", "conv": "mine:Conv"}, "the whole graph (mine:Conv layers)"),
        ({"baseline": "bag", "structure": "connected"}, "logistic regression on which nodes"),
        ({"baseline": "unknown"}, ""),
        ({}, ""),
    ],
)
def test_settings_say_what_the_model_is(config: dict[str, str], text: str) -> None:
    description = describe_run(SimpleNamespace(config=config))
    assert text in description
    assert bool(description) == bool(text)
