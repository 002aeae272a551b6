"""The arguments that name data."""

from __future__ import annotations

from pathlib import Path

import pytest

from sub2node import ConfigError
from sub2node.cli.data_arguments import DataArguments


def test_the_next_command_names_the_data_alike() -> None:
    source = DataArguments(
        "my sets.csv",
        graph=Path("g.csv"),
        column=["source=a", "target=b"],
        unknown_nodes="drop",
        repeated="sum",
        swap=False,
    )
    assert source.command_line() == (
        "'my sets.csv' --graph g.csv --column source=a --column target=b --unknown-nodes drop"
        " --repeated sum --no-swap"
    )
    assert DataArguments("ppi_bp", swap=True).command_line() == "ppi_bp --swap"
    written = DataArguments("ppi_bp", problems=Path("problems.csv"), swap=True)
    assert written.command_line() == "ppi_bp --swap"  # a file of the first command, not of the next


def test_data_alone_is_plain() -> None:
    assert DataArguments("ppi_bp").is_plain
    assert not DataArguments("ppi_bp", variant="split1").is_plain


def test_the_split_of_the_command_line(tmp_path: Path) -> None:
    rows = range(20)
    (tmp_path / "edges.csv").write_text(
        "source,target\n" + "".join(f"{i},{(i + 1) % 20}\n" for i in rows)
    )
    (tmp_path / "members.csv").write_text(
        "subgraph_id,node_id\n" + "".join(f"s{i},{i}\n" for i in rows)
    )
    labels = "".join(f"s{i},{'ab'[i % 2]},p{i // 4},{i}\n" for i in rows)
    (tmp_path / "labels.csv").write_text("subgraph_id,label,paper,day\n" + labels)
    data = str(tmp_path)
    task = DataArguments(data, split_time="day", split="2/1/1").load(quiet=True)
    assert repr(task.split) == "Split(10 train, 5 val, 5 test)"
    grouped = DataArguments(data, split_by="paper", split="0.6,0.2,0.2").load(quiet=True)
    assert all(len(set(parts)) == 1 for _, parts in grouped.to_frame().groupby("paper")["split"])
    spoiled = labels.replace("\n", ",?\n")  # parts that are not read, as they are drawn anew
    (tmp_path / "labels.csv").write_text("subgraph_id,label,paper,day,split\n" + spoiled)
    assert DataArguments(data, split_time="day", split="2/1/1").load(quiet=True).hash == task.hash
    with pytest.raises(ConfigError, match="no column 'journal'"):
        DataArguments(data, split_by="journal").load(quiet=True)
    with pytest.raises(ConfigError, match="--split is written as 50/25/25, found '80'"):
        DataArguments(data, split="80").load(quiet=True)
    assert DataArguments("x", split_by="a b").command_line() == "x --split-by 'a b'"
