"""The commands of ``make demo``, as they stand in the Makefile, on less data and few epochs."""

from __future__ import annotations

import json
import re
import shlex
from itertools import pairwise
from pathlib import Path

import pytest

from commands import s2n

MAKEFILE = Path(__file__).parents[1] / "Makefile"
SMALLER = {"generate:density": "generate:density,subgraphs=24", "5": "1"}  # data, seeds


def demo_commands() -> list[list[str]]:
    """What follows ``s2n`` in each line of the target ``demo``."""
    text = MAKEFILE.read_text(encoding="utf-8").replace("\\\n", " ")
    (recipe,) = re.findall(r"^demo:.*\n((?:\t.*\n)+)", text, re.MULTILINE)
    lines = re.findall(r"^\t@\$\(BIN\)/s2n (.*)$", recipe, re.MULTILINE)
    assert len(lines) == recipe.count("/s2n ")
    return [shlex.split(line) for line in lines]


@pytest.mark.slow
@pytest.mark.usefixtures("few_candidates")
def test_the_demo_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    names = [words[0] for words in demo_commands()]
    assert names == ["convert", "describe", "translate", "run", "run", "report"]
    models = []
    for words in demo_commands():
        fewer = [SMALLER.get(word, word) for word in words]
        quick = ["--set", "epochs=2", "--set", "features.kind=random"] if words[0] == "run" else []
        done = s2n(*fewer, *quick)
        assert done.code == 0, (words, done.err)
        models += [name for option, name in pairwise(words) if option == "--model"]
    output = tmp_path / "demo-output"
    comparison = json.loads((output / "comparison" / "comparison.json").read_text())
    assert len(comparison["models"]) == len(models)
    assert "cos2n+a" in (output / "comparison" / "report.html").read_text(encoding="utf-8")
