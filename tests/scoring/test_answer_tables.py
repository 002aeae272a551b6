"""Answers as tables, piece by piece."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from answer_files import rows_in
from scorer_cases import SEVERAL
from sub2node.base.errors import ConfigError
from sub2node.scoring.answer_extras import AnswerExtras
from sub2node.scoring.answer_tables import answer_writer


def test_pieces_of_several_labels_are_one_table(tmp_path: Path) -> None:
    for ending in (".csv", ".tsv", ".jsonl", ".parquet"):
        path = tmp_path / f"a{ending}"
        with answer_writer(path, ending) as write:
            write(SEVERAL)
            write(SEVERAL)
        rows = rows_in(path)
        assert len(rows) == 4
        assert rows[1] == rows[3]
        assert [row["p ü"] for row in rows] == [0.7, 0.3, 0.7, 0.3]
        assert rows[0]["prediction"] in ("x;y;ü", ["x;y", "ü"])
        assert rows[1]["prediction"] in ("", [])


def test_a_table_without_answers_is_a_file(tmp_path: Path) -> None:
    for ending in (".csv", ".tsv", ".jsonl"):
        with answer_writer(tmp_path / f"a{ending}", ending):
            pass
        assert (tmp_path / f"a{ending}").read_text() == ""


def test_another_ending_is_refused(tmp_path: Path) -> None:
    with (
        pytest.raises(ConfigError, match=r"written as \.parquet, \.csv, .* not '\.xls'"),
        answer_writer(tmp_path / "a.xls", ".xls"),
    ):
        pass
    assert list(tmp_path.iterdir()) == []


def test_diagnoses_are_one_list(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    with answer_writer(path, ".json", AnswerExtras(2)) as write:
        write(SEVERAL)
        write(SEVERAL)
    rows = json.loads(path.read_text(encoding="utf-8"))
    assert [row["id"] for row in rows] == [*SEVERAL.names, *SEVERAL.names]
    assert rows[0]["diagnoses"] == [
        {"rank": 1, "id": "x;y", "label": "x;y", "score": 0.9},
        {"rank": 2, "id": "ü", "label": "ü", "score": 0.7},
    ]
    names = ("Odd (type 2) (OMIM:1)", "No id (OMIM)", *SEVERAL.classes[2:])
    with answer_writer(path, ".json") as write:
        write(replace(SEVERAL, classes=names))
    (first, *_) = json.loads(path.read_text(encoding="utf-8"))
    found = {one["id"]: one["label"] for one in first["diagnoses"]}
    assert found["OMIM:1"] == "Odd (type 2)"
    assert found["No id (OMIM)"] == "No id (OMIM)"
    with answer_writer(path, ".json"):
        pass
    assert json.loads(path.read_text(encoding="utf-8")) == []
