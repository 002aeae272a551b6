"""Groups across parts: subgraphs of one patient, family or source in train and in test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..base.errors import DataError
from ..base.plural import plural
from ..base.ragged import Array, distinct
from ..base.records import JsonObject
from ..task import Part, SubgraphTask
from .check import Check, Verdict, grade, not_applicable, points, worst

_NAME, _TITLE = "groups", "Groups across parts"
_PROBLEM = 0.05  # share of a part from which groups that train has too are a problem
_NONE = -1  # the number of a subgraph without a group


def group_numbers(
    task: SubgraphTask, groups: Mapping[str, object] | Sequence[object] | Array
) -> Array:
    """A number for the group of each row of a task, -1 for none; int64 (M,).

    Args:
        task: The data.
        groups: The group of each subgraph, by id or in the order of the input; None and "" are no
            group.
    """
    if isinstance(groups, Mapping):
        missing = next((name for name in task.subgraph_ids if name not in groups), None)
        if missing is not None:
            raise DataError(f"subgraph {missing!r} has no group; give one to each, '' for none.")
        words = [groups[name] for name in task.subgraph_ids]
    else:
        if len(groups) != len(task):
            raise DataError(f"{plural(len(groups), 'group')} for {plural(len(task), 'subgraph')}.")
        words = [None] * len(task)
        for row, group in zip(task.input_order.tolist(), groups, strict=True):
            words[row] = group
    seen: dict[str, int] = {}
    return np.array(
        [
            _NONE if word is None or str(word) == "" else seen.setdefault(str(word), len(seen))
            for word in words
        ],
        np.int64,
    )


def check_groups(task: SubgraphTask, parts: Sequence[Part], groups: Array | None) -> Check:
    """Count subgraphs of each part whose group train has too.

    Args:
        task: The data, with a split.
        parts: The parts to compare with train: val and test, where they have subgraphs.
        groups: The number of each subgraph's group, -1 for none; None: not given.
    """
    if groups is None or not parts:
        return not_applicable(
            _NAME,
            _TITLE,
            reason="no groups were given.",
            advice="Where several subgraphs come from one patient, family or source, name it for"
            " each (--groups COLUMN).",
        )
    numbers = {part: _count_groups(task, part, groups) for part in parts}
    verdict = worst(
        *(grade(row["share"], warning=1e-9, problem=_PROBLEM) for row in numbers.values())
    )
    advice = {
        Verdict.OK: "Nothing to do.",
        Verdict.WARNING: "Move these subgraphs into the part of their group.",
        Verdict.PROBLEM: "Keep each group in one part: Split.random(labels, groups=…); as it is,"
        " the score is about known groups.",
    }[verdict]
    found = "; ".join(_describe(part, row) for part, row in numbers.items())
    groups_in_all = len(distinct(groups[groups >= 0]))
    facts = {"groups": groups_in_all, "parts": numbers}
    return Check(_NAME, _TITLE, verdict, f"{found}.", advice, facts)


def _count_groups(task: SubgraphTask, part: Part, groups: Array) -> JsonObject:
    assert task.split is not None
    train, own = task.split.mask("train"), task.split.mask(part)
    shared = np.isin(groups[own], groups[train & (groups >= 0)])
    count = int(own.sum())
    facts: JsonObject = {
        "subgraphs": count,
        "in_groups_of_train": int(shared.sum()),
        "share": float(shared.mean()) if count else 0.0,
    }
    if task.labels is not None and not task.multilabel and shared.any():
        guess = _guess_by_group(groups[train], task.labels[train], groups[own][shared])
        facts["right_by_group"] = float((guess == task.labels[own][shared]).mean())
    return facts


def _guess_by_group(known: Array, labels: Array, asked: Array) -> Array:
    """The most frequent class in train of each group that is asked for."""
    width = int(labels.max(initial=0)) + 1
    keys, counts = np.unique(known[known >= 0] * width + labels[known >= 0], return_counts=True)
    order = np.lexsort((-counts, keys // width))
    group, first = np.unique(keys[order] // width, return_index=True)
    best = keys[order][first] % width
    return np.asarray(best[np.searchsorted(group, asked)])


def _describe(part: Part, row: JsonObject) -> str:
    text = (
        f"{row['in_groups_of_train']:,} of {plural(row['subgraphs'], f'{part} subgraph')} in a"
        " group that train has too"
    )
    if "right_by_group" in row:
        right = points(row["right_by_group"])
        text += f" (the commonest class of the group is right for {right} % of them)"
    return text
