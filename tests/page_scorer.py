"""A model without learning whose names are as odd as real ones get, for tests of the page."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from fake_scorer import FakeQuery, FakeScorer
from sub2node.scoring import Answers, AnswerWarning, Node, WarningKind
from sub2node.scoring.explanation import Contribution
from sub2node.scoring.node_index import NodeIndex
from sub2node.task import Graph, Split, Subgraphs, SubgraphTask
from sub2node.task.names import Names

ODD = '<img src=x onerror="document.title=1">'
TITLES = {
    "TP53": "tumor protein p53",
    "TP63": "tumor protein p63",
    "BRCA1": "BRCA1 DNA repair associated",
    "EGFR": "epidermal growth factor receptor",
    ODD: '<b>bold</b> & "quoted"',
    "a, b; c": "Ünïcode, and an id that holds every separator but one",
    "=SUM(1)": "",
    "CRASH": "the model fails on this one",
}
CLASSES = (*(f"class {i}" for i in range(11)), "<i>last</i>, of a long name" * 3)

SMALL = AnswerWarning(WarningKind.SIZE, "one <b>node</b>, where most have more")


class PageScorer(FakeScorer):
    """Probabilities depend on how many nodes there are; a set with CRASH makes the model fail."""

    classes = CLASSES

    def __init__(
        self,
        *,
        multilabel: bool = False,
        seeds: int = 3,
        words: dict[str, str] | None = None,
        card: dict[str, object] | None = None,
    ) -> None:
        super().__init__()
        self.multilabel = multilabel
        self.seeds = tuple(range(seeds))
        names = [*TITLES, *(f"G{i}" for i in range(300))]
        self._nodes = set(names)
        size = len(names)
        self.graph = Graph.from_edges(np.arange(size - 1), np.arange(1, size), names=names)
        self.index = NodeIndex(self.graph)
        known = Subgraphs.from_pairs(
            np.array([0, 0, 0, 1, 1, 2, 2, 2, 2]),
            np.array([0, 1, 2, 3, 4, 5, 6, 0, 8]),
            3,
            names=Names(["S1", "S2", "S3"]),
            titles=Names(["tumours", "<u>odd</u>", "third"]),
        )
        labels = np.eye(3, len(CLASSES), dtype=int) if multilabel else np.arange(3)
        self.task = SubgraphTask(
            self.graph, known, labels, CLASSES, Split(np.zeros(3, int)), name="genes <b>"
        )
        self.card = {"validation": {"macro_f1": 0.4, "micro_f1": 0.625}, **(card or {})}
        self.card |= {"words": words} if words else {}

    def predict(self, query: FakeQuery, *, mode: str = "independent") -> Answers:
        self._pass(len(query))
        if any("CRASH" in nodes for nodes in query.sets):
            raise RuntimeError("secret detail")
        values = np.stack([chances(nodes) for nodes in query.sets])
        best = values.argmax(axis=1)[:, None] == np.arange(len(CLASSES))
        claimed = values > 0.15 if self.multilabel else best
        spread = values / 8 if len(self.seeds) > 1 else values * np.nan
        lost = AnswerWarning(WarningKind.UNKNOWN_NODES, "some nodes are unknown")
        doubts = [
            (*[lost] * bool(unknown), *[SMALL] * (len(nodes) == 1))
            for nodes, unknown in zip(query.sets, query.unknown, strict=True)
        ]
        return Answers(query.names, values, spread, query.known, query.unknown, claimed,
                       CLASSES, self.multilabel, tuple(doubts))  # fmt: skip

    def explain(self, query: FakeQuery, *, label: str | None = None) -> list[SimpleNamespace]:
        values = chances(query.sets[0])
        at = int(values.argmax()) if label is None else CLASSES.index(label)
        joined = tuple(
            part(f"K{i}", f"known {i}", 0.031 * (-1) ** i, 9.0 - i, (CLASSES[i],)) for i in range(4)
        )
        rest = float(values[at]) - 0.1 - sum(one.value for one in joined)
        shares = np.linspace(-1, 2, len(query.sets[0])) if len(query.sets[0]) > 1 else np.ones(1)
        shares = shares / shares.sum() * rest
        members = tuple(
            part(name, TITLES.get(name, ""), float(share), None, ())
            for name, share in zip(query.sets[0], shares, strict=True)
        )
        return [
            SimpleNamespace(
                name="0", label=CLASSES[at], probability=float(values[at]), baseline=0.1,
                members=members, neighbors=joined, statistics=None, border=None,
                gap=0.0, joins=True,
            )
        ]  # fmt: skip

    def neighbors(self, query: FakeQuery, *, count: int = 10) -> list[list[SimpleNamespace]]:
        return [
            [
                SimpleNamespace(
                    name=f"K{i}",
                    title=f"known {i}",
                    labels=(CLASSES[i],),
                    similarity=0.9 - i / 10,
                    shared=[TITLES.get(n) or n for n in query.sets[0]][:i],
                    size=i + 2,
                )
                for i in range(min(count, 6))
            ]
        ]

    def around(self, query: FakeQuery, *, most: int = 40) -> list[SimpleNamespace]:
        nodes = tuple(
            SimpleNamespace(name=f"K{i}", title=f"known <{i}>", labels=CLASSES[i : i + 1 + i % 3],
                            weight=9.0 - i if i < 8 else None, hop=1 if i < 8 else 2)
            for i in range(12)
        )  # fmt: skip
        near = [(-1, i, 9.0 - i) for i in range(8)]
        far = [(i - 8, i, 2.5) for i in range(8, 12)]
        return [SimpleNamespace(nodes=nodes, links=(*near, *far))]

    def find_nodes(self, text: str, *, count: int = 20) -> list[Node]:
        low = text.lower()
        hits = [n for n in self._nodes if low in n.lower() or low in TITLES.get(n, "").lower()]
        hits = sorted(hits, key=lambda name: (not name.lower().startswith(low), name))[:count]
        return [Node(n, TITLES.get(n, ""), len(n)) for n in hits]


def part(
    id: str, title: str, value: float, weight: float | None, labels: tuple[str, ...]
) -> Contribution:
    return Contribution(id, title, value, weight, labels)


def chances(nodes: tuple[str, ...]) -> np.ndarray:
    """One probability a class, highest where the number of nodes says."""
    values = 1 / (1 + (np.arange(len(CLASSES)) - len(nodes)) ** 2 % 97)
    return values / values.sum()
