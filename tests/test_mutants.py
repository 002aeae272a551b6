"""The list of mutants fits the source, so that it can be run at any time."""

from __future__ import annotations

from collections import Counter

import pytest

from mutants import MUTANTS, PACKAGE, ROOT, Mutant


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_mutant_can_be_made_and_has_tests(mutant: Mutant) -> None:
    text = (ROOT / PACKAGE / mutant.file).read_text(encoding="utf-8")
    assert text.count(mutant.source) == 1
    changed = text.replace(mutant.source, mutant.replacement)
    assert changed != text
    compile(changed, mutant.file, "exec")
    assert (ROOT / "tests" / mutant.test).is_file()


def test_five_for_each_part() -> None:
    parts = ("translation", "nn", "train", "evaluate", "scoring", "io")
    assert Counter(mutant.layer for mutant in MUTANTS) == dict.fromkeys(parts, 5)
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)
