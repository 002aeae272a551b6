"""Coarsening, CoS2N and the data-scarce protocol on paths that people take by mistake."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from torch import nn
from typer.testing import CliRunner, Result

import sub2node as s2n
from sub2node.base.errors import ConfigError, DataError, Sub2NodeError
from sub2node.cli.app import app
from sub2node.coarsen import coarsen, with_virtual
from sub2node.io import save_task
from sub2node.reproduce.scarce import (
    ScarcePlan,
    ScarceRun,
    ScarceSpeed,
    ScarceStudy,
    data_scarce,
    models_of,
)
from sub2node.reproduce.scarce_journal import ScarceJournal
from sub2node.reproduce.scarce_subsets import subset
from sub2node.task import SubgraphTask

pytestmark = pytest.mark.usefixtures("rough_timing", "few_candidates")
DATA = "generate:density,subgraphs=60,seed=3"
QUICK = ("--preset", "fast", "--set", "epochs=2", "--features", "random", "--seeds", "2")
SETTINGS = {"epochs": 2, "features.kind": "random"}
SCARCE = ("reproduce", "data-scarce", DATA, *QUICK, "--structures", "s2n+0", "--sizes", "2")


def command(*words: str | Path) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture(scope="module")
def task() -> SubgraphTask:
    return s2n.load_task(DATA)


@pytest.fixture(scope="module")
def bridged(task) -> SubgraphTask:
    return with_virtual(task, coarsen(task.graph, "variation_edges", 0.3).subgraphs)


# What holds.


def test_other_structures_score_the_same_with_virtual_subgraphs_in_the_data(task, bridged) -> None:
    for structure in ("separated", "connected", "s2n+0", "s2n+a"):
        one, two = (
            s2n.run(data, structure=structure, seeds=2, preset="fast", settings=SETTINGS)
            for data in (task, bridged)
        )
        assert np.array_equal(one.outputs["test"].logits, two.outputs["test"].logits)


@pytest.mark.parametrize("inputs", ["none", "structure", "wl"])
def test_virtual_subgraphs_kept_or_made_are_the_same(task, bridged, inputs) -> None:
    settings = {**SETTINGS, "features.subgraphs": inputs}
    made = s2n.run(task, structure="cos2n+a", coarsen="variation_edges:0.3", seeds=1,
                   preset="fast", settings=settings)  # fmt: skip
    kept = s2n.run(bridged, structure="cos2n+a", seeds=1, preset="fast", settings=settings)
    for part in ("train", "val", "test"):
        assert np.array_equal(made.outputs[part].logits, kept.outputs[part].logits)


@pytest.mark.parametrize("kind", ["parquet", "csv", "tsv", "jsonl", "gmt"])
def test_virtual_subgraphs_survive_every_format(tmp_path, bridged, kind) -> None:
    save_task(bridged, tmp_path / "out", format=kind)
    assert s2n.load_task(str(tmp_path / "out")) == bridged


def test_the_config_of_a_run_is_a_preset_with_the_same_scores(tmp_path) -> None:
    first = command("run", DATA, *QUICK, "--structure", "cos2n+0", "--coarsen", "heavy_edge:0.3",
                    "-o", tmp_path / "run", "--json")  # fmt: skip
    again = command("run", DATA, "--preset", tmp_path / "run" / "config.toml", "--seeds", "2",
                    "--json")  # fmt: skip
    assert json.loads(first.stdout)["test"] == json.loads(again.stdout)["test"]


# What does not.


def test_reproduce_refuses_a_structure_among_the_settings() -> None:
    done = command(*SCARCE, "--set", "structure=connected")
    assert isinstance(done.exception, ConfigError)


def test_resume_refuses_other_encodings(tmp_path) -> None:
    for name, size in (("one", 1.0), ("two", 9.0)):
        np.save(tmp_path / f"{name}.npy", np.full((1200, 64), size, np.float32))
    out = tmp_path / "out"
    assert command(*SCARCE, "--encoding", tmp_path / "one.npy", "-o", out).exit_code == 0
    other = command(*SCARCE, "--encoding", tmp_path / "two.npy", "-o", out, "--resume")
    assert isinstance(other.exception, ConfigError)


def test_resume_refuses_a_preset_file_that_changed(tmp_path) -> None:
    preset, out = tmp_path / "own.toml", tmp_path / "out"
    words = ("reproduce", "data-scarce", DATA, "--preset", preset, "--structures", "s2n+0",
             "--sizes", "2", "--seeds", "1", "-o", out)  # fmt: skip
    preset.write_text("[training]\nepochs = 2\n")
    assert command(*words).exit_code == 0
    preset.write_text("[training]\nepochs = 3\n")
    assert isinstance(command(*words, "--resume").exception, ConfigError)


def scarce(
    plan: ScarcePlan, rows: dict[tuple[str, str, int, int], tuple[float, float]]
) -> ScarceStudy:
    made = tuple(ScarceRun(*key, val, test, test) for key, (val, test) in rows.items())
    return ScarceStudy(plan, made, ())


def test_a_coarsening_that_is_not_asked_for_is_not_chosen(tmp_path) -> None:
    words = (*SCARCE, "--structures", "cos2n+0", "-o", tmp_path / "out", "--json")
    assert command(*words, "--coarsen", "variation_edges:0.3").exit_code == 0
    done = command(*words, "--coarsen", "heavy_edge:0.3", "--seeds", "1", "--resume")
    found = json.loads(done.stdout)
    assert found["coarsenings"] == {"cos2n+0": "heavy_edge:0.3"}
    assert {row["seed"] for row in found["rows"]} == {10}


def test_coarsenings_are_compared_where_all_of_them_ran() -> None:
    plan = ScarcePlan((10, 80), ("cos2n+0",), ("heavy_edge:0.2", "heavy_edge:0.3"), (10,))
    found = scarce(plan, {
        ("cos2n+0", "heavy_edge:0.2", 10, 10): (0.3, 0.3),
        ("cos2n+0", "heavy_edge:0.3", 10, 10): (0.5, 0.5),
        ("cos2n+0", "heavy_edge:0.2", 80, 10): (0.8, 0.8),  # then Ctrl-C
    })  # fmt: skip
    assert found.chosen("cos2n+0") == "heavy_edge:0.3"


def test_speed_is_measured_with_the_encodings_of_the_run(task) -> None:
    plan = ScarcePlan((2,), ("s2n+0",), (), (10,))
    settings = {**SETTINGS, "features.join": "concat"}
    wide = np.zeros((task.graph.num_nodes, 4096), np.float32)
    steps = []
    for encodings in (None, wide):
        models, _ = models_of(task, plan, settings=settings, preset="fast", encodings=encodings)
        steps.append(next(iter(data_scarce(task, plan, models))))
    assert all(isinstance(step, ScarceSpeed) for step in steps)
    assert steps[1].memory > 2 * steps[0].memory


class Own(nn.Module):
    def __init__(self, width_in: int, width_out: int) -> None:
        super().__init__()
        self.map = nn.Linear(width_in, width_out)

    def forward(self, x, edge_index, edge_weight=None):
        return self.map(x)


def test_a_convolution_of_ones_own_runs_with_few_subgraphs(task) -> None:
    plan = ScarcePlan((2,), ("s2n+0",), (), (10,))
    models, _ = models_of(task, plan, settings=SETTINGS, preset="fast", conv=Own)
    assert len(list(data_scarce(task, plan, models))) == 2


def test_the_published_subset_has_n_of_each_class_or_is_refused() -> None:
    task = s2n.load_task("generate:density,subgraphs=400,seed=3")
    small = subset(task, 80, seed=0, subsets="published")
    assert small.label_counts()[0].tolist() == [80] * task.num_classes
    with pytest.raises(DataError, match="80 of each class at most, so n = 100"):
        subset(task, 100, seed=0, subsets="published")


def test_a_size_that_cannot_be_leaves_no_folder(tmp_path) -> None:
    done = command(*SCARCE[:-1], "2000", "-o", tmp_path / "out")
    assert isinstance(done.exception, DataError)
    assert not (tmp_path / "out").exists()


def test_a_coarsening_without_its_ratio_is_drawn(tmp_path) -> None:
    done = command(*SCARCE, "--structures", "cos2n+0", "--coarsen", "heavy_edge",
                   "--coarsen", "heavy_edge:0.3", "-o", tmp_path / "out")  # fmt: skip
    assert done.exit_code == 0
    assert "cos2n+0: heavy_edge:0." in done.output  # the ratio that was taken


def test_the_same_coarsening_written_twice_is_one() -> None:
    with pytest.raises(ConfigError, match="each once"):
        ScarcePlan((2,), ("cos2n+0",), ("heavy_edge:0.3", "heavy_edge:0.30"), (10,))


@pytest.mark.filterwarnings("ignore:Precision loss")
def test_differences_equal_but_for_rounding_are_equal() -> None:
    plan = ScarcePlan((2,), ("s2n+0", "cos2n+0"), ("heavy_edge:0.3",), (10, 11, 12))
    found = scarce(plan, {
        **{("s2n+0", "", 2, 10 + i): (0.5, x) for i, x in enumerate((0.2, 0.3, 0.5))},
        **{("cos2n+0", "heavy_edge:0.3", 2, 10 + i): (0.5, x)
           for i, x in enumerate((0.3, 0.4, 0.6))},
    })  # fmt: skip
    _, p = found.gain("cos2n+0", "s2n+0", 2)
    assert p is None or p == 0 or p > 1e-3


@pytest.mark.parametrize("content", [b"\xff\xfe\x00\x01\n", b"[]\n"])
def test_a_damaged_file_of_findings_is_one_sentence(tmp_path, task, content) -> None:
    (tmp_path / "rows.jsonl").write_bytes(content)
    with pytest.raises(Sub2NodeError):
        ScarceJournal(tmp_path, resume=True).open(ScarcePlan(), task, {})


@pytest.mark.parametrize("content", ["", '{"data": "b2a0'])
def test_a_run_that_ended_before_its_first_line_goes_on(tmp_path, task, content) -> None:
    (tmp_path / "rows.jsonl").write_text(content)
    assert ScarceJournal(tmp_path, resume=True).open(ScarcePlan(), task, {}) == []


def test_findings_are_numbers(tmp_path, task) -> None:
    log = ScarceJournal(tmp_path / "out")
    log.open(ScarcePlan(), task, {})
    log.add(ScarceRun("s2n+0", "", 2, 10, None, "x", 0.5))  # type: ignore[arg-type]
    log.add(ScarceRun("s2n+0", "", 2, 11, 0.5, 0.25, 0.25))
    again = ScarceJournal(tmp_path / "out", resume=True)
    assert [row.seed for row in again.open(ScarcePlan(), task, {})] == [11]
    assert again.broken == 1  # said to the user, and run again


def test_reproduce_splits_data_or_says_how(tmp_path, task) -> None:
    save_task(replace(task, split=None), tmp_path / "data")
    done = command(SCARCE[0], SCARCE[1], tmp_path / "data", *SCARCE[3:])
    assert done.exit_code == 0, done.exception


def test_reproduce_takes_the_virtual_subgraphs_of_the_data(tmp_path, bridged) -> None:
    save_task(bridged, tmp_path / "data")
    done = command(SCARCE[0], SCARCE[1], tmp_path / "data", *SCARCE[3:], "--structures", "cos2n+0")
    assert done.exit_code == 0, done.exception


def test_all_refuses_a_coarsening_of_coarsened_data(tmp_path, bridged) -> None:
    save_task(bridged, tmp_path / "data")
    done = command("run", tmp_path / "data", "--all", "--coarsen", "heavy_edge:0.3", *QUICK)
    assert isinstance(done.exception, ConfigError)


def test_a_ratio_is_set_once() -> None:
    done = command("run", DATA, *QUICK, "--structure", "cos2n+0", "--coarsen", "heavy_edge:0.3",
                   "--set", "coarsening.ratio=0.1")  # fmt: skip
    assert isinstance(done.exception, ConfigError)


def test_a_preset_by_structure_has_nothing_that_is_not_read(tmp_path, task) -> None:
    from sub2node.models import find_preset

    file = tmp_path / "own.toml"
    file.write_text('conv = "gin"\n["s2n+0".training]\nepochs = 2\n')
    config = find_preset(str(file), task, "s2n+0").config
    assert (config.conv, config.training.epochs) == ("gin", 2)


def test_a_published_file_is_a_preset_of_ones_own(task) -> None:
    from sub2node.models import find_preset

    file = Path(s2n.__file__).parent / "config" / "presets" / "paper" / "gcn2" / "ppi_bp.toml"
    own, published = (
        find_preset(name, task, "cos2n+0").config for name in (str(file), "paper:ppi_bp")
    )
    assert (own.structure, own.coarsening.ratio) == ("cos2n+0", 0.4)
    assert (own.model, own.training) == (published.model, published.training)


def test_several_labels_and_virtual_subgraphs_are_written_as_csv(tmp_path, task) -> None:
    labels = np.stack([task.labels == 0, task.labels != 0, task.labels > -1], axis=1)
    several = replace(task, labels=labels, class_names=("a", "b", "c"))
    both = with_virtual(several, coarsen(task.graph, "heavy_edge", 0.3).subgraphs)
    save_task(both, tmp_path / "out", format="csv")
    assert s2n.load_task(str(tmp_path / "out")) == both


def test_stopping_without_a_folder_promises_nothing(monkeypatch) -> None:
    from sub2node.reproduce import scarce as module

    real = module._run_seeds

    def once(task, model, *, seeds, **names):
        if seeds != [10]:
            raise KeyboardInterrupt
        yield from real(task, model, seeds=seeds, **names)

    monkeypatch.setattr(module, "_run_seeds", once)
    done = command(*SCARCE)
    assert done.exit_code == 130
    assert "goes on" not in done.stderr
