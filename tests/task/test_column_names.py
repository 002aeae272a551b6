"""Which column of a table is which of ours: by name, by mapping, by the words of a trade."""

from __future__ import annotations

import pytest

import sub2node as s2n
from sub2node.task.column_names import column_in, likely_column, words_taken

EDGES = {"payer": ["a", "b"], "payee": ["b", "c"]}


@pytest.mark.parametrize(
    ("names", "ours", "found"),
    [
        (["set", "gene"], "node_id", "gene"),
        (["gene", "node"], "node_id", "node"),  # a name of ours comes before a word
        (["gene", "symbol"], "node_id", None),  # which of them is not said
        (["pathway", "protein"], "subgraph_id", "pathway"),
        (["patient", "diagnosis"], "label", "diagnosis"),
        (["patient", "diagnosis", "family"], "label", None),
        (["payer", "payee"], "target", "payee"),
        (["ID", "patient", "account"], "node_id", "account"),  # ID may number the rows
        (["ID", "patient"], "node_id", "ID"),
    ],
)
def test_words_of_a_trade(names: list[str], ours: str, found: str | None) -> None:
    assert column_in(names, ours, "members", {}) == found


def test_a_column_that_was_mapped_is_nothing_else() -> None:
    names, columns = ["patient", "diagnosis", "family"], {"labels.label": "family"}
    assert column_in(names, "label", "labels", columns) == "family"
    assert words_taken(names, "labels", columns) == {"patient": "subgraph_id"}
    assert column_in(["gene", "x"], "node_id", "members", {"subgraph_id": "gene"}) is None


@pytest.mark.parametrize(
    ("what", "names", "ours", "found"),
    [
        ("members", ["set", "gene_name"], "node_id", "gene_name"),
        ("members", ["set", "gene_name", "weight"], "node_id", "gene_name"),
        ("members", ["set", "gene_name", "score"], "node_id", None),
        ("members", ["x"], "node_id", None),  # it may be either
        ("edges", ["from", "x"], "target", "x"),
        ("members", ["id", "gene"], "subgraph_id", "id"),  # though it would be taken for a node's
        ("members", ["subgraph_id", "nodes"], "node_id", None),  # a list in one value
    ],
)
def test_the_likely_column(what: str, names: list[str], ours: str, found: str | None) -> None:
    assert likely_column(names, ours, what, {}) == found


def test_a_column_is_not_two_of_ours() -> None:
    columns = {"members.subgraph_id": "id"}
    assert column_in(["id", "gene"], "node_id", "members", columns) == "gene"
    assert column_in(["id", "age"], "node_id", "nodes", {"subgraph_id": "id"}) == "id"
    members = {"id": ["s", "t"], "gene": ["a", "c"]}
    task = s2n.SubgraphTask.from_tables(EDGES, members, columns=columns)
    assert task.subgraph_ids == ["s", "t"]


def test_several_nodes_in_one_value_are_no_ids() -> None:
    members = {"set": ["s", "t", "u"], "what": ["a;b", "a | c|b", "c"]}
    message = (
        r"The column 'what' seems to have several nodes in one value, as 'a;b': --column"
        r" members\.node_id=what --node-separator ';' \(node_separator=';'\) takes them apart"
    )
    with pytest.raises(s2n.DataError, match=message):
        s2n.SubgraphTask.from_tables(EDGES, members)


def test_notes_say_what_was_taken_for_what() -> None:
    members = {"alert": ["s", "t"], "account": ["a", "c"]}
    task = s2n.SubgraphTask.from_tables(EDGES, members)
    assert task.subgraph_ids == ["s", "t"]
    assert (
        "Columns of the members table taken by their names: 'alert' as subgraph_id,"
        " 'account' as node_id." in task.notes
    )


def test_the_error_names_the_likely_column() -> None:
    members = {"set": ["s"], "gene_name": ["a"]}
    with pytest.raises(
        s2n.DataError,
        match=r"no column 'node_id' .* found: set, gene_name\. --column members\.node_id=gene_name"
        r" \(columns={'members\.node_id': 'gene_name'}\) takes 'gene_name' for it\.$",
    ):
        s2n.SubgraphTask.from_tables(EDGES, members)
