"""How benchmarks measure: each job in a process of its own, wall time and peak memory."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_RUNNER = """
import gc, json, sys, time
sys.path[:0] = {path!r}

def memory(field):  # bytes of resident memory: now (VmRSS) or at most (VmHWM)
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith(field))

{setup}
gc.collect()
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")  # the peak counts from here
before = memory("VmRSS")
start = time.perf_counter()
{body}
seconds = time.perf_counter() - start
peak = memory("VmHWM")
print()
print(json.dumps(dict(seconds=seconds, peak=peak, extra=peak - before,
                      facts=globals().get("facts", {{}}))))
"""


def run(body: str, *, setup: str = "", repeats: int = 1) -> dict[str, Any]:
    """Run code in a fresh process: the best time, and peak resident memory in bytes.

    ``peak`` is the whole process while ``body`` runs, ``extra`` what it has more than before.

    Args:
        body: What is timed; may leave a dict called ``facts`` behind.
        setup: Imports and data; not timed, and its peak does not count.
        repeats: The quickest of so many runs counts.
    """
    code = _RUNNER.format(path=sys.path, setup=setup, body=body)
    runs = []
    for _ in range(repeats):
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stderr.strip().splitlines()[-1])
        runs.append(json.loads(done.stdout.strip().splitlines()[-1]))
    return min(runs, key=lambda r: r["seconds"])


def show(title: str, rows: list[tuple[str, dict[str, Any]]], memory: str = "peak") -> None:
    """Print a table with each row's time and memory as a ratio to the first row's."""
    print(f"\n{title}")
    print(f"{'':<44}{'seconds':>10}{f'{memory} MB':>10}{'time':>8}{'memory':>8}")
    first = rows[0][1]
    for name, row in rows:
        print(
            f"{name:<44}{row['seconds']:>10.2f}{row[memory] / 1e6:>10.0f}"
            f"{row['seconds'] / first['seconds']:>7.2f}x{row[memory] / first[memory]:>7.2f}x"
        )


def table_rows(
    block: str, rows: Sequence[tuple[str, dict[str, Any]]], memory: str = "peak"
) -> list[dict[str, object]]:
    """The rows of such a table for :func:`save_rows`."""
    return [
        {
            "block": block,
            "job": name,
            "seconds": f"{row['seconds']:.4g}",
            f"{memory}_mb": round(row[memory] / 1e6),
        }
        for name, row in rows
    ]


def save_rows(path: Path | None, rows: Sequence[dict[str, object]]) -> None:
    """Write rows as CSV, with every column that one of them has; without a path do nothing."""
    if path is None:
        return
    columns = list(dict.fromkeys(column for row in rows for column in row))
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print(f"Wrote {path}")
