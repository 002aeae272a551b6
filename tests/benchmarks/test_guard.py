"""benchmarks/guard.py: what counts as slower, and the rows that are kept."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def guard() -> ModuleType:
    sys.path.append(str(ROOT / "benchmarks"))
    path = ROOT / "benchmarks" / "guard.py"
    spec = importlib.util.spec_from_file_location("benchmarks_guard", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look there for their types
    spec.loader.exec_module(module)
    return module


def rows(*ratios: float, job: str = "one") -> list[dict[str, str]]:
    return [{"commit": f"c{n}", "job": job, "ratio": str(r)} for n, r in enumerate(ratios)]


@pytest.mark.parametrize(("ratio", "fallen"), [(10.0, []), (8.1, []), (7.9, ["one"])])
def test_a_fall_of_more_than_a_fifth_fails(guard, capsys, ratio: float, fallen: list[str]) -> None:
    """19 % pass and 21 % do not; what fell is measured again first."""
    measured = []

    def fake(job) -> object:
        measured.append(job)
        return guard.Times(ratio, 1.0)

    times, found = guard.guard({"one": guard.Job("")}, rows(10.0), fake)
    assert found == fallen
    assert times["one"].ratio == ratio
    assert len(measured) == 1 + bool(fallen)
    assert ("fell by more than 20 %" in capsys.readouterr().out) == bool(fallen)


def test_a_single_slow_measurement_does_not_count(guard) -> None:
    measured = iter([guard.Times(5.0, 1.0), guard.Times(9.5, 1.0)])
    times, fallen = guard.guard({"one": guard.Job("")}, rows(10.0), lambda job: next(measured))
    assert not fallen
    assert times["one"].ratio == 9.5


def test_a_ratio_is_compared_with_the_median_of_the_last_commits(guard) -> None:
    kept = rows(99.0, 10.0, 11.0, 3.0, 10.0, 10.5) + rows(1.0, job="other")
    assert guard.expected_ratio(kept, "one") == 10.0
    assert guard.expected_ratio(kept, "new") is None
    assert not guard.has_fallen(0.1, None)


def test_rows_are_kept_by_commit(guard, tmp_path: Path) -> None:
    path = tmp_path / "guard.csv"
    assert guard.read_rows(path) == []
    guard.keep(path, [], {"one": guard.Times(0.3, 0.1)}, "aaaaaaa")
    guard.keep(path, guard.read_rows(path), {"one": guard.Times(0.5, 0.1)}, "bbbbbbb")
    guard.keep(path, guard.read_rows(path), {"one": guard.Times(0.4, 0.1)}, "bbbbbbb")
    kept = guard.read_rows(path)
    assert [(row["commit"], row["ratio"]) for row in kept] == [("aaaaaaa", "3"), ("bbbbbbb", "4")]


@pytest.mark.process
def test_both_versions_are_timed_in_turns(guard) -> None:
    code = (
        "import time\ndef work(share):\n    end = time.process_time() + share\n"
        "    while time.process_time() < end: pass\n"
        "def plain(): work(0.03)\ndef ours(): work(0.01)\n"
    )
    assert guard.measure(guard.Job(code, rounds=2)).ratio == pytest.approx(3, rel=0.3)
    with pytest.raises(RuntimeError, match="no plain version"):
        guard.measure(guard.Job("raise ValueError('no plain version')"))
