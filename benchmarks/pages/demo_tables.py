"""What `make demo` prints, and how long it takes."""

from __future__ import annotations

import re
from itertools import takewhile

from pages.markdown import generates, table
from pages.rows import RESULTS, read

_STEP = re.compile(r"(\d)\. ")
_COMPARE, _ASK = "3", "5"  # numbers of steps


def printed_step(number: str) -> list[str]:
    """The lines of a step of the transcript, its title first, without empty ones at the end."""
    lines = (RESULTS / "printed" / "demo.txt").read_text(encoding="utf-8").splitlines()
    starts = {found[1]: row for row, line in enumerate(lines) if (found := _STEP.match(line))}
    rest = lines[starts[number] :]
    later = takewhile(lambda line: not _STEP.match(line), rest[1:])
    return "\n".join([rest[0], *later]).rstrip().splitlines()


def _block(*lines: str) -> str:
    return "\n".join(["```text", *lines, "```"])


@generates("demo-answer")
def demo_answer() -> str:
    """What is printed about the patient, up to the reasons, without empty lines."""
    lines = takewhile(lambda line: not line.startswith("Why "), printed_step(_ASK))
    return _block("$ make demo", "…", *filter(None, lines))


@generates("demo-models")
def demo_models() -> str:
    """The comparison of models."""
    return _block(*printed_step(_COMPARE))


@generates("demo-times")
def demo_times() -> str:
    """Seconds of each step."""
    rows = read("demo.csv")
    cells = [
        [row["step"].replace("all", ""), row["what"], f"{float(row['seconds']):.0f}"]
        for row in rows
    ]
    return table(["step", "", "s"], cells, right=2)
