"""Ctrl-C that a library swallows, or makes another error of."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from commands import s2n
from sub2node.cli import app, main
from sub2node.cli.ctrl_c import interruptible
from sub2node.io import save
from sub2node.train.stop_request import stoppable


@pytest.fixture(autouse=True)
def _as_in_a_terminal() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def turned() -> None:
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        raise TypeError("unexpected argument") from None


def test_another_error_after_ctrl_c_is_an_interruption(monkeypatch, capsys) -> None:
    monkeypatch.setattr(app, "app", turned)
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 130
    assert "Aborted." in capsys.readouterr().err


def test_the_same_error_without_ctrl_c_is_not(monkeypatch) -> None:
    def broken() -> None:
        raise TypeError("unexpected argument")

    monkeypatch.setattr(app, "app", broken)
    with pytest.raises(TypeError, match="unexpected"):
        main()


@pytest.mark.slow
@pytest.mark.parametrize("hook", ["excepthook", "unraisablehook"])
def test_one_that_is_only_printed_comes_again(hook, capsys) -> None:
    with interruptible() as found:
        kind = KeyboardInterrupt
        if hook == "excepthook":
            sys.excepthook(kind, kind(), None)
        else:
            sys.unraisablehook(SimpleNamespace(exc_type=kind))  # type: ignore[arg-type]
        with pytest.raises(KeyboardInterrupt):
            time.sleep(0.5)
        assert found.requested
    assert capsys.readouterr().err == ""


def test_other_errors_are_printed_as_ever(capsys) -> None:
    with interruptible() as found:
        sys.excepthook(ValueError, ValueError("lost"), None)
    assert "lost" in capsys.readouterr().err
    assert not found.requested
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_ignored_signal_stays_ignored() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with interruptible():
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["ctrl-c", "sigterm"]
)
def test_sigterm_ends_a_command_as_ctrl_c_does(number, code, tables, monkeypatch, capsys) -> None:
    """It unwinds, so that nothing is left; a shell sees the code of the signal."""

    def interrupt(*_: object, **__: object) -> None:
        signal.raise_signal(number)

    monkeypatch.setattr(save, "write_tables", interrupt)
    done = s2n("convert", tables, tables / "out")
    assert done.code == code
    assert sorted(path.name for path in tables.iterdir()) == [
        "edges.csv", "labels.csv", "members.csv"
    ]  # fmt: skip


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_during_imports_has_no_traceback(number, monkeypatch, capsys) -> None:
    class Finder:
        """Sends the signal when the commands are imported."""

        @staticmethod
        def find_spec(name: str, path: object = None, target: object = None) -> None:
            if name == "sub2node.cli.app":
                signal.raise_signal(number)

    monkeypatch.delitem(sys.modules, "sub2node.cli.app")
    monkeypatch.setattr(sys, "meta_path", [Finder, *sys.meta_path])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 128 + number
    assert capsys.readouterr().err == "Aborted.\n"


def test_sigterm_asks_a_training_to_stop() -> None:
    with interruptible(), stoppable() as request:
        signal.raise_signal(signal.SIGTERM)
        assert request.stop
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
    with stoppable():  # a program without a handler is terminated as ever
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
