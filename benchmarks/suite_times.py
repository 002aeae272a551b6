"""How long `make demo`, `make quick` and `make test` take in fresh clones, and whether they pass.

    python benchmarks/suite_times.py --out benchmarks/results/suite-times.csv    # all thrice: hours
    python benchmarks/suite_times.py quick test --runs 1 --only "no browser" --out FILE

Each run is a clone of the last commit with an environment of its own, in one of four situations: as
usual, without Chromium on the PATH, without S2N_DATA, or as a job in the background, where Ctrl-C
is ignored. A row is one command of one run; rows are appended, so that a stopped measurement can be
completed with another --runs. The machine has to be quiet: the load before is in each row.
"""

from __future__ import annotations

import argparse
import csv
import os
import resource
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
TARGETS = {"demo": ".venv/.hpo", "quick": ".venv/.dev", "test": ".venv/.dev"}  # what each installs
COLUMNS = ("command", "situation", "seconds", "processor_seconds", "environment_seconds",
           "exit_code", "load_before", "commit", "date")  # fmt: skip
BROWSERS = ("chromium", "chromium-browser", "chrome", "google-chrome", "chromedriver")


@dataclass(frozen=True)
class Situation:
    """Where a command runs.

    Args:
        browser: Whether Chromium is on the PATH.
        data: Whether S2N_DATA is set.
        foreground: Whether Ctrl-C would stop it.
    """

    browser: bool = True
    data: bool = True
    foreground: bool = True


SITUATIONS = {
    "usual": Situation(),
    "no browser": Situation(browser=False),
    "no data": Situation(data=False),
    "background": Situation(foreground=False),
}


class Timed(NamedTuple):
    """How a command ended: its time, that of the processor, and its exit code."""

    seconds: float
    processor: float
    code: int


@contextmanager
def environment_of(situation: Situation) -> Iterator[dict[str, str]]:
    """Environment variables of a situation."""
    variables = {**os.environ}
    for name in ("PYTHONPATH", "VIRTUAL_ENV", "PYTEST_XDIST_AUTO_NUM_WORKERS"):
        variables.pop(name, None)
    if not situation.data:
        variables.pop("S2N_DATA", None)
    with tempfile.TemporaryDirectory() as folder:
        if not situation.browser:
            link_programs(os.get_exec_path(), Path(folder))
            variables["PATH"] = folder
        yield variables


def link_programs(places: Sequence[str], folder: Path) -> None:
    """Links to all programs of the PATH but browsers; of two of one name the first counts."""
    for place in map(Path, places):
        for program in sorted(place.iterdir()) if place.is_dir() else ():
            link = folder / program.name
            if program.name not in BROWSERS and not link.is_symlink():
                link.symlink_to(program)


def run_command(
    words: Sequence[str], folder: Path, variables: Mapping[str, str], *, foreground: bool
) -> Timed:
    """Run a command in a folder, and print the end of what it said where it fails."""

    def ignore_interrupts() -> None:
        if not foreground:
            signal.signal(signal.SIGINT, signal.SIG_IGN)

    printed = folder.parent / f"{folder.name}.log"
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    with printed.open("w") as log:
        done = subprocess.run(
            words, cwd=folder, env=dict(variables), stdin=subprocess.DEVNULL, stdout=log,
            stderr=subprocess.STDOUT, preexec_fn=ignore_interrupts, check=False,
        )  # fmt: skip
    if done.returncode:
        print("\n".join(printed.read_text(errors="replace").splitlines()[-30:]), flush=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Timed(time.perf_counter() - start, spent, done.returncode)


def measure(name: str, targets: Sequence[str], folder: Path) -> Iterator[dict[str, object]]:
    """The rows of one clone: each command, after what it installs."""
    situation, clone = SITUATIONS[name], folder / name.replace(" ", "-")
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    commit = _git(clone, "rev-parse", "--short=7", "HEAD")
    foreground = situation.foreground
    with environment_of(situation) as variables:
        for target in targets:
            words = ["make", TARGETS[target]]
            made = run_command(words, clone, variables, foreground=foreground)
            load = os.getloadavg()[0]
            timed = run_command(["make", target], clone, variables, foreground=foreground)
            yield {
                "command": f"make {target}",
                "situation": name,
                "seconds": round(timed.seconds, 1),
                "processor_seconds": round(timed.processor, 1),
                "environment_seconds": round(made.seconds, 1),
                "exit_code": made.code or timed.code,
                "load_before": round(load, 2),
                "commit": commit,
                "date": time.strftime("%Y-%m-%d"),
            }
    shutil.rmtree(clone)


def _git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, check=True)
    return done.stdout.decode().strip()


def append_row(path: Path, row: Mapping[str, object]) -> None:
    """Add a row to a CSV file, which gets its header with the first."""
    is_new = not path.is_file()
    with path.open("a", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
        if is_new:
            writer.writeheader()
        writer.writerow(row)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    parser.add_argument("--only", choices=SITUATIONS, help="one situation; by default all")
    parser.add_argument("--runs", type=int, default=3, help="clones per situation")
    parser.add_argument("--out", type=Path, help="CSV file that rows are appended to")
    options = parser.parse_args()
    if unknown := set(options.targets) - set(TARGETS):
        parser.error(f"there is no target {min(unknown)}; there are {', '.join(TARGETS)}")
    with tempfile.TemporaryDirectory() as folder:
        for number in range(options.runs):
            for name in [options.only] if options.only else SITUATIONS:
                place = Path(folder) / str(number)
                place.mkdir(exist_ok=True)
                for row in measure(name, options.targets or list(TARGETS), place):
                    print(", ".join(f"{key} {value}" for key, value in row.items()), flush=True)
                    if options.out is not None:
                        append_row(options.out, row)


if __name__ == "__main__":
    main()
