"""The labels table: which subgraphs have no label, and labels that hold several."""

from __future__ import annotations

import pytest

from sub2node import DataError, SubgraphTask
from sub2node.task.clean_labels import clean_labels
from sub2node.task.frames import Frame
from sub2node.task.missing_values import NA_WORDS
from sub2node.task.reading_options import Reading, ReadingOptions


def clean(columns: dict[str, list[object]], sets: str = "stuv", **options: str):
    members = Frame.of({"subgraph_id": list(sets), "node_id": list(sets)}, "members", {})
    reading, notes = Reading(ReadingOptions(**options)), list[str]()
    labels = Frame.of(columns, "labels", {})
    found = clean_labels(labels, members, reading, notes, na_words=NA_WORDS)
    return found, reading.problems, notes


def test_all_that_is_wrong_with_labels_is_found() -> None:
    columns = {"subgraph_id": list("stuxs"), "label": ["a", "NA", "b", "a", "b"]}
    columns["split"] = ["train", "", "later", "train", "val"]
    found, problems, _ = clean(columns)
    assert found.unlabelled.to_pylist() == ["t", "v"]
    kinds = {problem.kind: problem.rows.tolist() for problem in problems.open}
    assert kinds == {"unmatched label": [3], "unknown split word": [2], "second part": [4]}
    (unlabelled,) = (p for p in problems.all if p.outcome)
    assert unlabelled.values.to_pylist() == ["'t'", "'v'"]


@pytest.mark.parametrize("policy", ["keep", "drop"])
def test_subgraphs_without_labels_are_said(policy: str) -> None:
    _, problems, notes = clean({"subgraph_id": ["s"], "label": ["a"]}, unlabelled=policy)
    assert not problems.open
    what = "kept apart, to be scored and never trained on" if policy == "keep" else "dropped"
    assert notes == [f"3 unlabelled subgraphs {what}: 't', 'u', 'v'."]


def test_a_missing_label_beside_another_is_ignored() -> None:
    columns = {"subgraph_id": list("sstuv"), "label": ["a", None, "b", "c", "a"]}
    found, _, notes = clean(columns)
    assert found.labels.table["label"].to_pylist() == ["a", "b", "c", "a"]
    assert notes == ["1 missing label of subgraphs with others ignored: row 2."]


def test_a_table_without_labels_says_what_may_be_one() -> None:
    edges = {"source": ["s"], "target": ["t"]}
    members = {"subgraph_id": ["s"], "node_id": ["s"]}
    labels = {"subgraph_id": ["s"], "disease": ["x"], "split": ["train"]}
    task = SubgraphTask.from_tables(edges, members, labels)
    assert task.labels is None
    assert "--column labels.label=… names it, as one of 'disease'" in task.notes[0]
    with pytest.raises(DataError, match=r"2 kinds of problems: .*'label'.*'subgraph_id'"):
        SubgraphTask.from_tables(edges, members, {"id": ["s"], "disease": ["x"]})


def test_a_second_label_of_few_subgraphs_is_said_with_its_rows() -> None:
    columns = {"subgraph_id": list("stuvt"), "label": ["a", "b", "a", "b", "a"]}
    found, problems, notes = clean(columns)
    (problem,) = problems.all
    assert (problem.kind, problem.rows.tolist()) == ("second label", [4])
    assert problem.values.to_pylist() == ["'t': 'a'"]
    assert not problems.open
    assert "1 subgraph of 4 with several labels ('t'), so that the task is multi-label" in notes[0]
    assert len(found.labels.table) == 5
    found, problems, notes = clean(columns, bad_rows="drop")
    assert problems.all[0].outcome == "dropped, the first counts"
    assert "1 second label of 1 subgraph dropped: 't'." in notes[0]
    assert found.labels.need("label").to_pylist() == ["a", "b", "a", "b"]


def test_many_second_labels_are_meant() -> None:
    columns = {"subgraph_id": list("stuvtss"), "label": ["a", "b", "a", "b", "a", "b", "a"]}
    found, problems, notes = clean(columns, bad_rows="drop")
    assert not problems.all
    assert not notes
    assert len(found.labels.table) == 7
    same, problems, _ = clean({"subgraph_id": list("stuvt"), "label": list("ababb")})
    assert not problems.all
    assert len(same.labels.table) == 5


def test_rows_without_a_part_are_dropped_where_that_is_asked_for() -> None:
    columns = {"subgraph_id": list("stuvs"), "label": ["a", "b", None, "b", "a"]}
    columns["split"] = ["train", "NA", "", "val", "test"]
    _, problems, _ = clean(columns)
    found = {p.kind: (p.rows.tolist(), p.values.to_pylist(), p.option) for p in problems.open}
    assert found == {
        "unknown split word": ([1], ["'t': 'NA'"], "--bad-rows drop"),
        "second part": ([4], ["'s'"], "--bad-rows drop"),
    }
    kept, problems, notes = clean(columns, bad_rows="drop")
    assert not problems.open
    assert kept.labels.table["split"].to_pylist() == ["train", "val"]
    assert kept.unlabelled.to_pylist() == ["t", "u"]  # the row that gave t its label is gone
    assert notes[:2] == [
        "1 row of the labels table dropped (1 unknown split word): row 2: 't': 'NA'.",
        "1 row of the labels table dropped (1 second part): row 5: 's'.",
    ]
    del columns["label"]  # so that no row may be blank
    kept, problems, _ = clean(columns, bad_rows="drop")
    assert (kept.unlabelled.to_pylist(), len(problems.open)) == (["t", "u"], 0)


def test_parts_that_are_not_wanted_are_not_read() -> None:
    columns = {"subgraph_id": list("st"), "label": list("ab"), "split": ["", "later"]}
    members = {"subgraph_id": list("st"), "node_id": list("st")}
    frames = [Frame.of(columns, "labels", {}), Frame.of(members, "members", {})]
    reading = Reading(without_split=True)
    found = clean_labels(*frames, reading, [], na_words=NA_WORDS)
    assert not reading.problems.all
    assert found.labels.get("split") is None
    columns["split"] = ["virtual", "later"]  # which only the column can tell
    clean_labels(Frame.of(columns, "labels", {}), frames[1], reading, [], na_words=NA_WORDS)
    assert [problem.kind for problem in reading.problems.open] == ["unknown split word"]
