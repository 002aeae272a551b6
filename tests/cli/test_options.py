"""Options that several commands share: one spelling, one meaning, one help text."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Annotated, Any

import pytest
import typer
from typer.main import get_command
from typer.testing import CliRunner

from sub2node.base.errors import ConfigError
from sub2node.cli.app import app
from sub2node.cli.options import AsJson, is_given, minutes_option, out_option, read_minutes

OF_THE_COMMAND = {
    "--seed",  # the same kind of thing in each, but which one it is differs
    "--out", "--minutes", "--model", "--structure", "--coarsen", "--unknown-nodes", "--name",
    "--engine",
}  # fmt: skip
GROUPED = {"--json", "--out", "--overwrite", "--resume", "--device", "--set", "--preset"}


def options(command: Any) -> Iterator[Any]:
    """All options of all commands."""
    children = getattr(command, "commands", {})
    for child in children.values():
        yield from options(child)
    if not children:
        yield from (one for one in command.params if one.param_type_name == "option")


def test_an_option_has_one_help_text_in_all_commands() -> None:
    helps: dict[str, set[str]] = defaultdict(set)
    for option in options(get_command(app)):
        helps[option.opts[-1]].add(option.help)
    assert {name for name, texts in helps.items() if len(texts) > 1} == OF_THE_COMMAND


def test_an_option_is_in_one_group_in_all_commands() -> None:
    groups: dict[str, set[str]] = defaultdict(set)
    for option in options(get_command(app)):
        if option.opts[-1] in GROUPED:
            groups[option.opts[-1]].add(option.rich_help_panel)
    assert {name: len(titles) for name, titles in groups.items()} == dict.fromkeys(GROUPED, 1)


@pytest.mark.parametrize("value", [0, -1, float("inf"), float("nan")])
def test_a_time_limit_is_above_0(value: float) -> None:
    with pytest.raises(ConfigError, match=f"minutes above 0, found {value:g}"):
        read_minutes(value)
    assert read_minutes(0.5) == 0.5


def test_whether_an_option_was_given() -> None:
    small = typer.Typer()

    @small.command()
    def command(
        context: typer.Context,
        out: Annotated[str, out_option("Where to.")] = "here",
        minutes: Annotated[float, minutes_option("How long.")] = 1.0,
        as_json: AsJson = False,
    ) -> None:
        names = ("out", "minutes", "as_json")
        typer.echo(" ".join(name for name in names if is_given(context, name)))

    for words, names in (
        ([], []),
        (["-o", "here"], ["out"]),  # given, though it is the default
        (["--out", "x", "--minutes", "2"], ["out", "minutes"]),
        (["--json"], ["as_json"]),
    ):
        assert CliRunner().invoke(small, words).output.split() == names
