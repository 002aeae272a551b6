"""Measures of subgraphs against NetworkX."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

from strategies import graphs, graphs_with_subgraphs, induced_subgraph
from sub2node.task import Graph, Subgraphs, core_numbers, measure


@given(graphs_with_subgraphs())
def test_measures_equal_networkx(case: tuple[Graph, Subgraphs]) -> None:
    graph, sets = case
    values = measure(graph, sets)
    low, high, _ = graph.edges()
    for i in range(len(sets)):
        members = sets.nodes[sets.ptr[i] : sets.ptr[i + 1]].tolist()
        own = induced_subgraph(graph, members)
        n, rest = len(members), graph.num_nodes - len(members)
        across = int((np.isin(low, members) != np.isin(high, members)).sum())
        assert values.density[i] == pytest.approx(nx.density(own) if n > 1 else 0)
        assert values.components[i] == (nx.number_connected_components(own) if n else 0)
        assert values.boundary[i] == across
        assert values.cut_ratio[i] == pytest.approx(across / (n * rest) if n * rest else 0)
        assert values.mean_core[i] == pytest.approx(
            np.mean(list(nx.core_number(own).values())) if n else 0
        )


@given(graphs())
def test_core_numbers_equal_networkx(graph: Graph) -> None:
    cores = nx.core_number(induced_subgraph(graph, list(range(graph.num_nodes))))
    values = core_numbers(graph.indptr, graph.indices)
    assert values.tolist() == [cores[node] for node in range(graph.num_nodes)]


@given(graphs_with_subgraphs())
def test_moments_of_degrees(case: tuple[Graph, Subgraphs]) -> None:
    graph, sets = case
    values = measure(graph, sets)
    for i in range(len(sets)):
        members = sets.nodes[sets.ptr[i] : sets.ptr[i + 1]].tolist()
        inner = list(dict(induced_subgraph(graph, members).degree).values())
        for moments, degrees in (
            (values.degree_moments, graph.degrees[members]),
            (values.inner_degree_moments, inner),
        ):
            expected = (np.mean(degrees), np.std(degrees)) if members else (0, 0)
            assert (moments[0][i], moments[1][i]) == pytest.approx(expected)
