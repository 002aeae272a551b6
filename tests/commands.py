"""``s2n`` in tests: called in this process, or started as a process of its own.

A process that imports torch takes seconds; only signals, the end of a real process and what is
imported need one.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from subprocess import CompletedProcess
from typing import Any, NamedTuple

import pytest

from forked import Forked, fork_code
from sub2node.base import progress
from sub2node.cli import main

import_module("sub2node.cli.output")  # its consoles read COLUMNS where they are made

MAIN = "from sub2node.cli import main; main()"


class Done(NamedTuple):
    """How a command ended."""

    code: object
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The output as JSON; NaN and infinity, which it does not have, fail."""
        return json.loads(self.out, parse_constant=pytest.fail)


def s2n(*words: object) -> Done:
    """``s2n WORDS`` as ``main`` runs it; an error that is not ours comes through."""
    done = call_command(*words)
    return Done(done.returncode, done.stdout, done.stderr)


def refused(done: Done, message: str) -> None:
    """Exit code 2, nothing on stdout, and one line on stderr."""
    assert done.code == 2, done
    assert done.out == ""
    assert done.err.startswith("Error: ")
    assert done.err.count("\n") == 1
    assert message in done.err


def call_command(*words: object, env: Mapping[str, str] | None = None) -> CompletedProcess[str]:
    """The command in this process, with the outcome as of a process of its own.

    Args:
        words: What follows ``s2n``.
        env: Environment variables that are set meanwhile.
    """
    out, err = io.StringIO(), io.StringIO()
    code: Any = 0
    try:
        with (
            _arguments(*words),
            _environment(env or {}),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            main()
    except SystemExit as leave:
        code = leave.code or 0
    return CompletedProcess(words, code, out.getvalue(), err.getvalue())


def start_process(
    *words: object, code: str = MAIN, env: Mapping[str, str] | None = None, **options: Any
) -> subprocess.Popen[str]:
    """Python in a new process, with both outputs as pipes unless ``options`` say otherwise.

    Args:
        words: What the code finds in ``sys.argv[1:]``.
        code: What runs; the command line unless said otherwise.
        env: Environment variables on top of those here.
        options: Of ``subprocess.Popen``.
    """
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, words)],
        text=True,
        encoding="utf-8",
        env={**os.environ, **(env or {})},
        **{**pipes, **options},
    )


def fork_process(*words: object, code: str = MAIN, env: Mapping[str, str] | None = None) -> Forked:
    """The same without waiting for imports: only what is imported needs a new interpreter."""
    return fork_code(*words, code=code, env=env)


def run_process(
    *words: object, code: str = MAIN, env: Mapping[str, str] | None = None, timeout: float = 240
) -> CompletedProcess[str]:
    """Python in a new process, until it ends."""
    with start_process(*words, code=code, env=env) as process:
        try:
            out, err = process.communicate(timeout=timeout)
        finally:
            process.kill()
    return CompletedProcess(words, process.returncode, out, err)


@contextlib.contextmanager
def ctrl_c(is_meant: Callable[[progress.Report], bool], *, at: int = 1) -> Iterator[None]:
    """Press Ctrl-C in the so-many-th report of progress that is meant."""
    count = 0

    def press(report: progress.Report) -> None:
        nonlocal count
        count += is_meant(report)
        if is_meant(report) and count == at:
            signal.raise_signal(signal.SIGINT)

    with progress.listen(press):
        yield


@contextlib.contextmanager
def _arguments(*words: object) -> Iterator[None]:
    before, sys.argv = sys.argv, ["s2n", *map(str, words)]
    try:
        yield
    finally:
        sys.argv = before


@contextlib.contextmanager
def _environment(values: Mapping[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
