"""Jobs in words, and plans in numbers."""

from __future__ import annotations

import pytest

from sub2node.reproduce import jobs
from sub2node.reproduce.jobs import Job, ReproductionPlan


@pytest.mark.parametrize(
    ("job", "text"),
    [
        (Job("train", "ppi_bp", structure="s2n+a", conv="gcn2"), "ppi_bp: s2n+a gcn2"),
        (Job("train", "ppi_bp", "glass"), "ppi_bp: glass"),
        (
            Job("speed", "em_user", structure="s2n+0", conv="gcn", encoding="rwpe"),
            "em_user: s2n+0 gcn · speed · rwpe",
        ),
        (
            Job(
                "scarce", "ppi_bp", structure="cos2n+0", conv="gcn2", n=10,
                changes=(("model.layers", 4),), coarsen="heavy_edge:0.1",
            ),
            "ppi_bp: cos2n+0 gcn2 · scarce · layers 4 · heavy_edge:0.1 · 10 of each class",
        ),
        (Job("statistics", "density"), "density: statistics"),
    ],
)  # fmt: skip
def test_a_job_in_words(job: Job, text: str) -> None:
    assert job.description == text


def test_a_quick_plan_has_few_epochs() -> None:
    assert ReproductionPlan((10,)).epochs is None
    assert ReproductionPlan((10,), quick=True).epochs == jobs.QUICK_EPOCHS
