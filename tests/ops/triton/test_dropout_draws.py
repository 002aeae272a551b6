"""Bits that depend on seed, step, site and place alone."""

from __future__ import annotations

import pytest
import torch

pytest.importorskip("triton", reason="Triton is not installed")

from fast_path import DEVICE, drawn
from sub2node.ops.triton.dropout_draws import Draw

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_shares_are_kept_and_differ_by_step_site_and_replica(share) -> None:
    base = drawn(share, 3).keep(20_000)
    assert base.mean(1).cpu().numpy() == pytest.approx(1 - share, abs=0.015)
    for other in (drawn(share, 3, step=4).keep(20_000), drawn(share, 3, site=3).keep(20_000)):
        together = torch.stack([base.flatten(), other.flatten()])
        assert abs(float(torch.corrcoef(together)[0, 1])) < 0.02
    assert (torch.corrcoef(base) - torch.eye(3, device=DEVICE)).abs().max() < 0.03
    shifted = torch.stack([base[0, 1:], base[0, :-1]])
    assert abs(float(torch.corrcoef(shifted)[0, 1])) < 0.03


def test_a_replica_draws_the_same_alone_and_beside_others() -> None:
    many, one = drawn(0.4, 3), drawn(0.4, 3)
    alone = Draw(one.seeds[1:2], one.step, one.site, one.share)
    assert torch.equal(many.keep(50, 7)[1], alone.keep(50, 7)[0])


def test_bits_of_neighbours_steps_sites_and_seeds_are_independent() -> None:
    size = 4096
    seeds = torch.arange(8, device=DEVICE)  # the worst: no spreading by SeedSequence
    rows = torch.cat([
        Draw(seeds, torch.tensor(step, device=DEVICE), site, 0.5).keep(size)
        for step in (0, 1, 2) for site in (1, 2, 3)
    ])  # fmt: skip
    assert len(torch.unique(rows, dim=0)) == len(rows)
    correlation = torch.corrcoef(rows) - torch.eye(len(rows), device=DEVICE)
    assert correlation.abs().max() < 5.5 / size**0.5
    for lag in (1, 2, 16, 64, 1024):
        moved = (rows[:, lag:] - 0.5) * (rows[:, :-lag] - 0.5) * 4
        spread = moved.mean(1) * (size - lag) ** 0.5
        assert spread.abs().max() < 4.5
        assert 0.7 < float(spread.std()) < 1.3
    counts = (rows.mean(1) - 0.5) * 2 * size**0.5
    assert 0.7 < float(counts.std()) < 1.3
