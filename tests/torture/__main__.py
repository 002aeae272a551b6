"""All attacks, one after the other, as one table.

    make torture                                  # some minutes
    cd tests && python -m torture --out FILE      # and the rows as CSV
    cd tests && python -m torture models --seed 7 --count 100

Seeds are fixed, so that a failure comes again; connections stay on the loopback address. The exit
status is 1 where something was lost, wrong, ended in a traceback or did not end.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from importlib import import_module
from pathlib import Path

from torture.rows import COLUMNS, has_faults, print_table

COUNTS = {"kills": 210, "files": 3000, "models": 1000, "requests": 3000}


def main() -> int:
    """Run the attacks that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("attacks", nargs="*", metavar="|".join(COUNTS))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, help="tries of each attack; by default its own number")
    parser.add_argument("--out", type=Path, help="write the rows to this CSV file")
    options = parser.parse_args()
    if unknown := set(options.attacks) - set(COUNTS):
        parser.error(
            f"no attack is called {', '.join(sorted(unknown))}; choose from {', '.join(COUNTS)}."
        )
    rows = []
    for name in options.attacks or COUNTS:
        start = time.perf_counter()
        print(f"{name} …", flush=True)
        made = import_module(f"torture.{name}").main(options.seed, options.count or COUNTS[name])
        rows += [{**row, "what": f"{name}: {row['what']}"} for row in made]
        print(f"{name}: {time.perf_counter() - start:.0f} s", flush=True)
    print_table(rows)
    if options.out:
        with options.out.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            writer.writerows(rows)
    return int(has_faults(rows))


if __name__ == "__main__":
    sys.exit(main())
