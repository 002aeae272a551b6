"""``s2n predict`` as a person runs it."""

from __future__ import annotations

import csv
import errno
import gzip
import json
import os
import shutil
import signal
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from answer_files import WORDS, rows_in
from commands import Done, refused, run_process, s2n
from scoring_tasks import with_excluded
from small_models import CLASSES, drawn, save_model, write_csv, write_task
from sub2node import SubgraphClassifier, load_task
from sub2node.cli import file_prediction
from sub2node.cli.answer_printing import show_answers
from sub2node.cli.one_prediction import OnePrediction, show_one
from sub2node.evaluate.positive_class import measure_positive
from sub2node.scoring import Scorer, load_scorer, save_scorer
from sub2node.scoring.answer_extras import AnswerExtras
from sub2node.scoring.answer_tables import answer_writer
from sub2node.scoring.answers import Answers

COLUMNS = ["subgraph_id", "prediction", "probability", "spread", "known",
           *(f"p {name}" for name in CLASSES), "warnings"]  # fmt: skip

NO_RANKS = np.empty(0, int)
ADDED = ["id", "labels", "probabilities", "unknown", "doubt", "mapping"]  # in JSON


@pytest.fixture(scope="module")
def multilabel(tmp_path_factory) -> Path:
    return save_model(tmp_path_factory.mktemp("multi"), multilabel=True)


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    return write_csv(tmp_path / "new.csv", drawn(7))


def predict(*words: object) -> Done:
    return s2n("predict", *words)


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def joined(warnings: list[dict]) -> str:
    return "; ".join(warning["text"] for warning in warnings)


def numbers(rows: list[dict]) -> np.ndarray:
    return np.array([[row[f"p {name}"] for name in CLASSES] for row in rows])


@pytest.mark.slow
def test_all_formats_have_the_numbers_of_the_library(model: Path, asked: Path) -> None:
    wanted = SubgraphClassifier.load(model).answers(list(drawn(7).values()))
    printed = json.loads(predict(model, asked, "--json").out)
    assert (printed["answered"], printed["bad"], printed["problems"]) == (7, 0, [])
    count = sum(bool(row["warnings"]) for row in printed["answers"])
    assert count == printed["warned"]
    warned = f"Warning: {count} of 7 answers with a doubt; the column warnings says which.\n"
    warned = warned if count else ""
    table = [row | {"warnings": joined(row["warnings"])} for row in printed["answers"]]
    for ending in ("parquet", "csv", "tsv", "jsonl", "--json"):
        rows = printed["answers"]
        if ending != "--json":
            out = asked.with_name(f"out.{ending}")
            done = predict(model, asked, "-o", out)
            assert (done.code, done.err) == (0, ""), done
            assert done.out == f"Answered: 7 subgraphs\nAnswers: {out}\n{warned}"
            rows = rows_in(out)
        assert list(rows[0]) == COLUMNS + (ADDED if "json" in ending else [])
        assert [row["subgraph_id"] for row in rows] == list(drawn(7))
        np.testing.assert_allclose(numbers(rows), wanted.probabilities, atol=1e-6)
        assert [row["prediction"] for row in rows] == wanted.labels
        best = wanted.probabilities.max(axis=1)
        np.testing.assert_allclose([row["probability"] for row in rows], best, atol=1e-6)
        spread = wanted.spread[np.arange(7), wanted.probabilities.argmax(axis=1)]
        np.testing.assert_allclose([row["spread"] for row in rows], spread, atol=1e-6)
        assert spread.min() > 0
        assert [row["known"] for row in rows] == [1.0] * 7
        if "json" in ending:
            assert rows == printed["answers"]
            assert [row["id"] for row in rows] == list(drawn(7))
            assert [row["labels"] for row in rows] == [[label] for label in wanted.labels]
            assert rows[0]["probabilities"] == {name: rows[0][f"p {name}"] for name in CLASSES}
        else:
            assert rows == [{key: row[key] for key in COLUMNS} for row in table]
    assert files(asked.parent) == ["new.csv", "out.csv", "out.jsonl", "out.parquet", "out.tsv"]


@pytest.mark.slow
def test_parquet_types(model: Path, multilabel: Path, asked: Path) -> None:
    for folder, kind in ((model, pa.string()), (multilabel, pa.list_(pa.string()))):
        out = asked.with_name("OUT.PARQUET")
        assert predict(folder, asked, "-o", out, "--overwrite").code == 0
        types = pq.read_schema(out).types
        assert types[:2] == [pa.string(), kind]
        assert types[-1] == pa.string()
        assert set(types[2:-1]) == {pa.float64()}


