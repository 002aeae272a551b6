"""Ensembles of two or three members that learn in a moment."""

from __future__ import annotations

from typing import Any

import pytest

from sub2node.baselines import SIMPLE
from sub2node.config import Config
from sub2node.config.best_settings import BestSettings
from sub2node.models import best
from sub2node.models.baseline import Simple
from sub2node.models.graph_network import GraphNetwork
from sub2node.models.member_plans import MemberPlan

NETWORK = {
    "structure": "s2n+0", "hidden": 8, "features.width": 8, "features.kind": "random", "epochs": 3,
    "a": 0.0, "delta": 3.0, "lr": 0.05,
}  # fmt: skip
QUICK = BestSettings(minutes=1.0, folds=2, most_seeds=2)


def short_plans(names: tuple[str, ...] = ("hops", "statistics", "network")) -> tuple[Any, ...]:
    """Members by name; ``network`` is one of a few epochs."""
    plans = []
    for name in names:
        if name == "network":
            config = Config().with_settings(NETWORK)
            plans.append(MemberPlan("s2n+0 gcn2", GraphNetwork((config,), device="cpu")))
            continue
        settings = SIMPLE[name].settings()
        settings = settings.with_settings({"trees": 5} if name == "statistics" else {})
        plans.append(MemberPlan(name, Simple(SIMPLE[name], settings, device="cpu")))
    return tuple(plans)


def use_short_plans(
    monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...] = ("hops", "statistics", "network")
) -> None:
    """Let ``best`` try these members only, and weigh all of them."""
    monkeypatch.setattr(best, "member_plans", lambda *_, **__: short_plans(names))
    weigh_equally(monkeypatch)


def weigh_equally(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every member that was judged has a weight, also one that does not help."""
    monkeypatch.setattr("sub2node.models.member_trials._HOPELESS", 1e9)
    select = best.select_members

    def equal(shares: Any, labels: Any) -> Any:
        weights, losses = select(shares, labels)
        return (weights + 1) / (weights + 1).sum(), losses

    monkeypatch.setattr(best, "select_members", equal)
