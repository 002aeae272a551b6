"""``s2n cite``: the BibTeX of exactly the methods, data and software of a run, or of a data set."""

from __future__ import annotations

from typing import Annotated

import typer

from ..base.shown_text import escape_controls
from .options import AsJson
from .output import errors, print_json, say


def cite(
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN",
            help="A folder of s2n run (also a comparison), s2n fit or s2n tune; or a published data"
            " set by its name.",
            show_default=False,
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Print the BibTeX of the methods, data and software of a run, or of a data set.

    Examples:
        s2n cite my-run > references.bib
        s2n cite disease_families

    A comment above each entry says what it was used for. What cannot be cited from here, such as a
    convolution of your own, is named on stderr, so that the output is a BibTeX file.
    """
    from ..report.citations import cite as cite_run

    citations = cite_run(run)
    if as_json:
        print_json(citations.to_dict())
        return
    typer.echo(escape_controls(citations.bibtex(), keep_lines=True))
    for sentence in citations.missing:
        say("Note", sentence, style="yellow", to=errors)
