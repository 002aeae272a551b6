"""Redraw the pictures in docs/ and here that come from rows in benchmarks/results/.

    python benchmarks/figures.py                  # all of them
    python benchmarks/figures.py data-scarce      # one

Each picture carries the SHA-256 of its rows, so that a test can tell when it is older than these.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cost_figures import (
    coarsen_growth_figure,
    guard_figure,
    operations_figure,
    read_rows,
    time_figure,
    translate_growth_figure,
)
from PIL import Image  # comes with Matplotlib
from PIL.PngImagePlugin import PngInfo

from sub2node.config import STRUCTURES, Config
from sub2node.efficiency.efficiency_table import EfficiencyTable, row_of_record
from sub2node.models import Preset
from sub2node.report.drawing import house_style
from sub2node.report.efficiency_figure import efficiency_figure
from sub2node.report.tuning_figure import study_figure
from sub2node.reproduce.scarce import ScarcePlan, ScarceRun, ScarceStudy
from sub2node.reproduce.scarce_figures import data_scarce_figure, ratio_figure
from sub2node.reproduce.theory import Claim
from sub2node.reproduce.theory_figures import claim_figure
from sub2node.tune import Choice, Space, Spec
from sub2node.tune.search_result import SearchResult, Trial
from sub2node.tune.search_space import SPACES
from sub2node.tune.trial_records import axis_importance, suggest_point

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROOT = Path(__file__).parents[1]
ROWS = ROOT / "benchmarks" / "results"
DOCS = ROOT / "docs"
KEY = "Rows"  # of the checksum in the text of a PNG
_DPI = 144  # two pixels per point
_WORDS = {"data", "model", "structure", "conv", "preset", "device", "complete_data", "reason"}


@dataclass(frozen=True)
class Picture:
    """A picture and where it comes from.

    Args:
        rows: The file with its rows, below benchmarks/results.
        draw: Makes the figure from that file.
        folder: Where the picture lies.
    """

    rows: str
    draw: Callable[[Path], Figure]
    folder: Path = DOCS

    @property
    def checksum(self) -> str:
        """SHA-256 of the rows."""
        return hashlib.sha256((ROWS / self.rows).read_bytes()).hexdigest()


def efficiency_on_h200(path: Path) -> Figure:
    """Throughput, latency, parameters and memory."""
    with path.open(newline="", encoding="utf-8") as file:
        records = [_typed(record) for record in csv.DictReader(file)]
    rows = tuple(row_of_record(record) for record in records)
    return efficiency_figure(EfficiencyTable(rows, {"device": "cuda", "name": "NVIDIA H200"}))


def _typed(record: dict[str, str]) -> dict[str, Any]:
    """A row of CSV as the benchmark wrote it: empty cells are None, but for words."""
    return {
        name: text if name in _WORDS else None if text == "" else json.loads(text.lower())
        for name, text in record.items()
    }


def few_subgraphs(path: Path) -> Figure:
    """Scores of all structures by the number of training subgraphs."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = [
            ScarceRun(
                row["structure"],
                row["coarsen"],
                int(row["n"]),
                int(row["seed"]),
                float(row["val"]),
                float(row["test"]),
                float(row["macro"]),
            )
            for row in csv.DictReader(file)
        ]
    return data_scarce_figure(_study(rows), "PPI-BP")


def coarsening_ratios(path: Path) -> Figure:
    """Scores of CoS2N by coarsening ratio, with the published settings."""
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        job = re.fullmatch(
            r"ppi_bp: (cos2n\+[0a]) gcn2 · scarce · (\w+:[\d.]+) · (\d+) of each class",
            record["job"],
        )
        if job is None or record["status"] != "done":
            continue
        facts = record["facts"]
        scores = zip(facts["seeds"], record["val"], record["values"], facts["macro"], strict=True)
        rows += [ScarceRun(job[1], job[2], int(job[3]), *score) for score in scores]
    figure = ratio_figure(_study(rows), "PPI-BP, published settings")
    assert figure is not None
    return figure


def _study(rows: list[ScarceRun]) -> ScarceStudy:
    plan = ScarcePlan(
        sizes=tuple(sorted({row.n for row in rows})),
        structures=tuple(s for s in STRUCTURES if any(row.structure == s for row in rows)),
        coarsenings=tuple(sorted({row.coarsen for row in rows if row.coarsen})),
        seeds=tuple(sorted({row.seed for row in rows})),
    )
    return ScarceStudy(plan, tuple(rows), ())


