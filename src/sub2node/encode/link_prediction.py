"""Node embeddings that are trained to tell edges from pairs that are none.

The network is the one that GLASS pre-trains: a vector a node, layers of message passing, and a
small network on the mean of two ends. No label of any subgraph is read.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits

from ..device import find_device
from ..errors import ConfigError, DataError, Sub2NodeError
from ..pattern import Pattern
from ..progress import step
from ..ragged import Array, among, generator
from ..task import Graph
from .encoding import Encoding, check_count

_TRIES = 64


@dataclass(frozen=True)
class LinkSettings:
    """How embeddings are pre-trained.

    Args:
        layers: Rounds of message passing.
        aggregation: Of neighbours: ``mean``, ``sum`` or ``gcn`` (D^-½ A D^-½).
        dropout: Between layers.
        lr: Learning rate of Adam.
        batch: Edges a step, and as many pairs without an edge.
        steps: Steps an epoch at most.
        epochs: At most.
        every: Epochs between looks at validation.
        patience: Looks without a gain after which training stops.
        held_out: Share of the edges that is kept for validation; no message passes over them.
        messages: Edges that messages pass over, drawn anew each epoch; 0: all.
        seed: Of everything that is drawn.
    """

    layers: int = 2
    aggregation: Literal["mean", "sum", "gcn"] = "mean"
    dropout: float = 0.0
    lr: float = 1e-3
    batch: int = 65_536
    steps: int = 10
    epochs: int = 100
    every: int = 5
    patience: int = 3
    held_out: float = 0.05
    messages: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        counts = {"layers": 0, "batch": 1, "steps": 1, "epochs": 1, "every": 1, "patience": 1,
                 "messages": 0, "seed": 0}  # fmt: skip
        for name, low in counts.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < low:
                raise ConfigError(f"{name} is a whole number from {low}, found {value!r}.")
        if self.aggregation not in ("mean", "sum", "gcn"):
            raise ConfigError(f"aggregation is mean, sum or gcn, not {self.aggregation!r}.")
        for name, least, high in (
            ("dropout", 0, 0.99),
            ("held_out", 1e-6, 0.99),
            ("lr", 1e-9, 1e30),
        ):
            value = getattr(self, name)
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or not least <= value <= high:
                raise ConfigError(
                    f"{name} is a number from {least:g} to {high:g}, found {value!r}."
                )


def link_prediction(
    graph: Graph,
    width: int = 64,
    settings: LinkSettings | None = None,
    *,
    device: str = "auto",
) -> Encoding:
    """Embeddings of all nodes, pre-trained to predict the graph's edges.

    Validation edges are held out in both directions and no message passes over them while training,
    so the AUC is that of unseen edges; the vectors returned are computed on the whole graph.

    Args:
        graph: The graph; weights weigh the messages.
        width: Columns.
        settings: How.
        device: ``auto``, ``cpu`` or ``cuda``.

    Returns:
        Vectors (N, width); ``facts`` has the validation AUC and its history.
    """
    settings, width = settings or LinkSettings(), check_count(width, "columns of link embeddings")
    where, start = find_device(device), time.perf_counter()
    training = _Training(graph, width, settings, where)
    training.loop()
    vectors = training.vectors()
    facts = {
        "auc": training.best,
        "history": training.history,
        "validation_edges": len(training.pairs.held_out[0]),
        "settings": asdict(settings),
        "device": where.type,
        "seconds": time.perf_counter() - start,
    }
    return Encoding("link", np.arange(graph.num_nodes), vectors, facts)


@dataclass(eq=False)
class _Pairs:
    """Edges to learn from, edges held out, and pairs without an edge."""

    graph: Graph
    share: float
    random: np.random.Generator

    def __post_init__(self) -> None:
        low, high, weights = self.graph.edges()
        size, count = self.graph.num_nodes, len(low)
        if count < 2:
            raise DataError(
                f"link prediction needs two edges at least, the graph has {count}; use other"
                " features (random, svd or constant)."
            )
        if count >= size * (size - 1) // 2:
            raise DataError(
                "every pair of nodes has an edge, so links cannot be predicted; use other features"
                " (random, svd or constant)."
            )
        self.keys = low.astype(np.int64) * size + high  # ascending, as edges() sorts
        order = self.random.permutation(count)
        held = max(1, min(int(self.share * count), count - 1))
        self.weights = weights
        self.kept = np.sort(order[held:])
        self.ends = np.stack([low, high]).astype(np.int64)
        self.held_out = self.ends[:, np.sort(order[:held])]
        self.not_joined = self.without_edge(held)

    def without_edge(self, count: int) -> Array:
        """Pairs of different nodes without an edge, drawn uniformly: (2, count)."""
        size = self.graph.num_nodes
        found: list[Array] = []
        missing = count
        for _ in range(_TRIES):
            ends = self.random.integers(0, size, (2, missing + missing // 8 + 8))
            low, high = ends.min(axis=0), ends.max(axis=0)
            good = (low < high) & ~among(low * size + high, self.keys)
            found.append(np.stack([low, high])[:, good][:, :missing])
            missing -= found[-1].shape[1]
            if not missing:
                return np.concatenate(found, axis=1)
        return self._listed(count)

    def _listed(self, count: int) -> Array:
        """The same where such pairs are rare: the graph is small or nearly complete."""
        size = self.graph.num_nodes
        if size > 20_000:
            raise DataError("the graph is nearly complete; links cannot be predicted in it.")
        low, high = np.triu_indices(size, 1)
        free = np.flatnonzero(~among(low * size + high, self.keys))
        drawn = self.random.choice(free, count)
        return np.stack([low[drawn], high[drawn]])

    def adjacency(self, edges: Array | None, how: str) -> Any:
        """The matrix that messages pass over, CSR: of some edges, or of the whole graph."""
        low, high = self.ends if edges is None else self.ends[:, edges]
        weights = np.ones(len(low), np.float32)
        if self.weights is not None:
            weights = self.weights if edges is None else self.weights[edges]
        both = (np.concatenate([low, high]), np.concatenate([high, low]))
        shape = (self.graph.num_nodes,) * 2
        matrix = sp.coo_array((np.concatenate([weights, weights]), both), shape=shape).tocsr()
        if how == "sum":
            return matrix
        degree = np.asarray(matrix.sum(axis=1)).ravel()
        power = -1.0 if how == "mean" else -0.5
        scale = np.power(degree, power, out=np.zeros_like(degree), where=degree > 0)
        matrix = sp.diags_array(scale) @ matrix
        return matrix.tocsr() if how == "mean" else (matrix @ sp.diags_array(scale)).tocsr()


class _GraphNorm(nn.Module):
    """Channels of all nodes brought to a learned share of their mean and to variance 1."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.share, self.scale = nn.Parameter(torch.ones(width)), nn.Parameter(torch.ones(width))
        self.shift = nn.Parameter(torch.zeros(width))

    def forward(self, x: Tensor) -> Tensor:
        x = x - self.share * x.mean(0)
        return self.scale * x * torch.rsqrt(x.square().mean(0) + 1e-5) + self.shift


