"""Encodings by name: each kind with its own settings."""

from __future__ import annotations

from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from sub2node.base.errors import ConfigError
from sub2node.encode import (
    Encoding,
    LinkSettings,
    encode,
    laplacian,
    link_prediction,
    random_walk,
    svd,
)
from sub2node.task import Graph

GRAPH = Graph.from_edges([0, 1, 2, 3, 4], [1, 2, 3, 4, 0], weights=[1, 2, 3, 4, 5], num_nodes=6)

LARGER = Graph.from_edges(*np.array(nx.gnm_random_graph(40, 80, seed=0).edges).T, num_nodes=40)


@pytest.fixture(autouse=True)
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2N_CACHE", str(tmp_path / "cache"))


def kept(encoding: Encoding) -> bool:
    return bool(encoding.facts.get("cached", False))


@pytest.mark.parametrize(
    ("kind", "function", "settings"),
    [
        ("rwpe", random_walk, {"route": "products"}),
        ("lappe", laplacian, {"tolerance": 1e-4}),
        ("svd", svd, {"seed": 3}),
    ],
)
def test_a_name_stands_for_its_function(kind, function, settings) -> None:
    by_name = encode(LARGER, kind, width=4, **settings)
    assert (by_name.name, by_name.width) == (kind, 4)
    assert np.array_equal(by_name.values, function(LARGER, 4, **settings).values)


def test_links_are_learned_by_their_settings() -> None:
    settings = LinkSettings(epochs=2, held_out=0.3)
    by_name = encode(LARGER, "link", width=4, epochs=2, held_out=0.3)
    direct = link_prediction(LARGER, 4, settings)
    assert by_name.values == pytest.approx(direct.values, abs=1e-4)  # sums on a GPU vary in order


def test_settings_and_nodes_each_have_their_own() -> None:
    encode(LARGER, "link", width=2, epochs=1, held_out=0.3)
    assert not kept(encode(LARGER, "link", width=2, epochs=1, held_out=0.4))
    some = encode(LARGER, "link", width=2, epochs=1, held_out=0.4, nodes=[0])
    assert kept(some)
    assert len(some.nodes) == 40  # always all nodes
    encode(GRAPH, "rwpe", width=2, nodes=[3, 1])
    assert kept(encode(GRAPH, "rwpe", width=2, nodes=[1, 3, 3]))
    assert not kept(encode(GRAPH, "rwpe", width=2, nodes=[1, 4]))


def test_an_unknown_kind_or_setting_is_one_sentence() -> None:
    with pytest.raises(ConfigError, match=r"no encoding 'rwp'\. Did you mean 'rwpe'"):
        encode(GRAPH, "rwp")  # type: ignore[arg-type]
    for kind, word in (
        ("rwpe", "tolerence"),
        ("lappe", "device_"),
        ("link", "epoch"),
        ("svd", "sed"),
    ):
        with pytest.raises(ConfigError, match=f"{kind} has no setting '{word}'"):
            encode(GRAPH, kind, width=2, **{word: 1})  # type: ignore[arg-type]
