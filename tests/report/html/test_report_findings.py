"""Numbers of a report: those of result.json, of comparisons, and of the run that is repeated."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from report_runs import made_result, simple_result, small_task
from sub2node.base.errors import ConfigError, DataError
from sub2node.evaluate import compare, welch
from sub2node.report.html import collect_findings, read_study
from sub2node.report.html.report_page import render
from sub2node.runs import save_comparison, save_run


def test_scores_are_those_of_result_json(folder, numbers) -> None:
    written = json.loads((folder / "result.json").read_text())
    for part in ("val", "test"):
        for name, value in written[part].items():
            shown = numbers["models"][0][part][name]
            assert {key: value[key] for key in shown} == shown
    shown = {row["name"]: row["f1"]["values"] for row in numbers["classes"]}
    assert shown == {
        name: pytest.approx(value["values"]) for name, value in written["per_class"]["test"].items()
    }
    assert numbers["efficiency"][0]["parameters"] == 1234
    assert numbers["efficiency"][0]["seconds_a_run"] == 0.5


def test_errors_have_names_sizes_and_links(task, folder, numbers) -> None:
    rows = pq.read_table(folder / "subgraphs.parquet").to_pydict()
    place = {name: number for number, name in enumerate(rows["subgraph_id"])}
    assert numbers["errors"]
    for error in numbers["errors"]:
        number = place[error["id"]]
        assert rows["part"][number] == "test"
        assert error["title"] == f"Title of {error['id']}"
        assert error["size"] == rows["size"][number]
        assert error["truth"] == rows["label"][number]
        assert list(error["train_links"].values()) == rows["train_links"][number]
        if not task.multilabel:
            assert error["mistakes"][0]["label"] not in error["truth"]


@pytest.mark.slow
def test_marks_and_tests_are_those_of_the_comparison(tmp_path: Path) -> None:
    task = small_task(80)
    results = [simple_result(task), made_result(task, 5, signal=2.5), made_result(
        task, 6, model="s2n+0 gcn2", signal=0.4)]  # fmt: skip
    compared = compare(results)
    folder = save_comparison(compared, task, tmp_path / "both")
    found = collect_findings(read_study([folder])).numbers
    assert found["reference"] == results[compared.reference].model == found["main"]
    shown = {row["name"]: (row["p"], row["sign"]) for row in found["models"]}
    assert shown == {row.result.model: (row.p, row.sign) for row in compared.rows}
    means = [row["val"]["micro_f1"]["mean"] for row in found["models"]]
    assert means == sorted(means, reverse=True)  # best first
    against = found["against"]
    assert (against["model"], against["simple"], found["s2n"]) == ("bag", True, None)
    values = [results[i].test["micro_f1"].values for i in (1, 0)]
    assert against["p"] == pytest.approx(welch(*values))
    assert "the best simple model" in " ".join(found["summary"]).lower()
    one = collect_findings(read_study([folder], model="s2n+0 gcn2"))
    assert one.numbers["main"] == "s2n+0 gcn2"
    assert one.numbers["picture"]["model"] == "s2n+a gcn2"
    assert collect_findings(read_study([folder / "models" / "bag"])).numbers["errors"][0]["title"]
    with pytest.raises(ConfigError, match=r"no model 's2n\+a' in these runs\. Did you mean"):
        read_study([folder], model="s2n+a")


def test_parts_of_result_json_that_are_missing_are_one_sentence(tmp_path: Path) -> None:
    task = small_task()
    folder = save_run(made_result(task), task, tmp_path / "run")
    (folder / "checksums.json").unlink()
    file = folder / "result.json"
    whole = json.loads(file.read_text())
    damage = {
        "seconds": None, "seeds": "ten", "data": {}, "per_class": [], "overlap": [{"part": 1}],
        "sizes": {"test": {}}, "picture": {}, "test": {}, "config": 3,
    }  # fmt: skip
    for key, value in damage.items():
        file.write_text(json.dumps({**whole, key: value}))
        with pytest.raises(DataError, match="not the result of a run"):
            read_study([folder])


def test_runs_on_other_data_are_refused(tmp_path: Path) -> None:
    first, second = small_task(), small_task(seed=1)
    one = save_run(made_result(first), first, tmp_path / "one")
    two = save_run(made_result(second), second, tmp_path / "two")
    with pytest.raises(DataError, match="on other data or another split"):
        read_study([one, two])
    split = made_result(first, outputs={}, history={}, thresholds=())
    split.data["splits"] = 3
    three = save_run(split, first, tmp_path / "three")
    with pytest.raises(DataError, match="over 3 random splits"):
        read_study([one, three])
    parts = {"train": 40, "val": 10, "test": 10}
    split = replace(split, data={**split.data, "split": parts})
    other_parts = save_run(split, first, tmp_path / "parts")
    with pytest.raises(DataError, match="random splits of this run have 40 train, 10 val, 10 test"):
        read_study([three, other_parts])
    with pytest.raises(DataError, match="no such folder"):
        read_study([tmp_path / "four"])
    (tmp_path / "five").mkdir()
    with pytest.raises(DataError, match=r"neither result\.json nor comparison\.json"):
        read_study([tmp_path / "five"])
    (tmp_path / "five" / "comparison.json").write_text("[]")
    with pytest.raises(DataError, match="not the result of a comparison"):
        read_study([tmp_path / "five"])


@pytest.mark.slow
def test_losses_that_are_not_finite_do_no_harm(tmp_path: Path) -> None:
    task = small_task()
    history = made_result(task).history
    history["train_loss"][3:] = math.nan
    history["val_loss"][:] = math.inf
    folder = save_run(made_result(task, history=history), task, tmp_path / "run")
    found = collect_findings(read_study([folder]))
    text = render(found)
    assert "nan" not in text
    assert "inf " not in text
    json.dumps(found.numbers, allow_nan=False)


def test_the_command_repeats_the_run(tmp_path: Path) -> None:
    task = small_task(multilabel=True)
    cases = {
        "plain": ({}, "s2n run random --preset {} --seeds 3"),
        "val": (
            {"thresholds": (0.0, 0.5, 0.0)},
            "s2n run random --preset {} --seeds 3 --threshold val",
        ),
        "odd": ({"seeds": (1, 2, 7)}, "s2n.run(task, preset='{}', seeds=[1, 2, 7])"),
    }
    for name, (more, command) in cases.items():
        folder = save_run(replace(made_result(task), **more), task, tmp_path / name)
        if name == "val":
            (folder / "predictions.parquet").unlink()  # its scores are those of other thresholds
        found = collect_findings(read_study([folder])).numbers
        assert found["commands"]["s2n+a gcn2"] == command.format(folder / "config.toml")


def test_the_command_names_a_convolution_that_a_preset_file_may_not(tmp_path: Path) -> None:
    task = small_task(multilabel=True)
    result = made_result(task)
    settings = {**result.config, "conv": "torch_geometric.nn:TAGConv"}
    folder = save_run(replace(result, config=settings), task, tmp_path / "run")
    (command,) = collect_findings(read_study([folder])).numbers["commands"].values()
    assert "--conv torch_geometric.nn:TAGConv" in command


@pytest.mark.slow
def test_the_command_names_the_data_as_they_were_given(tmp_path: Path) -> None:
    task = small_task()
    facts = {"given": "'my sets.gmt' --graph ../edges.csv", "parts": "50/25/25",
             "files": {"encoding": "vectors.npy", "features": "mine.npy"}}  # fmt: skip
    result = made_result(task)
    result.data.update(facts, splits=3)
    bag = simple_result(task)
    bag.data.update(facts, splits=3)
    folder = save_comparison(compare([result, bag]), task, tmp_path / "both")
    found = collect_findings(read_study([folder]))
    place = folder / "models" / "s2n+a-gcn2" / "config.toml"
    assert found.numbers["commands"]["s2n+a gcn2"] == (
        f"s2n run 'my sets.gmt' --graph ../edges.csv --preset {place} --splits 3 --parts 50/25/25"
        " --seeds 3 --encoding vectors.npy"
    )
    assert found.numbers["commands"]["bag"].endswith("--parts 50/25/25 --seeds 1")
    assert "in place of its name" not in render(found)


@pytest.mark.slow
def test_an_audit_beside_the_run_is_shown_if_it_is_of_the_same_data(task, tmp_path: Path) -> None:
    folder = save_run(made_result(task), task, tmp_path / "run")
    assert collect_findings(read_study([folder])).numbers["audit"] is None
    check = {"name": "a", "title": "Copies & co", "found": "<b>9</b>", "advice": "Mend it."}
    record = {"data": "x", "verdict": "problem", "checks": [{**check, "verdict": "problem"}]}
    (folder / "audit.json").write_text(json.dumps({**record, "hash": task.hash}))
    page = render(collect_findings(read_study([folder])))
    assert 'id="audit"' in page
    assert "Copies &amp; co" in page
    assert "&lt;b&gt;9&lt;/b&gt;" in page
    assert "<b>Problem.</b>" in page
    (folder / "audit.json").write_text(json.dumps({**record, "hash": "other"}))
    page = render(collect_findings(read_study([folder])))
    assert "Copies" not in page
    assert "is of other data" in page
