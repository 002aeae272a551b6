"""Single-layer passes of our networks, with a count of their multiplications."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

from ...baselines.glass import GLASSModel, GLASSSettings, build_glass
from ...config import BatchTraining, Config, NodeFeatures
from ...nn import build_network, build_stages
from ...nn.inputs import node_inputs
from ...task import Split, SubgraphTask
from ...translate import S2NGraph, translate
from .complexity import Compared, Complexity, Counts, formula_terms

_aten = torch.ops.aten
_PRODUCTS = {_aten.mm: (0, 1), _aten.addmm: (1, 2), _aten.bmm: (0, 1), _aten.baddbmm: (1, 2)}
_BAGS = (_aten._embedding_bag, _aten._embedding_bag_forward_only)


@dataclass(frozen=True, eq=False)
class Pass:
    """A network and what it does once.

    Args:
        network: In evaluation mode.
        run: Answer for all subgraphs.
    """

    network: nn.Module
    run: Callable[[], Any]

    def count(self) -> dict[str, int]:
        """Multiplications with additions of one pass, by step."""
        counter = _Counter()
        with torch.no_grad(), counter.watching(self.network), counter:
            self.run()
        return dict(sorted(counter.found.items()))


@dataclass(frozen=True, eq=False)
class Prepared:
    """A task whose subgraphs are all in one part, so that one pass answers for all.

    Args:
        task: Graph and subgraphs; labels are 0.
        raw: Its S2N graph with the usual settings.
        counts: What the formula reads, with the S2N graph cut as networks read it.
    """

    task: SubgraphTask
    raw: S2NGraph
    counts: Counts

    def complexity(self, structure: Compared, hidden: int, *, count: bool = True) -> Complexity:
        """Formula and count; see :func:`~sub2node.evaluate.theory.complexity`."""
        terms = formula_terms(self.counts, structure, hidden)
        counted = self.layer(structure, hidden).count() if count else None
        return Complexity(structure, hidden, terms, counted)

    def layer(self, structure: Compared, hidden: int, *, batch: int = 0) -> Pass:
        """A network of one layer; GLASS sees ``batch`` subgraphs at a time, or all."""
        return single_layer(self.task, structure, hidden, self.raw, batch=batch)


def prepared(task: SubgraphTask) -> Prepared:
    """A task made ready for single-layer passes of all structures."""
    settings, count = Config().translation, len(task)
    whole = SubgraphTask(
        task.graph, task.subgraphs, labels=np.zeros(count, np.int64),
        class_names=("none", "other"), split=Split.sizes(train=count), name=task.name,
    )  # fmt: skip
    raw = translate(whole, self_loops=settings.self_loops)
    return Prepared(whole, raw, Counts.of(whole, raw.normalize(settings.a, settings.delta)))


def single_layer(
    task: SubgraphTask, structure: str, hidden: int, graph: S2NGraph, *, batch: int = 0
) -> Pass:
    """A network of one layer on a task that is all in the part ``train``.

    Args:
        task: Graph and subgraphs.
        structure: One of those compared.
        hidden: F.
        graph: The raw S2N graph of the task.
        batch: Subgraphs that GLASS sees at a time; 0: all.
    """
    if structure == "glass":
        features = NodeFeatures(width=hidden, trainable=False)
        settings = GLASSSettings(
            model=GLASSModel(layers=1, hidden=hidden), features=features,
            training=BatchTraining(batch=batch or len(task)),
        )  # fmt: skip
        inputs = node_inputs(task, features, np.arange(task.graph.num_nodes))
        glass, _ = build_glass(task, settings, [0], inputs, "cpu")
        rows = np.arange(len(task))
        glass.eval()
        return Pass(glass, lambda: glass(rows))
    config = Config(structure=structure, conv="gcn").with_settings(  # type: ignore[arg-type]
        {"hidden": hidden, "layers": 1, "inner_layers": 1, "width": hidden, "trainable": False}
    )
    stages = build_stages(task, config, graph=graph, parts=("train",))
    network, _ = build_network(task, config, stages, [0])
    network.eval()
    return Pass(network, lambda: network(stages["train"]))


class _Counter(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Counts products as they are dispatched; hooks tell which module they are in."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.found: dict[str, int] = {}
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

    def _add(self, what: str, count: int) -> None:
        """Put a count to the step that the module says."""
        first = self._inside[0].split(".")[0] if self._inside else ""
        if first == "head":
            what = "head"
        elif first == "readout":
            what = "readout"
        elif what == "propagation" and not first:
            what = "gather"  # members of subgraphs are read from the node table
        elif first == "inner":
            what = f"inner {what}"
        self.found[what] = self.found.get(what, 0) + count
