"""The command line as a whole: help at 80 columns, errors in one line, ends of processes."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from commands import MAIN, refused, run_process, s2n
from sub2node import __version__
from sub2node.cli.app import app
from sub2node.cli.help_text import (
    EVALUATION,
    MACHINE,
    MODEL,
    ON_DISK,
    OUTPUT,
    READING,
    UNUSUAL,
    read_examples,
)

PANELS = {
    "Your data": ("doctor", "describe", "convert", "datasets"),
    "Train and compare": ("advise", "run", "tune", "fit", "audit"),
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
    assert words == [name for names in PANELS.values() for name in names]  # one line each
    assert any("--install-completion" in line for line in lines)


def test_without_arguments_a_short_screen_with_own_data() -> None:
    done = CliRunner().invoke(app, [])
    assert done.exit_code == 0
    lines = done.output.splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
    commands = [line.strip() for line in lines if line.strip().startswith("s2n ")]
    assert commands == [
        "s2n describe my-folder",
        "s2n run my-folder",
        "s2n fit my-folder -o my-model && s2n predict my-model new.csv",
    ]
    assert "s2n --help" in lines[-1]


@pytest.mark.parametrize("words", list(paths(get_command(app))), ids=" ".join)
def test_help_begins_with_examples_of_own_data_and_fits(words: tuple[str, ...]) -> None:
    lines = printed_help(*words)
    assert max(map(len, lines)) <= 80
    text = [line.rstrip() for line in lines if line.strip() and not line.startswith("│")]
    at = text.index(" Examples:")
    assert at == 2  # after the usage and one sentence
    command: Any = get_command(app)
    for word in words:
        command = command.commands[word]
    examples = read_examples(command.help)
    assert examples
    assert text[at + 1 : at + 1 + len(examples)] == [f"   {example}" for example in examples]
    assert f"s2n {' '.join(words)}" in examples[0]
    if any(parameter.name == "data" for parameter in command.params):
        assert any("my-folder" in example for example in examples)


@pytest.mark.parametrize("words", list(paths(get_command(app))), ids=" ".join)
def test_options_are_grouped_and_their_values_have_plain_names(words: tuple[str, ...]) -> None:
    lines = printed_help(*words)
    own_groups = ("Search", "Several processes", "Reproduction")
    order = ["Arguments", "Options", READING, MODEL, EVALUATION, *own_groups, OUTPUT, MACHINE]
    order += [UNUSUAL, ON_DISK]
    titles = [line.strip("╭─╮ ") for line in lines if line.startswith("╭")]
    assert titles == [title for title in order if title in titles]
    assert not any(re.search(r"<\w+|list\[", line) for line in lines)
    assert any("--help" in line for line in lines)


@pytest.mark.parametrize("words", [("describe",), ("convert", "{}", "out"), ("describe", "--json")])
def test_errors_are_one_line_without_a_traceback(words: tuple[str, ...], tmp_path: Path) -> None:
    bad = tmp_path / "bad"
    bad.mkdir()
    (bad / "edge_list.txt").write_text("0 1\n1 [red]x[/]\n")
    (bad / "subgraphs.pth").write_text("0\ta\ttrain\n")
    args = [w.replace("{}", str(bad)) for w in words]
    args = [str(tmp_path / "out") if w == "out" else w for w in args]
    done = s2n(*(args if "convert" in words else (*args, bad)))
    refused(done, "edge_list.txt:2")
    assert "[red]x[/]" in done.err
    assert not (tmp_path / "out").exists()


@pytest.mark.process
def test_commands_import_only_what_they_need() -> None:
    code = (
        "import sys; from sub2node.cli.app import app\n"
        "try: app({words})\nexcept SystemExit: pass\n"
        "print('imported', sorted({modules!r} & set(sys.modules)))"
    )
    run = ["run", "generate:density,subgraphs=12", "--seeds", "1", "--set", "epochs=1"]
    for words, modules in (
        (["--help"], {"torch", "numpy", "scipy", "pyarrow", "jinja2", "sub2node.task"}),
        (["describe", "generate:density,subgraphs=12", "--json"], {"torch"}),
        (run, {"torch._dynamo", "torch._inductor", "sympy", "optuna", "torch_geometric"}),
    ):
        done = run_process(code=code.format(words=words, modules=modules))
        assert done.stdout.strip().endswith("imported []"), done.stdout + done.stderr
    assert s2n("--version").out.strip() == f"sub2node {__version__}"


@pytest.mark.process
def test_a_reader_that_leaves_is_no_error(small: Path) -> None:
    shell = f"'{sys.executable}' -c '{MAIN}' describe '{small}'"
    done = subprocess.run(
        f"{shell} | head -1", shell=True, capture_output=True, text=True, check=True
    )
    assert done.stdout.count("\n") == 1
    assert done.stderr == ""
