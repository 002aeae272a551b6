"""Tiny data in the place of the paper's: folders of the same names in the SubGNN layout."""

from __future__ import annotations

from pathlib import Path

import numpy as np

CLASSES = ("red", "green", "blue")


def tiny(folder: Path, *, subgraphs: int = 60, nodes: int = 90, seed: int = 0) -> Path:
    """A folder with a random graph and subgraphs whose class decides which nodes they have."""
    rng = np.random.default_rng(seed)
    folder.mkdir(parents=True)
    pairs = rng.integers(0, nodes, (6 * nodes, 2))
    ring = np.stack([np.arange(nodes), (np.arange(nodes) + 1) % nodes], axis=1)
    edges = {
        tuple(sorted(pair)) for pair in [*pairs.tolist(), *ring.tolist()] if pair[0] != pair[1]
    }
    lines = "".join(f"{u} {v}\n" for u, v in sorted(edges))
    (folder / "edge_list.txt").write_text(lines)
    rows = []
    for number in range(subgraphs):
        kind = number % len(CLASSES)
        members = rng.choice(nodes // 3, 6, replace=False) + kind * nodes // 3
        members[:1] = rng.integers(0, nodes)
        part = ("train", "train", "train", "train", "val", "test")[(number // 3) % 6]
        rows.append(
            f"{'-'.join(map(str, dict.fromkeys(members.tolist())))}\t{CLASSES[kind]}\t{part}"
        )
    (folder / "subgraphs.pth").write_text("\n".join(rows) + "\n")
    return folder
