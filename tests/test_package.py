"""The package from outside: lazy names, no torch before it is needed."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import sub2node

ROOT = Path(__file__).parents[1]


def test_public_names_are_there() -> None:
    for name in sub2node.__all__:
        assert getattr(sub2node, name) is not None
    assert set(sub2node.__all__) <= set(dir(sub2node))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        sub2node.nonsense  # noqa: B018


@pytest.mark.process
def test_import_is_lazy() -> None:
    heavy = "('numpy', 'torch', 'pyarrow')"
    code = f"import sys, sub2node; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.process
def test_data_parts_do_without_torch() -> None:
    code = (
        "import sys, sub2node.task, sub2node.io, sub2node.datasets, sub2node.coarsen;"
        " print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_the_version_stands_in_one_place() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" not in settings["project"]
    assert settings["project"]["dynamic"] == ["version"]
    assert settings["tool"]["hatch"]["version"]["path"] == "src/sub2node/__init__.py"
    assert re.fullmatch(r"\d+\.\d+\.\d+", sub2node.__version__)
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {sub2node.__version__}\n" in citation  # a file that nothing computes