def test_json_with_a_file(model: Path, asked: Path) -> None:
    out = asked.with_name("out.csv")
    found = json.loads(predict(model, asked, "-o", out, "--json").out)
    assert found.pop("warned") == sum(bool(row["warnings"]) for row in rows_in(out))
    assert found == {"answered": 7, "bad": 0, "notes": [], "path": str(out), "errors": None}


def test_the_table(model: Path, tmp_path: Path) -> None:
    done = predict(model, write_csv(tmp_path / "a.csv", {**drawn(24), "bad": ["g1", "zz"]}))
    assert (done.code, done.err) == (0, "")
    for text in ("new 0", "new 19", "Probability", "100%", "More: 4; -o FILE", "Bad: line ",
                 "Answered: 24 subgraphs", "'bad': subgraph 'bad' has nodes", "'zz'"):  # fmt: skip
        assert text in done.out
    assert "new 20" not in done.out
    assert files(tmp_path) == ["a.csv"]


@pytest.mark.slow
def test_warnings_stand_beneath_the_answers(model: Path, tmp_path: Path) -> None:
    sets = {"odd": ["g1", "zz", "g20"], "long": [f"g{i}" for i in range(40)]}
    path = write_csv(tmp_path / "a.csv", sets)
    done = predict(model, path, "--unknown-nodes", "drop")
    assert "Warning: 'odd': 1 of 3 nodes is not in the graph" in done.out
    assert "Warning: 'long': 40 nodes, where 99 % of the training subgraphs have 2 to 5" in done.out
    alone = predict(model, "--nodes", ",".join(sets["long"]))
    assert "Warning: 40 nodes, where 99 % of the" in alone.out
    kinds = json.loads(predict(model, "--nodes", ",".join(sets["long"]), "--json").out)["warnings"]
    assert "size" in [one["kind"] for one in kinds]


@pytest.mark.slow
def test_random_sets(model: Path, asked: Path) -> None:
    words = ("--null", 9, "--seed", 4)
    rows = json.loads(predict(model, asked, *words, "--json").out)["answers"]
    wanted = SubgraphClassifier.load(model).null(list(drawn(7).values()), draws=9, seed=4)
    for row, values in zip(rows, wanted, strict=True):
        assert list(row["null"].values()) == [row[f"null {name}"] for name in CLASSES]
        assert list(row["null"].values()) == pytest.approx(values)
    out = asked.with_name("out.parquet")
    assert predict(model, asked, *words, "-o", out).code == 0
    table = rows_in(out)
    assert list(table[0]) == [*COLUMNS, *(f"null {name}" for name in CLASSES)]
    np.testing.assert_allclose([[row[f"null {c}"] for c in CLASSES] for row in table], wanted)
    done = predict(model, asked, *words)
    best = wanted[0, CLASSES.index(rows[0]["prediction"])]
    for text in (" Null ", f" {best:.3f} ", "Null: how often 9 random sets of the same size and"):
        assert text in done.out
    assert "Null: how often" in predict(model, "--nodes", "g1,g2", *words).out
    assert "Null" not in predict(model, asked).out
    assert "null" not in json.loads(predict(model, "--nodes", "g1", "--json").out)


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["tsv", "jsonl", "gmt", "parquet", "csv.gz"])
def test_every_input(model: Path, asked: Path, ending: str) -> None:
    sets, path = drawn(7), asked.with_name(f"in.{ending}")
    if ending == "parquet":
        pq.write_table(pa.table({"subgraph_id": list(sets), "nodes": list(sets.values())}), path)
    elif ending == "jsonl":
        rows = [json.dumps({"id": name, "nodes": nodes}) for name, nodes in sets.items()]
        path.write_text("\n".join(rows))
    elif ending == "gmt":
        path.write_text("".join("\t".join([n, "", *nodes]) + "\n" for n, nodes in sets.items()))
    elif ending == "tsv":
        path.write_text(asked.read_text().replace(",", "\t"))
    else:
        path.write_bytes(gzip.compress(asked.read_bytes()))
    one, two = (json.loads(predict(model, p, "--json").out) for p in (path, asked))
    assert one == two


@pytest.mark.slow
def test_other_columns(model: Path, asked: Path) -> None:
    text = asked.read_text()
    asked.write_text(text.replace("subgraph_id,node_id", "module,gene"))
    words = ("--column", "subgraph_id=module", "--column", "node_id=gene")
    assert json.loads(predict(model, asked, "--json", *words).out)["answered"] == 7
    refused(predict(model, asked), "no column 'subgraph_id'; columns found: module, gene.")


