"""Folders that version 0.1.0 wrote are still read: report, citations, scores, presets."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import sub2node as s2n
from sub2node.config.settings import SettingsTree, flatten
from sub2node.report.citations import cite
from sub2node.report.html import collect_findings, read_study
from sub2node.runs import StudyFile, load_scores, read_json

HOME = Path(__file__).parent / "fixtures" / "v0_1"
MODELS = ("bag", "cos2n+a-gcn2", "glass", "majority", "s2n+0-gcn2")
RUNS = (HOME / "run", HOME / "run-link", *(HOME / "comparison" / "models" / m for m in MODELS))


@pytest.mark.parametrize("folder", RUNS, ids=lambda folder: folder.name)
def test_scores_of_every_run(folder: Path) -> None:
    facts = json.loads((folder / "result.json").read_text())
    scores = load_scores(folder)
    for part in ("val", "test"):
        for name, score in scores[part].items():
            kept = ("mean", "n", "values")  # what is derived from few values is not shown any more
            now = score.to_dict()
            assert {key: now[key] for key in kept} == {key: facts[part][name][key] for key in kept}
        assert scores[part].keys() == facts[part].keys()
    rest = facts.keys() - {"val", "test"}
    assert {name: scores[name] for name in rest} == {name: facts[name] for name in rest}


def test_a_report_of_a_run_and_a_comparison() -> None:
    both = [HOME / "run", HOME / "comparison"]
    assert collect_findings(read_study(both)).numbers["main"] == "bag"  # best on validation
    numbers = collect_findings(read_study(both, model="s2n+a gcn2")).numbers
    assert [row["simple"] for row in numbers["models"]].count(True) == 2
    assert len(numbers["models"]) == 1 + len(MODELS)
    assert numbers["missing"] == {}
    for row in numbers["models"]:
        facts = json.loads((Path(row["folder"]) / "result.json").read_text())
        assert row["test"]["micro_f1"]["values"] == facts["test"]["micro_f1"]["values"]
        assert row["test_intervals"] == {}  # 0.1.0 did not write them
    assert numbers["significance_test"] == "welch"
    assert collect_findings(read_study([HOME / "run-link"])).numbers["errors"]


@pytest.mark.process
def test_the_page_needs_no_pydantic(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['pydantic'] = None\n"
        "from sub2node.report.html import collect_findings, read_study, write_report\n"
        "write_report(collect_findings(read_study([sys.argv[1]])), sys.argv[2])\n"
        "assert 'torch' not in sys.modules"
    )
    out = tmp_path / "report.html"
    subprocess.run([sys.executable, "-c", code, str(HOME / "run"), str(out)], check=True)
    assert "s2n+a gcn2" in out.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("run", {"kim2024translating", "chen2020simple"}),
        ("run-link", {"kim2024translating", "wang2022glass"}),
        ("comparison", {"welch1947generalization", "loukas2019graph", "pedregosa2011scikit"}),
        ("study", {"akiba2019optuna", "bergstra2011algorithms"}),
        ("model", {"guo2017calibration", "lakshminarayanan2017simple"}),
        ("model-link", {"guo2017calibration", "wang2022glass"}),
    ],
)
def test_citations(name: str, keys: set[str]) -> None:
    assert keys <= {entry.key for entry in cite(HOME / name).entries}


def assert_settings_kept(now: SettingsTree, then: SettingsTree) -> None:
    """What an old file says holds; settings that came later are at their default."""
    assert dict(flatten(then)).items() <= dict(flatten(now)).items()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["run", "run-link"])
def test_settings_of_a_run_are_a_preset(name: str) -> None:
    facts = json.loads((HOME / name / "result.json").read_text())
    again = s2n.run(s2n.load_task(HOME / "data"), seeds=2, preset=str(HOME / name / "config.toml"))
    for part in ("model", "translation", "training"):
        assert_settings_kept(again.config[part], facts["config"][part])
    assert (again.model, again.data["hash"]) == (facts["model"], facts["data"]["hash"])
    if name == "run-link":  # random vectors may be drawn in another way some day
        assert list(again.test["micro_f1"].values) == facts["test"]["micro_f1"]["values"]


def test_the_winner_of_a_study_is_a_preset() -> None:
    study = read_json(StudyFile, HOME / "study" / "study.json")
    result = s2n.run(
        s2n.load_task(HOME / "data"), seeds=1, preset=str(HOME / "study" / "best.toml"),
        settings={"epochs": 2},
    )  # fmt: skip
    assert_settings_kept(result.config["model"], study.config["model"])
    assert study.name == "data"
    assert study.trials
