"""Tables of node vectors in files: what is written is read, and nothing else is."""

from __future__ import annotations

import pickle
import random
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet
from safetensors.numpy import save_file

from strategies import graphs
from sub2node.base.errors import ConfigError, DataError, Sub2NodeError
from sub2node.encode import Encoding, encode
from sub2node.encode.encoding_files import (
    WRITTEN,
    check_output,
    load_encoding,
    save_encodings,
    save_subgraphs,
)
from sub2node.task import Graph, Names, Subgraphs, SubgraphTask

GRAPH = Graph.from_edges([0, 1, 2], [1, 2, 3])
NAMED = Graph.from_edges([0, 1, 2], [1, 2, 3], names=Names(["a", "b", "c", "d"]))
VALUES = np.array([[0.5, -1], [2, 3], [4, 5], [6, 7]], np.float32)


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(graph=graphs(), ending=st.sampled_from(WRITTEN), data=st.data())
def test_every_format_gives_back_what_was_saved(
    tmp_path: Path, graph: Graph, ending: str, data: st.DataObject
) -> None:
    size = graph.num_nodes
    nodes = np.array(sorted(data.draw(st.sets(st.integers(0, size - 1), min_size=1))))
    random_values = np.random.default_rng(size).standard_normal((len(nodes), 5))
    tables = [
        Encoding("rwpe", nodes, random_values[:, :2]),
        Encoding("lappe", nodes, random_values[:, 2:]),
        encode(graph, "structure", nodes=nodes),
    ]
    path = tmp_path / f"table{ending}"
    save_encodings(path, graph, tables)
    for table in tables:
        found = load_encoding(path, graph, table.name)
        assert found.name == table.name
        assert np.array_equal(found.nodes, nodes)
        assert np.array_equal(found.values, table.values)
    with pytest.raises(ConfigError, match=r"several tables \(.*rwpe.*\); name one, as .*:"):
        load_encoding(path, graph)
    with pytest.raises(ConfigError, match=r"no table 'rwp'\. Did you mean 'rwpe'"):
        load_encoding(path, graph, "rwp")
    save_encodings(path, graph, tables[:1])
    assert load_encoding(path, graph).name == "rwpe"
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []
    path.unlink()


