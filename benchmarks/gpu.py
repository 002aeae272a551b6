"""How long is a training step of S2N+A GCNII on a GPU, and how long would its bytes take?

Random graphs of the four published shapes, the published settings with dropout, the cut chosen so
that the S2N graph has the published number of edges. A step is forward, loss, backward, clipping
and the optimiser; an epoch also looks at the validation part, lowers the rate and keeps what is
better. Steps are replays of a CUDA graph, timed in blocks of 30 ms and more, ten blocks, median.

The floor is what has to move through memory (`counted`), divided by the bandwidth of a large copy
measured in the same run. `agree` compares the losses of fast and plain path over 50 steps, with
and without dropout (both draw the same), from the same first values; beside it, how far the plain
path departs from itself when its first values are nudged by one part in 10⁷, which is what
rounding does to a training that runs into small losses.

    python benchmarks/gpu.py steps agree threads --out benchmarks/results

With --out, rows go to gpu-steps.csv, gpu-agreement.csv and gpu-threads.csv of a folder.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from measuring import save_rows

import sub2node as s2n
from sub2node.efficiency.benchmark import PUBLISHED_EDGES, published_cut
from sub2node.evaluate.protocol import labels_of
from sub2node.models import find_preset
from sub2node.models.candidates import target
from sub2node.nn import build_network, build_stages
from sub2node.ops import triton as kernels
from sub2node.train import Group

QUIET = {"dropout": 0.0, "edge_dropout": 0.0}


class Shape:
    """Data of a published shape, on a device."""

    def __init__(self, name: str, device: str) -> None:
        self.name, self.task = name, s2n.datasets.like(name)
        graph = s2n.translate(self.task)
        found = find_preset(f"paper:{name}", self.task, "s2n+a", "gcn2").config
        cut = {"translation.a": published_cut(graph, PUBLISHED_EDGES[name]), "delta": 1.0}
        self.config = found.with_settings({**cut, "epochs": 100_000})
        parts: Any = ("train", "val")
        self.stages = build_stages(self.task, self.config, graph=graph, parts=parts, device=device)
        self.labels: Any = {part: target(labels_of(self.task, part)) for part in parts}

    def group(self, seeds: int, mode: Any = "auto", nudge: float = 0.0, **settings: Any) -> Group:
        config = self.config.with_settings(settings)
        with kernels.compile_mode(mode):
            network, streams = build_network(self.task, config, self.stages, list(range(seeds)))
            generator = torch.Generator(self.stages.device).manual_seed(5)
            for p in network.parameters():
                noise = torch.randn(p.shape, generator=generator, device=p.device)
                p.data.mul_(1 + nudge * noise)
            return Group(
                network,
                streams,
                stages=self.stages,
                labels=self.labels,
                training=config.training,
            )


def counted(shape: Shape, replicas: int) -> float:
    """Bytes that a step has to move: each array once where it is made and once where it is read.

    Per inner layer: its input is read to be summed, the sum is written and read, the result is
    written and read (norm), what leaves is written; going back, a byte a number for what passed,
    and five arrays. Table: its gradient, two moments and itself, read and written. Edges: index
    and value, there and back. Vectors that are gathered again and again count once: they stay in
    the cache.
    """
    model, stage = shape.config.model, shape.stages["train"]
    positions, subgraphs = stage.nodes.pattern.num_rows, stage.subgraphs.pattern.num_rows
    width, norm = model.hidden, int(model.batch_norm)

    def layers(depth: int, rows: int, conv: Any) -> float:
        first = 0 if conv.shared_weights else 1
        forward = 1 + 2 + 1 + (2 if norm else 0) + 1 + first
        back = 5 + (2 if norm else 0) + 2 * first + 0.5
        return depth * rows * width * 4 * (forward + back)

    vectors = layers(model.inner_layers, positions, model.inner)
    vectors += layers(model.layers, subgraphs, model.outer)
    vectors += (4 * positions + 12 * subgraphs) * width * 4  # gather, readout, head, and back
    table = len(shape.stages.rows) * width * 4 * (1 + 1 + 7)
    entries = model.inner_layers * len(stage.nodes.pattern.index)
    entries += model.layers * len(stage.subgraphs.pattern.index)
    return replicas * (vectors + table + entries * 4 * 4) + entries * 4 * 8


def bandwidth() -> float:
    """Bytes a second that a large copy reads and writes."""
    source = torch.empty(2**29, device="cuda").normal_()
    copy = torch.empty_like(source)
    seconds, _ = timed(lambda: copy.copy_(source))
    return 2 * source.numel() * 4 / seconds


def timed(step: Callable[[], Any], blocks: int = 10) -> tuple[float, float]:
    """Median seconds of a step, and the largest block's share above it."""
    for _ in range(6):
        step()
    torch.cuda.synchronize()
    start = time.perf_counter()
    step()
    torch.cuda.synchronize()
    count = max(3, int(0.03 / (time.perf_counter() - start)))
    found = []
    for _ in range(blocks):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(count):
            step()
        torch.cuda.synchronize()
        found.append((time.perf_counter() - start) / count)
    median = statistics.median(found)
    return median, max(found) / median - 1


def launches(step: Callable[[], Any]) -> int:
    """Kernels of a step."""
    from torch.profiler import ProfilerActivity, profile

    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA]) as seen:
        step()
        torch.cuda.synchronize()
    return sum(e.device_type == torch.autograd.DeviceType.CUDA for e in seen.events())


