"""Ids in the forms that programs write them in."""

from __future__ import annotations

import pyarrow as pa
import pytest

import sub2node as s2n
from sub2node.task.id_forms import find_alone, plain_form, same_ids


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("12", "12"),
        ("12.0", "12"),
        ("0012", "12"),
        ("0", "0"),
        ("000", "0"),
        ("12.5", None),
        ("-12.0", None),
        ("ENSG00000141510.18", "ensg00000141510"),
        ("NM_000546.6", "nm_000546"),
        ("NM_000546", "nm_000546"),
        ("ENSG00000141510", "ensg00000141510"),
        ("9606.ENSP00000269305", "ensp00000269305"),
        ("HP_0001250", "hp:0001250"),
        ("http://purl.obolibrary.org/obo/HP_0001250", "hp:0001250"),
        ("TP53", None),
        ("gene_12", None),
    ],
)
def test_plain_forms(text: str, plain: str | None) -> None:
    assert plain_form(pa.array([text], pa.large_string())).to_pylist() == [plain]


def test_what_is_there_twice_is_not_found() -> None:
    texts = pa.array(["a", "b", "a", None], pa.large_string())
    assert find_alone(pa.array(["a", "b", "c"], pa.large_string()), texts).tolist() == [-2, 1, -1]


def test_same_ids_in_another_case_or_form() -> None:
    known = pa.array(["s1", "S2", "007", "X", "x"], pa.large_string())
    ids = pa.array(["S1", "s2", "7.0", "nothing", "8"], pa.large_string())
    assert same_ids(ids, known).tolist() == [0, 1, 2, -1, -1]


def test_members_and_labels_are_found_and_that_is_said() -> None:
    edges = {"source": ["0012", "0013", "7"], "target": ["0013", "7", "007"]}
    members = {"subgraph_id": ["s1", "s2", "s2"], "node_id": ["12", "13.0", "0012"]}
    labels = {"subgraph_id": ["S1", "S2"], "label": ["x", "y"]}
    task = s2n.SubgraphTask.from_tables(edges, members, labels)
    assert [set(task.members(one)) for one in ("s1", "s2")] == [{"0012"}, {"0013", "0012"}]
    notes = " ".join(task.notes)
    assert "2 members given in another form found: '12' is '0012', '13.0' is '0013'." in notes
    assert "2 labels of subgraphs given in another case or form found: 'S1' is 's1'" in notes
    members["node_id"][0] = "07"  # 7 or 007
    with pytest.raises(s2n.DataError, match="'07', which is not in the graph"):
        s2n.SubgraphTask.from_tables(edges, members, labels)


def test_a_label_does_not_become_a_second_one_of_another_subgraph() -> None:
    edges = {"source": ["a", "b"], "target": ["b", "c"]}
    members = {"subgraph_id": ["s1", "s2"], "node_id": ["a", "b"]}
    for ids in (["s1", "s2", "S1"], ["S1", "S2", "s2"], ["s2", "S1", "S1 "]):
        labels = {"subgraph_id": ids, "label": ["x", "y", "y"]}
        with pytest.raises(s2n.DataError, match="no members"):
            s2n.SubgraphTask.from_tables(edges, members, labels)
