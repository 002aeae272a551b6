"""The package from outside: lazy names, no torch before it is needed."""

from __future__ import annotations

import subprocess
import sys

import pytest

import sub2node


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
