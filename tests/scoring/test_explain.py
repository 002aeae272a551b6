"""Contributions add up to the probability, and are the terms of a linear model."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from scorer_cases import CASES, close, part
from scoring_tasks import small_task, trained, with_excluded
from sub2node.base.errors import ConfigError
from sub2node.scoring.explain import _GatePath
from sub2node.scoring.restore import build_scorer


@pytest.mark.slow
@pytest.mark.parametrize(("structure", "conv", "settings"), CASES)
def test_contributions_add_up_to_the_probability(structure, conv, settings) -> None:
    task = small_task(seed=4)
    scorer = build_scorer(trained(task, structure=structure, conv=conv, **settings), task)
    asked = part(task, "test").take([0, 3])
    said = scorer.predict(asked)
    for number, result in enumerate(scorer.explain(asked)):
        best = said.probabilities[number].argmax()
        assert result.label == task.class_names[best]
        assert result.probability == pytest.approx(said.probabilities[number, best], abs=1e-5)
        parts = [c.value for c in (*result.members, *result.neighbors)]
        parts += [result.statistics or 0.0, result.border or 0.0]
        total = result.baseline + sum(parts)
        assert total + result.gap == pytest.approx(result.probability, abs=1e-6)
        assert abs(result.gap) < 2e-3
        assert len(result.members) == asked.subgraphs.sizes[number]
        inputs = settings.get("features.subgraphs")
        assert (result.statistics is not None) == (inputs in ("structure", "wl"))
        assert (result.border is not None) == (inputs == "border")


@pytest.mark.slow
@pytest.mark.parametrize("structure", ["s2n+0", "s2n+a", "separated"])
def test_excluded_nodes_contribute_and_are_marked(structure) -> None:
    task = with_excluded(small_task(seed=4))
    scorer = build_scorer(trained(task, structure=structure, epochs=10), task)
    sizes = task.excluded.sizes[task.split.mask("test")]
    asked = part(task, "test").take([int(sizes.argmax()), int(sizes.argmin())])
    for number, result in enumerate(scorer.explain(asked)):
        total = result.baseline + sum(c.value for c in (*result.members, *result.neighbors))
        assert total + result.gap == pytest.approx(result.probability, abs=1e-6)
        assert abs(result.gap) < 2e-3
        absent = {c.id for c in result.members if c.excluded}
        part_of = slice(*asked.subgraphs.excluded.ptr[number : number + 2])
        assert absent == set(map(str, asked.subgraphs.excluded.nodes[part_of]))
        assert len(result.members) == asked.subgraphs.sizes[number] + len(absent)


@pytest.mark.slow
def test_contributions_are_the_same_each_time_and_tell_members_apart() -> None:
    task = small_task(seed=5)
    scorer = build_scorer(trained(task, epochs=40), task)
    asked = part(task, "test").take([1])
    one, two = scorer.explain(asked)[0], scorer.explain(asked)[0]
    assert one == two
    assert len({round(c.value, 9) for c in one.members}) == len(one.members)
    other = scorer.explain(asked, label="2")[0]
    assert other.label == "2"
    with pytest.raises(ConfigError, match="no class 'x'"):
        scorer.explain(asked, label="x")


def test_a_linear_model_is_explained_by_its_terms() -> None:
    """One replica, no layers: the log-odds are linear in the members' vectors."""
    task = small_task(multilabel=True)
    scorer = build_scorer(trained(task, structure="s2n+0", layers=0, seeds=1), task)
    asked = part(task, "test").take([2])
    result = scorer.explain(asked, label="1")[0]
    head, table = scorer.network.head, scorer.network.table()[0]
    nodes = asked.subgraphs.nodes
    terms = (table[torch.from_numpy(nodes.astype(np.int64))] @ head.weight[0])[:, 1].detach()
    terms = terms.double().numpy()
    values = {c.id: c.value for c in result.members}
    mine = np.array([values[str(node)] for node in nodes])
    close(mine / np.abs(mine).sum(), terms / np.abs(terms).sum(), 1e-4)


@pytest.mark.slow
def test_points_that_are_dense_near_zero_give_the_integral_over_the_line() -> None:
    """The trapezoid rule on many even points is the definition; few points are close to it."""
    task = small_task(seed=4)
    scorer = build_scorer(trained(task, structure="s2n+a", conv="gcn2"), task)
    path = _GatePath(scorer, scorer.place(part(task, "test").take([0])))
    values, gates = path.evaluate(np.linspace(0, 1, 2001))
    each = np.full(2001, 1 / 2000)
    each[[0, -1]] /= 2
    for number, gate in enumerate(
        torch.autograd.grad(values[:, 1].sum(), gates, allow_unused=True)
    ):
        expected = 0 if gate is None else each @ gate.double().numpy()
        for steps in (8, 32):
            np.testing.assert_allclose(path.integrate(1, steps)[number], expected, atol=2e-4)
