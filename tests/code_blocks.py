"""Code in Markdown: the blocks of a page, and the commands in them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted(ROOT.glob("docs/**/*.md")),
    *(ROOT / name / "README.md" for name in ("benchmarks", "examples")),
]
_FENCE = re.compile(r"^ *```(\w*)")
_MARK = re.compile(r"<!-- (not run|with S2N_DATA): (.*?) -->")
_ENDS = {"&", "&&", "||", "|", ";", ">", ">>", "<", "2>"}


@dataclass(frozen=True)
class Block:
    """A piece of code on a page.

    Args:
        page: Where it is, from the root of the repository.
        line: Of its first line, from 1.
        language: After the fence; ``indented`` for a block without one.
        text: The code.
        mark: ``not run`` or ``with S2N_DATA``, where a comment right above says so.
        reason: What the comment gives as its reason.
    """

    page: str
    line: int
    language: str
    text: str
    mark: str = ""
    reason: str = ""


def name_of(page: Path) -> str:
    """A page, from the root of the repository."""
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path) -> list[Block]:
    """All code blocks of a page, fenced and indented."""
    lines = page.read_text(encoding="utf-8").split("\n")
    found, number, above = [], 0, ""
    while number < len(lines):
        line = lines[number]
        if fence := _FENCE.match(line):
            end = next(n for n in range(number + 1, len(lines)) if lines[n].strip() == "```")
            found.append(_block(page, number + 1, fence[1], lines[number + 1 : end], above))
            number, above = end, ""
        elif line.startswith("    ") and not lines[number - 1].strip():
            end = number
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            found.append(_block(page, number, "indented", lines[number:end], above))
            number, above = end - 1, ""
        elif line.strip():
            above = line
        number += 1
    return found


def _block(page: Path, before: int, language: str, lines: list[str], above: str) -> Block:
    mark = _MARK.fullmatch(above.strip())
    words = mark.groups() if mark else ("", "")
    return Block(name_of(page), before + 1, language, "\n".join(lines), *words)


def commands(block: Block) -> Iterator[list[str]]:
    """The words after ``s2n`` of every command in a block, without what the shell takes.

    In blocks of commands every line may be one; in others, which show output, only after ``$``.
    """
    if block.language == "python":
        return
    lines = re.sub(r"\\\n\s*", " ", block.text).split("\n")
    if block.language not in ("bash", "indented"):
        lines = [line for line in lines if line.startswith("$ ")]
    for line in (line.strip().removeprefix("$ ") for line in lines):
        if re.match(r"([A-Z0-9_]+=\S+ )*s2n( |$)", line):
            yield from _split(shlex.split(line, comments=True))


def _split(words: list[str]) -> Iterator[list[str]]:
    """The commands of a line: redirections and what another program reads are left away."""
    part: list[str] = []
    for word in [*words, ";"]:
        if word not in _ENDS:
            part.append(word)
            continue
        while part and re.fullmatch(r"[A-Z_0-9]+=.*", part[0]):
            part = part[1:]
        if part and part[0] == "s2n":
            yield part[1:]
        part = [] if word in (";", "&&", "||", "&") else ["(read by another)"]


def spans(page: Path) -> Iterator[list[str]]:
    """Commands inside a sentence, such as ``s2n run DATA``; they need not be whole."""
    text = re.sub(r"^ *```.*?^ *```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    for span in re.findall(r"`(s2n [^`]+)`", text):
        words = span.split()[1:]
        if not re.search(r"[\[\]|(]", span):
            yield [word for word in words if word != "…"]


@cache
def _program() -> Any:
    """All commands, made once: it takes a while."""
    from typer.main import get_command

    from sub2node.cli.app import app

    return get_command(app)


def parse(words: list[str], *, whole: bool) -> None:
    """Read a command as the program would, without running it.

    Args:
        words: After ``s2n``.
        whole: Whether every argument that is needed must be there.
    """
    command = _program()
    rest = [word for word in words if word not in ("--help", "--version")]
    name = "s2n"
    while children := getattr(command, "commands", None):
        if not rest:
            assert not whole or len(rest) < len(words), f"{name} wants a command"
            return
        assert rest[0] in children, f"{name} has no command {rest[0]!r}"
        name, command, rest = f"{name} {rest[0]}", children[rest[0]], rest[1:]
    if whole and "--help" in words:
        return
    # A command keeps the help option of its first context, and all tests share the commands.
    names = ["-h", "--help"]
    command.make_context(name, rest, resilient_parsing=not whole, help_option_names=names)
