"""Tables of what other jobs cost: data, translation, encodings, coarsening, answers."""

from __future__ import annotations

import re

from pages.markdown import generates, table
from pages.rows import read


def costs(file: str, block: str, memory: str = "peak_mb") -> str:
    """Seconds and memory of jobs, the first one as the measure of the others."""
    selected = read(file).where(block=block)
    first = selected.rows[0]
    rows = []
    for row in selected:
        times, much = (float(row[name]) / float(first[name]) for name in ("seconds", memory))
        job = f"`{row['job']}`" if "(" in row["job"] else row["job"]
        rows.append([job, row["seconds"], row[memory], f"{times:.2f}", f"{much:.2f}"])
    title = "extra MB" if memory == "extra_mb" else "peak MB"
    return table(["", "s", title, "× time", "× memory"], rows, right=1)


@generates("data-reading")
def data_reading() -> str:
    """Reading hpo_orpha_neuro."""
    return costs("data.csv", "reading")


@generates("data-drawing")
def data_drawing() -> str:
    """Drawing data."""
    return costs("data.csv", "drawing")


@generates("translate-hpo")
def translate_hpo() -> str:
    """Translation against SciPy's product."""
    return costs("translate.csv", "hpo", "extra_mb")


@generates("translate-growth")
def translate_growth() -> str:
    """Translation in memory by size."""
    rows = [
        [
            row["job"],
            row["seconds"],
            f"{int(row['peak_mb']):,}",
            f"{int(row['pairs']):,}",
            f"{int(row['entries']):,}",
            row["ns_per_pair"],
        ]
        for row in read("translate.csv").where(block="growth")
    ]
    return table(["", "s", "peak MB", "pairs", "entries", "ns per pair"], rows, right=1)


@generates("translate-duckdb")
def translate_duckdb() -> str:
    """Translation beyond memory."""
    rows = [
        [
            row["job"],
            row["seconds"],
            f"{int(row['peak_mb']):,}",
            f"{int(row['entries']):,}",
            row["spilled_gb"],
        ]
        for row in read("translate.csv").where(block="duckdb")
    ]
    return table(["", "s", "peak MB", "entries kept", "GB spilled"], rows, right=1)


@generates("encode-pyg")
def encode_pyg() -> str:
    """RWPE against PyG."""
    return costs("encode.csv", "pyg", "extra_mb")


@generates("encode-rwpe")
def encode_rwpe() -> str:
    """RWPE with K = 64 by data, exact, approximate and on a GPU."""
    rows = []
    for row in read("encode.csv").where(block=["exact", "approximate", "gpu"]):
        where = "H200, all nodes" if row["block"] == "gpu" else row["block"]
        cells = [row["job"], where, f"{int(row['nodes']):,}", row["route"], row["error"]]
        times = [row["expected_s"], row["seconds"], row["cpu_s"]]
        rows.append([*cells, *times, row["peak_mb"], row["gpu_gb"]])
    head = [
        "data",
        "",
        "nodes",
        "route",
        "error at most",
        "expected s",
        "s",
        "processor s",
        "peak MB",
    ]
    return table([*head, "GPU GB"], rows)


@generates("encode-others")
def encode_others() -> str:
    """Other encodings."""
    return costs("encode.csv", "others")


@generates("coarsen-speed")
def coarsen_speed() -> str:
    """Coarsening by method."""
    return _coarsen("speed")


@generates("coarsen-growth")
def coarsen_growth() -> str:
    """Coarsening by size."""
    return _coarsen("growth")


def _coarsen(block: str) -> str:
    rows = [
        [row["job"], row["seconds"], row["peak_mb"], f"{int(row['sets']):,}"]
        for row in read("coarsen.csv").where(block=block)
    ]
    return table(["", "s", "peak MB", "sets"], rows, right=1)


@generates("coarsen-quality")
def coarsen_quality() -> str:
    """Errors of eigenvalues, and of their subspace in brackets, by graph, method and ratio."""
    selected = read("coarsen-quality.csv")
    ratios = selected.distinct("ratio")
    rows = []
    for graph in selected.distinct("graph"):
        about = selected.where(graph=graph)
        first = about.rows[0]
        title = f"{graph}: {int(first['nodes']):,} nodes, {int(first['edges']):,} edges"
        for method in about.distinct("method"):
            cells = [about.where(method=method, ratio=ratio).only() for ratio in ratios]
            errors = [f"{c['eigenvalue_error']} ({c['subspace_error']})" for c in cells]
            rows.append([title, f"`{method}`", *errors])
            title = ""
    return table(["graph", "method", *(f"r = {ratio}" for ratio in ratios)], rows)


@generates("scoring")
def scoring() -> str:
    """Answers for new subgraphs."""
    rows = [[row["job"], row["median_ms"], row["p99_ms"]] for row in read("scoring.csv")]
    return table(["one core", "median ms", "99th percentile ms"], rows, right=1)


@generates("serve")
def serve() -> str:
    """The service under a steady load, and stopped."""
    steady = read("serve.csv").where(load="steady").only()
    stopped = read("serve.csv").where(load="stopped").only()
    rows = [
        ["requests, answered", f"{int(steady['requests']):,}, {int(steady['answered']):,}"],
        *([f"latency, {q} %", f"{steady[f'p{q}_ms']} ms"] for q in (50, 90, 99)),
        ["latency, the longest", f"{steady['max_ms']} ms"],
        ["processor", f"{steady['cpu_percent']} % of a core"],
        ["peak memory", f"{steady['peak_mb']} MB"],
        ["stopped: sent before, lost", f"{int(stopped['sent_before_stop']):,}, {stopped['lost']}"],
    ]
    return table(["200 requests per second for a minute", ""], rows)


@generates("predict")
def predict() -> str:
    """s2n predict of 10,000 sets and one explanation, before and after."""
    selected = read("predict.csv")
    before, after = (selected.where(state=state) for state in selected.distinct("state"))
    rows = []
    for job in selected.distinct("job"):
        old, new = (side.where(job=job).only() for side in (before, after))
        times = [f"{float(row['processor_seconds']):.2f}" for row in (old, new)]
        rows.append([job.removeprefix("- "), *times, old["peak_mb"], new["peak_mb"]])
    head = ["processor seconds", "version 0.1", "after", "peak MB, version 0.1", "peak MB, after"]
    return table(head, rows, right=1)


@generates("torture")
def torture() -> str:
    """Attacks on the whole program, and what came of them."""
    faults, rows = ("lost", "wrong", "tracebacks", "hangs"), []
    by_attack: dict[str, list[dict[str, str]]] = {}
    for row in read("torture.csv"):
        attack, _, what = row["what"].partition(": ")
        if what != "memory":
            single = attack == "requests"
            by_attack.setdefault(row["what"] if single else attack, []).append(row)
    for attack, parts in by_attack.items():
        counts = [sum(int(row[name]) for row in parts) for name in ("tried", *faults)]
        kinds = {"files": "formats", "models": "kinds of damage", "kills": "commands"}
        what = f"{attack}: {len(parts)} {kinds[attack]}" if attack in kinds else attack
        rows.append([what, *(f"{count:,}" for count in counts)])
    return table(["attack", "tried", *faults], rows, right=1)


def mixed_load_latencies() -> tuple[str, str]:
    """Median and 99th percentile of predictions beside explanations, as printed."""
    [row] = [row for row in read("torture.csv") if row["what"] == "requests: mixed load"]
    match = re.search(r"p50 ([\d.]+ ms), p99 ([\d.]+ ms)", row["note"])
    assert match is not None
    return match[1], match[2]
