"""Nothing is fitted on what is not train: subgraphs of val and test change no earlier answer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

from quick_models import CLASSES, COUNT, NODES, PARTS, QUICK, odd_graph, odd_task
from small_ensembles import use_short_plans
from sub2node.baselines import NETWORKS, SIMPLE
from sub2node.config import STRUCTURES, Config
from sub2node.models.baseline import baseline
from sub2node.models.find import find_model
from sub2node.models.graph_network import GraphNetwork
from sub2node.models.interface import Model
from sub2node.report.html import model_descriptions
from sub2node.task import Arcs, Graph, Subgraphs, SubgraphTask

TRAIN, KNOWN = PARTS.count("train"), 20  # subgraphs of train, and the nodes that they are of
FEATURES: dict[str, dict[str, Any]] = {
    "random": {"kind": "random"},
    "constant, rwpe": {"kind": "constant", "encoding": "rwpe"},
    "given, structure": {"kind": "given", "encoding": "structure", "join": "concat"},
    "svd, lappe": {"kind": "svd", "encoding": "lappe", "scale": 0.3},
    "random, rwpe, statistics": {"kind": "random", "encoding": "rwpe", "subgraphs": "structure"},
    "random, structure, colours": {
        "kind": "random", "encoding": "structure", "join": "concat", "subgraphs": "wl",
    },
}  # fmt: skip
SCALINGS = {"random": ("none",), "constant, rwpe": ("none", "standard", "log"),
            "random, rwpe, statistics": ("standard", "log")}  # fmt: skip
SMALL = {
    "model.hidden": 6, "translation.a": -0.05, "features.width": 4, "features.encoding_width": 4,
}  # fmt: skip


def members(seed: int) -> Subgraphs:
    """The sets of train, and others in val and test, which have more nodes, drawn by a seed."""
    first, late = np.random.default_rng(0), np.random.default_rng(seed)
    train = [first.choice(KNOWN, size, replace=False) for size in first.integers(1, 9, TRAIN)]
    sizes = late.integers(1, 12, COUNT - TRAIN)
    return Subgraphs.from_lists([*train, *(late.choice(NODES, k, replace=False) for k in sizes)])


@dataclass(frozen=True)
class Tasks:
    """The same subgraphs of train, with others and other labels in val and test, and without test.

    Args:
        task: The task.
        others: The same train, all else different.
        no_test: The same without its test part.
    """

    task: SubgraphTask
    others: SubgraphTask
    no_test: SubgraphTask

    @classmethod
    def of(cls, graph: Graph, *, multilabel: bool = False) -> Tasks:
        """Three tasks of a graph."""
        both = []
        for seed, shift in ((1, 0), (2, 1)):
            labels = np.where(np.arange(COUNT) < TRAIN, CLASSES, (CLASSES + shift) % 3)
            if multilabel:
                labels = (labels[:, None] == np.arange(3)) | (np.arange(COUNT) % 4 == 0)[:, None]
            both.append(replace(odd_task(of=graph, subgraphs=members(seed)), labels=labels))
        return cls(*both, both[0].subset(~both[0].split.mask("test")))


GRAPH = odd_graph(features=np.random.default_rng(0).normal(size=(NODES, 3)))
PLAIN = Tasks.of(GRAPH)
TASK, OTHERS = PLAIN.task, PLAIN.others


def logits(model: Model, task: SubgraphTask, *parts: Any) -> np.ndarray:
    """What a model says of parts once it has learned."""
    labels: Any = {name: task.labels[task.split.mask(name)] for name in ("train", "val")}
    trained = model.fit(task, labels, (3, 4))
    return np.concatenate([trained.outputs(part).logits for part in parts], axis=1)


def assert_fitted_on_train(model: Model, once: Model, tasks: Tasks = PLAIN) -> None:
    """Others in val and test change no answer of train; no test part, none of train and val.

    Args:
        model: The model; it may choose on validation.
        once: The same with nothing to choose on validation.
        tasks: What they learn from.
    """
    close = {"rtol": 1e-5, "atol": 2e-6}  # the sizes of products change how they are rounded
    expected = logits(once, tasks.task, "train")
    np.testing.assert_allclose(logits(once, tasks.others, "train"), expected, **close)
    expected = logits(model, tasks.task, "train", "val")
    np.testing.assert_allclose(logits(model, tasks.no_test, "train", "val"), expected, **close)


@pytest.mark.usefixtures("few_candidates")
@pytest.mark.parametrize("name", [name for name in SIMPLE if name != "sub2vec"])
def test_simple_models(name: str) -> None:
    model = baseline(TASK, name, settings=QUICK[name], device="cpu").model
    assert_fitted_on_train(model, model)


@pytest.mark.usefixtures("two_candidates")
@pytest.mark.parametrize("name", [name for name in SIMPLE if name != "sub2vec"])
def test_simple_models_that_choose(name: str) -> None:
    model = baseline(TASK, name, settings=QUICK[name], device="cpu").model
    expected = logits(model, TASK, "train", "val")
    np.testing.assert_allclose(logits(model, PLAIN.no_test, "train", "val"), expected, atol=1e-9)


def test_the_first_words_about_sub2vec_say_that_it_sees_all_subgraphs() -> None:
    assert SIMPLE["sub2vec"].about.startswith("transductive: ")
    assert model_descriptions._BASELINES["sub2vec"].startswith("transductive: ")


@pytest.mark.parametrize("name", NETWORKS)
def test_networks_of_batches(name: str) -> None:
    settings = ({**QUICK[name], "epochs": epochs} for epochs in (2, 1))
    assert_fitted_on_train(
        *(baseline(TASK, name, settings=one, device="cpu").model for one in settings)
    )


@pytest.mark.parametrize(
    ("structure", "features", "scaling"),
    [
        (structure, features, scaling)
        for structure, features in product(STRUCTURES, FEATURES)
        for scaling in SCALINGS.get(features, ("standard",))
    ],
)
def test_networks(structure: str, features: str, scaling: str) -> None:
    named = {f"features.{key}": value for key, value in FEATURES[features].items()}
    config = Config().with_settings(
        {**SMALL, **named, "structure": structure, "features.scaling": scaling}
    )
    assert_fitted_on_train(
        *(GraphNetwork((config.with_settings({"epochs": n}),), device="cpu") for n in (2, 1))
    )


CONVOLUTIONS = ("gcn", "gin", "gatv2", "sage", "fagcn")
READOUTS = ("mean", "max", "node-degree", "volume", "degree", "degree-code", "learned")
LINKS: dict[str, dict[str, Any]] = {
    "without self-loops": {"translation.self_loops": False},
    "shared nodes": {"translation.te": "shared_nodes"},
    "shortest path": {"translation.te": "shortest_path"},
    "without weights": {"translation.weighted": False},
    "normalised batches, skip": {"model.batch_norm": True, "model.skip": True},
}
COARSENINGS: dict[str, dict[str, Any]] = {
    "root": {"coarsening.averaging": "root", "coarsening.small": "keep"},
    "heavy edges": {"coarsening.method": "heavy_edge", "coarsening.ratio": 0.3},
    "algebraic distance": {"coarsening.method": "algebraic_jc"},
    "ego nets": {"coarsening.method": "ego_nets", "coarsening.ratio": 0.8},
    "walks": {"coarsening.method": "random_walks", "coarsening.ratio": 0.8},
}
OPTIONS: list[dict[str, Any]] = [
    *({"structure": s, "conv": conv} for s, conv in product(STRUCTURES, CONVOLUTIONS)),
    *({"structure": s, "readout": name} for s, name in product(("s2n+0", "s2n+a"), READOUTS)),
    *({"structure": s, **more} for s, more in product(("s2n+a", "cos2n+0"), LINKS.values())),
    *(
        {"structure": s, **more}
        for s, more in product(("cos2n+0", "cos2n+a"), COARSENINGS.values())
    ),
]


def small_network(epochs: int = 1, **settings: Any) -> GraphNetwork:
    """A network of six channels."""
    config = Config().with_settings({**SMALL, "model.outer.heads": 2, "model.inner.heads": 2})
    return GraphNetwork((config.with_settings({**settings, "epochs": epochs}),), device="cpu")


@pytest.mark.parametrize(
    "options", OPTIONS, ids=lambda options: " ".join(map(str, options.values()))
)
def test_options_of_networks(options: dict[str, Any]) -> None:
    assert_fitted_on_train(*(small_network(epochs, **options) for epochs in (2, 1)))


def two_steps(graph: Graph) -> sp.csr_array:
    """Edge weights of one's own: paths of two edges."""
    return graph.adjacency() @ graph.adjacency()


