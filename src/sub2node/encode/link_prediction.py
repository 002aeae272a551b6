"""Node embeddings that are trained to tell edges from pairs that are none.

The network is the one that GLASS pre-trains: a vector per node, layers of message passing, and a
small network on the mean of two ends. No label of any subgraph is read.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, embedding_bag, linear

from ..base.environment import find_device
from ..base.errors import DataError, Sub2NodeError
from ..base.progress import step
from ..base.ragged import Array, SparseMatrix, among, generator
from ..config import LinkSettings
from ..ops.kept_memory import kept_memory
from ..ops.pattern import Pattern
from ..task import Graph
from ..task.whole_graph import require_loaded
from .encoding import Encoding, check_count
from .graph_norm import NodeNorm

_TRIES = 64


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
        graph: The graph whose nodes are encoded; its weights weigh the messages.
        width: Number of columns.
        settings: Settings of the network and of its training; None: the defaults.
        device: ``auto``, ``cpu`` or ``cuda``.

    Returns:
        Vectors (N, width); ``facts`` has the validation AUC and its history.
    """
    require_loaded(graph, "an encoding by link prediction")
    settings, width = settings or LinkSettings(), check_count(width, "columns of link embeddings")
    where, start = find_device(device), time.perf_counter()
    training = _Training(graph, width, settings, where)
    with kept_memory(where):
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
        self.train_edges = np.sort(order[held:])
        self.ends = np.stack([low, high]).astype(np.int64)
        self.held_out = self.ends[:, np.sort(order[:held])]
        self.not_joined = self.without_edge(held)

    def without_edge(self, count: int) -> Array:
        """Pairs of different nodes without an edge, drawn uniformly: (2, count)."""
        size = self.graph.num_nodes
        pairs: list[Array] = []
        missing = count
        for _ in range(_TRIES):
            ends = self.random.integers(0, size, (2, missing + missing // 8 + 8))
            low, high = ends.min(axis=0), ends.max(axis=0)
            keys = low * size + high
            order = np.argsort(keys)  # sorted keys are looked up several times faster
            joined = np.empty(len(keys), bool)
            joined[order] = among(keys[order], self.keys)
            good = (low < high) & ~joined
            pairs.append(np.stack([low, high])[:, good][:, :missing])
            missing -= pairs[-1].shape[1]
            if not missing:
                return np.concatenate(pairs, axis=1)
        return self._draw_from_list(count)

    def _draw_from_list(self, count: int) -> Array:
        """The same where such pairs are rare: the graph is small or nearly complete."""
        size = self.graph.num_nodes
        if size > 20_000:
            raise DataError("the graph is nearly complete; links cannot be predicted in it.")
        low, high = np.triu_indices(size, 1)
        free = np.flatnonzero(~among(low * size + high, self.keys))
        drawn = self.random.choice(free, count)
        return np.stack([low[drawn], high[drawn]])

    def adjacency(self, edges: Array | None, how: str) -> SparseMatrix:
        """The matrix that messages pass over, CSR: of some edges, or of the whole graph."""
        low, high = self.ends if edges is None else self.ends[:, edges]
        weights = np.ones(len(low), np.float32)
        if self.weights is not None:
            weights = self.weights if edges is None else self.weights[edges]
        ends = (np.concatenate([low, high]), np.concatenate([high, low]))
        shape = (self.graph.num_nodes,) * 2
        matrix = sp.coo_array((np.concatenate([weights, weights]), ends), shape=shape).tocsr()
        if how == "sum":
            return matrix
        degree = np.asarray(matrix.sum(axis=1)).ravel()
        power = -1.0 if how == "mean" else -0.5
        scale = np.power(degree, power, out=np.zeros_like(degree), where=degree > 0)
        matrix = sp.diags_array(scale) @ matrix
        return matrix.tocsr() if how == "mean" else (matrix @ sp.diags_array(scale)).tocsr()


class _Messages(NamedTuple):
    """Where messages pass, and their weights: by rows, and by columns for the gradient."""

    pattern: Pattern
    values: Tensor
    back_values: Tensor


class _Layer(nn.Module):
    """Linear, ReLU, messages, normalisation, beside the input; and a linear map of both."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.before, self.after = nn.Linear(width, width), nn.Linear(2 * width, width)
        self.norm = NodeNorm(width)

    def forward(self, x: Tensor, pattern: Pattern, values: Tensor, back_values: Tensor) -> Tensor:
        before = self.before(x).relu_()[None]
        message = pattern.aggregate(before, values, back_values=back_values).squeeze(0)
        # The map of both, joined, is the sum of two maps; scale and shift are part of the first.
        of_message, of_x = self.after.weight.chunk(2, dim=1)
        bias = self.after.bias + of_message @ self.norm.shift
        result = torch.addmm(bias, x, of_x.T)
        return result.addmm_(self.norm.standard(message), (of_message * self.norm.scale).T)


class _Network(nn.Module):
    def __init__(self, size: int, width: int, settings: LinkSettings) -> None:
        super().__init__()
        self.table = nn.Parameter(torch.randn(size, width))
        self.layers = nn.ModuleList(_Layer(width) for _ in range(settings.layers))
        self.norms = nn.ModuleList(NodeNorm(width) for _ in range(settings.layers - 1))
        self.dropout = nn.Dropout(settings.dropout)
        self.first, self.last = nn.Linear(width, width), nn.Linear(width, 1)  # of pairs

    def forward(self, messages: _Messages) -> Tensor:
        """Vectors of all nodes, (N, width)."""
        x: Tensor = self.table
        for number, layer in enumerate(self.layers):
            x = layer(x, *messages)
            if number < len(self.norms):
                x = self.dropout(self.norms[number](x).relu())
        return x

    def logits(self, x: Tensor, pairs: Pattern) -> Tensor:
        """How likely each pair, a row with its two ends, is an edge: (P,).

        The first layer is linear, so it maps the nodes, which are fewer than pairs, and its values
        are summed: W (x_a + x_b) / 2 + b is (W x_a + b) / 2 + (W x_b + b) / 2.
        """
        halves = linear(x, self.first.weight / 2, self.first.bias / 2)
        weight = self.last.weight[0]
        scores: Tensor = _PairScores.apply(halves, weight, pairs)  # type: ignore[no-untyped-call]
        return scores + self.last.bias


class _PairScores(torch.autograd.Function):
    """w · relu(x_a + x_b) of each pair; the gradient goes over pairs once, sorted by nodes."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, pairs: Pattern) -> Tensor:
        hidden = pairs.aggregate(x[None])[0].relu_()
        ctx.save_for_backward(hidden, weight)
        ctx.pairs = pairs
        return hidden @ weight

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor, None]:
        (grad,), (hidden, weight), pairs = grads, ctx.saved_tensors, ctx.pairs
        to_weight = grad @ hidden
        passing = embedding_bag(
            pairs.back_row,
            hidden.sign_(),
            pairs.back_ptr,
            mode="sum",
            per_sample_weights=grad.index_select(0, pairs.back_row),
            include_last_offset=True,
        )
        return passing * weight, to_weight, None


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
        self.messages = self._messages(self.pairs.train_edges)
        self.state = self._copy()

    def _messages(self, edges: Array | None) -> _Messages:
        matrix = self.pairs.adjacency(edges, self.settings.aggregation)
        pattern = Pattern.from_csr(matrix.indptr, matrix.indices, matrix.shape[1], self.device)
        values = torch.from_numpy(matrix.data.astype(np.float32)).to(self.device)
        return _Messages(pattern, values, values[pattern.back_order])

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
                detail = f"AUC {self.best:.3f}" if self.best >= 0 else ""
                step("Training link prediction", epoch, settings.epochs, detail)
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
        step("Training link prediction", settings.epochs, settings.epochs)
        if self.best < 0:
            raise Sub2NodeError(
                "link prediction: the loss became infinite at once; lower the learning rate"
                f" (lr = {settings.lr:g})."
            )

    def _epoch(self) -> float:
        settings, pairs = self.settings, self.pairs
        messages = self.messages
        if 0 < settings.messages < len(pairs.train_edges):
            drawn = self.random.choice(pairs.train_edges, settings.messages, replace=False)
            messages = self._messages(np.sort(drawn))
        self.network.train()
        losses = []
        for batch in self._drawn_pairs():
            logits = self.network.logits(self.network(messages), batch)
            truth = torch.zeros_like(logits)
            truth[: len(logits) // 2] = 1
            loss = binary_cross_entropy_with_logits(logits, truth)
            self.optimiser.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            self.optimiser.step()
            losses.append(loss.item())
            self.schedule.step(losses[-1])
        return float(np.mean(losses))

    def _drawn_pairs(self) -> Iterator[Pattern]:
        """Of each step, some edges and as many pairs without one; drawn during the step before."""

        def drawn(chosen: Array) -> Pattern:
            without = self.pairs.without_edge(len(chosen))
            return self._rows(np.concatenate([self.pairs.ends[:, chosen], without], axis=1))

        chosen = self._batches()
        with ThreadPoolExecutor(1) as pool:  # one thread: the order of random numbers is kept
            following = pool.submit(drawn, chosen[0])
            for later in chosen[1:]:
                batch = following.result()
                following = pool.submit(drawn, later)
                yield batch
            yield following.result()

    def _batches(self) -> list[Array]:
        order = self.random.permutation(self.pairs.train_edges)
        size = min(self.settings.batch, len(order))
        count = min(self.settings.steps, len(order) // size)
        return [order[i * size : (i + 1) * size] for i in range(count)]

    def _rows(self, pairs: Array) -> Pattern:
        """Pairs (2, P) as rows with two entries."""
        ptr = np.arange(0, 2 * pairs.shape[1] + 1, 2)
        return Pattern.from_csr(ptr, pairs.T.ravel(), self.graph.num_nodes, self.device)

    @torch.no_grad()
    def auc(self) -> float:
        """Chance that a held-out edge scores above a pair without one."""
        from sklearn.metrics import roc_auc_score

        self.network.eval()
        pairs = np.concatenate([self.pairs.held_out, self.pairs.not_joined], axis=1)
        logits = self.network.logits(self.network(self.messages), self._rows(pairs))
        truth = np.arange(pairs.shape[1]) < self.pairs.held_out.shape[1]
        scores = logits.cpu().numpy()
        return float(roc_auc_score(truth, scores)) if np.isfinite(scores).all() else -1.0

    @torch.no_grad()
    def vectors(self) -> Array:
        """Of all nodes, in the best state, with messages over all edges."""
        self.network.load_state_dict(self.state)
        self.network.eval()
        return np.asarray(self.network(self._messages(None)).cpu().numpy())
