"""Models that somebody made up: every checksum fits, and still nothing is believed."""

from __future__ import annotations

import io
import os
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import torch
from safetensors.numpy import load as load_arrays
from safetensors.numpy import save as save_arrays

from commands import refused as refused_by_command
from commands import s2n as command
from scoring_tasks import FILES, QUERY, copied, model, signed, small_task
from sub2node import SubgraphClassifier
from sub2node.base.errors import DataError, NotFiniteError
from sub2node.nn.streams import Init
from sub2node.scoring import load_scorer
from traced_memory import peak_of


def refused(folder: Path, asked=QUERY) -> str:
    """The sentence that a model is refused with, when it is read."""
    with pytest.raises(DataError) as caught:
        SubgraphClassifier.load(folder).predict(asked)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(str(folder))
    return str(caught.value)


def put(*path, value):
    def change(facts):
        for key in path[:-1]:
            facts = facts[key]
        facts[path[-1]] = value

    return change


def drop(*path):
    def change(facts):
        for key in path[:-1]:
            facts = facts[key]
        del facts[path[-1]]

    return change


CARDS = {
    "a seed too many": put("seeds", value=[10, 11, 12]),
    "a seed too few": put("seeds", value=[10]),
    "no seeds": put("seeds", value=[]),
    "negative seeds": put("seeds", value=[-1, -2]),
    "words as seeds": put("seeds", value=["x", "y"]),
    "a number as seeds": put("seeds", value=2),
    "fractions as seeds": put("seeds", value=[1.5, 2.5]),
    "no seeds at all": drop("seeds"),
    "a class too few": put("classes", value=["a", "b"]),
    "a class too many": put("classes", value=["a", "b", "c", "d"]),
    "a class twice": put("classes", value=["a", "a", "b"]),
    "classes missing": drop("classes"),
    "classes null": put("classes", value=None),
    "config missing": drop("config"),
    "structure": put("config", "structure", value="x"),
    "structure list": put("config", "structure", value=[]),
    "other structure": put("config", "structure", value="s2n+0"),
    "other convolution": put("config", "conv", value="gatv2"),
    "conv null": put("config", "conv", value=None),
    "code as T_e": put("config", "translation", "te", value="os:getcwd"),
    "wider": put("config", "model", "hidden", value=16),
    "negative width": put("config", "model", "hidden", value=-8),
    "deeper": put("config", "model", "layers", value=3),
    "an unknown setting": put("config", "model", "x", value=1),
    "a setting of another kind": put("config", "training", "lr", value="x"),
    "an unknown section": put("config", "x", value={"y": 1}),
    "graph missing": drop("graph"),
    "graph null": put("graph", value=None),
    "graph hash": put("graph", "hash", value="0" * 64),
    "graph hash missing": drop("graph", "hash"),
    "fewer nodes": put("graph", "nodes", value=49),
    "more nodes": put("graph", "nodes", value=51),
    "negative nodes": put("graph", "nodes", value=-1),
    "nodes null": put("graph", "nodes", value=None),
    "nodes text": put("graph", "nodes", value="x"),
    "reference": put("graph", "reference", value="/nowhere/at/all"),
    "reference list": put("graph", "reference", value=["x"]),
    "card missing": drop("card"),
    "statistics that are not there": put("config", "features", "subgraphs", value="structure"),
    "edges not listed": drop("files", "edges.parquet"),
    "nodes not listed": drop("files", "nodes.parquet"),
    "weights not listed": drop("files", "weights.safetensors"),
}
LOOSE = {
    "more nodes than fit": put("graph", "nodes", value=10**13),
    "no classes": put("classes", value=[]),
    "files missing": drop("files"),
    "files null": put("files", value=None),
    "files list": put("files", value=[]),
    "config null": put("config", value=None),
    "config list": put("config", value=[1]),
    "nodes beyond 64 bits": put("graph", "nodes", value=10**30),
    "temperature null": put("temperature", value=None),
    "temperature text": put("temperature", value="x"),
    "temperature list": put("temperature", value=[1.0]),
    "temperature zero": put("temperature", value=0),
    "temperature negative": put("temperature", value=-1.0),
    "temperature true": put("temperature", value=True),
    "temperature huge": put("temperature", value=10**30),
    "kind of labels": put("multilabel", value=True),
    "kind of labels null": put("multilabel", value=None),
    "card null": put("card", value=None),
    "card list": put("card", value=[]),
    "card empty": put("card", value={}),
    "scores missing": drop("card", "validation"),
    "notes missing": drop("card", "notes"),
    "notes null": put("card", "notes", value=None),
    "notes number": put("card", "notes", value=3),
    "labels short": put("card", "labels", value=["a"]),
    "labels null": put("card", "labels", value=None),
    "labels nested": put("card", "labels", value=[["a"], ["b"], []]),
    "parameters list": put("card", "estimator", value=[1]),
    "mode": put("card", "estimator", "mode", value="x"),
    "unknown nodes": put("card", "estimator", "unknown_nodes", value="x"),
}


