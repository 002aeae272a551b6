"""``s2n reproduce``: tables and figures of the paper, on the data at hand."""

from __future__ import annotations

import typer

from ..former_spellings import CommandGroup, command_class
from .paper import ALL, make_command, with_and_without_data
from .scarce import data_scarce

app = typer.Typer(
    help="Reproduce tables and figures of the paper on the data at hand.\n\nExamples:\n"
    "  s2n reproduce all --quick -o quick-look\n"
    "  s2n reproduce data-scarce my-folder -o scarce\n\n"
    "s2n reproduce real --help explains a table.",
    cls=CommandGroup,
    no_args_is_help=True,
)


@app.callback()
def _top() -> None:
    """A callback makes the name of the table a word of its own."""


for _name in ALL:
    _register = app.command(_name, cls=command_class(f"s2n reproduce {_name}"))
    _on_data = _name == "data-scarce"
    _register(with_and_without_data(data_scarce) if _on_data else make_command(_name))
