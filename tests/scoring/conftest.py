"""Models that tests of saving share."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoring_tasks import QUERY, model, named, small_task


@pytest.fixture(scope="package")
def fitted():
    """A model that has every file."""
    return model(named(small_task(weighted=True)))


@pytest.fixture(scope="package")
def saved(fitted, tmp_path_factory) -> Path:
    """Its folder."""
    return fitted.save(tmp_path_factory.mktemp("models") / "model")


@pytest.fixture(scope="package")
def wanted(fitted):
    """What it answers."""
    return fitted.predict_proba(QUERY)


@pytest.fixture(scope="package")
def several(tmp_path_factory) -> Path:
    """Multi-label, with statistics as inputs."""
    task = small_task(multilabel=True)
    made = model(task, structure="s2n+0", **{"features.subgraphs": "structure"})
    return made.save(tmp_path_factory.mktemp("several") / "model")
