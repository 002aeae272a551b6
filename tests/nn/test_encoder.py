"""Stacks of convolutions: what every layer reads, and the same from ring to ring."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from small_networks import built, config_of, ring_of, task_of


@pytest.mark.parametrize("hidden", [5, 6])
def test_every_layer_of_gcn2_reads_what_entered_the_first(hidden: int) -> None:
    network, stages = built(task_of(), config_of("connected", "gcn2", hidden=hidden, layers=3))
    encoder: Any = network.encoder
    graph, table = stages["train"].nodes, network.table()
    first = table if encoder.project is None else torch.relu(encoder.project(table))
    out = first
    for layer in encoder.layers:
        out = torch.relu(layer.conv(out, first, graph))
    result = encoder(table, graph)
    torch.testing.assert_close(result, (first, out))


@pytest.mark.parametrize("conv", ["gcn", "gcn2"])
def test_from_ring_to_ring_is_the_whole_for_the_first_nodes(conv: str) -> None:
    config = config_of("connected", conv, layers=2, hidden=6, batch_norm=True, skip=True)
    network, stages = built(task_of(), config)
    encoder: Any = network.eval().encoder
    graph, table = stages["train"].nodes, network.table()
    entered, out = encoder(table, graph)
    rings = [ring_of(graph, count) for count in (13, 4)]  # the last layer answers for four
    few_entered, few = encoder.inward(table, rings)
    torch.testing.assert_close(few, out[:, :4])
    torch.testing.assert_close(few_entered, entered[:, :4])


def test_edges_are_dropped_in_training_only() -> None:
    network, stages = built(task_of(), config_of("connected", layers=1, edge_dropout=0.5))
    encoder: Any = network.encoder
    graph, table = stages["train"].nodes, network.table()
    plain = encoder.eval()(table, graph)[1]
    assert torch.equal(encoder(table, graph)[1], plain)
    first, second = (encoder.train()(table, graph)[1] for _ in range(2))
    assert not torch.allclose(first, plain)
    assert not torch.allclose(first, second)