def steps(shape: Shape, speed: float) -> Iterator[dict[str, object]]:
    for replicas in (1, 10):
        group = shape.group(replicas)
        train, spread = timed(group.train_step)
        val, _ = timed(group.val_step)
        epoch, _ = timed(lambda g=group: g.one_epoch(0))
        number = launches(group.train_step)
        group.release()
        plain = shape.group(replicas, "off")
        with kernels.compile_mode("off"):
            slow, _ = timed(plain.train_step, blocks=3)
        floor = counted(shape, replicas) / speed
        print(f"{shape.name:<10}{replicas:>3}{1e3 * train:>9.3f}{100 * spread:>6.1f}%"
              f"{1e3 * val:>9.3f}{1e3 * epoch:>9.3f}{1e3 * slow:>9.2f}{slow / train:>7.0f}x"
              f"{number:>6}{counted(shape, replicas) / 1e6:>9.0f}{1e3 * floor:>9.3f}"
              f"{train / floor:>6.1f}x", flush=True)  # fmt: skip
        yield {
            "shape": shape.name,
            "replicas": replicas,
            "step_ms": f"{1e3 * train:.3f}",
            "spread_percent": f"{100 * spread:.1f}",
            "val_ms": f"{1e3 * val:.3f}",
            "epoch_ms": f"{1e3 * epoch:.3f}",
            "plain_ms": f"{1e3 * slow:.2f}",
            "kernels": number,
            "counted_mb": f"{counted(shape, replicas) / 1e6:.0f}",
            "floor_ms": f"{1e3 * floor:.3f}",
            "copy_tb_per_s": f"{speed / 1e12:.2f}",
        }


def agree(shape: Shape) -> Iterator[dict[str, object]]:
    for words, settings in (("dropout", {}), ("no dropout", QUIET)):
        groups = [shape.group(2, **settings), shape.group(2, "off", **settings),
                  shape.group(2, "off", nudge=1e-7, **settings)]  # fmt: skip
        worst = np.zeros(2)
        within = 50
        for step in range(50):
            losses = [groups[0].train_step().clone()]
            with kernels.compile_mode("off"):
                losses += [group.train_step() for group in groups[1:]]
            apart = [float(((other - losses[1]) / losses[1]).abs().max())
                     for other in (losses[0], losses[2])]  # fmt: skip
            worst = np.maximum(worst, apart)
            if apart[0] > 1e-4:
                within = min(within, step)
        print(f"{shape.name:<10}{words:<12}fast against plain {worst[0]:.1e} (below 1e-4 for"
              f" {within} steps), plain against plain nudged by 1e-7 {worst[1]:.1e}, loss at the"
              f" end {float(losses[1].mean()):.2g}", flush=True)  # fmt: skip
        groups[0].release()
        yield {
            "shape": shape.name,
            "dropout": "off" if settings else "on",
            "fast_against_plain": f"{worst[0]:.1e}",
            "steps_below_1e-4": within,
            "plain_nudged": f"{worst[1]:.1e}",
            "final_loss": f"{float(losses[1].mean()):.2g}",
        }


def threads(shape: Shape) -> Iterator[dict[str, object]]:
    """A training step of one seed on the CPU by threads."""
    cores = torch.get_num_threads()
    row = []
    for count in [n for n in (1, 2, 4, 8, 16) if n <= cores]:
        torch.set_num_threads(count)
        group = shape.group(1)
        for _ in range(2):
            group.train_step()
        found = []
        for _ in range(7):
            start = time.perf_counter()
            group.train_step()
            found.append(time.perf_counter() - start)
        step = f"{1e3 * statistics.median(found):.1f}"
        row.append(f"{count}: {step} ms")
        yield {"shape": shape.name, "threads": count, "step_ms": step}
    torch.set_num_threads(cores)
    print(f"{shape.name:<10}threads {', '.join(row)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("jobs", nargs="*", metavar="JOB", help="steps, agree, threads")
    parser.add_argument("--out", type=Path, help="The folder where rows are written, as CSV.")
    options = parser.parse_args()
    asked = options.jobs or ["steps", "agree"]
    found: dict[str, list[dict[str, object]]] = {}
    device = "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cuda":
        speed = bandwidth()
        print(f"{torch.cuda.get_device_name()}: a large copy moves {speed / 1e12:.2f} TB/s")
    shapes = [Shape(name, device) for name in PUBLISHED_EDGES]
    if "steps" in asked and device == "cuda":
        print(f"{'shape':<10}{'R':>3}{'step ms':>9}{'±':>7}{'val ms':>9}{'epoch ms':>9}"
              f"{'plain ms':>9}{'':>8}{'kern.':>6}{'MB':>9}{'floor ms':>9}")  # fmt: skip
        found["gpu-steps"] = [row for shape in shapes for row in steps(shape, speed)]
    if "agree" in asked and device == "cuda":
        found["gpu-agreement"] = [row for shape in shapes for row in agree(shape)]
    if "threads" in asked:
        found["gpu-threads"] = [
            row for name in PUBLISHED_EDGES for row in threads(Shape(name, "cpu"))
        ]
    for name, rows in found.items():
        save_rows(options.out and options.out / f"{name}.csv", rows)


if __name__ == "__main__":
    main()
