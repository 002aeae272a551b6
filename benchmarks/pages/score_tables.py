"""Tables of scores: the paper's tables made anew, and what settings and inputs change."""

from __future__ import annotations

from collections.abc import Sequence

from pages.markdown import generates, points, table
from pages.rows import Rows, cell, cell_scores, mean, p_text, read, welch

REAL = {
    "PPI-BP": "PPI-BP",
    "HPO-Neuro": "HPO-Neuro (stand-in)",
    "HPO-Metab": "HPO-Metab (stand-in)",
}
SYNTHETIC = ("Density", "Cut-Ratio", "Coreness", "Component")
TABLE_OF = {**dict.fromkeys(REAL, "real"), **dict.fromkeys(SYNTHETIC, "synthetic")}
TASK_OF = dict(
    zip(
        TABLE_OF,
        ("ppi_bp", "hpo_orpha_neuro", "hpo_orpha_metab", "density", "cut_ratio", "coreness",
         "component"),
        strict=True,
    )
)  # fmt: skip
SIMPLE = ("majority class", "bag of nodes", "diffused bag of nodes", "exact statistics")
BASELINES = ("Sub2Vec", "GBDT", "SubGNN", "GLASS")
STRUCTURES = ("Separated", "Connected", "S2N+0", "S2N+A")
SETTINGS = {"paper": "published", "tuned": "searched", "default": "default"}


def score(selected: Rows) -> str:
    """Our score of a cell; a dash where it was not run or is not in the table."""
    if not len(selected) or selected.only()["status"] != "done":
        return "-"
    values = selected.number("ours"), selected.number("ours_sd"), int(selected.number("n"))
    return points(*values) + earlier_end(selected)


def earlier_end(selected: Rows) -> str:
    """A mark where GLASS ran with start and patience of the data that a stand-in stands for."""
    row = selected.only()
    return " ¶" * (row["row"] == "GLASS" and row["kind"] == "stand-in")


def published(selected: Rows) -> str:
    """The published score of a cell; (e) marks a standard error."""
    if not len(selected) or not selected.only()["published_text"]:
        return "-"
    row = selected.only()
    return row["published_text"] + " (e)" * (row["published_spread_kind"] == "se")


def settings_of(selected: Rows) -> str:
    """Where the settings of a cell come from, in one word."""
    return SETTINGS[selected.only()["settings"].partition(":")[0]]


def scores(names: Sequence[str], data: Sequence[str], *, with_published: bool) -> str:
    """A table of models over data sets, the published scores below ours."""
    rows = []
    for name in names:
        cells = [cell(TABLE_OF[column], name, column) for column in data]
        rows.append([name, *map(score, cells)])
        reported = list(map(published, cells))
        if with_published and set(reported) != {"-"}:
            rows.append(["*published*", *reported])
    return table(["", *(REAL.get(column, column) for column in data)], rows)


@generates("scores-real")
def scores_real() -> str:
    """Real data, all models."""
    networks = [f"{name} {conv}" for name in STRUCTURES for conv in ("GCN", "GCNII")]
    encoded = [f"{name}, RWPE" for name in networks if name.startswith("S2N")]
    names = (*SIMPLE, *BASELINES, *networks, *encoded)
    return scores(names, tuple(REAL), with_published=True)


@generates("scores-synthetic")
def scores_synthetic() -> str:
    """Synthetic data, all models."""
    networks = ("S2N+0 GCNII", "S2N+A GCNII", "S2N+0 GCNII, RWPE", "S2N+A GCNII, RWPE")
    names = (*SIMPLE, "Sub2Vec", "SubGNN", "GLASS", *networks, "S2N+A GIN")
    return scores(names, SYNTHETIC, with_published=True)


def against_glass(name: str, data: str) -> tuple[float, float]:
    """How many points a model is above GLASS, and the p-value of Welch's test over seeds."""
    ours, glass = (cell_scores(TABLE_OF[data], model, data) for model in (name, "GLASS"))
    return mean(ours) - mean(glass), welch(ours, glass)


