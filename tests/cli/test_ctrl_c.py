"""Ctrl-C that a library swallows, or makes another error of."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from sub2node.cli import app
from sub2node.cli.ctrl_c import interruptible


@pytest.fixture(autouse=True)
def _as_in_a_terminal() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def turned() -> None:
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        raise TypeError("unexpected argument") from None


def test_another_error_after_ctrl_c_is_an_interruption(monkeypatch, capsys) -> None:
    monkeypatch.setattr(app, "app", turned)
    with pytest.raises(SystemExit) as left:
        app.main()
    assert left.value.code == 130
    assert "Aborted." in capsys.readouterr().err


def test_the_same_error_without_ctrl_c_is_not(monkeypatch) -> None:
    def broken() -> None:
        raise TypeError("unexpected argument")

    monkeypatch.setattr(app, "app", broken)
    with pytest.raises(TypeError, match="unexpected"):
        app.main()


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
