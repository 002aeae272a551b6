"""A page for the command line, made from the commands themselves whenever the site is built."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from sub2node.cli.help_text import EXAMPLES, read_examples

PAGE = "reference/commands.md"
_KINDS = {int: "N", float: "NUMBER", Path: "PATH"}
_HEAD = """# Commands

Look up a command and its options. Every command has `--help` (`-h`) and says what is wrong in one
line, with exit code 2. Long ones keep on Ctrl-C what they have done; those with `--json` print one
JSON document for machines. `s2n --install-completion` lets your shell complete commands and
options. This page is made from the commands' own help.

## DATA

Commands that read data take the same argument and options for it ([Your own data](../data.md)):
"""


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the page."""
    files.append(File.generated(config, PAGE, content=command_page()))
    return files


def command_page() -> str:
    """The whole page, as Markdown."""
    from typer.main import get_command

    from sub2node.cli.app import app

    top = get_command(app)
    naming = _rows([p for p in top.commands["describe"].params if p.name in _naming_data()])
    return "\n".join([_HEAD, *naming, *_sections(top, "s2n")])


def _naming_data() -> set[str]:
    """Options that every command with DATA has; they stand on the page once."""
    from sub2node.cli.data_arguments import DataArguments

    return {field.name for field in fields(DataArguments)}


def _sections(command: Any, name: str) -> Iterator[str]:
    """A section for each command, and for those below a group."""
    children = getattr(command, "commands", {})
    if name != "s2n":
        yield f"{'#' * len(name.split())} {name}\n"
        paragraphs = re.split(r"\n\s*\n", (command.help or "").strip())
        yield from (f"{_escaped(text)}\n" for text in paragraphs if not text.startswith(EXAMPLES))
        if not children:
            yield from _usage(command, name)
    for word, child in children.items():
        yield from _sections(child, f"{name} {word}")


def _usage(command: Any, name: str) -> Iterator[str]:
    """The line of use, the examples, then arguments and options with their defaults."""
    shown = [p for p in command.params if not p.hidden and "--help" not in p.opts]
    named = [_place(p) for p in shown if p.param_type_name == "argument"]
    yield f"```text\n{' '.join([name, *named, '[OPTIONS]'])}\n```\n"
    examples = "\n".join(read_examples(command.help))
    yield f"```bash\n{examples}\n```\n"
    shared = _naming_data()
    if shared <= {p.name for p in shown}:
        shown = [p for p in shown if p.name not in shared]
        yield "Besides [DATA and the options that name it](#data):\n"
    yield from _rows(shown)


def _rows(parameters: list[Any]) -> Iterator[str]:
    if not parameters:
        return
    yield "| | | default |\n|---|---|---|"
    for p in parameters:
        title = f"`{_place(p)}`" if p.param_type_name == "argument" else _names(p)
        yield f"| {title} | {_escaped(p.help or '')} | {_default(p)} |"
    yield ""


def _place(argument: Any) -> str:
    word = str(argument.metavar or argument.name.upper())
    return word if argument.required else f"[{word.strip('[]')}]"


def _names(option: Any) -> str:
    names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    return names if option.is_flag else f"{names} {option.metavar or _kind(option)}"


def _kind(option: Any) -> str:
    """What an option wants, in one word."""
    kind = option.type_descriptor.annotation
    kind = (get_args(kind) or (kind,))[0]  # of a list, what is in it
    return _KINDS.get(kind, "TEXT")


def _default(parameter: Any) -> str:
    if parameter.required:
        return "needed"
    shown = getattr(parameter, "show_default", True)
    if isinstance(shown, str):
        return _escaped(shown)
    value = parameter.default
    if value is True:
        return f"`{parameter.opts[0]}`"
    if callable(value) or value is None or value is False or value in ((), [], ""):
        return ""
    if isinstance(value, (list, tuple)):
        return ", ".join(f"`{getattr(part, 'value', part)}`" for part in value)
    return f"`{getattr(value, 'value', value)}`"


def _escaped(text: str) -> str:
    """As it is, whatever Markdown or HTML would make of it."""
    text = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;")
    return re.sub(r"([|*_`\[\]\\$])", r"\\\1", text)
