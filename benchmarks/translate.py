"""Is translation as fast as a bare sparse product, and does it go beyond memory?

    S2N_DATA=… python benchmarks/translate.py [hpo] [middle] [large] [huge] [growth] [--out FILE]

hpo     4,000 random subgraphs of 15 on the graph of `hpo_orpha_neuro`, where W is nearly full:
        `translate` with statistics (and with a cut) beside SciPy's bare product `M @ (A @ M.T)` and
        that product made dense. Targets: no slower than the bare product; with a cut at most half
        the peak memory of product and densifying.
middle  20M random edges, 1M nodes, 20,000 subgraphs of 20, DuckDB. Targets: 5 s, 1 GB.
large   50M edges, 5M nodes, 100,000 subgraphs of 20, DuckDB under 4 GB.
huge    100M edges, 10M nodes, 1,000,000 subgraphs of 20, DuckDB under 4 GB, weights of at least 2.
growth  10^3 … 10^6 subgraphs in memory: time against the pairs of members joined by an edge, as
        benchmarks/translate_growth.png.

Without words: hpo, middle, large, growth.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from measuring import run, save_rows, show, table_rows

from sub2node.report.drawing import (
    PALETTE,
    house_style,
    legend_below,
    new_figure,
    set_log_scale,
)

SUBGRAPHS = """
import numpy as np, scipy.sparse as sp
import sub2node as s2n
from sub2node.task import Subgraphs, SubgraphTask
s2n.translate
rng = np.random.default_rng(0)
graph = s2n.load_task({path!r}).graph
sets = Subgraphs.from_lists([rng.choice(graph.num_nodes, 15, replace=False) for _ in range(4000)])
task = SubgraphTask(graph, sets)
task.hash
A = graph.adjacency() + sp.eye_array(graph.num_nodes, format="csr", dtype=np.float32)
M = sets.membership(graph.num_nodes)
"""


def hpo() -> list[dict[str, object]]:
    folder = os.environ.get("S2N_DATA") or sys.exit("S2N_DATA must name the folder with the data.")
    setup = SUBGRAPHS.format(path=f"{folder}/hpo_orpha_neuro")
    bare = run("W = M @ (A @ M.T); facts = dict(entries=W.nnz)", setup=setup, repeats=5)
    dense = run("W = (M @ (A @ M.T)).toarray()", setup=setup, repeats=5)
    kept = "facts = dict(entries=g.weights.nnz, mean=g.statistics.mean, std=g.statistics.std)"
    raw = run(f"g = s2n.translate(task); {kept}", setup=setup, repeats=5)
    cut = run(f"g = s2n.translate(task, cut=2.0); {kept}", setup=setup, repeats=5)
    rows = [
        ("SciPy: M @ (A @ M.T)", bare),
        ("SciPy: the same, made dense", dense),
        ("translate: raw W and statistics", raw),
        ("translate: cut at 2 sd, and statistics", cut),
    ]
    title = "4,000 subgraphs of 15 on hpo_orpha_neuro (memory: on top of graph and libraries)"
    show(title, rows, memory="extra")
    assert raw["facts"]["entries"] == bare["facts"]["entries"]
    print(f"entries: {raw['facts']['entries']:,} raw, {cut['facts']['entries']:,} after the cut")
    print(f"no slower than the bare product: raw {verdict(raw['seconds'], bare['seconds'])},"
          f" cut {verdict(cut['seconds'], bare['seconds'])}")  # fmt: skip
    print(f"half the memory of product and densifying: {verdict(cut['extra'], dense['extra'] / 2)}")
    saved = table_rows("hpo", rows, "extra")
    for row, (_, found) in zip(saved, rows, strict=True):
        row["entries"] = found.get("facts", {}).get("entries", "")
    return saved


def verdict(found: float, limit: float) -> str:
    return "met" if found <= limit else "MISSED"


def write_random(folder: Path, nodes: int, edges: int, sets: int, size: int = 20) -> None:
    """Random tables as Parquet, written in pieces."""
    rng = np.random.default_rng(0)
    piece = 5_000_000
    schema = pa.schema([("source", pa.int32()), ("target", pa.int32())])
    with pq.ParquetWriter(folder / "edges.parquet", schema) as file:
        for start in range(0, edges, piece):
            ends = rng.integers(0, nodes, (2, min(piece, edges - start)), dtype=np.int32)
            file.write_table(pa.table({"source": ends[0], "target": ends[1]}))
    schema = pa.schema([("subgraph_id", pa.int32()), ("node_id", pa.int32())])
    with pq.ParquetWriter(folder / "members.parquet", schema) as file:
        for start in range(0, sets, 200_000):
            stop = min(start + 200_000, sets)
            rows = rng.integers(0, nodes, (stop - start, size), dtype=np.int32)
            while True:
                rows.sort(axis=1)
                twice = np.zeros(rows.shape, dtype=bool)
                twice[:, 1:] = rows[:, 1:] == rows[:, :-1]
                if not twice.any():
                    break
                rows[twice] = rng.integers(0, nodes, int(twice.sum()), dtype=np.int32)
            owner = np.repeat(np.arange(start, stop, dtype=np.int32), size)
            file.write_table(pa.table({"subgraph_id": owner, "node_id": rows.ravel()}))


DUCKDB = """
out = Path({folder!r}) / "out"
out.mkdir()
settings = TranslationOptions({settings})
card = translate_to({folder!r}, out, settings, engine="duckdb", memory={memory!r},
                    spill={folder!r})
