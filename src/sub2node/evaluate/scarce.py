"""The data-scarce protocol: a few training subgraphs of each class, every structure on the same."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

import numpy as np

from ..coarsen import parse_coarsen
from ..config import STRUCTURES, Structure
from ..errors import ConfigError, DataError, Sub2NodeError
from ..progress import step
from ..ragged import Array
from ..task import Split, SubgraphTask
from ..task.split import LEFT_OUT
from .efficiency import efficiency
from .models import GraphNetwork
from .protocol import assess, check, network, seed_list
from .significance import Summary

Subsets = Literal["fresh", "published"]
SUBSETS: tuple[Subsets, ...] = get_args(Subsets)
SIZES = (10, 20, 40, 80)
COARSENINGS = tuple(f"variation_edges:{ratio:g}" for ratio in (0.2, 0.3, 0.4, 0.5))
_TAIL = 80


@dataclass(frozen=True)
class Row:
    """One model on one subset.

    Args:
        structure: How subgraphs were presented.
        coarsen: Method and ratio of virtual subgraphs, as ``variation_edges:0.3``; empty without.
        n: Training subgraphs of each class.
        seed: Of the model, and of the subset where it is fresh.
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
class Step:
    """Speed and memory of one model on the first subset of a size; see :class:`Efficiency`."""

    structure: str
    coarsen: str
    n: int
    train_throughput: float
    eval_throughput: float
    memory: int
    device: str
    model: str = ""


Found = Row | Step
Failed = Callable[[str, Sub2NodeError], None]


@dataclass(frozen=True)
class Plan:
    """What to run.

    Args:
        sizes: Training subgraphs of each class.
        structures: Of the six.
        coarsenings: Of CoS2N; where there are several, validation decides which one stands in the
            table. An empty one stands for virtual subgraphs that come with the data.
        seeds: One a run.
        subsets: ``fresh``: another subset for each seed; ``published``: one for all seeds, drawn as
            the authors did.
    """

    sizes: tuple[int, ...] = SIZES
    structures: tuple[Structure, ...] = STRUCTURES
    coarsenings: tuple[str, ...] = COARSENINGS
    seeds: tuple[int, ...] = tuple(range(10, 20))
    subsets: Subsets = "fresh"

    def __post_init__(self) -> None:
        seed_list(self.seeds)
        object.__setattr__(self, "sizes", tuple(sorted(self.sizes)))
        plain = (("{}:{:g}".format(*parse_coarsen(c)) if c else "") for c in self.coarsenings)
        object.__setattr__(self, "coarsenings", tuple(plain))
        if self.subsets not in SUBSETS:
            raise ConfigError(f"subsets are {' or '.join(SUBSETS)}, not {self.subsets!r}.")
        for what in ("sizes", "structures", "coarsenings"):
            given = getattr(self, what)
            needed = what != "coarsenings" or self.bridged
            if (needed and not given) or len(set(given)) != len(given):
                raise ConfigError(f"{what} are one at least, each once, found {list(given)}.")

    def covers(self, found: Found) -> bool:
        """Whether a finding is of this plan; a folder may hold those of a larger one."""
        here = (found.structure, found.coarsen) in self.models and found.n in self.sizes
        return here and (isinstance(found, Step) or found.seed in self.seeds)

    @property
    def bridged(self) -> bool:
        """Whether CoS2N is among the structures."""
        return any(structure.startswith("cos2n") for structure in self.structures)

    @property
    def models(self) -> list[tuple[str, str]]:
        """Structure and coarsening of each model."""
        return [
            (structure, coarsening)
            for structure in self.structures
            for coarsening in (self.coarsenings if structure.startswith("cos2n") else ("",))
        ]


