"""Networks, simple models and ensembles as the JSON and the tensors of a model folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import torch
from torch import Tensor, nn

from ..base.errors import ConfigError, DataError
from ..base.ragged import Array
from ..base.records import JsonObject
from ..baselines.colour_classifier import ColourClassifier
from ..baselines.linear_classifier import LinearClassifier
from ..baselines.set_classifier import SetClassifier
from ..baselines.tree_classifier import TreeClassifier
from ..config import Config
from ..config.preset_resolver import refuse_own_te
from ..encode import SubgraphScale
from ..nn import CONVOLUTIONS
from ..task import SubgraphTask
from ..translation.by_settings import require_symmetric
from .artefact_checks import check_content, check_network_facts
from .ensemble_scorer import EnsembleScorer
from .network_scorer import NetworkScorer
from .reference_set import KnownSubgraphs
from .restore import restore_network
from .scorer import Scorer
from .simple_scorer import SimpleScorer

Convolution = Callable[..., nn.Module]
_CLASSIFIERS: dict[str, type[SetClassifier]] = {
    classifier.kind: classifier
    for classifier in (LinearClassifier, TreeClassifier, ColourClassifier)
}
_MOST_MEMBERS = 1000
_NO_OWN_TE = (
    "a model that is to be kept has edge weights of the package: edges, shared_nodes or"
    " shortest_path"
)


def member_facts(scorer: Scorer) -> JsonObject:
    """What a network or a simple model consists of besides numbers."""
    if isinstance(scorer, NetworkScorer):
        settings = scorer.known_subgraphs.config
        refuse_own_te(settings, "the model", _NO_OWN_TE)
        facts = {"config": settings.to_dict(), "seeds": list(scorer.seeds)}
        return {**facts, "temperature": scorer.temperature}
    assert isinstance(scorer, SimpleScorer)
    return {
        "simple": scorer.name,
        "kind": scorer.classifier.kind,
        "facts": scorer.classifier.facts,
        "seeds": list(scorer.seeds),
        "temperature": scorer.temperature,
    }


def member_tensors(scorer: Scorer) -> dict[str, Tensor]:
    """The numbers of a network or of a simple model."""
    if isinstance(scorer, NetworkScorer):
        parameters = scorer.network.state_dict().items()
        tensors = {f"network.{name}": tensor.contiguous() for name, tensor in parameters}
        return {**tensors, "table": scorer.network.table.table.contiguous()}
    assert isinstance(scorer, SimpleScorer)
    return {
        name: torch.from_numpy(np.ascontiguousarray(array))
        for name, array in scorer.classifier.arrays.items()
    }


def members_of(scorer: Scorer) -> list[tuple[float, Scorer]]:
    """The members of an ensemble with their weights; a single model is its own only member."""
    if isinstance(scorer, EnsembleScorer):
        return list(zip(scorer.weights, scorer.members, strict=True))
    return [(1.0, scorer)]


def ensemble_facts(scorer: Scorer) -> list[JsonObject]:
    """One object for each member."""
    return [{"weight": weight, **member_facts(member)} for weight, member in members_of(scorer)]


def ensemble_tensors(scorer: Scorer) -> dict[str, Tensor]:
    """The tensors of all members, each under its number."""
    tensors: dict[str, Tensor] = {}
    for number, (_, member) in enumerate(members_of(scorer)):
        own = member_tensors(member)
        if isinstance(member, NetworkScorer):
            scale = scale_arrays(member.known_subgraphs.scale)
            own |= {
                name: torch.from_numpy(np.array(a)) for name, a in scale.items() if a is not None
            }
        tensors |= {f"{number}.{name}": tensor for name, tensor in own.items()}
    return tensors


def scale_arrays(scale: SubgraphScale | None) -> dict[str, Array | None]:
    """How statistics of subgraphs become inputs, as arrays."""
    if scale is None:
        return {}
    arrays = {"scale.mean": scale.mean, "scale.sd": scale.sd, "scale.heights": scale.heights}
    return {**arrays, **{f"scale.edges.{i:04d}": edges for i, edges in enumerate(scale.edges)}}


def _read_scale(config: Config, arrays: Mapping[str, Array]) -> SubgraphScale | None:
    if config.features.subgraphs == "none":
        return None
    edges = [arrays[name] for name in sorted(arrays) if name.startswith("scale.edges.")]
    return SubgraphScale(
        config.features.subgraphs,
        arrays["scale.mean"],
        arrays["scale.sd"],
        arrays.get("scale.heights"),
        tuple(edges),
    )


def require_convolution(config: JsonObject, conv: Convolution | None) -> None:
    """Raise where a network has a convolution of the user's and its class is not given."""
    settings = Config.from_dict(config)
    refuse_own_te(settings, "this model")
    name = settings.conv
    if name not in CONVOLUTIONS and conv is None:
        raise ConfigError(
            f"this model has the convolution {name!r}, which is not part of this package;"
            " give its class: load(path, conv=…)."
        )


