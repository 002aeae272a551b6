"""Options that had another spelling in earlier versions: still read, and not shown in the help."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar, NamedTuple

from typer.core import TyperCommand, TyperGroup

from .help_text import format_help, group_place, name_values


def _split_at_commas(value: str) -> list[str]:
    return [word.strip() for word in value.split(",") if word.strip()] or [value]


def _seconds_to_minutes(value: str) -> list[str]:
    try:
        return [repr(float(value) / 60)]
    except ValueError:
        return [value]  # refused as the new option refuses it


class Spelling(NamedTuple):
    """The present spelling of an option.

    Args:
        option: Its name.
        values: The values to give it, one option per value, from the former value; None for a flag.
    """

    option: str
    values: Callable[[str], list[str]] | None = None


_MODELS = {"--models": Spelling("--model", _split_at_commas)}

FORMER: Mapping[str, Mapping[str, Spelling]] = {
    "s2n run": _MODELS,
    "s2n fit": {"--budget": Spelling("--minutes", _seconds_to_minutes)},
    "s2n encode": {
        "--structure": Spelling("--node-statistics"),
        "--all": Spelling("--all-nodes"),
    },
    "s2n bench efficiency": {
        **_MODELS,
        "--seconds": Spelling("--minutes", _seconds_to_minutes),
        "--limit": Spelling("--complete-minutes", _seconds_to_minutes),
    },
    "s2n reproduce": {"--worker": Spelling("--shard", lambda value: [value])},
    "s2n reproduce data-scarce": {"--structures": Spelling("--structure", _split_at_commas)},
}


class Command(TyperCommand):
    """A command that understands the former spellings of its options."""

    former: ClassVar[Mapping[str, Spelling]] = {}

    def __init__(self, *args: Any, help: str | None = None, **options: Any) -> None:
        super().__init__(*args, help=format_help(help), **options)
        name_values(self.params)
        self.params.sort(key=group_place)

    def get_help_option(self, ctx: Any) -> Any:
        """``--help``, beside the options of the output where there are some."""
        option = super().get_help_option(ctx)
        if option is not None:
            option.metavar = ""
            last = self.params[-1] if self.params else None
            option.rich_help_panel = getattr(last, "rich_help_panel", None)
        return option

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments, in their present spelling."""
        return super().parse_args(ctx, list(respell(args, self.former)))


class CommandGroup(TyperGroup):
    """A group of commands whose help is written as that of a command."""

    def __init__(self, *args: Any, help: str | None = None, **options: Any) -> None:
        super().__init__(*args, help=format_help(help), **options)

    def get_params(self, ctx: Any) -> list[Any]:
        """All options, those of the completion and ``--help`` too."""
        params = super().get_params(ctx)
        name_values(params)
        return list(params)


def command_class(path: str) -> type[Command]:
    """The class of the command with this path, such as ``s2n bench efficiency``."""
    group = path.rpartition(" ")[0]
    former = {**FORMER.get(group, {}), **FORMER.get(path, {})}
    return type("Command", (Command,), {"former": former})


def respell(args: list[str], former: Mapping[str, Spelling]) -> Iterator[str]:
    """Arguments with the present spelling of each option; what follows ``--`` stays."""
    rest = iter(args)
    for word in rest:
        if word == "--":
            yield from (word, *rest)
            return
        option, equals, value = word.partition("=")
        spelling = former.get(option)
        if spelling is None:
            yield word
        elif spelling.values is None:
            yield spelling.option + equals + value
        elif not equals and (value := next(rest, "")) == "":
            yield spelling.option  # without a value, which the parser complains about
        else:
            for part in spelling.values(value):
                yield from (spelling.option, part)
