"""A model without learning, for tests of the service: its answers are hashes of the node sets."""

from __future__ import annotations

import hashlib
import os
import sys
import threading
import time
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from sub2node.base.errors import DataError
from sub2node.scoring import Answers, Node, Scorer
from sub2node.scoring.explanation import Contribution
from sub2node.scoring.node_index import NodeIndex
from sub2node.task import Graph, Split, Subgraphs, SubgraphTask
from sub2node.task.names import Names

CLASSES = ("red", "green", "blue")


@dataclass(frozen=True)
class FakeQuery:
    names: tuple[str, ...]
    sets: tuple[tuple[str, ...], ...]
    known: np.ndarray
    unknown: tuple[tuple[str, ...], ...]
    index: NodeIndex
    absent: tuple[tuple[str, ...], ...] = ()

    def __len__(self) -> int:
        return len(self.sets)

    @property
    def query(self) -> FakeQuery:
        return self

    @property
    def subgraphs(self) -> Subgraphs:
        sets = Subgraphs.from_lists([self.index.find(nodes) for nodes in self.sets])
        if not any(self.absent):
            return sets
        absent = Subgraphs.from_lists([self.index.find(nodes) for nodes in self.absent])
        return replace(sets, excluded=absent)

    def take(self, positions: list[int]) -> FakeQuery:
        columns = (self.names, self.sets, self.known, self.unknown, self.absent)
        names, sets, known, unknown, absent = (
            [column[i] for i in positions if len(column)] for column in columns
        )
        return FakeQuery(
            tuple(names), tuple(sets), np.array(known), tuple(unknown), self.index, tuple(absent)
        )

    @staticmethod
    def join(queries: list[FakeQuery]) -> FakeQuery:
        return FakeQuery(
            tuple(name for q in queries for name in q.names),
            tuple(nodes for q in queries for nodes in q.sets),
            np.concatenate([q.known for q in queries]),
            tuple(names for q in queries for names in q.unknown),
            queries[0].index,
            tuple(nodes for q in queries for nodes in q.absent),
        )


