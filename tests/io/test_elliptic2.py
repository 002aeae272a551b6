"""The folder of Elliptic2, on small files of its schema."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from bad_files import assert_refused
from commands import s2n
from foreign_files import write_elliptic2
from sub2node import ConfigError, DataError, load_task
from sub2node.base.notes import NoteKind, has_kind
from sub2node.io.elliptic2 import is_elliptic2


@pytest.fixture(scope="module")
def elliptic(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_elliptic2(tmp_path_factory.mktemp("elliptic"))


def test_clusters_components_and_their_labels(elliptic: Path) -> None:
    assert is_elliptic2(elliptic)
    task = load_task(elliptic)
    assert (task.graph.num_nodes, len(task), task.class_names) == (300, 40, ("licit", "suspicious"))
    assert task.graph.features is not None
    assert task.graph.features.shape == (300, 43)
    rows = (elliptic / "background_nodes.csv").read_text().splitlines()[1:]
    table = np.array([row.split(",") for row in rows], float)
    assert task.graph.names is not None
    assert list(map(float, task.graph.names)) == table[:, 0].tolist()
    assert np.array_equal(task.graph.features, table[:, 1:])
    first = [row.split(",")[0] for row in (elliptic / "nodes.csv").read_text().splitlines()[1:6]]
    assert set(task.members("500")) == set(first)
    assert task.labels is not None
    assert np.bincount(task.labels).tolist() == [30, 10]
    assert task.internal_edges()[0].tolist() == [4 * i for i in range(41)]
    assert "96 columns of background_edges.csv not used." in task.notes
    assert any(has_kind(note, NoteKind.ACCOUNTS) for note in task.notes)
    assert load_task(elliptic, format="elliptic2").hash == task.hash


def test_directions_and_features_of_edges_are_read_where_they_are_asked_for(
    elliptic: Path,
) -> None:
    task = load_task(elliptic, directed=True)
    rows = (elliptic / "background_edges.csv").read_text().splitlines()
    arcs, table = task.graph.arcs, np.array([row.split(",") for row in rows[1:]], float)
    assert arcs is not None
    assert arcs.feature_names == tuple(rows[0].split(",")[3:])
    assert arcs.features is not None
    assert np.array_equal(arcs.features, table[:, 3:].astype(np.float32))
    assert task.graph.names is not None
    ids = np.array(list(map(float, task.graph.names)))
    assert np.array_equal(ids[np.stack([arcs.source, arcs.target], axis=1)], table[:, :2])
    assert any("1 column of background_edges.csv not used" in note for note in task.notes)  # txId


def test_features_are_chosen_before_they_are_read(elliptic: Path) -> None:
    task = load_task(elliptic, node_features=["feat#7", "feat#2"])
    assert load_task(elliptic, node_features=[]).graph.features is None
    whole = load_task(elliptic).graph.features
    assert whole is not None
    assert np.array_equal(task.graph.features, whole[:, [6, 1]])
    with pytest.raises(ConfigError, match="no column 'feat#77'"):
        load_task(elliptic, node_features=["feat#77"])


def test_packed_files_read_alike(elliptic: Path, tmp_path: Path) -> None:
    for path in elliptic.glob("*.csv"):
        (tmp_path / f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
    assert load_task(tmp_path).hash == load_task(elliptic).hash
    for path in elliptic.glob("*.csv"):
        (tmp_path / f"{path.name}.gz").unlink()
        with pa.output_stream(tmp_path / f"{path.name}.zst", compression="zstd") as file:
            file.write(path.read_bytes())
    assert load_task(tmp_path).hash == load_task(elliptic).hash


def test_ids_may_be_text(elliptic: Path, tmp_path: Path) -> None:
    for path in elliptic.glob("*.csv"):
        rows = [row.split(",") for row in path.read_text().splitlines()]
        at = [i for i, name in enumerate(rows[0]) if name.startswith(("clId", "ccId"))]
        for row in rows[1:]:
            for i in at:
                row[i] = f"x{row[i]}"
        (tmp_path / path.name).write_text("\n".join(",".join(row) for row in rows))
    task, plain = load_task(tmp_path), load_task(elliptic)
    assert task.graph.names is not None
    assert [name.removeprefix("x") for name in task.graph.names] == list(plain.graph.names or ())
    assert np.array_equal(task.graph.indices, plain.graph.indices)


def test_what_is_wrong_names_the_file(elliptic: Path, tmp_path: Path) -> None:
    folder = write_elliptic2(tmp_path, nodes=40, subgraphs=4)
    edges = (folder / "edges.csv").read_text()
    one, two = edges.splitlines()[1].split(",")[0], edges.splitlines()[-1].split(",")[0]
    (folder / "edges.csv").write_text(edges + f"{one},{one},7\n")
    assert "1 self-loop of edges.csv omitted." in load_task(folder).notes
    (folder / "edges.csv").write_text(edges + f"{one},{two},7\n")
    assert_refused(folder, rf"edges\.csv:\d+: the edge from {one} to {two} does not join two nodes")
    other = folder / "connected_components.csv"
    labels = other.read_text()
    other.write_text(f"{labels}{labels.splitlines()[-1]}\n77,licit\n")
    with pytest.raises(DataError) as error:
        load_task(folder)
    assert {p.kind: p.lines.tolist() for p in error.value.problems} == {
        "edge between components": [len(edges.splitlines()) + 1],
        "unmatched label": [len(labels.splitlines()) + 2],
    }
    task = load_task(folder, bad_rows="drop")
    (folder / "edges.csv").write_text(f"{edges}{one},zz,7\n")  # ids are text then
    assert load_task(folder, bad_rows="drop").hash == task.hash
    (folder / "edges.csv").write_text("clId1,clId2,txId\n")
    assert not len(load_task(folder, bad_rows="drop").subgraphs.edges)
    other.write_text(labels)
    (folder / "edges.csv").write_text(edges)
    assert task.hash == load_task(folder).hash
    (folder / "edges.csv").unlink()
    assert_refused(folder, r"the folder has no edges\.csv \(or edges\.csv\.gz, edges\.csv\.zst\)")
    with pytest.raises(DataError, match=r"no background_nodes\.csv"):
        load_task(tmp_path.parent, format="elliptic2")
    with pytest.raises(ConfigError, match="have columns of their own"):
        load_task(elliptic, columns={"source": "clId1"})


@pytest.mark.slow
def test_from_the_folder_to_answers(elliptic: Path, tmp_path: Path) -> None:
    data, model = str(elliptic), str(tmp_path / "model")
    quick = ("--model", "bag", "--split", "60/20/20")
    done = s2n("describe", data, "--json")
    assert done.json["subgraphs"] == 40
    assert s2n("run", data, *quick, "-o", str(tmp_path / "run")).code == 0
    assert s2n("fit", data, *quick, "-o", model).code == 0
    answers = s2n("predict", model, data, "--json").json["answers"]
    assert [answer["id"] for answer in answers] == [str(500 + i) for i in range(40)]
