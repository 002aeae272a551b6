"""The claims of the theory checked on random graphs and on three data sets, as rows.

    python benchmarks/theory.py --out benchmarks/results/theory/claims.jsonl     # five minutes

A row is one claim: cases that were tried and that held, a table, and what its figure shows, to four
digits. figures.py draws ``theory-*.png`` from it.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from sub2node import load_task
from sub2node.reproduce.theory import CLAIMS, verify

DATA = ("density", "ppi_bp", "hpo_orpha_metab")


def rounded(value: Any) -> Any:
    """A value of JSON with numbers to four digits."""
    if isinstance(value, float):
        return float(f"{value:.4g}")
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    return [rounded(item) for item in value] if isinstance(value, list | tuple) else value


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer cases, in a minute")
    parser.add_argument("--only", choices=CLAIMS, help="one claim")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="where rows are written, as JSON Lines")
    options = parser.parse_args()
    tasks = {name: load_task(name) for name in DATA}
    others = set(CLAIMS) - {options.only} if options.only else ()
    claims = []
    for claim in verify(quick=options.quick, seed=options.seed, tasks=tasks, skip=others):
        print(f"{claim.name}: held in {claim.held:,} of {claim.cases:,} cases", flush=True)
        claims.append(json.dumps(rounded(claim.to_dict()), ensure_ascii=False))
    if options.out is not None:
        options.out.write_text("\n".join(claims) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
