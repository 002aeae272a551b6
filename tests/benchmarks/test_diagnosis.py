"""Why a score is below the published one: what a change of a cell sets."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
TRIALS = """\
number,state,value,loss,training.lr,model.layers,model.skip,model.readout
0,complete,0.8,0.9,0.001,1,True,sum
1,complete,0.8,0.5,0.002,2,False,degree-code
2,pruned,0.9,0.1,0.003,2,False,sum
"""


@pytest.fixture
def diagnosis(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module("diagnosis")


def test_settings_of_a_search_are_those_of_its_best_complete_trial(
    diagnosis: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "density-s2n0-rwpe.csv").write_text(TRIALS)
    monkeypatch.setattr(diagnosis, "STUDIES", tmp_path)
    cell = diagnosis.CELLS["s2n+0 rwpe"]
    (change,) = [each for each in cell.changes if each.study]
    assert diagnosis.settings_of(cell, change, "density") == {
        "features.encoding": "rwpe", "training.patience": 200, "training.lr": 0.002,
        "model.layers": 2, "model.skip": False, "model.readout": "degree-code",
    }  # fmt: skip
    assert diagnosis.settings_of(cell, diagnosis.Change("as in the table")) == cell.settings
