"""Results in the order of the input, with ids: joined by position or by id, labels are right."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import sub2node as s2n
from small_models import s2n as command
from sub2node import SubgraphClassifier, SubgraphTask, load_task
from sub2node.encode import subgraph_statistics
from sub2node.runs import save_run

COUNT = 24
IDS = [f"set {number * 7 % COUNT}" for number in range(COUNT)]  # not sorted
WORDS = [("test", "train", "val", "train", "train", "train")[k % 6] for k in range(COUNT)]
LABELS = ["left" if k % 2 ^ (k // 6) % 2 else "right" for k in range(COUNT)]
EDGES = [(a, b) for side in (0, 6) for a in range(side, side + 6) for b in range(a + 1, side + 6)]
QUICK = {"epochs": 25, "hidden": 8, "width": 8, "features.kind": "random", "a": 0.0, "delta": 3.0,
         "lr": 0.1, "dropout": 0.0}  # fmt: skip


def nodes_of(number: int) -> list[int]:
    """Nodes of one of two cliques, that of the label."""
    side = 6 * (LABELS[number] == "right")
    return sorted({side + (number * step) % 6 for step in (1, 2, 3)})


SETS = [nodes_of(number) for number in range(COUNT)]
MEMBERS = pd.DataFrame(
    [(IDS[number], node) for number, nodes in enumerate(SETS) for node in nodes],
    columns=["subgraph_id", "node_id"],
)
TABLE = pd.DataFrame({"subgraph_id": IDS, "label": LABELS, "split": WORDS})
EDGE_TABLE = pd.DataFrame(EDGES, columns=["source", "target"])


def csv_folder(place: Path) -> Path:
    for name, table in (("edges", EDGE_TABLE), ("members", MEMBERS), ("labels", TABLE)):
        table.to_csv(place / f"{name}.csv", index=False)
    return place


def subgnn_folder(place: Path) -> Path:
    rows = zip(SETS, LABELS, WORDS, strict=True)
    lines = ["\t".join(["-".join(map(str, nodes)), label, word]) for nodes, label, word in rows]
    (place / "subgraphs.pth").write_text("\n".join(lines) + "\n")
    (place / "edge_list.txt").write_text("\n".join(f"{a} {b}" for a, b in EDGES) + "\n")
    named = [f"{number}\t{name}" for number, name in enumerate(IDS)]
    (place / "subgraph_ids.tsv").write_text("\n".join(["line\tsource_id", *named]) + "\n")
    return place


def gmt_folder(place: Path) -> Path:
    lines = ["\t".join([name, "", *map(str, n)]) for name, n in zip(IDS, SETS, strict=True)]
    (place / "sets.gmt").write_text("\n".join(lines) + "\n")
    for name, table in (("edges", EDGE_TABLE), ("labels", TABLE)):
        table.to_csv(place / f"{name}.csv", index=False)
    return place


def from_tables(_: Path) -> SubgraphTask:
    return SubgraphTask.from_tables(EDGE_TABLE, MEMBERS, TABLE)


@pytest.fixture(scope="module")
def task() -> SubgraphTask:
    return SubgraphTask.from_tables(EDGE_TABLE, MEMBERS, TABLE, name="cliques")


@pytest.fixture(scope="module")
def model(task: SubgraphTask) -> SubgraphClassifier:
    return SubgraphClassifier(seeds=2, preset="fast", settings=QUICK).fit(task)


@pytest.mark.parametrize(
    "read",
    [
        from_tables,
        lambda place: load_task(csv_folder(place)),
        lambda place: load_task(subgnn_folder(place)),
        lambda place: load_task(gmt_folder(place)),
    ],
    ids=["from_tables", "csv", "subgnn", "gmt"],
)
def test_joined_by_position_and_by_id(read, model: SubgraphClassifier, tmp_path: Path) -> None:
    task = read(tmp_path)
    assert task.subgraph_ids != IDS  # rows are by part
    assert model.predict(task).tolist() == LABELS
    answers = model.answers(task)
    assert answers.names == tuple(IDS)
    joined = TABLE.merge(answers.to_frame(), on="subgraph_id")
    assert (joined["label"] == joined["prediction"]).all()
    assert task.to_frame()[["subgraph_id", "label", "split"]].equals(TABLE)
    assert task.input_labels.tolist() == LABELS
    assert (model.predict(task) == task.input_labels).mean() == 1.0
    assert model.score(task) == model.score(task, LABELS) == 1.0
    wrong = ["left", "right"] * (COUNT // 2)
    assert model.score(task, wrong) == np.mean(np.array(wrong) == LABELS)


@pytest.mark.slow
def test_every_answer_is_that_of_its_own_nodes(task, model: SubgraphClassifier) -> None:
    alone = np.concatenate([model.predict_proba([nodes]) for nodes in SETS])
    for form in (task, SETS, dict(zip(IDS, SETS, strict=True)), MEMBERS, task.input_subgraphs):
        np.testing.assert_allclose(model.predict_proba(form), alone, atol=1e-6)
    np.testing.assert_allclose(model.transform(task), model.transform(SETS), atol=1e-6)
    near = [[found.name for found in row] for row in model.neighbors(task, count=3)]
    assert near == [[found.name for found in row] for row in model.neighbors(SETS, count=3)]


def test_explanations_are_in_the_order_of_the_input(task, model: SubgraphClassifier) -> None:
    part = task.subset(IDS[:5])
    explained = model.explain(part)
    assert [explanation.name for explanation in explained] == IDS[:5]
    assert [explanation.label for explanation in explained] == LABELS[:5]
    for explanation, nodes in zip(explained, SETS, strict=False):
        assert {int(member.id) for member in explanation.members} == set(nodes)


def test_labels_for_a_task_are_in_the_order_of_its_input(task) -> None:
    bare = SubgraphTask.from_tables(EDGE_TABLE, MEMBERS, TABLE[["subgraph_id", "split"]])
    by_position, by_id = (
        SubgraphClassifier(seeds=1, preset="fast", settings={**QUICK, "epochs": 1}).fit(bare, y)
        for y in (LABELS, TABLE[["subgraph_id", "label"]].iloc[::-1])
    )
    labels = dict(zip(IDS, LABELS, strict=True))
    for fitted in (by_position, by_id):
        known = fitted.scorer_.task
        names = [known.class_names[label] for label in known.labels]
        assert names == [labels[name] for name in known.subgraph_ids]
        assert len(names) == WORDS.count("train")


@pytest.mark.parametrize("again", [False, True], ids=["one split", "split again"])
def test_predictions_of_a_run(task, again: bool, tmp_path: Path) -> None:
    if again:
        task = task.with_split(s2n.Split.random(task.labels, fractions=(0.5, 0.25, 0.25), seed=3))
    settings = {**QUICK, "epochs": 3}
    result = s2n.run(task, seeds=2, preset="fast", settings=settings)
    folder = save_run(result, task, tmp_path / "run")
    table = pq.read_table(folder / "predictions.parquet").to_pandas()
    vectors = pq.read_table(folder / "embeddings.parquet").to_pandas()
    columns = ["seed", "part", "subgraph_id"]
    assert table[columns].equals(vectors[columns])
    assert table["seed"].tolist() == [10] * COUNT + [11] * COUNT
    parts = task.to_frame()["split"].tolist()
    for seed, rows in table.groupby("seed"):
        assert rows["subgraph_id"].tolist() == IDS
        assert rows["label"].tolist() == LABELS
        assert rows["part"].tolist() == parts
        by_id = rows.set_index("subgraph_id")
        for part, outputs in result.outputs.items():
            replica = result.seeds.index(int(seed))
            stored = by_id.loc[list(result.subgraph_ids[part]), ["logit left", "logit right"]]
            assert np.array_equal(stored.to_numpy(), outputs.logits[replica])


@pytest.mark.slow
def test_files_of_commands(model: SubgraphClassifier, tmp_path: Path) -> None:
    data = csv_folder(tmp_path)
    model.save(tmp_path / "model")
    done = command("predict", tmp_path / "model", data / "members.csv", "-o", tmp_path / "a.csv")
    assert done.code == 0, done.err
    rows = pd.read_csv(tmp_path / "a.csv")
    assert rows["subgraph_id"].tolist() == IDS
    assert rows["prediction"].tolist() == LABELS
    assert command("convert", data, tmp_path / "again", "--to", "csv").code == 0
    assert pd.read_csv(tmp_path / "again" / "labels.csv")[list(TABLE)].equals(TABLE)
    members = pd.read_csv(tmp_path / "again" / "members.csv")
    assert members["subgraph_id"].unique().tolist() == IDS


@pytest.mark.parametrize("ending", ["parquet", "npz"])
def test_statistics_of_subgraphs(task, ending: str, tmp_path: Path) -> None:
    data, file = csv_folder(tmp_path), tmp_path / f"statistics.{ending}"
    done = command("encode", data, "--subgraphs", "structure", "-o", file)
    assert done.code == 0, done.err
    expected = task.in_input_order(subgraph_statistics(task))
    if ending == "npz":
        arrays = np.load(file)
        assert arrays["subgraph"].tolist() == IDS
        assert np.array_equal(arrays["structure"], expected)
    else:
        table = pq.read_table(file).to_pandas()
        assert table.pop("subgraph").tolist() == IDS
        assert np.array_equal(table.to_numpy(), expected)


def test_the_s2n_graph_names_its_rows(task, tmp_path: Path) -> None:
    graph = s2n.translate(task)
    assert graph.subgraph_ids == task.subgraph_ids
    dense, place = graph.stage("test").toarray(), {name: i for i, name in enumerate(IDS)}
    for row, name in enumerate(graph.subgraph_ids):
        for column, other in enumerate(graph.subgraph_ids):
            shared = set(SETS[place[name]]) & set(SETS[place[other]])
            joined = sum((a in SETS[place[name]]) and (b in SETS[place[other]])
                         for a, b in [*EDGES, *[edge[::-1] for edge in EDGES]])  # fmt: skip
            assert dense[row, column] == len(shared) + joined
    graph.save(tmp_path / "graph", task)
    assert s2n.S2NGraph.load(tmp_path / "graph").subgraph_ids == task.subgraph_ids
