"""``s2n cite``: the BibTeX of exactly the methods, data and software that a run used."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .output import AsJson, errors, print_json, say


def cite(
    run: Annotated[
        Path,
        typer.Argument(
            metavar="RUN",
            help="A folder of s2n run (also a comparison), s2n fit or s2n tune.",
            show_default=False,
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Print the BibTeX of exactly what a run used: methods, model, data and software.

    A comment above each entry says what it was used for. What cannot be cited from here, such as a
    convolution of your own, is named on stderr, so that the output is a BibTeX file.

    Example: s2n cite density-run > references.bib
    """
    from ..report.citations import cite as citations

    found = citations(run)
    if as_json:
        print_json(found.to_dict())
        return
    typer.echo(found.bibtex())
    for sentence in found.missing:
        say("Note", sentence, style="yellow", to=errors)
