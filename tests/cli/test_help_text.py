"""How docstrings become help."""

from __future__ import annotations

from sub2node.cli.help_text import format_help, read_examples

DOCSTRING = """Train a model, which
    takes a while.

    Examples:
        s2n run my-folder
        s2n run other --all

    More about it
    on two lines.
    """


def test_paragraphs_are_joined_and_examples_are_not() -> None:
    assert format_help(DOCSTRING) == (
        "Train a model, which takes a while.\n\nExamples:\n  s2n run my-folder\n"
        "  s2n run other --all\n\nMore about it on two lines."
    )
    assert format_help(None) == ""


def test_examples_are_read_back() -> None:
    assert read_examples(format_help(DOCSTRING))[0] == "s2n run my-folder"
    assert read_examples("Without any.\n\nExamples are below.") == []
    assert read_examples(None) == []
