"""The source in figures: parts with their lines, imports between parts, who imports what.

Compares two states of the repository and writes benchmarks/results/architecture.csv:

    python benchmarks/architecture.py ffc60c8 HEAD
"""

from __future__ import annotations

import ast
import csv
import io
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results" / "architecture.csv"
NAMES = {
    "scikit-learn": "sklearn", "torch-geometric": "torch_geometric", "ibis-framework": "ibis",
    "grpcio": "grpc", "protobuf": "google",
}  # fmt: skip


@dataclass(frozen=True)
class Source:
    """One state of the source.

    Args:
        files: Files by part.
        lines: Lines by part.
        edges: Pairs of parts (importer, imported), each once.
        requirements: Names of the required packages by extra; "" is the core.
        importers: Files that import a package, by its name as required.
    """

    files: Counter[str]
    lines: Counter[str]
    edges: frozenset[tuple[str, str]]
    requirements: dict[str, list[str]]
    importers: dict[str, list[str]]


def read_source(revision: str) -> Source:
    """The source as a commit has it."""
    with extract(revision, "src", "pyproject.toml") as folder:
        return _measure(folder)


@contextmanager
def extract(revision: str, *paths: str) -> Iterator[Path]:
    """A folder with these paths of the repository as a commit has them."""
    command = ["git", "archive", revision, *paths]
    archive = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(archive)) as tree:
            tree.extractall(folder, filter="data")
        yield Path(folder)


def _measure(folder: Path) -> Source:
    root = folder / "src" / "sub2node"
    modules = {_module(path, root): path for path in sorted(root.rglob("*.py"))}
    files, lines, edges = Counter[str](), Counter[str](), set[tuple[str, str]]()
    outside: dict[str, set[str]] = defaultdict(set)
    for module, path in modules.items():
        text = path.read_text(encoding="utf-8")
        part = _part(module)
        files[part] += 1
        lines[part] += len(text.splitlines())
        for target in _imports(ast.parse(text), module, path.name == "__init__.py", modules):
            if target.startswith("sub2node"):
                if _part(target) != part:
                    edges.add((part, _part(target)))
            else:
                outside[target.partition(".")[0]].add(str(path.relative_to(root)))
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    listed = {"": project["dependencies"], **project["optional-dependencies"]}
    requirements = {
        extra: [re.split(r"[^\w.-]", text)[0] for text in texts]
        for extra, texts in listed.items()
        if extra not in ("dev", "docs")
    }
    importers = {
        name: sorted(outside.get(NAMES.get(name, name), ()))
        for names in requirements.values()
        for name in names
    }
    return Source(files, lines, frozenset(edges), requirements, importers)


def _module(path: Path, root: Path) -> str:
    parts = ("sub2node", *path.relative_to(root).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _part(module: str) -> str:
    return (*module.split("."), "__init__")[1]


def _imports(tree: ast.Module, module: str, package: bool, modules: dict[str, Path]) -> set[str]:
    """Full names of the modules that a module imports, ours and others."""
    home = module.split(".") if package else module.split(".")[:-1]
    names = set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = home[: len(home) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                deeper = f"{base}.{alias.name}"
                names.add(deeper if deeper in modules else base)
    return names


def show(before: Source, after: Source) -> list[list[object]]:
    """Print three tables in Markdown; returns their rows."""
    rows: list[list[object]] = []
    parts = sorted({*before.lines, *after.lines})
    print(
        "| part | files before | lines before | files after | lines after |\n|---|---|---|---|---|"
    )
    for part in parts:
        sizes = [before.files[part], before.lines[part], after.files[part], after.lines[part]]
        rows.append(["part", part, *sizes])
        print(f"| `{part}` | " + " | ".join(f"{size:,}" if size else "" for size in sizes) + " |")
    totals = [sum(c.values()) for c in (before.files, before.lines, after.files, after.lines)]
    rows.append(["part", "all", *totals])
    print("| all | " + " | ".join(f"{total:,}" for total in totals) + " |")
    edges = [len(before.edges), len(after.edges)]
    most = [
        Counter(importer for importer, _ in source.edges).most_common(2)
        for source in (before, after)
    ]
    rows.append(["imports between parts", "", "", edges[0], "", edges[1]])
    print(f"\nImports between parts: {edges[0]} before, {edges[1]} after; most: {most}.")
    print("\n| package | before: where, files | after: where, files |\n|---|---|---|")
    for name in dict.fromkeys([*before.importers, *after.importers]):
        cells = [_place(source, name) for source in (before, after)]
        rows.append(["dependency", name, cells[0], "", cells[1], ""])
        print(f"| {name} | {cells[0]} | {cells[1]} |")
    return rows


def _place(source: Source, name: str) -> str:
    where = [extra or "core" for extra, names in source.requirements.items() if name in names]
    if not where:
        return ""
    files = source.importers[name]
    count = f"{len(files)} files" if len(files) != 1 else files[0]
    return f"{', '.join(where)}: {count}"


def main(before: str = "ffc60c8", after: str = "HEAD") -> None:
    """Compare two commits; the first default is the last one before the parts were rearranged."""
    rows = show(read_source(before), read_source(after))
    with RESULTS.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["table", "name", "before", "lines before", "after", "lines after"])
        writer.writerows(rows)


if __name__ == "__main__":
    main(*sys.argv[1:])
