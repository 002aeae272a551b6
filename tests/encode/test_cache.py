"""What is kept, when it is served, and what happens to a damaged file."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors import safe_open
from safetensors.numpy import save_file
from safetensors.torch import save_file as save_tensors

from sub2node.base.errors import ConfigError
from sub2node.encode import Encoding, encode
from sub2node.encode.cache import cached, edges_hash
from sub2node.task import Graph, Names

GRAPH = Graph.from_edges([0, 1, 2, 3, 4], [1, 2, 3, 4, 0], weights=[1, 2, 3, 4, 5], num_nodes=6)

LARGER = Graph.from_edges(*np.array(nx.gnm_random_graph(40, 80, seed=0).edges).T, num_nodes=40)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("S2N_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "encodings"


def kept(found: Encoding) -> bool:
    return bool(found.facts.get("cached", False))


def only(folder: Path) -> Path:
    (file,) = folder.iterdir()
    return file


@pytest.mark.parametrize("kind", ["rwpe", "lappe", "structure", "link", "svd"])
def test_the_same_is_made_once(kind: Any, folder: Path) -> None:
    options = {"epochs": 2, "held_out": 0.3} if kind == "link" else {}
    first, second = (encode(LARGER, kind, width=3, **options) for _ in range(2))
    assert (kept(first), kept(second)) == (False, True)
    assert np.array_equal(first.values, second.values)
    assert np.array_equal(first.nodes, second.nodes)
    assert {**second.facts, "cached": True} == {
        **json.loads(json.dumps(first.facts)),
        "cached": True,
    }
    assert len(list(folder.iterdir())) == 1


def test_names_titles_and_features_do_not_matter() -> None:
    encode(GRAPH, "rwpe", width=3)
    names = Names(list("abcdef"))
    for other in (
        replace(GRAPH, names=names),
        replace(GRAPH, titles=names),
        replace(GRAPH, features=np.ones((6, 2))),
        Graph.from_edges([4, 3, 2, 1, 0], [0, 4, 3, 2, 1], weights=[5, 4, 3, 2, 1], num_nodes=6),
    ):
        assert kept(encode(other, "rwpe", width=3))


SOURCE, TARGET, WEIGHTS = [0, 1, 2, 3, 4], [1, 2, 3, 4, 0], [1, 2, 3, 4, 5]
CHANGES: dict[str, Any] = {
    "weight": {"graph": Graph.from_edges(SOURCE, TARGET, weights=[1, 2, 3, 4, 5.001], num_nodes=6)},
    "no weights": {"graph": Graph.from_edges(SOURCE, TARGET, num_nodes=6)},
    "edge": {"graph": Graph.from_edges(SOURCE, [1, 2, 3, 4, 1], weights=WEIGHTS, num_nodes=6)},
    "loop": {"graph": Graph.from_edges([*SOURCE, 5], [*TARGET, 5], weights=[*WEIGHTS, 1])},
    "isolated node": {"graph": Graph.from_edges(SOURCE, TARGET, weights=WEIGHTS, num_nodes=7)},
    "width": {"width": 4},
    "kind": {"kind": "lappe"},
    "setting": {"tolerance": 0.1},
    "nodes": {"nodes": [0, 1]},
    "fresh": {"fresh": True},
}


@pytest.mark.parametrize("what", list(CHANGES))
def test_anything_else_is_made_anew(what: str) -> None:
    encode(GRAPH, "rwpe", width=3)
    found = encode(**{"graph": GRAPH, "kind": "rwpe", "width": 3, **CHANGES[what]})
    assert not kept(found)
    assert "notes" not in found.facts


def flip(path: Path, place: int) -> None:
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(bytes(content))


def rewrite(path: Path, *, bare: bool = False, **changes: Any) -> None:
    """The file with other arrays or metadata, sound as a file."""
    with safe_open(path, framework="numpy") as file:
        about = {} if bare else dict(file.metadata())
        arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    for name, value in changes.items():
        (about if isinstance(value, str) else arrays)[name] = value
    save_file(arrays, path, about)


DAMAGE: dict[str, Callable[[Path], Any]] = {
    "a flipped bit": lambda path: flip(path, -1),
    "a flipped bit of a node": lambda path: flip(path, -100),
    "a damaged header": lambda path: flip(path, 0),
    "the end missing": lambda path: path.write_bytes(path.read_bytes()[:-9]),
    "most of it missing": lambda path: path.write_bytes(path.read_bytes()[:40]),
    "nothing in it": lambda path: path.write_bytes(b""),
    "text": lambda path: path.write_text("not mine"),
    "other tensors": lambda path: save_file({"weight": np.ones(3)}, path),
    "no metadata": lambda path: rewrite(path, bare=True),
    "other values": lambda path: rewrite(path, values=np.ones((6, 3), np.float32)),
    "other nodes": lambda path: rewrite(path, nodes=np.arange(1, 7)),
    "facts that are no JSON": lambda path: rewrite(path, facts="{"),
    "another key": lambda path: rewrite(path, key="0" * 64),
}  # fmt: skip


@pytest.mark.parametrize("what", list(DAMAGE))
def test_a_damaged_file_is_made_anew_and_said(what: str, folder: Path) -> None:
    first = encode(GRAPH, "rwpe", width=3)
    DAMAGE[what](only(folder))
    again = encode(GRAPH, "rwpe", width=3)
    assert not kept(again)
    assert np.array_equal(again.values, first.values)
    (note,) = again.facts["notes"]
    assert "it was made anew" in note
    assert str(only(folder)) in note
    third = encode(GRAPH, "rwpe", width=3)
    assert kept(third)
    assert "notes" not in third.facts


def test_swapped_files_are_noticed(folder: Path) -> None:
    one = encode(GRAPH, "rwpe", width=3)
    place = only(folder)
    other = Graph.from_edges([0, 1, 2, 3, 4], [1, 2, 3, 4, 0], num_nodes=6)
    encode(other, "rwpe", width=3)
    (file,) = set(folder.iterdir()) - {place}
    place.write_bytes(file.read_bytes())
    again = encode(GRAPH, "rwpe", width=3)
    assert np.array_equal(again.values, one.values)
    assert "is of other data" in again.facts["notes"][0]


@pytest.mark.slow
@settings(
    max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture], database=None
)
@given(place=st.integers(0, 10_000), bit=st.integers(0, 7))
def test_no_flipped_bit_changes_the_values(folder: Path, place: int, bit: int) -> None:
    first = encode(GRAPH, "lappe", width=3)
    content = bytearray(only(folder).read_bytes())
    content[place % len(content)] ^= 1 << bit
    only(folder).write_bytes(bytes(content))
    again = encode(GRAPH, "lappe", width=3)
    assert np.array_equal(again.values, first.values)
    assert np.array_equal(again.nodes, first.nodes)
    encode(GRAPH, "lappe", width=3, fresh=True)


@pytest.mark.parametrize("field", ["facts", "name"])
def test_facts_are_checked_too(field: str, folder: Path) -> None:
    encode(GRAPH, "lappe", width=3)
    forged = {"facts": '{"residual": 0.5}', "name": "rwpe"}[field]
    rewrite(only(folder), **{field: forged})
    assert not kept(encode(GRAPH, "lappe", width=3))


@pytest.mark.parametrize("what", ["bfloat16", "list"])
def test_foreign_files_of_odd_types_are_made_anew(what: str, folder: Path) -> None:
    encode(GRAPH, "rwpe", width=3)
    if what == "list":
        rewrite(only(folder), facts="[1]")
    else:
        tensors = {name: torch.ones(2, dtype=torch.bfloat16) for name in ("nodes", "values")}
        save_tensors(tensors, only(folder))
    assert not kept(encode(GRAPH, "rwpe", width=3))


def test_a_folder_that_cannot_be_written_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("S2N_CACHE", str(tmp_path / "file" / "cache"))
    for _ in range(2):
        found = encode(GRAPH, "rwpe", width=3)
        assert not kept(found)
        assert "could not be kept" in found.facts["notes"][0]
    assert (tmp_path / "file").read_text() == ""


def test_a_folder_in_the_place_of_the_file_is_no_error(folder: Path) -> None:
    encode(GRAPH, "rwpe", width=3)
    file = only(folder)
    file.unlink()
    file.mkdir()
    found = encode(GRAPH, "rwpe", width=3)
    assert not kept(found)
    assert found.facts["notes"]
    assert [path.name for path in folder.iterdir()] == [file.name]  # nothing half-written is left


def test_an_interrupted_write_leaves_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("safetensors.numpy.save", stop)
    with pytest.raises(KeyboardInterrupt):
        encode(GRAPH, "rwpe", width=3)
    assert list(folder.iterdir()) == []
    monkeypatch.undo()


def test_what_fails_is_not_kept(folder: Path) -> None:
    with pytest.raises(ConfigError, match="LapPE has at most 4 columns; 300 were asked for"):
        encode(GRAPH, "lappe", width=300)
    assert list(folder.glob("*")) == []


def test_a_stale_table_is_never_served() -> None:
    made: list[int] = []

    def make() -> Encoding:
        made.append(len(made))
        return Encoding("x", np.arange(6), np.full((6, 1), len(made)))

    one = cached(GRAPH, "x", settings={"a": 1}, nodes=None, make=make)
    assert (
        cached(GRAPH, "x", settings={"a": 1}, nodes=None, make=make).values[0, 0]
        == one.values[0, 0]
        == 1
    )
    for name, options, nodes in (
        ("y", {"a": 1}, None), ("x", {"a": "1"}, None), ("x", {"a": 1, "b": None}, None),
        ("x", {}, None), ("x", {"a": 1}, np.arange(6)), ("x", {"a": True}, None),
    ):  # fmt: skip
        assert (
            cached(GRAPH, name, settings=options, nodes=nodes, make=make).values[0, 0]
            == len(made)
            > 1
        )
    assert (
        cached(GRAPH, "x", settings={"a": 1}, nodes=None, make=make, fresh=True).values[0, 0]
        == len(made)
        == 8
    )
    assert cached(GRAPH, "x", settings={"a": 1}, nodes=None, make=make).values[0, 0] == 8


def test_the_hash_of_edges_tells_loops_from_edges() -> None:
    graphs = [
        Graph.from_edges([0, 1], [1, 2]),
        Graph.from_edges([0, 1, 1], [1, 2, 1]),
        Graph.from_edges([0, 1, 2], [1, 2, 2]),
        Graph.from_edges([0, 1], [1, 2], num_nodes=4),
        Graph.from_edges([0, 1], [1, 2], weights=[1, 2]),
        Graph.from_edges([0, 1, 1], [1, 2, 1], weights=[1, 1, 2]),
        Graph.from_edges([0, 1, 1], [1, 2, 1], weights=[1, 1, 3]),
    ]
    assert len({edges_hash(graph) for graph in graphs}) == len(graphs)
