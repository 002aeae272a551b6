"""Columns that are missing by name are proposed by what is in them, and reading goes on."""

from __future__ import annotations

from typing import Any

import pytest

import sub2node as s2n

EDGES = {"a": ["n1", "n2", "n3"], "n": [5, 6, 7], "b": ["n2", "n3", "n4"]}
MEMBERS = {"case no": ["7", "7", "8", "9"], "what": ["n1", "N2", "n3", "n4"], "x": [1, 2, 3, 4]}
LABELS = {
    "who": ["7", "8", "9", "10", "11", "12"],
    "remark": list("abcdef"),
    "verdict": ["bad", "bad", "bad", "good", "good", "good"],
}


def problems_of(*tables: dict[str, Any]) -> list[str]:
    with pytest.raises(s2n.DataError) as caught:
        s2n.SubgraphTask.from_tables(*tables)
    return [problem.option or problem.message for problem in caught.value.problems]


def test_all_columns_are_proposed_at_once_and_work() -> None:
    members = {
        "who": ["7", "8", "9", "10", "11", "12"],
        "what": ["n1", "N2", "n3", "n4", "n1", "x"],
    }
    options = problems_of(EDGES, members, LABELS)
    assert options == [
        "--column edges.source=a",
        "--column edges.target=b",
        "--column members.subgraph_id=who",
        "--column members.node_id=what",
        "--column labels.label=verdict",
        "--column labels.subgraph_id=who",
        "--unknown-nodes drop",
    ]
    columns = dict(option.split()[1].split("=") for option in options[:-1])
    task = s2n.SubgraphTask.from_tables(
        EDGES, members, LABELS, columns=columns, unknown_nodes="drop"
    )
    assert (len(task), task.class_names) == (5, ("bad", "good"))


def test_names_with_spaces_can_be_pasted_into_a_shell() -> None:
    edges = {"source": ["n1", "n2", "n3"], "target": ["n2", "n3", "n4"]}
    members = {"case no": ["7", "7", "8"], "node_id": ["n1", "n2", "n3"]}
    assert problems_of(edges, members) == ["--column 'members.subgraph_id=case no'"]


def test_nodes_in_several_columns_are_no_proposal() -> None:
    edges = {"source": ["n1", "n2", "n3"], "target": ["n2", "n3", "n4"]}
    members = {"patient": ["p", "q"], "first": ["n1", "n2"], "second": ["n3", "n4"]}
    (message,) = problems_of(edges, members)
    assert "stand in 2 columns, 'first', 'second': write a row for each" in message


def test_a_header_of_ids_is_no_header() -> None:
    edges = {"source": ["n1", "n2", "n3"], "target": ["n2", "n3", "n4"]}
    members = {"subgraph_id": ["p", "q"], "node_id": ["n1", "n2"]}
    labels = {"p": ["q"], "sick": ["well"]}
    messages = problems_of(edges, members, labels)
    assert len(messages) == 2
    assert not any(message.startswith("--column") for message in messages)


def test_many_columns_are_not_all_listed() -> None:
    members = {"patient": ["p"], **{f"c{i}": [i] for i in range(40)}}
    (message,) = problems_of({"source": ["n1"], "target": ["n2"]}, members)
    assert "c10 and 29 more." in message
