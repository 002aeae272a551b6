"""The data-scarce protocol: a few training subgraphs of each class, every structure on the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Unpack

import numpy as np

from ..base.errors import ConfigError, Sub2NodeError
from ..base.progress import counted, item
from ..coarsen import parse_coarsen
from ..config import STRUCTURES, Structure, is_coarsened
from ..efficiency.measure import efficiency
from ..evaluate.protocol import assess
from ..evaluate.seeds import seed_list
from ..evaluate.significance import MIN_RUNS, Summary
from ..models.find import ModelOptions, network
from ..models.graph_network import GraphNetwork
from ..task import SubgraphTask, require_learnable
from .scarce_subsets import SUBSETS, Subsets, subset

if TYPE_CHECKING:
    from torch import nn

SIZES = (10, 20, 40, 80)
COARSENINGS = tuple(f"variation_edges:{ratio:g}" for ratio in (0.2, 0.3, 0.4, 0.5))


@dataclass(frozen=True)
class ScarceRun:
    """One model on one subset.

    Args:
        structure: The structure of the model.
        coarsen: Method and ratio of virtual subgraphs, as ``variation_edges:0.3``; empty without.
        n: Training subgraphs of each class.
        seed: The seed of the model, and of the subset where it is fresh.
        val: Micro-F1 on validation, of the state that was kept.
        test: Micro-F1 on test.
        macro: Macro-F1 on test.
        model: The key of the model's settings.
    """

    structure: str
    coarsen: str
    n: int
    seed: int
    val: float
    test: float
    macro: float
    model: str = ""


@dataclass(frozen=True)
class ScarceSpeed:
    """Speed and memory of one model on the first subset of a size; see :class:`Efficiency`."""

    structure: str
    coarsen: str
    n: int
    train_throughput: float
    eval_throughput: float
    memory: int
    device: str
    model: str = ""


ScarceFinding = ScarceRun | ScarceSpeed
FailureHandler = Callable[[str, Sub2NodeError], None]


@dataclass(frozen=True)
class ScarcePlan:
    """What to run.

    Args:
        sizes: Training subgraphs of each class.
        structures: Some of the six structures.
        coarsenings: The coarsenings of CoS2N; where there are several, validation decides which one
            stands in the table. An empty one stands for virtual subgraphs that come with the data.
        seeds: One seed per run.
        subsets: ``fresh``: another subset for each seed; ``published``: one for all seeds, drawn as
            the authors did.
    """

    sizes: tuple[int, ...] = SIZES
    structures: tuple[Structure, ...] = STRUCTURES
    coarsenings: tuple[str, ...] = COARSENINGS
    seeds: tuple[int, ...] = tuple(seed_list(10))
    subsets: Subsets = "fresh"

    def __post_init__(self) -> None:
        seed_list(self.seeds)
        object.__setattr__(self, "sizes", tuple(sorted(self.sizes)))
        normalized = (("{}:{:g}".format(*parse_coarsen(c)) if c else "") for c in self.coarsenings)
        object.__setattr__(self, "coarsenings", tuple(normalized))
        if self.subsets not in SUBSETS:
            raise ConfigError(f"subsets are {' or '.join(SUBSETS)}, not {self.subsets!r}.")
        for name in ("sizes", "structures", "coarsenings"):
            values = getattr(self, name)
            required = name != "coarsenings" or self.bridged
            if (required and not values) or len(set(values)) != len(values):
                raise ConfigError(f"{name} are one at least, each once, found {list(values)}.")

    def covers(self, finding: ScarceFinding) -> bool:
        """Whether a finding is of this plan; a folder may hold those of a larger one."""
        if (finding.structure, finding.coarsen) not in self.models or finding.n not in self.sizes:
            return False
        return isinstance(finding, ScarceSpeed) or finding.seed in self.seeds

    @property
    def bridged(self) -> bool:
        """Whether CoS2N is among the structures."""
        return any(map(is_coarsened, self.structures))

    @property
    def models(self) -> list[tuple[str, str]]:
        """Structure and coarsening of each model."""
        return [
            (structure, coarsening)
            for structure in self.structures
            for coarsening in (self.coarsenings if is_coarsened(structure) else ("",))
        ]


@dataclass(frozen=True, eq=False)
class ScarceStudy:
    """The results of the protocol.

    Args:
        plan: What was to be run.
        rows: The scores, one row per run.
        steps: Speed and memory, one row per model and size.
        notes: What to know about the settings and the runs.
    """

    plan: ScarcePlan
    rows: tuple[ScarceRun, ...]
    steps: tuple[ScarceSpeed, ...]
    notes: tuple[str, ...] = ()

    def chosen(self, structure: str) -> str:
        """The coarsening with the best mean validation score, over subsets that all of them had."""
        scores: dict[str, dict[tuple[int, int], float]] = {}
        for row in self.rows:
            if row.structure == structure:
                scores.setdefault(row.coarsen, {})[row.n, row.seed] = row.val
        common = set.intersection(*map(set, scores.values())) if scores else set()
        means = {
            name: np.mean([by_subset[key] for key in common or by_subset])
            for name, by_subset in scores.items()
        }
        return max(means, key=lambda name: means[name], default="")

    def scores(self, structure: str, n: int, coarsen: str | None = None) -> dict[int, ScarceRun]:
        """The rows of a model at a size, by seed; None: with the chosen coarsening."""
        coarsen = self.chosen(structure) if coarsen is None else coarsen
        return {
            row.seed: row
            for row in self.rows
            if (row.structure, row.coarsen, row.n) == (structure, coarsen, n)
        }

    def summary(self, structure: str, n: int, coarsen: str | None = None) -> Summary | None:
        """Test micro-F1 over seeds; None where nothing ran."""
        rows = self.scores(structure, n, coarsen)
        return Summary(tuple(row.test for row in rows.values())) if rows else None

    def gain(self, more: str, less: str, n: int) -> tuple[Summary, float | None] | None:
        """Differences of test micro-F1 on the same subsets, and p of a paired t-test.

        No p below five differences, or without any spread.
        """
        from scipy.stats import ttest_1samp

        a, b = self.scores(more, n), self.scores(less, n)
        common = sorted(a.keys() & b.keys())
        if not common:
            return None
        difference = Summary(tuple(a[seed].test - b[seed].test for seed in common))
        if difference.n < MIN_RUNS or np.ptp(difference.values) < 1e-12:
            return difference, None
        return difference, float(ttest_1samp(difference.values, 0).pvalue)

    def to_dict(self) -> dict[str, object]:
        """For JSON: a table, what virtual subgraphs bring, and all rows."""
        return {
            "plan": asdict(self.plan),
            "coarsenings": {s: self.chosen(s) for s in self.plan.structures if is_coarsened(s)},
            "table": [
                {
                    "structure": s,
                    "per_class": n,
                    "val": float(np.mean([r.val for r in rows.values()])),
                    **Summary(tuple(r.test for r in rows.values())).to_dict(),
                }
                for s in self.plan.structures
                for n in self.plan.sizes
                if (rows := self.scores(s, n))
            ],
            "gains": [
                {"kind": kind, "per_class": n, **gain[0].to_dict(), "p": gain[1]}
                for kind in ("+0", "+a")
                for n in self.plan.sizes
                if (gain := self.gain(f"cos2n{kind}", f"s2n{kind}", n))
            ],
            "rows": [asdict(row) for row in self.rows],
            "steps": [asdict(row) for row in self.steps],
            "notes": list(self.notes),
        }


def require(task: SubgraphTask, plan: ScarcePlan) -> None:
    """Raise what can be known before hours of training: data and sizes that do not fit."""
    require_learnable(task)
    for n in plan.sizes:
        subset(task, n, seed=plan.seeds[0], subsets=plan.subsets)


def data_scarce(
    task: SubgraphTask,
    plan: ScarcePlan,
    models: Mapping[tuple[str, str], GraphNetwork],
    *,
    known: Sequence[ScarceFinding] = (),
    failed: FailureHandler | None = None,
) -> Iterator[ScarceFinding]:
    """Run what is not known yet; yields each finding as soon as it is there.

    Args:
        task: The data, with labels and a split.
        plan: What to run.
        models: The models by structure and coarsening; see :func:`models_of`.
        known: Findings of an earlier run of the same plan.
        failed: Called with a model that cannot be trained, which is then left out; None: raise.
    """
    require(task, plan)
    done = {
        (row.structure, row.coarsen, row.n, row.seed) for row in known if isinstance(row, ScarceRun)
    }
    yield from steps(task, plan, models, known=known, failed=failed)
    rounds: Sequence[tuple[int, ...]] = [(seed,) for seed in plan.seeds]
    if plan.subsets == "published":
        rounds = [plan.seeds]  # one subset, so all seeds are trained together
    total, number = len(plan.sizes) * len(rounds) * len(plan.models), 0
    for n in plan.sizes:
        for seeds in rounds:
            small = subset(task, n, seed=seeds[0], subsets=plan.subsets)
            for structure, coarsen in plan.models:
                item("Training", number, total, f"{structure} {coarsen} · {n} of each class")
                number += 1
                model = models[structure, coarsen]
                left = [s for s in seeds if (structure, coarsen, n, s) not in done]
                try:
                    if left:
                        yield from _run_seeds(
                            small, model, structure=structure, coarsen=coarsen, n=n, seeds=left
                        )
                except Sub2NodeError as error:
                    _handle_failure(failed, structure, coarsen, error)
    item("Training", total, total)


def steps(
    task: SubgraphTask,
    plan: ScarcePlan,
    models: Mapping[tuple[str, str], GraphNetwork],
    *,
    known: Sequence[ScarceFinding] = (),
    failed: FailureHandler | None = None,
) -> Iterator[ScarceSpeed]:
    """Speed and memory of every model, on the first subset of each size; as :func:`data_scarce`."""
    done = {(row.structure, row.coarsen, row.n) for row in known if isinstance(row, ScarceSpeed)}
    left = [(n, *m) for n in plan.sizes for m in plan.models if (*m, n) not in done]
    for n, structure, coarsen in counted(
        left, "Timing", name=lambda one: f"{one[1]} {one[2]} · {one[0]} of each class", even=False
    ):
        small = subset(task, n, seed=plan.seeds[0], subsets=plan.subsets)
        model = models[structure, coarsen]
        try:
            measured = efficiency(small, model)
        except Sub2NodeError as error:
            _handle_failure(failed, structure, coarsen, error)
            continue
        yield ScarceSpeed(
            structure=structure,
            coarsen=coarsen,
            n=n,
            train_throughput=measured.train_throughput,
            eval_throughput=measured.eval_throughput,
            memory=measured.memory,
            device=measured.device,
            model=model.key,
        )


def _handle_failure(
    failed: FailureHandler | None, structure: str, coarsen: str, error: Sub2NodeError
) -> None:
    if failed is None:
        raise error
    failed(f"{structure} {coarsen}".strip(), error)


def _run_seeds(
    task: SubgraphTask,
    model: GraphNetwork,
    *,
    structure: str,
    coarsen: str,
    n: int,
    seeds: list[int],
) -> Iterator[ScarceRun]:
    result = assess(task, model, seeds=seeds)
    if result.ended == "interrupted":
        raise KeyboardInterrupt
    for number, seed in enumerate(seeds):
        yield ScarceRun(
            structure=structure,
            coarsen=coarsen,
            n=n,
            seed=seed,
            val=result.val["micro_f1"].values[number],
            test=result.test["micro_f1"].values[number],
            macro=result.test["macro_f1"].values[number],
            model=model.key,
        )


def models_of(
    task: SubgraphTask,
    plan: ScarcePlan,
    *,
    conv: str | Callable[..., nn.Module] | None = None,
    preset: str = "default",
    **options: Unpack[ModelOptions],
) -> tuple[dict[tuple[str, str], GraphNetwork], tuple[str, ...]]:
    """The models of a plan by structure and coarsening, and what to know about their settings.

    Args:
        task: The data to train on.
        plan: The structures and coarsenings of the models.
        conv: The convolution, as of :func:`run`.
        preset: The settings, as of :func:`run`.
        options: More options of :func:`run`: ``settings``, ``device``, ``encodings``.
    """
    models, notes = {}, []
    for structure, coarsen in plan.models:
        spec = network(
            task, structure=structure, coarsen=coarsen or None, conv=conv, preset=preset, **options
        )
        models[structure, coarsen] = spec.model
        notes += [f"{structure}: {note}" for note in spec.notes]
    return models, tuple(dict.fromkeys(notes))