@pytest.mark.parametrize("name", CARDS)
def test_a_crafted_card_is_refused(name, saved, tmp_path) -> None:
    crafted = copied(saved, tmp_path / "model")
    signed(crafted, CARDS[name])
    refused(crafted)


@pytest.mark.parametrize("name", LOOSE)
def test_a_card_with_values_of_other_kinds_is_refused(name, saved, tmp_path) -> None:
    crafted = copied(saved, tmp_path / "model")
    signed(crafted, LOOSE[name])
    refused(crafted)


@pytest.mark.parametrize("value", ["x", None, -0.5, 1.5, [0.5], True])
def test_a_threshold_that_is_no_probability_is_refused(value, several, tmp_path) -> None:
    crafted = copied(several, tmp_path / "model")
    signed(crafted, put("threshold", value=value))
    refused(crafted, [[1]])


def test_more_in_a_card_changes_nothing(saved, tmp_path, wanted) -> None:
    crafted = copied(saved, tmp_path / "model")

    def change(facts):
        facts["more"] = {"a": [1]}
        facts["files"]["../../escape"] = "0" * 64
        facts["card"]["more"] = None
        facts["card"]["estimator"]["more"] = "x"

    signed(crafted, change)
    assert np.array_equal(SubgraphClassifier.load(crafted).predict_proba(QUERY), wanted)


@pytest.mark.parametrize("setting", ["hidden", "layers", "inner_layers"])
def test_a_card_does_not_make_a_network_larger_than_its_file(
    setting, saved, tmp_path, monkeypatch
) -> None:
    crafted = copied(saved, tmp_path / "model")
    signed(crafted, put("config", "model", setting, value=10**6))
    asked = 0

    class TooLargeError(BaseException):
        pass

    def counted(self, *shape, bound):
        nonlocal asked
        asked += len(self) * int(np.prod(np.array(shape, float)))
        if asked > 100_000:  # the file has 3,000 bytes
            raise TooLargeError
        return drawn(self, *shape, bound=bound)

    drawn = Init.uniform
    monkeypatch.setattr(Init, "uniform", counted)
    refused(crafted)


def arrays_of(folder: Path, name: str) -> dict[str, np.ndarray]:
    return {
        key: np.array(value) for key, value in load_arrays((folder / name).read_bytes()).items()
    }


def _with(**new):
    return lambda arrays: {**arrays, **{key.replace("__", "."): v for key, v in new.items()}}


def _changed(key, change):
    return lambda arrays: {**arrays, key: change(arrays[key])}


def _without(key):
    return lambda arrays: {name: value for name, value in arrays.items() if name != key}


def _swap(values, here, there):
    values[[here, there]] = values[[there, here]]
    return values


def _at(values, place, value):
    values[place] = value
    return values


