"""Numbers of a report: against scikit-learn, definitions, and result.json."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

from report_runs import made_result, simple_result, small_task
from sub2node.base.errors import ConfigError, DataError
from sub2node.config import Config
from sub2node.evaluate import compare, welch
from sub2node.evaluate.overlap import Overlap
from sub2node.evaluate.result import Result
from sub2node.models.interface import Outputs
from sub2node.report.html import collect_findings, read_study
from sub2node.report.html.graph_picture import draw_s2n_graph, layout
from sub2node.report.html.prediction_measures import calibration, worst
from sub2node.report.html.report_charts import curves, intervals, reliability
from sub2node.report.html.report_page import render
from sub2node.report.html.report_wording import check_leakage
from sub2node.runs import save_comparison, save_run
from sub2node.runs.run_tables import Curves, RunPredictions
from sub2node.task import SubgraphTask


@pytest.fixture(scope="module", params=[False, True], ids=["single", "multi"])
def task(request) -> SubgraphTask:
    return small_task(80, 4, multilabel=request.param)


@pytest.fixture(scope="module")
def result(task) -> Result:
    return made_result(task)


@pytest.fixture(scope="module")
def folder(task, result, tmp_path_factory) -> Path:
    return save_run(result, task, tmp_path_factory.mktemp("runs") / "run")


@pytest.fixture(scope="module")
def numbers(folder) -> dict:
    return collect_findings(read_study([folder])).numbers


def answers_of(task: SubgraphTask, result: Result) -> tuple[np.ndarray, list[np.ndarray]]:
    """Labels and answers of the test part as scikit-learn takes them."""
    truth = task.labels[task.split.mask("test")]
    logits = result.outputs["test"].logits
    said = [part > 0 if task.multilabel else part.argmax(axis=1) for part in logits]
    return truth, said


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


def test_classes_are_as_in_scikit_learn(task, result, numbers) -> None:
    truth, said = answers_of(task, result)
    labels = range(task.num_classes)
    for seed, claim in enumerate(said):
        precision, recall, f1, support = precision_recall_fscore_support(
            truth, claim, labels=None if task.multilabel else labels, zero_division=0
        )
        for place, row in enumerate(numbers["classes"]):
            assert row["precision"]["values"][seed] == pytest.approx(precision[place])
            assert row["recall"]["values"][seed] == pytest.approx(recall[place])
            assert row["f1"]["values"][seed] == pytest.approx(f1[place])
            assert row["support"] == support[place]


def test_confusion_is_as_in_scikit_learn(task, result, numbers) -> None:
    if task.multilabel:
        assert numbers["confusion"] is None
        return
    truth, said = answers_of(task, result)
    each = [confusion_matrix(truth, claim, labels=range(task.num_classes)) for claim in said]
    assert np.allclose(numbers["confusion"], np.mean(each, axis=0))


def test_a_class_that_is_never_said_has_no_precision(tmp_path: Path) -> None:
    task = small_task(20, 2)
    logits = np.tile(np.array([5.0, -5.0], np.float32), (1, 5, 1))
    found = made_result(task, 1)
    outputs = {**found.outputs, "test": Outputs(logits)}
    truth = task.labels[task.split.mask("test")]
    share = float((truth == 0).mean())
    scores = {**found.scores, "test": {name: type(value)((share,)) for name, value in
                                       found.scores["test"].items()}}  # fmt: skip
    folder = save_run(made_result(task, 1, outputs=outputs, scores=scores), task, tmp_path / "run")
    rows = collect_findings(read_study([folder])).numbers["classes"]
    assert rows[1]["precision"]["mean"] == rows[1]["recall"]["mean"] == rows[1]["f1"]["mean"] == 0


def expected_error(shares: np.ndarray, right: np.ndarray) -> float:
    """The definition, bin by bin."""
    total = 0.0
    for number in range(10):
        low, high = number / 10, (number + 1) / 10
        here = (shares >= low) & ((shares < high) | (number == 9))
        if here.any():
            total += here.sum() * abs(right[here].mean() - shares[here].mean())
    return total / len(shares)


def test_calibration_is_its_definition(task, result, numbers) -> None:
    truth, _ = answers_of(task, result)
    logits = result.outputs["test"].logits.astype(np.float64)
    if task.multilabel:
        shares = 1 / (1 + np.exp(-logits))
        cases = [(part.ravel(), truth.ravel()) for part in (*shares, shares.mean(axis=0))]
    else:
        shares = np.exp(logits) / np.exp(logits).sum(axis=2, keepdims=True)
        cases = [
            (part.max(axis=1), part.argmax(axis=1) == truth)
            for part in (*shares, shares.mean(axis=0))
        ]
    errors = [expected_error(*case) for case in cases]
    found = numbers["calibration"]
    assert found["error_by_seed"]["values"] == pytest.approx(errors[:-1])
    assert found["error_of_mean"] == pytest.approx(errors[-1])
    assert sum(row["count"] for row in found["bins"]) == len(cases[-1][0])


def test_calibration_of_few_answers_by_hand() -> None:
    shares = np.array([[0.9, 0.1], [0.95, 0.05], [0.4, 0.6], [0.0, 1.0]])
    truth = np.array([[1, 0], [0, 1], [0, 1], [0, 1]], bool)
    found = calibration(shares, truth, multilabel=False)
    assert found.count.tolist() == [0, 0, 0, 0, 0, 0, 1, 0, 0, 3]
    assert found.error == pytest.approx((0.4 + 3 * abs(2 / 3 - 2.85 / 3)) / 4)
    perfect = calibration(np.eye(2), np.eye(2, dtype=bool), multilabel=False)
    assert perfect.error == 0


def make_answers(truth, said, shares, *, multilabel: bool) -> RunPredictions:
    names = tuple(f"s{row}" for row in range(len(truth)))
    kinds = np.array(truth, bool), np.array(said, bool), np.array(shares, float)
    return RunPredictions(names, *kinds, multilabel)


def test_the_surest_mistakes_of_all_seeds_come_first() -> None:
    truth = np.eye(3)[[0, 1, 2, 0]]
    said = np.eye(3)[[[1, 1, 0, 1], [1, 1, 1, 1], [1, 1, 1, 0]]]
    shares = np.tile(
        [[0.2, 0.7, 0.1], [0.1, 0.8, 0.1], [0.4, 0.5, 0.1], [0.05, 0.9, 0.05]], (3, 1, 1)
    )
    found = worst(make_answers(truth, said, shares, multilabel=False))
    listed = [(m.row, m.label, m.wrong, round(m.probability, 6)) for (m,) in found]
    assert listed == [(0, 1, 3, 0.7), (2, 1, 3, 0.5), (3, 1, 2, 0.9)]


def test_mistakes_with_labels_are_said_or_missed() -> None:
    truth = [[1, 0, 1], [0, 1, 0]]
    said = [[[0, 0, 1], [0, 1, 1]], [[0, 1, 1], [0, 1, 1]]]
    shares = np.tile([[0.1, 0.6, 0.9], [0.2, 0.8, 0.95]], (2, 1, 1))
    found = worst(make_answers(truth, said, shares, multilabel=True))
    listed = [[(m.row, m.label, m.missed, m.wrong, round(m.probability, 6)) for m in row]
              for row in found]  # fmt: skip
    assert listed == [[(1, 2, False, 2, 0.95)], [(0, 0, True, 2, 0.9), (0, 1, False, 1, 0.6)]]


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


def test_where_a_simple_model_is_best_the_report_is_about_it(tmp_path: Path) -> None:
    task = small_task(80)
    bag = replace(made_result(task, 5, signal=3.0), model="bag", config={"baseline": "bag"})
    settings = {"baseline": "glass", "training": {}}
    glass = made_result(task, 5, model="glass", signal=0.7, config=settings)
    results = [made_result(task, 5, signal=0.1), bag, glass]
    folder = save_comparison(compare(results), task, tmp_path / "three")
    found = collect_findings(read_study([folder]))
    text = " ".join(found.numbers["summary"])
    assert (found.numbers["main"], found.numbers["reference"]) == ("bag", "bag")
    assert text.startswith("Of 3 models that learned")
    assert "bag, a simple model, is the best on validation." in text
    assert "The best network on validation, glass, has" in text
    assert "The best S2N model, s2n+a gcn2 (place 3 of 3 on validation), has" in text
    assert text.count("bag is significantly better (p ") == 2
    page = render(found)
    assert "<h1>Best of 3 models on random: bag</h1>" in page
    assert "Test scores of bag, in percent" in page  # details are of it too
    one = collect_findings(read_study([folder], model="s2n+a gcn2"))
    assert one.numbers["against"]["model"] == "bag"
    assert "the best of 3 models on validation is bag" in one.numbers["summary"][0]


def test_near_copies_are_a_warning_and_none_is_passed() -> None:
    def told(part: str, similar: int, contained: int, equal: int = 0) -> dict[str, str]:
        known = "train" if part == "test" else "any"
        row = Overlap(part, known, 40, equal, contained, similar, 100, 30)
        return check_leakage((row,))

    assert told("test", 0, 0)["level"] == "good"
    assert told("test", 1, 0)["level"] == "good"
    assert told("test", 0, 2)["level"] == told("test", 2, 0)["level"] == "warn"
    assert "2 of 40 test subgraphs (5.0 %) lie in a training subgraph" in told("test", 2, 0)["text"]
    assert told("any", 4, 4, 4)["level"] == "bad"
    assert told("any", 4, 4, 4)["text"].startswith(
        "4 of 40 subgraphs (10.0 %) have exactly the nodes of another one: a random split may"
    )
    assert check_leakage(())["level"] == "unknown"


def test_a_copy_of_a_training_subgraph_is_a_leak(tmp_path: Path) -> None:
    from sub2node.task import Subgraphs

    task = small_task()
    lists = [task.subgraphs.nodes[a:b] for a, b in zip(task.subgraphs.ptr, task.subgraphs.ptr[1:],
                                                       strict=False)]  # fmt: skip
    lists[-1] = lists[0]
    leaky = SubgraphTask(task.graph, Subgraphs.from_lists(lists), task.labels, task.class_names,
                         task.split)  # fmt: skip
    folder = save_run(made_result(leaky), leaky, tmp_path / "run")
    verdict = collect_findings(read_study([folder])).numbers["leakage"]
    assert verdict["level"] == "bad"
    assert verdict["text"].startswith("1 of 15 test subgraphs (6.7 %) have exactly the nodes")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("result.json", "{", "not the result of a run"),
        ("result.json", '{"test": 3}', "not the result of a run"),
        ("predictions.parquet", "PAR1", "not the predictions of a run"),
        ("epochs.parquet", "", "not the epochs of a run"),
        ("subgraphs.parquet", "x", "not what a run wrote"),
        ("links.parquet", "x", "not what a run wrote"),
    ],
)
def test_damage_is_one_sentence(tmp_path: Path, name: str, text: str, message: str) -> None:
    task = small_task()
    folder = save_run(made_result(task), task, tmp_path / "run")
    (folder / "checksums.json").unlink()
    (folder / name).write_text(text)
    with pytest.raises(DataError, match=message) as caught:
        collect_findings(read_study([folder]))
    assert name in str(caught.value)


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


def test_predictions_of_another_run_are_found_out(tmp_path: Path) -> None:
    task = small_task()
    one = save_run(made_result(task), task, tmp_path / "one")
    two = save_run(made_result(task, signal=0.2), task, tmp_path / "two")
    (one / "checksums.json").unlink()
    (one / "predictions.parquet").write_bytes((two / "predictions.parquet").read_bytes())
    with pytest.raises(DataError, match="do not give the scores"):
        collect_findings(read_study([one]))


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
    with pytest.raises(DataError, match="no such folder"):
        read_study([tmp_path / "four"])
    (tmp_path / "five").mkdir()
    with pytest.raises(DataError, match=r"neither result\.json nor comparison\.json"):
        read_study([tmp_path / "five"])
    (tmp_path / "five" / "comparison.json").write_text("[]")
    with pytest.raises(DataError, match="not the result of a comparison"):
        read_study([tmp_path / "five"])


def test_runs_of_the_same_model_are_told_apart(tmp_path: Path) -> None:
    task = small_task()
    one = save_run(made_result(task), task, tmp_path / "one")
    two = save_run(made_result(task, 2), task, tmp_path / "two")
    names = [run.name for run in read_study([one, two, one]).runs]
    assert names == ["s2n+a gcn2, 3 seeds", "s2n+a gcn2, 2 seeds"]
    tuned = save_run(made_result(task, preset="tuned"), task, tmp_path / "three")
    names = [run.name for run in read_study([one, tuned]).runs]
    assert names == ["s2n+a gcn2, preset fast", "s2n+a gcn2, preset tuned"]
    settings = Config().with_settings({"lr": 0.5}).to_dict()
    faster = save_run(made_result(task, config=settings), task, tmp_path / "four")
    names = [run.name for run in read_study([one, faster]).runs]
    assert names == [f"s2n+a gcn2, lr {Config().training.lr}", "s2n+a gcn2, lr 0.5"]
    again = save_run(made_result(task), task, tmp_path / "five")
    names = [run.name for run in read_study([one, again]).runs]
    assert names == ["s2n+a gcn2, one", "s2n+a gcn2, five"]
    assert read_study([one, again], model=str(again)).main.name == "s2n+a gcn2, five"


def test_a_single_run_has_no_interval_and_no_test(tmp_path: Path) -> None:
    task = small_task()
    folder = save_run(made_result(task, 1), task, tmp_path / "one")
    bag = save_run(simple_result(task), task, tmp_path / "bag")
    found = collect_findings(read_study([folder, bag])).numbers
    assert "(one seed: no spread, no interval)" in found["summary"][1]
    assert "too few runs for a verdict" in found["summary"][2]
    assert found["against"]["p"] is None


def test_two_runs_have_no_interval_and_no_verdict(tmp_path: Path) -> None:
    task = small_task(80)
    results = [made_result(task, 2, signal=4.0), simple_result(task, 2)]
    folder = save_comparison(compare(results), task, tmp_path / "both")
    found = collect_findings(read_study([folder]))
    assert "(n = 2 seeds, too few for an interval: it needs 5)" in found.numbers["summary"][1]
    assert "points less: too few runs for a verdict" in found.numbers["summary"][2]
    assert "significant" not in " ".join(found.numbers["summary"])
    for model in found.numbers["models"]:
        assert model["test"]["micro_f1"]["interval"] is None
    page = render(found)
    assert "too few runs for an interval" in page
    assert "no significant difference</span>" not in page
    [axes] = intervals(found.numbers["models"], found.numbers["main"]).axes
    assert {len(line.get_xdata()) for line in axes.lines} == {2, 1}
    assert not [line for line in axes.lines if line.get_linewidth() == 4]  # dots, and no bar


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


def test_a_loss_that_jumps_stays_in_its_figure() -> None:
    losses = np.linspace(2, 1, 400)[:, None] + np.zeros((400, 3))
    losses[50, 1] = 1e9
    figure = curves(Curves({"train_loss": losses}, (7, 0, 9)), {"train_loss": "train"}, "Loss")
    [axes] = figure.axes
    line, best = axes.lines
    low, high = axes.get_ylim()
    assert low < 1
    assert 2 < high < 3
    assert len(line.get_ydata()) == 300
    assert line.get_ydata().max() < high
    assert all(
        low <= y <= high for band in axes.collections for y in band.get_paths()[0].vertices[:, 1]
    )
    assert list(best.get_xdata()) == [7, 9]


def test_scores_are_drawn_with_their_intervals() -> None:
    score = {"mean": 0.8, "interval": [0.7, 0.9], "values": [0.7, 0.75, 0.8, 0.85, 0.9]}
    models = [{"name": name, "simple": name == "bag", "test": {"micro_f1": score}}
              for name in ("bag", "s2n+a gcn2", "long" * 30)]  # fmt: skip
    [axes] = intervals(models, "s2n+a gcn2").axes
    dots = [70, 75, 80, 85, 90]
    drawn = [list(line.get_xdata()) for line in axes.lines]
    assert drawn == [pytest.approx(x) for x in ([70, 90], dots, [80]) * 3]
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names[:2] == ["bag", "s2n+a gcn2"]
    assert names[2].endswith("…")
    heights = [line.get_ydata()[0] for line in axes.lines[2::3]]
    assert heights == list(axes.get_yticks())  # a name stands beside its mark
    assert [(text.get_text(), text.xy[1]) for text in axes.texts] == [("80.0", y) for y in heights]


def test_reliability_is_drawn_by_bin() -> None:
    probabilities = np.array([[0.05], [0.55], [0.57], [0.99]])
    found = calibration(probabilities, np.array([[0], [1], [0], [1]], bool), multilabel=True)
    upper, lower = reliability(found, (found,), "every label").axes
    points = np.asarray(upper.collections[0].get_offsets())
    assert np.allclose(points, [[0.05, 0], [0.56, 0.5], [0.99, 1]])
    assert [bar.get_height() for bar in lower.patches] == found.count.tolist()
    assert [text.get_text() for text in lower.texts] == ["1", "2", "1"]


def test_the_layout_keeps_what_is_linked_together() -> None:
    source = np.array([0, 1, 2, 3, 4, 5])
    target = np.array([1, 2, 0, 4, 5, 3])
    spots = layout(6, source, target, np.ones(6))
    assert np.array_equal(spots, layout(6, source, target, np.ones(6)))
    far = np.linalg.norm(spots[:, None] - spots[None], axis=2)
    assert far[:3, :3].max() < far[:3, 3:].min()


@pytest.mark.parametrize("multilabel", [False, True])
def test_every_subgraph_is_in_the_picture(multilabel: bool, tmp_path: Path) -> None:
    task = small_task(multilabel=multilabel)
    found = collect_findings(read_study([save_run(made_result(task), task, tmp_path / "run")]))
    picture = draw_s2n_graph(
        found.subgraphs, found.study.main.classes, found.predictions, show_parts=True
    )
    marks = [line for line in picture.figure.axes[0].lines if line.get_gid()]
    assert len({line.get_gid() for line in marks}) == 60
    labels = found.subgraphs.columns["label"]
    assert len(marks) == sum(len(names) for names in labels)  # a piece for each label
    crosses = [line for line in picture.figure.axes[0].lines if line.get_marker() == "x"]
    assert len(crosses) == picture.wrong
    assert any("Title of set 7 · set 7 · train · " in line.get_gid() for line in marks)
    places = np.array([(line.get_xdata()[0], line.get_ydata()[0]) for line in marks])
    assert (places > 0).all()
    assert (places < (920, 620)).all()


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


def test_every_model_is_described_in_a_report() -> None:
    from sub2node.baselines import MODELS
    from sub2node.config import STRUCTURES
    from sub2node.report.html import model_descriptions as descriptions

    assert descriptions._BASELINES.keys() == MODELS.keys()
    assert descriptions._STRUCTURES.keys() == set(STRUCTURES)