def claim(name: str) -> Callable[[Path], Figure]:
    """Makes the figure of a claim of the theory."""

    def draw(path: Path) -> Figure:
        records = map(json.loads, path.read_text(encoding="utf-8").splitlines())
        return claim_figure(next(Claim.from_dict(r) for r in records if r["name"] == name))

    return draw


def search_on_ppi_bp(path: Path) -> Figure:
    """Scores of the trials of a search, and which settings mattered."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    config = Config(structure="s2n+a", conv="gcn2")
    rows = read_rows(path)
    axes = SPACES["paper"](config).axes | {"features.encoding": Choice(("none", "rwpe"))}
    space = Space({name: axis for name, axis in axes.items() if name in rows[0]})
    base = Preset("paper", (config,), (), joined=False)
    spec = Spec("", "ppi_bp", base=base, space=space, seeds=tuple(range(int(rows[0]["n"]))))
    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.RandomSampler(seed=0))
    trials = [_trial(row, space) for row in rows]
    for trial in trials:
        study.enqueue_trial(dict(trial.point))
        asked = study.ask()
        suggest_point(asked, spec)
        done = trial.state == "complete"
        state = optuna.trial.TrialState.COMPLETE if done else optuna.trial.TrialState.PRUNED
        study.tell(asked, trial.value if done else None, state=state)
    return study_figure(SearchResult(spec, tuple(trials), axis_importance(study, trials)))


def _trial(row: dict[str, str], space: Space) -> Trial:
    """A trial of a row, with scores of seeds that have its mean and its standard deviation."""
    mean, count = float(row["value"]), int(row["n"])
    apart = float(row["sd"]) * ((count - 1) / count) ** 0.5  # half of them above, half below
    point = {name: _word(row[name]) for name in space.axes}
    values = tuple(mean + apart * (-1) ** seed for seed in range(count))
    return Trial(int(row["number"]), row["state"], point, mean, values, float(row["loss"]))


def _word(text: str) -> object:
    """A setting as a study wrote it into CSV."""
    try:
        return json.loads(text.lower())
    except ValueError:
        return text


CLAIMS = "theory/claims.jsonl"
HERE = ROOT / "benchmarks"
PICTURES = {
    "efficiency-h200": Picture("efficiency-h200.csv", efficiency_on_h200),
    "data-scarce": Picture("ppi_bp-scarce.csv", few_subgraphs),
    "coarsening-ratios": Picture("reproduction/cells.jsonl", coarsening_ratios),
    "search-ppi_bp": Picture("studies/ppi_bp-paper.csv", search_on_ppi_bp),
    "guard": Picture("guard.csv", guard_figure),
    "theory-lemma": Picture(CLAIMS, claim("lemma")),
    "theory-gcn-error": Picture(CLAIMS, claim("gcn-error")),
    "theory-gin-error": Picture(CLAIMS, claim("gin-error")),
    "theory-link-probability": Picture(CLAIMS, claim("link-probability")),
    "theory-virtual-subgraphs": Picture(CLAIMS, claim("virtual-subgraphs")),
    "theory-operations": Picture("theory/operations.csv", operations_figure),
    "theory-time": Picture("theory/time.csv", time_figure),
    "translate_growth": Picture("translate.csv", translate_growth_figure, HERE),
    "coarsen_growth": Picture("coarsen.csv", coarsen_growth_figure, HERE),
}


@house_style()
def write_picture(name: str) -> Path:
    """Draw a picture by name and write it as PNG."""
    picture = PICTURES[name]
    path = picture.folder / f"{name}.png"
    figure = picture.draw(ROWS / picture.rows)
    drawn, about = BytesIO(), PngInfo()
    figure.savefig(drawn, dpi=_DPI)
    about.add_text(KEY, picture.checksum)
    with Image.open(drawn) as image:  # 256 colours are enough, and a third of the size
        image.convert("RGB").quantize(256).save(path, optimize=True, pnginfo=about)
    return path


def main() -> None:
    """Redraw the pictures that are named, or all."""
    about = argparse.ArgumentParser(description=__doc__)
    about.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PICTURES))
    names = about.parse_args().names or list(PICTURES)
    unknown = [name for name in names if name not in PICTURES]
    if unknown:
        about.error(f"there is no picture {unknown[0]!r}; there are {', '.join(PICTURES)}")
    for name in names:
        print(f"Wrote {write_picture(name).relative_to(ROOT)}")


if __name__ == "__main__":
    main()
