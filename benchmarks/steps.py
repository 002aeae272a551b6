"""How long is a training step of S2N+A GCNII on the CPU, against a plain PyG composition?

The model, its settings and the data are the same: random graphs of the four published shapes, the
published settings, the cut chosen so that the S2N graph has the published number of edges. Plain
means what one writes with PyG: `GCN2Conv` on `edge_index`, `dropout_edge`, `BatchNorm1d`,
`global_add_pool`, `torch.optim.Adam`, one seed at a time. A step is forward, loss, backward,
clipping and the optimiser. Each row is a process of its own; the quickest of three counts.

    python benchmarks/steps.py --out benchmarks/results/steps.csv
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from measuring import run, save_rows

from sub2node.efficiency.benchmark import PUBLISHED_EDGES as SHAPES

SETUP = """
import warnings; warnings.simplefilter("ignore")
import numpy as np, torch
import sub2node as s2n
from sub2node.efficiency.benchmark import published_cut
from sub2node.models.graph_network import rows_of
from sub2node.nn import build_network, build_stages
from sub2node.models import find_preset
from sub2node.train import Group
from sub2node.ops.kept_memory import kept_memory
from sub2node.train.training_resources import replicas_at_once
from sub2node.train.scores import losses
from sub2node.evaluate.protocol import labels_of
torch.set_num_threads(2)
task = s2n.datasets.like("{shape}")
graph = s2n.translate(task)
a = published_cut(graph, {edges})
config = find_preset("paper:{shape}", task, "s2n+a", "gcn2").config
config = config.with_settings({{"a": a, "delta": 1.0}})
stages = build_stages(task, config, graph=graph, parts=("train", "val"))
labels = {{p: torch.from_numpy(labels_of(task, p)) for p in ("train", "val")}}
if task.multilabel:
    labels = {{p: y.float() for p, y in labels.items()}}
"""

PLAIN = """
import torch_geometric.nn as gnn
from torch import nn
from torch.nn.functional import dropout
from torch_geometric.utils import dropout_edge
m, stage = config.model, stages["train"]

class Encoder(nn.Module):
    def __init__(self, depth, c):
        super().__init__()
        self.convs = nn.ModuleList(
            gnn.GCN2Conv(64, c.alpha, c.theta, l + 1, c.shared_weights) for l in range(depth))
        self.norms = nn.ModuleList(nn.BatchNorm1d(64) for _ in range(depth * m.batch_norm))
        self.skips = nn.ModuleList(nn.Linear(64, 64) for _ in range(depth * m.skip))
    def forward(self, x, edges, weight):
        first = x
        for l, conv in enumerate(self.convs):
            kept, mask = dropout_edge(edges, p=m.edge_dropout, training=self.training)
            out = conv(x, first, kept, None if weight is None else weight[mask])
            if m.batch_norm: out = self.norms[l](out)
            if m.skip: out = out + self.skips[l](x)
            x = dropout(out.relu(), m.dropout, self.training)
        return x

class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(task.graph.num_nodes, 64)
        self.inner, self.outer = Encoder(m.inner_layers, m.inner), Encoder(m.layers, m.outer)
        self.head = nn.Linear(64, task.num_classes)
    def forward(self):
        x = self.inner(self.table(nodes), inner_edges, None)
        x = gnn.global_add_pool(x if omega is None else x * omega, owner, count)
        x = x + self.outer(x, edges, weight)
        return self.head(dropout(x, m.dropout, self.training))

nodes = torch.from_numpy(np.array(stages.rows))[stage.positions.index.long()].long()
owner, count = stage.members.pattern.row.long(), stage.members.pattern.num_rows
omega = None if stage.members.weights is None else stage.members.weights[:, None]
edges, weight = stage.subgraphs.edge_list()
inner_edges, _ = stage.nodes.edge_list()
model = Plain()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=1e-8)
def step():
    optimizer.zero_grad()
    losses(model()[None], labels["train"]).sum().backward()
    nn.utils.clip_grad_norm_(model.parameters(), 0.5)
    optimizer.step()
step(); step()
"""

OURS = """
seeds = list(range({replicas}))
at_once = replicas_at_once(
    rows_of(stages["train"]), config.model.hidden, stages.device, len(seeds)
)
groups = [
    Group(*build_network(task, config, stages, seeds[k : k + at_once]), stages=stages,
          labels=labels, training=config.training)
    for k in range(0, len(seeds), at_once)
]
def step():
    for group in groups:
        group.train_step()
memory_kept = kept_memory(stages.device)
memory_kept.__enter__()
step(); step()
"""


def measured(shape: str, setup: str, steps: int) -> dict[str, Any]:
    whole = SETUP.format(shape=shape, edges=SHAPES[shape]) + setup
    body = f"""
for _ in range({steps}): step()
facts = dict(subgraphs=len(task), positions=len(stages["train"].positions.row),
             inner=len(stages["train"].nodes.pattern.index),
             edges=len(stages["train"].subgraphs.pattern.index))
"""
    found = run(body, setup=whole, repeats=3)
    return {**found, "step": found["seconds"] / steps}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, help="Where rows are written, as CSV.")
    options = parser.parse_args()
    rows: list[dict[str, object]] = []
    print(f"{'shape':<11}{'':<24}{'ms a step':>11}{'against plain':>15}{'peak MB':>9}")
    for shape in SHAPES:
        plain = measured(shape, PLAIN, 10)
        one = measured(shape, OURS.format(replicas=1), 20)
        ten = measured(shape, OURS.format(replicas=10), 4)
        for name, row, base in (
            ("plain PyG, one seed", plain, None),
            ("ours, one seed", one, plain["step"]),
            ("ours, ten seeds together", ten, 10 * plain["step"]),
        ):
            ratio = "" if base is None else f"{base / row['step']:.1f}x"
            print(f"{shape:<11}{name:<24}{1e3 * row['step']:>11.1f}{ratio:>15}"
                  f"{row['peak'] / 1e6:>9.0f}", flush=True)  # fmt: skip
            milliseconds = f"{1e3 * row['step']:.1f}"
            peak = round(row["peak"] / 1e6)
            rows.append({"shape": shape, "model": name, "step_ms": milliseconds, "peak_mb": peak})
    save_rows(options.out, rows)


if __name__ == "__main__":
    main()
