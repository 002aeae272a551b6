"""The list of mutants fits the source, so that it can be run at any time."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pytest

from mutants import ABSENT, MUTANTS, PACKAGE, ROOT, Mutant, write_table


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


def stored(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_the_stored_outcomes_are_of_these_mutants_and_all_are_killed() -> None:
    rows = stored(ROOT / "benchmarks" / "results" / "mutants.csv")
    places = [(m.name, m.layer, f"{PACKAGE}/{m.file}") for m in MUTANTS]
    assert [(row["mutant"], row["layer"], row["file"]) for row in rows] == places, "run mutants.py"
    assert {row["after"] for row in rows} == {"killed"}
    assert {row["before"] for row in rows} <= {"killed", "survived", "too slow", ABSENT, ""}


def test_a_column_is_written_and_the_other_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    names = [mutant.name for mutant in MUTANTS]
    write_table(path, "before", dict.fromkeys(names, ABSENT))
    write_table(path, "after", dict.fromkeys(names, "killed"))
    write_table(path, "before", {names[3]: "survived"})
    rows = stored(path)
    assert [row["mutant"] for row in rows] == names
    assert [row["before"] for row in rows] == [ABSENT] * 3 + ["survived"] + [ABSENT] * 26
    assert {row["after"] for row in rows} == {"killed"}


def test_a_mutant_without_a_place_changes_nothing(tmp_path: Path) -> None:
    file = tmp_path / MUTANTS[0].file
    file.parent.mkdir()
    file.write_text("pass\n")
    assert not MUTANTS[0].apply(tmp_path)
    assert file.read_text() == "pass\n"
    file.write_text(f"{MUTANTS[0].source}\n")
    assert MUTANTS[0].apply(tmp_path)
    assert file.read_text() == f"{MUTANTS[0].replacement}\n"
