"""Every test can fail: it asserts something, expects an error, or calls something that does."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from commands import run_process
from forked import processes

CHECKS = {"raises", "fail", "exec", "call_and_validate", "estimator_checks"}


def definitions() -> Iterator[tuple[str, str, set[str]]]:
    """File and name of every function and renamed import, with the names of what it calls."""
    for path in Path(__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef):
                yield path.name, node.name, called_for_effect(node)
            elif isinstance(node, ast.alias) and node.asname:
                yield path.name, node.asname, {node.name}


def called_for_effect(function: ast.FunctionDef) -> set[str]:
    """Names in calls whose value is not used, and in what ``with`` enters."""
    calls = [ast.Name("assert") for node in ast.walk(function) if isinstance(node, ast.Assert)]
    for node in ast.walk(function):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            calls.append(node.value.func)
        elif isinstance(node, ast.withitem):
            calls.append(node.context_expr)
    parts = [part for call in calls for part in ast.walk(call)]
    names = {part.id for part in parts if isinstance(part, ast.Name)}
    return names | {part.attr for part in parts if isinstance(part, ast.Attribute)}


@pytest.mark.slow
def test_every_test_checks_something() -> None:
    known = list(definitions())
    checks = {name for *_, names in known for name in names if name.startswith("assert")} | CHECKS
    while more := {name for _, name, names in known if names & checks} - checks:
        checks |= more  # a helper that checks, or that calls one
    idle = [(file, name) for file, name, names in known if not names & checks]
    assert [place for place in idle if place[1].startswith("test_")] == []


def test_a_test_without_the_mark_cannot_start_python() -> None:
    with pytest.raises(pytest.fail.Exception, match=r"pytest\.mark\.process"):
        run_process(code="")
    with pytest.raises(pytest.fail.Exception, match=r"pytest\.mark\.process"):
        processes().Process(target=print).start()
