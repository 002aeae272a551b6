"""`make demo` in a fresh clone with an empty environment: seconds of each step, what is printed.

    python benchmarks/demo.py --out benchmarks/results/demo.csv \
        --printed benchmarks/results/printed/demo.txt

The clone is one of this repository as it was committed last, in a folder that is removed. Nothing
of the caller's environment, data or caches is used but what pip has. One row per step, the first
of which makes the environment; the last one is the sum.
"""

from __future__ import annotations

import argparse
import csv
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
COLUMNS = ("step", "what", "seconds", "commit")
_STEP = re.compile(r"(\d+)\. (.+)")
_LEFT_OUT = ("PYTHONPATH", "VIRTUAL_ENV", "S2N_DATA", "S2N_CACHE", "MAKEFLAGS", "MAKELEVEL")


class Line(NamedTuple):
    """A line that was printed.

    Args:
        seconds: When, since the start.
        text: The line, without its end.
    """

    seconds: float
    text: str


def clone(repository: Path, folder: Path) -> str:
    """Clone the last commit of a repository; its short name.

    Args:
        repository: The repository.
        folder: Where the clone is to be.
    """
    subprocess.run(["git", "clone", "--quiet", str(repository), str(folder)], check=True)
    name = ["git", "-C", str(folder), "rev-parse", "--short=7", "HEAD"]
    return subprocess.run(name, check=True, capture_output=True, text=True).stdout.strip()


def run_demo(folder: Path, cache: Path) -> list[Line]:
    """Run `make demo` there; every line that it prints, and an empty one at the end.

    Args:
        folder: The clone.
        cache: The folder for caches of the package.
    """
    kept = {key: value for key, value in os.environ.items() if key not in _LEFT_OUT}
    start, lines = time.perf_counter(), list[Line]()
    with subprocess.Popen(
        ["make", "--no-print-directory", "demo"],
        cwd=folder,
        env={**kept, "S2N_CACHE": str(cache), "COLUMNS": "100", "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        assert process.stdout is not None
        for text in process.stdout:
            lines.append(Line(time.perf_counter() - start, text.rstrip().replace(str(folder), ".")))
            print(lines[-1].text, flush=True)
    if process.returncode:
        raise SystemExit(f"make demo ended with {process.returncode}.")
    return [*lines, Line(time.perf_counter() - start, "")]


def measure_steps(lines: Sequence[Line]) -> list[tuple[str, str, float]]:
    """Number, title and seconds of each step; the first is the environment, the last the sum.

    Args:
        lines: What was printed.
    """
    matches = ((_STEP.fullmatch(line.text), line.seconds) for line in lines)
    titles = [(found[1], found[2], seconds) for found, seconds in matches if found]
    starts = [("0", "the environment", 0.0), *titles]
    ends = [*(start for _, _, start in starts[1:]), lines[-1].seconds]
    steps = [
        (name, what, end - start) for (name, what, start), end in zip(starts, ends, strict=True)
    ]
    return [*steps, ("all", "from the clone to the report", lines[-1].seconds)]


def main() -> None:
    """Read the command line, run the demo, and write rows and transcript."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="CSV of the steps")
    parser.add_argument("--printed", type=Path, required=True, help="what was printed")
    parser.add_argument("--repository", type=Path, default=ROOT)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        commit = clone(options.repository, Path(place) / "sub2node")
        lines = run_demo(Path(place) / "sub2node", Path(place) / "cache")
    with options.out.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for step, what, seconds in measure_steps(lines):
            writer.writerow((step, what, f"{seconds:.1f}", commit))
    text = "\n".join(["$ make demo", *(line.text for line in lines)])
    options.printed.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
