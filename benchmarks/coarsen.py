"""Coarsening: time and memory on graphs of published shapes, growth with edges, what is lost.

    python benchmarks/coarsen.py speed growth --out benchmarks/results/coarsen.csv
    python benchmarks/coarsen.py quality --out benchmarks/results/coarsen-quality.csv

With S2N_DATA, speed includes PPI-BP.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import networkx as nx
import numpy as np
from measuring import run, save_rows
from scipy.spatial import Delaunay

from sub2node import Graph
from sub2node.coarsen import coarsen
from sub2node.report.drawing import (
    PALETTE,
    house_style,
    legend_below,
    new_figure,
    set_log_scale,
)

METHODS = ("heavy_edge", "algebraic_jc", "affinity_gs", "variation_edges",
           "variation_neighborhoods", "variation_cliques")  # fmt: skip


def speed() -> list[dict[str, object]]:
    """The two jobs of the paper's data-scarce experiments, and every method on the smaller one."""
    print(f"{'':<44}{'seconds':>9}{'peak MB':>9}  sets")
    like = "from sub2node.datasets import like; graph = like('em_user').graph"
    rows = [_job("like em_user, variation_edges, r = 0.8", like, "variation_edges", 0.8)]
    if os.environ.get("S2N_DATA"):
        load = "from sub2node import load_task; graph = load_task('ppi_bp').graph"
        rows.append(_job("PPI-BP, variation_edges, r = 0.5", load, "variation_edges", 0.5))
        methods = (*METHODS, "louvain", "ego_nets", "random_walks")
        rows += [_job(f"PPI-BP, {method}, r = 0.3", load, method, 0.3) for method in methods]
    return [{"block": "speed", **row} for row in rows]


def _job(name: str, setup: str, method: str, ratio: float) -> dict[str, object]:
    found = run(
        f"found = coarsen(graph, {method!r}, {ratio})\nfacts = dict(sets=found.num_sets)",
        setup=f"from sub2node.coarsen import coarsen\n{setup}",
    )
    sets = found["facts"]["sets"]
    print(f"{name:<44}{found['seconds']:>9.1f}{found['peak'] / 1e6:>9.0f}  {sets:,}", flush=True)
    return {
        "job": name,
        "seconds": f"{found['seconds']:.4g}",
        "peak_mb": round(found["peak"] / 1e6),
        "sets": sets,
    }


def graphs() -> dict[str, Graph]:
    """Meshes and random graphs of 1,000 to 5,000 nodes."""
    rng = np.random.default_rng(0)
    points = rng.random((2000, 2))
    corners = Delaunay(points).simplices
    mesh = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]])
    places = nx.random_geometric_graph(1500, 0.05, seed=0)
    places = places.subgraph(max(nx.connected_components(places), key=len))
    families = {
        "grid 60 × 50": nx.grid_2d_graph(60, 50),
        "geometric": places,
        "small world": nx.connected_watts_strogatz_graph(2000, 10, 0.1, seed=0),
        "Barabási-Albert": nx.barabasi_albert_graph(3000, 4, seed=0),
        "blocks": nx.stochastic_block_model(
            [250] * 4, (0.045 * np.eye(4) + 0.005).tolist(), seed=0
        ),
        "regular": nx.random_regular_graph(6, 5000, seed=0),
    }
    found = {"Delaunay mesh": Graph.from_edges(mesh[:, 0], mesh[:, 1])}
    for name, graph in families.items():
        numbered = nx.convert_node_labels_to_integers(graph)
        ends = np.array(numbered.edges())
        found[name] = Graph.from_edges(ends[:, 0], ends[:, 1], num_nodes=len(numbered))
    return found


def quality(k: int = 10) -> list[dict[str, object]]:
    """Mean relative error of the first eigenvalues, for each method and ratio."""
    ratios, rows = (0.3, 0.5, 0.7), []
    print(f"Mean relative error of the first {k} eigenvalues (in brackets: subspace error)")
    for name, graph in graphs().items():
        print(f"\n{name}: {graph.num_nodes:,} nodes, {graph.num_edges:,} edges")
        print(f"{'':<26}" + "".join(f"{f'r = {r}':>18}" for r in ratios))
        for method in METHODS:
            cells = []
            for ratio in ratios:
                found = coarsen(graph, method, ratio, eigenvectors=k).errors(k)
                cells.append(f"{found.mean:.3f} ({found.subspace:.2f})")
                about = {"graph": name, "nodes": graph.num_nodes, "edges": graph.num_edges}
                errors = {
                    "eigenvalue_error": f"{found.mean:.3f}",
                    "subspace_error": f"{found.subspace:.2f}",
                }
                rows.append({**about, "method": method, "ratio": ratio, **errors})
            print(f"{method:<26}" + "".join(f"{cell:>18}" for cell in cells), flush=True)
    return rows


@house_style()
def _plot(edges: list[int], panels: dict[str, list[float]], place: Path) -> None:
    figure, axes = new_figure(900, 360, cols=len(panels))
    for panel, (title, values) in zip(axes, panels.items(), strict=True):
        line = [values[0] * count / edges[0] for count in edges]
        panel.plot(edges, values, "o-", color=PALETTE["k3"], label="variation_edges, r = 0.5")
        panel.plot(edges, line, "--", color=PALETTE["k10"], label="proportional to edges")
        set_log_scale(panel, "x", edges, ticks=edges)
        set_log_scale(panel, "y", [*values, *line])
        panel.set_title(title)
        panel.set_xlabel("Edges of the graph")
    legend_below(figure, axes[0].get_legend_handles_labels()[0])
    figure.savefig(place, dpi=144)


def growth() -> list[dict[str, object]]:
    """Time and memory by edges, drawn."""
    rows: list[dict[str, object]] = []
    print(f"{'':<44}{'seconds':>9}{'peak MB':>9}  sets")
    for exponent in range(5):
        nodes, count = 5000 * 2**exponent, 200_000 * 2**exponent
        setup = (
            "import numpy as np; from sub2node import Graph\n"
            f"rng = np.random.default_rng(0); n, m = {nodes}, {count}\n"
            "ends = (n * rng.random((2, m)) ** [[1.0], [1.5]]).astype(int)\n"
            "graph = Graph.from_edges(*ends, num_nodes=n)"
        )
        row = _job(f"{nodes:,} nodes, {count:,} edges", setup, "variation_edges", 0.5)
        rows.append({"block": "growth", **row, "edges": count})
    edges = [200_000 * 2**exponent for exponent in range(5)]
    seconds, memory = ([float(str(row[name])) for row in rows] for name in ("seconds", "peak_mb"))
    place = Path(__file__).with_name("coarsen_growth.png")
    _plot(edges, {"Seconds": seconds, "Peak memory, MB": memory}, place)
    print(f"wrote {place.name}")
    return rows


if __name__ == "__main__":
    jobs = {"speed": speed, "quality": quality, "growth": growth}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("jobs", nargs="*", metavar="JOB", help=", ".join(jobs))
    parser.add_argument("--out", type=Path, help="Where rows are written, as CSV.")
    options = parser.parse_args()
    if unknown := sorted(set(options.jobs) - set(jobs)):
        parser.error(f"no benchmark is called {', '.join(unknown)}; there are {', '.join(jobs)}")
    saved = []
    for job in options.jobs or jobs:
        print(f"\n# {job}")
        saved += jobs[job]()
    save_rows(options.out, saved)
