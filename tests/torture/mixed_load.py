"""Predictions at a fixed rate with explanations beside them; part of ``requests.py``."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from typing import Any

import numpy as np

from torture.requests import LIMIT, RequestMaker, Service, post, status_of
from torture.rows import new_row

RATE, SECONDS, SLOWEST = 200, 60, 0.1  # predictions per second, seconds, p99 in seconds
KEPT = 20.0  # seconds for which a connection is used again; the service keeps it for 30


class Load:
    """Requests at a fixed rate; a latency counts from the moment the request was due."""

    def __init__(self, address: tuple[str, int], maker: RequestMaker) -> None:
        self._address, self._maker = address, maker
        self._idle: list[tuple[float, asyncio.StreamReader, asyncio.StreamWriter]] = []
        self.times: dict[str, list[float]] = {"/v1/predict": [], "/v1/explain": []}
        self.statuses: Counter[int] = Counter()

    async def run(self, seconds: float) -> None:
        """Predictions at the rate, and one explanation a second."""
        loop = asyncio.get_running_loop()
        begun, tasks = loop.time() + 0.5, []
        for number in range(int(RATE * seconds)):
            due = begun + number / RATE
            await asyncio.sleep(max(0.0, due - loop.time()))
            tasks.append(loop.create_task(self._send("/v1/predict", due, None)))
            if number % RATE == RATE // 2:
                size = (10, 100, 300)[number // RATE % 3]
                tasks.append(loop.create_task(self._send("/v1/explain", due, size)))
        await asyncio.wait(tasks, timeout=LIMIT)
        for *_, writer in self._idle:
            writer.close()

    async def _send(self, path: str, due: float, size: int | None) -> None:
        content = post(path, self._maker.good_body(size))
        try:
            reader, writer = await self._connect()
            writer.write(content)
            head = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"(?i)content-length: *(\d+)", head)
            assert length is not None
            await reader.readexactly(int(length[1]))
        except (OSError, asyncio.IncompleteReadError):
            return
        self.times[path].append(asyncio.get_running_loop().time() - due)
        self.statuses[status_of(head)] += 1
        self._idle.append((asyncio.get_running_loop().time(), reader, writer))

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A connection that was kept, unless the service may be about to close it, or a new one."""
        while self._idle:
            since, reader, writer = self._idle.pop()
            if asyncio.get_running_loop().time() - since < KEPT:
                return reader, writer
            writer.close()
        return await asyncio.open_connection(*self._address)


def mixed_load(service: Service, maker: RequestMaker, *, full: bool) -> dict[str, Any]:
    """200 predictions a second, with one explanation a second beside them."""
    seconds = SECONDS if full else 2
    load = Load(service.address, maker)
    asyncio.run(load.run(seconds))
    predictions, explanations = load.times["/v1/predict"], load.times["/v1/explain"]
    wanted = int(RATE * seconds) + seconds
    p50, p99 = np.percentile(predictions, [50, 99])
    bad = sum(count for status, count in load.statuses.items() if status != 200)
    note = (
        f"p50 {1000 * p50:.1f} ms, p99 {1000 * p99:.1f} ms, {len(explanations)} explanations of 10,"
        f" 100 and 300 nodes in {1000 * np.median(explanations):.0f} ms (slowest"
        f" {1000 * max(explanations):.0f}); statuses {dict(load.statuses)}"
    )
    slow = int(full and p99 > SLOWEST)
    lost = wanted - len(predictions) - len(explanations)
    return new_row("mixed load", wanted, note, lost=lost, wrong=bad + slow)
