"""Rows of members: blocks cut at once are what the csv module reads row by row."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sub2node.io import member_rows
from sub2node.io.member_rows import MemberRows, text_rows

LINES = ["s,a,b", "s", '"s","a"', '"s', "s,a\rt,b", ",", "", " ", "\udcff,a", "s,\udcff", "ü,é",
         f"s,{'x' * 140_000}", "s , a\xa0", ",a", "s,\x1fa", "u,b", "u,c\r", "s,\u3000\u2003a",
         "ss,bb", "t,"]  # fmt: skip


def rows_of(path: Path) -> list[tuple[int, str, str, str]]:
    blocks = list(text_rows(path, ",", {}))
    if not blocks:
        return []
    rows = MemberRows.concat(blocks)
    columns = zip(rows.lines.tolist(), rows.names.to_pylist(), rows.nodes.to_pylist(), strict=True)
    return [
        (line, name, "" if at in rows.problems else node, rows.problems.get(at, ""))
        for at, (line, name, node) in enumerate(columns)
    ]


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    st.lists(st.sampled_from(LINES), max_size=12),
    st.sampled_from([1, 40, 1 << 18]),
    st.sampled_from(["set,node", "\ufeffset,node", "set,node\r", '"set",node', "\nset , node"]),
)
def test_blocks_are_cut_as_the_csv_module_cuts_rows(tmp_path_factory, lines, size, header) -> None:
    path = tmp_path_factory.mktemp("rows", numbered=True) / "a.csv"
    path.write_bytes("\n".join([header, *lines]).encode(errors="surrogateescape"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(member_rows, "_BLOCK", size)
        blocks = rows_of(path)
        patch.setattr(member_rows, "_plain_rows", lambda *_: None)
        assert blocks == rows_of(path)
        patch.setattr(member_rows, "_BLOCK", 1 << 30)
        assert blocks == rows_of(path)


def test_lines_and_problems_by_hand(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("note,node,set\n\n,a,s\nx, b ,s\n,,\n,,t\n,c,\n")
    assert rows_of(path) == [
        (3, "s", "a", ""),
        (4, "s", "b", ""),
        (6, "t", "", "the node is missing."),
        (7, "", "", "the subgraph is missing."),
    ]
    blocks = list(text_rows(path, ",", {}))
    assert len(blocks) == 1
    parts = [blocks[0].part(0, 3), blocks[0].part(3, 4)]
    assert [part.problems for part in parts] == [{2: "the node is missing."},
                                                 {0: "the subgraph is missing."}]  # fmt: skip
    assert MemberRows.concat(parts).problems == blocks[0].problems
