"""Few training subgraphs of each class: subsets, runs that go on, what is compared with what."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ttest_rel

import sub2node as s2n
from sub2node.base.errors import ConfigError, DataError
from sub2node.efficiency.measure import efficiency
from sub2node.models import find_preset
from sub2node.models.baseline import baseline
from sub2node.models.graph_network import GraphNetwork
from sub2node.reproduce.scarce import (
    ScarcePlan,
    ScarceRun,
    ScarceSpeed,
    ScarceStudy,
    data_scarce,
    models_of,
)
from sub2node.reproduce.scarce_journal import ScarceJournal
from sub2node.reproduce.scarce_subsets import published_subset, subset
from sub2node.task import Split, SubgraphTask

pytestmark = pytest.mark.usefixtures("rough_timing", "few_candidates")
QUICK = {"epochs": 3, "features.kind": "random"}
PLAN = ScarcePlan((2, 4), ("s2n+0", "cos2n+0"), ("variation_edges:0.1", "heavy_edge:0.1"), (10, 11))


@pytest.fixture(scope="module")
def task() -> SubgraphTask:
    return s2n.load_task("generate:density,subgraphs=60,seed=3")


def as_published(train: list[int], labels: np.ndarray, n: int, tail: int) -> set[int]:
    """The authors' way, word by word, with a list."""
    classes = sorted(set(labels[train].tolist()))
    rest = list(train)
    random.Random(42).shuffle(rest)
    taken = [rest.pop()]
    while len(taken) < tail * len(classes):
        one = rest.pop()
        after = (classes.index(labels[taken[-1]]) + 1) % len(classes)
        if classes.index(labels[one]) == after:
            taken.append(one)
        else:
            rest.insert(0, one)
    return set((rest + taken)[-n * len(classes) :])


@given(st.lists(st.integers(0, 2), min_size=8, max_size=40), st.integers(0, 100))
def test_the_published_subset_is_drawn_as_published(extra: list[int], seed: int) -> None:
    labels = np.array([0, 1, 2] * 4 + extra)
    np.random.default_rng(seed).shuffle(labels)
    split = Split.sizes(train=len(labels))
    smallest = np.bincount(labels).min()
    for n in (1, 3, int(smallest)):
        found = np.flatnonzero(published_subset(split, labels, n).codes == 0)
        assert np.bincount(labels[found]).tolist() == [n] * 3
        wanted = as_published(list(range(len(labels))), labels, n, min(80, smallest))
        assert set(found.tolist()) == wanted


def test_subsets_are_balanced_and_fresh_for_each_seed(task) -> None:
    one, again, other = (subset(task, 4, seed=seed) for seed in (1, 1, 2))
    assert one == again
    assert one != other
    for small in (one, other):
        assert small.label_counts()[0].tolist() == [4] * task.num_classes
        assert small.split.count("val") == task.split.count("val")
        assert small.split.count("test") == task.split.count("test")
    fixed = [subset(task, 4, seed=seed, subsets="published") for seed in (1, 2)]
    assert fixed[0] == fixed[1]


def test_what_cannot_be_is_refused_before_anything_is_trained(task) -> None:
    models, _ = models_of(task, PLAN, settings=QUICK)
    most = int(task.label_counts()[0].min())
    large = replace(PLAN, sizes=(2, most + 1))
    with pytest.raises(DataError, match=f"fewer than n = {most + 1}"):
        next(data_scarce(task, large, models))
    labels = np.stack([task.labels == 0, task.labels != 1], axis=1)
    several = replace(task, labels=labels, class_names=("a", "b"))
    with pytest.raises(DataError, match="single-label data only"):
        next(data_scarce(several, PLAN, models))
    for wrong in ({"sizes": ()}, {"sizes": (2, 2)}, {"structures": ()}, {"coarsenings": ()},
                  {"seeds": (1, 1)}, {"subsets": "other"}):  # fmt: skip
        with pytest.raises(ConfigError):
            replace(PLAN, **wrong)
    replace(PLAN, structures=("s2n+0",), coarsenings=())  # needs none


