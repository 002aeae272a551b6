"""The help of all commands, as it is printed at 80 columns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from sub2node.cli.app import app

PANELS = {
    "Your data": ("doctor", "describe", "convert", "datasets"),
    "Train and compare": ("advise", "run", "tune", "fit"),
    "Answer": ("predict", "serve", "report", "cite"),
    "Research": ("translate", "encode", "coarsen", "bench", "reproduce"),
}


def paths(command: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    children = getattr(command, "commands", {})
    if not children:
        yield words
    for name, child in children.items():
        yield from paths(child, (*words, name))


def printed_help(*words: str) -> list[str]:
    done = CliRunner().invoke(app, [*words, "-h"], env={"COLUMNS": "80", "TERMINAL_WIDTH": "80"})
    assert done.exit_code == 0, done.output
    return done.output.splitlines()


def test_commands_are_grouped() -> None:
    lines = printed_help()
    titles = [line.strip("╭─╮ ") for line in lines if line.startswith("╭")]
    assert titles == ["Options", *PANELS]
    assert max(map(len, lines)) <= 80
    words = [line.split()[1] for line in lines if line.startswith("│ ") and line[2] not in "- "]
    assert words == [name for names in PANELS.values() for name in names]
    assert any("--install-completion" in line for line in lines)


@pytest.mark.parametrize("words", list(paths(get_command(app))), ids=" ".join)
def test_help_begins_with_an_example_and_fits(words: tuple[str, ...]) -> None:
    lines = printed_help(*words)
    assert max(map(len, lines)) <= 80
    text = [line.strip() for line in lines if line.strip() and not line.startswith("│")]
    examples = [line for line in text if line.startswith("Example: ")]
    (example,) = examples
    assert f"s2n {' '.join(words)}" in example
    assert text.index(example) <= 3  # after the usage and one sentence
    assert example.endswith(command_example(words))


def command_example(words: tuple[str, ...]) -> str:
    """The last word of the example, which is not on a second line."""
    command: Any = get_command(app)
    for word in words:
        command = command.commands[word]
    (paragraph,) = [p for p in command.help.split("\n\n") if p.startswith("Example: ")]
    return paragraph.split()[-1]
