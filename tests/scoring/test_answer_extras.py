"""The likeliest classes, and ranks over all pieces."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from ranked_answers import PIECES, RANKED, answers_of
from sub2node.base.errors import ConfigError
from sub2node.scoring.answer_extras import AnswerExtras


def test_ranks_are_over_all_pieces() -> None:
    ranks = RANKED.rank(PIECES)
    assert [own.tolist() for own in ranks] == [[5, 2], [], [2, 1, 4]]
    assert RANKED.rank([]) == []
    assert [len(own) for own in AnswerExtras(2).rank(PIECES)] == [0, 0, 0]


def test_columns_have_their_types_also_without_rows() -> None:
    ranks = RANKED.rank(PIECES)
    for answers, own in zip(PIECES, ranks, strict=True):
        columns = RANKED.columns(answers, own)
        assert list(columns) == ["rank", "alert", "top 1", "p top 1", "top 2", "p top 2"]
        assert [column.type for column in columns.values()] == [
            pa.int64(), pa.bool_(), *[pa.string(), pa.float64()] * 2
        ]  # fmt: skip
    columns = RANKED.columns(PIECES[2], ranks[2])
    assert columns["alert"].to_pylist() == [True, True, False]
    assert columns["top 1"].to_pylist() == ["fraud", "fraud", "clean"]
    assert columns["p top 2"].to_pylist() == pytest.approx([1 / 3, 1 / 15, 0.3])


def test_objects_list_the_likeliest_classes() -> None:
    (row,) = RANKED.objects(answers_of([0.2]), np.array([7]))
    assert (row["rank"], row["alert"]) == (7, False)
    assert [item["label"] for item in row["ranking"]] == ["clean", "unclear"]
    assert row["ranking"][0]["probability"] == pytest.approx(0.8 * 2 / 3)
    assert AnswerExtras().objects(answers_of([0.2]), np.empty(0)) == [{}]


def test_there_are_no_more_classes_than_there_are() -> None:
    (ranking,) = AnswerExtras(9).rankings(answers_of([0.2]))
    assert [label for label, _ in ranking] == ["clean", "unclear", "fraud"]
    assert not AnswerExtras()
    assert AnswerExtras(1)
    with pytest.raises(ConfigError, match="from 1, found -1"):
        AnswerExtras(-1)
