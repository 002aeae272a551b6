"""RWPE: the chance that a random walk from a node is back after k steps, diag(P^k), k = 1…K."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor

from ..base.environment import find_device, free_memory
from ..base.errors import ConfigError, Sub2NodeError
from ..base.progress import activity, step
from ..base.ragged import Array, SparseMatrix
from ..task import Graph
from ..task.whole_graph import require_loaded
from .encoding import Encoding, check_count, wanted_nodes
from .hub_product import HubProduct
from .spectrum import Spectrum, symmetric

Route = Literal["auto", "products", "eigen", "leading"]
_ROUTES = ("auto", "products", "eigen", "leading")
_CACHED = {"cpu": 6 << 20, "cuda": 32 << 20}  # bytes of a block of columns that stays in cache
_BLOCKS = 1 << 30  # bytes of all blocks that are in work at a time
_TABLES = 3  # of the size of a block, for each block
_ROUNDING = 1e-6  # of sums of float32
_TINY = 1e-12  # rounding of the eigenpairs
_DENSE = 3 * 8  # bytes per entry that a full eigendecomposition takes
_EIGEN_FLOPS = {"cpu": 10, "cuda": 80}  # over N³, of a full eigendecomposition, as measured


def random_walk(
    graph: Graph,
    width: int = 64,
    *,
    nodes: ArrayLike | None = None,
    tolerance: float = 0.0,
    route: Route = "auto",
    pairs: int = 64,
    device: str = "auto",
) -> Encoding:
    """RWPE of some nodes: diag(P^k) for k = 1…K with P = D^-1 A.

    Self-loops and weights of the graph count, none are added; isolated nodes have 0. Routes:

    - ``products`` (exact): with S = D^-½ A D^-½ and x = S^m e_v, ``x·x`` is the value for k = 2m
      and ``x·Sx`` that for 2m + 1; so K/2 products, for a block of nodes at a time.
    - ``eigen`` (exact): all eigenpairs of S, dense; for small graphs and large K.
    - ``leading`` (within ``tolerance``): products for the first k, then the eigenpairs of largest
      magnitude. What is left out is at most the k-th power of the next one's magnitude times the
      squared mass of e_v outside them.

    Args:
        graph: The graph whose nodes are encoded.
        width: Number of columns, K.
        nodes: The nodes to encode; None: all.
        tolerance: Largest error that is allowed; 0: exact.
        route: How to compute; ``auto`` takes what is estimated to be the quickest.
        pairs: Number of eigenpairs of the route ``leading``; more of them leave less out.
        device: ``auto``, ``cpu`` or ``cuda``.

    Returns:
        Values (n, K); ``facts`` has the route, the estimates in seconds, and the error bound.
    """
    require_loaded(graph, "RWPE")
    width, where = check_count(width, "columns of RWPE"), find_device(device)
    wanted = wanted_nodes(nodes, graph.num_nodes)
    if route not in _ROUTES:
        raise ConfigError(f"a route is one of {', '.join(_ROUTES)}, not {route!r}.")
    if not 0 <= tolerance < 1:
        raise ConfigError(f"the tolerance of RWPE is at least 0 and below 1, found {tolerance}.")
    if route == "leading" and not tolerance:
        raise ConfigError("the route 'leading' is approximate; give the tolerance it must keep.")
    if not len(wanted) or not len(graph.indices) + graph.num_loops:
        return Encoding(
            "rwpe", wanted, np.zeros((len(wanted), width)), {"route": "none", "error": 0.0}
        )
    start = time.perf_counter()
    work = _Work(graph, wanted, width, where, check_count(pairs, "leading eigenpairs"))
    estimates = work.estimates(tolerance)
    chosen = min(estimates, key=lambda name: estimates[name]) if route == "auto" else route
    work.detail = f"{chosen}, about {estimates[chosen]:.0f} s" if chosen in estimates else chosen
    values, facts = work.run(chosen, tolerance)
    facts = {
        "route": chosen,
        "device": where.type,
        "estimates": estimates,
        "seconds": time.perf_counter() - start,
        **facts,
    }
    return Encoding("rwpe", wanted, np.clip(values, 0, 1), facts)  # rounding may pass the ends


@dataclass(eq=False)
class _Work:
    graph: Graph
    nodes: Array
    width: int
    device: torch.device
    pairs: int
    detail: str = ""  # shown while it works

    def __post_init__(self) -> None:
        self.size = self.graph.num_nodes
        matrix = symmetric(self.graph, np.float32)
        self.product: Callable[[Tensor], Tensor]
        if self.device.type == "cpu":
            self.product = HubProduct.of(matrix)
            self.rank = self.product.rank
        else:
            self.product, self.rank = _product(matrix, self.device), np.arange(self.size)
        fit = _CACHED[self.device.type] // (4 * self.size) // 32 * 32
        self.columns = int(np.clip(fit, 32, 1024))

    def estimates(self, tolerance: float) -> dict[str, float]:
        """Seconds that each route is expected to take, from one product and the matrix speed."""
        columns = min(self.columns, len(self.nodes))
        x = torch.rand(self.size, columns, device=self.device)
        once = _time_job(lambda: (x * self.product(x)).sum(0), self.device)
        blocks = -(-len(self.nodes) // columns)
        seconds = {"products": once * blocks * max(self.width // 2, 1)}
        free = free_memory(self.device)
        if free is None or _DENSE * self.size**2 < free / 2:
            flops = _EIGEN_FLOPS[self.device.type] * self.size**3
            seconds["eigen"] = flops / _matrix_speed(self.device)
        if tolerance and self.size > 2 * self.pairs:
            # Lanczos: some 6 products per pair, a vector at a time and orthogonalised to 2r others;
            # then, as a guess, half of the exact products.
            once = len(self.graph.indices) * 2e-9 + self.size * self.pairs * 1e-9
            seconds["leading"] = 6 * self.pairs * once + 0.5 * seconds["products"]
        return seconds

    def run(self, route: str, tolerance: float) -> tuple[Array, dict[str, object]]:
        """Values (n, K) by a route, and what to know about them."""
        if route == "eigen":
            with activity("Computing all eigenvectors"):
                return self.by_eigen(), {"error": 0.0}
        if route == "leading":
            with suppress(Sub2NodeError), activity("Computing leading eigenvectors"):
                return self.by_leading(tolerance)  # no solution: the exact way remains
        return self.exactly()

    def by_products(self, width: int) -> Array:
        """The first ``width`` values, exact up to rounding."""
        values = np.empty((len(self.nodes), width), np.float32)
        firsts = range(0, len(self.nodes), self.columns)

        def fill(first: int) -> int:
            block = self.nodes[first : first + self.columns]
            values[first : first + len(block)] = self._block(block, width).cpu().numpy()
            return first

        with self._block_threads(len(firsts)) as pool:
            step("Random-walk encoding", 0, len(self.nodes), self.detail)
            for first in pool.map(fill, firsts):
                done = min(first + self.columns, len(self.nodes))
                step("Random-walk encoding", done, len(self.nodes), self.detail)
        return values

    @contextmanager
    def _block_threads(self, blocks: int) -> Iterator[ThreadPoolExecutor]:
        """Threads that take a block each: those inside a product would wait for each other."""
        before, workers = torch.get_num_threads(), 1
        if self.device.type == "cpu":
            fit = max(1, _BLOCKS // (_TABLES * 4 * self.size * self.columns))
            workers = min(before, blocks, fit)
        torch.set_num_threads(before // workers)  # of each thread that begins now
        pool = ThreadPoolExecutor(workers)
        try:
            yield pool
        finally:
            pool.shutdown(cancel_futures=True)
            torch.set_num_threads(before)

    def _block(self, block: Array, width: int) -> Tensor:
        rows = torch.from_numpy(self.rank[block]).to(self.device)
        x = torch.zeros(self.size, len(block), device=self.device)
        x[rows, torch.arange(len(block), device=self.device)] = 1
        values = torch.empty(width, len(block), device=self.device)
        scratch = torch.empty_like(x)
        for k in range(1, width + 1):
            if k % 2:
                new = self.product(x)
            else:
                x = new
            torch.mul(x, new, out=scratch)
            torch.sum(scratch, 0, out=values[k - 1])
        return values.T

    def exactly(self) -> tuple[Array, dict[str, object]]:
        """All values by products."""
        facts = {"route": "products", "error": 0.0, "exact_until": self.width}
        return self.by_products(self.width), facts

    def by_eigen(self) -> Array:
        """From all eigenpairs."""
        dense = torch.from_numpy(symmetric(self.graph).toarray()).to(self.device)
        values, vectors = torch.linalg.eigh(dense)
        mass = vectors[torch.from_numpy(np.array(self.nodes)).to(self.device)].square_()
        powers = values[:, None] ** torch.arange(1, self.width + 1, device=self.device)
        return np.asarray((mass @ powers).cpu().numpy())

    def by_leading(self, tolerance: float) -> tuple[Array, dict[str, object]]:
        """Exact values while the bound is above the tolerance, then those of leading pairs."""
        spectrum = Spectrum(self.graph)
        count = min(self.pairs, self.size - 2)
        if count < 1:
            return self.exactly()
        values, vectors = spectrum.leading(count)
        following = float(np.abs(values[-1]))  # nothing that is left is larger
        at, k = self.nodes, np.arange(1, self.width + 1)
        steady, sides = spectrum.stationary[at], spectrum.sides[at] != 0
        mass = vectors[at] ** 2
        approximate = (
            steady[:, None] * (1 + sides[:, None] * (-1.0) ** k) + mass @ values[:, None] ** k
        )
        left = 1 - steady * (1 + sides) - mass.sum(axis=1)
        # What is left out of k = 2 is known, since diag(S²) is; it shrinks by |λ| per step.
        squares = spectrum.matrix.multiply(spectrum.matrix).sum(axis=1)[at]
        second = squares - steady * (1 + sides) - mass @ values**2
        scale = np.clip(np.minimum(left, second / max(following, _TINY) ** 2), _TINY, 1)
        scale[steady == 0] = 0  # isolated: all values are 0
        bounds = following**k * scale.max(initial=0.0)
        enough = np.flatnonzero(bounds <= tolerance)
        exact = int(enough[0]) + 1 if len(enough) else self.width
        exact = max(exact + exact % 2, 2)
        if exact >= self.width:
            return self.exactly()
        first = self.by_products(exact)
        # For an even k the remainder is a sum of squares that only shrinks from there: if it is
        # within its bound now, the solver missed nothing that matters later.
        gap = np.abs(first[:, -1] - approximate[:, exact - 1]).max(initial=0.0)
        if gap > bounds[exact - 1] + _ROUNDING:
            return self.exactly()
        approximate[:, :exact] = first
        return approximate, {
            "error": float(bounds[exact - 1]),
            "exact_until": exact,
            "next_eigenvalue": following,
            "missing_mass": float(np.clip(left, 0, 1).max(initial=0.0)),
        }


def _product(matrix: SparseMatrix, device: torch.device) -> Callable[[Tensor], Tensor]:
    """x ↦ S x for a block of columns (N, B)."""
    ptr, index, data = (
        torch.from_numpy(np.array(part)).to(device)
        for part in (matrix.indptr, matrix.indices, matrix.data)
    )
    with warnings.catch_warnings():  # PyTorch warns of CSR, and of unchecked ones even if asked
        warnings.filterwarnings("ignore", "Sparse", UserWarning)
        sparse = torch.sparse_csr_tensor(ptr, index, data, matrix.shape, check_invariants=False)
    return lambda x: sparse @ x


def _time_job(job: Callable[[], object], device: torch.device) -> float:
    """Seconds of the second or third call, whichever is quicker: the first may load kernels."""
    durations = []
    for _ in range(3):
        start = time.perf_counter()
        job()
        if device.type == "cuda":
            torch.cuda.synchronize()
        durations.append(time.perf_counter() - start)
    return min(durations[1:])


def _matrix_speed(device: torch.device) -> float:
    """Floating-point operations per second of a product of dense float64 matrices."""
    size = 512 if device.type == "cpu" else 2048
    x = torch.rand(size, size, dtype=torch.float64, device=device)
    return 2 * size**3 / max(_time_job(lambda: x @ x, device), 1e-9)