def read_network(
    facts: JsonObject,
    task: SubgraphTask,
    tensors: Mapping[str, Tensor],
    *,
    arrays: Mapping[str, Array],
    conv: Convolution | None,
) -> NetworkScorer:
    """A network from its facts and tensors.

    Args:
        facts: As :func:`member_facts` gives them.
        task: The known subgraphs.
        tensors: As :func:`member_tensors` gives them.
        arrays: As :func:`scale_arrays` gives them, where the network reads statistics.
        conv: The user's own convolution.
    """
    config, remaining = Config.from_dict(facts["config"]), dict(tensors)
    require_symmetric(config.translation)
    table = remaining.pop("table")
    state = {name.removeprefix("network."): tensor for name, tensor in remaining.items()}
    scale = _read_scale(config, arrays)
    check_content(facts, config, task=task, table=table, state=state, scale=scale)
    seeds = tuple(facts["seeds"])
    network = restore_network(config, task, seeds=seeds, table=table, state=state, conv=conv)
    known = KnownSubgraphs(task, config, scale)
    return NetworkScorer(known, network, seeds, temperature=float(facts["temperature"]))


def read_ensemble(
    facts: JsonObject,
    task: SubgraphTask,
    tensors: Mapping[str, Tensor],
    *,
    conv: Convolution | None,
) -> SimpleScorer | EnsembleScorer:
    """A simple model or an ensemble from the facts and tensors of its members."""
    members = facts.get("members")
    if not isinstance(members, list) or not 0 < len(members) <= _MOST_MEMBERS:
        raise DataError("model.json: 'members' must be a list of models.")
    weights, scorers = [], list[Scorer]()
    for number, member in enumerate(members):
        weight = member.get("weight") if isinstance(member, dict) else None
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 < weight <= 1:
            raise DataError("model.json: each member must have a weight above 0.")
        prefix = f"{number}."
        own = {n.removeprefix(prefix): t for n, t in tensors.items() if n.startswith(prefix)}
        scorers.append(_read_member({**member, "multilabel": facts["multilabel"]}, task, own, conv))
        weights.append(float(weight))
    if abs(sum(weights) - 1) > 1e-6:
        raise DataError("model.json: the weights of the members must add up to 1.")
    first = scorers[0]
    if len(scorers) == 1 and isinstance(first, SimpleScorer) and not facts.get("ensemble"):
        return first
    return EnsembleScorer(tuple(scorers), tuple(weights))


def _read_member(
    facts: JsonObject, task: SubgraphTask, tensors: Mapping[str, Tensor], conv: Convolution | None
) -> Scorer:
    check_network_facts(facts, simple="simple" in facts)
    if "simple" not in facts:
        require_convolution(facts["config"], conv)
        scale = {n: t.numpy() for n, t in tensors.items() if n.startswith("scale.")}
        own = {n: t for n, t in tensors.items() if not n.startswith("scale.")}
        return read_network(facts, task, own, arrays=scale, conv=conv)
    kind, name = facts.get("kind"), facts["simple"]
    if not isinstance(name, str):
        raise DataError("model.json: the name of a simple model is text.")
    known = isinstance(kind, str) and kind in _CLASSIFIERS
    if not known or not isinstance(facts.get("facts"), dict):
        raise DataError(f"this package has no simple model of the kind {kind!r}.")
    arrays = {n: t.numpy() for n, t in tensors.items()}
    for array_name, array in arrays.items():
        if not np.isfinite(array).all():
            raise DataError(f"{array_name} must be finite numbers.")
    classifier = _CLASSIFIERS[str(kind)].restore(facts["facts"], arrays)
    several = {facts["multilabel"], facts["facts"].get("multilabel", task.multilabel)}
    if several != {task.multilabel}:
        raise DataError("labels and model.json do not agree on whether there may be several.")
    if classifier.empty_logits.shape != (len(facts["seeds"]), task.num_classes):
        raise DataError("a member of the model does not have its seeds and the model's classes.")
    seeds, temperature = tuple(facts["seeds"]), float(facts["temperature"])
    return SimpleScorer(name, task, classifier, seeds, temperature)
