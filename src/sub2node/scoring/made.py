"""From a trained network to one that answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import torch
from torch import Tensor, nn

from ..config import Config
from ..encode import SubgraphScale
from ..evaluate.choosing import TrainedNetwork
from ..evaluate.models import presented
from ..nn import Init, Network, Streams
from ..nn.build import network_on
from ..nn.table import Table
from ..task import SubgraphTask
from .known import Known
from .scorer import Scorer

_OWN = re.compile(r"\.replicas\.(\d+)\.")  # of a convolution whose replicas are not stacked


def scorer_of(
    trained: TrainedNetwork, task: SubgraphTask, conv: Callable[..., nn.Module] | None = None
) -> Scorer:
    """A model that answers for new subgraphs, from one that was trained with ``all_nodes``.

    Args:
        trained: What training gave.
        task: What it was trained on; of it, train and virtual subgraphs are known.
        conv: The user's own convolution.
    """
    config = trained.settings
    shown, _ = presented(task, config)
    assert shown.split is not None
    known = shown.subset(np.arange(shown.split.visible("train")))
    kind = config.features.subgraphs
    scale = None if kind == "none" else SubgraphScale.of(known, kind)
    groups = [network.eval() for network, _ in trained.built.networks]
    state, table = joined_state(groups)  # type: ignore[arg-type]
    network = restored(config, known, trained.seeds, table, state, conv)
    return Scorer(Known(known, config, scale), network, trained.seeds)


@torch.no_grad()
def joined_state(groups: Sequence[Network]) -> tuple[dict[str, Tensor], Tensor]:
    """Parameters and node vectors of all replicas, on the CPU, as small as they can be."""
    tables = [group.table() for group in groups]  # wherever they were trained
    shared = all(table.stride(0) == 0 for table in tables) or sum(map(len, tables)) == 1
    table = tables[0][:1] if shared else torch.cat(tables)
    table = table[:, :1] if table.shape[1] and table.stride(1) == 0 else table
    state: dict[str, list[Tensor]] = {}
    before = 0
    for group, vectors in zip(groups, tables, strict=True):
        for name, tensor in group.state_dict().items():
            if not name.startswith("table."):
                state.setdefault(_renumbered(name, before), []).append(tensor.cpu())
        before += len(vectors)
    return {name: torch.cat(parts) if len(parts) > 1 else parts[0]
            for name, parts in state.items()}, table.cpu().contiguous()  # fmt: skip


def _renumbered(name: str, before: int) -> str:
    return _OWN.sub(lambda found: f".replicas.{int(found[1]) + before}.", name)


def restored(
    config: Config,
    known: SubgraphTask,
    seeds: Sequence[int],
    table: Tensor,
    state: Mapping[str, Tensor],
    conv: Callable[..., nn.Module] | None = None,
) -> Network:
    """A network with these parameters and node vectors, in evaluation mode.

    Args:
        config: Its settings.
        known: The known subgraphs.
        seeds: One a replica.
        table: As :func:`joined_state` gave it.
        state: As :func:`joined_state` gave it.
        conv: The user's own convolution.
    """
    inputs = state.get("known.linear.weight")
    network = network_on(
        Table(table, len(seeds), known.graph.num_nodes), config, known, Init(seeds), Streams(seeds),
        inputs=0 if inputs is None else inputs.shape[1], conv=conv,
    )  # fmt: skip
    network.load_state_dict(dict(state))
    return network.eval().requires_grad_(False)
