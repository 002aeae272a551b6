"""Fuzzed requests, slow clients, a stop and a mixed load against a real service on loopback.

    cd tests && python -m torture requests --count 3000

Every request gets an answer of one sentence below status 500, every client that keeps the service
waiting is cut, and good requests beside them are answered as if they were alone.
"""

from __future__ import annotations

import json
import random
import re
import signal
import socket
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from forked import fork_code
from sub2node.serve.request_limits import Limits
from torture.rows import new_row

LIMIT = 15.0  # seconds for one answer
HEADER, TIMEOUT = 2.0, 5.0  # limits of the service, in seconds
STOP = 10.0
FULL = 1000  # requests from which on the load has its whole length and the model its whole size
PATHS = (
    "/v1/predict", "/v1/explain", "/v1/neighbors", "/v1/predict", "/v1/nodes", "/v1/model",
    "/healthz", "/metrics", "/docs", "/openapi.json", "/", "/v1/", "/nowhere", "/v1/predict/",
    "/..%2f", "/%00", "/v1/nodes?q=%ff&count=-1", "/v1/nodes?q=a&count=99999999999",
)  # fmt: skip
METHODS = ("POST", "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "X")
SERVE = """
import sys, torch
from sub2node.scoring import load_scorer
from sub2node.serve.request_limits import Limits
from sub2node.serve.server import serve
torch.set_num_threads(1)
limits = Limits(header_seconds={header}, timeout={timeout})
def ready(address): print(address, flush=True)
serve(load_scorer(sys.argv[1]), port=0, limits=limits, ready=ready)
"""


def make_model(folder: Path, *, large: bool) -> Path:
    """A model that is hardly trained; a large one has the shape of PPI-BP and five seeds."""
    from sub2node import load_task, translate
    from sub2node.efficiency.benchmark import PUBLISHED_EDGES, published_cut
    from sub2node.estimator import SubgraphClassifier

    settings: dict[str, Any] = {"epochs": 2}
    if large:
        task = load_task("like:ppi_bp")
        cut = published_cut(translate(task), PUBLISHED_EDGES["ppi_bp"])
        settings |= {"a": cut, "delta": 1.0}
        model = SubgraphClassifier("s2n+a", "gcn2", preset="paper:ppi_bp", settings=settings)
    else:
        task = load_task("generate:density,subgraphs=40")
        settings["features.kind"] = "random"
        model = SubgraphClassifier("s2n+a", "gcn2", seeds=2, preset="fast", settings=settings)
    return model.fit(task).save(folder / "model")


class Service:
    """A service in a process of its own."""

    def __init__(self, model: Path, timeout: float | None = None) -> None:
        code = SERVE.format(header=HEADER, timeout=timeout or TIMEOUT)
        self.process = fork_code(model, code=code)
        match, end = None, time.monotonic() + 60
        while match is None and self.process.poll() is None and time.monotonic() < end:
            time.sleep(0.01)
            match = re.search(r"http://([\d.]+):(\d+)\n", self.process.printed()[0])
        assert match is not None, self.process.printed()[1][-2000:]
        self.address = (match[1], int(match[2]))

    def find_traces(self) -> list[str]:
        """The ends of stack traces in the log."""
        lines = [line for line in self.process.printed()[1].splitlines() if '"trace"' in line]
        return [json.loads(line)["trace"].splitlines()[-1] for line in lines]

    def stop(self) -> float:
        """Stop it; the seconds that takes."""
        begun = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        if not self.process.wait(4 * STOP):
            self.process.kill()
        return time.monotonic() - begun


@contextmanager
def started(model: Path, timeout: float | None = None) -> Iterator[Service]:
    """A service that is gone in the end."""
    service = Service(model, timeout)
    try:
        yield service
    finally:
        service.process.kill()


def post(path: str, body: bytes, *, headers: str = "", method: str = "POST") -> bytes:
    """A request as bytes."""
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n{headers}"
    if "content-type" not in headers.lower():
        head += "Content-Type: application/json\r\n"
    if "content-length" not in headers.lower() and "chunked" not in headers.lower():
        head += f"Content-Length: {len(body)}\r\n"
    return head.encode("latin-1", "replace") + b"\r\n" + body


def exchange(address: tuple[str, int], content: bytes) -> bytes:
    """Send bytes on a connection of its own and read all that comes back."""
    with socket.create_connection(address, LIMIT) as connection:
        answer = b""
        with suppress(ConnectionError):  # it may answer and close before all is sent
            connection.sendall(content)
        with suppress(ConnectionError):
            while not is_whole(answer, with_body=not content.startswith(b"HEAD ")):
                piece = connection.recv(1 << 16)
                if not piece:
                    break
                answer += piece
        return answer


def is_whole(answer: bytes, *, with_body: bool) -> bool:
    """Whether an answer has arrived, with its body if it has one."""
    if answer.startswith(b"HTTP/1.1 100 "):
        answer = answer.partition(b"\r\n\r\n")[2]
    head, found, body = answer.partition(b"\r\n\r\n")
    if not with_body:
        return bool(found)
    length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
    return bool(found) and length is not None and len(body) >= int(length[1])


class RequestMaker:
    """Good requests and bad ones, the same for the same seed."""

    def __init__(self, nodes: list[str], seed: int) -> None:
        self.nodes, self.rng = nodes, random.Random(seed)

    def good_body(self, size: int | None = None) -> bytes:
        """A body that is answered."""
        size = self.rng.randint(1, 15) if size is None else size
        names = self.rng.sample(self.nodes, min(size, len(self.nodes)))
        return json.dumps({"nodes": names}).encode()

    def bad(self) -> bytes:
        """A request with something wrong, or odd, or nothing."""
        rng = self.rng
        path = rng.choice(PATHS)
        usual = "POST" if path in PATHS[:3] else "GET"
        method = usual if rng.random() < 0.8 else rng.choice(METHODS)
        body, headers = self._body(), rng.choice(("", "", "", *self._headers()))
        if "chunked" in headers:
            body = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
        content = post(path, body, headers=headers, method=method)
        if rng.random() < 0.1:  # also the bytes of the header
            place = rng.randrange(len(content))
            content = content[:place] + rng.randbytes(rng.randint(1, 8)) + content[place + 1 :]
        return content

    def _headers(self) -> tuple[str, ...]:
        return (
            "Transfer-Encoding: chunked\r\n",
            "Content-Type: text/plain\r\n",
            "Content-Length: 99999999999999999999\r\n",
            "Content-Length: -1\r\n",
            "Host: evil.example\r\n",
            "Authorization: Bearer x\r\nAuthorization: Bearer y\r\n",
            "Content-Encoding: gzip\r\n",
            "Expect: 100-continue\r\n",
            "Upgrade: websocket\r\nConnection: Upgrade\r\n",
            f"X: {'x' * 70_000}\r\n",
            "Accept: text/html\r\n",
        )

    def _body(self) -> bytes:
        rng = self.rng
        kind = rng.randrange(7)
        if kind == 0:
            return rng.randbytes(rng.randint(0, 200))
        if kind == 1:
            return b"[" * rng.choice((10, 100_000))
        if kind == 2:
            body = bytearray(self.good_body())
            for _ in range(rng.randint(1, 4)):
                body[rng.randrange(len(body))] = rng.randrange(256)
            return bytes(body)
        if kind == 3:
            return self.good_body()
        return json.dumps(self._value()).encode("utf-8", "surrogatepass")

    def _value(self) -> dict[str, Any]:
        rng = self.rng
        odd: list[Any] = [None, True, -1, 2**70, 1e308, "", "\x00", "\ud800", "x" * 5000, [], {},
                          [[]], ["n"] * 2000, {"a": {"b": []}}, [None], [1.5], float("nan"),
                          [rng.choice(self.nodes), 7, "unknown"]]  # fmt: skip
        keys = ("nodes", "subgraphs", "unknown_nodes", "label", "count", "id", "more")
        value = {key: rng.choice(odd) for key in rng.sample(keys, rng.randint(0, 4))}
        if rng.random() < 0.5:
            value["nodes"] = rng.sample(self.nodes, 3)
        if rng.random() < 0.2:
            value["subgraphs"] = [{"nodes": rng.choice(odd)} for _ in range(rng.choice((1, 1500)))]
        return value


def status_of(answer: bytes) -> int:
    """The status of an answer; 0 for none."""
    match = re.match(rb"HTTP/1\.1 (\d{3}) ", answer)
    if match and match[1] == b"100":  # Expect: 100-continue
        return status_of(answer.partition(b"\r\n\r\n")[2])
    return int(match[1]) if match else 0


def body_of(answer: bytes) -> bytes:
    """The body of an answer."""
    return answer.partition(b"\r\n\r\n")[2]


def fuzz(service: Service, maker: RequestMaker, reference: Reference, count: int) -> dict[str, Any]:
    """Bad requests, and a good one after every ninth."""
    counts: Counter[str] = Counter()
    statuses: Counter[int] = Counter()
    for number in range(count):
        is_good = number % 10 == 9
        body = maker.good_body()
        content = post("/v1/predict", body) if is_good else maker.bad()
        try:
            answer = exchange(service.address, content)
        except TimeoutError:
            counts["hangs"] += 1
            continue
        status = status_of(answer)
        statuses[status] += 1
        counts["tracebacks"] += b"Traceback" in answer
        counts["wrong"] += status >= 500
        if is_good:
            counts["lost"] += status != 200
            counts["wrong"] += status == 200 and not reference.agrees(body, body_of(answer))
    traces = service.find_traces()
    counts["tracebacks"] += len(traces)
    note = "statuses " + ", ".join(f"{key or 'none'}: {statuses[key]}" for key in sorted(statuses))
    note += f"; first trace: {traces[0][:150]}" if traces else ""
    return new_row("fuzzed", count, note, **counts)


class Reference:
    """What the model answers in this process."""

    def __init__(self, model: Path) -> None:
        from sub2node.scoring import load_scorer

        self.scorer = load_scorer(model)
        names, size = self.scorer.graph.names, self.scorer.graph.num_nodes
        self.nodes = [str(node) if names is None else names[node] for node in range(size)]

    def agrees(self, body: bytes, answer: bytes) -> bool:
        """Whether an answer of the service is the one that this subgraph gets alone."""
        query = self.scorer.ask([json.loads(body)["nodes"]])
        expected = self.scorer.predict(query).probabilities[0]
        (prediction,) = json.loads(answer)["predictions"]
        return np.allclose(list(prediction["probabilities"].values()), expected, atol=1e-5)


def slow_clients(service: Service, maker: RequestMaker, count: int) -> dict[str, Any]:
    """Clients that stay silent, stop in the middle or do not read; good requests beside them."""
    body = maker.good_body()
    whole = post("/v1/predict", body)
    beginnings = (b"", whole[:20], whole[: whole.index(b"\r\n\r\n") + 2], whole[:-5], whole[:-5])
    counts: Counter[str] = Counter()
    slowest = 0.0
    with ExitStack() as stack:
        clients = []
        for number in range(count):
            client = stack.enter_context(socket.create_connection(service.address, LIMIT))
            client.sendall(beginnings[number % len(beginnings)])
            clients.append(client)
        end = time.monotonic() + 2 * HEADER + TIMEOUT + 2
        while time.monotonic() < end:
            begun = time.monotonic()
            counts["lost"] += status_of(exchange(service.address, whole)) != 200
            slowest = max(slowest, time.monotonic() - begun)
            time.sleep(0.1)
        for client in clients:
            client.settimeout(2)
            try:
                while client.recv(1 << 16):
                    pass
            except TimeoutError:  # neither answered and closed, nor cut
                counts["hangs"] += 1
            except ConnectionError:
                pass
    note = f"cut or refused; the slowest good request beside them took {1000 * slowest:.0f} ms"
    return new_row("slow clients", count, note, **counts)


def stop_with_half_bodies(model: Path, maker: RequestMaker, count: int) -> dict[str, Any]:
    """SIGTERM while clients have sent half of a body."""
    with started(model) as service, ExitStack() as stack:
        half = post("/v1/predict", maker.good_body())[:-5]
        for _ in range(count):
            client = stack.enter_context(socket.create_connection(service.address, LIMIT))
            client.sendall(half)
        time.sleep(0.5)
        seconds = service.stop()
        code = service.process.returncode
    note = f"stopped after {seconds:.1f} s with exit code {code}"
    return new_row(
        "stop with half-sent bodies",
        count,
        note,
        hangs=int(seconds > STOP),
        wrong=int(code != 0),
    )


def main(seed: int = 24, count: int = 3000) -> list[dict[str, Any]]:
    """Send so many fuzzed requests, the same ones for the same seed, and what goes with them."""
    from torture.mixed_load import mixed_load

    full = count >= FULL
    few = 100 if full else 5
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        model = make_model(folder, large=full)
        reference = Reference(model)
        maker = RequestMaker(reference.nodes, seed)
        with started(model) as service:
            rows = [
                fuzz(service, maker, reference, count),
                slow_clients(service, maker, few),
            ]
        with started(model, Limits().timeout) as service:
            rows.append(mixed_load(service, maker, full=full))
        rows.append(stop_with_half_bodies(model, maker, few))
    return rows
