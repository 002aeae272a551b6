"""The wording of the source in figures: repeated names, vague identifiers, signatures, tests.

Compares two states of the repository and writes benchmarks/results/wording.csv:

    python benchmarks/wording.py ffc60c8 HEAD

A module needs a test file of its name if it does something: modules whose functions and methods
have no body (constants, types, protocols, names passed on) are left out of that count.
"""

from __future__ import annotations

import ast
import builtins
import csv
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path, PurePath

from architecture import ROOT, extract

RESULTS = ROOT / "benchmarks" / "results" / "wording.csv"
VAGUE = ("found", "given", "made", "said", "asked", "known")
MOST_POSITIONAL = 4
MOST_USED = 20
_NOT_OURS = {"self", "cls", *dir(builtins)}
COLUMNS = ("table", "name", "before", "after")


@dataclass(frozen=True)
class Wording:
    """What is counted in one state of the repository.

    Args:
        repeated_classes: Files that define a top-level class, by names that several have.
        repeated_modules: Files by module names that several have.
        identifiers: How often each variable and argument is named; no builtins, no imports.
        any_count: Uses of ``Any``, imports aside.
        fmt_skips: Comments that keep the formatter away.
        wide_count: Functions that take more than four positional arguments.
        wide_functions: Those of them that are neither kernels nor forward passes of autograd,
            whose callers are libraries.
        modules_without_test: Modules that do something, without a test file of their name in the
            same folder.
        tests_without_module: Test files without a module or package of their name there.
    """

    repeated_classes: dict[str, list[str]]
    repeated_modules: dict[str, list[str]]
    identifiers: Counter[str]
    any_count: int
    fmt_skips: int
    wide_count: int
    wide_functions: list[str]
    modules_without_test: list[str]
    tests_without_module: list[str]


def read_wording(revision: str) -> Wording:
    """Count in the source and the tests as a commit has them."""
    with extract(revision, "src", "tests") as folder:
        return _measure(folder / "src" / "sub2node", folder / "tests")


def _measure(source: Path, tests: Path) -> Wording:
    classes: dict[str, list[str]] = defaultdict(list)
    modules: dict[str, list[str]] = defaultdict(list)
    identifiers = Counter[str]()
    any_count = fmt_skips = wide_count = 0
    wide: list[str] = []
    for path in sorted(source.rglob("*.py")):
        place, text = path.relative_to(source).as_posix(), path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        imported = _NOT_OURS | _imported_names(tree)
        if path.name != "__init__.py":
            modules[path.stem].append(place)
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                classes[node.name].append(place)
        for node in ast.walk(tree):
            if isinstance(node, ast.Name | ast.arg):
                name = node.id if isinstance(node, ast.Name) else node.arg
                identifiers[name] += name not in imported
                any_count += name == "Any"
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _is_wide(node):
                wide_count += 1
                if not _is_called_by_library(node):
                    wide.append(f"{place}: {node.name}")
        fmt_skips += text.count("# fmt: skip")
    return Wording(
        _repeated(classes),
        _repeated(modules),
        identifiers,
        any_count,
        fmt_skips,
        wide_count,
        wide,
        *_without_partner(source, tests),
    )


def _imported_names(tree: ast.Module) -> set[str]:
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom))
    return {alias.asname or alias.name for node in imports for alias in node.names}


def _positional(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    return [name for name in names if name not in ("self", "cls")]


def _is_wide(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return len(_positional(function)) > MOST_POSITIONAL


def _is_called_by_library(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    kernel = any("jit" in ast.unparse(decorator) for decorator in function.decorator_list)
    return kernel or _positional(function)[0] == "ctx"


def _repeated(places: dict[str, list[str]]) -> dict[str, list[str]]:
    return {name: files for name, files in sorted(places.items()) if len(files) > 1}


def _without_partner(source: Path, tests: Path) -> tuple[list[str], list[str]]:
    """Modules without a test, tests without a module; tests of the repository do not count."""
    files = {path.relative_to(source) for path in source.rglob("*.py")}
    modules = {path for path in files if path.name != "__init__.py"}
    packages = {path.parent.with_suffix(".py") for path in files - modules if path.parent.name}
    written = {path.relative_to(tests) for path in tests.rglob("test_*.py")}
    of_parts = {path for path in written if len(path.parts) > 1 and path.parts[0] != "benchmarks"}

    def test_of(module: PurePath) -> PurePath:
        return module.with_name(f"test_{module.name}")

    untested = [
        module
        for module in modules
        if test_of(module) not in written and _does_something(source / module)
    ]
    orphans = of_parts - {test_of(module) for module in modules | packages}
    return sorted(map(str, untested)), sorted(map(str, orphans))


def _does_something(module: Path) -> bool:
    """Whether a function or method has a body beyond its docstring, ``...`` or ``pass``."""
    functions = (
        node
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    return any(not _is_empty(statement) for function in functions for statement in function.body)


def _is_empty(statement: ast.stmt) -> bool:
    constant = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return constant or isinstance(statement, ast.Pass)


def compare(before: Wording, after: Wording) -> list[list[object]]:
    """Rows of all tables: table, name, before, after."""
    states = (before, after)
    rows: list[list[object]] = []
    for name, attribute in (
        ("class names that exist more than once", "repeated_classes"),
        ("module names that exist more than once", "repeated_modules"),
        ("modules without a test of their name", "modules_without_test"),
        ("tests without a module of their name", "tests_without_module"),
    ):
        rows.append(["count", name, *(len(getattr(state, attribute)) for state in states)])
    wide = "functions with more than four positional arguments"
    rows.append(["count", wide, *(state.wide_count for state in states)])
    aside = f"{wide}, kernels and autograd aside"
    rows.append(["count", aside, *(len(state.wide_functions) for state in states)])
    rows.append(["count", "`Any`", *(state.any_count for state in states)])
    rows.append(["count", "`# fmt: skip`", *(state.fmt_skips for state in states)])
    rows += [
        ["identifier", f"`{word}`", *(state.identifiers[word] for state in states)]
        for word in VAGUE
    ]
    ranked = [state.identifiers.most_common(MOST_USED) for state in states]
    for rank, pair in enumerate(zip_longest(*ranked), start=1):
        cells = [f"`{name}` {count:,}" for name, count in pair]
        rows.append(["most used identifier", f"{rank}", *cells])
    for kind in ("repeated_classes", "repeated_modules"):
        names = sorted({*getattr(before, kind), *getattr(after, kind)})
        for name in names:
            cells = [", ".join(getattr(state, kind).get(name, ())) for state in states]
            rows.append([kind.replace("_", " "), f"`{name}`", *cells])
    for kind in ("wide_functions", "modules_without_test", "tests_without_module"):
        left = getattr(after, kind)
        rows += [[f"{kind.replace('_', ' ')} left", f"`{name}`", "", "yes"] for name in left]
    return rows


def show(rows: list[list[object]]) -> None:
    """Print one table in Markdown per kind of row."""
    for kind in dict.fromkeys(row[0] for row in rows):
        print(f"\n| {kind} | before | after |\n|---|---|---|")
        for _, name, *cells in (row for row in rows if row[0] == kind):
            texts = [f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in cells]
            print(f"| {name} | {' | '.join(texts)} |")


def main(before: str = "ffc60c8", after: str = "HEAD") -> None:
    """Compare two commits; the first default is the last one before names were revised."""
    rows = compare(read_wording(before), read_wording(after))
    show(rows)
    with RESULTS.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        writer.writerows(rows)


if __name__ == "__main__":
    main(*sys.argv[1:])
