"""Data past memory from tables to answers: seconds, peak memory of all processes, and disk.

    python benchmarks/scale.py --scales 0.01,0.1 --memory 8GB --work FOLDER
    python benchmarks/scale.py --scales 0.1 --memory 4GB --work FOLDER    # half of it
    python benchmarks/scale.py --scales 1 --memory 8GB --work FOLDER      # 49 million nodes
    python benchmarks/scale.py --scales 0.001,0.01,0.03,0.1 --pass-only --work FOLDER    # the slope

At each scale tables like those of Elliptic2 are made, where they are not there yet, and then these
commands run one after the other, each a process of its own: ``describe`` (which makes the part that
the subgraphs need, and the index), ``fit`` of gbdt and of S2N+0 with what lies around subgraphs,
and ``predict`` of 10,000 new subgraphs of any nodes by both. A row is a command; it goes into
benchmarks/results/scale.csv, in place of one of the same command. Memory is that of the process and
its children, sampled ten times per second; disk is what lies in the cache at most, beside the
tables. Where the machine does other work too, the seconds of processors, not those of the clock,
tell how much a command takes.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import resource
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sub2node.datasets import EllipticShape, make_elliptic_like

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "scale.csv"
COLUMNS = ("scale", "nodes", "edges", "subgraphs", "memory", "job", "seconds", "peak_mb", "disk_mb")
COLUMNS = (*COLUMNS, "pr_auc", "result", "processor")
QUESTIONS = 10_000
PAGE = os.sysconf("SC_PAGE_SIZE")
MODELS: dict[str, Sequence[str]] = {
    "gbdt": (
        *("--model", "gbdt", "--set", "inputs=border"),
        *("--set", "rate=0.1", "--set", "leaves=15"),
    ),
    "s2n+0": (
        *("--structure", "s2n+0", "--preset", "fast", "--seeds", "1"),
        *("--set", "features.kind=given", "--set", "features.subgraphs=border"),
    ),
}


class Watch:
    """The most memory of a process tree, and the most bytes in a folder, while a block runs."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.memory, self.disk = folder, 0, 0
        self._done = threading.Event()

    @contextmanager
    def over(self, process: int) -> Iterator[None]:
        """Watch a process and its children."""
        thread = threading.Thread(target=self._loop, args=(process,), daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._done.set()
            thread.join()

    def _loop(self, process: int) -> None:
        count = 0
        while not self._done.wait(0.1):
            self.memory = max(self.memory, sum(map(resident, family(process))))
            if count % 10 == 0:
                self.disk = max(self.disk, size_of(self.folder))
            count += 1


def family(process: int) -> list[int]:
    """A process and all that it started."""
    members = [process]
    with suppress(OSError):
        for task in Path(f"/proc/{process}/task").iterdir():
            for child in (task / "children").read_text().split():
                members += family(int(child))
    return members


def resident(process: int) -> int:
    """Bytes of a process in memory; 0 where it is gone."""
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * PAGE
    except (OSError, IndexError):
        return 0


def size_of(folder: Path) -> int:
    """Bytes in a folder."""
    total = 0
    for path in folder.rglob("*"):
        with suppress(OSError):
            total += path.stat().st_size
    return total


def call(words: Sequence[object], cache: Path) -> dict[str, Any]:
    """One command: seconds, memory, disk, and what it printed."""
    command = [sys.executable, "-c", "from sub2node.cli import main; main()", *map(str, words)]
    environment = {**os.environ, "S2N_CACHE": str(cache)}
    watch, start, before = Watch(cache), time.perf_counter(), processor_seconds()
    with (
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process,
        watch.over(process.pid),
    ):
        text = process.communicate()[0]
    if process.returncode:
        raise SystemExit(f"s2n {' '.join(map(str, words))} ended with {process.returncode}")
    seconds = time.perf_counter() - start
    facts = {"seconds": f"{seconds:.1f}", "peak_mb": round(watch.memory / 1e6)}
    facts["processor"] = f"{processor_seconds() - before:.1f}"
    return {**facts, "disk_mb": round(max(watch.disk, size_of(cache)) / 1e6), "text": text}


def processor_seconds() -> float:
    """What all commands so far have used of the processors."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def questions(shape: EllipticShape, path: Path) -> None:
    """New subgraphs of two to five nodes, any of the graph."""
    rng = np.random.default_rng(7)
    sizes = rng.integers(2, 6, QUESTIONS)
    columns = {
        "subgraph_id": np.char.add("q", np.repeat(np.arange(QUESTIONS), sizes).astype(str)),
        "node_id": rng.integers(0, shape.nodes, sizes.sum()),
    }
    pq.write_table(pa.table(columns), path)


def save(row: dict[str, Any], out: Path) -> None:
    """Add a row, in place of one of the same job."""
    key = ("scale", "memory", "job")
    rows = list[dict[str, Any]]()
    if out.exists():
        with out.open(encoding="utf-8", newline="") as stream:
            rows = [
                old
                for old in csv.DictReader(stream)
                if [old[k] for k in key] != [row[k] for k in key]
            ]
    with out.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, COLUMNS, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows([*rows, row])
    print(*(f"{key}={value}" for key, value in row.items()), flush=True)


def measure(scale: float, memory: str, options: argparse.Namespace) -> None:
    """All commands at one scale."""
    shape, work = EllipticShape.of_scale(scale), options.work
    tables, cache = work / f"elliptic-like-{scale:g}", work / f"cache-{scale:g}-{memory}"
    shutil.rmtree(cache, ignore_errors=True)
    cache.mkdir(parents=True)
    common = {"scale": f"{scale:g}", "nodes": shape.nodes, "edges": shape.edges}
    common |= {"subgraphs": shape.subgraphs, "memory": memory}

    def job(name: str, *words: object, **facts: Any) -> str:
        row = call(words, cache)
        text = str(row.pop("text"))
        found = read_answer(name, text, cache)
        save({**common, "job": name, **row, **found, **facts}, options.out)
        return text

    if not tables.exists():
        start = time.perf_counter()
        make_elliptic_like(tables, shape=shape)
        row = {"seconds": f"{time.perf_counter() - start:.1f}", "disk_mb": size_of(tables) // 10**6}
        save({**common, "memory": "", "job": "make tables", **row}, options.out)
    engine = ("--directed", "--engine", "duckdb", "--memory", memory)
    job("describe", "describe", tables, *engine, "--json")
    questions(shape, work / "questions.parquet")
    models = {} if options.pass_only else MODELS
    for model, settings in models.items():
        place = work / f"model-{scale:g}-{model}"
        shutil.rmtree(place, ignore_errors=True)
        split = ("--split", "80/10/10", "--positive", "suspicious")
        job(f"fit {model}", "fit", tables, *engine, *split, *settings, "-o", place, "--json")
        answers = work / "answers.parquet"
        answers.unlink(missing_ok=True)
        job(f"predict {model}", "predict", place, work / "questions.parquet", "-o", answers)
    if not options.keep:
        shutil.rmtree(cache)


def read_answer(name: str, text: str, cache: Path) -> dict[str, str]:
    """PR-AUC on test of a fit, and the content hash of the part."""
    if name == "describe":
        return {"result": str(json.loads(text)["hash"])[:12]}
    if not name.startswith("fit"):
        return {}
    facts = json.loads(text)
    return {"pr_auc": f"{find(facts, 'pr_auc'):.4f}"}


def find(facts: Any, name: str) -> float:
    """The number of this name, wherever it stands; of the test part where there are several."""
    if isinstance(facts, dict):
        order = ["test", *facts] if "test" in facts else list(facts)
        for key in order:
            if key == name:
                value = facts[key]
                return float(value["mean"] if isinstance(value, dict) else value)
            if isinstance(facts[key], dict) and not np.isnan(value := find(facts[key], name)):
                return value
    return float("nan")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--work", type=Path, required=True, help="where tables and models are made")
    parser.add_argument("--scales", default="0.01")
    parser.add_argument("--memory", default="8GB", help="what the engine may use")
    parser.add_argument("--pass-only", action="store_true", help="describe, and no models")
    parser.add_argument("--keep", action="store_true", help="keep the part and its index")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    for scale in options.scales.split(","):
        measure(float(scale), options.memory, options)


if __name__ == "__main__":
    main()