@dataclass(frozen=True, eq=False)
class Scarce:
    """What the protocol gave.

    Args:
        plan: What was to be run.
        rows: One a run.
        steps: Speed and memory, one a model and size.
        notes: What to know.
    """

    plan: Plan
    rows: tuple[Row, ...]
    steps: tuple[Step, ...]
    notes: tuple[str, ...] = ()

    def chosen(self, structure: str) -> str:
        """The coarsening with the best mean validation score, over subsets that all of them had."""
        scores: dict[str, dict[tuple[int, int], float]] = {}
        for row in self.rows:
            if row.structure == structure:
                scores.setdefault(row.coarsen, {})[row.n, row.seed] = row.val
        common = set.intersection(*(set(found) for found in scores.values())) if scores else set()
        means = {
            name: np.mean([found[key] for key in common or found]) for name, found in scores.items()
        }
        return max(means, key=lambda name: means[name], default="")

    def scores(self, structure: str, n: int, coarsen: str | None = None) -> dict[int, Row]:
        """The rows of a model at a size, by seed; None: with the chosen coarsening."""
        coarsen = self.chosen(structure) if coarsen is None else coarsen
        return {
            row.seed: row
            for row in self.rows
            if (row.structure, row.coarsen, row.n) == (structure, coarsen, n)
        }

    def summary(self, structure: str, n: int, coarsen: str | None = None) -> Summary | None:
        """Test micro-F1 over seeds; None where nothing ran."""
        found = self.scores(structure, n, coarsen)
        return Summary(tuple(row.test for row in found.values())) if found else None

    def gain(self, more: str, less: str, n: int) -> tuple[Summary, float | None] | None:
        """Differences of test micro-F1 on the same subsets, and p of a paired t-test.

        No p where there is a single difference, or no spread.
        """
        from scipy.stats import ttest_1samp

        a, b = self.scores(more, n), self.scores(less, n)
        both = sorted(a.keys() & b.keys())
        if not both:
            return None
        difference = Summary(tuple(a[seed].test - b[seed].test for seed in both))
        if difference.n < 2 or np.ptp(difference.values) < 1e-12:
            return difference, None
        return difference, float(ttest_1samp(difference.values, 0).pvalue)

    def to_dict(self) -> dict[str, Any]:
        """For JSON: a table, what virtual subgraphs bring, and all rows."""
        return {
            "plan": asdict(self.plan),
            "coarsenings": {
                s: self.chosen(s) for s in self.plan.structures if s.startswith("cos2n")
            },
            "table": [
                {"structure": s, "per_class": n,
                 "val": float(np.mean([r.val for r in found.values()])),
                 **Summary(tuple(r.test for r in found.values())).to_dict()}
                for s in self.plan.structures
                for n in self.plan.sizes
                if (found := self.scores(s, n))
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
        }  # fmt: skip


def subset(task: SubgraphTask, n: int, *, seed: int, subsets: Subsets = "fresh") -> SubgraphTask:
    """The task with ``n`` training subgraphs of each class; val and test stay."""
    if task.split is None or task.labels is None:
        raise DataError("n per class needs labels and a split into train, val and test.")
    if task.multilabel:
        raise DataError("n per class is defined for single-label data only.")
    if subsets == "published":
        return task.with_split(published_subset(task.split, task.labels, n))
    return task.with_split(task.split.per_class(task.labels, n, seed=seed))


def published_subset(split: Split, labels: Array, n: int) -> Split:
    """The one subset that the paper's authors drew for each size.

    The training list is shuffled (Python's generator, 42) and read from its end; a subgraph is
    taken if its class follows that of the one before, else it goes to the front. For n of each
    class the last ones taken count. They took 80 of each class; here, where a class has fewer, as
    many as the smallest has.
    """
    split.per_class(labels, n)  # refuses what cannot be
    if n > _TAIL:
        raise DataError(
            f"the authors drew {_TAIL} of each class at most, so n = {n} cannot be had."
        )
    train = np.flatnonzero(split.codes == 0)
    classes = np.unique(labels[train])
    place = {int(name): number for number, name in enumerate(classes)}
    smallest = int(np.bincount(np.searchsorted(classes, labels[train])).min())
    order = train.tolist()
    random.Random(42).shuffle(order)
    waiting = deque(order)
    taken = [waiting.pop()]
    want = min(_TAIL, smallest) * len(classes)
    turns = 0
    while len(taken) < want and turns <= len(waiting):
        which = waiting.pop()
        here, last = place[int(labels[which])], place[int(labels[taken[-1]])]
        if here == (last + 1) % len(classes):
            taken.append(which)
            turns = 0
        else:
            waiting.appendleft(which)
            turns += 1
    kept = taken[-n * len(classes) :]
    codes = split.codes.copy()
    codes[np.setdiff1d(train, kept)] = LEFT_OUT
    return Split(codes)


def require(task: SubgraphTask, plan: Plan) -> None:
    """Raise what can be known before hours of training: data and sizes that do not fit."""
    check(task)
    for n in plan.sizes:
        subset(task, n, seed=plan.seeds[0], subsets=plan.subsets)


def data_scarce(
    task: SubgraphTask,
    plan: Plan,
    models: Mapping[tuple[str, str], GraphNetwork],
    *,
    known: Sequence[Found] = (),
    failed: Failed | None = None,
) -> Iterator[Found]:
    """Run what is not known yet; yields each finding as soon as it is there.

    Args:
        task: With labels and a split.
        plan: What to run.
        models: By structure and coarsening; see :func:`models_of`.
        known: Findings of an earlier run of the same plan.
        failed: Called with a model that cannot be trained; it is left out. None: the error counts.
    """
    require(task, plan)
    done = {(row.structure, row.coarsen, row.n, row.seed) for row in known if isinstance(row, Row)}
    yield from steps(task, plan, models, known=known, failed=failed)
    rounds: Sequence[tuple[int, ...]] = [(seed,) for seed in plan.seeds]
    if plan.subsets == "published":
        rounds = [plan.seeds]  # one subset, so all seeds are trained together
    total, number = len(plan.sizes) * len(rounds) * len(plan.models), 0
    for n in plan.sizes:
        for seeds in rounds:
            small = subset(task, n, seed=seeds[0], subsets=plan.subsets)
            for structure, coarsen in plan.models:
                step("data-scarce", number, total, f"{structure} {coarsen} · {n} of each class")
                number += 1
                model = models[structure, coarsen]
                left = [s for s in seeds if (structure, coarsen, n, s) not in done]
                try:
                    if left:
                        yield from _rows(small, model, structure, coarsen, n, left)
                except Sub2NodeError as error:
                    _tell(failed, structure, coarsen, error)
    step("data-scarce", total, total)


def steps(
    task: SubgraphTask,
    plan: Plan,
    models: Mapping[tuple[str, str], GraphNetwork],
    *,
    known: Sequence[Found] = (),
    failed: Failed | None = None,
) -> Iterator[Step]:
    """Speed and memory of every model, on the first subset of each size; as :func:`data_scarce`."""
    measured = {(row.structure, row.coarsen, row.n) for row in known if isinstance(row, Step)}
    left = [(n, *m) for n in plan.sizes for m in plan.models if (*m, n) not in measured]
    for number, (n, structure, coarsen) in enumerate(left):
        step("speed and memory", number, len(left), f"{structure} {coarsen} · {n} of each class")
        small = subset(task, n, seed=plan.seeds[0], subsets=plan.subsets)
        model = models[structure, coarsen]
        try:
            found = efficiency(small, model)
        except Sub2NodeError as error:
            _tell(failed, structure, coarsen, error)
            continue
        yield Step(structure, coarsen, n, found.train_throughput, found.eval_throughput,
                   found.memory, found.device, model.key)  # fmt: skip
    step("speed and memory", 1, 1)


def _tell(failed: Failed | None, structure: str, coarsen: str, error: Sub2NodeError) -> None:
    if failed is None:
        raise error
    failed(f"{structure} {coarsen}".strip(), error)


def _rows(
    task: SubgraphTask, model: GraphNetwork, structure: str, coarsen: str, n: int, seeds: list[int]
) -> Iterator[Row]:
    result = assess(task, model, seeds=seeds)
    if result.ended == "interrupted":
        raise KeyboardInterrupt
    for number, seed in enumerate(seeds):
        yield Row(
            structure, coarsen, n, seed, result.val["micro_f1"].values[number],
            result.test["micro_f1"].values[number], result.test["macro_f1"].values[number],
            model.key,
        )  # fmt: skip


def models_of(
    task: SubgraphTask, plan: Plan, **options: Any
) -> tuple[dict[tuple[str, str], GraphNetwork], tuple[str, ...]]:
    """The models of a plan by structure and coarsening, and what to know about their settings.

    Args:
        task: The data.
        plan: Which models.
        options: As of :func:`run`: ``conv``, ``preset``, ``settings``, ``device``, ``encodings``.
    """
    options = {"conv": None, "preset": "default", **options}
    models, notes = {}, []
    for structure, coarsen in plan.models:
        model, _, about = network(task, structure=structure, coarsen=coarsen or None, **options)
        models[structure, coarsen] = model
        notes += [f"{structure}: {note}" for note in about]
    return models, tuple(dict.fromkeys(notes))
