"""A reader of BibTeX that is as strict as the tests need it."""

from __future__ import annotations

import re


def read_bibtex(text: str) -> dict[str, dict[str, str]]:
    """Fields of each entry by its key; braces must match and no key may be there twice."""
    body = "\n".join(line for line in text.split("\n") if not line.startswith("%"))
    found: dict[str, dict[str, str]] = {}
    place = 0
    while (start := body.find("@", place)) >= 0:
        head = re.compile(r"@(\w+)\{([^,\s]+),").match(body, start)
        assert head is not None, body[start : start + 50]
        place = closing(body, body.index("{", start))
        assert head[2] not in found
        found[head[2]] = {"type": head[1]}
        for field in re.finditer(r"^  (\w+) = (?=\{)", body[head.end() : place], re.MULTILINE):
            opening = head.end() + field.end()
            found[head[2]][field[1]] = body[opening + 1 : closing(body, opening)]
    return found


def closing(text: str, opening: int) -> int:
    depth = 0
    for brace in re.finditer(r"[{}]", text[opening:]):
        depth += 1 if brace[0] == "{" else -1
        if not depth:
            return opening + brace.start()
    raise AssertionError(f"never closed: {text[opening : opening + 50]}")
