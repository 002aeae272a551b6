"""Ways to damage a file."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

Damage = Callable[[bytes, random.Random], bytes]
_DEEP = 20_000


def flip_bit(content: bytes, draw: random.Random) -> bytes:
    """One bit is another."""
    changed = bytearray(content or b"\0")
    changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
    return bytes(changed)


def flip_bytes(content: bytes, draw: random.Random) -> bytes:
    """Some bytes are others."""
    changed = bytearray(content or b"\0")
    for _ in range(draw.randint(2, 20)):
        changed[draw.randrange(len(changed))] = draw.randrange(256)
    return bytes(changed)


def truncate(content: bytes, draw: random.Random) -> bytes:
    """The end is missing."""
    return content[: draw.randrange(len(content) + 1)]


def cut_out(content: bytes, draw: random.Random) -> bytes:
    """A piece is missing."""
    start = draw.randrange(len(content) + 1)
    return content[:start] + content[start + draw.randint(1, 200) :]


def repeat_piece(content: bytes, draw: random.Random) -> bytes:
    """A piece is there twice."""
    start = draw.randrange(len(content) + 1)
    end = start + draw.randint(1, 200)
    return content[:end] + content[start:]


def insert_bytes(content: bytes, draw: random.Random) -> bytes:
    """Random bytes in between."""
    return _insert(content, draw, draw.randbytes(draw.randint(1, 50)))


def insert_invalid_text(content: bytes, draw: random.Random) -> bytes:
    """Bytes that are no UTF-8 in between, or a surrogate, or a byte-order mark."""
    return _insert(content, draw, draw.choice([b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xef\xbb\xbf"]))


def insert_control(content: bytes, draw: random.Random) -> bytes:
    """A control character in between."""
    return _insert(content, draw, draw.choice([b"\0", b"\x1b[2J", b"\r", b"\t", b'"', b"\x1a"]))


def change_line_ends(content: bytes, draw: random.Random) -> bytes:
    """Line ends of another system."""
    return content.replace(b"\n", draw.choice([b"\r", b"\r\n", b"\n\r", b"\n\n", b"\x0b", b"\0"]))


def replace_number(content: bytes, draw: random.Random) -> bytes:
    """A number is huge, tiny, negative, not finite or no number."""
    words = [b"9" * 20, b"9" * 5000, b"-1", b"1e300", b"1e-320", b"nan", b"inf", b"-0", b"0x1",
             b"2147483648", b"9223372036854775808", b"1_000", b"", b"NULL"]  # fmt: skip
    return _replace_one(rb"\d+", content, draw, draw.choice(words))


def replace_word(content: bytes, draw: random.Random) -> bytes:
    """A word is empty, quoted, padded, endless or another."""
    words = [b"", b'"', b'"""', b" x ", b"x" * 70_000, b"NA", b"null", b"true", b"'", b"\\u0000",
             b"train", b"../..", b"=cmd()", b"-"]  # fmt: skip
    return _replace_one(rb"[A-Za-z_]\w*", content, draw, draw.choice(words))


def nest(content: bytes, draw: random.Random) -> bytes:
    """A value, or all, is nested without an end."""
    deep = draw.choice([b"[" * _DEEP, b'{"a":' * _DEEP, b"[" * _DEEP + b"]" * _DEEP])
    if draw.random() < 0.3:
        return deep
    return _replace_one(rb"\d+|\"[^\"]*\"|\w+", content, draw, deep)


def shuffle_lines(content: bytes, draw: random.Random) -> bytes:
    """Lines in another order."""
    lines = content.split(b"\n")
    draw.shuffle(lines)
    return b"\n".join(lines)


def empty(content: bytes, draw: random.Random) -> bytes:
    """Nothing, or next to nothing."""
    return draw.choice([b"", b"\n", b"\0", b" ", b"PAR1", b"\x1f\x8b", b"PK\x03\x04", b"{}", b"[]"])


ALL: tuple[Damage, ...] = (
    flip_bit, flip_bit, flip_bytes, truncate, cut_out, repeat_piece, insert_bytes,
    insert_invalid_text, insert_control, change_line_ends, replace_number, replace_number,
    replace_word, replace_word, nest, shuffle_lines, empty,
)  # fmt: skip


def _insert(content: bytes, draw: random.Random, piece: bytes) -> bytes:
    place = draw.randrange(len(content) + 1)
    return content[:place] + piece + content[place:]


def _replace_one(pattern: bytes, content: bytes, draw: random.Random, piece: bytes) -> bytes:
    matches = list(re.finditer(pattern, content))
    if not matches:
        return _insert(content, draw, piece)
    match = draw.choice(matches)
    return content[: match.start()] + piece + content[match.end() :]
