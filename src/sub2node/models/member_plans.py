"""Members that ``best`` tries: simple models first, then networks of several structures."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..base.ragged import Array
from ..baselines import SIMPLE
from ..config import Config
from ..task import SubgraphTask
from .baseline import Simple
from .graph_network import GraphNetwork
from .interface import Model
from .presets import find_preset, for_part

_AVERAGED = {"criterion": "log_loss"}  # what suits a model whose probabilities are averaged
_QUICK: tuple[tuple[str, dict[str, Any]], ...] = (  # before any network
    ("bag", _AVERAGED),  # the quickest: there is always an answer
    ("hops", _AVERAGED),
    ("diffused-bag", _AVERAGED),
    ("statistics", {}),
)
_SLOW: tuple[tuple[str, dict[str, Any]], ...] = (  # after the first network
    ("gbdt", {"inputs": "both", "rate": 0.1, "leaves": 15}),
    ("wl", {}),
)
_BORDER: tuple[tuple[str, dict[str, Any]], ...] = (  # where nodes or edges have features
    ("gbdt", {"inputs": "border", "rate": 0.1, "leaves": 15}),
    ("hops", {"inputs": "border", **_AVERAGED}),
)
OF_ALL_NODES = ("hops", "diffused-bag", "wl")  # which a graph on disk does not let be read
_STRUCTURES = ("s2n+0", "s2n+a")
_TREE_SECONDS = 0.005  # to grow one small tree, whatever it is grown on
_PATIENCE = 40  # epochs; most members are at their best long before the last epoch


@dataclass(frozen=True)
class MemberPlan:
    """A member, before it has learned.

    Args:
        name: What the leaderboard calls it.
        model: The model; a network has one candidate.
        fold_seconds: Seconds that it takes for a fold at least, where that can be foreseen.
    """

    name: str
    model: Simple | GraphNetwork
    fold_seconds: float = 0.0

    @property
    def is_network(self) -> bool:
        """Whether it is trained step by step, so that it takes seeds and a time limit."""
        return isinstance(self.model, GraphNetwork)

    def make_model(
        self, seconds: float, *, all_nodes: bool = False, groups: Array | None = None
    ) -> Model:
        """The model for a task whose labelled subgraphs are all in its training part.

        Args:
            seconds: Time limit of a network.
            all_nodes: Whether nodes in no subgraph get vectors too.
            groups: One value per training subgraph; folds within train keep equal ones together.
        """
        model = replace(self.model, groups=groups)
        if isinstance(model, GraphNetwork):
            return replace(model, seconds=seconds, held_out=True, all_nodes=all_nodes)
        return model


def member_plans(
    task: SubgraphTask, preset: str = "default", **options: Any
) -> tuple[MemberPlan, ...]:
    """All members for a task, in the order in which they are worth their time.

    Args:
        task: The task to learn.
        preset: Preset of the networks: ``default``, ``fast``, or one that knows the data.
        options: Options of networks, as :class:`~.candidates.NetworkOptions`.
    """
    network_options = {
        name: value
        for name, value in options.items()
        if name in ("device", "encodings", "compile")  # there is no state to go on from
    }
    changes: dict[str, Any] = {"patience": _PATIENCE}
    if options.get("encodings") is not None:
        changes["features.join"] = "concat"  # any width goes along with any features
    beside = {"features.encoding": "given"} if task.graph.features is not None else {}
    on_disk, bordered = task.graph.whole is not None, _has_border(task)
    quick, slow = (
        [
            _simple_plan(name, {**settings, **(beside if name == "gbdt" else {})}, task, options)
            for name, settings in models
            if not (on_disk and name in OF_ALL_NODES)
        ]
        for models in (_QUICK, _SLOW)
    )
    if bordered:
        nearest = {"hops": 0} if on_disk else {}
        slow[1:1] = [
            _simple_plan(name, {**settings, **(nearest if name == "hops" else {})}, task, options)
            for name, settings in _BORDER
        ]
    networks = list[MemberPlan]()
    presets = [find_preset(preset, task, structure) for structure in _STRUCTURES]
    if options.get("encodings") is not None:
        presets = [one.without_given() for one in presets]
    by_structure = [sorted(one.candidates, key=_comes_later) for one in presets]
    most = max(map(len, by_structure))
    for number in range(most):  # the first candidate of each structure before any second one
        for structure, candidates in zip(_STRUCTURES, by_structure, strict=True):
            if number < len(candidates):
                config = candidates[number].with_settings(changes)
                name = f"{structure} {_kind_of_inputs(config)}"
                networks.append(MemberPlan(name, GraphNetwork((config,), **network_options)))
        if number == 0 and bordered:  # and of each structure one with the border
            for structure, candidates in zip(_STRUCTURES, by_structure, strict=True):
                config = candidates[0].with_settings({**changes, "features.subgraphs": "border"})
                name = f"{structure} {_kind_of_inputs(config)}+border"
                networks.append(MemberPlan(name, GraphNetwork((config,), **network_options)))
    return (*quick, *networks[:1], *slow, *networks[1:])


def _comes_later(config: Config) -> bool:
    """Not the one whose vectors start at random, which most often weighs most (docs/best.md)."""
    return config.features.kind != "random"


def _has_border(task: SubgraphTask) -> bool:
    """Whether there is more to say of neighbours and edges than their number."""
    graph = task.graph
    known = graph.features is not None or graph.arcs is not None
    return known or task.subgraphs.border is not None


def _kind_of_inputs(config: Config) -> str:
    kinds = {"constant": "shape", "random": "identity", "given": "given"}
    kind = kinds.get(config.features.kind, f"identity {config.features.kind}")
    return f"{kind}+given" if config.features.encoding == "given" else kind


def _simple_plan(
    name: str, changes: dict[str, Any], task: SubgraphTask, options: dict[str, Any]
) -> MemberPlan:
    settings: Any = for_part(SIMPLE[name].settings().with_settings(changes), task)
    model = Simple(SIMPLE[name], settings, device=options.get("device", "auto"))
    seconds = 0.0
    if name == "gbdt":  # each round grows a tree for every class, of two classes for one
        outputs = task.num_classes if task.multilabel or task.num_classes > 2 else 1
        seconds = _TREE_SECONDS * settings.trees * outputs
    name = f"{name} border" if changes.get("inputs") == "border" else name
    return MemberPlan(name, model, seconds)
