"""How long do encodings take, and how much memory?

python benchmarks/encode.py --out encode.csv              # on the CPU; data from S2N_DATA
python benchmarks/encode.py --device cuda --out gpu.csv   # RWPE of all nodes on the GPU
python benchmarks/encode.py hpo_orpha_neuro link --out encode.csv   # the rows of some jobs anew
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path
from typing import Any

from measuring import run, save_rows, show, table_rows

LOAD = """
import numpy as np, torch
from sub2node.datasets import load_task
from sub2node.encode import {names}
task = load_task({data!r})
nodes = np.unique(task.subgraphs.nodes)
"""
GRAPH = """
import numpy as np, torch
from sub2node import Graph
rng = np.random.default_rng(0)
pairs = np.unique(np.sort(rng.integers(0, 4000, (165000, 2)), axis=1), axis=0)
pairs = pairs[pairs[:, 0] < pairs[:, 1]][:159000]
graph = Graph.from_edges(pairs[:, 0], pairs[:, 1], num_nodes=4000)
"""
PYG = """
from torch_geometric.data import Data
from torch_geometric.transforms import AddRandomWalkPE
ends = torch.from_numpy(np.concatenate([pairs, pairs[:, ::-1]]).T.copy())
data, walk = Data(edge_index=ends, num_nodes=4000), AddRandomWalkPE(16, "pe")
"""


def against_pyg() -> list[dict[str, object]]:
    """RWPE with K = 16 of a random graph of 4,000 nodes and 159,000 edges."""
    pyg = run("values = walk(data).pe.numpy(); facts = dict(sum=float(values.sum()))",
              setup=GRAPH + PYG)  # fmt: skip
    ours = run(
        "values = random_walk(graph, 16, device='cpu').values\n"
        "facts = dict(sum=float(values.sum()))",
        setup=GRAPH + "from sub2node.encode import random_walk",
        repeats=3,
    )
    rows = [("PyG AddRandomWalkPE", pyg), ("sub2node, all nodes, exact", ours)]
    show("RWPE, 4,000 nodes, 159,000 edges, K = 16 (memory: on top of the graph)", rows, "extra")
    speed, memory = pyg["seconds"] / ours["seconds"], ours["extra"] / pyg["extra"]
    print(f"sums of all values: {pyg['facts']['sum']:.6f} and {ours['facts']['sum']:.6f}")
    print(f"targets: 10x {_met(speed >= 10)} ({speed:.0f}x), 1/4 {_met(memory <= 0.25)}")
    return table_rows("pyg", rows, "extra")


def _met(kept: bool) -> str:
    return "met" if kept else "not met"


def rwpe(data: str, target: float, device: str, options: str = "nodes=nodes") -> dict[str, Any]:
    """RWPE with K = 64."""
    body = f"""
spent = time.process_time()
found = random_walk(task.graph, 64, device={device!r}, {options})
facts = dict(route=found.facts["route"], error=found.facts["error"], nodes=len(found.nodes),
             cpu=time.process_time() - spent,
             expected=found.facts["estimates"][found.facts["route"]],
             gpu=torch.cuda.max_memory_allocated() if {device == "cuda"} else 0)
