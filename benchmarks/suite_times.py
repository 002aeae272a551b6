"""How long `make demo`, `make quick` and `make test` take in fresh clones, and whether they pass.

    python benchmarks/suite_times.py --out benchmarks/results/suite-times.csv    # all thrice: hours
    python benchmarks/suite_times.py quick test --only "no browser" --runs 1 --out FILE

Each run is one command in a clone of the last commit with an environment and caches of its own, in
one of four situations: as usual, without Chromium on the PATH, without S2N_DATA, or as a job in the
background, where Ctrl-C is ignored. A row is one run, written when it ends; called again, the
script measures what FILE lacks. Only pip's cache is shared, and each row says where packages came
from. The machine has to be quiet: the load before is in each row.
"""

from __future__ import annotations

import argparse
import csv
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
TARGETS = {"demo": ".venv/.hpo", "quick": ".venv/.dev", "test": ".venv/.dev"}  # what each installs
COLUMNS = ("command", "situation", "seconds", "processor_seconds", "environment_seconds",
           "packages", "exit_code", "load_before", "commit", "date")  # fmt: skip
NEEDED = ("chromium", "chromedriver")  # what the tests of pages start
BROWSERS = (*NEEDED, "chromium-browser", "chrome", "google-chrome")
LEFT_OUT = ("PYTHONPATH", "VIRTUAL_ENV", "S2N_CACHE", "S2N_EXAMPLES", "MAKEFLAGS", "MAKELEVEL",
            "PYTEST_ADDOPTS", "PYTEST_XDIST_AUTO_NUM_WORKERS")  # fmt: skip


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


def missing(situation: Situation) -> str | None:
    """What this machine lacks for a situation, in words."""
    if situation.browser and (lacking := [name for name in NEEDED if not shutil.which(name)]):
        return f"{' and '.join(lacking)} on the PATH"
    folder = os.environ.get("S2N_DATA", "")
    if situation.data and not (folder and Path(folder).is_dir()):
        return "S2N_DATA, the folder of the real data"
    return None


@contextmanager
def environment_of(situation: Situation) -> Iterator[dict[str, str]]:
    """Environment variables of a situation, with empty caches but that of pip."""
    variables = {name: value for name, value in os.environ.items() if name not in LEFT_OUT}
    if not situation.data:
        variables.pop("S2N_DATA", None)
    with tempfile.TemporaryDirectory() as folder:
        if not situation.browser:
            link_programs(os.get_exec_path(), Path(folder, "bin"))
            variables["PATH"] = str(Path(folder, "bin"))
        caches = Path(variables.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        variables.setdefault("PIP_CACHE_DIR", str(caches / "pip"))
        variables["XDG_CACHE_HOME"] = str(Path(folder, "caches"))
        yield variables


def packages_from(variables: Mapping[str, str]) -> str:
    """Where pip finds packages: in a folder of this machine, its own cache, or the network."""
    words = [sys.executable, "-m", "pip", "config", "list"]
    said = subprocess.run(words, env=dict(variables), capture_output=True, text=True, check=False)
    if "find-links" in said.stdout or "file://" in said.stdout:
        return "local folder"
    downloads = (Path(variables["PIP_CACHE_DIR"], name) for name in ("http", "http-v2"))
    return "warm cache" if any(any(place.glob("*")) for place in downloads) else "network"


def link_programs(places: Sequence[str], folder: Path) -> None:
    """Links to all programs of the PATH but browsers; of two of one name the first counts."""
    folder.mkdir()
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


def measure(target: str, name: str, folder: Path) -> dict[str, object]:
    """The row of one run: a new clone, what the command installs there, then the command."""
    situation, clone = SITUATIONS[name], folder / "sub2node"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    load, foreground = os.getloadavg()[0], situation.foreground
    with environment_of(situation) as variables:
        packages = packages_from(variables)
        made = run_command(["make", TARGETS[target]], clone, variables, foreground=foreground)
        timed = run_command(["make", target], clone, variables, foreground=foreground)
    return {
        "command": f"make {target}",
        "situation": name,
        "seconds": round(timed.seconds, 1),
        "processor_seconds": round(timed.processor, 1),
        "environment_seconds": round(made.seconds, 1),
        "packages": packages,
        "exit_code": made.code or timed.code,
        "load_before": round(load, 2),
        "commit": _git(clone, "rev-parse", "--short=7", "HEAD"),
        "date": time.strftime("%Y-%m-%d"),
    }


def remaining(
    targets: Sequence[str], situations: Sequence[str], runs: int, path: Path | None
) -> list[tuple[str, str]]:
    """The runs that a file lacks, as target and situation: first one of each, then another."""
    done: Counter[tuple[str, str]] = Counter()
    if path is not None and path.is_file():
        with path.open(encoding="utf-8", newline="") as stream:
            rows = csv.DictReader(stream)
            if tuple(rows.fieldnames or COLUMNS) != COLUMNS:
                raise SystemExit(f"{path} has other columns; give another --out.")
            done.update((row["command"].removeprefix("make "), row["situation"]) for row in rows)
    wanted = [(target, name) for name in situations for target in targets]
    return [job for number in range(runs) for job in wanted if done[job] <= number]


def _git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, check=True)
    return done.stdout.decode().strip()


def append_row(path: Path, row: Mapping[str, object]) -> None:
    """Add a row to a CSV file, which gets its header with the first."""
    is_new = not path.is_file() or not path.stat().st_size
    with path.open("a", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
        if is_new:
            writer.writeheader()
        writer.writerow(row)


def main() -> None:
    """Read the command line, and measure what the file lacks."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    parser.add_argument(
        "--only", action="append", choices=SITUATIONS, help="a situation; by default all"
    )
    parser.add_argument("--runs", type=int, default=3, help="runs of a command in a situation")
    parser.add_argument("--out", type=Path, help="CSV file that rows are appended to")
    options = parser.parse_args()
    if unknown := set(options.targets) - set(TARGETS):
        parser.error(f"there is no target {min(unknown)}; there are {', '.join(TARGETS)}")
    situations = options.only or list(SITUATIONS)
    for name in situations:
        if what := missing(SITUATIONS[name]):
            parser.error(f"the situation {name!r} needs {what}")
    for target, name in remaining(
        options.targets or list(TARGETS), situations, options.runs, options.out
    ):
        with tempfile.TemporaryDirectory() as folder:
            row = measure(target, name, Path(folder))
        print(", ".join(f"{key} {value}" for key, value in row.items()), flush=True)
        if options.out is not None:
            append_row(options.out, row)


if __name__ == "__main__":
    main()
