"""Known subgraphs: new ones are attached to them as they would be translated with them."""

from __future__ import annotations

import numpy as np
import pytest

from scoring_tasks import small_task
from sub2node.config import Config
from sub2node.scoring.reference_set import KnownSubgraphs
from sub2node.task import Split, SubgraphTask
from sub2node.translation import translate

CUT = {"structure": "s2n+0", "translation.a": 0.2, "translation.delta": 2.0}


def parts(readout: str) -> tuple[KnownSubgraphs, SubgraphTask, SubgraphTask]:
    """Known subgraphs, a task of new ones, and one of both."""
    task = small_task(weighted=True)
    known = task.subset(np.arange(40))
    new = SubgraphTask(task.graph, task.subgraphs.take(np.arange(40, 48)))
    both = SubgraphTask(
        task.graph, task.subgraphs.take(np.arange(48)), split=Split.sizes(train=40, test=8)
    )
    config = Config().with_settings({**CUT, "model.readout": readout})
    return KnownSubgraphs(known, config), new, both


@pytest.mark.parametrize("joint", [True, False])
def test_weights_are_those_of_a_translation_with_the_new_ones(joint: bool) -> None:
    known, new, both = parts("sum")
    attachment = known.attach(new.subgraphs, joint=joint)
    whole = translate(both).normalize(0.2, 2.0).weights.toarray()
    dense = np.zeros((8, 40), np.float32)
    dense[attachment.links.owner, attachment.links.nodes] = attachment.links.weights
    assert dense == pytest.approx(whole[40:, :40])
    assert attachment.links.own.numpy() == pytest.approx(whole[40:, 40:].diagonal())
    among = whole[40:, 40:] if joint else np.diag(whole[40:, 40:].diagonal())
    assert attachment.among.toarray() == pytest.approx(among)
    assert attachment.changes is None
    assert known.readout_scale(attachment, 0, 8, joint=joint) is None


@pytest.mark.parametrize("readout", ["degree", "degree-code"])
@pytest.mark.parametrize("joint", [True, False])
def test_degrees_grow_with_the_new_ones(readout: str, joint: bool) -> None:
    known, new, both = parts(readout)
    raw = translate(both).weights.toarray().astype(float)
    if readout == "degree-code":
        raw = (raw != 0).astype(float)
    one = float(readout == "degree-code")
    assert known.degrees == pytest.approx(raw[:40, :40].sum(axis=1) + one)
    attachment = known.attach(new.subgraphs, joint=joint)
    own = raw[40:, 40:].sum(axis=1) if joint else raw[40:, 40:].diagonal()
    assert attachment.degrees == pytest.approx(raw[40:, :40].sum(axis=1) + own + one)
    scale = known.readout_scale(attachment, 2, 5, joint=joint).numpy()
    grown = raw[42:45, :40].sum(axis=0, keepdims=True) if joint else raw[42:45, :40]
    assert scale == pytest.approx(np.sqrt(known.degrees / (known.degrees + grown)), rel=1e-5)


def test_readout_weights_are_roots_of_degrees() -> None:
    known, new, _ = parts("degree")
    attachment = known.attach(new.subgraphs, joint=False)
    stage = known.stage(new, attachment.degrees)
    adjacency = new.graph.adjacency(dtype=np.float64).toarray()
    loops = np.ones(new.graph.num_nodes)
    loops[new.graph.loops] = new.graph.loop_weights
    node_degrees = adjacency.sum(axis=1) + loops
    expected = np.sqrt(node_degrees[new.subgraphs.nodes] / attachment.degrees[new.subgraphs.owner])
    assert stage.members.weights.numpy() == pytest.approx(expected, rel=1e-5)
    assert len(known) == 40
