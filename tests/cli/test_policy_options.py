"""The options about messy data do what the library does with the same words."""

from __future__ import annotations

from pathlib import Path

import pytest

from commands import refused, s2n


@pytest.mark.parametrize(
    "option", ["--unlabelled", "--missing-features", "--bad-weights", "--bad-rows"]
)
def test_a_word_that_there_is_not_is_refused(option: str, tables: Path) -> None:
    name = option.removeprefix("--").replace("-", "_")
    refused(s2n("describe", tables, option, "perhaps"), f"{name} is one of ")


def test_several_labels_in_one_value(tables: Path) -> None:
    (tables / "labels.csv").write_text("subgraph_id,label\ns1,x|y\ns2,y\ns3,x\n")
    facts = s2n("describe", tables, "--label-separator", "|", "--json").json
    assert (facts["class_names"], facts["multilabel"]) == (["x", "y"], True)
    assert (facts["subgraphs"], facts["unlabelled"]) == (3, 1)
    dropped = s2n("describe", tables, "--unlabelled", "drop", "--json").json
    assert dropped["unlabelled"] == 0


def test_two_columns_for_one_name_are_refused(tables: Path) -> None:
    done = s2n("describe", tables, "--column", "title=a", "--column", "title=b")
    refused(done, "--column title is given as 'a' and as 'b'; say of which table each is")
