"""What a run folder keeps for a report: names, sizes, links, and no more than a picture shows."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

import sub2node as s2n
from report_runs import made_result, simple_result, small_task
from sub2node.config import Config
from sub2node.evaluate import compare
from sub2node.runs import save_comparison, save_run, scene
from sub2node.runs.scene import make_scene
from sub2node.task import SubgraphTask


def graph_of(task: SubgraphTask):
    how = Config().translation
    return s2n.translate(task, self_loops=how.self_loops).normalize(how.a, how.delta)


def test_small_data_is_there_as_a_whole() -> None:
    task = small_task()
    graph = graph_of(task)
    found = make_scene(task, graph)
    rows = found.subgraphs.to_pydict()
    assert rows["subgraph_id"] == list(task.subgraphs.names)
    assert rows["title"] == list(task.subgraphs.titles)
    assert rows["part"] == task.split.words()
    assert rows["size"] == task.subgraphs.sizes.tolist()
    assert rows["label"] == [[task.class_names[label]] for label in task.labels]
    assert all(rows["shown"])
    dense = graph.weights.toarray()
    links = found.links.to_pydict()
    assert found.facts["links"] == graph.num_edges == len(links["weight"])
    for a, b, weight in zip(links["source"], links["target"], links["weight"], strict=True):
        assert a < b
        assert weight == dense[a, b] > 0
    for place, part in enumerate(rows["part"]):
        joined = (dense[place] > 0) & task.split.mask("train")
        counts = np.bincount(task.labels[joined], minlength=3).tolist()
        assert rows["train_links"][place] == (counts if part in ("val", "test") else [])


def test_large_data_is_cut_to_a_picture(monkeypatch) -> None:
    monkeypatch.setattr(scene, "MAX_SUBGRAPHS", 20)
    monkeypatch.setattr(scene, "MAX_LINKS", 15)
    monkeypatch.setattr(scene, "_MAX_OF_PART", {"test": 6, "val": 4})
    task = small_task(120)
    found = make_scene(task, graph_of(task))
    rows = found.subgraphs.to_pydict()
    assert len(rows["shown"]) == 120
    assert sum(rows["shown"]) == found.facts["shown_subgraphs"] == 20
    parts = [part for part, shown in zip(rows["part"], rows["shown"], strict=True) if shown]
    assert [parts.count(part) for part in ("train", "val", "test")] == [10, 4, 6]
    links = found.links.to_pydict()
    assert len(links["weight"]) == found.facts["shown_links"] == 15 < found.facts["links"]
    assert all(rows["shown"][end] for end in links["source"] + links["target"])


def test_virtual_subgraphs_are_kept_only_where_they_are_shown(monkeypatch) -> None:
    from sub2node.coarsen import coarsen, with_virtual

    monkeypatch.setattr(scene, "MAX_SUBGRAPHS", 50)
    task = small_task(40)
    whole = with_virtual(task, coarsen(task.graph, "heavy_edge", ratio=0.5).subgraphs)
    rows = make_scene(whole, graph_of(whole)).subgraphs.to_pydict()
    virtual = [shown for part, shown in zip(rows["part"], rows["shown"], strict=True)
               if part == "virtual"]  # fmt: skip
    assert virtual
    assert all(virtual)
    assert len(rows["shown"]) == 40 + len(virtual)
    assert sum(rows["shown"]) == 50


def test_run_folders_carry_it(tmp_path: Path) -> None:
    task = small_task()
    folder = save_run(made_result(task), task, tmp_path / "run")
    found = json.loads((folder / "result.json").read_text())
    assert found["class_counts"]["train"]["class 0"] == 10
    assert found["sizes"]["test"]["max"] == task.subgraphs.sizes[45:].max()
    assert [row["part"] for row in found["overlap"]] == ["val", "test", "test"]
    assert found["picture"]["model"] == "s2n+a gcn2"
    assert pq.read_table(folder / "links.parquet").num_rows == found["picture"]["shown_links"]
    plain = save_run(simple_result(task), task, tmp_path / "plain")
    assert (plain / "subgraphs.parquet").exists()
    assert not (plain / "links.parquet").exists()
    assert "picture" not in json.loads((plain / "result.json").read_text())


def test_a_comparison_writes_it_once(tmp_path: Path) -> None:
    task = small_task()
    both = compare([simple_result(task), made_result(task)])
    folder = save_comparison(both, task, tmp_path / "both")
    assert json.loads((folder / "comparison.json").read_text())["picture"]["model"] == "s2n+a gcn2"
    names = sorted(str(path.relative_to(folder)) for path in folder.rglob("subgraphs.parquet"))
    assert names == ["subgraphs.parquet"]


def test_over_random_splits_all_subgraphs_count(tmp_path: Path) -> None:
    task = small_task()
    found = made_result(task, outputs={}, history={}, thresholds=())
    found.data["splits"] = 3
    folder = save_run(found, task, tmp_path / "run")
    facts = json.loads((folder / "result.json").read_text())
    assert [(row["part"], row["subgraphs"]) for row in facts["overlap"]] == [("any", 60)]
    assert sum(facts["class_counts"]["all"].values()) == 60
