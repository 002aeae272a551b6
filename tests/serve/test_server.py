"""The service as a process of its own: real sockets, real signals."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import random
import signal
import socket
import sys
import threading
import time
from contextlib import contextmanager
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import uvicorn

import fake_scorer
import forked
from fake_scorer import FakeScorer, hashed
from sub2node.base.errors import ConfigError
from sub2node.serve import server
from sub2node.serve.app import create_app
from sub2node.serve.server import serve

JSON = {"Content-Type": "application/json"}
BODY = b'{"nodes": ["n1", "n2"]}'
SLOW = b'{"nodes": ["n13", "n17"]}'
HEAD = b"POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
HALF = HEAD + b"Content-Length: 100\r\n\r\n{"


class Running:
    """A service that runs: its process, its address, what it logged."""

    def __init__(self, process: BaseProcess, url: str, log: Path) -> None:
        self.process, self.url, self._log = process, url, log
        self.address = (urlsplit(url).hostname, urlsplit(url).port)

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection(*self.address, timeout=20)

    def signal(self, number: int) -> None:
        os.kill(self.process.pid, number)

    def wait(self) -> int:
        """The exit code."""
        self.process.join(20)
        return self.process.exitcode

    def stop(self) -> int:
        self.signal(signal.SIGTERM)
        return self.wait()

    @property
    def log(self) -> list[dict]:
        return [json.loads(line) for line in self._log.read_text().splitlines()]


@pytest.fixture(scope="module")
def processes() -> BaseContext:
    """New processes that have imported what a service needs, torch among it."""
    return forked.processes()


@pytest.fixture
def start_service(processes: BaseContext, tmp_path: Path):
    """Starts services: ``start_service(0.01)`` has a model that takes 10 ms a pass."""

    @contextmanager
    def run(
        seconds: float = 0.0, host: str = "127.0.0.1", token: str = "", files: int = 0, **limits
    ):
        log = tmp_path / "log"
        receiver, sender = processes.Pipe(duplex=False)
        words = (seconds, host, token, log, sender, limits, files)
        process = processes.Process(target=fake_scorer.serve_itself, args=words)
        process.start()
        sender.close()
        try:
            yield Running(process, receiver.recv(), log)
        finally:
            process.kill()
            process.join()

    return run


def ask(connection: http.client.HTTPConnection, body: bytes = BODY) -> tuple[int, dict]:
    connection.request("POST", "/v1/predict", body, JSON)
    answer = connection.getresponse()
    return answer.status, json.loads(answer.read())


def is_answered(running: Running) -> bool:
    """Whether a client is answered, rather than refused for the number of connections."""
    try:
        return ask(running.connect())[0] == 200
    except (OSError, http.client.HTTPException):
        return False


class Asker(threading.Thread):
    """A client that keeps its connection and asks until it is refused."""

    def __init__(self, running: Running, seed: int) -> None:
        super().__init__(daemon=True)
        self._running, self._rng = running, random.Random(seed)
        self.sent: list[tuple[float, tuple[str, ...], dict | None]] = []

    def run(self) -> None:
        nodes = [f"n{i}" for i in range(20, 200)]
        connection = self._running.connect()
        while True:
            members = tuple(sorted(self._rng.sample(nodes, 5)))
            body = json.dumps({"nodes": members}).encode()
            try:
                if connection.sock is None:
                    connection.connect()
            except OSError:
                return  # refused: no more are taken
            moment, found = time.monotonic(), None
            try:
                status, found = ask(connection, body)
                assert status == 200
            except (OSError, http.client.HTTPException):
                connection.close()
            self.sent.append((moment, members, found))


def test_no_accepted_request_is_lost(start_service) -> None:
    with start_service(0.01) as running:
        clients = [Asker(running, seed) for seed in range(50)]
        for client in clients:
            client.start()
        time.sleep(1.5)
        stopped = time.monotonic()
        assert running.stop() == 0
        for client in clients:
            client.join(20)
            assert not client.is_alive()
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(running.address, 5)
        before = [one for client in clients for one in client.sent if one[0] < stopped]
        assert len(before) > 200
        for _, members, found in before:
            assert found is not None
            values = found["predictions"][0]["probabilities"].values()
            assert list(values) == hashed(members).tolist()
        # Nor is one lost that was sent a moment later on a connection that was kept.
        assert all(found is not None for client in clients for _, _, found in client.sent)
        assert {line.get("status", 200) for line in running.log} == {200}


def test_connections_that_are_kept_may_send_once_more(start_service) -> None:
    with start_service() as running:
        connections = [running.connect() for _ in range(5)]
        for connection in connections:
            assert ask(connection)[0] == 200
        running.signal(signal.SIGTERM)
        time.sleep(0.3)
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(running.address, 5)
        for connection in connections:
            connection.request("POST", "/v1/predict", BODY, JSON)
            answer = connection.getresponse()
            assert (answer.status, answer.headers["connection"]) == (200, "close")
            answer.read()
        assert running.wait() == 0


def test_connections_that_wait_to_be_accepted_are_answered(start_service) -> None:
    with start_service() as running:
        running.signal(signal.SIGSTOP)
        connections = [running.connect() for _ in range(20)]
        for connection in connections:
            connection.request("POST", "/v1/predict", BODY, JSON)
        running.signal(signal.SIGTERM)
        running.signal(signal.SIGCONT)
        for connection in connections:
            assert connection.getresponse().status == 200
        assert running.wait() == 0


@pytest.mark.slow
def test_no_knock_is_lost_between_the_last_accept_and_the_end() -> None:
    """All of it on one loop: nothing is accepted between the connections and the stop."""

    async def work() -> list[bytes]:
        bound = server._bind("127.0.0.1", 0)
        app = create_app(FakeScorer())
        config = uvicorn.Config(app, log_config=None, access_log=False)
        config.load()
        running = server.Server(config, app.state.service, lambda: None)
        running.lifespan = config.lifespan_class(config)
        await running.startup([bound])
        clients = [socket.create_connection(bound.getsockname(), 10) for _ in range(5)]
        for client in clients:
            client.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(BODY) + BODY)
        await running.shutdown([bound])
        answers = []
        for client in clients:
            with client:
                answers.append(client.recv(12))
        return answers

    assert asyncio.run(work()) == [b"HTTP/1.1 200"] * 5


def test_a_request_under_way_is_finished(start_service) -> None:
    with start_service(1.0) as running:
        connection = running.connect()
        connection.request("POST", "/v1/predict", BODY, JSON)
        probe = running.connect()
        probe.connect()
        time.sleep(0.3)
        running.signal(signal.SIGINT)
        time.sleep(0.3)
        probe.request("GET", "/healthz")
        answer = probe.getresponse()
        assert (answer.status, json.loads(answer.read())) == (503, {"status": "stopping"})
        assert connection.getresponse().status == 200
        assert running.wait() == 0


def test_answers_come_without_delay(start_service) -> None:
    with start_service() as running:
        connection = running.connect()
        times = []
        for _ in range(60):
            begun = time.monotonic()
            assert ask(connection)[0] == 200
            times.append(time.monotonic() - begun)
        assert min(times[30:]) < 0.03  # Nagle's algorithm would make each 0.04
        assert running.stop() == 0
        assert not any(line["level"] == "warning" for line in running.log)


def test_large_bodies_are_refused_in_full(start_service) -> None:
    with start_service() as running:
        connection = running.connect()
        status, found = ask(connection, b" " * 10_000_000)
        assert (status, "larger than" in found["error"]) == (413, True)
        connection = running.connect()
        pieces = (b" " * 65_536 for _ in range(160))
        connection.request("POST", "/v1/predict", pieces, JSON, encode_chunked=True)
        assert connection.getresponse().status == 413
        with socket.create_connection(running.address, 5) as raw:  # before any of it is sent
            raw.sendall(HEAD + b"Content-Length: 10000000\r\n\r\n")
            assert raw.recv(100).startswith(b"HTTP/1.1 413")
        assert ask(running.connect())[0] == 200


def test_what_is_not_http(start_service) -> None:
    with start_service() as running:
        negative = HEAD + b"Content-Length: -5\r\n\r\n"
        for noise in (b"\x16\x03\x01\x02\x00" * 50, b"GET\r\n\r\n", negative, b"X" * 100_000):
            with socket.create_connection(running.address, 5) as raw:
                raw.sendall(noise)
                assert raw.recv(100).startswith(b"HTTP/1.1 400")
        with socket.create_connection(running.address, 5) as raw:  # leaves in the middle
            raw.sendall(HALF)
        assert ask(running.connect())[0] == 200
        assert running.stop() == 0


def test_a_warning_where_others_can_reach_it(start_service) -> None:
    with start_service(host="0.0.0.0") as running:
        assert running.stop() == 0
        (warning,) = (line for line in running.log if line["level"] == "warning")
        assert "no token" in warning["message"]
    with start_service(host="0.0.0.0", token="abc") as running:
        assert ask(running.connect())[0] == 401
        assert running.stop() == 0
        assert not any(line["level"] == "warning" for line in running.log)
        assert "abc" not in json.dumps(running.log)


def test_addresses_that_do_not_go() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ConfigError, match=f"port {port}.*--port"):
            serve(FakeScorer(), port=port)
    with pytest.raises(ConfigError, match="not known here"):
        serve(FakeScorer(), host="no.such.host.invalid")


def test_connections_beyond_the_limit_are_told_so(start_service) -> None:
    with start_service(connections=3) as running:
        kept = [running.connect() for _ in range(3)]
        for connection in kept:
            assert ask(connection)[0] == 200
        for _ in range(100):  # some of them silent
            with socket.create_connection(running.address, 5) as raw:
                assert raw.recv(1000).startswith(b"HTTP/1.1 503")
        status, answer = ask(running.connect())
        assert (status, "too many connections" in answer["error"]) == (503, True)
        assert ask(kept[0])[0] == 200
        for connection in kept:
            connection.close()
        time.sleep(0.2)
        assert ask(running.connect())[0] == 200
        refusals = [line for line in running.log if "refused" in line.get("message", "")]
        assert 1 <= len(refusals) <= 10


def test_silent_and_slow_clients_are_cut(start_service) -> None:
    with start_service(header_seconds=0.5, timeout=2) as running:
        clients = [socket.create_connection(running.address, 10) for _ in range(4)]
        clients[1].sendall(b"POST /v1/predict HTT")  # never completes its header
        clients[2].sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /he")
        clients[3].sendall(HALF)  # never completes its body
        begun, answers = time.monotonic(), []
        for client in clients:
            with client:
                content = b""
                while piece := client.recv(1000):
                    content += piece
                    if content.startswith(b"HTTP/1.1 408"):
                        break
                answers.append(content[:12])
        assert answers == [b"", b"", b"HTTP/1.1 200", b"HTTP/1.1 408"]
        assert time.monotonic() - begun < 8
        connection = running.connect()
        assert ask(connection)[0] == 200
        time.sleep(1)  # a connection between two requests is kept for longer
        assert ask(connection)[0] == 200


def test_a_client_that_does_not_read_is_cut(start_service) -> None:
    with start_service(timeout=0.5) as running:
        raw = socket.socket()
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        raw.settimeout(10)
        raw.connect(running.address)
        request = b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n"
        with raw, pytest.raises(ConnectionError):  # the answers fill every buffer between
            raw.sendall(request * 200_000)
        assert ask(running.connect())[0] == 200


def test_few_file_handles_stop_nothing_and_fill_no_log(start_service) -> None:
    with start_service(files=100, header_seconds=1) as running:
        silent = [socket.create_connection(running.address, 5) for _ in range(300)]
        deadline = time.monotonic() + 10
        while not is_answered(running):
            assert time.monotonic() < deadline
            time.sleep(0.1)
        for client in silent:
            client.close()
        assert running.stop() == 0
        assert any("ulimit" in line.get("message", "") for line in running.log)
        assert len(running.log) < 200


def test_it_stops_in_time_whatever_clients_do(start_service) -> None:
    with start_service() as one, start_service() as other:  # at once: it takes seconds
        clients = []
        for running in (one, other):
            half, slow = (socket.create_connection(running.address, 20) for _ in range(2))
            half.sendall(HALF)
            slow.sendall(HEAD + b"Content-Length: %d\r\n\r\n" % len(SLOW) + SLOW)
            clients += [(half, b"rest of the body"), (slow, b"before it has this answer")]
        time.sleep(0.5)
        begun = time.monotonic()
        one.signal(signal.SIGTERM)
        other.signal(signal.SIGINT)
        for client, text in clients:
            with client:
                answer = client.recv(4000)
                assert answer.startswith(b"HTTP/1.1 503")
                assert text in answer or text in client.recv(4000)
        assert (one.wait(), other.wait()) == (0, 0)
        assert time.monotonic() - begun < 10


def test_only_for_names_that_are_its_own(start_service) -> None:
    with start_service() as running:
        port = running.address[1]
        for host, status in (("localhost", 200), (f"127.0.0.1:{port}", 200), ("evil.example", 421)):
            connection = running.connect()
            connection.request("GET", "/healthz", headers={"Host": host})
            answer = connection.getresponse()
            assert answer.status == status
            text = json.loads(answer.read())
        assert "'evil.example'" in text["error"]
        assert "--allowed-host" in text["error"]


def test_a_body_that_is_not_http_leaves_no_trace(start_service) -> None:
    with start_service() as running:
        chunked = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
        lost = HEAD.replace(b"/v1/predict", b"/nowhere") + b"Transfer-Encoding: chunked\r\n\r\n"
        for head, later in ((chunked, False), (chunked, True), (lost, False), (lost, True)):
            with socket.create_connection(running.address, 5) as raw:
                raw.sendall(head + b"1\r\n")
                time.sleep(0.2 * later)  # an answer may have been given meanwhile
                raw.sendall(b"{no chunk\r\n")
                assert raw.recv(100)[:12] in (b"HTTP/1.1 400", b"HTTP/1.1 404")
                while raw.recv(1000):
                    pass
        assert ask(running.connect())[0] == 200
        assert running.stop() == 0
        assert not any("trace" in line for line in running.log)


@pytest.mark.slow
def test_threads_take_short_turns_while_it_serves() -> None:
    usual = sys.getswitchinterval()
    intervals = []

    class Interrupted(Exception):
        pass

    def ready(address: str) -> None:
        intervals.append(sys.getswitchinterval())
        raise Interrupted

    with pytest.raises(Interrupted):
        serve(FakeScorer(), port=0, ready=ready)
    assert intervals[0] < usual == sys.getswitchinterval()
