"""Reasons, neighbours and meanings of names as tables."""

from __future__ import annotations

import pytest

from scoring_tasks import QUERY
from sub2node.scoring.answer_details import (
    MAPPING,
    NEIGHBORS,
    WHY,
    mapping_table,
    neighbor_objects,
    neighbor_table,
    why_table,
)
from sub2node.scoring.name_mapping import MappedName


def test_reasons_add_up(fitted) -> None:
    explanations = fitted.explain(QUERY)
    table = why_table(explanations)
    assert table.schema == WHY
    rows = table.to_pylist()
    for why in explanations:
        own = [row for row in rows if row["subgraph_id"] == why.name]
        assert sum(row["contribution"] for row in own) == pytest.approx(why.probability)
        assert {row["label"] for row in own} == {why.label}
        values = {row["item"]: row["contribution"] for row in own if row["kind"] == "member"}
        assert values == pytest.approx({part.id: part.value for part in why.members})
    assert why_table([]).schema == WHY


def test_neighbours_by_rank(fitted) -> None:
    scorer = fitted.scorer_
    query = scorer.ask(QUERY, names=["a", "b"])
    found = scorer.neighbors(query, count=3)
    table = neighbor_table(query.names, found)
    assert table.schema == NEIGHBORS
    rows = table.to_pylist()
    assert [(row["subgraph_id"], row["rank"]) for row in rows] == [
        (name, rank) for name in "ab" for rank in (1, 2, 3)
    ]
    near = found[1][0]
    assert (rows[3]["neighbor"], rows[3]["labels"]) == (near.name, list(near.labels))
    assert rows[3]["similarity"] == near.similarity
    assert neighbor_objects(found[1])[0] == {
        "id": near.name, "title": near.title, "labels": list(near.labels),
        "similarity": near.similarity, "shared": list(near.shared), "size": near.size,
    }  # fmt: skip
    assert neighbor_table([], []).schema == NEIGHBORS


def test_meanings() -> None:
    table = mapping_table([MappedName("x", "n1", "One", "alias"),
                           MappedName("y", "", "", "ambiguous", ("n1", "n2"))])  # fmt: skip
    assert table.schema == MAPPING
    assert table.column_names == ["given", "node_id", "title", "how", "candidates"]
    assert table["candidates"].to_pylist() == [[], ["n1", "n2"]]
