"""Few training subgraphs of each class: runs that go on, what is compared with what."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import ttest_rel
from torch import nn

import sub2node as s2n
from sub2node.base.errors import ConfigError, DataError
from sub2node.reproduce.scarce import (
    ScarcePlan,
    ScarceRun,
    ScarceSpeed,
    ScarceStudy,
    data_scarce,
    models_of,
)
from sub2node.reproduce.scarce_subsets import subset
from sub2node.task import SubgraphTask

pytestmark = pytest.mark.usefixtures("rough_timing", "few_candidates")
QUICK = {"epochs": 3, "features.kind": "random"}
PLAN = ScarcePlan((2, 4), ("s2n+0", "cos2n+0"), ("variation_edges:0.1", "heavy_edge:0.1"), (10, 11))


@pytest.fixture(scope="module")
def task() -> SubgraphTask:
    return s2n.load_task("generate:density,subgraphs=60,seed=3")


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
    for wrong, message in (
        ({"sizes": ()}, "sizes are one at least, each once"),
        ({"sizes": (2, 2)}, "sizes are one at least, each once"),
        ({"structures": ()}, "structures are one at least"),
        ({"coarsenings": ()}, "coarsenings are one at least"),
        ({"seeds": (1, 1)}, "seeds are different whole numbers"),
        ({"subsets": "other"}, "subsets are fresh or published"),
    ):
        with pytest.raises(ConfigError, match=message):
            replace(PLAN, **wrong)
    without = replace(PLAN, structures=("s2n+0",), coarsenings=())  # needs none
    assert without.models == [("s2n+0", "")]


@pytest.mark.slow
def test_all_models_run_on_the_same_subsets_and_go_on_where_they_stopped(task) -> None:
    models, _ = models_of(task, PLAN, settings=QUICK, preset="fast")
    result = list(data_scarce(task, PLAN, models))
    rows = [row for row in result if isinstance(row, ScarceRun)]
    assert len(rows) == 2 * 2 * 3
    assert len(result) - len(rows) == 2 * 3
    again = list(data_scarce(task, PLAN, models, known=result[:-4]))
    assert again == result[-4:]
    direct = s2n.run(
        subset(task, 4, seed=11), structure="cos2n+0", coarsen="heavy_edge:0.1", seeds=[11],
        preset="fast", settings=QUICK,
    )  # fmt: skip
    (mine,) = [r for r in rows if (r.coarsen, r.n, r.seed) == ("heavy_edge:0.1", 4, 11)]
    assert mine.test == direct.test["micro_f1"].mean
    assert mine.val == direct.val["micro_f1"].mean


@pytest.mark.slow
def test_one_published_subset_for_all_seeds_trains_them_together(task) -> None:
    plan = replace(PLAN, subsets="published", structures=("s2n+0",), sizes=(3,))
    models, _ = models_of(task, plan, settings=QUICK, preset="fast")
    rows = [row for row in data_scarce(task, plan, models) if isinstance(row, ScarceRun)]
    direct = s2n.run(
        subset(task, 3, seed=0, subsets="published"), structure="s2n+0", seeds=[10, 11],
        preset="fast", settings=QUICK,
    )  # fmt: skip
    assert [row.test for row in rows] == list(direct.test["micro_f1"].values)


@pytest.mark.slow
def test_a_model_that_cannot_be_trained_is_told_and_left_out(task) -> None:
    plan = replace(PLAN, sizes=(2,), seeds=(10,))
    models, _ = models_of(task, plan, settings=QUICK, preset="fast")
    broken = models["cos2n+0", "heavy_edge:0.1"].candidates[0]
    broken = broken.with_settings({"coarsening.ratio": 1e-6})  # removes no node
    models["cos2n+0", "heavy_edge:0.1"] = replace(
        models["cos2n+0", "heavy_edge:0.1"], candidates=(broken,)
    )
    said: list[str] = []
    result = list(data_scarce(task, plan, models, failed=lambda name, error: said.append(name)))
    assert set(said) == {"cos2n+0 heavy_edge:0.1"}
    assert {row.coarsen for row in result} == {"", "variation_edges:0.1"}
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
    result = ScarceStudy(
        ScarcePlan((10,), ("s2n+0", "cos2n+0"), ("heavy_edge:0.1", "heavy_edge:0.2"), (0, 1)),
        rows,
        (),
    )
    assert result.chosen("cos2n+0") == "heavy_edge:0.1"  # although the other is better on test
    assert result.summary("cos2n+0", 10).mean == pytest.approx(0.64)
    gain, p = result.gain("cos2n+0", "s2n+0", 10)
    assert gain.values == pytest.approx((0.1, 0.2, 0.1, 0.2, 0.1))
    pair = [[row.test for row in result.scores(s, 10).values()] for s in ("cos2n+0", "s2n+0")]
    assert p == pytest.approx(ttest_rel(*pair).pvalue)
    fewer = ScarceStudy(result.plan, tuple(row for row in rows if row.seed < 4), ())
    assert fewer.gain("cos2n+0", "s2n+0", 10)[1] is None  # no verdict below five
    assert result.gain("cos2n+a", "s2n+a", 10) is None
    table = {(row["structure"], row["per_class"]): row for row in result.to_dict()["table"]}
    assert table["cos2n+0", 10]["mean"] == pytest.approx(0.64)


def test_coarsenings_are_compared_on_subsets_that_all_had() -> None:
    """A run that was cut short has more of one coarsening than of another."""
    rows = rows_of(
        {
            ("cos2n+0", "heavy_edge:0.1"): [(0.5, 0.1), (0.9, 0.1)],
            ("cos2n+0", "heavy_edge:0.2"): [(0.6, 0.1)],
        }
    )
    result = ScarceStudy(
        ScarcePlan((10,), ("cos2n+0",), ("heavy_edge:0.1", "heavy_edge:0.2"), (0, 1)), rows, ()
    )
    assert result.chosen("cos2n+0") == "heavy_edge:0.2"


@pytest.mark.slow
def test_speed_is_measured_with_the_encodings_of_the_run(task) -> None:
    plan = ScarcePlan((2,), ("s2n+0",), (), (10,))
    settings = {**QUICK, "features.join": "concat"}
    wide = np.zeros((task.graph.num_nodes, 4096), np.float32)
    steps = []
    for encodings in (None, wide):
        models, _ = models_of(task, plan, settings=settings, preset="fast", encodings=encodings)
        steps.append(next(iter(data_scarce(task, plan, models))))
    assert all(isinstance(step, ScarceSpeed) for step in steps)
    assert steps[1].memory > 2 * steps[0].memory


class OwnConvolution(nn.Module):
    def __init__(self, width_in: int, width_out: int) -> None:
        super().__init__()
        self.map = nn.Linear(width_in, width_out)

    def forward(self, x, edge_index, edge_weight=None):
        return self.map(x)


def test_a_convolution_of_ones_own_runs_with_few_subgraphs(task) -> None:
    plan = ScarcePlan((2,), ("s2n+0",), (), (10,))
    models, _ = models_of(task, plan, settings=QUICK, preset="fast", conv=OwnConvolution)
    speed, result = data_scarce(task, plan, models)
    assert isinstance(speed, ScarceSpeed)
    assert (result.structure, result.n, result.seed) == ("s2n+0", 2, 10)
    assert 0 <= result.test <= 1


def test_the_same_coarsening_written_twice_is_one() -> None:
    with pytest.raises(ConfigError, match="each once"):
        ScarcePlan((2,), ("cos2n+0",), ("heavy_edge:0.3", "heavy_edge:0.30"), (10,))


def test_coarsenings_are_compared_at_sizes_that_all_had() -> None:
    plan = ScarcePlan((10, 80), ("cos2n+0",), ("heavy_edge:0.2", "heavy_edge:0.3"), (10,))
    rows = (
        ScarceRun("cos2n+0", "heavy_edge:0.2", 10, 10, 0.3, 0.3, 0.3),
        ScarceRun("cos2n+0", "heavy_edge:0.3", 10, 10, 0.5, 0.5, 0.5),
        ScarceRun("cos2n+0", "heavy_edge:0.2", 80, 10, 0.8, 0.8, 0.8),  # then Ctrl-C
    )
    assert ScarceStudy(plan, rows, ()).chosen("cos2n+0") == "heavy_edge:0.3"


def test_differences_equal_but_for_rounding_have_no_p() -> None:
    scores = (0.2, 0.3, 0.5, 0.6, 0.7)
    rows = rows_of(
        {
            ("s2n+0", ""): [(0.5, score) for score in scores],
            ("cos2n+0", "heavy_edge:0.3"): [(0.5, score + 0.1) for score in scores],
        }
    )
    plan = ScarcePlan((10,), ("s2n+0", "cos2n+0"), ("heavy_edge:0.3",), tuple(range(5)))
    gain, p = ScarceStudy(plan, rows, ()).gain("cos2n+0", "s2n+0", 10)
    assert len(set(gain.values)) > 1  # they do differ by rounding
    assert gain.values == pytest.approx((0.1,) * 5)
    assert p is None
