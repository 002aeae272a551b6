"""Structures and the names of models that begin with one."""

from __future__ import annotations

import pytest

from sub2node.config import STRUCTURES, Structure, is_coarsened, is_plain_s2n


@pytest.mark.parametrize("structure", STRUCTURES)
def test_a_structure_is_found_in_the_name_of_a_model(structure: Structure) -> None:
    for name in (structure, f"{structure} gcn2", f"{structure} gcn2 rwpe"):
        assert Structure.parse(str(name)) is structure
        assert is_coarsened(name) == name.startswith("cos2n")
        assert is_plain_s2n(name) == name.startswith("s2n")


@pytest.mark.parametrize("name", [None, "", "glass", "s2n-kernel", "s2n", "cos2n"])
def test_other_models_have_no_structure(name: str | None) -> None:
    assert Structure.parse(name) is None
    assert not is_coarsened(name)
    assert not is_plain_s2n(name)
