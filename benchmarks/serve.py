"""How soon does `s2n serve` answer, and does it lose requests when it is stopped?

Open loop on loopback: single subgraphs are sent at a fixed rate whatever the service does, and a
latency counts from the moment the request was due, so a stall shows in every request behind it.
The subgraphs are random walks in the model's graph, as large as PPI-BP's (about ten nodes). Client
and service share the machine's cores.

    python benchmarks/serve.py MODEL --rate 200 --seconds 60 --out serve.csv
    python benchmarks/serve.py MODEL --rate 200 --seconds 10 --kill    # SIGTERM in the middle
    python benchmarks/serve.py               # a model of PPI-BP's shape, five seeds, hardly trained
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from measuring import save_rows

_SERVE = "from sub2node.cli import main; main()"
_LEAST, _MEAN = 3, 10.2  # members of a subgraph of PPI-BP: about ten on average
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Request:
    """One request: when it was due, when it left, and what came back."""

    due: float
    sent: float | None = None
    done: float | None = None
    status: int | None = None


@dataclass
class Load:
    """The requests of a run and the connections that carry them."""

    address: tuple[str, int]
    bodies: list[bytes]
    requests: list[Request] = field(default_factory=list)
    idle: list[Connection] = field(default_factory=list)

    async def send(self, number: int, due: float) -> None:
        request = Request(due)
        self.requests.append(request)
        try:
            while self.idle and self.idle[-1].closed:
                self.idle.pop()
            connection = self.idle.pop() if self.idle else await self._connect()
        except OSError:
            return  # refused: the service does not listen any more
        connection.send(request, self.bodies[number % len(self.bodies)])

    async def _connect(self) -> Connection:
        loop = asyncio.get_running_loop()
        _, protocol = await loop.create_connection(lambda: Connection(self), *self.address)
        return protocol


class Connection(asyncio.Protocol):
    """A kept-alive connection with at most one request under way."""

    def __init__(self, load: Load) -> None:
        self._load, self._buffer, self.closed = load, b"", False
        self._request: Request | None = None

    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    def send(self, request: Request, raw: bytes) -> None:
        self._request = request
        request.sent = time.perf_counter()
        self._transport.write(raw)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head, found, body = self._buffer.partition(b"\r\n\r\n")
        if not found or self._request is None:
            return
        length = int(re.search(rb"(?i)content-length: *(\d+)", head)[1])
        if len(body) < length:
            return
        self._request.done, self._request.status = time.perf_counter(), int(head.split(None, 2)[1])
        self._request, self._buffer = None, b""
        if b"connection: close" in head.lower():
            self.closed = True
        else:
            self._load.idle.append(self)

    def connection_lost(self, error: Exception | None) -> None:
        self.closed = True


def fit(folder: Path) -> Path:
    """A model on a random graph of PPI-BP's shape; what it learned has no part in its speed."""
    from sub2node import translate
    from sub2node.datasets import like
    from sub2node.efficiency.benchmark import PUBLISHED_EDGES, published_cut
    from sub2node.estimator import SubgraphClassifier

    task = like("ppi_bp")
    cut = published_cut(translate(task), PUBLISHED_EDGES["ppi_bp"])
    settings = {"a": cut, "delta": 1.0, "epochs": 3}
    model = SubgraphClassifier("s2n+a", "gcn2", preset="paper:ppi_bp", settings=settings)
    return model.fit(task).save(folder / "model")


def walks(graph: Any, count: int, rng: np.random.Generator) -> list[list[str]]:
    """Node sets that hang together, by random walks, of sizes like PPI-BP's."""
    names = graph.names
    found = []
    while len(found) < count:
        size = _LEAST + rng.poisson(_MEAN - _LEAST)
        at = int(rng.integers(graph.num_nodes))
        nodes = {at}
        for _ in range(20 * size):
            around = graph.indices[graph.indptr[at] : graph.indptr[at + 1]]
            if len(nodes) == size or not len(around):
                break
            at = int(rng.choice(around))
            nodes.add(at)
        found.append([str(n) if names is None else names[n] for n in sorted(nodes)])
    return found


def raw_requests(sets: list[list[str]], address: tuple[str, int]) -> list[bytes]:
    requests = []
    for nodes in sets:
        body = json.dumps({"nodes": nodes}).encode()
        head = f"POST /v1/predict HTTP/1.1\r\nHost: {address[0]}:{address[1]}\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        requests.append(head.encode() + body)
    return requests


@contextmanager
def service(command: list[str]) -> Iterator[tuple[subprocess.Popen[str], tuple[str, int]]]:
    """A running service, whose first line on stdout tells its address."""
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            line = process.stdout.readline()
            url = urlsplit(re.search(r"http://\S+", line)[0])
            yield process, (url.hostname, url.port)
        finally:
            if process.poll() is None:
                process.terminate()


