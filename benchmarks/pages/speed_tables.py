"""Tables of training speed and memory."""

from __future__ import annotations

from pages.markdown import digits, generates, table
from pages.rows import Rows, read

SHAPES = {
    "ppi_bp": "PPI-BP",
    "hpo_neuro": "HPO-Neuro",
    "hpo_metab": "HPO-Metab",
    "em_user": "EM-User",
}
H200_MODELS = {
    "separated gcn2": "Separated GCNII",
    "connected gcn2": "Connected GCNII",
    "s2n+0 gcn2": "S2N+0 GCNII",
    "s2n+a gcn2": "S2N+A GCNII",
    "glass": "GLASS",
}


def h200(model: str, shape: str) -> Rows:
    """A model at a shape, on the H200."""
    return read("efficiency-h200.csv").where(data=f"like:{shape}", model=model)


def gpu_step(shape: str, replicas: int) -> Rows:
    """A training step of S2N+A GCNII on the H200."""
    return read("gpu-steps.csv").where(shape=shape, replicas=str(replicas))


@generates("readme-speed")
def readme_speed() -> str:
    """Time of a training epoch and peak memory on an H200."""
    rows = []
    for model, title in H200_MODELS.items():
        line = [title, "no" if model == "glass" else "yes"]
        for shape in SHAPES:
            selected = h200(model, shape)
            epoch = 1000 * selected.number("train_seconds")
            line.append(f"{digits(epoch)} ms, {selected.number('memory') / 1e6:.0f} MB")
        rows.append(line)
    return table(["One training epoch, peak memory", "CUDA graph", *SHAPES.values()], rows)


