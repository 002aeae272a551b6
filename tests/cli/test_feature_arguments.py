"""``--features``, ``--encoding`` and ``--inputs``: kinds, and files of one's own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pyarrow import parquet

import sub2node as s2n
from commands import refused
from drawn_runs import DATA, NODES, TINY, run
from sub2node.base.errors import ConfigError
from sub2node.baselines import MODELS
from sub2node.cli.feature_arguments import FeatureArguments
from sub2node.config import Config


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    path = tmp_path / "vectors.npy"
    np.save(path, np.random.default_rng(0).normal(size=(NODES, 64)).astype(np.float32))
    return path


def test_kinds_are_settings_and_files_are_files() -> None:
    arguments = FeatureArguments("svd", "vectors.npy", "wl")
    assert arguments.settings == {"features.kind": "svd", "features.subgraphs": "wl"}
    assert arguments.files == {"encoding": "vectors.npy"}
    tables = FeatureArguments("all.npz:rwpe")
    assert tables.settings == {"features.kind": "given"}
    assert tables.files == {"features": "all.npz:rwpe"}


@pytest.mark.parametrize("text", ["svd+given", "given+svd"])
def test_features_and_encoding_as_notes_call_them(text: str) -> None:
    given = FeatureArguments(features=text)
    assert given.settings == {"features.kind": "svd", "features.encoding": "given"}
    with pytest.raises(ConfigError, match=r"cannot be 'svd\+svd'"):
        FeatureArguments(features="svd+svd")


def test_inputs_are_what_each_model_calls_them() -> None:
    kinds = {name: MODELS[name].settings for name in ("gbdt", "hops", "bag")}
    border, wl = FeatureArguments(inputs="border"), FeatureArguments(inputs="wl")
    assert border.with_settings([], kinds=[Config]) == {"features.subgraphs": "border"}
    for name in ("gbdt", "hops"):
        assert border.with_settings([], kinds=[kinds[name]]) == {"inputs": "border"}
        with pytest.raises(ConfigError, match="set twice"):
            border.with_settings(["inputs=border"], kinds=[kinds[name]])
    both = {"features.subgraphs": "border", "inputs": "border"}
    assert border.with_settings([], kinds=[kinds["bag"], kinds["hops"], Config]) == both
    assert wl.with_settings([], kinds=[kinds["gbdt"], Config]) == {"features.subgraphs": "wl"}
    for arguments, name in ((wl, "gbdt"), (border, "bag")):
        with pytest.raises(ConfigError, match="a use for --inputs"):
            arguments.with_settings([], kinds=[kinds[name]])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"features": "svdd"}, "--features cannot be 'svdd'. Did you mean 'svd'?.* A file can be"),
        ({"encoding": "vectors.png"}, "--encoding cannot be 'vectors.png'"),
        ({"inputs": "vectors.npy"}, "--inputs cannot be 'vectors.npy'"),
    ],
)
def test_what_is_neither_is_refused(options: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        FeatureArguments(**options)


def test_settings_of_options_join_those_that_are_set() -> None:
    arguments = FeatureArguments("svd")
    assert arguments.with_settings(["lr=0.5"]) == {"features.kind": "svd", "lr": 0.5}
    for texts, coarsen in ((["kind=link"], None), (["ratio=0.1"], "heavy_edge:0.3")):
        with pytest.raises(ConfigError, match="is set twice"):
            arguments.with_settings(texts, coarsen)
    with pytest.raises(ConfigError, match="the conv is chosen with --conv"):
        arguments.with_settings(["conv=gin"])


def test_features_of_a_file_are_those_of_the_graph(vectors: Path, tmp_path: Path) -> None:
    task = s2n.load_task(DATA)
    assert FeatureArguments("random").read(task) is task
    read = FeatureArguments(str(vectors)).read(task)
    assert np.array_equal(read.graph.features, np.load(vectors))
    arguments = FeatureArguments(encoding=str(vectors))
    assert arguments.read(task) is task
    assert np.array_equal(arguments.encodings.values, np.load(vectors))
    nodes = task.graph.num_nodes // 2
    np.savez(tmp_path / "half.npz", vectors=np.load(vectors)[:nodes], nodes=np.arange(nodes))
    with pytest.raises(ConfigError, match="300 nodes, the graph has 600; features are needed"):
        FeatureArguments(str(tmp_path / "half.npz")).read(task)


def test_an_encoding_file_for_a_model_without_node_vectors(vectors: Path) -> None:
    refused(run("--model", "bag", "--encoding", vectors), "a use for --encoding")


@pytest.mark.slow
def test_a_file_of_features(vectors: Path) -> None:
    done = run("--model", "gnn-plain", "--seeds", "1", "--features", vectors, "--json", *TINY)
    assert done.json["config"]["features"]["kind"] == "given"
    refused(run("--model", "bag", "--features", vectors), "a use for --features")


@pytest.mark.slow
def test_a_file_of_encodings_joins_default_features(vectors: Path, tmp_path: Path) -> None:
    words = ("--model", "glass", "--seeds", "1", *TINY, "-o")
    done = run(*words, tmp_path / "with", "--encoding", vectors)
    assert done.code == 0, done.err
    assert run(*words, tmp_path / "without").code == 0
    tables = [
        parquet.read_table(tmp_path / name / "embeddings.parquet") for name in ("with", "without")
    ]
    assert tables[0].column_names == tables[1].column_names
    assert not tables[0].equals(tables[1])