KNOWN = {
    "labels a number": _changed("labels", lambda p: np.int64(3)),
    "ptr a number": _changed("ptr", lambda p: np.int64(3)),
    "ptr falls": _changed("ptr", lambda p: _swap(p, 3, 8)),
    "ptr too short": _changed("ptr", lambda p: p[:-1]),
    "ptr from 1": _changed("ptr", lambda p: _at(p, 0, 1)),
    "ptr negative": _changed("ptr", lambda p: _at(p, 4, -5)),
    "ptr fractions": _changed("ptr", lambda p: p + 0.5),
    "ptr in two dimensions": _changed("ptr", lambda p: np.stack([p, p])),
    "ptr huge": _changed("ptr", lambda p: _at(p, -1, 2**62)),
    "ptr missing": _without("ptr"),
    "node out of range": _changed("nodes", lambda n: _at(n, -1, 5_000)),
    "node negative": _changed("nodes", lambda n: _at(n, 0, -1)),
    "nodes empty": _changed("nodes", lambda n: n[:0]),
    "nodes missing": _without("nodes"),
    "nodes out of order": _changed("nodes", lambda n: n[::-1].copy()),
    "label beyond classes": _changed("labels", lambda n: _at(n, 0, 3)),
    "label below classes": _changed("labels", lambda n: _at(n, 0, -1)),
    "labels too short": _changed("labels", lambda n: n[:-1]),
    "labels in three dimensions": _changed("labels", lambda n: n[:, None, None]),
    "labels missing": _without("labels"),
    "split too short": _changed("split", lambda n: n[:-1]),
    "split unknown": _changed("split", lambda n: _at(n, 0, 7)),
    "split missing": _without("split"),
    "loops beyond nodes": _changed("graph.loops", lambda n: _at(n, -1, 999)),
    "loops missing": _without("graph.loops"),
    "loop weight negative": _changed("graph.loop_weights", lambda n: -n),
    "features of other nodes": _with(graph__features=np.ones((7, 2), np.float32)),
    "features not finite": _with(graph__features=np.full((50, 2), np.nan, np.float32)),
    "weights too short": _with(weights=np.ones(3, np.float32)),
    "edges without pointers": _with(edges=np.zeros((1, 2), np.int64)),
}
KNOWN_LOOSE = {
    "labels of several kinds": _changed("labels", lambda n: np.eye(3, dtype=bool)[n]),
    "known ones of validation": _changed("split", lambda n: _at(n, -1, 2)),
    "left out": _changed("split", lambda n: _at(n, 0, -1)),
}


def craft_arrays(saved, tmp_path, file, change) -> Path:
    crafted = copied(saved, tmp_path / "model")
    arrays = change(arrays_of(crafted, file))
    content = save_arrays({key: np.ascontiguousarray(value) for key, value in arrays.items()})
    signed(crafted, lambda facts: None, **{file: content})
    return crafted


@pytest.mark.parametrize("name", KNOWN)
def test_crafted_arrays_of_known_subgraphs_are_refused(name, saved, tmp_path) -> None:
    refused(craft_arrays(saved, tmp_path, "known.safetensors", KNOWN[name]))


@pytest.mark.parametrize("name", KNOWN_LOOSE)
def test_arrays_that_contradict_the_card_are_refused(name, saved, tmp_path) -> None:
    refused(craft_arrays(saved, tmp_path, "known.safetensors", KNOWN_LOOSE[name]))


WEIGHTS = {
    "head of other classes": _changed("network.head.weight", lambda w: w[..., :2]),
    "head of other seeds": _changed("network.head.weight", lambda w: w[:1]),
    "head missing": _without("network.head.weight"),
    "one too many": _with(network__x=np.ones(3, np.float32)),
    "table missing": _without("table"),
    "table narrower": _changed("table", lambda t: t[..., :5]),
}
WEIGHTS_LOOSE = {
    "table of other nodes": _changed("table", lambda t: t[:, :20]),
    "table of more nodes": _changed("table", lambda t: np.concatenate([t, t], axis=1)),
    "table of other seeds": _changed("table", lambda t: np.concatenate([t, t])),
    "table in one dimension": _changed("table", lambda t: t[0, 0]),
    "table of whole numbers": _changed("table", lambda t: t.astype(np.int64)),
    "table of doubles": _changed("table", lambda t: t.astype(np.float64)),
    "table not finite": _changed("table", lambda t: t * np.nan),
    "head not finite": _changed("network.head.weight", lambda t: t * np.inf),
}


@pytest.mark.parametrize("name", WEIGHTS)
def test_crafted_weights_are_refused(name, saved, tmp_path) -> None:
    refused(craft_arrays(saved, tmp_path, "weights.safetensors", WEIGHTS[name]))


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
@pytest.mark.parametrize("name", WEIGHTS_LOOSE)
def test_weights_that_cannot_answer_are_refused(name, saved, tmp_path) -> None:
    refused(craft_arrays(saved, tmp_path, "weights.safetensors", WEIGHTS_LOOSE[name]))


SCALE = {
    "mean missing": _without("scale.mean"),
    "sd missing": _without("scale.sd"),
}
SCALE_LOOSE = {
    "mean too short": _changed("scale.mean", lambda v: v[:-1]),
    "sd in two dimensions": _changed("scale.sd", lambda v: np.stack([v, v])),
    "steps missing": _without("scale.edges.0003"),
    "heights missing": _without("scale.heights"),
    "sd zero": _changed("scale.sd", lambda v: v * 0),
    "mean not finite": _changed("scale.mean", lambda v: v * np.nan),
}


