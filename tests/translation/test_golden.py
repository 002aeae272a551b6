"""reference.md 6.3: entries, diagonal entries and sum of weights of every stage, all datasets."""

from __future__ import annotations

from pathlib import Path

import pytest

import sub2node as s2n

# Non-zeros of raw W, its sum, the sum without self-loops, mean and std of the train block.
RAW = {
    "density": (62_160, 1_032_476, 984_082, 16.68975, 14.85292),
    "cut_ratio": (59_870, 482_456, 472_266, 8.17100, 28.45550),
    "coreness": (25_525, 174_208, 169_788, 4.00833, 10.18352),
    "component": (710, 187_908, 171_648, 4.04960, 73.28838),
}
CUT = {
    (1.0, 0.5, "train"): {
        "density": (4729, 183, 3689.929),
        "cut_ratio": (2830, 200, 984.299),
        "coreness": (1866, 176, 1531.890),
        "component": (200, 200, 200),
    },
    (1.0, 0.5, "val"): {
        "density": (6151, 205, 4843.615),
        "cut_ratio": (3499, 225, 1193.457),
        "coreness": (2208, 198, 1838.462),
        "component": (225, 225, 225),
    },
    (1.0, 0.5, "test"): {
        "density": (7276, 228, 5711.845),
        "cut_ratio": (4288, 250, 1439.599),
        "coreness": (2507, 221, 2052.466),
        "component": (250, 250, 250),
    },
    (2.0, 2.0, "train"): {
        "density": (1761, 143, 879.682),
        "cut_ratio": (316, 200, 219.267),
        "coreness": (932, 176, 530.712),
        "component": (170, 170, 125.898),
    },
    (2.0, 2.0, "test"): {
        "density": (2644, 174, 1251.860),
        "cut_ratio": (436, 250, 278.689),
        "coreness": (1209, 221, 682.173),
        "component": (210, 210, 147.715),
    },
    (3.0, 1.0, "test"): {
        "density": (1039, 139, 744.924),
        "cut_ratio": (252, 250, 251.298),
        "coreness": (645, 221, 425.311),
        "component": (124, 124, 124),
    },
}


@pytest.mark.parametrize("name", RAW)
def test_raw_weights(data: Path, name: str) -> None:
    entries, total, without, mean, std = RAW[name]
    task = s2n.load_task(data / name)
    graph = s2n.translate(task)
    assert graph.weights.nnz == entries
    assert graph.weights.sum(dtype=float) == total
    assert s2n.translate(task, self_loops=False).weights.sum(dtype=float) == without
    assert round(graph.statistics.mean, 5) == mean
    assert round(graph.statistics.std, 5) == std


@pytest.mark.parametrize("name", RAW)
@pytest.mark.parametrize(("a", "delta", "stage"), CUT)
def test_normalised_weights(data: Path, name: str, a: float, delta: float, stage: str) -> None:
    task = s2n.load_task(data / name)
    for graph in (s2n.translate(task), s2n.translate(task, cut=a)):
        found = graph.normalize(a, delta).stage(stage)  # type: ignore[arg-type]
        entries, diagonal, total = CUT[a, delta, stage][name]
        assert found.nnz == entries
        assert (found.diagonal() > 0).sum() == diagonal
        assert found.sum(dtype=float) == pytest.approx(total, abs=6e-4)
