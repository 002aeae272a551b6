"""Signals that are noted, and those that interrupt."""

from __future__ import annotations

import signal
import threading

import pytest

from sub2node.models.stop_signals import StopSignals


def send(number: signal.Signals = signal.SIGINT) -> None:
    signal.raise_signal(number)


def test_a_signal_is_noted_inside_and_works_as_usual_outside() -> None:
    signals, before = StopSignals(), signal.getsignal(signal.SIGINT)
    assert not signals.requested
    with signals.listening():
        send()
        send()
    assert signals.count == 2
    assert signals.since is not None
    assert signal.getsignal(signal.SIGINT) is before
    with pytest.raises(KeyboardInterrupt):
        send()


def test_it_interrupts_where_work_may_be_given_up() -> None:
    signals = StopSignals()
    with signals.listening():
        with pytest.raises(KeyboardInterrupt), signals.interrupting():
            send()
        send()  # outside it is noted again
        assert signals.count == 2


def test_only_the_second_one_interrupts() -> None:
    signals = StopSignals()
    with signals.listening():
        with signals.interrupting(number=2):
            send()
        send()  # not outside
        with pytest.raises(KeyboardInterrupt), signals.interrupting(number=2):
            send()


def test_what_somebody_else_has_dealt_with_counts_once() -> None:
    signals = StopSignals()
    signals.note()
    first = signals.since
    signals.note()
    assert (signals.count, signals.since) == (1, first)


def test_sigterm_is_noted_where_there_is_a_handler_and_what_is_ignored_stays_so() -> None:
    signals, before = StopSignals(), signal.getsignal(signal.SIGTERM)
    signal.signal(signal.SIGTERM, lambda *_: pytest.fail("the handler of the program"))
    usual = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with signals.listening():
            send(signal.SIGTERM)
            send()
    finally:
        signal.signal(signal.SIGTERM, before)
        signal.signal(signal.SIGINT, usual)
    assert signals.count == 1


def test_other_threads_get_no_signals() -> None:
    signals, handlers = StopSignals(), []

    def listen() -> None:
        with signals.listening():
            handlers.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=listen)
    thread.start()
    thread.join()
    assert handlers == [signal.getsignal(signal.SIGINT)]
