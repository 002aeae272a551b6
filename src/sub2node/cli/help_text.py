"""How the help of commands is written: examples on lines of their own, values in one plain word."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, get_args

EXAMPLES = "Examples:"
# Groups of options, in the order of the help; groups that one command has come between.
READING = "How your data is read"
MODEL = "Model and settings"
EVALUATION = "Evaluation"
OUTPUT = "Output"
MACHINE = "Machine"
UNUSUAL = "Where data are unusual or messy"
ON_DISK = "A graph that stays on disk"
_FIRST, _LAST = (READING, MODEL, EVALUATION), (OUTPUT, MACHINE, UNUSUAL, ON_DISK)
_VALUES = {bool: "", int: "N", float: "NUMBER", Path: "PATH", str: "TEXT"}


def format_help(text: str | None) -> str:
    """A docstring for the terminal: paragraphs as wide as it is, examples one per line."""
    paragraphs = [paragraph.strip() for paragraph in re.split(r"\n\s*\n", (text or "").strip())]
    return "\n\n".join(
        _format_examples(paragraph)
        if paragraph.startswith(EXAMPLES)
        else " ".join(paragraph.split())
        for paragraph in paragraphs
    )


def _format_examples(paragraph: str) -> str:
    title, *lines = paragraph.splitlines()
    return "\n".join([title, *(f"  {line.strip()}" for line in lines)])


def read_examples(text: str | None) -> list[str]:
    """The commands of the examples in a help text."""
    for paragraph in (text or "").split("\n\n"):
        title, *lines = paragraph.strip().splitlines() or [""]
        if title == EXAMPLES:
            return [line.strip() for line in lines]
    return []


def group_place(parameter: Any) -> int:
    """Where the group of an option stands in the help; arguments come first."""
    group = getattr(parameter, "rich_help_panel", None)
    if parameter.param_type_name == "argument" or group is None:
        return 0
    if group in _FIRST:
        return 1 + _FIRST.index(group)
    return 10 + _LAST.index(group) if group in _LAST else 9


def name_values(parameters: Iterable[Any]) -> None:
    """Call the values of options by plain words: ``N`` instead of ``<int>``, nothing for a flag."""
    for parameter in parameters:
        if parameter.param_type_name == "argument":
            parameter.display_type_rich = lambda ctx: None  # its name says it
            continue
        kind = getattr(getattr(parameter, "type_descriptor", None), "annotation", None)
        kind = (get_args(kind) or (kind,))[0]  # of a list, what is in it
        if parameter.metavar is None and kind in _VALUES:
            parameter.metavar = _VALUES[kind]
