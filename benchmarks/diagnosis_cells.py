"""The cells that are looked into, each with the changes that it is run with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

HALF = (0.5, 0.25, 0.25)
AS_IN_TABLE = "as in the table"


@dataclass(frozen=True)
class Change:
    """A way to run a cell.

    Args:
        name: What differs from the table.
        settings: Settings that differ from the preset.
        preset: Another preset; empty: that of the cell.
        table: Columns of RWPE in a table of features with constants; 0: no such table.
        value: The constant in that table.
        splits: Shares of random splits, one for each seed; None: the published split.
        later_seeds: How much later the seeds begin.
        study: What the name of a search in ``results/studies`` has behind that of the data; the
            settings of its best trial are taken.
    """

    name: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    preset: str = ""
    table: int = 0
    value: float = 1.0
    splits: tuple[float, float, float] | None = None
    later_seeds: int = 0
    study: str = ""


@dataclass(frozen=True)
class Cell:
    """A cell of a table.

    Args:
        row: Its row, as in the tables of published numbers.
        source: The table.
        data: The columns.
        model: A baseline's name; empty for a structure.
        structure: The structure and the convolution; empty for a baseline.
        preset: The preset of the table.
        settings: Settings that make the preset the cell of the table.
        changes: How it is run besides.
    """

    row: str
    source: str
    data: tuple[str, ...]
    model: str = ""
    structure: str = ""
    preset: str = "paper"
    settings: Mapping[str, Any] = field(default_factory=dict)
    changes: tuple[Change, ...] = ()


def change(name: str, *, preset: str = "", **settings: Any) -> Change:
    """A change of settings, with ``__`` for the dots in their names."""
    named = {key.replace("__", "."): value for key, value in settings.items()}
    return Change(name, named, preset)


COMMON = (  # what the published code may have had otherwise in any cell
    Change("other seeds", later_seeds=10),
    change("early stop after 100 epochs", training__patience=100),
)
NORM = change("batch norm", model__batch_norm=True)
NORM_SUM = change("batch norm, sum as readout", model__batch_norm=True, model__readout="sum")
WALKS = (
    *COMMON,
    NORM,
    NORM_SUM,
    change("a readout that no stage changes", model__readout="node-degree"),
    change("RWPE in a quarter of the columns", features__encoding_width=16),
    change("sum as readout", model__readout="sum"),
    change("constants of 1", features__value=1.0),  # the same as one table with nothing trained
    Change("one table, trained", {"features.trainable": True}, table=32),
    change("of tied epochs the lower loss", training__ties="loss"),
    change("weights by the paper's formula", translation__self_loops=False),
    change("RWPE standardised", features__scaling="standard"),
    change("RWPE standardised after a logarithm", features__scaling="log"),
    change(
        "RWPE standardised, sum, constants of 1",
        features__scaling="standard",
        model__readout="sum",
        features__value=1.0,
    ),
)
SUBGNN = (
    Change("similarity as the published code has it", {"model.similarity": "distance"}),
    change("of tied epochs the lower loss", training__ties="loss"),
    change("random vectors", features__kind="random"),
    Change("splits of 50/25/25", splits=HALF),
)
INPUTS = (
    *COMMON,
    change("random vectors", features__kind="random"),
    change("singular vectors", features__kind="svd"),
    change("of tied epochs the lower loss", training__ties="loss"),
)
FORMULA = change("weights by the paper's formula", translation__self_loops=False)
PLAIN = change("links without weights", translation__weighted=False)
PUBLISHED = change("published settings", preset="paper", features__kind="link")
LINK, RWPE = {"features.kind": "link"}, {"features.encoding": "rwpe"}
DEGREE, ONE = {"model.readout": "degree-code"}, {"model.layers": 1}
BY_PAPER = change("degrees by the paper's formula", model__readout="degree")

SEARCHED = Change("settings of a search", {"training.patience": 200}, study="s2n0-rwpe")
SEARCHED_WITHOUT = replace(SEARCHED, study="s2n0-plain")

CELLS = {
    "s2n+0 rwpe": Cell(
        "s2n+0 gcn2 rwpe", "results_syn", ("density", "cut_ratio"),
        structure="s2n+0 gcn2", settings=RWPE,
        changes=(*WALKS, SEARCHED),
    ),
    "s2n+0": Cell(
        "s2n+0 gcn2", "results_syn", ("density", "cut_ratio"), structure="s2n+0 gcn2",
        changes=(NORM, NORM_SUM, SEARCHED_WITHOUT),
    ),
    "s2n+a rwpe": Cell(
        "s2n+a gcn2 rwpe", "results_syn", ("cut_ratio",),
        structure="s2n+a gcn2", preset="tuned", settings=RWPE,
        changes=(
            change("RWPE standardised", features__scaling="standard"),
            change("published settings", preset="paper"),
            *(replace(each, name=f"published settings, {each.name}", preset="paper")
              for each in WALKS),
        ),
    ),
    "s2n+a gcn": Cell(
        "s2n+a gcn rwpe", "results_real", ("ppi_bp",),
        structure="s2n+a gcn", settings={**LINK, **RWPE},
        changes=(
            change("without RWPE", features__encoding="none"),
            change("RWPE standardised", features__scaling="standard"),
            *INPUTS, FORMULA, PLAIN,
        ),
    ),
    "s2n+0 degree": Cell(
        "s2n+0 degree", "ablation_readout", ("ppi_bp",),
        structure="s2n+0 gcn2", settings={**LINK, **DEGREE},
        changes=(BY_PAPER, *INPUTS, FORMULA),
    ),
    "s2n+a degree": Cell(
        "s2n+a degree", "ablation_readout", ("ppi_bp",),
        structure="s2n+a gcn2", preset="tuned", settings={**DEGREE, "features.encoding": "none"},
        changes=(
            change("published settings", preset="paper", features__kind="link"),
            BY_PAPER, *INPUTS,
        ),
    ),
    "s2n+a 1 layer": Cell(
        "s2n+a 1", "ablation_num_layers", ("ppi_bp",),
        structure="s2n+a gcn2", preset="tuned", settings={**ONE, "features.encoding": "none"},
        changes=(PUBLISHED, *INPUTS),
    ),
    "separated gin": Cell(
        "separated gin", "results_diff_gnn", ("ppi_bp",),
        structure="separated gin", settings=LINK,
        changes=(*INPUTS, change("ε trained", model__outer__train_eps=True)),
    ),
    "separated gatv2": Cell(
        "separated gatv2", "results_diff_gnn", ("ppi_bp",),
        structure="separated gatv2", settings=LINK, changes=INPUTS,
    ),
    "s2n+a gin": Cell(
        "s2n+a gin", "results_diff_gnn", ("ppi_bp",),
        structure="s2n+a gin", settings={**LINK, "translation.weighted": True},
        changes=(
            PLAIN,
            *(
                replace(each, name=f"{each.name}, links without weights",
                        settings={**each.settings, "translation.weighted": False})
                for each in INPUTS
            ),
        ),
    ),
    "s2n+0 gin": Cell(
        "s2n+0 gin", "results_diff_gnn", ("ppi_bp",),
        structure="s2n+0 gin", settings={**LINK, "translation.weighted": True}, changes=(PLAIN,),
    ),
    "subgnn": Cell(
        "subgnn", "results_syn", ("density", "cut_ratio", "coreness"),
        model="subgnn", settings=LINK, changes=SUBGNN,
    ),
    "glass": Cell(
        "glass", "results_syn", ("coreness",), model="glass",
        changes=(Change("splits of 50/25/25", splits=HALF),),
    ),
}  # fmt: skip