class FakeScorer:
    """Knows the nodes n0 … n199; a set with n13 makes the model fail, with n17 after 20 s."""

    classes, multilabel = CLASSES, False
    structure, conv, title = "s2n+a", "gcn2", "fake"

    def __init__(self, seconds: float = 0.0) -> None:
        size = 200
        self.graph = Graph.from_edges(
            np.arange(size - 1), np.arange(1, size), names=[f"n{i}" for i in range(size)]
        )
        self._nodes = {f"n{i}" for i in range(size)}
        self.index = NodeIndex(self.graph)
        known = Subgraphs.from_lists([[0, 1], [2, 3], [4], [5, 6, 7]], names=Names("abcd"))
        labels = np.array([0, 0, 1, 2])
        self.task = SubgraphTask(
            self.graph, known, labels, CLASSES, Split(np.zeros(4, int)), name="fake"
        )
        self.seeds = (0, 1, 2)
        self.excluded: list[list[str]] | None = None  # of the last question
        self.card = {"validation": {"micro_f1": 0.5, "log_loss": float("nan"), "by": "argmax"}}
        self.seconds = seconds
        self.may_run = threading.Event()
        self.may_run.set()
        self.passes: list[int] = []
        self.busy = False
        self.threads: set[str] = set()

    def ask(self, sets, *, names=None, excluded=None, unknown_nodes="error") -> FakeQuery:
        self.excluded = excluded
        kept, known, unknown = [], [], []
        for nodes in sets:
            given = list(dict.fromkeys(map(str, nodes)))
            inside = tuple(sorted(node for node in given if node in self._nodes))
            missing = tuple(node for node in given if node not in self._nodes)
            if missing and unknown_nodes == "error":
                raise DataError(f"the graph has no node {missing[0]!r}.")
            if not inside:
                raise DataError("a subgraph has no node that the graph has.")
            kept.append(inside)
            known.append(len(inside) / len(given))
            unknown.append(missing)
        names = tuple(names or map(str, range(len(kept))))
        absent = tuple(
            tuple(str(node) for node in nodes if str(node) in self._nodes)
            for nodes in excluded or [[] for _ in kept]
        )
        return FakeQuery(names, tuple(kept), np.array(known), tuple(unknown), self.index, absent)

    @property
    def reads_excluded(self) -> bool:
        return bool(self.card.get("reads_excluded"))

    @property
    def num_learned(self) -> int:
        return len(self.classes)

    @property
    def num_labelled(self) -> int:
        return len(self.task)

    def explain_one(self, query: FakeQuery, target: int) -> SimpleNamespace:
        return self.explain(query, label=self.classes[target])[0]

    def similarities(self, query: FakeQuery) -> None:
        return None

    def describe_known(self, number: int) -> tuple[str, str, tuple[str, ...]]:
        return Scorer.describe_known(self, number)  # type: ignore[arg-type]

    def place(self, query: FakeQuery) -> FakeQuery:
        return query

    def predict(self, query: FakeQuery, *, mode="independent") -> Answers:
        self._pass(len(query))
        if any({"n13", "n17"} <= set(nodes) for nodes in query.sets):
            time.sleep(20)
        if any("n13" in nodes for nodes in query.sets):
            raise RuntimeError("secret detail of a failure")
        values = np.stack([hashed(nodes) for nodes in query.sets])
        claimed = values == values.max(axis=1, keepdims=True)
        return Answers(query.names, values, values / 10, query.known, query.unknown, claimed,
                       CLASSES, False)  # fmt: skip

    def explain(self, query: FakeQuery, *, label=None) -> list[SimpleNamespace]:
        self._pass(len(query))
        found = []
        for name, nodes in zip(query.names, query.sets, strict=True):
            values = hashed(nodes)
            at = int(values.argmax()) if label is None else CLASSES.index(label)
            parts = tuple(
                Contribution(n, n.upper(), 0.01, excluded=n in (self.excluded or [[]])[0])
                for n in nodes
            )
            joined = SimpleNamespace(id="s1", title="", value=0.02, weight=2.0, labels=("red",))
            found.append(
                SimpleNamespace(
                    name=name, label=CLASSES[at], probability=float(values[at]),
                    baseline=float(values[at]) - 0.01 * len(nodes) - 0.02, members=parts,
                    neighbors=(joined,), statistics=None, gap=0.0, joins=True, border=None,
                )
            )  # fmt: skip
        return found

    def neighbors(self, query: FakeQuery, *, count=10) -> list[list[SimpleNamespace]]:
        self._pass(len(query))
        one = SimpleNamespace(
            name="s1", title="first", labels=("red",), similarity=0.5, shared=(), size=2
        )
        return [[one] * min(count, 3) for _ in query.sets]

    def around(self, query: FakeQuery, *, most=40) -> list[SimpleNamespace]:
        near = SimpleNamespace(name="s1", title="first", labels=("red",), weight=2.0, hop=1)
        far = SimpleNamespace(name="s2", title="second", labels=("blue",), weight=None, hop=2)
        found = SimpleNamespace(nodes=(near, far), links=((-1, 0, 2.0), (0, 1, 1.0)))
        return [found for _ in query.sets]

    def find_nodes(self, text: str, *, count=20) -> list[Node]:
        hits = sorted(n for n in self._nodes if text.lower() in n)[:count]
        return [Node(n, n.upper(), 2) for n in hits]

    def _pass(self, size: int) -> None:
        self.threads.add(threading.current_thread().name)
        self.busy = True
        self.may_run.wait(20)
        time.sleep(self.seconds)
        self.passes.append(size)
        self.busy = False


def hashed(nodes: tuple[str, ...]) -> np.ndarray:
    """Three probabilities that only these nodes have."""
    digest = hashlib.sha256("\n".join(nodes).encode()).digest()
    values = np.frombuffer(digest[:12], np.uint32).astype(np.float64) + 1
    return values / values.sum()


def serve_itself(
    seconds: float,
    host: str,
    token: str,
    log: Path,
    connection: Connection,
    limits: dict[str, Any],
    files: int,
) -> None:
    """Serve until a signal ends this process; the address is sent through the connection.

    Args:
        seconds: What a pass takes.
        host: Where to listen.
        token: What clients must know; "" for nothing.
        log: File that takes the place of stderr.
        connection: Gets the address once the service is ready.
        limits: Limits of the service that are not the usual ones.
        files: Most files that the process may open; 0 for the usual.
    """
    import resource

    from sub2node.serve.request_limits import Limits, read_token
    from sub2node.serve.server import serve

    with log.open("w") as errors:
        os.dup2(errors.fileno(), sys.stderr.fileno())
    if files:
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    environment = {"S2N_TOKEN": token} if token else {}
    serve(
        FakeScorer(seconds),
        host=host,
        port=0,
        limits=Limits(**limits),
        token=read_token(None, environment),
        ready=connection.send,
    )
