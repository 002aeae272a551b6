"""All claims of the theory, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

from ...task import SubgraphTask
from .claim import Claim

CLAIMS = ("lemma", "gcn-error", "gin-error", "link-probability", "virtual-subgraphs")


def verify(
    *,
    quick: bool = False,
    seed: int = 0,
    tasks: Mapping[str, SubgraphTask] | None = None,
    skip: Collection[str] = (),
) -> Iterator[Claim]:
    """Check every claim on random graphs and on tasks; each comes as soon as it is finished.

    Args:
        quick: 1,750 random cases of the bounds and smaller experiments, in less than a minute;
            else 12,500 and several minutes.
        seed: Same seed, same cases.
        tasks: Data to look at besides, by name; by default one that is generated.
        skip: Names of claims that are known already; see :data:`CLAIMS`.
    """
    if tasks is None:
        from ...datasets import load_task

        tasks = {"density": load_task("generate:density")}
    for name, make in _jobs(quick, seed, tasks).items():
        if name not in skip:
            yield make()


def _jobs(
    quick: bool, seed: int, tasks: Mapping[str, SubgraphTask]
) -> dict[str, Callable[[], Claim]]:
    from .bounds import error_claim, lemma_claim
    from .link_probability_claim import links_claim
    from .virtual_subgraph_claim import virtual_claim

    count = 750 if quick else 5000
    few = dict(list(tasks.items())[:1]) if quick else tasks
    return {
        "lemma": lambda: lemma_claim(250 if quick else 2500, seed, tasks),
        "gcn-error": lambda: error_claim("gcn", count, seed, tasks),
        "gin-error": lambda: error_claim("gin", count, seed, tasks),
        "link-probability": lambda: links_claim(
            4000 if quick else 20000, seed, tasks, nodes=(400,) if quick else (400, 1500, 5000)
        ),
        "virtual-subgraphs": lambda: virtual_claim(
            24 if quick else 120,
            seed,
            few,
            ratios=(0.3, 0.6, 0.9) if quick else (0.1, 0.3, 0.5, 0.7, 0.9),
        ),
    }
