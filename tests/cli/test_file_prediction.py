"""Files of many subgraphs: reasons, neighbours and meanings of names beside the answers."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from answer_files import rows_in
from commands import refused, s2n
from small_models import drawn, write_csv
from sub2node.cli import file_prediction
from sub2node.scoring import load_scorer

WORDS = ("subgraph_id", "label", "kind", "item", "title", "neighbor", "labels", "given", "node_id",
         "how", "candidates", "prediction", "warnings")  # fmt: skip


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    return write_csv(tmp_path / "new.csv", drawn(7))


@pytest.mark.slow
def test_reasons_and_neighbours_beside_the_answers(
    model: Path, asked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_prediction, "_BATCH", 4)
    out = asked.with_name("answers.csv")
    done = s2n("predict", model, asked, "-o", out, "--why", "--neighbors", "2")
    assert done.code == 0, done
    why, near = asked.with_name("answers.why.csv"), asked.with_name("answers.neighbors.csv")
    assert f"Why: {why}\nNeighbours: {near}\n" in done.out
    answers, reasons = rows_in(out), rows_in(why, WORDS)
    for row in answers:
        own = [r for r in reasons if r["subgraph_id"] == row["subgraph_id"]]
        assert sum(r["contribution"] for r in own) == pytest.approx(row["probability"], abs=1e-5)
        assert {r["label"] for r in own} == {row["prediction"]}
        members = {r["item"] for r in own if r["kind"] == "member"}
        assert members == set(drawn(7)[row["subgraph_id"]])
    scorer = load_scorer(model)
    wanted = scorer.neighbors(scorer.ask(list(drawn(7).values())), count=2)
    found = [(row["neighbor"], row["rank"]) for row in rows_in(near, WORDS)]
    assert found == [(one.name, rank) for some in wanted for rank, one in enumerate(some, 1)]


@pytest.mark.slow
def test_reasons_and_neighbours_in_json(model: Path, asked: Path) -> None:
    words = ("predict", model, asked, "--why", "--neighbors", "2", "--json")
    rows = json.loads(s2n(*words).out)["answers"]
    assert [len(row["neighbors"]) for row in rows] == [2] * 7
    assert [row["why"]["name"] for row in rows] == list(drawn(7))
    assert [row["why"]["label"] for row in rows] == [row["prediction"] for row in rows]


@pytest.mark.slow
def test_names_that_are_no_ids_are_listed_beside_the_answers(
    named_model: Path, tmp_path: Path
) -> None:
    sets = {"a": ["g1", "KINASE", "Gene 7"], "b": ["g1", "PET"], "c": ["old1", "gone 4"]}
    path, out = write_csv(tmp_path / "a.csv", sets), tmp_path / "o.csv"
    done = s2n("predict", named_model, path, "-o", out)
    assert done.code == 0
    beside = tmp_path / "o.mapping.csv"
    assert f"Mapping: {beside}, what the names of nodes mean\n" in done.out
    assert done.err.splitlines()[:2] == [
        "Note: 1 name given by a symbol: 'KINASE' is 'g1'.",
        "Note: 1 name given by a title: 'Gene 7' is 'g7'.",
    ]
    assert "Warning: 1 ambiguous name: 'PET' (g3 or g4).\n" in done.err
    rows = rows_in(beside, WORDS)
    assert [(row["given"], row["node_id"], row["how"]) for row in rows] == [
        ("KINASE", "g1", "symbol"), ("Gene 7", "g7", "title"), ("PET", "", "ambiguous"),
        ("old1", "g2", "former id"), ("gone 4", "", "unknown"),
    ]  # fmt: skip
    assert rows[2]["candidates"] == "g3;g4"
    errors = (tmp_path / "o.csv.errors.csv").read_text()
    assert "subgraph 'b': 'PET' may mean g3 (gene 3) or g4 (gene 4); give the id of one." in errors
    assert "(did you mean 'gene 4', g4?)" in errors
    full = tmp_path / "all.parquet"
    done = s2n("predict", named_model, path, "--mapping", full, "--unknown-nodes", "drop")
    assert done.code == 0
    assert pq.read_table(full)["how"].to_pylist()[:2] == ["id", "symbol"]
    write_csv(path, {"a": ["g1"]})
    assert s2n("predict", named_model, path, "-o", out, "--overwrite").code == 0
    assert not beside.exists()  # the old one does not hold any more


@pytest.mark.slow
def test_strict_is_an_exit_code(model: Path, tmp_path: Path) -> None:
    path = write_csv(tmp_path / "a.csv", {"a": ["g1"], "b": ["zz"]})
    done = s2n("predict", model, path, "--strict")
    assert (done.code, s2n("predict", model, path).code) == (1, 0)
    assert "Answered: 1 subgraph\n" in done.out
    assert "Bad: line" in done.out
    assert s2n("predict", model, write_csv(path, {"a": ["g1"]}), "--strict").code == 0
    refused(s2n("predict", model, write_csv(path, {"b": ["zz"]})), "none of 1 subgraph has an")