@pytest.mark.slow
def test_one_subgraph(model: Path) -> None:
    scorer = load_scorer(model)
    query = scorer.ask([["g1", "g20"]])
    wanted, reasons = scorer.predict(query), scorer.explain(query)[0]
    found = json.loads(predict(model, "--nodes", " g1, g20 ,,g1", "--json", "--why").out)
    close = pytest.approx(wanted.probabilities[0], abs=1e-6)
    assert [found[f"p {name}"] for name in CLASSES] == close
    assert found["prediction"] == found["why"]["label"] == wanted.labels[0]
    assert found["unknown"] == []
    assert {m["id"] for m in found["why"]["members"]} == {"g1", "g20"}
    parts = [m["value"] for m in found["why"]["members"] + found["why"]["neighbors"]]
    total = found["why"]["baseline"] + sum(parts) + found["why"]["gap"]
    assert total == pytest.approx(found["probability"], abs=1e-5)
    assert found["why"]["probability"] == pytest.approx(reasons.probability, abs=1e-6)
    plain = json.loads(predict(model, "--nodes", "g1,g20", "--json").out)
    assert "why" not in plain
    assert plain == {key: value for key, value in found.items() if key != "why"}
    shown = predict(model, "--nodes", "g1,g20", "--why")
    assert (shown.code, shown.err) == (0, "")
    for text in ("predicted", "Why ", "g20 (gene 20)", "member", "together", "plain"):
        assert text in shown.out
    assert "Why" not in predict(model, "--nodes", "g1,g20").out


@pytest.fixture(scope="module")
def signed_model(tmp_path_factory) -> Path:
    """A bag that learned from excluded nodes too."""
    task = load_task(write_task(tmp_path_factory.mktemp("signed") / "data"))
    return (
        SubgraphClassifier(model="bag")
        .fit(with_excluded(task))
        .save(tmp_path_factory.mktemp("signed") / "model")
    )


@pytest.mark.slow
def test_excluded_nodes_are_part_of_the_question(signed_model: Path, tmp_path: Path) -> None:
    words = ("--nodes", "g1,g2", "--excluded", "g24, g38", "--json", "--why")
    answer = predict(signed_model, *words).json
    kinds = {item["id"]: item["excluded"] for item in answer["why"]["members"]}
    assert kinds == {"g1": False, "g2": False, "g24": True, "g38": True}
    without = predict(signed_model, "--nodes", "g1,g2", "--json").json
    assert without["probabilities"] != answer["probabilities"]
    file = tmp_path / "new.csv"
    rows = ["s,g1,no", "s,g2,no", "s,g24,yes", "s,g38,yes", "t,g1,no", "t,g2,no"]
    file.write_text("\n".join(["subgraph_id,node_id,excluded", *rows]) + "\n")
    both = predict(signed_model, file, "--json").json["answers"]
    assert [one["probabilities"] for one in both] == [
        answer["probabilities"],
        without["probabilities"],
    ]
    text = predict(signed_model, *words[:4], "--why").out
    assert "excluded" in text
    refused(predict(signed_model, file, "--excluded", "g1"), "--excluded goes with --nodes")


@pytest.mark.slow
def test_excluded_nodes_that_the_model_does_not_read_are_a_warning(model: Path) -> None:
    answer = predict(model, "--nodes", "g1,g2", "--excluded", "g20", "--json").json
    plain = predict(model, "--nodes", "g1,g2", "--json").json
    assert answer["probabilities"] == plain["probabilities"]
    assert [one["kind"] for one in answer["warnings"]][-1] == "excluded"


@pytest.mark.slow
def test_unknown_nodes(model: Path, tmp_path: Path) -> None:
    refused(predict(model, "--nodes", "g1,zz"), "nodes that are not in the graph: 'zz'")
    found = json.loads(
        predict(model, "--nodes", "g1,zz", "--unknown-nodes", "drop", "--json").out
    )  # fmt: skip
    assert (found["known"], found["unknown"]) == (0.5, ["zz"])
    assert "Unknown: zz" in predict(model, "--nodes", "g1,zz", "--unknown-nodes", "drop").out
    refused(predict(model, "--nodes", "zz", "--unknown-nodes", "drop"), "no node of the subgraph")
    sets = {"a": ["g1", "g2"], "b": ["g1", "x", "y", "g2"], "c": ["x"], "d": ["g9"]}
    path, out = write_csv(tmp_path / "a.csv", sets), tmp_path / "o.csv"
    assert predict(model, path, "-o", out).code == 0
    assert [row["subgraph_id"] for row in rows_in(out)] == ["a", "d"]
    done = predict(model, path, "-o", out, "--overwrite", "--unknown-nodes", "drop")
    assert done.code == 0
    rows = rows_in(out)
    assert [(row["subgraph_id"], row["known"]) for row in rows] == [("a", 1), ("b", 0.5), ("d", 1)]
    assert numbers(rows)[0] == pytest.approx(numbers(rows)[1], abs=1e-6)


