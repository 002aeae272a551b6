"""Commands in forked processes: quick to start, because the parent has imported everything."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

_LIMIT = 120.0  # seconds until a process counts as hanging


class Outcome(NamedTuple):
    """How a child process ended: its exit status (negative: a signal), and what it printed."""

    status: int
    text: str
    seconds: float
    hung: bool = False


@contextlib.contextmanager
def warm_parent() -> Iterator[Path]:
    """Everything imported, one thread, and a folder for all files."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    import matplotlib.figure  # noqa: F401
    import torch

    import sub2node.cli.app
    import sub2node.estimator
    import sub2node.models.find
    import sub2node.report.html
    import sub2node.reproduce
    import sub2node.scoring
    import sub2node.tune  # noqa: F401

    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder)


def run_child(
    action: Callable[[], object],
    log: Path,
    *,
    kill_after: float | None = None,
    number: int = signal.SIGKILL,
    limit: float = _LIMIT,
) -> Outcome:
    """Run an action in a forked process.

    Args:
        action: What the child does.
        log: The file for what it prints.
        kill_after: Seconds after which it gets the signal; None: it is left alone.
        number: The signal.
        limit: Seconds until it counts as hanging.
    """
    start = time.monotonic()
    held = {signal.SIGINT, signal.SIGTERM}  # until the child has its own outputs
    signal.pthread_sigmask(signal.SIG_BLOCK, held)
    child = os.fork()
    if child == 0:
        _be_child(action, log)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, held)
    if kill_after is not None and not _ended_within(child, kill_after):
        os.kill(child, number)  # it is not reaped yet, so the number is still its own
    hung = not _ended_within(child, limit)
    if hung:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    text = log.read_text(encoding="utf-8", errors="replace")
    return Outcome(os.waitstatus_to_exitcode(status), text, time.monotonic() - start, hung)


def _ended_within(child: int, seconds: float) -> bool:
    """Whether a child ends in this time; it is not reaped."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        options = os.WEXITED | os.WNOHANG | os.WNOWAIT
        if os.waitid(os.P_PID, child, options) is not None:
            return True
        time.sleep(0.002)
    return False


def _is_ours(frame: traceback.FrameSummary) -> bool:
    return "sub2node" in Path(frame.filename).parts


def _be_child(action: Callable[[], object], log: Path) -> None:
    code = 1
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        handle = os.open(log, os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
        os.dup2(handle, 1)
        os.dup2(handle, 2)
        sys.stdout, sys.stderr = open(1, "w", closefd=False), open(2, "w", closefd=False)  # noqa: SIM115
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM})
        action()
        code = 0
    except SystemExit as leave:
        code = leave.code if isinstance(leave.code, int) else 0
    except BaseException as error:
        frames = traceback.extract_tb(error.__traceback__)
        if isinstance(error, KeyboardInterrupt) and not any(map(_is_ours, frames)):
            code = 130  # it came before or after the command
        else:
            traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def command(words: list[str], scratch: Path) -> Callable[[], None]:
    """``s2n WORDS`` with a temporary folder and a cache of its own."""

    def call() -> None:
        from rich.console import Console

        from sub2node.cli import main, output

        os.environ |= {"TMPDIR": str(scratch), "S2N_CACHE": str(scratch / "cache")}
        tempfile.tempdir = str(scratch)
        assert isinstance(output.console, Console)
        sys.argv = ["s2n", *words]
        main()

    return call


def killed_at_rename(
    words: list[str], scratch: Path, *, place: int, before: bool, number: int
) -> Callable[[], None]:
    """The same, with the signal sent just before or after the so-many-th rename."""

    def call() -> None:
        count = 0

        def counted(rename: Callable[..., object]) -> Callable[..., object]:
            def wrapped(*args: object, **options: object) -> object:
                nonlocal count
                count += 1
                if count == place and before:
                    os.kill(os.getpid(), number)
                result = rename(*args, **options)
                if count == place and not before:
                    os.kill(os.getpid(), number)
                return result

            return wrapped

        from sub2node.base import renames

        for name in ("rename", "replace", "link"):
            setattr(os, name, counted(getattr(os, name)))
        renames._rename = counted(renames._rename)
        try:
            command(words, scratch)()
        finally:
            print(f"renames: {count}")

    return call
