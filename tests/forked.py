"""Processes that are forked from one that has imported everything: torch takes seconds.

They end, print and get signals as any other. What is imported, and what Python reads when it
starts, needs a new interpreter: ``commands.run_process``.
"""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import weakref
from collections.abc import Callable, Mapping
from multiprocessing.context import BaseContext
from pathlib import Path

_IMPORTED = (
    "torch", "scipy.sparse.linalg", "sklearn.linear_model", "matplotlib.figure", "optuna",
    "sub2node.cli.app", "sub2node.cli.output", "sub2node.cli.run", "sub2node.cli.tune",
    "sub2node.estimator", "sub2node.models.find", "sub2node.report.html", "sub2node.reproduce",
    "sub2node.scoring", "sub2node.serve.server", "sub2node.train.fit", "sub2node.tune",
)  # fmt: skip


def processes() -> BaseContext:
    """What makes such processes; the one they are forked from is started with the first."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(_IMPORTED))
    return context


class Forked:
    """A process that prints into files; used as ``subprocess.Popen`` is."""

    def __init__(self, action: Callable[..., object], *given: object) -> None:
        folder = tempfile.mkdtemp()
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self._outputs = tuple(Path(folder, name) for name in ("out", "err"))
        for file in self._outputs:
            file.touch()
        self._process = processes().Process(target=_print_into, args=(self._outputs, action, given))
        self._process.start()

    @property
    def pid(self) -> int:
        """Its number."""
        assert self._process.pid is not None
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """Its exit code, negative for a signal; None while it runs."""
        return self._process.exitcode

    def poll(self) -> int | None:
        """The same."""
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal; one that has ended does not get it."""
        if self.returncode is None:
            os.kill(self.pid, number)

    def printed(self) -> tuple[str, str]:
        """What it printed until now, on stdout and on stderr."""
        out, err = (file.read_text(encoding="utf-8") for file in self._outputs)
        return out, err

    def wait(self, timeout: float) -> bool:
        """Wait for its end; whether it came."""
        self._process.join(timeout)
        return self.returncode is not None

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()
        self._process.join()

    def communicate(self, timeout: float = 240) -> tuple[str, str]:
        """Wait for its end, and take what it printed; one that does not end is killed."""
        hung = not self.wait(timeout)
        self.kill()
        found = self.printed()
        assert not hung, f"no end after {timeout:g} seconds: {found}"
        return found


def fork_code(*words: object, code: str, env: Mapping[str, str] | None = None) -> Forked:
    """Run code with words in ``sys.argv[1:]``.

    Args:
        words: What the code finds there.
        code: What runs.
        env: Environment variables on top of those here.
    """
    return Forked(_execute, list(map(str, words)), code, {**os.environ, **(env or {})}, Path.cwd())


def _execute(words: list[str], code: str, env: dict[str, str], folder: Path) -> None:
    os.environ.clear()
    os.environ.update(env)
    os.chdir(folder)
    tempfile.tempdir = None  # from the environment
    sys.argv = ["s2n", *words]
    exec(code, {"__name__": "__main__"})


def _print_into(
    outputs: tuple[Path, Path], action: Callable[..., object], given: tuple[object, ...]
) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, file in enumerate(outputs, start=1):
        os.dup2(os.open(file, os.O_WRONLY | os.O_APPEND), number)
    sys.stdout, sys.stderr = (open(n, "w", closefd=False, encoding="utf-8") for n in (1, 2))  # noqa: SIM115
    try:
        action(*given)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
