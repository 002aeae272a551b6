"""Numbers in sentences about what data, translation, encodings and coarsening cost."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pages.claims import Claim, claim, claims_on
from pages.cost_tables import mixed_load_latencies
from pages.rows import read
from pages.study_claims import largest_t
from pages.study_tables import random_vector_cells, random_vector_scores

SCRIPTS = "benchmarks/README.md"


@claims_on(SCRIPTS)
def data_and_translation() -> Iterator[Claim]:
    """Describing, and translation."""
    describing = read("data.csv").where(block="describing")
    yield claim("Describing it after reading takes {s} s.", s=describing.only()["seconds"])
    raw, cut = (row for row in read("translate.csv").where(block="hpo") if row["entries"])
    yield claim(
        "nearly full ({raw:,} entries raw, {cut:,} after the cut)",
        raw=int(raw["entries"]),
        cut=int(cut["entries"]),
    )
    growth = read("translate.csv").where(block="growth")
    pairs, seconds = growth.numbers("pairs"), growth.numbers("seconds")
    yield claim(
        "`translate_growth.png`): {pairs:,.0f} times the pairs take {time:.0f} times as long.",
        pairs=pairs[-1] / pairs[0],
        time=seconds[-1] / seconds[0],
    )


@claims_on(SCRIPTS)
def encodings() -> Iterator[Claim]:
    """Certificates of encodings."""
    others = read("encode.csv").where(block="others")
    yield claim(
        "LapPE has a residual of {residual}, link prediction a validation AUC of {auc}.",
        residual=others.where(residual=bool).only()["residual"],
        auc=others.where(auc=bool).only()["auc"],
    )


@claims_on("docs/results/scores-real.md")
def random_vectors() -> Iterator[Claim]:
    """Before and after node vectors became a hash."""
    cells = random_vector_cells()
    pairs = [
        (
            random_vector_scores(data, structure, "before", part),
            random_vector_scores(data, structure, "after", part),
        )
        for data, structure, part in cells
    ]
    yield claim(
        "largest |t| of Welch's test among {count} cells is {t:.1f}. A run",
        count=len(pairs),
        t=largest_t(pairs),
    )
    memory = read("random-vectors-memory.csv")
    before, after = (memory.where(source=source) for source in ("before", "after"))
    yield claim(
        "takes {after:,.0f} MiB at most instead of {before:,.0f}. No cell",
        after=after.number("peak_mib"),
        before=before.number("peak_mib"),
    )


@claims_on("docs/scaling.md")
def scaling() -> Iterator[Claim]:
    """Translation, encodings and coarsening at size."""
    translated = read("translate.csv")
    duckdb = translated.where(block="duckdb").numbers("seconds")
    yield claim(
        "20 million edges and 20,000 subgraphs take {small:.1f} s, 100 million edges and a million"
        " subgraphs {large:.0f} s under a limit of 4 GB",
        small=duckdb[0],
        large=duckdb[-1],
    )
    largest = translated.where(job="1,000,000 subgraphs of 20")
    yield claim(
        "a million subgraphs of 20 nodes take {s:.0f} s and {gb:.0f} GB.",
        s=largest.number("seconds"),
        gb=largest.number("peak_mb") / 1000,
    )
    walks = read("encode.csv").where(block="gpu", job="like:em_user")
    coarse = read("coarsen.csv").where(edges="3200000")
    yield claim(
        "on one H200 all {nodes:,.0f} nodes of EM-User's shape take {s:.0f} s and {gb:.1f} GB."
        " Coarsening grows with the edges: 3.2 million take {c:.0f} s on 2",
        nodes=walks.number("nodes"),
        s=walks.number("seconds"),
        gb=walks.number("gpu_gb"),
        c=coarse.number("seconds"),
    )


@claims_on("docs/scaling.md")
def graphs_on_disk() -> Iterator[Claim]:
    """From tables to answers, with a graph that stays on disk."""
    rows = read("scale.csv").where(scale="0.1", memory="8GB")

    def column(job: str, name: str) -> float:
        return rows.where(job=job).number(name)

    yield claim(
        "At {nodes:.1f} million nodes, {edges:.0f} million edges and {subgraphs:,.0f} subgraphs the"
        " pass took {s:.0f} s, {gb:.1f} GB of memory and {disk:.1f} GB of disk",
        nodes=column("describe", "nodes") / 1e6,
        edges=column("describe", "edges") / 1e6,
        subgraphs=column("describe", "subgraphs"),
        s=column("describe", "seconds"),
        gb=column("describe", "peak_mb") / 1000,
        disk=column("describe", "disk_mb") / 1000,
    )
    yield claim(
        "training `gbdt` on borders {trees:.0f} s and S2N+0 {network:.0f} s in at most {gb:.1f} GB",
        trees=column("fit gbdt", "seconds"),
        network=column("fit s2n+0", "seconds"),
        gb=max(column(f"fit {model}", "peak_mb") for model in ("gbdt", "s2n+0")) / 1000,
    )
    yield claim(
        "10,000 new subgraphs {s:.0f} s and {gb:.1f} GB",
        s=max(column(f"predict {model}", "seconds") for model in ("gbdt", "s2n+0")),
        gb=max(column(f"predict {model}", "peak_mb") for model in ("gbdt", "s2n+0")) / 1000,
    )
    spilled = read("scale.csv").where(scale="0.1", memory="1GB", job="describe")
    same = rows.where(job="describe", result=spilled.only()["result"])
    assert len(same) == 1, "another folder came of less memory"
    yield claim(
        "Under `--memory 1GB` the pass makes the same folder in {s:.0f} s and {gb:.1f} GB",
        s=spilled.number("seconds"),
        gb=spilled.number("peak_mb") / 1000,
    )


@claims_on("docs/scaling.md")
def growth_of_a_pass() -> Iterator[Claim]:
    """Bytes that are sorted, by the formula of the page, and measured slopes."""
    edge, node, many = 17 + 4 * 2, 8 + 4 * 43, 1e10 / 196_215_606  # amount and hour; 43 features
    edges, nodes = 2 * 196_215_606 * edge / 1e9, 49_299_864 * node / 1e9
    yield claim(
        "Elliptic2's shape {edges:.0f} GB of edges and {nodes:.0f} GB of nodes are sorted; at 10¹⁰"
        " edges it would be {all_edges:.0f} GB and {all_nodes:.0f} GB, in {partitions:,.0f}"
        " partitions of 200 MB.",
        edges=edges,
        nodes=nodes,
        all_edges=edges * many,
        all_nodes=nodes * many,
        partitions=round((edges + nodes) * many / 0.2, -1),
    )
    passes = read("scale-growth.csv").where(job="describe")
    sizes = passes.numbers("edges")

    def power(column: str, first: int) -> float:
        logs = np.log(sizes[first:]), np.log(passes.numbers(column)[first:])
        return float(np.polyfit(*logs, 1)[0])

    yield claim(
        "Measured from {least:,.0f} edges to {most:,.0f} million under `--memory 8GB`: the"
        " processor time of a pass on DuckDB grows with the power {time:.2f} of the edges from"
        " {later:.0f} million on (below, starting takes longer), the most disk with the power"
        " {disk:.2f} (only the largest pass spilled), and memory with the power {memory:.2f},"
        " since",
        least=sizes[0],
        most=sizes[-1] / 1e6,
        later=sizes[2] / 1e6,
        time=power("processor", 2),
        disk=power("disk_mb", 0),
        memory=power("peak_mb", 0),
    )


@claims_on("docs/reliability.md")
def mixed_load() -> Iterator[Claim]:
    """Predictions beside explanations."""
    median, high = mixed_load_latencies()
    yield claim("half of them within {median}, 99 % within {high}.", median=median, high=high)


@claims_on("docs/data.md")
def foreign_files() -> Iterator[Claim]:
    """Reading large files of other programs."""
    ontology, links, *elliptic2 = read("formats.csv")
    costs = [(float(row["seconds"]), float(row["peak_mb"]) / 1000) for row in elliptic2]
    (describe, describe_peak), _, (fit, fit_peak), (predict, _) = costs
    yield claim(
        "19,034 terms take {ontology:.1f} s, 12 million lines of links {links:.0f} s and"
        " {links_peak:.1f} GB.",
        ontology=float(ontology["seconds"]),
        links=float(links["seconds"]),
        links_peak=float(links["peak_mb"]) / 1000,
    )
    yield claim(
        "`describe` takes {describe:.0f} s and {describe_peak:.1f} GB, `fit` with a network of the"
        " preset `fast` {fit:.0f} s and {fit_peak:.1f} GB, `predict` for all of them {predict:.0f}"
        " s.",
        describe=describe,
        describe_peak=describe_peak,
        fit=fit,
        fit_peak=fit_peak,
        predict=predict,
    )


@claims_on("docs/data.md")
def patients_on_one_split() -> Iterator[Claim]:
    """How long a model takes to learn published patients once."""
    simple = read("patients.csv").where(split="0")
    slow = read("defaults-test.csv").where(task="patients", model="default s2n+a")
    fast = read("best.csv").where(run="gpu", task="patients", model="default s2n+a")
    yield claim(
        "`bag` takes {bag:.0f} s, `hops` {hops:.0f} s and S2N+A with three seeds {slow:.0f} minutes"
        " ({fast:.0f} s on a GPU).",
        bag=simple.where(model="bag").number("seconds"),
        hops=simple.where(model="hops").number("seconds"),
        slow=slow.number("seconds") / 60,
        fast=fast.number("seconds"),
    )
