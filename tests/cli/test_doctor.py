"""``s2n doctor``: what is installed, and what is missing."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from commands import call_command
from sub2node import __version__
from sub2node.cli.doctor import _gigabytes


def test_doctor_tells(tmp_path: Path) -> None:
    facts = json.loads(call_command("doctor", "--json", env={"S2N_DATA": str(tmp_path)}).stdout)
    assert facts["versions"]["sub2node"] == __version__
    assert facts["data_folders"][0] == {"path": str(tmp_path), "exists": True, "benchmarks": 0}
    assert facts["free_memory"] > 0
    assert facts["problems"] == []


def test_what_is_missing_is_listed_with_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    module = sys.modules["sub2node.cli.doctor"]
    installed = module.installed_version

    def version(name: str) -> str | None:
        return None if name in ("scipy", "optuna") else installed(name)

    monkeypatch.setattr(module, "installed_version", version)
    text = call_command("doctor", env={"COLUMNS": "120"}).stdout
    assert "Warning: scipy is not installed." in text
    assert "pip install 'sub2node[tune]'" in text
    assert "pip install 'sub2node[serve]'" not in text
    assert "Ready." not in text


def test_a_torch_that_cannot_be_imported_is_a_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    facts = json.loads(call_command("doctor", "--json").stdout)
    assert facts["device"] == "unknown"
    (problem,) = facts["problems"]
    assert problem.startswith("torch cannot be imported (")


@pytest.mark.parametrize(
    ("size", "text"), [(None, "unknown"), (1_500_000_000, "1.5 GB"), (0, "0.0 GB")]
)
def test_memory_in_words(size: int | None, text: str) -> None:
    assert _gigabytes(size) == text
