"""Settings of ``best``: bounds, and a name that commands know without loading the rest."""

from __future__ import annotations

import pytest

from sub2node.base.errors import ConfigError
from sub2node.config.best_settings import NAME, BestSettings


def test_defaults_and_changes() -> None:
    assert NAME == "best"
    usual = BestSettings()
    assert (usual.minutes, usual.folds, usual.fold_seeds, usual.most_seeds) == (5.0, 5, 1, 8)
    changed = usual.with_settings({"minutes": 2, "folds": 3})
    assert (changed.minutes, changed.folds, changed.most_seeds) == (2.0, 3, 8)
    assert BestSettings(**changed.to_dict()) == changed


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"minutes": 0}, "minutes is at least 0.001"),
        ({"folds": 1}, "folds is at least 2"),
        ({"fold_seeds": 0}, "fold_seeds is at least 1"),
        ({"most_seeds": 0}, "most_seeds is at least 1"),
        ({"fold": 3}, "Did you mean 'folds'"),
        ({"folds": 2.5}, "folds"),
    ],
)
def test_settings_that_make_no_sense(settings, message) -> None:
    with pytest.raises(ConfigError, match=message):
        BestSettings().with_settings(settings)