@pytest.mark.slow
def test_bad_rows_are_listed_beside_the_answers(model: Path, tmp_path: Path) -> None:
    path, out = tmp_path / "in.csv", tmp_path / "out.jsonl"
    raw = b'set,node\n"a,\n1",g1\nb,zz\nc,\nd,g2\n,g1\ne,g\x81\nf,g3,\n'
    path.write_bytes(raw)
    done = predict(model, path, "-o", out)
    beside = tmp_path / "out.jsonl.errors.csv"
    assert done.code == 0
    assert f"Bad: 5 rows without an answer: {beside}" in done.out
    assert [row["subgraph_id"] for row in rows_in(out)] == ["a,\n1", "d"]
    with beside.open(encoding="utf-8", newline="") as text:
        header, *rows = csv.reader(text)
    assert header == ["line", "subgraph_id", "problem"]
    assert sorted((int(line), name) for line, name, _ in rows) == [
        (4, "b"), (5, "c"), (7, ""), (8, "e"), (9, "f"),
    ]  # fmt: skip
    problems = " ".join(problem for _, _, problem in rows)
    for text in ("'zz'", "the node is missing", "the subgraph is missing", "not UTF-8", "3 fields"):
        assert text in problems
    facts = json.loads(predict(model, path, "-o", out, "--overwrite", "--json").out)
    assert (facts["answered"], facts["bad"], facts["errors"]) == (2, 5, str(beside))
    path.write_text("set,node\na,g1\n")
    assert predict(model, path, "-o", out, "--overwrite").code == 0
    assert files(tmp_path) == ["in.csv", "out.jsonl"]  # the old list does not hold any more


@pytest.mark.slow
def test_what_is_there_is_not_overwritten(model: Path, asked: Path) -> None:
    out = asked.with_name("out.csv")
    out.write_text("mine")
    refused(predict(model, asked, "-o", out), "out.csv exists already; choose another name, or")
    assert out.read_text() == "mine"
    assert predict(model, asked, "-o", out, "--overwrite").code == 0
    assert len(rows_in(out)) == 7
    out.unlink()
    beside = asked.with_name("out.csv.errors.csv")
    beside.write_text("mine")
    refused(predict(model, asked, "-o", out), "out.csv.errors.csv exists already")
    assert beside.read_text() == "mine"
    assert files(asked.parent) == ["new.csv", "out.csv.errors.csv"]


