"""Node vectors from a randomised singular value decomposition of the normalised adjacency."""

from __future__ import annotations

import time

import numpy as np

from ..base.errors import ConfigError
from ..base.progress import activity
from ..task import Graph
from ..task.whole_graph import require_loaded
from .encoding import Encoding, check_count
from .spectrum import symmetric


def svd(graph: Graph, width: int = 64, *, seed: int = 0) -> Encoding:
    """U √Σ of the leading singular triplets of S = D^-½ A D^-½ for all nodes.

    Args:
        graph: The graph whose nodes are encoded; weights and self-loops count.
        width: Number of columns; at most the number of nodes.
        seed: Seed of the random start.
    """
    from sklearn.utils.extmath import randomized_svd

    require_loaded(graph, "an encoding by singular vectors")
    width, start = check_count(width, "columns of SVD vectors"), time.perf_counter()
    if width > graph.num_nodes:
        raise ConfigError(
            f"a graph of {graph.num_nodes:,} nodes has SVD vectors of at most that width; {width}"
            " columns were asked for."
        )
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < 2**32:
        raise ConfigError(f"a seed is a whole number from 0 below 2^32, found {seed!r}.")
    with activity("Singular value decomposition"):
        left, values, _ = randomized_svd(symmetric(graph), width, random_state=seed)
    facts = {"singular_values": values.tolist(), "seconds": time.perf_counter() - start}
    return Encoding("svd", np.arange(graph.num_nodes), left * np.sqrt(values), facts)
