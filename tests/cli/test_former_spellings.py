"""Options under the names that they had in earlier versions."""

from __future__ import annotations

import pytest
from typer.main import get_command

from sub2node.cli.app import app
from sub2node.cli.former_spellings import FORMER, respell


@pytest.mark.parametrize(
    ("command", "former", "present"),
    [
        ("s2n run", ["--models", "glass,gbdt"], ["--model", "glass", "--model", "gbdt"]),
        ("s2n fit", ["--budget", "120"], ["--minutes", "2.0"]),
        ("s2n fit", ["--budget=120"], ["--minutes", "2.0"]),
        ("s2n fit", ["--budget", "long"], ["--minutes", "long"]),
        ("s2n fit", ["--budget"], ["--minutes"]),
        ("s2n encode", ["--structure", "--all"], ["--node-statistics", "--all-nodes"]),
        ("s2n bench efficiency", ["--models=gcn2, glass"], ["--model", "gcn2", "--model", "glass"]),
        ("s2n bench efficiency", ["--seconds", "30"], ["--minutes", "0.5"]),
        ("s2n bench efficiency", ["--limit", "600"], ["--complete-minutes", "10.0"]),
        ("s2n reproduce", ["--worker", "3/12"], ["--shard", "3/12"]),
        ("s2n reproduce data-scarce", ["--structures", "s2n+0"], ["--structure", "s2n+0"]),
    ],
)
def test_former_spellings_become_present_ones(
    command: str, former: list[str], present: list[str]
) -> None:
    assert list(respell(["DATA", *former], FORMER[command])) == ["DATA", *present]


def test_what_follows_two_dashes_stays() -> None:
    words = ["--", "--budget", "120"]
    assert list(respell(words, FORMER["s2n fit"])) == words


@pytest.mark.parametrize(
    ("words", "name", "value"),
    [
        (("fit", "data", "-o", "model", "--budget", "90"), "minutes", 1.5),
        (("run", "data", "--models", "glass,bag"), "models", ["glass", "bag"]),
        (("encode", "data", "--structure"), "node_statistics", True),
        (("bench", "efficiency", "data", "--limit", "60"), "complete_minutes", 1.0),
        (("reproduce", "real", "--worker", "1/2"), "shard", "1/2"),
        (("reproduce", "data-scarce", "data", "--structures", "s2n+0,s2n+a"), "structures",
         ["s2n+0", "s2n+a"]),
    ],
)  # fmt: skip
def test_commands_read_former_spellings_and_do_not_show_them(
    words: tuple[str, ...], name: str, value: object
) -> None:
    command, rest = get_command(app), list(words)
    while hasattr(command, "commands"):
        command = command.commands[rest.pop(0)]
    context = command.make_context("s2n", rest)
    assert context.params[name] == value
    former = next(word for word in words if word.startswith("--"))
    assert former not in [option for parameter in command.params for option in parameter.opts]
