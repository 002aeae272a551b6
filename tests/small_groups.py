"""Networks with all that a training needs, small enough for kernels that are interpreted."""

from __future__ import annotations

from typing import Any

import sub2node as s2n
from fast_path import DEVICE
from sub2node.config import Config
from sub2node.evaluate.protocol import labels_of
from sub2node.models.candidates import target
from sub2node.nn import build_network, build_stages


def training_parts(
    task: s2n.SubgraphTask, seeds: Any = (1, 2), foreign: Any = None, **settings: Any
) -> tuple[Any, ...]:
    """Network with streams, stages, labels, settings of training."""
    config = Config().with_settings(
        {"structure": "s2n+0", "hidden": 8, "features.width": 8, "epochs": 4, "a": 0.0,
         "delta": 3.0, "conv": "gcn", **settings}
    )  # fmt: skip
    stages = build_stages(task, config, parts=("train", "val"), device=DEVICE)
    labels: Any = {part: target(labels_of(task, part)) for part in ("train", "val")}
    network = build_network(task, config, stages, seeds, conv=foreign)
    return network, stages, labels, config.training