async def drive(
    load: Load, pid: int, *, rate: float, seconds: float, kill: bool
) -> tuple[float, float | None]:
    """Send at the rate; gives the start and the moment of the stop signal, if one was sent."""
    rng = np.random.default_rng(1)
    start = time.perf_counter() + 0.2
    due = start + np.cumsum(rng.exponential(1 / rate, int(rate * seconds)))
    stopped = None
    waiting = set()
    for number, moment in enumerate(due.tolist()):
        if kill and stopped is None and moment > start + seconds / 2:
            stopped = time.perf_counter()
            os.kill(pid, signal.SIGTERM)
        pause = moment - time.perf_counter()
        if pause > 0:
            await asyncio.sleep(pause)
        task = asyncio.create_task(load.send(number, moment))
        waiting.add(task)
        task.add_done_callback(waiting.discard)
    if waiting:
        await asyncio.wait(waiting, timeout=10)
    end = time.perf_counter() + 10
    while time.perf_counter() < end and any(r.sent and not r.done for r in load.requests):
        await asyncio.sleep(0.05)
        if stopped is not None and time.perf_counter() > due[-1] + 2:
            break
    return start, stopped


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def peak_memory(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) * 1024


def show(load: Load, start: float, cpu: float | None, peak: int | None) -> dict[str, object]:
    good = [r for r in load.requests if r.status == 200]
    took = 1e3 * np.array([r.done - r.due for r in good])
    last = max(r.done for r in good)
    print(f"requests {len(load.requests)}, answered 200: {len(good)},"
          f" not: {len(load.requests) - len(good)}")  # fmt: skip
    for name, value in (*((f"p{q}", np.percentile(took, q)) for q in (50, 90, 99)),
                        ("max", took.max())):  # fmt: skip
        print(f"{name:<6}{value:>9.1f} ms")
    late = 1e3 * np.array([r.sent - r.due for r in good])
    print(f"rate  {len(good) / (last - start):>9.1f} a second; the client itself was late by"
          f" {np.percentile(late, 99):.1f} ms (p99)")  # fmt: skip
    if cpu is not None and peak is not None:
        print(f"CPU   {100 * cpu / (last - start):>9.1f} % of a core,"
              f" {1e3 * cpu / len(good):.2f} ms a request")  # fmt: skip
        print(f"peak  {peak / 1e6:>9.0f} MB")
    known = cpu is not None and peak is not None
    return {
        "requests": len(load.requests),
        "answered": len(good),
        **{f"p{q}_ms": f"{np.percentile(took, q):.1f}" for q in (50, 90, 99)},
        "max_ms": f"{took.max():.1f}",
        "rate": f"{len(good) / (last - start):.1f}",
        "client_late_p99_ms": f"{np.percentile(late, 99):.1f}",
        "cpu_percent": f"{100 * cpu / (last - start):.1f}" if known else "",
        "cpu_ms_per_request": f"{1e3 * cpu / len(good):.2f}" if known else "",
        "peak_mb": round(peak / 1e6) if known else "",
    }


def show_stop(load: Load, stopped: float, code: int) -> dict[str, object]:
    """Requests that left before the signal, those of them without an answer, and the exit code."""
    before = [r for r in load.requests if r.sent is not None and r.sent < stopped]
    after = [r for r in load.requests if r.sent is None or r.sent >= stopped]
    lost = sum(r.status != 200 for r in before)
    print(f"stop: {len(before)} sent before it, {lost} of them without an answer; exit code {code}")
    answered = sum(r.status == 200 for r in after)
    refused = sum(r.sent is None for r in after)
    print(f"after it: {answered} answered, {refused} refused, {len(after) - answered - refused}"
          " sent on a connection that was then closed")  # fmt: skip
    return {"sent_before_stop": len(before), "lost": lost, "exit_code": code}


def measure(command: list[str], sets: list[list[str]], options: argparse.Namespace) -> bool:
    with service(command) as (process, address):
        load = Load(address, raw_requests(sets, address))
        warm = Load(address, load.bodies)
        asyncio.run(drive(warm, process.pid, rate=50, seconds=2, kill=False))
        gc.collect()
        gc.disable()
        before = cpu_seconds(process.pid)
        start, stopped = asyncio.run(
            drive(load, process.pid, rate=options.rate, seconds=options.seconds, kill=options.kill)
        )
        if stopped is None:
            row = show(load, start, cpu_seconds(process.pid) - before, peak_memory(process.pid))
            save_rows(options.out, [{"load": "steady", **row}])
            return all(r.status == 200 for r in load.requests)
        code = process.wait(60)
        show(load, start, None, None)
        row = show_stop(load, stopped, code)
        save_rows(options.out, [{"load": "stopped", **row}])
        return row["lost"] == 0 and code == 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("model", type=Path, nargs="?")
    parser.add_argument("--rate", type=float, default=200, help="requests a second")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--kill", action="store_true", help="send SIGTERM in the middle")
    parser.add_argument("--out", type=Path, help="Where the row is written, as CSV.")
    options = parser.parse_args()
    from sub2node.scoring import load_scorer

    with TemporaryDirectory() as folder:
        model = options.model or fit(Path(folder))
        sets = walks(load_scorer(model).graph, 1000, np.random.default_rng(0))
        command = [sys.executable, "-c", _SERVE, "serve", str(model), "--port", "0"]
        sys.exit(0 if measure(command, sets, options) else 1)


if __name__ == "__main__":
    main()
