"""Copies of a placed subgraph are what a query of so many subgraphs gives."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from scoring_tasks import small_task, trained
from sub2node.base.errors import ConfigError
from sub2node.scoring import PlacedQuery, Query
from sub2node.scoring.restore import build_scorer


def same(one, other) -> None:
    """Equal to the last bit, and of the same kinds."""
    if one is None or other is None:
        assert one is other
    elif isinstance(one, torch.Tensor):
        assert one.dtype == other.dtype
        assert torch.equal(one, other)
    else:
        np.testing.assert_array_equal(one, other)


def same_pattern(one, other) -> None:
    for name in ("ptr", "index", "row", "back_ptr", "back_row", "back_order"):
        same(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize(
    ("structure", "settings"),
    [
        ("s2n+a", {}),
        ("s2n+0", {"readout": "mean", "features.subgraphs": "structure"}),
        ("s2n+a", {"readout": "degree"}),
        ("s2n+a", {"readout": "degree-code"}),
        ("separated", {}),
        ("connected", {}),
    ],
)
@pytest.mark.parametrize("weighted", [False, True])
def test_copies_are_the_subgraph_asked_about_several_times(structure, settings, weighted) -> None:
    task = small_task(weighted=weighted)
    scorer = build_scorer(trained(task, structure=structure, **settings), task)
    asked = Query.of(task.subgraphs.take(np.flatnonzero(task.split.mask("test"))[:1]))
    copies = scorer.place(asked).tile(4, neighbors=True)
    plain = PlacedQuery(asked.take([0, 0, 0, 0]), scorer.known_subgraphs)
    same_pattern(copies.stage.members.pattern, plain.stage.members.pattern)
    same(copies.stage.members.weights, plain.stage.members.weights)
    same(copies.stage.inputs, plain.stage.inputs)
    assert (copies.stage.positions is None) == (plain.stage.positions is None)
    if copies.stage.positions is not None:
        same_pattern(copies.stage.positions, plain.stage.positions)
        same_pattern(copies.stage.nodes.pattern, plain.stage.nodes.pattern)
        same(copies.stage.nodes.diagonal, plain.stage.nodes.diagonal)
        same(copies.stage.nodes.weights, plain.stage.nodes.weights)
    if copies.attachment is None:
        assert plain.attachment is None
        return
    assert len(copies.attachment.links.nodes)
    for name in ("ptr", "nodes", "weights", "own"):
        same(getattr(copies.attachment.links, name), getattr(plain.attachment.links, name))
    same(copies.attachment.among.toarray(), plain.attachment.among.toarray())
    same(copies.attachment.degrees, plain.attachment.degrees)
    if copies.attachment.changes is not None:
        same(copies.attachment.changes.toarray(), plain.attachment.changes.toarray())

    links = plain.attachment.links
    matrix = scorer.known_subgraphs.outer.neighbor_matrix(links, grad=True)
    same_pattern(copies.neighbors.pattern, matrix.pattern)
    same(copies.neighbors.weights, matrix.weights)


def test_a_placed_query_stays_where_it_is() -> None:
    task = small_task()
    scorer = build_scorer(trained(task), task)
    placed = scorer.place(scorer.ask([[3, 4]]))
    assert scorer.place(placed) is placed
    joint = scorer.place(placed, mode="joint")
    assert joint.joint
    assert joint.query is placed.query
    with pytest.raises(ConfigError, match="independent or joint"):
        scorer.place(placed, mode="both")
