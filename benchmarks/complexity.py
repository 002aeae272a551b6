"""Proposition 1 by numbers: operations and time of one layer as tasks grow.

    python benchmarks/complexity.py                        # both, several minutes
    python benchmarks/complexity.py operations --quick     # fewer sizes, Density alone besides
    python benchmarks/complexity.py time --out benchmarks/results/theory     # writes time.csv there

operations  multiplications of single-layer passes, counted where PyTorch dispatches them, against
            the formula, on random tasks and on data; operations.csv
time        seconds of the same passes while E, M or F grow, against the formula and against a sum
            of its terms with constants of the machine; time.csv

figures.py draws theory-operations.png and theory-time.png from these rows.

An edge counts twice in our networks, once each way, with a self-loop for each node; GLASS has maps
for two labels on vectors of width F and 2F. What is done number by number (bias, ReLU, norms) is
of order N F and not counted; nor is the head, which all structures have.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from measuring import save_rows
from scipy.optimize import nnls
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

from sub2node import load_task
from sub2node.base.errors import Sub2NodeError
from sub2node.baselines.glass import GLASSModel, GLASSSettings, build_glass
from sub2node.config import BatchTrainingSettings, Config, NodeFeatureSettings
from sub2node.efficiency.measure import timed
from sub2node.nn import build_network, build_stages
from sub2node.nn.node_inputs import node_inputs
from sub2node.reproduce.theory.sampling import configuration_model, degree_sequence, node_sets
from sub2node.task import Graph, Split, Subgraphs, SubgraphTask
from sub2node.translation import S2NGraph, translate

# How many times the formula a count is at most, with F >= 2 and no more loops than nodes:
# (2E + 2N) F + M N̄ F + N F² for connected; GLASS has 6 N F² for N F²; S2N+A reads members from the
# table, adds self-loops inside, and has M F² of its second layer.
MOST = {"glass": 7, "connected": 3, "s2n+0": 3, "s2n+a": 5}
BASE = {"degree": 10, "M": 200, "F": 32}
SERIES = {"degree": (5, 15, 40, 120, 320), "M": (100, 250, 600, 1400, 3200),
          "F": (16, 32, 64, 128, 256)}  # fmt: skip
NODES, SIZE = 4000, 10
ROUNDS = 5  # of the time of all layers
BATCH, BATCHED_WIDTH = 32, 16  # of GLASS as it is run
DATA = ("density", "ppi_bp", "hpo_orpha_metab")
_aten = torch.ops.aten
_PRODUCTS = {_aten.mm: (0, 1), _aten.addmm: (1, 2), _aten.bmm: (0, 1), _aten.baddbmm: (1, 2)}
_BAGS = (_aten._embedding_bag, _aten._embedding_bag_forward_only)


@dataclass(frozen=True)
class Counts:
    """What the formula reads of a task; edges once each, self-loops aside.

    Args:
        nodes: N.
        edges: E.
        subgraphs: M.
        members: M N̄, nodes in all subgraphs.
        internal_edges: M Ē, edges in all subgraphs.
        s2n_edges: Ê, joined pairs of the S2N graph as networks read it, cut to strong links.
    """

    nodes: int
    edges: int
    subgraphs: int
    members: int
    internal_edges: int
    s2n_edges: int


def formula_terms(counts: Counts, structure: str, hidden: int) -> dict[str, int]:
    """The terms of Proposition 1 as they are printed, without constants."""
    square = hidden**2
    if structure in ("glass", "connected"):
        return {
            "E F": counts.edges * hidden,
            "M N̄ F": counts.members * hidden,
            "N F²": counts.nodes * square,
        }
    if structure == "s2n+0":
        return {
            "Ê F": counts.s2n_edges * hidden,
            "M N̄ F": counts.members * hidden,
            "M F²": counts.subgraphs * square,
        }
    return {
        "Ê F": counts.s2n_edges * hidden,
        "M Ē F": counts.internal_edges * hidden,
        "M N̄ F²": counts.members * square,
    }


@dataclass(frozen=True, eq=False)
class SingleLayers:
    """A task whose subgraphs are all in one part, so that one pass answers for all.

    Args:
        task: Graph and subgraphs; labels are 0.
        raw: Its S2N graph with the usual settings.
        counts: What the formula reads.
    """

    task: SubgraphTask
    raw: S2NGraph
    counts: Counts

    @classmethod
    def of(cls, task: SubgraphTask) -> SingleLayers:
        settings, count = Config().translation, len(task)
        whole = SubgraphTask(
            task.graph, task.subgraphs, labels=np.zeros(count, np.int64),
            class_names=("none", "other"), split=Split.sizes(train=count), name=task.name,
        )  # fmt: skip
        raw = translate(whole, self_loops=settings.self_loops)
        counts = Counts(
            nodes=task.graph.num_nodes,
            edges=task.graph.num_edges,
            subgraphs=count,
            members=len(task.subgraphs.nodes),
            internal_edges=int(task.internal_edges()[0][-1]),
            s2n_edges=raw.normalize(settings.a, settings.delta).num_edges,
        )
        return cls(whole, raw, counts)

    def layer(
        self, structure: str, hidden: int, *, batch: int = 0
    ) -> tuple[nn.Module, Callable[[], Any]]:
        """A network of one layer (S2N+A: one inside, one outside), and one pass of it.

        Args:
            structure: One of ``MOST``.
            hidden: F.
            batch: Subgraphs that GLASS sees at a time; 0: all.
        """
        if structure == "glass":
            features = NodeFeatureSettings(width=hidden, trainable=False)
            settings = GLASSSettings(
                model=GLASSModel(layers=1, hidden=hidden), features=features,
                training=BatchTrainingSettings(batch=batch or len(self.task)),
            )  # fmt: skip
            inputs = node_inputs(self.task, features, np.arange(self.task.graph.num_nodes))
            glass, _ = build_glass(self.task, settings, seeds=[0], inputs=inputs, device="cpu")
            glass.eval()
            rows = np.arange(len(self.task))
            return glass, lambda: glass(rows)
        config = Config(structure=structure, conv="gcn").with_settings(
            {"hidden": hidden, "layers": 1, "inner_layers": 1, "width": hidden, "trainable": False}
        )
        stages = build_stages(self.task, config, graph=self.raw, parts=("train",))
        network, _ = build_network(self.task, config, stages, [0])
        network.eval()
        return network, lambda: network(stages["train"])

    def count(self, structure: str, hidden: int, *, batch: int = 0) -> dict[str, int]:
        """Multiplications with additions of one pass, by step."""
        network, run = self.layer(structure, hidden, batch=batch)
        counter = _Counter()
        with torch.no_grad(), counter.watching(network), counter:
            run()
        return dict(sorted(counter.counts.items()))


class _Counter(TorchDispatchMode):
    """Counts products as they are dispatched; hooks tell which module they are in."""

    def __init__(self) -> None:
        super().__init__()
        self.counts: dict[str, int] = {}
        self._inside: list[str] = []

    @contextmanager
    def watching(self, network: nn.Module) -> Iterator[None]:
        """Know where in the network one is."""
        handles = []
        for name, module in network.named_modules():
            if name:
                handles += [
                    module.register_forward_pre_hook(lambda *_, n=name: self._inside.append(n)),
                    module.register_forward_hook(lambda *_: self._leave()),
                ]
        try:
            yield
        finally:
            for handle in handles:
                handle.remove()

    def _leave(self) -> None:
        self._inside.pop()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        packet = func.overloadpacket
        if packet in _PRODUCTS:
            left, right = (args[place].shape for place in _PRODUCTS[packet])
            self._add("transformation", int(np.prod(left)) * right[-1])
        elif packet in _BAGS:
            width = args[0].shape[1]
            self._add("propagation" if width > 1 else "weights", args[1].numel() * width)
        elif packet is _aten.segment_reduce:
            self._add("readout", args[0].numel())
        return func(*args, **(kwargs or {}))

    def _add(self, step: str, count: int) -> None:
        """Put a count to the step that the module says."""
        first = self._inside[0].split(".")[0] if self._inside else ""
        if first in ("head", "readout"):
            step = first
        elif step == "propagation" and not first:
            step = "gather"  # members of subgraphs are read from the node table
        elif first == "inner":
            step = f"inner {step}"
        self.counts[step] = self.counts.get(step, 0) + count


def operations_of(counted: dict[str, int]) -> int:
    """All that was counted, the head aside."""
    return sum(number for step, number in counted.items() if step != "head")


def random_task(*, degree: int, subgraphs: int, rng: np.random.Generator) -> SubgraphTask:
    """A graph of 4,000 nodes with Poisson degrees, and subgraphs that random walks meet."""
    degrees = degree_sequence("poisson", NODES, degree, rng)
    adjacency = configuration_model(degrees, rng, simple=True)
    graph = Graph.from_edges(*adjacency.tocoo().coords, num_nodes=NODES)
    sets = node_sets(adjacency, np.full(subgraphs, SIZE), "walks", rng).tocoo()
    members = Subgraphs.from_pairs(sets.coords[0], sets.coords[1], subgraphs)
    return SubgraphTask(graph, members, name=f"{graph.num_edges} edges, {subgraphs} subgraphs")


def varied_task(what: str, value: int, rng: np.random.Generator) -> SubgraphTask:
    """A random task with one of its sizes changed."""
    sizes = {**BASE, what: value}
    return random_task(degree=sizes["degree"], subgraphs=sizes["M"], rng=rng)


Row = dict[str, object]


def count_operations(*, quick: bool, seed: int) -> list[Row]:
    """Counted operations against the formula."""
    rng, every = np.random.default_rng([seed, 6]), 2 if quick else 1
    tasks = {f"{what} = {value}": varied_task(what, value, rng)
             for what in ("degree", "M") for value in SERIES[what][::every]}  # fmt: skip
    for name in DATA[:1] if quick else DATA:
        try:
            tasks[name] = load_task(name)
        except Sub2NodeError as error:
            print(f"{name} is left out: {error}")
    rows: list[Row] = []
    print(f"{'data':<18}{'structure':<24}{'F':>4}{'formula':>14}{'counted':>14}{'ratio':>9}")
    for name, task in tasks.items():
        layers = SingleLayers.of(task)
        jobs = [(structure, hidden, 0) for structure in MOST for hidden in (16, 64)]
        if name.startswith("M ="):
            jobs.append(("glass", BATCHED_WIDTH, BATCH))
        for structure, hidden, batch in jobs:
            formula = sum(formula_terms(layers.counts, structure, hidden).values())
            counted = operations_of(layers.count(structure, hidden, batch=batch))
            word = f"{structure}, in batches of {batch}" if batch else structure
            print(f"{name:<18}{word:<24}{hidden:>4}{formula:>14,}{counted:>14,}"
                  f"{counted / formula:>9.3f}", flush=True)  # fmt: skip
            rows.append(
                {"data": name, "structure": structure, "batch": batch, "hidden": hidden,
                 "formula": formula, "counted": counted, "most": MOST[structure]}
            )  # fmt: skip
    return rows


@dataclass(frozen=True)
class Timed:
    """One measurement: seconds of a pass, what was varied, and the terms of the formula."""

    structure: str
    what: str
    value: int
    terms: Sequence[int]
    seconds: float


def _time_layers(quick: bool, seed: int) -> list[Timed]:
    """Seconds of a pass of each structure while E, M or F grow."""
    rng, rows = np.random.default_rng([seed, 7]), list[Timed]()
    for what, series in SERIES.items():
        for value in series[:: 2 if quick else 1]:
            hidden = value if what == "F" else BASE["F"]
            layers = SingleLayers.of(varied_task(what, value, rng))
            for structure in MOST:
                _, run = layers.layer(structure, hidden)
                with torch.no_grad():
                    seconds = timed(
                        run, torch.device("cpu"), repeats=5, seconds=0.2 if quick else 1.0
                    ).low
                terms = list(formula_terms(layers.counts, structure, hidden).values())
                rows.append(Timed(structure, what, value, terms, seconds))
    return rows


def measure_time(*, quick: bool, seed: int) -> list[Row]:
    """Measured time against the formula while E, M or F grow; the quickest of some rounds."""
    rounds = [_time_layers(quick, seed) for _ in range(1 if quick else ROUNDS)]
    rows = [min(same, key=lambda row: row.seconds) for same in zip(*rounds, strict=True)]
    saved: list[Row] = []
    print(f"{'structure':<12}{'varied':<8}{'by':>6}{'formula by':>12}{'fit by':>9}{'time by':>9}"
          f"{'last, ms':>10}")  # fmt: skip
    for structure in MOST:
        mine = [row for row in rows if row.structure == structure]
        fitted, _ = fit_constants(mine)
        saved += [{"structure": structure, "varied": row.what, "value": row.value,
                   "formula": sum(row.terms), "seconds": f"{row.seconds:.3e}",
                   "fitted_seconds": f"{fit:.3e}"}
                  for row, fit in zip(mine, fitted, strict=True)]  # fmt: skip
        for what in SERIES:
            ends = [place for place, row in enumerate(mine) if row.what == what]
            first, last = mine[ends[0]], mine[ends[-1]]
            print(f"{structure:<12}{'E' if what == 'degree' else what:<8}"
                  f"{last.value / first.value:>6.1f}{sum(last.terms) / sum(first.terms):>12.2f}"
                  f"{fitted[ends[-1]] / fitted[ends[0]]:>9.2f}{last.seconds / first.seconds:>9.2f}"
                  f"{1000 * last.seconds:>10.3f}")  # fmt: skip
    return saved


def fit_constants(rows: Sequence[Timed]) -> tuple[np.ndarray, np.ndarray]:
    """Seconds by a + b · first + c · second + d · third term, and these constants, none below 0.

    Least squares of relative errors.
    """
    table = np.array([[1, *row.terms] for row in rows], dtype=np.float64)
    scale = table.max(axis=0)
    times = np.array([row.seconds for row in rows])
    constants, _ = nnls(table / scale / times[:, None], np.ones(len(times)))
    return (table / scale) @ constants, constants / scale


def main() -> None:
    jobs = {"operations": count_operations, "time": measure_time}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("jobs", nargs="*", help=f"{' or '.join(jobs)}; both without a word")
    parser.add_argument("--quick", action="store_true", help="fewer sizes, shorter measurements")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, help="folder where rows are written, as CSV")
    options = parser.parse_args()
    for word in options.jobs or jobs:
        if word not in jobs:
            parser.error(f"no job is called {word!r}; there are {', '.join(jobs)}.")
        rows = jobs[word](quick=options.quick, seed=options.seed)
        save_rows(options.out and options.out / f"{word}.csv", rows)


if __name__ == "__main__":
    main()
