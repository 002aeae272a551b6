"""Words for the threshold of multi-label answers."""

from __future__ import annotations

import pytest

from sub2node import ConfigError
from sub2node.base.threshold import read_threshold


@pytest.mark.parametrize(("word", "meaning"), [("half", "half"), ("zero", "half"), ("val", "val")])
def test_words(word: str, meaning: str) -> None:
    assert read_threshold(word) == meaning


@pytest.mark.parametrize("word", ["", "best", "0.5"])
def test_other_words_are_refused(word: str) -> None:
    with pytest.raises(ConfigError, match="a threshold is 'half' or 'val'"):
        read_threshold(word)
