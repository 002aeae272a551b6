"""On a part of a graph on disk everything is what it is in memory, or refuses in one sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import sub2node as s2n
from disk_tables import disk_tables, on_disk
from sub2node import SubgraphTask
from sub2node.advice import traits
from sub2node.audit import audit
from sub2node.base.errors import ConfigError
from sub2node.baselines import MODELS
from sub2node.coarsen import coarsen
from sub2node.config.structure import STRUCTURES
from sub2node.encode import KINDS, encode, subgraph_statistics, weisfeiler_leman
from sub2node.translation import readout_weights

pytestmark = pytest.mark.usefixtures("few_trees")

pytest.importorskip("ibis")

Pair = tuple[SubgraphTask, SubgraphTask]
ALONE: dict[str, Any] = {"features.kind": "given", "features.trainable": False, "epochs": 2}
ALONE |= {"dropout": 0.0, "edge_dropout": 0.0}
DRAWN = ("sub2vec", "gnn-seg")  # draw numbers by the order of nodes, which is another one


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    """The task on disk and in memory."""
    source = disk_tables(tmp_path_factory.mktemp("disk") / "tables", weighted=True)
    return on_disk(source, repeated="sum"), s2n.load_task(source, repeated="sum")


def same_or_refused(
    tasks: Pair, compute: Callable[[SubgraphTask], Any], *, drawn: bool = False
) -> bool:
    """Whether a part gives what the whole does; False: it refuses."""
    found, sentence = None, "needs the whole graph."
    try:
        found = compute(tasks[0])
    except ConfigError as error:
        sentence = str(error)
    assert "needs the whole graph" in sentence
    if found is None:
        return False
    expected = compute(tasks[1])
    assert np.isfinite(found).all() if drawn else np.allclose(found, expected, atol=1e-5)
    return True


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_models(tasks: Pair, name: str) -> None:
    if name == "sub2vec":
        pytest.importorskip("gensim")
    settings = {"features.kind": "given"} if name == "gbdt" else {}

    def probabilities(task: SubgraphTask) -> Any:
        result = s2n.run(task, model=name, seeds=1, settings=settings)
        return result.outputs["test"].logits

    works = same_or_refused(tasks, probabilities, drawn=name in DRAWN)
    assert works == (name not in ("hops", "diffused-bag", "wl", "glass", "subgnn", "gnn-plain"))


@pytest.mark.slow
@pytest.mark.parametrize("structure", STRUCTURES)
def test_structures(tasks: Pair, structure: str) -> None:
    def scores(task: SubgraphTask) -> Any:
        result = s2n.run(task, structure=structure, seeds=1, settings=ALONE)
        return result.outputs["test"].logits

    assert same_or_refused(tasks, scores) == (structure in ("separated", "s2n+0", "s2n+a"))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_encodings_refuse(tasks: Pair, kind: Any) -> None:
    assert not same_or_refused(tasks, lambda task: encode(task.graph, kind, width=4).values)


@pytest.mark.slow
@pytest.mark.parametrize("te", ["edges", "shared_nodes", "shortest_path", lambda g: g.adjacency()])
def test_edge_weights(tasks: Pair, te: Any) -> None:
    def weights(task: SubgraphTask) -> Any:
        return s2n.translate(task, te=te).weights.toarray()

    assert same_or_refused(tasks, weights) == (te in ("edges", "shared_nodes"))


@pytest.mark.slow
def test_readouts_statistics_and_colours(tasks: Pair) -> None:
    assert same_or_refused(tasks, subgraph_statistics)
    assert same_or_refused(tasks, weisfeiler_leman)
    assert not same_or_refused(tasks, lambda task: weisfeiler_leman(task, view="hops"))
    assert not same_or_refused(tasks, lambda task: coarsen(task.graph).partition)
    assert not same_or_refused(tasks, lambda task: traits(task).to_dict())
    assert not same_or_refused(tasks, lambda task: audit(task).to_dict())
    for readout in ("sum", "mean", "degree", "volume", "node-degree"):

        def sums(task: SubgraphTask, readout: Any = readout) -> Any:
            weights = readout_weights(task, "test", readout=readout)
            return np.bincount(task.subgraphs.owner, weights)

        works = same_or_refused(tasks, sums)
        assert works == (readout in ("sum", "mean", "degree"))
