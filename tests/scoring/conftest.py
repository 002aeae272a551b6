"""Models that tests of saving share."""

from __future__ import annotations

from pathlib import Path

import pytest

from communities import GRAPH, NUMBERS, X, classifier
from scoring_tasks import QUERY, model, named, small_task
from sub2node.task import Subgraphs, SubgraphTask


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


@pytest.fixture(scope="module")
def split_task() -> SubgraphTask:
    """The communities, with parts drawn."""
    names = ("left", "middle", "right")
    task = SubgraphTask(GRAPH, Subgraphs.from_lists(X), NUMBERS, names)
    return classifier()._complete_split(task)
