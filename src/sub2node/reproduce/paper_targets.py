"""The targets: for each table and figure of the paper, which jobs give its cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, get_args

from ..config import is_coarsened
from .jobs import Job, PlannedCell, ReproductionPlan
from .paper_data import REAL_DATA, SYNTHETIC_DATA
from .published import published_tables
from .scarce import COARSENINGS, SIZES

Target = Literal[
    "table1",
    "real",
    "synthetic",
    "efficiency",
    "data-scarce",
    "gnns",
    "readout",
    "layers",
    "encoding",
    "ratio",
    "theory",
]
TARGETS: tuple[Target, ...] = get_args(Target)
SIMPLE = ("majority", "bag", "diffused-bag", "statistics")
BASELINES = ("sub2vec", "gbdt", "subgnn", "glass")
BEYOND = {"synthetic": ("s2n+a gin",)}  # rows that are not in the paper
STRUCTURES = ("separated", "connected", "s2n+0", "s2n+a")
ALL = (*STRUCTURES, "cos2n+0", "cos2n+a")
SCARCE = ("ppi_bp", "em_user")  # of the paper's data-scarce figures
RATIOS = {
    "ppi_bp": COARSENINGS,
    "em_user": tuple(f"variation_edges:{ratio:g}" for ratio in (0.7, 0.8, 0.9)),
}
READOUTS = {"sum": "sum", "mean": "mean", "max": "max", "degree": "degree-code"}
DATA_ROWS = {"dataset_original": REAL_DATA, "dataset_original_syn": SYNTHETIC_DATA}
SOURCES = {
    "real": "results_real",
    "synthetic": "results_syn",
    "gnns": "results_diff_gnn",
    "readout": "ablation_readout",
    "layers": "ablation_num_layers",
    "encoding": "ablation_pe",
    "datasets-real": "dataset_original",
    "datasets-synthetic": "dataset_original_syn",
    "attributes-synthetic": "syn_properties",
    "s2n-real": "s2n_statistics",
}
_OMITTED_BY_QUICK = "left out by --quick"
_QUICK_SIZES, _QUICK_RATIOS = (10, 40), 2


def planned_cells(target: Target, plan: ReproductionPlan) -> list[PlannedCell]:
    """Every cell of a target, in the order of its tables."""
    return list(_CELLS_BY_TARGET[target](plan))


def _dataset_cells(_: ReproductionPlan) -> Iterator[PlannedCell]:
    for table, columns in (("datasets-real", REAL_DATA), ("datasets-synthetic", SYNTHETIC_DATA)):
        for row in published_tables()[SOURCES[table]][0]:
            yield from (PlannedCell(table, row, c, Job("statistics", c)) for c in columns)
    for row in published_tables()["syn_properties"][0]:
        for column in SYNTHETIC_DATA:
            yield PlannedCell("attributes-synthetic", row, column, Job("attributes", column))
    rows = (*published_tables()["s2n_statistics"][0], "edges joined", "homophily", "homophily bare")
    for table, columns in (("s2n-real", REAL_DATA), ("s2n-synthetic", SYNTHETIC_DATA)):
        for row in rows:
            yield from (PlannedCell(table, row, c, Job("compression", c)) for c in columns)


def _score_cells(
    table: str, columns: tuple[str, ...], plan: ReproductionPlan
) -> Iterator[PlannedCell]:
    """Rows of a published table, after those of simple models; then those beyond the paper."""
    beyond = BEYOND.get(table, ())
    for row in (*SIMPLE, *published_tables()[SOURCES[table]][0], *beyond):
        for column in columns:
            model, conv, encoding = (*row.split(" "), "", "")[:3]
            if conv:
                encoding = "" if row in beyond else encoding or "none"
                job = Job("train", column, structure=model, conv=conv, encoding=encoding)
            else:
                job = Job("train", column, model)
            yield PlannedCell(table, row, column, job, _why_omitted(job, plan))


def _why_omitted(job: Job, plan: ReproductionPlan) -> str:
    """That a job takes too long for a quick look; empty where it does not."""
    if not plan.quick:
        return ""
    heavy = (
        job.model in BASELINES
        or job.encoding == "lappe"
        or (job.structure, job.conv) == ("connected", "gatv2")
    )
    large = job.column.startswith("hpo") and (
        job.structure in ("separated", "connected")
        or job.encoding != "none"
        or job.model in ("bag", "diffused-bag")
    )
    return _OMITTED_BY_QUICK if heavy or large else ""


def _real_cells(plan: ReproductionPlan) -> Iterator[PlannedCell]:
    return _score_cells("real", REAL_DATA, plan)


def _synthetic_cells(plan: ReproductionPlan) -> Iterator[PlannedCell]:
    return _score_cells("synthetic", SYNTHETIC_DATA, plan)


def _gnn_cells(plan: ReproductionPlan) -> Iterator[PlannedCell]:
    for cell in _score_cells("gnns", ("ppi_bp", "em_user"), plan):
        if cell.row not in SIMPLE:
            yield cell


def _ablation_cells(
    table: str, change: Callable[[str], dict[str, object]], plan: ReproductionPlan
) -> Iterator[PlannedCell]:
    """One setting changed at a time, GCNII."""
    for row in published_tables()[SOURCES[table]][0]:
        structure, word = row.split(" ")
        for column in REAL_DATA:
            changes = change(word)
            encoding = str(changes.pop("encoding", "none"))
            job = Job("train", column, "", structure, "gcn2", encoding, tuple(changes.items()))
            other = plan.quick and column != "ppi_bp"
            yield PlannedCell(
                table, row, column, job, _OMITTED_BY_QUICK if other else _why_omitted(job, plan)
            )


def _readout_cells(plan: ReproductionPlan) -> Iterator[PlannedCell]:
    return _ablation_cells("readout", lambda word: {"model.readout": READOUTS[word]}, plan)


def _layer_cells(plan: ReproductionPlan) -> Iterator[PlannedCell]:
    return _ablation_cells("layers", lambda word: {"model.layers": int(word)}, plan)


def _encoding_cells(plan: ReproductionPlan) -> Iterator[PlannedCell]:
    return _ablation_cells("encoding", lambda word: {"encoding": word}, plan)


def _efficiency_cells(plan: ReproductionPlan) -> Iterator[PlannedCell]:
    models = [
        Job("speed", "", structure=s, conv=conv) for s in STRUCTURES for conv in ("gcn", "gcn2")
    ]
    models += [Job("speed", "", name) for name in ("subgnn", "glass")]
    for column in REAL_DATA:
        for model in models:
            job = Job("speed", column, model.model, model.structure, model.conv)
            quick = plan.quick and (column != "ppi_bp" or job.model == "subgnn")
            row = job.model or f"{job.structure} {job.conv}"
            yield PlannedCell("efficiency", row, column, job, _OMITTED_BY_QUICK if quick else "")


def _coarsenings(column: str, structure: str) -> tuple[str, ...]:
    return RATIOS[column] if is_coarsened(structure) else ("",)


def _data_scarce_cells(plan: ReproductionPlan) -> Iterator[PlannedCell]:
    for column in SCARCE:
        yield from _scarce_cells("data-scarce", column, ALL, plan)
        for structure in ALL:  # speed and memory, on the first subset of each size
            for coarsen in _coarsenings(column, structure):
                for n in SIZES:
                    job = Job("speed", column, "", structure, "gcn2", coarsen=coarsen, n=n)
                    cell = PlannedCell(f"data-scarce:{column}", structure, str(n), job)
                    yield _omit_if_quick(cell, plan)


def _ratio_cells(plan: ReproductionPlan) -> Iterator[PlannedCell]:
    for column in SCARCE:
        yield from _scarce_cells("ratio", column, ("cos2n+0", "cos2n+a"), plan)


def _scarce_cells(
    table: str, column: str, structures: tuple[str, ...], plan: ReproductionPlan
) -> Iterator[PlannedCell]:
    for structure in structures:
        for coarsen in _coarsenings(column, structure):
            for n in SIZES:
                job = Job("scarce", column, "", structure, "gcn2", coarsen=coarsen, n=n)
                row = f"{structure} {coarsen}".strip()
                yield _omit_if_quick(PlannedCell(f"{table}:{column}", row, str(n), job), plan)


def _omit_if_quick(cell: PlannedCell, plan: ReproductionPlan) -> PlannedCell:
    job, ratios = cell.job, RATIOS[cell.job.column][1 : 1 + _QUICK_RATIOS]
    quick = plan.quick and (
        job.n not in _QUICK_SIZES or (job.coarsen and job.coarsen not in ratios)
    )
    if quick:
        return PlannedCell(cell.table, cell.row, cell.column, job, _OMITTED_BY_QUICK)
    return cell


def _theory_cells(_: ReproductionPlan) -> Iterator[PlannedCell]:
    from .theory import CLAIMS

    for claim in CLAIMS:
        yield PlannedCell("theory", claim, "", Job("theory", "theory", claim))


_CELLS_BY_TARGET: dict[Target, Callable[[ReproductionPlan], Iterator[PlannedCell]]] = {
    "table1": _dataset_cells,
    "real": _real_cells,
    "synthetic": _synthetic_cells,
    "efficiency": _efficiency_cells,
    "data-scarce": _data_scarce_cells,
    "gnns": _gnn_cells,
    "readout": _readout_cells,
    "layers": _layer_cells,
    "encoding": _encoding_cells,
    "ratio": _ratio_cells,
    "theory": _theory_cells,
}
