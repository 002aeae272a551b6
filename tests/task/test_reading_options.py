"""What to do about problems: safe by default, and checked."""

from __future__ import annotations

from typing import get_args

import pytest

from sub2node import ConfigError
from sub2node.task.reading_options import BadWeights, Reading, ReadingOptions


@pytest.mark.parametrize("name", ["unknown_nodes", "unlabelled", "missing_features", "bad_rows"])
def test_a_choice_that_there_is_not_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match=f"{name} is one of .*, not 'perhaps'"):
        ReadingOptions(**{name: "perhaps"})
    with pytest.raises(ConfigError, match="label_separator is one or more characters"):
        ReadingOptions(label_separator=" ")


def test_defaults_lose_nothing() -> None:
    options, one, other = ReadingOptions(), Reading(), Reading()
    assert (options.unlabelled, options.bad_rows, options.bad_weights) == ("keep", "error", "error")
    assert get_args(BadWeights) == ("error", "drop", "one")
    assert one.problems is not other.problems