LINK: dict[str, Any] = {
    "features.kind": "link", "features.pretraining.epochs": 1, "features.pretraining.every": 1,
}  # fmt: skip
INPUTS: dict[str, dict[str, Any]] = {
    "link": LINK,
    "given beside random": {"features.encoding": "given", "features.join": "concat"},
    "border": {"features.subgraphs": "border"},
    "border2": {"features.subgraphs": "border2", "features.scaling": "standard"},
    "own T_e": {"translation.te": f"{__name__}:two_steps"},
}


@pytest.mark.slow
@pytest.mark.parametrize("structure", ["s2n+0", "cos2n+a"])
@pytest.mark.parametrize("name", INPUTS)
def test_inputs_of_networks(structure: str, name: str) -> None:
    models = (small_network(epochs, structure=structure, **INPUTS[name]) for epochs in (2, 1))
    assert_fitted_on_train(*models)


@pytest.fixture(scope="module")
def directed() -> Tasks:
    """Directed edges, weighted and with features."""
    rng = np.random.default_rng(3)
    source, target = rng.integers(0, NODES - 3, (2, 90))
    columns = {"features": rng.normal(size=(90, 2)), "feature_names": ("amount", "hour")}
    arcs = Arcs(source, target, weights=rng.uniform(0.1, 3, 90), **columns)
    return Tasks.of(Graph.from_arcs(arcs, num_nodes=NODES, features=GRAPH.features))


