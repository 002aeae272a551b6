"""What the three examples share: arguments, tables of scores, explanations in words."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from sub2node.scoring import Answers, Contribution, Explanation

os.environ.setdefault("OMP_NUM_THREADS", "1")  # the same numbers on every machine
console = Console(width=108, highlight=False, soft_wrap=True)
Score = Callable[[Any, Any], float]


@dataclass
class Story:
    """An example as it runs: where it writes, and the number of its section.

    Args:
        name: Of the example.
        doc: Its docstring, the text of ``--help``.
        facts: What ``summary.json`` holds in the end.
    """

    name: str
    doc: str
    facts: dict[str, Any] = field(default_factory=dict)
    _section: int = 0

    def __post_init__(self) -> None:
        parser = argparse.ArgumentParser(
            description=self.doc, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        home = Path("examples-output") / self.name.replace("_", "-")
        parser.add_argument("--out", type=Path, default=home, help=f"folder to write ({home})")
        parser.add_argument("--quick", action="store_true", help="small settings: a look, no more")
        given = parser.parse_args()
        self.out, self.quick = given.out, given.quick

    def section(self, title: str) -> None:
        """Begin the next numbered section."""
        self._section += 1
        console.print(f"\n[bold]{self._section}. {title}[/bold]")

    def keep(self) -> None:
        """Write what was found as JSON."""
        text = json.dumps(self.facts, indent=1, ensure_ascii=False) + "\n"
        (self.out / "summary.json").write_text(text, encoding="utf-8")


def say(text: str) -> None:
    """Print a sentence as it is."""
    console.print(text, markup=False)


def benchmark_folder(name: str) -> Path:
    """The folder of a benchmark; ends the script in one sentence where it is not there."""
    for folder in os.environ.get("S2N_DATA", "").split(os.pathsep):
        if folder and (Path(folder) / name).is_dir():
            return Path(folder) / name
    sys.exit(f"Set the environment variable S2N_DATA to the folder that holds {name}, and try again"
             " (docs/data.md says how benchmarks are found).")  # fmt: skip


def table(*columns: str) -> Table:
    """A plain table: the first column is text, the others are numbers."""
    view = Table(box=None, pad_edge=True, header_style="bold")
    for number, column in enumerate(columns):
        view.add_column(column, justify="right" if number else "left")
    return view


def compare(
    score: Score, truth: Any, said: dict[str, Any], *, draws: int = 1000
) -> tuple[dict[str, tuple[float, float, float]], tuple[float, float]]:
    """Scores with 95 % intervals, and the interval of the last model less the one before it.

    The test subgraphs are drawn again and again with replacement; all models get the same draws.

    Args:
        score: Of truth and answers.
        truth: Of the test part, (m, …).
        said: Answers by model, (m, …) each.
        draws: How often.
    """
    rng = np.random.default_rng(0)
    rows = [rng.integers(len(truth), size=len(truth)) for _ in range(draws)]
    values = {name: np.array([score(truth[r], given[r]) for r in rows])
              for name, given in said.items()}  # fmt: skip
    found = {
        name: (score(truth, said[name]), *np.quantile(values[name], [0.025, 0.975]).tolist())
        for name in said
    }
    before, last = list(values)[-2:]
    low, high = np.quantile(values[last] - values[before], [0.025, 0.975])
    return found, (float(low), float(high))


def verdict(low: float, high: float, other: str, count: int) -> str:
    """What the interval of a difference says."""
    span = f"({100 * low:+.1f} to {100 * high:+.1f} points, 95 %)"
    if low > 0:
        return f"Sub2node is better than {other} here {span}."
    if high < 0:
        return f"Sub2node is worse than {other} here {span}: use {other}."
    return f"No difference from {other} that {count} test subgraphs could show {span}."


def called(item: Contribution) -> str:
    """A node or subgraph by its title, else its id."""
    return item.title or item.id


def why(found: Explanation, what: str, *, count: int = 3) -> list[str]:
    """An explanation in sentences.

    Args:
        found: The explanation.
        what: What a known subgraph is called, in the plural.
        count: How many members are named on each side.
    """
    fors = [m for m in found.members if m.value > 0][:count]
    against = [m for m in found.members if m.value < 0][:count]
    lines = [f"An empty list would get {found.baseline:.2f} for {found.label!r}; this one gets"
             f" {found.probability:.2f}."]  # fmt: skip
    lines += [f"In favour: {_listed(fors)}."] if fors else []
    lines += [f"Against: {_listed(against)}."] if against else ["No member counts against it."]
    if found.neighbors:
        same = [n.value for n in found.neighbors if found.label in n.labels]
        rest = [n.value for n in found.neighbors if found.label not in n.labels]
        best = found.neighbors[0]
        lines.append(
            f"Links to known {what} add {sum(same) + sum(rest):+.2f}: {len(same)} of this class"
            f" {sum(same):+.2f}, {len(rest)} of others {sum(rest):+.2f}; the strongest is"
            f" {called(best)} [{', '.join(best.labels)}], {best.value:+.3f}."
        )
    else:
        lines.append(f"It is linked to none of the known {what}: links need many shared nodes or"
                     " edges, and a short list has few.")  # fmt: skip
    if found.statistics is not None:
        lines.append(f"Its shape (size, links inside and out) adds {found.statistics:+.2f}.")
    return lines


def _listed(items: Sequence[Contribution]) -> str:
    return ", ".join(f"{called(item)} ({item.value:+.2f})" for item in items)


def kept(answers: Answers) -> list[dict[str, Any]]:
    """Answers for ``summary.json``."""
    names, classes = answers.names, answers.classes
    rows = zip(names, answers.known.tolist(), answers.probabilities.tolist(), strict=True)
    return [
        {"id": name, "known": known, "probabilities": dict(zip(classes, row, strict=True))}
        for name, known, row in rows
    ]


def go_on(model: Path, new: Path, answers: Path) -> None:
    """The commands that use what was saved."""
    say(f"The model is the folder {model}. Go on with")
    say(f"  s2n predict {model} {new} --unknown-nodes drop -o {answers}")
    say(f"  s2n serve {model}      # then open http://127.0.0.1:8000")