@pytest.mark.slow
def test_places_that_cannot_be_written(model: Path, asked: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "folder.csv").mkdir()
    for out, message in (
        (tmp_path / "file" / "out.csv", "no folder to write into"),
        (tmp_path / "folder.csv", "exists already"),
        (tmp_path / "out.txt", "must end in .parquet, .csv, .tsv, .jsonl, .xlsx, .json."),
        (tmp_path / "out", "must end in"),
        (tmp_path / "out.csv.gz", "must end in"),
    ):
        refused(predict(model, asked, "-o", out), message)
    refused(predict(model, asked, "-o", tmp_path / "folder.csv", "--overwrite"), "is a folder")
    assert files(tmp_path) == ["file", "folder.csv", "new.csv"]
    assert predict(model, asked, "-o", tmp_path / "new" / "deep" / "out.csv").code == 0
    assert files(tmp_path / "new" / "deep") == ["out.csv"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root writes anywhere")
def test_a_folder_that_may_not_be_written(model: Path, asked: Path, tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0o500)
    refused(predict(model, asked, "-o", tmp_path / "closed" / "o.csv"), "no folder to write into")


@pytest.fixture
def cut(tmp_path: Path) -> Path:
    """3,000 subgraphs, the last of which are lost in a gzip file that was cut."""
    rows = [json.dumps({"id": f"s{i}", "nodes": nodes}) for i, nodes in enumerate(
        drawn(3000, seed=1).values())]  # fmt: skip
    path = tmp_path / "cut.jsonl.gz"
    raw = gzip.compress("\n".join(rows).encode())
    path.write_bytes(raw[: len(raw) * 3 // 4])
    return path


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_a_failure_in_the_middle_leaves_nothing(model: Path, cut: Path, ending: str) -> None:
    out = cut.with_name(f"out.{ending}")
    refused(predict(model, cut, "-o", out), "the gzip file is truncated or damaged.")
    assert files(cut.parent) == ["cut.jsonl.gz"]
    out.write_text("mine")
    refused(predict(model, cut, "-o", out, "--overwrite"), "truncated")
    assert out.read_text() == "mine"
    assert files(cut.parent) == ["cut.jsonl.gz", out.name]


@pytest.mark.parametrize("what", ["ctrl-c", "full disk"])
def test_an_end_between_two_pieces_leaves_nothing(
    model: Path, asked: Path, monkeypatch, what: str
) -> None:
    monkeypatch.setattr(file_prediction, "_BATCH", 3)
    real, calls = Scorer.predict, []

    def ends(*given, **options):
        calls.append(1)
        if len(calls) == 2:
            if what == "ctrl-c":
                signal.raise_signal(signal.SIGINT)
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(*given, **options)

    monkeypatch.setattr(Scorer, "predict", ends)
    out = asked.with_name("out.csv")
    done = predict(model, asked, "-o", out)
    assert len(calls) == 2
    assert files(asked.parent) == ["new.csv"]
    if what == "ctrl-c":
        assert done.code in (1, 130)
        assert "Traceback" not in done.err
        assert done.out == ""
    else:
        refused(done, "out.csv cannot be written: No space left on device.")


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["cut", "flipped", "gone", "empty", "folder"])
def test_a_damaged_model_is_one_line(model: Path, tmp_path: Path, damage: str) -> None:
    for file in files(model):
        copy = tmp_path / "copy"
        shutil.copytree(model, copy)
        raw, path = (copy / file).read_bytes(), copy / file
        path.unlink()
        if damage == "folder":
            path.mkdir()
        elif damage != "gone":
            middle = len(raw) // 2
            other = raw[:middle] + bytes([raw[middle] ^ 1]) + raw[middle + 1 :]
            path.write_bytes({"cut": raw[:middle], "flipped": other, "empty": b""}[damage])
        done = predict(copy, "--nodes", "g1")
        if file == "MODEL_CARD.md":  # for people only
            assert done.code == 0
        else:
            refused(done, str(copy))
            assert file in done.err
        shutil.rmtree(copy)


@pytest.mark.slow
def test_no_model(asked: Path, tmp_path: Path) -> None:
    refused(predict(tmp_path / "none", asked), "there is no such folder")
    refused(predict(asked, asked), "there is no model.json here")
    (tmp_path / "model.json").write_text("[]")
    refused(predict(tmp_path, asked), "this is not the card of a model")
    (tmp_path / "model.json").write_text("{")
    refused(predict(tmp_path, asked), "this is not JSON")


@pytest.mark.process
def test_a_process_ends_as_main_says(model: Path, tmp_path: Path) -> None:
    shutil.copytree(model, tmp_path / "copy")
    (tmp_path / "copy" / "weights.safetensors").write_bytes(b"")
    done = run_process("predict", tmp_path / "copy", "--nodes", "g1")
    refused(Done(done.returncode, done.stdout, done.stderr), "weights.safetensors is damaged")


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["independent", "joint"])
def test_nothing_to_answer(model: Path, tmp_path: Path, mode: str) -> None:
    path, out = tmp_path / "in.csv", tmp_path / "out.csv"
    path.write_text("subgraph_id,node_id\n")
    refused(predict(model, path, "-o", out, "--mode", mode), "there is no subgraph in it.")
    refused(predict(model, path, "--json", "--mode", mode), "there is no subgraph in it.")
    path.write_text("")
    refused(predict(model, path, "-o", out, "--mode", mode), "the file is empty.")
    assert files(tmp_path) == ["in.csv"]
    path.write_text("subgraph_id,node_id\na,zz\nb,\n")
    message = "none of 2 subgraphs has an answer; line 2: subgraph 'a' has nodes"
    refused(predict(model, path, "-o", out, "--mode", mode), message)
    assert files(tmp_path) == ["in.csv", "out.csv.errors.csv"]
    assert len((tmp_path / "out.csv.errors.csv").read_text().splitlines()) == 3
    refused(predict(model, path, "--json"), message)


@pytest.mark.slow
def test_five_thousand_subgraphs(model: Path, tmp_path: Path) -> None:
    sets = drawn(5000, seed=3)
    bad = {f"bad {i}": ["zz"] for i in range(1100)}  # a whole piece without an answer
    path, out = write_csv(tmp_path / "in.csv", {**bad, **sets}), tmp_path / "out.parquet"
    found = json.loads(predict(model, path, "-o", out, "--json").out)
    assert (found["answered"], found["bad"]) == (5000, 1100)
    rows = pq.read_table(out)
    assert rows["subgraph_id"].to_pylist() == list(sets)
    wanted = SubgraphClassifier.load(model).predict_proba(list(sets.values()))
    given = np.stack([rows[f"p {name}"].to_numpy() for name in CLASSES], axis=1)
    np.testing.assert_allclose(given, wanted, atol=1e-6)
    np.testing.assert_allclose(given.sum(axis=1), 1, atol=1e-9)


@pytest.mark.slow
def test_rows_in_another_order_have_the_same_answers(model: Path, asked: Path) -> None:
    header, *rows = asked.read_text().splitlines()
    mixed = asked.with_name("mixed.csv")
    mixed.write_text("\n".join([header, *rows[::-1]]) + "\n")
    one, two = (json.loads(predict(model, p, "--json").out)["answers"] for p in (asked, mixed))
    two = sorted(two, key=lambda row: row["subgraph_id"])
    assert [row["subgraph_id"] for row in one] == [row["subgraph_id"] for row in two]
    np.testing.assert_allclose(numbers(one), numbers(two), atol=1e-6)


@pytest.mark.slow
def test_joint_is_one_graph_and_independent_is_not(model: Path, asked: Path, monkeypatch) -> None:
    scorer = load_scorer(model)
    query = scorer.ask(list(drawn(7).values()))
    alone, together = (scorer.predict(query, mode=m).probabilities
                       for m in ("independent", "joint"))  # fmt: skip
    assert np.abs(alone - together).max() > 1e-5
    for piece in (2, 1000):
        monkeypatch.setattr(file_prediction, "_BATCH", piece)
        for mode, wanted in (("independent", alone), ("joint", together)):
            done = predict(model, asked, "--mode", mode, "--json")
            given = numbers(json.loads(done.out)["answers"])
            np.testing.assert_allclose(given, wanted, atol=1e-6)


@pytest.mark.slow
def test_several_labels(multilabel: Path, asked: Path) -> None:
    wanted = SubgraphClassifier.load(multilabel).answers(list(drawn(7).values()))
    assert any(len(labels) != 1 for labels in wanted.labels)
    for ending in ("csv", "tsv", "jsonl", "parquet"):
        out = asked.with_name(f"out.{ending}")
        assert predict(multilabel, asked, "-o", out).code == 0
        rows = rows_in(out)
        np.testing.assert_allclose(numbers(rows), wanted.probabilities, atol=1e-6)
        joined = ending in ("csv", "tsv")
        labels = [";".join(found) if joined else found for found in wanted.labels]
        assert [row["prediction"] for row in rows] == labels
        for row, said, p in zip(rows, wanted.predicted, wanted.probabilities, strict=True):
            assert row["probability"] == pytest.approx(p.max(), abs=1e-6)
            assert row["prediction"] or not said.any()
    assert "Answered: 7 subgraphs" in predict(multilabel, asked).out


def made(said: list[list[bool]], p: list[list[float]]) -> Answers:
    shown = np.array(p)
    return Answers(("a", "b"), shown, shown / 10, np.array([1.0, 0.5]), ((), ("z",)),
                   np.array(said), ("x;y", 'q"', "ü"), True)  # fmt: skip


def test_one_seed_has_no_spread(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = made([[True, False, True], [False] * 3], [[0.9, 0.1, 0.7], [0.2, 0.4, 0.3]])
    alone = replace(answers, spread=answers.spread * np.nan)
    for ending in (".csv", ".jsonl", ".parquet"):
        with answer_writer(tmp_path / f"a{ending}", ending) as write:
            write(alone)
    with (tmp_path / "a.csv").open(newline="") as text:
        assert [row["spread"] for row in csv.DictReader(text)] == ["", ""]
    for ending in (".jsonl", ".parquet"):
        assert [row["spread"] for row in rows_in(tmp_path / f"a{ending}")] == [None, None]
    for show in (
        lambda given: show_one(OnePrediction(given), AnswerExtras(), as_json=False),
        lambda given: show_answers({"answered": 2}, [(given, NO_RANKS)], AnswerExtras()),
    ):
        show(alone)
        assert "one model answered, so there is none" in capsys.readouterr().out
        show(answers)
        printed = capsys.readouterr().out
        assert "Spread" in printed
        assert "no spread" not in printed


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "give a file of subgraphs, or one subgraph by --nodes A,B,C."),
        (("in.csv", "--nodes", "g1"), "give a file of subgraphs, or one subgraph"),
        (("in.csv", "--export", "x.cx2", "-o", "x.csv"), "--export is for one subgraph"),
        (("--nodes", "g1", "--export", "x.csv"), "x.csv must end in .graphml, .cx2."),
        (("--nodes", "g1", "--mapping", "x.gmt"), "x.gmt must end in .parquet, .csv"),
        (("in.csv", "--neighbors", "0"), "--neighbors is a number of subgraphs from 1, found 0."),
        (("in.csv", "--neighbors", "1001"), "--neighbors is a number from 1 to 1,000."),
        (("--nodes", "g1", "-o", "x.csv"), "-o is for a file of subgraphs"),
        (("in.csv", "--mode", "both"), "--mode is independent or joint, not 'both'."),
        (("in.csv", "--unknown-nodes", "ignore-subgraph"), "--unknown-nodes is error or drop"),
        (("in.csv", "--column", "node_id"), "--column wants OURS=YOURS"),
        (("in.csv", "-o", "x.xls"), "x.xls must end in"),
        (("in.csv", "--null", "0"), "a null distribution needs 1 random set or more, found 0."),
        (("in.csv", "--null", "9", "--seed", "-1"), "a seed is 0 or more, found -1."),
        (("in.csv", "--null", "9", "--mode", "joint"), "--null is for --mode independent"),
    ],
)
def test_mistakes_are_said_before_the_model_is_read(words: tuple[str, ...], message: str) -> None:
    refused(predict("no-such-model", *words), message)