@pytest.mark.parametrize("name", SCALE)
def test_crafted_scales_are_refused(name, several, tmp_path) -> None:
    refused(craft_arrays(several, tmp_path, "known.safetensors", SCALE[name]), [[1]])


@pytest.mark.filterwarnings("ignore:(invalid value|divide by zero):RuntimeWarning")
@pytest.mark.parametrize("name", SCALE_LOOSE)
def test_scales_that_fit_no_statistics_are_refused(name, several, tmp_path) -> None:
    refused(craft_arrays(several, tmp_path, "known.safetensors", SCALE_LOOSE[name]), [[1]])


def _parquet(columns) -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue()


def _columns(change):
    def made(table):
        columns = {name: table.column(name).to_pylist() for name in table.column_names}
        return _parquet(change(columns))

    return made


TABLES = {
    "no column": ("edges.parquet", _columns(lambda c: {"low": c["low"]})),
    "words": ("edges.parquet", _columns(lambda c: {**c, "low": ["x"] * len(c["low"])})),
    "negative": ("edges.parquet", _columns(lambda c: {**c, "low": [-1] * len(c["low"])})),
    "outside": ("edges.parquet", _columns(lambda c: {**c, "high": [77] * len(c["low"])})),
    "twice": ("edges.parquet", _columns(lambda c: {k: v + v for k, v in c.items()})),
    "loops": ("edges.parquet", _columns(lambda c: {**c, "high": c["low"]})),
    "without weights": ("edges.parquet", _columns(lambda c: {k: c[k] for k in ("low", "high")})),
    "weights below 0": (
        "edges.parquet", _columns(lambda c: {**c, "weight": [-1.0 for _ in c["low"]]})
    ),
    "a name too few": ("nodes.parquet", _columns(lambda c: {k: v[:-1] for k, v in c.items()})),
    "a name twice": ("nodes.parquet", _columns(lambda c: {**c, "name": ["x"] * len(c["name"])})),
    "a name missing": ("nodes.parquet", _columns(lambda c: {**c, "name": [None, *c["name"][1:]]})),
    "another name": ("nodes.parquet", _columns(lambda c: {**c, "name": ["x", *c["name"][1:]]})),
    "no names": ("nodes.parquet", _columns(lambda c: {"x": c["name"]})),
    "a set too few": ("subgraphs.parquet", _columns(lambda c: {k: v[1:] for k, v in c.items()})),
    "lines": ("subgraphs.parquet", _columns(lambda c: {**c, "name": ["a\nb", *c["name"][1:]]})),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_crafted_tables_are_refused(name, saved, tmp_path) -> None:
    file, change = TABLES[name]
    crafted = copied(saved, tmp_path / "model")
    content = change(pq.read_table(crafted / file))
    signed(crafted, lambda facts: None, **{file: content})
    refused(crafted)


def test_the_same_edges_in_another_order_are_the_same_graph(saved, tmp_path, wanted) -> None:
    crafted = copied(saved, tmp_path / "model")
    change = _columns(lambda c: {k: v[::-1] for k, v in c.items()})
    content = change(pq.read_table(crafted / "edges.parquet"))
    signed(crafted, lambda facts: None, **{"edges.parquet": content})
    assert np.array_equal(SubgraphClassifier.load(crafted).predict_proba(QUERY), wanted)


@pytest.mark.parametrize("name", FILES[1:])
def test_files_of_another_format_are_refused_though_their_checksum_fits(
    name, saved, tmp_path
) -> None:
    crafted = copied(saved, tmp_path / "model")
    for content in (b"", b"\x80\x04.", (saved / name).read_bytes()[:-30], b"PAR1" * 30):
        signed(crafted, lambda facts: None, **{name: content})
        refused(crafted)


@pytest.mark.slow
def test_random_damage_that_fits_its_checksum_is_refused_or_answers(saved, tmp_path) -> None:
    crafted = copied(saved, tmp_path / "model")
    for name in FILES[1:]:
        whole, rng = (saved / name).read_bytes(), np.random.default_rng(4)
        for _ in range(15):
            content = bytearray(whole)
            content[rng.integers(0, len(whole))] ^= 1 << int(rng.integers(0, 8))
            signed(crafted, lambda facts: None, **{name: bytes(content)})
            try:
                found = SubgraphClassifier.load(crafted).predict_proba(QUERY)
            except DataError as error:
                assert "\n" not in str(error)  # noqa: PT017
            else:
                assert found.shape == (2, 3)
        copied(saved, crafted)


@pytest.mark.parametrize("name", FILES)
def test_pipes_and_devices_are_no_models(name: str, saved: Path, tmp_path: Path) -> None:
    crafted = copied(saved, tmp_path / "model")
    (crafted / name).unlink()
    os.mkfifo(crafted / name)
    refused_by_command(command("predict", crafted, "--nodes", "g1"), "this is a named pipe")
    (crafted / name).unlink()
    (crafted / name).symlink_to("/dev/zero")
    refused_by_command(command("predict", crafted, "--nodes", "g1"), "this is a device")


def table_bytes(columns: dict[str, np.ndarray]) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(columns), sink, compression="zstd")
    return sink.getvalue().to_pybytes()


