"""Text of unknown origin as people may see it: no control characters, no endless names.

A name can hold an escape sequence that clears the terminal, renames its window or writes another
line than the one that was meant. Files keep names as they are; only what is shown is changed.
"""

from __future__ import annotations

import re

_LONGEST = 200
# C0 and C1 control characters, and marks that change the direction of the text around them.
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_LINE_ENDS = {"\n", "\t"}
_LONG_QUOTED = [re.compile(rf"(?<!\w){q}([^{q}\n]{{{_LONGEST}}})[^{q}\n]*{q}") for q in "'\""]
_LONG_WORD = re.compile(rf"(?<!\S)([^\s/'\"][^\s/]{{{_LONGEST - 1}}})[^\s/]+(?!\S)")


def escape_controls(text: str, *, keep_lines: bool = False) -> str:
    r"""Text with control characters as they are written in source code: ``\x1b``, ``\u202e``.

    Args:
        text: Any text.
        keep_lines: Whether line ends and tabs stay, as in text of several lines.
    """
    return _CONTROL.sub(lambda match: _escape(match[0], keep_lines=keep_lines), text)


def escape_controls_in_json(text: str) -> str:
    r"""A JSON text of several lines with the same characters as JSON writes them: ``\u001b``."""
    return _CONTROL.sub(
        lambda match: match[0] if match[0] in _LINE_ENDS else f"\\u{ord(match[0]):04x}", text
    )


def has_controls(text: str) -> bool:
    """Whether a text has characters that :func:`escape_controls` changes."""
    return any(match[0] not in _LINE_ENDS for match in _CONTROL.finditer(text))


def clip_names(sentence: str) -> str:
    """A sentence in which names are at most 200 characters long; paths stay whole.

    Names are what stands in quotes, and words.
    """
    if len(sentence) <= _LONGEST:
        return sentence
    for pattern, quote in zip(_LONG_QUOTED, "'\"", strict=True):
        sentence = pattern.sub(rf"{quote}\1…{quote}", sentence)
    return _LONG_WORD.sub(r"\1…", sentence)


def _escape(character: str, *, keep_lines: bool) -> str:
    if keep_lines and character in _LINE_ENDS:
        return character
    return character.encode("unicode_escape").decode("ascii")