"""
    row = run(body, setup=LOAD.format(names="random_walk", data=data))
    facts = row["facts"]
    print(
        f"  {data}: {facts['nodes']:,} nodes by {facts['route']}, error at most"
        f" {facts['error']:.1e}, expected {facts['expected']:.0f} s, took {row['seconds']:.1f} s,"
        f" peak {row['peak'] / 1e9:.2f} GB"
        + (f", on the GPU {facts['gpu'] / 1e9:.2f} GB" if facts["gpu"] else "")
        + (f"; target {target:g} s {_met(row['seconds'] <= target)}" if target else "")
    )
    return row


def rwpe_row(block: str, data: str, row: dict[str, Any]) -> dict[str, object]:
    """What such a measurement found, for the file of rows."""
    facts = row["facts"]
    return {
        "block": block,
        "job": data,
        "seconds": f"{row['seconds']:.1f}",
        "cpu_s": f"{facts['cpu']:.1f}",
        "peak_mb": round(row["peak"] / 1e6),
        "nodes": facts["nodes"],
        "route": facts["route"],
        "error": f"{facts['error']:.1e}",
        "expected_s": f"{facts['expected']:.0f}",
        "gpu_gb": f"{facts['gpu'] / 1e9:.2f}" if facts["gpu"] else "",
    }


OTHERS = [
    ("LapPE, K = 64, hpo_orpha_neuro", "hpo_orpha_neuro", "laplacian",
     "found = laplacian(task.graph, 64); facts = dict(residual=found.facts['residual'])"),
    ("node statistics, hpo_orpha_neuro", "hpo_orpha_neuro", "node_statistics",
     "node_statistics(task.graph)"),
    ("subgraph statistics, hpo_orpha_neuro", "hpo_orpha_neuro", "subgraph_statistics",
     "subgraph_statistics(task)"),
    ("WL histograms, hpo_orpha_neuro", "hpo_orpha_neuro", "weisfeiler_leman",
     "weisfeiler_leman(task)"),
    ("SVD vectors, hpo_orpha_neuro", "hpo_orpha_neuro", "svd", "svd(task.graph)"),
    ("link prediction, ppi_bp", "ppi_bp", "link_prediction",
     "found = link_prediction(task.graph, device='cpu'); facts = dict(auc=found.facts['auc'])"),
]  # fmt: skip


def others(jobs: list[str]) -> list[dict[str, object]]:
    """LapPE, statistics, histograms, embeddings: those whose names contain one of ``jobs``."""
    spent = "spent = time.process_time()\nfacts = {}\n"
    after = "\nfacts['cpu'] = time.process_time() - spent"
    rows = [
        (name, run(spent + body + after, setup=LOAD.format(names=names, data=data)))
        for name, data, names, body in OTHERS
        if _wanted(name, jobs)
    ]
    if not rows:
        return []
    show("Others, in full", rows)
    saved = table_rows("others", rows)
    for kept, (_, row) in zip(saved, rows, strict=True):
        facts = row["facts"]
        kept["cpu_s"] = f"{facts['cpu']:.1f}"
        if "residual" in facts:
            kept["residual"] = f"{facts['residual']:.1e}"
            met = _met(row["seconds"] <= 120 and facts["residual"] <= 1e-5)
            print(f"LapPE: residual {facts['residual']:.1e}; target 120 s, 1e-5 {met}")
        if "auc" in facts:
            kept["auc"] = f"{facts['auc']:.3f}"
            met = _met(facts["auc"] >= 0.9)
            print(f"link prediction: validation AUC {facts['auc']:.3f}; target 0.90 {met}")
    return saved


def _wanted(name: str, jobs: list[str]) -> bool:
    return not jobs or any(job in name for job in jobs)


def with_kept(path: Path | None, rows: list[dict[str, object]]) -> list[dict[str, object]]:
    """The rows of a file with these in place of earlier ones, new ones behind their block."""
    kept: list[dict[str, object]] = []
    if path is not None and path.exists():
        with path.open(encoding="utf-8", newline="") as stream:
            kept = [dict(row) for row in csv.DictReader(stream)]
    for row in rows:
        blocks = [one["block"] for one in kept]
        same = [(one["block"], one["job"]) == (row["block"], row["job"]) for one in kept]
        if any(same):
            kept[same.index(True)] = row
        elif row["block"] in blocks:
            kept.insert(len(blocks) - blocks[::-1].index(row["block"]), row)
        else:
            kept.append(row)
    return kept


def main() -> None:
    about = argparse.ArgumentParser(description=__doc__)
    about.add_argument("jobs", nargs="*", metavar="JOB", help="Parts of names; default: all.")
    about.add_argument("--device", default="cpu")
    about.add_argument("--out", type=Path, help="Where rows are written, as CSV.")
    options = about.parse_args()
    device, saved, jobs = options.device, [], options.jobs
    if device == "cuda":
        print("RWPE, K = 64, all nodes, on the GPU")
        for data, target in (("ppi_bp", 20), ("hpo_orpha_neuro", 20), ("like:em_user", 90)):
            saved.append(rwpe_row("gpu", data, rwpe(data, target, device, options="")))
        save_rows(options.out, saved)
        return
    if _wanted("pyg", jobs):
        saved += against_pyg()
    print("\nRWPE, K = 64, exact, nodes that occur in subgraphs")
    for data, target in (("ppi_bp", 90), ("hpo_orpha_neuro", 420), ("hpo_orpha_metab", 20)):
        if _wanted(data, jobs):
            row = rwpe(data, target, device)
            print(f"    peak of the process: target 2.5 GB {_met(row['peak'] <= 2.5e9)}")
            saved.append(rwpe_row("exact", data, row))
    print("\nRWPE, K = 64, approximate, nodes that occur in subgraphs")
    for data, tolerance in (("ppi_bp", 1e-4), ("like:em_user", 1e-6)):
        if _wanted(f"approximate {data}", jobs):
            row = rwpe(data, 0, device, f"nodes=nodes, tolerance={tolerance}")
            saved.append(rwpe_row("approximate", data, row))
    saved += others(jobs)
    save_rows(options.out, with_kept(options.out, saved) if jobs else saved)


if __name__ == "__main__":
    main()
