"""A model of a graph on disk answers for new nodes as one that was fitted in memory."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sub2node as s2n
from commands import s2n as command
from disk_tables import NODES, disk_tables, on_disk
from sub2node import SubgraphClassifier, SubgraphTask
from sub2node.base.errors import ConfigError, DataError

pytestmark = pytest.mark.usefixtures("few_trees")

pytest.importorskip("ibis")

GIVEN = {
    "features.kind": "given",
    "features.scaling": "standard",
    "features.trainable": False,
    "epochs": 4,
    "dropout": 0.0,
    "edge_dropout": 0.0,
}
RANDOM = {"features.kind": "random", "features.trainable": False, "epochs": 2}
MODELS: dict[str, dict[str, Any]] = {
    "s2n+0": {"structure": "s2n+0", "settings": GIVEN},
    "s2n+a": {"structure": "s2n+a", "settings": GIVEN},
    "separated": {"structure": "separated", "settings": GIVEN},
    "degree readout": {"structure": "s2n+0", "settings": {**GIVEN, "readout": "degree"}},
    "statistics": {"structure": "s2n+0", "settings": {**GIVEN, "features.subgraphs": "structure"}},
    "bag": {"model": "bag"},
    "border": {"structure": "s2n+0", "settings": {**GIVEN, "features.subgraphs": "border"}},
    "bag and border": {"model": "hops", "settings": {"hops": 0, "inputs": "border"}},
    "trees on borders": {"model": "gbdt", "settings": {"inputs": "border"}},
    "trees": {"model": "gbdt", "settings": {"inputs": "both", "features.kind": "given"}},
}


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> tuple[SubgraphTask, SubgraphTask]:
    """The task on disk and in memory."""
    source = disk_tables(tmp_path_factory.mktemp("disk") / "tables")
    return on_disk(source), s2n.load_task(source)


def questions(seed: int = 1) -> list[list[str]]:
    """Sets of any nodes of the graph."""
    rng = np.random.default_rng(seed)
    return [[str(7 * i) for i in rng.choice(NODES, 4, replace=False)] for _ in range(6)]


def fitted(task: SubgraphTask, **options: Any) -> SubgraphClassifier:
    return SubgraphClassifier(seeds=2, random_state=0, **options).fit(task)


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_answers_for_new_nodes_are_those_of_a_model_in_memory(
    tasks: tuple[SubgraphTask, SubgraphTask], tmp_path: Path, name: str
) -> None:
    part, whole = (fitted(task, **MODELS[name]) for task in tasks)
    sets = questions()
    expected = whole.predict_proba(sets)
    assert np.allclose(part.predict_proba(sets), expected, atol=1e-5)
    part.save(tmp_path / "model")
    again = SubgraphClassifier.load(tmp_path / "model")
    backwards = [again.predict_proba([one])[0] for one in reversed(sets)]
    assert np.allclose(backwards[::-1], expected, atol=1e-5)
    assert np.allclose(again.predict_proba(tasks[0]), whole.predict_proba(tasks[1]), atol=1e-5)
    assert np.ptp(expected, axis=0).max() > 0 or name.startswith("trees")


@pytest.mark.slow
def test_where_the_border_reaches_two_hops_models_read_one_or_two(tmp_path: Path) -> None:
    source = disk_tables(tmp_path / "tables", directed=True)
    part = on_disk(source, directed=True, border_hops=2)
    whole, sets = s2n.load_task(source, directed=True), questions()
    for model in (
        {"model": "gbdt", "settings": {"inputs": "border"}},
        {"model": "hops", "settings": {"hops": 0, "inputs": "border"}},
        {"model": "hops", "settings": {"hops": 0, "inputs": "border2"}},
    ):
        found, expected = (fitted(task, **model).predict_proba(sets) for task in (part, whole))
        assert np.allclose(found, expected, atol=1e-5)


@pytest.mark.slow
def test_random_vectors_of_new_nodes_do_not_depend_on_what_was_asked_before(
    tasks: tuple[SubgraphTask, SubgraphTask],
) -> None:
    model, sets = fitted(tasks[0], structure="s2n+0", settings=RANDOM), questions()
    first = [model.predict_proba([one])[0] for one in sets]
    other = fitted(tasks[0], structure="s2n+0", settings=RANDOM)
    assert np.allclose(other.predict_proba(sets[::-1])[::-1], first, atol=1e-6)
    assert np.ptp(first, axis=0).max() > 1e-3


@pytest.mark.slow
def test_a_model_answers_for_what_it_knows_where_the_folder_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = on_disk(disk_tables(tmp_path / "tables", seed=8))
    fitted(part, model="bag").save(tmp_path / "model")
    assert part.graph.whole is not None
    assert part.graph.whole.folder is not None
    elsewhere = tmp_path / "cache" / "on-disk"
    elsewhere.mkdir(parents=True)
    shutil.move(part.graph.whole.folder, elsewhere)
    model = SubgraphClassifier.load(tmp_path / "model")
    known = part.graph.ids()[0].as_py()
    assert model.predict_proba([[known]]).shape == (1, 2)
    unknown = next(
        str(7 * i) for i in range(NODES) if str(7 * i) not in part.graph.ids().to_pylist()
    )
    with pytest.raises(DataError, match="its folder is not here; make it anew"):
        model.predict_proba([[unknown]])
    monkeypatch.setenv("S2N_CACHE", str(tmp_path / "cache"))
    moved = SubgraphClassifier.load(tmp_path / "model")
    assert moved.predict_proba([[unknown]]).shape == (1, 2)


@pytest.mark.slow
def test_unknown_nodes_and_vectors_that_new_nodes_lack_are_told(
    tasks: tuple[SubgraphTask, SubgraphTask],
) -> None:
    model = fitted(tasks[0], model="bag")
    with pytest.raises(DataError, match="nodes that are not in the graph: 'nowhere'"):
        model.predict_proba([["7", "nowhere"]])
    scaled = {"inputs": "vectors", "features.kind": "given", "features.encoding": "given"}
    model = fitted(tasks[0], model="gbdt", settings=scaled)
    with pytest.raises(ConfigError, match="vectors of nodes that new nodes of a graph on disk"):
        model.predict_proba(questions())


@pytest.mark.slow
def test_commands_fit_and_predict_on_disk(tmp_path: Path) -> None:
    source = disk_tables(tmp_path / "tables", kind="csv")
    rows = "".join(f"q{n},{node}\n" for n, one in enumerate(questions()) for node in one)
    (tmp_path / "new.csv").write_text(f"subgraph_id,node_id\n{rows}", "utf-8")
    answers = []
    for engine in (("--engine", "duckdb", "--memory", "200MB"), ()):
        place = tmp_path / f"model{len(engine)}"
        done = command("fit", source, "-o", place, "--model", "bag", *engine)
        assert done.code == 0, done.err
        out = tmp_path / f"answers{len(engine)}.csv"
        done = command("predict", place, tmp_path / "new.csv", "-o", out)
        assert done.code == 0, done.err
        answers.append(out.read_text("utf-8"))
    assert answers[0] == answers[1]
