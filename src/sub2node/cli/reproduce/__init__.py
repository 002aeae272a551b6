"""``s2n reproduce``: tables and figures of the paper, on the data at hand."""

from __future__ import annotations

import typer

from .paper import ALL, command, either
from .scarce import data_scarce

app = typer.Typer(
    help="Make tables and figures of the paper anew, on the data at hand.",
    epilog="Example: s2n reproduce all --quick -o quick-look",
    no_args_is_help=True,
)


@app.callback()
def _top() -> None:
    """A callback makes the name of the table a word of its own."""


for _name in ALL:
    app.command(_name)(either(data_scarce) if _name == "data-scarce" else command(_name))