@pytest.mark.parametrize("ending", WRITTEN)
def test_vectors_of_another_graph_are_refused(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"table{ending}"
    save_encodings(path, GRAPH, [Encoding("rwpe", np.arange(4), VALUES)])
    assert load_encoding(path, GRAPH).width == 2
    for other in (
        Graph.from_edges([0, 1, 2], [1, 2, 0], num_nodes=4),
        Graph.from_edges([0, 1, 2], [1, 2, 3], weights=[1, 1, 2]),
    ):
        with pytest.raises(DataError, match="made for another graph"):
            load_encoding(path, other)


def test_parquet_rows_in_another_order_are_aligned_by_name(tmp_path: Path) -> None:
    path = tmp_path / "mine.parquet"
    columns = {"x": VALUES[[2, 0, 3], 0], "y": VALUES[[2, 0, 3], 1]}
    parquet.write_table(pa.table({**columns, "node": ["c", "a", "d"], "note": ["", "", ""]}), path)
    found = load_encoding(path, NAMED)
    assert found.nodes.tolist() == [0, 2, 3]
    assert np.array_equal(found.values, VALUES[[0, 2, 3]])
    with pytest.raises(ConfigError, match="node 1 is not among them"):
        found.at(np.array([1]))
    with pytest.raises(DataError, match="are numbers, those here are not"):
        load_encoding(path, GRAPH)
    parquet.write_table(pa.table({"node": ["3", "0", "2"], **columns}), path)
    assert load_encoding(path, GRAPH).nodes.tolist() == [0, 2, 3]


def test_npz_rows_in_another_order_are_aligned_by_number(tmp_path: Path) -> None:
    np.savez(tmp_path / "mine.npz", nodes=[3, 1], vectors=VALUES[:2])
    found = load_encoding(tmp_path / "mine.npz", GRAPH)
    assert found.nodes.tolist() == [1, 3]
    assert np.array_equal(found.values, VALUES[[1, 0]])


def test_tables_without_nodes_have_a_row_for_each(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", VALUES)
    np.savez(tmp_path / "a.npz", x=VALUES.astype(np.float64))
    save_file({"x": VALUES}, tmp_path / "a.safetensors")
    torch.save(torch.from_numpy(VALUES), tmp_path / "a.pt")
    torch.save({"weight": torch.nn.Parameter(torch.from_numpy(VALUES))}, tmp_path / "a.pth")
    parquet.write_table(pa.table({"x": VALUES[:, 0], "y": VALUES[:, 1]}), tmp_path / "a.parquet")
    for ending in ("npy", "npz", "safetensors", "pt", "pth", "parquet"):
        path = tmp_path / f"a.{ending}"
        assert np.array_equal(load_encoding(path, GRAPH).values, VALUES)
        with pytest.raises(DataError, match=f"a.{ending}: 4 rows, but the graph has 5 nodes"):
            load_encoding(path, Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 4]))
    np.save(tmp_path / "ints.npy", np.arange(8).reshape(4, 2))
    assert load_encoding(tmp_path / "ints.npy", GRAPH).values[3].tolist() == [6, 7]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_none_are_refused(tmp_path: Path, bad: float) -> None:
    values = VALUES.copy()
    values[2, 1] = bad
    np.save(tmp_path / "a.npy", values)
    np.savez(tmp_path / "a.npz", nodes=[3, 1, 2, 0], x=values)
    torch.save(torch.from_numpy(values), tmp_path / "a.pt")
    parquet.write_table(pa.table({"x": values[:, 0], "y": values[:, 1]}), tmp_path / "a.parquet")
    for ending in ("npy", "npz", "pt", "parquet"):
        with pytest.raises(
            DataError, match=rf"a.{ending}: column 1 of .* is -?(nan|inf) at node 2"
        ):
            load_encoding(tmp_path / f"a.{ending}", GRAPH)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"node": ["a", "z"], "x": [1.0, 2]}, "node 'z' is not in the graph"),
        ({"node": ["a", "a"], "x": [1.0, 2]}, "node 'a' has two rows"),
        ({"node": ["a", "b"], "x": [1.0, None]}, "column 'x' is empty in row 2"),
        ({"node": ["a", "b"], "x": ["p", "q"]}, "no table of numbers"),
        ({"node": ["a", "b"]}, "no table of numbers"),
        ({"node": ["a", None], "x": [1.0, 2]}, "not in the graph"),
        ({"x": [1.0, 2]}, "2 rows, but the graph has 4 nodes"),
    ],
)
def test_bad_parquet_is_one_sentence(tmp_path: Path, table: Any, message: str) -> None:
    parquet.write_table(pa.table(table), tmp_path / "a.parquet")
    with pytest.raises(DataError, match=message):
        load_encoding(tmp_path / "a.parquet", NAMED)


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"nodes": [0, 0, 1, 2], "x": VALUES}, "node 0 has two rows"),
        ({"nodes": [0, 1, 2, 9], "x": VALUES}, "node 9 is not in the graph"),
        ({"nodes": [0, 1, 2], "x": VALUES}, "3 nodes for 4 rows"),
        ({"x": VALUES[:, 0]}, "'x' is no table of numbers"),
        ({"x": VALUES[None]}, "'x' is no table of numbers"),
        ({"x": VALUES + 1j}, "'x' is no table of numbers"),
        ({"x": np.array([["a"], ["b"], ["c"], ["d"]])}, "'x' is no table of numbers"),
        ({"x": np.array([[None]] * 4)}, "cannot be read"),
        ({"nodes": [0, 1, 2, 3]}, "no table of numbers in it"),
    ],
)
def test_bad_npz_is_one_sentence(tmp_path: Path, arrays: Any, message: str) -> None:
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(DataError, match=message):
        load_encoding(tmp_path / "a.npz", GRAPH)


