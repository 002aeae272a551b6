"""How long does it take to get data in, and with how much memory?

    S2N_DATA=… python benchmarks/data.py --out benchmarks/results/data.csv

Reads `hpo_orpha_neuro` (3.4M edges, gzip), beside NetworkX reading the same edges; describes it;
draws `like("em_user")` and the synthetic benchmarks at ten times their size. Targets: reading at
most 4 s and 1.2 GB, `like("em_user")` at most 15 s, on 2 cores.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from measuring import run, save_rows, show, table_rows

READ = "task = load_task({path!r}); facts = dict(edges=task.graph.num_edges)"
NETWORKX = """
with gzip.open({path!r} + "/edge_list.txt.gz", "rt") as file:
    graph = networkx.parse_edgelist(file, nodetype=int)
facts = dict(edges=graph.number_of_edges())
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, help="Where rows are written, as CSV.")
    options = parser.parse_args()
    folder = os.environ.get("S2N_DATA")
    if not folder:
        sys.exit("S2N_DATA must name the folder with the data.")
    path = f"{folder}/hpo_orpha_neuro"
    load = "from sub2node import describe, load_task"
    ours = run(READ.format(path=path), setup=load, repeats=3)
    theirs = run(NETWORKX.format(path=path), setup="import gzip, networkx")
    assert ours["facts"] == theirs["facts"], (ours, theirs)
    rows = [
        ("sub2node: graph, subgraphs, labels, names", ours),
        ("NetworkX: the edges only", theirs),
    ]
    show("Reading hpo_orpha_neuro", rows)
    saved = table_rows("reading", rows)
    print(f"target: 4 s, 1,200 MB -> {verdict(ours, 4, 1.2e9)}")
    setup = f"{load}\ntask = load_task({path!r})"
    rows = [("s2n describe, after reading", run("describe(task)", setup=setup, repeats=3))]
    show("Describing hpo_orpha_neuro: 1,559 subgraphs, 672,565 internal edges", rows)
    saved += table_rows("describing", rows)

    make = "from sub2node.datasets import generate, like"
    drawn = run('like("em_user")', setup=make)
    rows = [('like("em_user")', drawn)]
    rows += [
        (f'like("{name}")', run(f'like("{name}")', setup=make)) for name in ("hpo_neuro", "ppi_bp")
    ]
    for name in ("density", "cut_ratio", "coreness", "component"):
        call = f'generate("{name}", subgraphs=2500)'
        rows.append((call, run(call, setup=make)))
    show("Drawing data", rows)
    save_rows(options.out, saved + table_rows("drawing", rows))
    print(f"target for em_user: 15 s -> {verdict(drawn, 15, float('inf'))}")


def verdict(row: dict[str, float], seconds: float, peak: float) -> str:
    return "met" if row["seconds"] <= seconds and row["peak"] <= peak else "MISSED"


if __name__ == "__main__":
    main()
