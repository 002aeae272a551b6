"""``--picture``: the S2N graph as a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..base.errors import ConfigError, MissingExtraError
from ..base.files import new_file, require_writable, written

if TYPE_CHECKING:
    from ..task import SubgraphTask

_SUFFIXES = (".png", ".svg", ".pdf")
_DPI = 120

Picture = Annotated[
    Path | None,
    typer.Option(
        "--picture",
        metavar="FILE",
        help="Also draw the graph, or of a large one some subgraphs and their strongest links:"
        " .png, .svg or .pdf (needs the extra report).",
    ),
]


def check_picture(picture: Path, engine: str, *, overwrite: bool) -> None:
    """Raise what can be known before the data is read.

    Args:
        picture: The file to write.
        engine: The engine that translates.
        overwrite: Whether a picture that is there may be replaced.
    """
    if engine != "memory":
        raise ConfigError(
            f"--picture draws a graph that is in memory, and --engine {engine} leaves it on disk;"
            " omit one of them."
        )
    if picture.suffix.lower() not in _SUFFIXES:
        raise ConfigError(
            f"--picture writes a file that ends in {', '.join(_SUFFIXES)}, found {picture}."
        )
    if picture.is_dir():
        raise ConfigError(f"{picture} is a folder, expected a file such as graph.png.")
    if picture.exists() and not overwrite:
        raise ConfigError(f"{picture} exists already; choose another place, or --overwrite it.")
    require_writable(picture)
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise MissingExtraError("matplotlib", "report", "a picture") from None


def write_picture(folder: Path, task: SubgraphTask, picture: Path, *, overwrite: bool) -> None:
    """Draw a stored graph.

    Args:
        folder: The graph.
        task: What it was translated from, for colours.
        picture: The file to write.
        overwrite: Whether a picture that is there may be replaced.
    """
    from ..translation import S2NGraph

    figure = S2NGraph.load(folder).plot(task)
    with written(picture), new_file(picture, overwrite=overwrite) as part:
        figure.savefig(part, dpi=_DPI)
