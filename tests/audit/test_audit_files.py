"""audit.json: written whole, read back, refused where it is something else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from audit_tasks import clean_task
from sub2node.audit import Audit, audit
from sub2node.audit.audit_files import read_audit, save_audit
from sub2node.base.errors import ConfigError, DataError


@pytest.fixture(scope="module")
def found() -> Audit:
    return audit(clean_task(), permutations=1)


def test_what_is_written_is_read_back(found: Audit, tmp_path: Path) -> None:
    path = save_audit(found, tmp_path / "run")
    assert json.loads(path.read_text(encoding="utf-8")) == json.loads(json.dumps(found.to_dict()))
    record = read_audit(tmp_path / "run")
    assert record is not None
    assert (record.hash, record.verdict) == (found.data_hash, str(found.verdict))
    assert [check.found for check in record.checks] == [check.found for check in found.checks]
    assert read_audit(tmp_path) is None


def test_an_audit_is_replaced_only_on_request(found: Audit, tmp_path: Path) -> None:
    save_audit(found, tmp_path)
    with pytest.raises(ConfigError, match="exists already"):
        save_audit(found, tmp_path)
    assert save_audit(found, tmp_path, overwrite=True).is_file()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "no audit of ours"),
        ('{"data": "a", "hash": "b", "verdict": "ok"}', "'checks' is missing"),
        (
            '{"data": "a", "hash": "b", "verdict": "ok", "checks": [{"name": "a", "title": "b",'
            ' "verdict": "fine", "found": "", "advice": ""}]}',
            "checks.0: verdict: expected one of",
        ),
    ],
)
def test_a_damaged_file_is_named(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "audit.json").write_text(text)
    with pytest.raises(DataError, match=message) as caught:
        read_audit(tmp_path)
    assert "audit.json" in str(caught.value)