@pytest.mark.slow
def test_mistakes_that_need_the_model(model: Path, tmp_path: Path) -> None:
    refused(predict(model, "--nodes", " , "), "is empty")
    refused(predict(model, tmp_path / "none.csv"), "there is no such file.")
    refused(predict(model, tmp_path), "subgraphs to predict end in")
    assert predict(model, "in.csv", "--colour").code == 2


# Faults that are known.


def test_the_input_is_never_overwritten(model: Path, asked: Path) -> None:
    before = asked.read_text()
    done = predict(model, asked, "-o", asked, "--overwrite")
    assert asked.read_text() == before
    assert done.code == 2


def test_names_with_brackets_are_shown_as_they_are(model: Path, tmp_path: Path) -> None:
    done = predict(model, write_csv(tmp_path / "a.csv", {"[red]x": ["g1"], "[/y]": ["g2"]}))
    assert "[red]x" in done.out
    assert "[/y]" in done.out


def test_classes_with_brackets_are_shown_as_they_are(model: Path, monkeypatch) -> None:
    names = property(lambda scorer: ("[/a]", "[b]", "c"))
    monkeypatch.setattr(Scorer, "classes", names)
    done = predict(model, "--nodes", "g1", "--why")
    assert "[/a]" in done.out
    assert "[b]" in done.out