def short(value: float) -> str:
    """A count as 7.00k or 6.65M."""
    for size, letter in ((1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{digits(value / size)}{letter}"
    return f"{value:.0f}"


@generates("efficiency-h200")
def efficiency_h200() -> str:
    """All measures of all models at the four shapes."""
    rows = []
    for shape in SHAPES:
        for model, title in H200_MODELS.items():
            selected = h200(model, shape)
            rows.append(
                [
                    shape,
                    title,
                    digits(1000 * selected.number("train_seconds")),
                    short(selected.number("train_throughput")),
                    short(selected.number("eval_throughput")),
                    short(selected.number("parameters")),
                    digits(selected.number("memory") / 1e6),
                    digits(selected.number("memory_ratio")),
                ]
            )
    head = ["shape", "model", "epoch, ms", "trained/s", "answered/s", "parameters", "MB"]
    return table([*head, "MB, × GLASS"], rows, right=2)


def plain_glass_epoch(shape: str) -> float:
    """Milliseconds of a training epoch of GLASS in plain PyTorch."""
    plain = read("efficiency-h200-plain.csv").where(data=f"like:{shape}", model="glass")
    subgraphs = h200("glass", shape).number("train_subgraphs")
    return 1000 * subgraphs / plain.number("train_throughput")


def plain_ratio(shape: str) -> float:
    """Epochs of S2N+A in the time of one of GLASS, both in plain PyTorch."""
    return plain_glass_epoch(shape) / gpu_step(shape, 1).number("plain_ms")


def captured_ratio(model: str, shape: str) -> float:
    """Epochs of a model by replay of a CUDA graph in the time of one of GLASS without."""
    return h200(model, shape).number("train_throughput_ratio")


@generates("speed-ratios")
def speed_ratios() -> str:
    """S2N+A against GLASS, each ratio with its name."""
    rows = []
    for shape in SHAPES:
        row = [shape, digits(plain_glass_epoch(shape)), gpu_step(shape, 1).only()["plain_ms"]]
        row.append(f"{plain_ratio(shape):.1f}")
        models = ("s2n+a gcn2", "s2n+0 gcn2", "separated gcn2")
        rows.append([*row, *(f"{captured_ratio(model, shape):,.0f}" for model in models)])
    head = ["shape", "GLASS, plain, ms", "S2N+A, plain, ms", "plain against plain"]
    head += [f"{name} replayed, GLASS not" for name in ("S2N+A", "S2N+0", "Separated")]
    return table(head, rows, right=1)


def authors(model: str, shape: str) -> Rows:
    """Epochs of the authors' own code, and of ours in the same run where it was there."""
    return read("efficiency-authors.csv").where(model=model, shape=shape)


@generates("speed-authors")
def speed_authors() -> str:
    """Ours against the authors' own code, and theirs against theirs."""
    rows = []
    for shape in SHAPES:
        glass = authors("GLASS", shape).number("authors_epoch_ms")
        s2n = authors("S2N+A GCNII", shape)
        theirs, ours = s2n.number("authors_epoch_ms"), s2n.number("ours_epoch_ms")
        row = [shape, digits(glass), f"{theirs:.1f}", digits(ours), f"{glass / theirs:.0f}"]
        rows.append([*row, f"{theirs / ours:.0f}", f"{glass / ours:,.0f}"])
    head = ["shape", "GLASS, authors, ms", "S2N+A, authors, ms", "S2N+A, ours, ms"]
    head += ["authors' S2N+A against their GLASS", "ours against the authors' S2N+A"]
    return table([*head, "ours against the authors' GLASS"], rows, right=1)


@generates("gpu-steps")
def gpu_steps() -> str:
    """A training step of S2N+A GCNII: times, kernels, bytes."""
    rows = []
    for row in read("gpu-steps.csv"):
        step, plain, floor = (float(row[name]) for name in ("step_ms", "plain_ms", "floor_ms"))
        times = [row["step_ms"], row["val_ms"], row["epoch_ms"], row["plain_ms"]]
        ratios = [f"{plain / step:.0f}", row["kernels"], row["counted_mb"], row["floor_ms"]]
        rows.append([row["shape"], row["replicas"], *times, *ratios, f"{step / floor:.1f}"])
    head = ["shape", "seeds", "step, ms", "val, ms", "epoch, ms", "plain step, ms", "plain / step"]
    return table([*head, "kernels", "MB", "floor, ms", "step / floor"], rows, right=1)


@generates("gpu-agreement")
def gpu_agreement() -> str:
    """Losses of fast and plain path over 50 steps."""
    rows = [list(row.values()) for row in read("gpu-agreement.csv")]
    head = ["shape", "dropout", "fast against plain", "steps below 1e-4"]
    return table([*head, "plain against plain nudged by 1e-7", "loss at the end"], rows)


@generates("gpu-scores")
def gpu_scores() -> str:
    """Scores of a run by both paths."""
    rows = [
        [
            row["path"],
            f"{row['val']} ± {row['val_sd']}",
            f"{row['test']} ± {row['test_sd']}",
            row["seconds"],
        ]
        for row in read("gpu-scores.csv")
    ]
    return table(["path", "validation micro-F1", "test micro-F1", "whole command, s"], rows)


@generates("cpu-threads")
def cpu_threads() -> str:
    """A training step on the CPU by threads."""
    selected = read("gpu-threads.csv")
    counts = selected.distinct("threads")
    rows = [
        [shape, *(selected.where(shape=shape, threads=count).only()["step_ms"] for count in counts)]
        for shape in SHAPES
    ]
    return table(["ms per step, threads", *counts], rows, right=1)


@generates("cpu-steps")
def cpu_steps() -> str:
    """A training step on the CPU against a plain PyG composition."""
    selected = read("steps.csv")
    rows = []
    for shape in SHAPES:
        steps = selected.where(shape=shape)
        plain = steps.where(model="plain PyG, one seed").number("step_ms")
        for row in steps:
            seeds = 10 if "ten seeds" in row["model"] else 1
            ratio = seeds * plain / float(row["step_ms"])
            against = "" if row["model"].startswith("plain") else f"{ratio:.1f}"
            rows.append([shape, row["model"], row["step_ms"], against, row["peak_mb"]])
    return table(["shape", "", "ms per step", "× plain", "peak, MB"], rows, right=2)


GUARDED = {
    "help": "`s2n --help`, against the imports of Typer and Rich alone",
    "step ppi_bp": "training step at PPI-BP's shape, against PyG",
    "step hpo_metab": "training step at HPO-Metab's shape, against PyG",
    "translate": "translation, against SciPy's bare product",
    "rwpe": "RWPE, against products with a dense matrix",
    "links": "link pre-training, an epoch, against plain PyTorch",
    "answers": "twenty answers, against twenty passes over the whole S2N graph",
    "reasons": "three explanations, against twenty passes over the whole S2N graph",
}


@generates("speed-guard")
def speed_guard() -> str:
    """Ratios at the last commit that was measured, and at the first."""
    selected = read("guard.csv")
    commits = selected.distinct("commit")
    first, last = selected.where(commit=commits[0]), selected.where(commit=commits[-1])
    rows = []
    for job, title in GUARDED.items():
        row = last.where(job=job).only()
        before = first.where(job=job)
        ratios = [before.only()["ratio"] if len(before) else "", row["ratio"]]
        rows.append([title, row["plain_ms"], row["ours_ms"], *ratios])
    ends = [f"ratio, `{commit}`" for commit in (commits[0], commits[-1])]
    return table(["", "plain, ms", "ours, ms", *ends], rows, right=1)
