"""Translation by settings: each T_e is the one of translate, weights or none."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import sub2node as s2n
from directed_tasks import directed_task
from small_networks import task_of
from sub2node.base.errors import ConfigError
from sub2node.config import TranslationSettings
from sub2node.task import Graph
from sub2node.translation import normalize_by, normalize_rows_by, translate_by
from sub2node.translation.by_settings import find_te, require_symmetric


def twice(graph: Graph) -> Any:
    return 2 * graph.adjacency(dtype=np.float64)


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch) -> str:
    module = ModuleType("my_edge_weights")
    module.twice, module.number = twice, 3  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "my_edge_weights", module)
    return "my_edge_weights:twice"


def test_every_te_is_that_of_translate(own: str) -> None:
    task = task_of()
    for settings, options in (
        (TranslationSettings(), {}),
        (TranslationSettings(self_loops=False), {"self_loops": False}),
        (TranslationSettings(te="shared_nodes"), {"te": "shared_nodes"}),
        (
            TranslationSettings(te="shortest_path", max_distance=1),
            {"te": "shortest_path", "max_distance": 1},
        ),
        (TranslationSettings(te=own), {"te": twice}),
    ):
        expected = s2n.translate(task, **options).weights.toarray()
        assert np.array_equal(translate_by(task, settings).weights.toarray(), expected)
        assert settings.raw == TranslationSettings(
            te=settings.te, self_loops=settings.self_loops, max_distance=settings.max_distance
        )


def test_without_weights_what_is_left_is_one() -> None:
    task = task_of()
    raw = translate_by(task, TranslationSettings())
    plain, ones = (
        normalize_by(raw, TranslationSettings(a=0.2, delta=2.0, weighted=weighted))
        for weighted in (True, False)
    )
    assert np.array_equal(ones.weights.toarray(), plain.weights.toarray() > 0)
    assert len(np.unique(plain.weights.data)) > 1
    assert (plain.settings.weighted, ones.settings.weighted) == (True, False)
    new = raw.attach(task.subgraphs)
    for settings in (TranslationSettings(a=0.2, delta=2.0, weighted=w) for w in (True, False)):
        rows, whole = normalize_rows_by(new, settings), normalize_by(raw, settings)
        known = whole.stage("train").shape[0]
        assert np.array_equal(rows.known.toarray(), whole.weights.toarray()[:, :known])


@pytest.mark.parametrize(
    ("te", "message"),
    [
        ("edge", "no T_e called 'edge'. Did you mean 'edges'.* module:function"),
        ("no_such_module:f", "cannot be imported"),
        ("my_edge_weights:other", "cannot be imported"),
        ("my_edge_weights:number", "is no function"),
    ],
)
def test_a_te_that_there_is_not(own: str, te: str, message: str) -> None:
    assert find_te(own) is twice
    with pytest.raises(ConfigError, match=message):
        find_te(te)


def test_a_direction_is_that_of_translate_and_of_models_that_keep_no_new_subgraphs() -> None:
    task, settings = directed_task(), TranslationSettings(direction="in")
    found = translate_by(task, settings).weights.toarray()
    assert np.array_equal(found, s2n.translate(task, direction="in").weights.toarray())
    assert settings.raw.direction == "in"
    require_symmetric(TranslationSettings())
    with pytest.raises(ConfigError, match="joins them in both directions"):
        require_symmetric(settings)