class _Layer(nn.Module):
    """Linear, ReLU, messages, normalisation, beside the input; and a linear map of both."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.before, self.after = nn.Linear(width, width), nn.Linear(2 * width, width)
        self.norm = _GraphNorm(width)

    def forward(self, x: Tensor, pattern: Pattern, values: Tensor) -> Tensor:
        message = pattern.aggregate(self.before(x).relu()[None], values)[0]
        return self.after(torch.cat([self.norm(message), x], dim=-1))  # type: ignore[no-any-return]


class _Network(nn.Module):
    def __init__(self, size: int, width: int, settings: LinkSettings) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.randn(size, width))
        self.layers = nn.ModuleList(_Layer(width) for _ in range(settings.layers))
        self.norms = nn.ModuleList(_GraphNorm(width) for _ in range(settings.layers - 1))
        self.dropout = nn.Dropout(settings.dropout)
        self.score = nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 1))

    def forward(self, messages: tuple[Pattern, Tensor]) -> Tensor:
        """Vectors of all nodes, (N, width)."""
        x: Tensor = self.table
        for number, layer in enumerate(self.layers):
            x = layer(x, *messages)
            if number < len(self.norms):
                x = self.dropout(self.norms[number](x).relu())
        return x

    def logits(self, x: Tensor, pairs: Tensor) -> Tensor:
        """How likely each pair (2, P) is an edge: (P,)."""
        mean = (x.index_select(0, pairs[0]) + x.index_select(0, pairs[1])) / 2
        return self.score(mean)[:, 0]  # type: ignore[no-any-return]


@dataclass(eq=False)
class _Training:
    graph: Graph
    width: int
    settings: LinkSettings
    device: torch.device
    best: float = -1.0
    history: list[dict[str, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        settings = self.settings
        self.random = generator(settings.seed)
        self.pairs = _Pairs(self.graph, settings.held_out, self.random)
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(settings.seed)
            self.network = _Network(self.graph.num_nodes, self.width, settings).to(self.device)
        self.optimiser = torch.optim.Adam(self.network.parameters(), lr=settings.lr)
        self.schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(
            self.optimiser, factor=0.7, patience=50, min_lr=settings.lr / 100
        )
        self.messages = self._messages(self.pairs.kept)
        self.state = self._copy()

    def _messages(self, edges: Array | None) -> tuple[Pattern, Tensor]:
        matrix = self.pairs.adjacency(edges, self.settings.aggregation)
        pattern = Pattern.from_csr(matrix.indptr, matrix.indices, matrix.shape[1], self.device)
        values = torch.from_numpy(matrix.data.astype(np.float32))
        return pattern, values.to(self.device)

    def _copy(self) -> dict[str, Tensor]:
        return {name: value.clone() for name, value in self.network.state_dict().items()}

    def loop(self) -> None:
        """Train until validation stops rising, and keep the best state."""
        settings, waited = self.settings, 0
        with torch.random.fork_rng(devices=[self.device] if self.device.type == "cuda" else []):
            torch.manual_seed(settings.seed + 1)
            for epoch in range(1, settings.epochs + 1):
                loss = self._epoch()
                if not np.isfinite(loss):
                    break
                words = f"AUC {self.best:.3f}" if self.best >= 0 else ""
                step("Link prediction", epoch, settings.epochs, words)
                if epoch % settings.every and epoch < settings.epochs:
                    continue
                auc = self.auc()
                self.history.append({"epoch": epoch, "loss": loss, "auc": auc})
                if auc > self.best:
                    self.best, self.state, waited = auc, self._copy(), 0
                else:
                    waited += 1
                if waited >= settings.patience:
                    break
        step("Link prediction", settings.epochs, settings.epochs)
        if self.best < 0:
            raise Sub2NodeError(
                "link prediction: the loss became infinite at once; lower the learning rate"
                f" (lr = {settings.lr:g})."
            )

    def _epoch(self) -> float:
        settings, pairs = self.settings, self.pairs
        messages = self.messages
        if 0 < settings.messages < len(pairs.kept):
            drawn = self.random.choice(pairs.kept, settings.messages, replace=False)
            messages = self._messages(np.sort(drawn))
        self.network.train()
        losses = []
        for chosen in self._batches():
            joined = pairs.ends[:, chosen]
            both = np.concatenate([joined, pairs.without_edge(len(chosen))], axis=1)
            logits = self.network.logits(self.network(messages), self._tensor(both))
            truth = torch.zeros_like(logits)
            truth[: len(chosen)] = 1
            loss = binary_cross_entropy_with_logits(logits, truth)
            self.optimiser.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            self.optimiser.step()
            losses.append(loss.item())
            self.schedule.step(losses[-1])
        return float(np.mean(losses))

    def _batches(self) -> list[Array]:
        order = self.random.permutation(self.pairs.kept)
        size = min(self.settings.batch, len(order))
        return [order[i * size : (i + 1) * size]
                for i in range(min(self.settings.steps, len(order) // size))]  # fmt: skip

    def _tensor(self, pairs: Array) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(pairs)).to(self.device)

    @torch.no_grad()
    def auc(self) -> float:
        """Chance that a held-out edge scores above a pair without one."""
        from sklearn.metrics import roc_auc_score

        self.network.eval()
        both = np.concatenate([self.pairs.held_out, self.pairs.not_joined], axis=1)
        logits = self.network.logits(self.network(self.messages), self._tensor(both))
        truth = np.arange(both.shape[1]) < self.pairs.held_out.shape[1]
        found = logits.cpu().numpy()
        return float(roc_auc_score(truth, found)) if np.isfinite(found).all() else -1.0

    @torch.no_grad()
    def vectors(self) -> Array:
        """Of all nodes, in the best state, with messages over all edges."""
        self.network.load_state_dict(self.state)
        self.network.eval()
        return np.asarray(self.network(self._messages(None)).cpu().numpy())
