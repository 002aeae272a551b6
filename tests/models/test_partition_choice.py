"""Where all subgraphs exceed the memory of a device, training goes through partitions of them."""

from __future__ import annotations

import numpy as np
import pytest

from scoring_tasks import FAST, small_task
from sub2node.evaluate.protocol import labels_of
from sub2node.models import partition_choice as module
from sub2node.models.find import network
from sub2node.models.graph_network import GraphNetwork


def fitted(monkeypatch, free: int | None, **settings):
    monkeypatch.setattr(module, "free_memory", lambda _: free)
    task = small_task()
    labels = {part: labels_of(task, part) for part in ("train", "val")}
    conv = settings.pop("conv", "gcn2")
    structure = settings.pop("structure")
    spec = network(
        task, structure=structure, conv=conv, preset="fast", settings={**FAST, **settings}
    )
    model = GraphNetwork(spec.model.candidates, device="cpu")
    return model.fit(task, labels, [10, 11])


def notes_of(trained) -> list[str]:
    return [note for note in trained.facts["notes"] if "partitions" in note]


@pytest.mark.slow
@pytest.mark.parametrize("structure", ["s2n+0", "s2n+a", "separated"])
def test_models_that_do_not_fit_learn_the_same(structure, monkeypatch) -> None:
    settings = {"structure": structure, "dropout": 0.0, "edge_dropout": 0.0, "batch_norm": False}
    whole = fitted(monkeypatch, None, **settings)
    assert whole.built.stages.partitions == 1
    assert not notes_of(whole)
    parts = fitted(monkeypatch, 10**4, **settings)
    assert parts.built.stages.partitions > 1
    (note,) = notes_of(parts)
    assert "this machine has 0.00 GB free; gradients are those of all of them." in note
    for part in ("val", "test"):
        one, other = (trained.outputs(part).logits for trained in (whole, parts))
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(whole.fitted.best_epoch, parts.fitted.best_epoch)


@pytest.mark.slow
def test_less_room_makes_more_partitions(monkeypatch) -> None:
    counts = []
    for free in (10**9, 3 * 10**5, 10**5, 10**4):
        trained = fitted(monkeypatch, free, structure="s2n+a", epochs=1)
        counts.append(trained.built.stages.partitions)
    assert counts[0] == 1
    assert counts == sorted(counts)
    assert counts[-1] > 2


@pytest.mark.slow
def test_weights_that_exceed_the_memory_are_no_reason_for_partitions(monkeypatch) -> None:
    trained = fitted(monkeypatch, 10**6, structure="s2n+a", width=2000, epochs=1)
    assert trained.built.stages.partitions == 1
    assert not notes_of(trained)


@pytest.mark.slow
def test_attention_needs_a_vector_for_each_edge(monkeypatch) -> None:
    free = 300_000
    counts = [
        fitted(monkeypatch, free, structure="s2n+0", conv=conv, epochs=1).built.stages.partitions
        for conv in ("gcn", "gatv2")
    ]
    assert counts[0] < counts[1]


@pytest.mark.slow
def test_the_note_tells_what_batch_norm_reads(monkeypatch) -> None:
    for structure, is_said in (("s2n+a", True), ("s2n+0", False)):
        trained = fitted(monkeypatch, 0, structure=structure, epochs=1, batch_norm=True)
        assert ["batch norm among nodes" in note for note in notes_of(trained)] == [is_said]
