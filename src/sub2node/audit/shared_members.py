"""Shared entities: how much of the test part consists of nodes that train has too."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..base.plural import plural
from ..base.records import JsonObject
from ..task import Part, SubgraphTask
from .check import Check, Verdict, not_applicable

_NAME, _TITLE = "shared_members", "Members shared with train"
_MIXED = (0.05, 0.95)  # shares of subgraphs without a known member between which a part is mixed
_APART = 0.2  # difference of val and test from which they are two kinds of question


def count_shared_members(task: SubgraphTask, part: Part) -> JsonObject:
    """Members of a part that occur in train, and subgraphs without any such member.

    Args:
        task: The data, with a split.
        part: The part whose members are counted.
    """
    assert task.split is not None
    subgraphs = task.subgraphs
    known = np.zeros(task.graph.num_nodes, bool)
    known[subgraphs.nodes[task.split.mask("train")[subgraphs.owner]]] = True
    own = task.split.mask(part)
    hits = np.bincount(subgraphs.owner, known[subgraphs.nodes], minlength=len(task))[own]
    members, count = int(subgraphs.sizes[own].sum()), int(own.sum())
    return {
        "subgraphs": count,
        "members": members,
        "shared_members": int(hits.sum()),
        "share": float(hits.sum() / members) if members else 0.0,
        "without_any": int((hits == 0).sum()),
        "share_without_any": float((hits == 0).mean()) if count else 0.0,
    }


def check_shared_members(task: SubgraphTask, parts: Sequence[Part]) -> Check:
    """Compare the members of each part with those of train.

    Args:
        task: The data, with a split.
        parts: The parts to compare with train: val and test, where they have subgraphs.
    """
    if not parts:
        return not_applicable(
            _NAME, _TITLE, reason="val and test are empty.", advice="Split the data."
        )
    numbers = {part: count_shared_members(task, part) for part in parts}
    mixed = [
        part
        for part, row in numbers.items()
        if _MIXED[0] <= row["share_without_any"] <= _MIXED[1] and row["without_any"] > 1
    ]
    shares = [row["share"] for row in numbers.values()]
    verdict, advice = Verdict.OK, _describe_questions(numbers[parts[-1]]["share"])
    if mixed:
        verdict = Verdict.WARNING
        advice = (
            f"Score the subgraphs of {' and '.join(mixed)} with and without known members apart:"
            " one score mixes two kinds of question."
        )
    elif max(shares) - min(shares) >= _APART:
        verdict = Verdict.WARNING
        advice = (
            "Draw val and test alike: what is chosen on val need not be best on a test part that"
            " shares another amount of members."
        )
    found = "; ".join(
        f"{row['share']:.1%} of the members of {part} occur in train,"
        f" {row['without_any']:,} of {plural(row['subgraphs'], 'subgraph')} without any"
        for part, row in numbers.items()
    )
    return Check(_NAME, _TITLE, verdict, f"{found}.", advice, {"parts": numbers})


def _describe_questions(share: float) -> str:
    if share < 0.5:
        return "Nothing to do: the score is about subgraphs of mostly new nodes."
    return (
        "Nothing to do where new subgraphs will consist of known nodes too; the score says nothing"
        " about sets of new nodes."
    )
