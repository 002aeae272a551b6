"""The torture scripts run, and count what they should; ``make torture`` runs them in earnest."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from forked import fork_code
from torture import damage
from torture.rows import COLUMNS, has_faults, new_row, print_table, tally

TESTS = Path(__file__).parent
RUN = """
import json, sys
sys.path.insert(0, sys.argv[1])
from importlib import import_module
print(json.dumps(import_module(f"torture.{sys.argv[2]}").main(1, int(sys.argv[3]))))
"""


@pytest.mark.process
@pytest.mark.parametrize(("script", "count"), [("kills", 3), ("files", 28)])
def test_nothing_bad_happens_in_a_few_tries(script: str, count: int) -> None:
    done = fork_code(TESTS, script, count, code=RUN)
    out, err = done.communicate()
    assert done.returncode == 0, err
    rows = json.loads(out.splitlines()[-1])
    assert sum(row["tried"] for row in rows) == count
    assert not has_faults(rows), rows
    assert all(set(row) == set(COLUMNS) for row in rows)


def test_tables_tell_good_from_bad(capsys: pytest.CaptureFixture[str]) -> None:
    row = new_row("reading")
    tally(row, "tried")
    assert not has_faults([row])
    tally(row, "hangs", "a note\nof two lines")
    tally(row, "hangs", "another")
    assert has_faults([row])
    print_table([row])
    assert row["hangs"] == 2
    assert "a note of two lines" in capsys.readouterr().out


@pytest.mark.parametrize("change", damage.ALL, ids=lambda change: change.__name__)
def test_damage_is_the_same_for_the_same_seed(change: damage.Damage) -> None:
    for content in (b"", b'id,weight\na,1.5\n"b",2\n'):
        results = {change(content, random.Random(seed)) for seed in range(20)}
        assert change(content, random.Random(3)) in results
        assert len(results) > (1 if content else 0)
