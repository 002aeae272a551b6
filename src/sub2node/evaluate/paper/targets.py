"""The targets: for each table and figure of the paper, which jobs give its cells."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, get_args

from ..scarce import COARSENINGS, SIZES
from .columns import MADE, REAL
from .jobs import Job, Place, Plan
from .published import published_tables

Target = Literal[
    "table1", "real", "synthetic", "efficiency", "data-scarce", "gnns", "readout", "layers",
    "encoding", "ratio", "theory",
]  # fmt: skip
TARGETS: tuple[Target, ...] = get_args(Target)
SIMPLE = ("majority", "bag", "diffused-bag", "statistics")
BASELINES = ("sub2vec", "gbdt", "subgnn", "glass")
BEYOND = {"synthetic": ("s2n+a gin",)}  # rows that the paper has not
STRUCTURES = ("separated", "connected", "s2n+0", "s2n+a")
ALL = (*STRUCTURES, "cos2n+0", "cos2n+a")
SCARCE = ("ppi_bp", "em_user")  # of the paper's data-scarce figures
RATIOS = {
    "ppi_bp": COARSENINGS,
    "em_user": tuple(f"variation_edges:{ratio:g}" for ratio in (0.7, 0.8, 0.9)),
}
READOUTS = {"sum": "sum", "mean": "mean", "max": "max", "degree": "degree-code"}
DATA_ROWS = {"dataset_original": REAL, "dataset_original_syn": MADE}
SOURCES = {
    "real": "results_real",
    "synthetic": "results_syn",
    "gnns": "results_diff_gnn",
    "readout": "ablation_readout",
    "layers": "ablation_num_layers",
    "encoding": "ablation_pe",
    "datasets-real": "dataset_original",
    "datasets-synthetic": "dataset_original_syn",
    "s2n-real": "s2n_statistics",
}
_LEFT = "left out by --quick"
_QUICK_SIZES, _QUICK_RATIOS = (10, 40), 2


def places(target: Target, plan: Plan) -> list[Place]:
    """Every cell of a target, in the order of its tables."""
    return list(_MAKERS[target](plan))


def _table1(_: Plan) -> Iterator[Place]:
    for table, columns in (("datasets-real", REAL), ("datasets-synthetic", MADE)):
        for row in published_tables()[SOURCES[table]][0]:
            yield from (Place(table, row, c, Job("statistics", c)) for c in columns)
    rows = (*published_tables()["s2n_statistics"][0], "edges joined", "homophily", "homophily bare")
    for table, columns in (("s2n-real", REAL), ("s2n-synthetic", MADE)):
        for row in rows:
            yield from (Place(table, row, c, Job("compression", c)) for c in columns)


def _scores(table: str, columns: tuple[str, ...], plan: Plan) -> Iterator[Place]:
    """Rows of a published table, after those of simple models; then those beyond the paper."""
    beyond = BEYOND.get(table, ())
    for row in (*SIMPLE, *published_tables()[SOURCES[table]][0], *beyond):
        for column in columns:
            model, conv, encoding = (*row.split(" "), "", "")[:3]
            if conv:
                given = "" if row in beyond else encoding or "none"
                job = Job("train", column, "", model, conv, given)
            else:
                job = Job("train", column, model)
            yield Place(table, row, column, job, _left(job, plan))


def _left(job: Job, plan: Plan) -> str:
    """What takes too long for a quick look."""
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
    return _LEFT if heavy or large else ""


def _real(plan: Plan) -> Iterator[Place]:
    return _scores("real", REAL, plan)


def _synthetic(plan: Plan) -> Iterator[Place]:
    return _scores("synthetic", MADE, plan)


def _gnns(plan: Plan) -> Iterator[Place]:
    for place in _scores("gnns", ("ppi_bp", "em_user"), plan):
        if place.row not in SIMPLE:
            yield place


def _ablation(
    table: str, change: Callable[[str], dict[str, object]], plan: Plan
) -> Iterator[Place]:
    """One setting changed at a time, GCNII."""
    for row in published_tables()[SOURCES[table]][0]:
        structure, word = row.split(" ")
        for column in REAL:
            given = change(word)
            encoding = str(given.pop("encoding", "none"))
            job = Job("train", column, "", structure, "gcn2", encoding, tuple(given.items()))
            other = plan.quick and column != "ppi_bp"
            yield Place(table, row, column, job, _LEFT if other else _left(job, plan))


def _readout(plan: Plan) -> Iterator[Place]:
    return _ablation("readout", lambda word: {"model.readout": READOUTS[word]}, plan)


def _layers(plan: Plan) -> Iterator[Place]:
    return _ablation("layers", lambda word: {"model.layers": int(word)}, plan)


def _encoding(plan: Plan) -> Iterator[Place]:
    return _ablation("encoding", lambda word: {"encoding": word}, plan)


def _efficiency(plan: Plan) -> Iterator[Place]:
    models = [Job("speed", "", "", s, conv) for s in STRUCTURES for conv in ("gcn", "gcn2")]
    models += [Job("speed", "", name) for name in ("subgnn", "glass")]
    for column in REAL:
        for model in models:
            job = Job("speed", column, model.model, model.structure, model.conv)
            quick = plan.quick and (column != "ppi_bp" or job.model == "subgnn")
            row = job.model or f"{job.structure} {job.conv}"
            yield Place("efficiency", row, column, job, _LEFT if quick else "")


def _coarse(column: str, structure: str) -> tuple[str, ...]:
    return RATIOS[column] if structure.startswith("cos2n") else ("",)


def _data_scarce(plan: Plan) -> Iterator[Place]:
    for column in SCARCE:
        yield from _few("data-scarce", column, ALL, plan)
        for structure in ALL:  # speed and memory, on the first subset of each size
            for coarsen in _coarse(column, structure):
                for n in SIZES:
                    job = Job("speed", column, "", structure, "gcn2", coarsen=coarsen, n=n)
                    place = Place(f"data-scarce:{column}", structure, str(n), job)
                    yield _shortened(place, plan)


def _ratio(plan: Plan) -> Iterator[Place]:
    for column in SCARCE:
        yield from _few("ratio", column, ("cos2n+0", "cos2n+a"), plan)


def _few(table: str, column: str, structures: tuple[str, ...], plan: Plan) -> Iterator[Place]:
    for structure in structures:
        for coarsen in _coarse(column, structure):
            for n in SIZES:
                job = Job("scarce", column, "", structure, "gcn2", coarsen=coarsen, n=n)
                row = f"{structure} {coarsen}".strip()
                yield _shortened(Place(f"{table}:{column}", row, str(n), job), plan)


def _shortened(place: Place, plan: Plan) -> Place:
    job, ratios = place.job, RATIOS[place.job.column][1 : 1 + _QUICK_RATIOS]
    quick = plan.quick and (
        job.n not in _QUICK_SIZES or (job.coarsen and job.coarsen not in ratios)
    )
    if quick:
        return Place(place.table, place.row, place.column, job, _LEFT)
    return place


def _theory(_: Plan) -> Iterator[Place]:
    from ..theory import CLAIMS

    for claim in CLAIMS:
        yield Place("theory", claim, "", Job("theory", "theory", claim))


_MAKERS: dict[Target, Callable[[Plan], Iterator[Place]]] = {
    "table1": _table1,
    "real": _real,
    "synthetic": _synthetic,
    "efficiency": _efficiency,
    "data-scarce": _data_scarce,
    "gnns": _gnns,
    "readout": _readout,
    "layers": _layers,
    "encoding": _encoding,
    "ratio": _ratio,
    "theory": _theory,
}
