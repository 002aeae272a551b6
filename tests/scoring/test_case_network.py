"""A subgraph with the nodes around it, against loops over the graph."""

from __future__ import annotations

import numpy as np
import pytest

from scoring_tasks import small_task, with_excluded
from sub2node import SubgraphClassifier
from sub2node.scoring import Query
from sub2node.scoring.case_network import case_network


@pytest.mark.parametrize("most", [3, 1000])
def test_against_loops(fitted, most: int) -> None:
    scorer = fitted.scorer_
    query = scorer.ask([["g1", "g2", "g3", "g49"]])  # the last one has no edge
    (why,) = scorer.explain(query)
    network, omitted = case_network(scorer, query, why, most=most)
    dense = scorer.graph.adjacency().toarray()
    members = [1, 2, 3, 49]
    links = {
        node: int((dense[members, node] > 0).sum()) for node in range(50) if node not in members
    }
    around = sorted((node for node in links if links[node]), key=lambda n: (-links[n], n))
    chosen = members + sorted(around[:most])
    assert omitted == max(len(around) - most, 0)
    assert network.nodes["id"] == [f"g{node}" for node in chosen]
    assert network.nodes["name"] == [f"Gene № {node % 7}" for node in chosen]
    assert network.nodes["member"] == [node in members for node in chosen]
    values = {part.id: part.value for part in why.members}
    assert network.nodes["contribution"] == [values.get(f"g{node}", 0.0) for node in chosen]
    assert network.nodes["links to members"][4:] == [links[node] for node in chosen[4:]]
    edges = {
        (i, j, float(dense[a, b]))
        for i, a in enumerate(chosen)
        for j, b in enumerate(chosen)
        if i < j and dense[a, b]
    }
    weights = network.edges["weight"]
    ends = zip(network.source.tolist(), network.target.tolist(), weights, strict=True)
    assert set(ends) == edges
    assert len(weights) == len(edges)
    assert np.isfinite(network.nodes["contribution"]).all()
    assert why.label in network.name


def test_excluded_nodes_are_marked_and_keep_what_they_contribute() -> None:
    task = with_excluded(small_task())
    scorer = SubgraphClassifier(model="bag", seeds=1).fit(task).scorer_
    query = Query.of(task.subgraphs.take([int(task.excluded.sizes.argmax())]))
    (why,) = scorer.explain(query)
    network, _ = case_network(scorer, query, why)
    absent = set(map(str, query.subgraphs.excluded.nodes))
    assert absent == {
        id
        for id, excluded in zip(network.nodes["id"], network.nodes["excluded"], strict=True)
        if excluded
    }
    assert sum(network.nodes["member"]) == len(query.subgraphs.nodes)
    assert len(set(network.nodes["id"])) == network.num_nodes
    given = dict(zip(network.nodes["id"], network.nodes["contribution"], strict=True))
    assert {part.id: part.value for part in why.members}.items() <= given.items()
    assert any(given[id] for id in absent)
    total = why.baseline + sum(given.values())
    assert total == pytest.approx(why.probability, abs=1e-6)