@pytest.mark.slow
@pytest.mark.parametrize("direction", ["out", "in"])
@pytest.mark.parametrize("structure", ["s2n+0", "cos2n+a"])
def test_directed_graphs(directed: Tasks, structure: str, direction: str) -> None:
    options = {"translation.direction": direction, "features.subgraphs": "border"}
    models = (small_network(epochs, structure=structure, **options) for epochs in (2, 1))
    assert_fitted_on_train(*models, directed)


SEVERAL = Tasks.of(GRAPH, multilabel=True)


@pytest.mark.parametrize("structure", ["separated", "s2n+a", "cos2n+0"])
def test_networks_with_several_labels(structure: str) -> None:
    models = (small_network(epochs, structure=structure) for epochs in (2, 1))
    assert_fitted_on_train(*models, SEVERAL)


@pytest.mark.usefixtures("few_candidates")
@pytest.mark.parametrize("name", ["bag", "hops", "gbdt", "statistics", "wl", "s2n-kernel"])
def test_simple_models_with_several_labels(name: str) -> None:
    model = baseline(SEVERAL.task, name, settings=QUICK[name], device="cpu").model
    assert_fitted_on_train(model, model, SEVERAL)


@pytest.mark.usefixtures("few_candidates")
@pytest.mark.parametrize(
    ("name", "inputs"),
    [("hops", "border"), ("gbdt", "border"), ("gbdt", "border2")],
)
def test_simple_models_that_read_the_border(directed: Tasks, name: str, inputs: str) -> None:
    settings = {**QUICK[name], "inputs": inputs}
    model = baseline(directed.task, name, settings=settings, device="cpu").model
    assert_fitted_on_train(model, model, directed)


