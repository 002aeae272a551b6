"""Training in partitions of the subgraphs, where all of them exceed the memory of a device."""

from __future__ import annotations

import torch

from ..base.environment import free_memory
from ..base.notes import Note, NoteKind
from ..config import Config
from ..nn import CONVOLUTIONS, Stages
from ..nn.networks import Stage
from .replica_groups import COPIES, ReplicaGroups

_MOST = 256
_NUMBER = 4  # bytes
_PER_LAYER, _BESIDE = 8, 8  # vectors that a step holds; at most 5 of a layer were counted
_GIGABYTE = 1e9


def rows_of(stage: Stage) -> int:
    """Number of rows of the largest activation."""
    nodes = 0 if stage.nodes is None else stage.nodes.pattern.num_rows
    return max(stage.members.pattern.num_rows, nodes)


def _most_vectors(stage: Stage, conv: str) -> int:
    """The most vectors that a layer makes: of rows, or of edges, which attention needs."""
    if conv not in CONVOLUTIONS or hasattr(CONVOLUTIONS[conv], "edge_weighting"):
        return rows_of(stage)
    graphs = [graph for graph in (stage.nodes, stage.subgraphs) if graph is not None]
    return max(rows_of(stage), *(len(graph.pattern.index) for graph in graphs))


def divide_where_needed(
    stages: Stages, groups: ReplicaGroups, config: Config, device: torch.device
) -> tuple[Stages, tuple[str, ...]]:
    """The stages in as many partitions as the memory of the device asks for, and a note.

    Args:
        stages: What the networks read.
        groups: The networks, which are there.
        config: Their settings.
        device: Where they are trained.
    """
    stage, model = stages["train"], config.model
    replicas = max(len(streams.seeds) for _, streams in groups.networks)
    learned = [
        sum(p.numel() * p.element_size() for p in network.parameters() if p.requires_grad)
        for network, _ in groups.networks
    ]
    copied = COPIES * (max(learned) if groups.apart else sum(learned))
    layers = model.layers + (model.inner_layers if config.structure.inner else 0)
    one = replicas * model.hidden * _NUMBER  # a vector of each replica
    whole = (_PER_LAYER * layers + _BESIDE) * one * _most_vectors(stage, config.conv)
    free = free_memory(device)
    if free is None or whole + copied <= free:
        return stages, ()
    graph = stage.subgraphs or (stage.nodes if stage.positions is None else None)
    rows = stage.members.pattern.num_rows if graph is None else graph.pattern.num_rows
    # Of each layer on the S2N graph the result stays, and what is read and written around one.
    staying = (2 * model.layers + _BESIDE) * one * rows
    room = free - copied - staying
    if room <= 0:  # parts smaller than what stays in any case would save little
        room = copied + staying
    count = min(-(-whole // room), _MOST, rows)
    if count <= 1:
        return stages, ()
    place = "the GPU" if device.type == "cuda" else "this machine"
    taken, there = (size / _GIGABYTE for size in (whole + copied, free))
    text = (
        f"training goes through the subgraphs in {count} partitions: at once they take up to"
        f" {taken:,.2f} GB, and {place} has {there:,.2f} GB free; gradients"
        " are those of all of them"
    )
    if model.batch_norm and stage.positions is not None:
        text += ", but batch norm among nodes reads the statistics of a partition"
    return stages.in_partitions(count), (Note(NoteKind.CHOSEN, f"{text}."),)
