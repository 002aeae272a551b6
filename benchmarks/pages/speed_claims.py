"""Numbers in sentences about speed and memory."""

from __future__ import annotations

from collections.abc import Iterator

from pages.claims import Claim, claim, claims_on
from pages.rows import read
from pages.speed_tables import SHAPES, authors, captured_ratio, h200, plain_ratio

SPEED = "docs/results/speed.md"


def ratio_claims(text: str) -> Iterator[Claim]:
    """The two ratios of S2N+A to GLASS, in the words of a page."""
    plain = [plain_ratio(shape) for shape in SHAPES]
    replayed = [captured_ratio("s2n+a gcn2", shape) for shape in SHAPES]
    zero = [captured_ratio("s2n+0 gcn2", shape) for shape in SHAPES]
    yield claim(
        text,
        plain_low=min(plain),
        plain_high=max(plain),
        low=min(replayed),
        high=max(replayed),
        zero_low=min(zero),
        zero_high=max(zero),
    )


@claims_on(SPEED)
def ratios() -> Iterator[Claim]:
    """What the ratios compare."""
    yield from ratio_claims(
        "in plain PyTorch (`--compile off`), {plain_low:.1f} to {plain_high:.1f} times."
    )
    yield from ratio_claims(
        "not replayed**: {low:,.0f} to {high:,.0f} times for S2N+A, {zero_low:,.0f} to"
        " {zero_high:,.0f} for S2N+0."
    )
    faster = [
        h200("s2n+a gcn2", shape).number("train_seconds")
        / h200("separated gcn2", shape).number("train_seconds")
        for shape in SHAPES
    ]
    assert min(faster) > 1
    yield claim(
        "faster than S2N+A at all {count} shapes**, by {low:.1f} to {high:.1f} times:",
        count=len(faster), low=min(faster), high=max(faster),
    )  # fmt: skip
    memory = {
        model: [h200(model, shape).number("memory_ratio") for shape in SHAPES]
        for model in ("s2n+a gcn2", "s2n+0 gcn2")
    }
    yield claim(
        "Memory of S2N+A is {al:.2f} to {ah:.2f} times that of GLASS, of S2N+0 {zl:.2f} to {zh:.2f}"
        " times.",
        al=min(memory["s2n+a gcn2"]),
        ah=max(memory["s2n+a gcn2"]),
        zl=min(memory["s2n+0 gcn2"]),
        zh=max(memory["s2n+0 gcn2"]),
    )


@claims_on(SPEED)
def authors_code() -> Iterator[Claim]:
    """Against the authors' own code."""
    ratios: dict[str, list[float]] = {"method": [], "code": [], "both": []}
    for shape in SHAPES:
        glass = authors("GLASS", shape).number("authors_epoch_ms")
        s2n = authors("S2N+A GCNII", shape)
        theirs, ours = s2n.number("authors_epoch_ms"), s2n.number("ours_epoch_ms")
        ratios["method"].append(glass / theirs)
        ratios["code"].append(theirs / ours)
        ratios["both"].append(glass / ours)
    ends = {name: (min(values), max(values)) for name, values in ratios.items()}
    yield claim(
        "their S2N+A takes {low:.0f} to {high:.0f} times less than their GLASS, ours {less:.0f} to"
        " {more:.0f} times less than their S2N+A, and so {least:,.0f} to {most:,.0f} times less"
        " than their GLASS.",
        low=ends["method"][0], high=ends["method"][1], less=ends["code"][0],
        more=ends["code"][1], least=ends["both"][0], most=ends["both"][1],
    )  # fmt: skip


@claims_on(SPEED)
def complete_result() -> Iterator[Claim]:
    """From data to table."""
    rows = read("complete.csv")
    gpu, cpu = (rows.where(machine=name) for name in ("one NVIDIA H200", "2 CPU cores"))
    subgnn = read("subgnn-h200.csv")
    yield claim(
        "takes {gpu:.1f} s of training on the H200 ({whole:.1f} s in all, compiling included) and"
        " {cpu:.0f} s on 2 CPU cores. SubGNN trains {subgnn:.0f} subgraphs per second there,"
        " {times:.2f} times GLASS.",
        gpu=gpu.number("training_s"),
        whole=gpu.number("whole_s"),
        cpu=cpu.number("training_s"),
        subgnn=subgnn.number("train_throughput"),
        times=subgnn.number("times_glass"),
    )


@claims_on(SPEED)
def cpu_steps() -> Iterator[Claim]:
    """Against plain PyG on the CPU."""
    rows, ratios = read("steps.csv"), {}
    for shape in SHAPES:
        steps = rows.where(shape=shape)
        plain = steps.where(model="plain PyG, one seed").number("step_ms")
        one = steps.where(model="ours, one seed").number("step_ms")
        ten = steps.where(model="ours, ten seeds together").number("step_ms")
        ratios[shape] = [plain / one, 10 * plain / ten]
    many = ratios["hpo_neuro"] + ratios["hpo_metab"]
    few = ratios["ppi_bp"] + ratios["em_user"]
    yield claim(
        "a step is {low:.1f} to {high:.1f} times faster than plain PyG; where products of 64 × 64"
        " matrices are most of the step, {less:.1f} to {more:.1f} times.",
        low=min(many), high=max(many), less=min(few), more=max(few),
    )  # fmt: skip


@claims_on("docs/results/gpu-step.md")
def gpu_step() -> Iterator[Claim]:
    """Floor, launches and agreement."""
    rows = read("gpu-steps.csv")
    (bandwidth,) = rows.distinct("copy_tb_per_s")
    yield claim("a large copy in the same run, {bandwidth} TB/s.", bandwidth=bandwidth)
    above = {
        replicas: [
            float(row["step_ms"]) / float(row["floor_ms"]) for row in rows.where(replicas=replicas)
        ]
        for replicas in ("1", "10")
    }
    yield claim(
        "**Ten replicas** are {low:.1f} to {high:.1f} times above",
        low=min(above["10"]),
        high=max(above["10"]),
    )
    launches = rows.where(replicas="1").numbers("kernels")
    yield claim(
        "**One replica** is {low:.1f} to {high:.1f} times above it and waits for launches:"
        " {few:.0f} to {many:.0f} kernels",
        low=min(above["1"]),
        high=max(above["1"]),
        few=min(launches),
        many=max(launches),
    )
    agreement = read("gpu-agreement.csv").where(shape=["hpo_neuro", "hpo_metab"])
    worst = max(agreement, key=lambda row: float(row["fast_against_plain"]))
    yield claim("agree to {worst} and better.", worst=worst["fast_against_plain"])
