"""The torture scripts of models and of the service still run: a few cases of each."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import pytest

from torture import mixed_load, models, requests
from torture.rows import COLUMNS, has_faults, new_row, print_table


def check_rows(rows: list[dict[str, Any]]) -> None:
    print_table(rows)
    assert not has_faults(rows)
    assert all(set(row) == set(COLUMNS) for row in rows)


@pytest.mark.slow
def test_models() -> None:
    rows = models.main(seed=3, count=10)
    check_rows(rows)
    assert sum(row["tried"] for row in rows[:-1]) == 10


@pytest.mark.slow
def test_a_model_that_hangs_or_answers_otherwise_is_counted(monkeypatch, tmp_path) -> None:
    whole = models.make_model(tmp_path / "model", 0)
    judge = models.Judge(b"another answer")
    judge.try_model(whole, signed=False)
    monkeypatch.setattr(models, "LIMIT", 0.2)
    monkeypatch.setattr(models, "answer_of", lambda folder: models.signal.pause())
    judge.try_model(whole, signed=False)
    monkeypatch.setattr(models, "answer_of", lambda folder: 1 / 0)
    judge.try_model(whole, signed=False)
    assert judge.counts == {"wrong": 1, "hangs": 1, "tracebacks": 1}
    assert has_faults([new_row("x", 3, wrong=1)])


@pytest.mark.process
@pytest.mark.slow
@pytest.mark.skipif(find_spec("uvicorn") is None, reason="needs the extra serve")
def test_requests(monkeypatch) -> None:
    monkeypatch.setattr(requests, "HEADER", 0.5)
    monkeypatch.setattr(requests, "TIMEOUT", 1.0)
    monkeypatch.setattr(mixed_load, "RATE", 40)
    check_rows(requests.main(seed=3, count=10))