def test_all_models_run_on_the_same_subsets_and_go_on_where_they_stopped(task) -> None:
    models, _ = models_of(task, PLAN, settings=QUICK, preset="fast")
    found = list(data_scarce(task, PLAN, models))
    rows = [row for row in found if isinstance(row, ScarceRun)]
    assert len(rows) == 2 * 2 * 3
    assert len(found) - len(rows) == 2 * 3
    again = list(data_scarce(task, PLAN, models, known=found[:-4]))
    assert again == found[-4:]
    direct = s2n.run(
        subset(task, 4, seed=11), structure="cos2n+0", coarsen="heavy_edge:0.1", seeds=[11],
        preset="fast", settings=QUICK,
    )  # fmt: skip
    (mine,) = [r for r in rows if (r.coarsen, r.n, r.seed) == ("heavy_edge:0.1", 4, 11)]
    assert mine.test == direct.test["micro_f1"].mean
    assert mine.val == direct.val["micro_f1"].mean


def test_one_published_subset_for_all_seeds_trains_them_together(task) -> None:
    plan = replace(PLAN, subsets="published", structures=("s2n+0",), sizes=(3,))
    models, _ = models_of(task, plan, settings=QUICK, preset="fast")
    rows = [row for row in data_scarce(task, plan, models) if isinstance(row, ScarceRun)]
    direct = s2n.run(
        subset(task, 3, seed=0, subsets="published"), structure="s2n+0", seeds=[10, 11],
        preset="fast", settings=QUICK,
    )  # fmt: skip
    assert [row.test for row in rows] == list(direct.test["micro_f1"].values)


def test_a_model_that_cannot_be_trained_is_told_and_left_out(task) -> None:
    plan = replace(PLAN, sizes=(2,), seeds=(10,))
    models, _ = models_of(task, plan, settings=QUICK, preset="fast")
    broken = models["cos2n+0", "heavy_edge:0.1"].candidates[0]
    broken = broken.with_settings({"coarsening.ratio": 1e-6})  # removes no node
    models["cos2n+0", "heavy_edge:0.1"] = replace(
        models["cos2n+0", "heavy_edge:0.1"], candidates=(broken,)
    )
    said: list[str] = []
    found = list(data_scarce(task, plan, models, failed=lambda name, error: said.append(name)))
    assert set(said) == {"cos2n+0 heavy_edge:0.1"}
    assert {row.coarsen for row in found} == {"", "variation_edges:0.1"}
    with pytest.raises(DataError, match="raise the ratio"):
        list(data_scarce(task, plan, models))


def rows_of(scores: dict[tuple[str, str], list[tuple[float, float]]]) -> tuple[ScarceRun, ...]:
    return tuple(
        ScarceRun(structure, coarsen, 10, seed, val, test, test)
        for (structure, coarsen), pairs in scores.items()
        for seed, (val, test) in enumerate(pairs)
    )


def test_validation_chooses_the_coarsening_and_gains_are_paired() -> None:
    rows = rows_of(
        {
            ("s2n+0", ""): [(0.5, 0.4), (0.5, 0.6), (0.5, 0.5), (0.5, 0.4), (0.5, 0.6)],
            ("cos2n+0", "heavy_edge:0.1"): [(0.7, test) for test in (0.5, 0.8, 0.6, 0.6, 0.7)],
            ("cos2n+0", "heavy_edge:0.2"): [(0.6, 0.9)] * 5,
        }
    )
    found = ScarceStudy(
        ScarcePlan((10,), ("s2n+0", "cos2n+0"), ("heavy_edge:0.1", "heavy_edge:0.2"), (0, 1)),
        rows,
        (),
    )
    assert found.chosen("cos2n+0") == "heavy_edge:0.1"  # although the other is better on test
    assert found.summary("cos2n+0", 10).mean == pytest.approx(0.64)
    gain, p = found.gain("cos2n+0", "s2n+0", 10)
    assert gain.values == pytest.approx((0.1, 0.2, 0.1, 0.2, 0.1))
    pair = [[row.test for row in found.scores(s, 10).values()] for s in ("cos2n+0", "s2n+0")]
    assert p == pytest.approx(ttest_rel(*pair).pvalue)
    fewer = ScarceStudy(found.plan, tuple(row for row in rows if row.seed < 4), ())
    assert fewer.gain("cos2n+0", "s2n+0", 10)[1] is None  # no verdict below five
    assert found.gain("cos2n+a", "s2n+a", 10) is None
    table = {(row["structure"], row["per_class"]): row for row in found.to_dict()["table"]}
    assert table["cos2n+0", 10]["mean"] == pytest.approx(0.64)


