"""Models that version 0.1 wrote answer as they did.

Where the stored numbers were made, they come out the same to the last digit; sums of 32 bits differ
a little between processors.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from commands import s2n

FIXTURES = Path(__file__).parent / "fixtures" / "v0_1"
MODELS = ("model", "model-link", "model-random")


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


@pytest.mark.parametrize("model", MODELS)
def test_answers(model: str, tmp_path: Path) -> None:
    out = tmp_path / "answers.csv"
    done = s2n("predict", FIXTURES / model, FIXTURES / "new.csv", "-o", out)
    assert (done.code, done.err) == (0, "")
    rows, wanted = table(out), table(FIXTURES / f"answers-{model}.csv")
    assert list(rows[0])[: len(wanted[0])] == list(wanted[0])  # further columns come after
    words = ("subgraph_id", "prediction")
    for row, old in zip(rows, wanted, strict=True):
        assert [row[word] for word in words] == [old[word] for word in words]
        numbers = [float(row[key]) for key in old if key not in words]
        assert numbers == pytest.approx([float(old[key]) for key in old if key not in words],
                                        abs=1e-6)  # fmt: skip


SUMMED = {"value", "gap"}  # by quadrature, whose points have changed since: off by a gap's size


def compare(value: object, old: object, *, tolerance: float = 1e-6) -> None:
    """What was stored is still there; there may be more."""
    if isinstance(old, dict):
        assert isinstance(value, dict)
        for key in old:
            compare(value[key], old[key], tolerance=2e-4 if key in SUMMED else tolerance)
    elif isinstance(old, list):
        assert isinstance(value, list)
        for one, other in zip(value, old, strict=True):
            compare(one, other, tolerance=tolerance)
    elif isinstance(old, float):
        assert value == pytest.approx(old, abs=tolerance)
    else:
        assert value == old


@pytest.mark.parametrize("model", MODELS)
def test_explanations(model: str) -> None:
    wanted = json.loads((FIXTURES / f"why-{model}.json").read_text())
    nodes = ",".join(sorted(member["id"] for member in wanted["why"]["members"]))
    done = s2n("predict", FIXTURES / model, "--nodes", nodes, "--why", "--json")
    assert (done.code, done.err) == (0, "")
    wanted["subgraph_id"] = wanted["why"]["name"] = "n1, n2, n3 and 1 more"  # it was "this"
    compare(json.loads(done.out), wanted)