facts = dict(entries=card["entries"], spilled=card["spilled_bytes"])
"""


def beyond(
    title: str, nodes: int, edges: int, sets: int, memory: str, settings: str = ""
) -> list[dict[str, object]]:
    with tempfile.TemporaryDirectory(dir=os.environ.get("S2N_SCRATCH")) as place:
        need = 12 * edges + 24 * sets * 20 + (40 * 4 * edges * (20 * sets / nodes) ** 2)
        free = shutil.disk_usage(place).free
        print(f"\n{title}: {free / 1e9:.0f} GB of disk free, {need / 1e9:.0f} GB may be needed")
        write_random(Path(place), nodes, edges, sets)
        setup = (
            "from pathlib import Path\nfrom sub2node.translation import TranslationOptions\n"
            "from sub2node.translation.engines import translate_to"
        )
        body = DUCKDB.format(folder=place, settings=settings, memory=memory)
        row = run(body, setup=setup)
        show(title, [(f"DuckDB, memory limit {memory}", row)])
        facts = row["facts"]
        print(f"{facts['entries']:,} entries kept, {facts['spilled'] / 1e9:.2f} GB spilled at most")
        saved = table_rows("duckdb", [(f"{title}, limit {memory}", row)])
        saved[0] |= {
            "entries": facts["entries"],
            "spilled_gb": f"{facts['spilled'] / 1e9:.2f}",
        }
        return saved


def middle() -> list[dict[str, object]]:
    rows = beyond("20M edges, 1M nodes, 20,000 x 20", 10**6, 2 * 10**7, 20_000, "600MB")
    seconds, peak = (float(str(rows[0][name])) for name in ("seconds", "peak_mb"))
    print(f"targets: 5 s {verdict(seconds, 5)}, 1 GB {verdict(peak, 1e3)}")
    return rows


def large() -> list[dict[str, object]]:
    return beyond("50M edges, 5M nodes, 100,000 x 20", 5 * 10**6, 5 * 10**7, 100_000, "4GB")


def huge() -> list[dict[str, object]]:
    title = "100M edges, 10M nodes, 1,000,000 x 20, weights of at least 2"
    return beyond(title, 10**7, 10**8, 10**6, "4GB", "min_weight=2.0")


GROWTH = """
import numpy as np
import sub2node as s2n
from sub2node.task import Graph, Subgraphs, SubgraphTask
rng = np.random.default_rng(0)
sets, size = {sets}, 20
nodes = 20 * sets
ends = rng.integers(0, nodes, (2, 3 * nodes))
graph = Graph.from_edges(*ends, num_nodes=nodes)
owner = np.repeat(np.arange(sets), size)
members = Subgraphs.from_pairs(owner, rng.integers(0, nodes, sets * size), sets)
task = SubgraphTask(graph, members)
task.hash
times = np.bincount(members.nodes, minlength=nodes)
low, high, _ = graph.edges()
pairs = int(2 * (times[low] * times[high]).sum() + (times**2).sum())
"""


def growth() -> list[dict[str, object]]:
    rows = []
    for sets in (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000):
        body = "g = s2n.translate(task); facts = dict(pairs=pairs, entries=g.weights.nnz)"
        row = run(body, setup=GROWTH.format(sets=sets), repeats=3 if sets <= 100_000 else 1)
        rows.append((f"{sets:,} subgraphs of 20", row))
    show("Growth: time against pairs of members joined by an edge", rows)
    print(f"{'subgraphs':>24}{'pairs':>14}{'entries':>14}{'ns a pair':>12}")
    saved = table_rows("growth", rows)
    for line, (name, row) in zip(saved, rows, strict=True):
        facts = row["facts"]
        each = row["seconds"] / facts["pairs"] * 1e9
        line.update(facts, ns_per_pair=f"{each:.1f}")
        print(f"{name:>24}{facts['pairs']:>14,}{facts['entries']:>14,}{each:>12.1f}")
    plot([row for _, row in rows], Path(__file__).parent / "translate_growth.png")
    return saved


@house_style()
def plot(rows: list[dict], path: Path) -> None:
    pairs = np.array([row["facts"]["pairs"] for row in rows], dtype=float)
    seconds = np.array([row["seconds"] for row in rows])
    figure, [axes] = new_figure(640, 420)
    linear = seconds[-1] * pairs / pairs[-1]
    axes.plot(pairs, seconds, "o-", color=PALETTE["k0"], label="translate, in memory")
    axes.plot(pairs, linear, "--", color=PALETTE["k10"], label="linear growth")
    set_log_scale(axes, "x", pairs)
    set_log_scale(axes, "y", [*seconds, *linear])
    axes.set_title("Seconds to translate 10³ to 10⁶ subgraphs of 20 nodes")
    axes.set_xlabel("pairs of members joined by an edge,  Σ |subs(u)| · |subs(v)|")
    legend_below(figure, axes.get_legend_handles_labels()[0])
    figure.savefig(path, dpi=144)
    print(f"wrote {path.name}")


def main() -> None:
    jobs = {"hpo": hpo, "middle": middle, "large": large, "huge": huge, "growth": growth}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("jobs", nargs="*", metavar="JOB", help=", ".join(jobs))
    parser.add_argument("--out", type=Path, help="Where rows are written, as CSV.")
    options = parser.parse_args()
    if unknown := sorted(set(options.jobs) - set(jobs)):
        parser.error(f"no benchmark is called {', '.join(unknown)}; there are {', '.join(jobs)}")
    chosen = options.jobs or ["hpo", "middle", "large", "growth"]
    save_rows(options.out, [row for job in chosen for row in jobs[job]()])


if __name__ == "__main__":
    main()