def test_findings_are_kept_line_by_line(tmp_path, task) -> None:
    models, _ = models_of(task, PLAN, settings=QUICK, preset="fast")
    key = models["s2n+0", ""].key
    row = ScarceRun("s2n+0", "", 2, 10, 0.5, 0.4, 0.3, key)
    speed = ScarceSpeed("s2n+0", "", 2, 1.5, 2.5, 100, "cpu", key)
    out = tmp_path / "scarce"
    log = ScarceJournal(out)
    assert log.open(PLAN, task, models) == []
    log.add(row)
    log.add(speed)
    with (out / "rows.jsonl").open("a") as file:
        file.write('{"structure": "s2n+0", "coa')  # killed while it was writing
    with pytest.raises(ConfigError, match="--resume"):
        ScarceJournal(out)
    again = ScarceJournal(out, resume=True)
    assert again.open(PLAN, task, models) == [row, speed]
    again.add(row)
    assert ScarceJournal(out, resume=True).open(PLAN, task, models) == [row, speed, row]
    others, _ = models_of(task, PLAN, settings={**QUICK, "lr": 0.5}, preset="fast")
    with pytest.raises(ConfigError, match=r"s2n\+0 with other settings"):
        ScarceJournal(out, resume=True).open(PLAN, task, others)
    with pytest.raises(ConfigError, match="other subsets"):
        ScarceJournal(out, resume=True).open(replace(PLAN, subsets="published"), task, models)
    for damage in ('{"a": 1}\nnonsense\n', "[]\n", '{"data": 1}\n', "\xff\xfe\n"):
        (out / "rows.jsonl").write_bytes(damage.encode("latin-1"))
        with pytest.raises(DataError, match="not what a run left"):
            ScarceJournal(out, resume=True).open(PLAN, task, models)
    for lost in ("", '{"data": "cut'):
        (out / "rows.jsonl").write_text(lost)
        assert ScarceJournal(out, resume=True).open(PLAN, task, models) == []


@pytest.mark.parametrize("structure", ["separated", "connected", "s2n+0", "cos2n+a"])
def test_steps_are_timed_and_weighed(task, structure) -> None:
    config = find_preset("fast", task, structure, "gcn2").with_settings(QUICK).config
    found = efficiency(task, GraphNetwork((config,), device="cpu"))
    assert found.train_subgraphs == task.split.count("train")
    assert found.eval_subgraphs == task.split.count("val")
    assert found.train_throughput == found.train_subgraphs / found.train_seconds
    assert 0 < found.eval_seconds < 5
    # At least parameters, gradients and two moments of each.
    assert found.memory > 4 * 4 * found.parameters
    wider = config.with_settings({"hidden": 2 * config.model.hidden})
    assert efficiency(task, GraphNetwork((wider,), device="cpu")).memory > found.memory
    joined = config.with_settings({"features.join": "concat"})
    columns = np.ones((task.graph.num_nodes, 40))
    more = efficiency(task, GraphNetwork((joined,), columns, "cpu"))
    assert more.memory > found.memory  # what joins the features counts


@pytest.mark.parametrize("name", ["glass", "gnn-plain", "gnn-seg", "subgnn"])
def test_epochs_of_baselines_are_timed_and_weighed(task, name) -> None:
    model = baseline(task, name, preset="fast", device="cpu").model
    found = efficiency(task, model)
    assert found.train_subgraphs == task.split.count("train")
    assert found.train_throughput == found.train_subgraphs / found.train_seconds
    assert found.memory > 4 * 4 * found.parameters > 0


def test_coarsenings_are_compared_on_subsets_that_all_had() -> None:
    """A run that was cut short has more of one coarsening than of another."""
    rows = rows_of(
        {
            ("cos2n+0", "heavy_edge:0.1"): [(0.5, 0.1), (0.9, 0.1)],
            ("cos2n+0", "heavy_edge:0.2"): [(0.6, 0.1)],
        }
    )
    found = ScarceStudy(
        ScarcePlan((10,), ("cos2n+0",), ("heavy_edge:0.1", "heavy_edge:0.2"), (0, 1)), rows, ()
    )
    assert found.chosen("cos2n+0") == "heavy_edge:0.2"