@pytest.fixture(scope="module")
def unnamed(tmp_path_factory) -> Path:
    """A model whose nodes are numbers."""
    return model(small_task()).save(tmp_path_factory.mktemp("unnamed") / "model")


def peak_memory(folder: Path, text: str) -> int:
    """The bytes that were taken while a model was refused."""
    return peak_of(refuse, folder, text)


def refuse(folder: Path, text: str) -> None:
    with pytest.raises(DataError, match=text):
        load_scorer(folder)


@pytest.mark.process
@pytest.mark.parametrize("nodes", [51, 2 * 10**6, 2**39])
def test_more_nodes_than_the_files_have(nodes: int, saved: Path, tmp_path: Path) -> None:
    crafted = copied(saved, tmp_path / "model")
    signed(crafted, lambda facts: facts["graph"].update(nodes=nodes))
    assert peak_memory(crafted, f"{nodes:,} nodes; nodes.parquet has 50") < 10**7


@pytest.mark.process
def test_more_nodes_than_edges_bear_out(unnamed: Path, tmp_path: Path) -> None:
    crafted = copied(unnamed, tmp_path / "model")
    signed(crafted, lambda facts: facts["graph"].update(nodes=2**39))
    assert peak_memory(crafted, "nodes, with only .* edges") < 10**7


@pytest.mark.process
@pytest.mark.slow
def test_a_table_that_expands_to_much_more_than_its_size(unnamed: Path, tmp_path: Path) -> None:
    crafted = copied(unnamed, tmp_path / "model")
    zeros = np.zeros(10**7, np.int64)
    content = table_bytes({"low": zeros, "high": zeros})
    assert len(content) < 200_000
    signed(crafted, lambda facts: None, **{"edges.parquet": content})
    assert peak_memory(crafted, "expands to more than") < 10**7


def test_weights_with_which_nothing_is_finite(saved: Path, tmp_path: Path) -> None:
    crafted = copied(saved, tmp_path / "model")
    arrays = load_arrays((crafted / "weights.safetensors").read_bytes())
    large = {name: np.full_like(array, 3e38) for name, array in arrays.items()}
    signed(crafted, lambda facts: None, **{"weights.safetensors": save_arrays(large)})
    with pytest.raises(DataError, match="no finite answer for the subgraph 'set 0'"):
        SubgraphClassifier.load(crafted)
    refused_by_command(command("predict", crafted, "--nodes", "g1", "--json"), "no finite answer")


def test_an_answer_that_is_not_finite_does_not_leave(saved: Path, monkeypatch) -> None:
    scorer = load_scorer(saved)
    real = type(scorer.forward).answer

    def broken(self, placed):
        vectors, logits = real(self, placed)
        logits[0, -1, 0] = torch.nan
        return vectors, logits

    monkeypatch.setattr(type(scorer.forward), "answer", broken)
    query = scorer.ask(QUERY, names=["one", "two"])
    for work in (scorer.predict, scorer.neighbors):
        with pytest.raises(NotFiniteError, match="for the subgraph 'two'"):
            work(query)


def test_an_explanation_that_is_not_finite_does_not_leave(saved: Path, monkeypatch) -> None:
    scorer = load_scorer(saved)
    real = type(scorer.network.head).forward
    label = scorer.classes[0]
    monkeypatch.setattr(type(scorer.network.head), "forward", lambda *x: real(*x) * torch.nan)
    with pytest.raises(NotFiniteError, match="no finite explanation"):
        scorer.explain(scorer.ask(QUERY[:1]), label=label)