ENCODED: dict[str, dict[str, Any]] = {
    "given, standard": {"features.kind": "given", "features.scaling": "standard"},
    "rwpe, log": {"features.encoding": "rwpe", "features.scaling": "log"},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["glass", "gnn-seg", "subgnn"])
@pytest.mark.parametrize("features", ENCODED)
def test_networks_of_batches_with_encodings(name: str, features: str) -> None:
    settings = {**QUICK[name], **ENCODED[features], "features.width": 8}
    if name == "gnn-seg":
        settings = {key: value for key, value in settings.items() if "encoding" not in key}
    models = [
        baseline(TASK, name, settings={**settings, "epochs": epochs}, device="cpu").model
        for epochs in (2, 1)
    ]
    assert_fitted_on_train(*models)


@pytest.mark.parametrize("name", ["glass", "subgnn"])
def test_networks_of_batches_with_several_labels(name: str) -> None:
    models = [
        baseline(SEVERAL.task, name, settings={**QUICK[name], "epochs": n}, device="cpu").model
        for n in (2, 1)
    ]
    assert_fitted_on_train(*models, SEVERAL)


def with_excluded(task: SubgraphTask, seed: int) -> SubgraphTask:
    """Some nodes are excluded from each subgraph; those of train are the same for all seeds."""
    first, late = np.random.default_rng(5), np.random.default_rng(seed)
    absent = []
    for row, (start, end) in enumerate(pairwise(task.subgraphs.ptr)):
        others = np.setdiff1d(np.arange(KNOWN if row < TRAIN else NODES),
                              task.subgraphs.nodes[start:end])  # fmt: skip
        rng = first if row < TRAIN else late
        absent.append(rng.choice(others, min(3, len(others)), replace=False))
    excluded = Subgraphs.from_lists(absent)
    return replace(task, subgraphs=replace(task.subgraphs, excluded=excluded))


def assert_fitted_on_train_with_excluded(model: Model, once: Model) -> None:
    task, others = with_excluded(TASK, 1), with_excluded(OTHERS, 2)
    no_test = task.subset(~task.split.mask("test"))
    close = {"rtol": 1e-5, "atol": 2e-6}
    np.testing.assert_allclose(logits(once, others, "train"), logits(once, task, "train"), **close)
    expected = logits(model, task, "train", "val")
    np.testing.assert_allclose(logits(model, no_test, "train", "val"), expected, **close)
    plain = logits(once, TASK, "train")
    assert not np.allclose(plain, logits(once, task, "train"))


@pytest.mark.parametrize("structure", STRUCTURES)
def test_networks_with_excluded_nodes(structure: str) -> None:
    assert_fitted_on_train_with_excluded(
        *(small_network(epochs, structure=structure) for epochs in (2, 1))
    )


@pytest.mark.usefixtures("few_candidates")
@pytest.mark.parametrize("name", ["bag", "diffused-bag", "hops"])
def test_simple_models_with_excluded_nodes(name: str) -> None:
    model = baseline(TASK, name, settings=QUICK[name], device="cpu").model
    assert_fitted_on_train_with_excluded(model, model)


@pytest.mark.slow
def test_best_learns_nothing_from_the_test_part(monkeypatch: pytest.MonkeyPatch) -> None:
    use_short_plans(monkeypatch)
    for task in (TASK, with_excluded(TASK, 1)):
        no_test = task.subset(~task.split.mask("test"))
        answers = [
            logits(find_model(each, "best", structure=None, conv=None, preset="default",
                              settings={"folds": 2, "most_seeds": 2}, device="cpu").model,
                   each, "train", "val")
            for each in (task, no_test)
        ]  # fmt: skip
        np.testing.assert_allclose(answers[1], answers[0], rtol=1e-5, atol=2e-6)
