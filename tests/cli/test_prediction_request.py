"""What is asked for is checked before the model is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from sub2node.base.errors import ConfigError
from sub2node.cli.prediction_request import PredictionRequest, split_nodes


def request(**given) -> PredictionRequest:
    defaults = {
        "source": None, "nodes": None, "excluded": None, "out": None, "mapping": None,
        "export": None,
        "unknown_nodes": "error", "mode": "independent", "columns": {}, "overwrite": False,
    }  # fmt: skip
    return PredictionRequest(**{**defaults, **given})


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a, b,,a", ["a", "b", "a"]),
        ('"Seizures, febrile", HP:1', ["Seizures, febrile", "HP:1"]),
        ("one two\nthree", ["one two", "three"]),
        (" , ", []),
        ("", []),
    ],
)
def test_names_with_commas_between(text: str, names: list[str]) -> None:
    assert split_nodes(text) == names


def test_files_beside_the_answers(tmp_path: Path) -> None:
    out = tmp_path / "answers.xlsx"
    wanted = request(source=tmp_path / "in.csv", out=out, why=True, neighbors=3)
    assert wanted.side_files() == {
        "why": tmp_path / "answers.why.xlsx",
        "neighbors": tmp_path / "answers.neighbors.xlsx",
    }
    assert wanted.mapping_file == tmp_path / "answers.mapping.xlsx"
    assert wanted.errors_file == tmp_path / "answers.xlsx.errors.csv"
    wanted.check()
    (tmp_path / "answers.why.xlsx").touch()
    with pytest.raises(ConfigError, match=r"answers\.why\.xlsx exists already"):
        wanted.check()
    diagnoses = request(source=tmp_path / "in.csv", out=tmp_path / "a.json", why=True)
    assert diagnoses.side_files() == {"why": tmp_path / "a.why.csv"}
    assert request(nodes="a").mapping_file is None
    assert request(nodes="a", mapping=out).mapping_file == out


def test_whether_one_subgraph_is_wanted(tmp_path: Path) -> None:
    two = tmp_path / "two.jsonl"
    two.write_text('{"nodes": ["a"]}\n{"nodes": ["b"]}\n')
    assert request(nodes="a").wants_one(as_json=False)
    assert request(source=two, export=tmp_path / "a.cx2").wants_one(as_json=True)
    assert not request(source=two).wants_one(as_json=False)
    assert not request(source=two, why=True).wants_one(as_json=True)
    assert request(source=two, neighbors=1).wants_one(as_json=False)
    assert not request(source=two, why=True, out=tmp_path / "a.csv").wants_one(as_json=False)
    two.write_text('{"nodes": ["a"]}\n')
    assert request(source=two, why=True).wants_one(as_json=True)