@generates("against-glass")
def glass_comparison() -> str:
    """S2N+A beside GLASS on each data set, with differences and p-values."""
    rows = []
    for data, title in {**REAL, **dict(zip(SYNTHETIC, SYNTHETIC, strict=True))}.items():
        line = [title, score(cell(TABLE_OF[data], "GLASS", data))]
        for name in ("S2N+A GCNII", "S2N+A GCNII, RWPE", "S2N+A GIN"):
            if len(cell(TABLE_OF[data], name, data)):
                difference, p = against_glass(name, data)
                line.append(f"{difference:+.1f} ({p_text(p)})")
            else:
                line.append("-")
        rows.append(line)
    head = ["", "GLASS", "S2N+A GCNII", "S2N+A GCNII, RWPE", "S2N+A GIN"]
    return table(head, rows)


def ablation(name: str) -> str:
    """A table of the paper with one setting changed, on real data."""
    selected = read(f"reproduction/{name}.csv")
    columns = selected.distinct("column")
    rows = []
    for title in selected.distinct("row"):
        cells = [selected.where(row=title, column=column) for column in columns]
        rows.append([title, *map(score, cells)])
        rows.append(["*published*", *map(published, cells)])
    return table(["", *(REAL[column] for column in columns)], rows)


@generates("ablation-readout")
def ablation_readout() -> str:
    """Readouts."""
    return ablation("readout")


@generates("ablation-layers")
def ablation_layers() -> str:
    """Layers of the outer network."""
    return ablation("layers")


@generates("ablation-encoding")
def ablation_encoding() -> str:
    """Encodings of nodes."""
    return ablation("encoding")


@generates("convolutions")
def convolutions() -> str:
    """Other convolutions on PPI-BP."""
    selected = read("reproduction/gnns.csv").where(group=["GIN", "GATv2"])
    rows = [
        [
            row["row"] + " (w)" * (row["group"] == "GIN" and row["row"].startswith("S2N")),
            score(Rows([row], row["row"])),
            published(Rows([row], row["row"])),
        ]
        for row in selected
    ]
    return table(["PPI-BP", "ours", "*published*"], rows)


@generates("ppi-bp-models")
def ppi_bp_models() -> str:
    """Models on PPI-BP with default settings."""
    rows = [
        [
            row["model"],
            points(float(row["val"]), float(row["val_sd"]), int(row["n"])),
            points(float(row["test"]), float(row["test_sd"]), int(row["n"])),
            row["macro"],
            row["n"],
            row["seconds"],
        ]
        for row in read("ppi_bp-models.csv")
    ]
    return table(["model", "val", "test", "macro-F1 of test", "n", "s"], rows, right=1)


def networks(block: str, *, with_data: bool = True) -> str:
    """A block of benchmarks/results.py."""
    rows = []
    for row in read("networks.csv").where(block=block):
        n = int(row["n"])
        rows.append(
            [
                *([row["data"]] if with_data else []),
                row["model"],
                row["encoding"],
                row["settings"],
                points(float(row["val"]), float(row["val_sd"]), n),
                points(float(row["test"]), float(row["test_sd"]), n),
                row["published"] or "-",
                row["seconds"],
            ]
        )
    head = ["data"] * with_data + ["model", "encoding", "settings", "val", "test", "published", "s"]
    return table(head, rows)


@generates("ppi-bp-link")
def ppi_bp_link() -> str:
    """PPI-BP with embeddings by link prediction and RWPE."""
    return networks("ppi:link", with_data=False)


@generates("synthetic-settings")
def synthetic_settings() -> str:
    """Synthetic data by settings."""
    return networks("synthetic")


@generates("synthetic-encodings")
def synthetic_encodings() -> str:
    """Synthetic data with encodings."""
    return networks("encodings")


@generates("synthetic-fresh")
def synthetic_fresh() -> str:
    """Freshly generated synthetic data."""
    return networks("fresh")


@generates("attributes")
def attributes() -> str:
    """Which statistics the labels of synthetic data tell most about, beside the paper's words."""
    selected = read("attributes.csv")
    rows = []
    for title in selected.distinct("row"):
        cells = [selected.where(row=title, column=column).only() for column in SYNTHETIC]
        own = [
            cell["ours_text"] if cell["published_text"] == "-" else f"**{cell['ours_text']}**"
            for cell in cells
        ]
        rows.append([title, *own])
    return table(["", *SYNTHETIC], rows)
