"""Print the lowest versions that pyproject.toml admits, as constraints for pip.

python .ci/lowest.py > lowest.txt
make unit CONSTRAINTS=lowest.txt
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"
REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)(\[.*\])?(?P<bounds>[^;]*)(?P<marker>;.*)?")


def lowest(requirement: str) -> str:
    """``torch>=2.9`` as ``torch==2.9``; extras go, and what has no lower bound stays."""
    match = REQUIREMENT.fullmatch(requirement)
    if match is None:
        raise SystemExit(f"pyproject.toml: cannot read the requirement {requirement!r}.")
    bounds = match["bounds"].strip()
    lower = re.search(r">=\s*([\w.]+)", bounds)
    return f"{match['name']}{f'=={lower[1]}' if lower else bounds}{match['marker'] or ''}"


def main() -> None:
    """Print each requirement of the package and of its extras once."""
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    groups = [project["dependencies"], *project["optional-dependencies"].values()]
    print("\n".join(sorted({lowest(requirement) for group in groups for requirement in group})))


if __name__ == "__main__":
    main()