class Trap:
    """Leaves a mark where it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> Any:
        return Path.touch, (self.mark,)


def test_objects_are_never_unpickled(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    np.save(tmp_path / "a.npy", np.array([[Trap(mark)]] * 4), allow_pickle=True)
    np.savez(tmp_path / "a.npz", x=np.array([[Trap(mark)]] * 4))
    torch.save({"x": Trap(mark)}, tmp_path / "a.pt")
    for ending in ("npy", "npz", "pt", "pth"):
        (tmp_path / f"raw.{ending}").write_bytes(pickle.dumps(Trap(mark), protocol=2))
    for path in tmp_path.glob("*.*"):
        with pytest.raises(DataError, match=r"cannot be read as .* without loading objects"):
            load_encoding(path, GRAPH)
    assert not mark.exists()


@pytest.mark.parametrize("content", [[1, 2], "text", {"x": torch.ones(4)}, {}, 3.0])
def test_torch_files_without_a_table_are_one_sentence(tmp_path: Path, content: Any) -> None:
    torch.save(content, tmp_path / "a.pt")
    with pytest.raises(DataError, match=r"expected a tensor|no table of numbers"):
        load_encoding(tmp_path / "a.pt", GRAPH)


def test_missing_files_and_other_endings(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        load_encoding(tmp_path / "none.npy", GRAPH)
    with pytest.raises(ConfigError, match=r"not '\.csv'"):
        load_encoding(tmp_path / "none.csv", GRAPH)
    (tmp_path / "folder.npy").mkdir()
    with pytest.raises(DataError, match="this is a folder"):
        load_encoding(tmp_path / "folder.npy", GRAPH)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # NumPy's open file
@pytest.mark.parametrize("ending", [".parquet", ".npz", ".safetensors", ".npy", ".pt"])
def test_files_that_are_cut_off_or_are_no_tables(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a{ending}"
    if ending == ".npy":
        np.save(path, VALUES)
    elif ending == ".pt":
        torch.save(torch.from_numpy(VALUES), path)
    else:
        save_encodings(path, GRAPH, [Encoding("x", np.arange(4), VALUES)])
    whole = path.read_bytes()
    contents = [whole[:-1], whole[: len(whole) // 2], whole[:9], b"", b"<html>"]
    if ending != ".pt":  # see test_odd_files_are_one_sentence
        contents += [b"a,b\n1,2\n", random.Random(0).randbytes(200)]
    for content in contents:
        path.write_bytes(content)
        with pytest.raises(DataError, match=f"cannot be read as {ending} without"):
            load_encoding(path, GRAPH)


@pytest.mark.parametrize(
    "what",
    ["npz as npy", "npy as npz", "damaged zip", "nodes in 2d", "header", "csv as pt"],
)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # NumPy's open file
def test_odd_files_are_one_sentence(tmp_path: Path, what: str) -> None:
    path = tmp_path / "a.npz"
    if what == "npz as npy":
        np.savez(path, x=VALUES)
        path = path.rename(tmp_path / "a.npy")
    elif what == "npy as npz":
        np.save(tmp_path / "a.npy", VALUES)
        (tmp_path / "a.npy").rename(path)
    elif what == "csv as pt":
        path = tmp_path / "a.pt"
        path.write_text("a,b\n1,2\n")
    elif what == "damaged zip":
        np.savez_compressed(path, x=np.random.default_rng(0).random((4, 50)))
        content = bytearray(path.read_bytes())
        content[60:160] = bytes(100)
        path.write_bytes(bytes(content))
    elif what == "header":
        path = tmp_path / "a.npy"
        np.save(path, VALUES)
        path.write_bytes(path.read_bytes().replace(b"}", b"(", 1))
    else:
        np.savez(path, nodes=np.ones((4, 2), int), x=VALUES)
    with pytest.raises(DataError) as caught:
        load_encoding(path, NAMED)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("ending", ["parquet", "npz"])
def test_fractions_are_no_nodes(tmp_path: Path, ending: str) -> None:
    path, nodes = tmp_path / f"a.{ending}", np.array([0, 1.7, 2, 3])
    if ending == "npz":
        np.savez(path, nodes=nodes, x=VALUES)
    else:
        parquet.write_table(pa.table({"node": nodes, "x": VALUES[:, 0]}), path)
    with pytest.raises(DataError, match="the nodes of the graph are numbers, those here are not"):
        load_encoding(path, GRAPH)


def test_a_node_below_0_is_the_one_that_is_named(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", nodes=[-1, 0, 1, 2], x=VALUES)
    with pytest.raises(DataError, match="node -1 is not in the graph"):
        load_encoding(tmp_path / "a.npz", GRAPH)


def test_numbers_beyond_float32_are_one_sentence(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", VALUES.astype(np.float64) * 1e300)
    with pytest.raises(DataError, match="column 0 of features is inf at node 0"):
        load_encoding(tmp_path / "a.npy", GRAPH)


def test_columns_of_a_table_of_ones_own_keep_their_order(tmp_path: Path) -> None:
    ones = np.ones(4)
    parquet.write_table(
        pa.table({"a_1": ones, "b_1": 2 * ones, "a_2": 3 * ones}), tmp_path / "a.parquet"
    )
    assert load_encoding(tmp_path / "a.parquet", GRAPH).values[0].tolist() == [1, 2, 3]


def test_names_with_underscores_come_back(tmp_path: Path) -> None:
    tables = [Encoding(name, np.arange(4), VALUES) for name in ("my_first", "my_second")]
    save_encodings(tmp_path / "a.parquet", GRAPH, tables)
    assert load_encoding(tmp_path / "a.parquet", GRAPH, "my_first").width == 2


@pytest.mark.parametrize("names", [(), ("a", "a"), ("nodes",), ("file",)], ids=str)
def test_tables_that_cannot_be_saved_are_refused(tmp_path: Path, names: tuple[str, ...]) -> None:
    tables = [Encoding(name, np.arange(4), VALUES + i) for i, name in enumerate(names)]
    message = "tables need names of their own, found" if names else "there is nothing to write"
    with pytest.raises(Sub2NodeError, match=message):
        save_encodings(tmp_path / "a.npz", GRAPH, tables)
    assert not (tmp_path / "a.npz").exists()


@pytest.mark.parametrize("ending", WRITTEN)
@pytest.mark.parametrize("failure", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_an_interrupted_write_leaves_what_was_there(
    tmp_path: Path, ending: str, failure: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*words: Any, **_: Any) -> None:
        place = next(word for word in words if isinstance(word, Path))
        place.write_bytes(b"half")
        raise failure

    path = tmp_path / f"a{ending}"
    save_encodings(path, GRAPH, [Encoding("x", np.arange(4), VALUES)])
    before = path.read_bytes()
    for name in ("numpy.savez", "safetensors.numpy.save_file", "pyarrow.parquet.write_table"):
        monkeypatch.setattr(name, stop)
    expected = KeyboardInterrupt if failure is KeyboardInterrupt else Sub2NodeError
    for place in (path, tmp_path / f"new{ending}"):
        with pytest.raises(expected):
            save_encodings(place, GRAPH, [Encoding("x", np.arange(4), VALUES)])
    assert [p.name for p in tmp_path.iterdir()] == [path.name]
    assert path.read_bytes() == before


def test_tables_of_different_nodes_are_refused(tmp_path: Path) -> None:
    tables = [Encoding("a", np.arange(4), VALUES), Encoding("b", np.arange(3), VALUES[:3])]
    with pytest.raises(ConfigError, match="b has other nodes than a"):
        save_encodings(tmp_path / "a.npz", GRAPH, tables)
    assert list(tmp_path.iterdir()) == []


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "old.npz").write_text("old")
    (tmp_path / "folder.npz").mkdir()
    for path, message in (
        (tmp_path / "a.csv", "not '.csv'"),
        (tmp_path / "old.npz", "exists already"),
        (tmp_path / "folder.npz", "is a folder"),
        (tmp_path / "file" / "a.npz", "no folder to write into"),
    ):
        with pytest.raises(ConfigError, match=message):
            check_output(path, overwrite=False)
    check_output(tmp_path / "old.npz")
    save_encodings(tmp_path / "x" / "y.npz", GRAPH, [Encoding("x", np.arange(4), VALUES)])
    assert load_encoding(tmp_path / "x" / "y.npz", GRAPH).width == 2


@pytest.mark.parametrize("ending", WRITTEN)
def test_tables_of_subgraphs(tmp_path: Path, ending: str) -> None:
    sets = Subgraphs.from_lists([[0, 1], [2]], names=Names(["p", "q"]))
    path = tmp_path / f"a{ending}"
    task = SubgraphTask(GRAPH, sets)
    save_subgraphs(path, task, name="structure", columns=["u", "v"], values=VALUES[:2])
    if ending == ".parquet":
        found = parquet.read_table(path).to_pydict()
        assert found == {"subgraph": ["p", "q"], "u": [0.5, 2], "v": [-1, 3]}
    elif ending == ".npz":
        assert np.array_equal(np.load(path)["structure"], VALUES[:2])
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_numbers_in_a_node_column_are_names_where_the_graph_has_names(tmp_path: Path) -> None:
    graph = Graph.from_edges([0, 1], [1, 2], names=["7157", "672", "0"])
    parquet.write_table(
        pa.table({"node": [0, 7157, 672], "x": [3.0, 1.0, 2.0]}), tmp_path / "a.parquet"
    )
    assert load_encoding(tmp_path / "a.parquet", graph).values[:, 0].tolist() == [1, 2, 3]


def test_odd_but_clear_files_are_read(tmp_path: Path) -> None:
    torch.save(torch.eye(4).to_sparse(), tmp_path / "a.pt")
    assert np.array_equal(load_encoding(tmp_path / "a.pt", GRAPH).values, np.eye(4))
    np.savez(tmp_path / "a.npz", nodes=np.array(list("dcba")), x=VALUES)
    assert np.array_equal(load_encoding(tmp_path / "a.npz", NAMED).values, VALUES[::-1])


@pytest.mark.slow
@pytest.mark.parametrize("ending", [".parquet", ".npz", ".safetensors"])
def test_flips_are_refused_or_change_nothing(ending: str, tmp_path: Path) -> None:
    graph = Graph.from_edges(np.arange(39), np.arange(1, 40))
    values = np.random.default_rng(1).normal(size=(30, 3)).astype(np.float32)
    encoding = Encoding("x", np.arange(30), values)
    path = tmp_path / f"x{ending}"
    save_encodings(path, graph, [encoding])
    expected, content = load_encoding(path, graph), path.read_bytes()
    refused = 0
    for place in range(0, len(content), 7):
        damaged = bytearray(content)
        damaged[place] ^= 1 << place % 8
        path.write_bytes(bytes(damaged))
        try:
            loaded = load_encoding(path, graph)
        except Sub2NodeError:
            refused += 1
            continue
        assert np.array_equal(loaded.values, expected.values)
        assert np.array_equal(loaded.nodes, expected.nodes)
    assert refused > 50
