"""``s2n predict --report``: for one subgraph, for a file, and refusals before any work."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from small_models import drawn, refused, s2n, write_csv, write_task
from sub2node import SubgraphClassifier, load_task


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("case")
    task = load_task(write_task(folder / "data"))
    return SubgraphClassifier(model="bag").fit(task).save(folder / "model")


def sections(page: Path) -> list[str]:
    return re.findall(r"<h2>Case (.*?)</h2>", page.read_text(encoding="utf-8"))


@pytest.mark.slow
def test_one_subgraph(model: Path, tmp_path: Path) -> None:
    page = tmp_path / "case.html"
    done = s2n("predict", model, "--nodes", "g1,g2,zz", "--unknown-nodes", "drop", "--report", page)
    assert f"Case report: {page}" in " ".join(done.out.split())
    assert sections(page) == ["g1, g2, zz"]
    assert "gene 1" in page.read_text(encoding="utf-8")
    again = s2n("predict", model, "--nodes", "g1", "--why", "--report", page, "--overwrite",
                "--json")  # fmt: skip
    assert json.loads(again.out)["id"] == "g1"


@pytest.mark.slow
def test_a_file_has_a_section_for_each_of_the_first(model: Path, tmp_path: Path) -> None:
    asked = write_csv(tmp_path / "new.csv", drawn(23))
    page, out = tmp_path / "case.html", tmp_path / "answers.csv"
    done = s2n("predict", model, asked, "-o", out, "--report", page)
    assert "(the first 20 of 23)" in " ".join(done.out.split())
    assert sections(page) == [f"new {i}" for i in range(20)]
    assert "20 of 23 sets" in page.read_text(encoding="utf-8")
    assert out.exists()
    facts = json.loads(s2n("predict", model, asked, "--report", page, "--overwrite", "--json").out)
    assert facts["report"] == str(page)
    assert len(facts["answers"]) == 23
    assert len(sections(page)) == 20


@pytest.mark.slow
def test_with_a_positive_class_the_highest_ranks_come_first(model: Path, tmp_path: Path) -> None:
    asked, page = write_csv(tmp_path / "new.csv", drawn(23)), tmp_path / "case.html"
    words = ("predict", model, asked, "--positive", "plain", "--json")
    facts = json.loads(s2n(*words, "--report", page).out)
    ranked = sorted(facts["answers"], key=lambda answer: answer["rank"])
    assert sections(page) == [answer["id"] for answer in ranked[:20]]
    assert page.read_text(encoding="utf-8").count("<dt>Alert</dt>") == 20


def test_excluded_features_of_a_phenopacket(model: Path, tmp_path: Path) -> None:
    features = [{"type": {"id": "g1"}}, {"type": {"id": "g4"}, "excluded": True}]
    packet = {"id": "who", "phenotypicFeatures": features, "metaData": {}}
    (tmp_path / "patient.json").write_text(json.dumps(packet))
    page = tmp_path / "case.html"
    s2n("predict", model, tmp_path / "patient.json", "--report", page)
    assert sections(page) == ["who"]
    assert re.search(r"<dt>Excluded</dt><dd>gene 4 ", page.read_text(encoding="utf-8"))


def test_refusals_come_first(tmp_path: Path) -> None:
    nothing = tmp_path / "no-model"
    (tmp_path / "mine.html").write_text("mine")
    for words, sentence in (
        (("--report", tmp_path / "case.pdf"), "must end in .html"),
        (("--report", tmp_path / "case.html", "--mode", "joint"), "--mode independent"),
        (("--report", tmp_path / "mine.html"), "exists already"),
        (("--report", tmp_path / "mine.html", "--overwrite"), "not a report of ours"),
    ):
        refused(s2n("predict", nothing, "--nodes", "a", *words), sentence)
    assert (tmp_path / "mine.html").read_text() == "mine"
