"""Random cases are of all kinds, and repeated by their seed."""

from __future__ import annotations

import numpy as np

from sub2node.reproduce.theory.theory_cases import random_case


def test_random_cases_are_of_all_kinds() -> None:
    rng = np.random.default_rng(0)
    cases = [random_case(number, "gcn", rng) for number in range(125)]
    assert len({(case.graph, case.sets, case.features) for case in cases}) == 125
    parts = [case for case in cases if case.sets == "partition"]
    assert all((case.inputs.layers.covers == 1).all() for case in parts)
    assert all((case.inputs.layers.covers >= 1).all() for case in cases if case.sets == "covering")
    assert any((case.inputs.layers.degrees == 0).any() for case in cases)
    assert any((case.inputs.layers.covers > 1).any() for case in cases)
    again = random_case(0, "gcn", np.random.default_rng(0))
    np.testing.assert_array_equal(again.inputs.x, cases[0].inputs.x)
