"""Claims of the theory that are complete."""

from __future__ import annotations

import json

from sub2node.reproduce.theory import Claim


def assert_complete(claim: Claim) -> None:
    """A claim survives JSON, and its rows have the same columns."""
    assert Claim.from_dict(json.loads(json.dumps(claim.to_dict(), allow_nan=False))) == claim
    assert len({tuple(row) for row in claim.rows}) == 1
    assert claim.cases > 0
    assert claim.notes
