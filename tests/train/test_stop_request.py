"""Ctrl-C as a request: the first one asks, the second one interrupts."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator

import pytest

from sub2node.train.stop_request import stoppable


@pytest.fixture(autouse=True)
def usual_handler() -> Iterator[None]:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def press() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def test_the_first_asks_and_the_second_interrupts() -> None:
    with stoppable() as request:
        assert not request.stop
        press()
        assert request.stop
        with pytest.raises(KeyboardInterrupt):
            press()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_outside_the_block_everything_is_as_before() -> None:
    with stoppable() as request:
        press()
    assert request.stop
    with pytest.raises(KeyboardInterrupt):
        press()


def test_other_threads_leave_the_signal_alone() -> None:
    handlers = []

    def work() -> None:
        with stoppable() as request:
            handlers.append((signal.getsignal(signal.SIGINT), request.stop))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert handlers == [(signal.default_int_handler, False)]
