"""Claims survive JSON; slack is of what was measured."""

from __future__ import annotations

import json

import numpy as np
import pytest

from sub2node.base.errors import DataError
from sub2node.reproduce.theory import Claim, Slack


def test_a_claim_that_is_none() -> None:
    with pytest.raises(DataError, match="no finished claim"):
        Claim.from_dict({"name": "lemma"})


def test_slack_leaves_out_what_was_not_measured() -> None:
    assert Slack.of([np.inf]) is None
    assert str(Slack.of([1, np.inf, 2, 4])) == "1 … 2 … 4"


def test_a_finished_claim_is_read_back() -> None:
    slack = Slack.of([1.0, 2.0, 3.0])
    claim = Claim("lemma", "Lemma", "It holds.", 3, 3, None, slack, None, ("a.",), ({"n": 1},), {})
    assert Claim.from_dict(json.loads(json.dumps(claim.to_dict()))) == claim
