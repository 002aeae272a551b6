"""Build a scorer from a trained network, and a network from stored parameters."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor, nn

from ..config import Config
from ..encode import SubgraphScale
from ..models.baseline import TrainedSimple
from ..models.best import TrainedEnsemble
from ..models.candidates import TrainedNetwork
from ..models.graph_network import presented
from ..nn import Init, Network, Streams
from ..nn.build import network_on
from ..nn.node_table import VectorTable
from ..task import SubgraphTask
from .ensemble_scorer import EnsembleScorer
from .network_scorer import NetworkScorer
from .reference_set import KnownSubgraphs
from .scorer import Scorer
from .simple_scorer import SimpleScorer

_OWN = re.compile(r"\.replicas\.(\d+)\.")  # a convolution whose replicas are not stacked


def build_scorer(
    trained: TrainedNetwork, task: SubgraphTask, conv: Callable[..., nn.Module] | None = None
) -> NetworkScorer:
    """A scorer from a network that was trained with ``all_nodes``.

    Args:
        trained: The trained network.
        task: The task it was trained on; its train and virtual subgraphs become the known ones.
        conv: The user's own convolution.
    """
    config = trained.settings
    visible, _ = presented(task, config)
    assert visible.split is not None
    known_task = visible.subset(np.arange(visible.split.visible("train")))
    kind = config.features.subgraphs
    scale = None if kind == "none" else SubgraphScale.of(known_task, kind)
    groups = [network.eval() for network, _ in trained.built.networks]
    state, table = join_states(groups)  # type: ignore[arg-type]
    network = restore_network(
        config, known_task, seeds=trained.seeds, table=table, state=state, conv=conv
    )
    return NetworkScorer(KnownSubgraphs(known_task, config, scale), network, trained.seeds)


def build_ensemble(trained: TrainedEnsemble) -> EnsembleScorer:
    """A scorer from an ensemble whose networks were trained with ``all_nodes``."""
    assert trained.task.split is not None
    known_task = trained.task.subset(trained.task.split.mask("train"))
    members: list[Scorer] = []
    for member in trained.members:
        if isinstance(member.trained, TrainedNetwork):
            network = build_scorer(member.trained, trained.task)
            members.append(replace(network, temperature=member.temperature))
            continue
        assert isinstance(member.trained, TrainedSimple)
        classifier = member.trained.predictions.classifier
        assert classifier is not None
        seeds = tuple(range(len(classifier.empty_logits)))
        members.append(SimpleScorer(member.name, known_task, classifier, seeds, member.temperature))
    return EnsembleScorer(tuple(members), tuple(member.weight for member in trained.members))


@torch.no_grad()
def join_states(groups: Sequence[Network]) -> tuple[dict[str, Tensor], Tensor]:
    """Join the parameters and node vectors of all replicas on the CPU; equal vectors once."""
    tables = [group.table() for group in groups]  # on the device of their training
    shared = all(table.stride(0) == 0 for table in tables) or sum(map(len, tables)) == 1
    table = tables[0][:1] if shared else torch.cat(tables)
    table = table[:, :1] if table.shape[1] and table.stride(1) == 0 else table
    state: dict[str, list[Tensor]] = {}
    offset = 0
    for group, vectors in zip(groups, tables, strict=True):
        for name, tensor in group.state_dict().items():
            if not name.startswith("table."):
                state.setdefault(_renumber_replica(name, offset), []).append(tensor.cpu())
        offset += len(vectors)
    joined = {
        name: torch.cat(parts) if len(parts) > 1 else parts[0] for name, parts in state.items()
    }
    return joined, table.cpu().contiguous()


def _renumber_replica(name: str, offset: int) -> str:
    return _OWN.sub(lambda match: f".replicas.{int(match[1]) + offset}.", name)


def restore_network(
    config: Config,
    known_task: SubgraphTask,
    *,
    seeds: Sequence[int],
    table: Tensor,
    state: Mapping[str, Tensor],
    conv: Callable[..., nn.Module] | None = None,
) -> Network:
    """A network with these parameters and node vectors, in evaluation mode.

    Args:
        config: Settings of the network.
        known_task: A task of the known subgraphs.
        seeds: One seed per replica.
        table: Node vectors, as :func:`join_states` returns them.
        state: Parameters, as :func:`join_states` returns them.
        conv: The user's own convolution.
    """
    inputs = state.get("known.linear.weight")
    network = network_on(
        VectorTable(table, len(seeds), known_task.graph.num_nodes),
        config,
        task=known_task,
        init=Init(seeds),
        streams=Streams(seeds),
        inputs=0 if inputs is None else inputs.shape[1],
        conv=conv,
    )
    network.load_state_dict(dict(state))
    return network.eval().requires_grad_(False)
