"""The arguments that name data."""

from __future__ import annotations

from pathlib import Path

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


def test_data_alone_is_plain() -> None:
    assert DataArguments("ppi_bp").is_plain
    assert not DataArguments("ppi_bp", variant="split1").is_plain