def test_a_column_of_ours_that_does_not_exist(asked: Path) -> None:
    refused(predict("no-such-model", asked, "--column", "foo=bar"), "foo")


def test_a_folder_where_bad_rows_are_to_be_listed(model: Path, asked: Path) -> None:
    out = asked.with_name("out.csv")
    asked.with_name("out.csv.errors.csv").mkdir()
    done = predict(model, asked, "-o", out, "--overwrite")
    assert done.code == 2
    assert not out.exists()


@pytest.mark.slow
def test_the_hint_is_one_for_the_command_line(model: Path) -> None:
    assert "--unknown-nodes drop" in predict(model, "--nodes", "g1,zz").err
    refused(predict(model, "--nodes", "g1,zz"), "the subgraph has nodes that are not in the graph")
    refused(predict(model, "--nodes", ","), "the subgraph is empty; it needs a node.")


@pytest.mark.slow
def test_dropped_and_merged_nodes_are_counted(model: Path, tmp_path: Path) -> None:
    sets = {"one": ["g1", "g1", "X"], "two": ["g2", "Y"], "three": ["g3"]}
    new = write_csv(tmp_path / "new.csv", sets)
    lines = [
        "Warning: 2 unknown nodes in 2 subgraphs dropped: 'X' in subgraph 'one', 'Y' in subgraph"
        " 'two'.",
        "Note: 1 repeated node merged: 'g1' in subgraph 'one'.",
    ]
    for words in ((), ("-o", tmp_path / "answers.csv"), ("--mode", "joint")):
        done = predict(model, new, "--unknown-nodes", "drop", *words)
        assert done.err.splitlines() == lines
    done = predict(model, new, "--unknown-nodes", "drop", "--json")
    assert json.loads(done.out)["notes"] == [line.partition(": ")[2] for line in lines]
    assert json.loads(predict(model, write_csv(new, drawn(3)), "--json").out)["notes"] == []


@pytest.mark.slow
def test_the_likeliest_classes(model: Path, asked: Path) -> None:
    wanted = SubgraphClassifier.load(model).answers(list(drawn(7).values())).probabilities
    order = np.argsort(-wanted, axis=1)
    rows = predict(model, asked, "--top", 2, "--json").json["answers"]
    for row, best in zip(rows, order, strict=True):
        assert [item["label"] for item in row["ranking"]] == [CLASSES[c] for c in best[:2]]
    out = asked.with_name("out.parquet")
    assert predict(model, asked, "--top", 2, "-o", out).code == 0
    for row, other in zip(rows_in(out), rows, strict=True):
        assert [row["top 1"], row["top 2"]] == [item["label"] for item in other["ranking"]]
        assert row["p top 2"] == other["ranking"][1]["probability"]
    assert "Likeliest classes" in predict(model, asked, "--top", 2).out
    one = predict(model, "--nodes", "g1", "--top", 1, "--json").json
    assert one["ranking"] == [{"label": one["prediction"], "probability": one["probability"]}]
    assert sum(name in predict(model, "--nodes", "g1", "--top", 1).out for name in CLASSES) == 1
    refused(predict(model, asked, "--top", 0), "--top is a number of classes from 1, found 0.")


@pytest.fixture(scope="module")
def alerting(model: Path, tmp_path_factory) -> Path:
    """The model with a positive class on its card."""
    scorer = load_scorer(model)
    measures = measure_positive(np.array([True, False]), np.array([0.9, 0.1]), 0.3)
    entry = {"label": "plain", "threshold": 0.3, "validation": measures}
    card = {**scorer.card, "positive": entry}
    return save_scorer(replace(scorer, card=card), tmp_path_factory.mktemp("alerting") / "model")


@pytest.mark.slow
def test_a_positive_class_ranks_the_answers(alerting: Path, asked: Path, monkeypatch) -> None:
    monkeypatch.setattr(file_prediction, "_BATCH", 3)
    facts = predict(alerting, asked, "--json").json
    rows = facts["answers"]
    assert [row["subgraph_id"] for row in rows] == list(drawn(7))  # in the order of the input
    shares = np.array([row["p plain"] for row in rows])
    assert [row["rank"] for row in rows] == [1 + int((shares > share).sum()) for share in shares]
    assert [row["alert"] for row in rows] == (shares > 0.3).tolist()
    assert facts["positive"] == {"label": "plain", "threshold": 0.3}
    assert facts["alerts"] == (shares > 0.3).sum()
    for ending in ("csv", "jsonl", "parquet"):
        out = asked.with_name(f"out.{ending}")
        done = predict(alerting, asked, "-o", out)
        assert f"Alerts: {facts['alerts']}, plain above 0.300" in done.out
        written = rows_in(out, words=(*WORDS, "alert"))
        assert [row["rank"] for row in written] == [row["rank"] for row in rows]
        words = {"true": True, "false": False} if ending == "csv" else {True: True, False: False}
        assert [words[row["alert"]] for row in written] == [row["alert"] for row in rows]
    shown = predict(alerting, asked).out
    assert "Answers by the probability of plain" in shown
    first = [row["subgraph_id"] for row in sorted(rows, key=lambda row: row["rank"])]
    assert sorted(first, key=shown.index) == first


@pytest.mark.slow
def test_another_positive_class_has_no_threshold_of_its_own(alerting: Path, asked: Path) -> None:
    done = predict(alerting, asked, "--positive", CLASSES[0])
    assert f"the model has no threshold for {CLASSES[0]!r}" in done.err
    assert f"{CLASSES[0]} above 0.500" in done.out
    refused(predict(alerting, asked, "--positive", "plein"), "Did you mean 'plain'?")
    one = predict(alerting, "--nodes", "g20")
    assert "Alert: " in one.out
    assert predict(alerting, "--nodes", "g20", "--json").json["rank"] == 1


@pytest.mark.slow
def test_several_labels_have_no_positive_class(multilabel: Path, asked: Path) -> None:
    refused(predict(multilabel, asked, "--positive", "plain"), "one label per subgraph")


@pytest.mark.slow
def test_the_only_subgraph_of_a_file_can_be_explained(model, tmp_path) -> None:
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    one.write_text('{"id": "mine", "nodes": ["g1", "g20"]}\n')
    two.write_text(one.read_text() + '{"id": "other", "nodes": ["g2"]}\n')
    by_nodes = json.loads(predict(model, "--nodes", "g1,g20", "--why", "--json").out)
    by_file = json.loads(predict(model, one, "--why", "--json").out)
    assert by_file["id"] == "mine"
    assert by_file["probabilities"] == by_nodes["probabilities"]
    assert by_file["why"]["members"] == by_nodes["why"]["members"]
    for file in (two, tmp_path / "none.jsonl"):
        (tmp_path / "none.jsonl").write_text('{"id": "bad", "nodes": ["nobody"]}\n')
        done = predict(model, file, "--why")
        assert done.code == 2
    assert "nobody" in done.err
    words = predict(model, two, "--why").err.split()
    assert f"are for one subgraph, and {two} has not just one." in " ".join(words)
