"""One subgraph with the nodes around it, as a network for Cytoscape."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from ..base.ragged import among, distinct
from ..io.network_files import Network
from ..task.whole_graph import require_loaded

if TYPE_CHECKING:
    from .explanation import Explanation
    from .query import Query
    from .scorer import Scorer

MOST_AROUND = 200


def case_network(
    scorer: Scorer, query: Query, explanation: Explanation, *, most: int = MOST_AROUND
) -> tuple[Network, int]:
    """Members and excluded nodes of a subgraph, nodes joined to members, and the edges among all.

    Nodes have an ``id``, a ``name`` (title, else id), whether each is a ``member`` or ``excluded``
    (looked for and absent), what it adds to the probability (``contribution``; 0 for others), and
    the number of members it is joined to.

    Args:
        scorer: The model.
        query: A query with one subgraph.
        explanation: What its members contribute.
        most: The most nodes around; of more, those with the most links to members.

    Returns:
        The network, and how many nodes around were left out.
    """
    require_loaded(scorer.graph, "the network around a case")
    graph, index = scorer.graph, scorer.index
    members = query.subgraphs.nodes.astype(np.int64)
    absent = np.zeros(0, np.int64)
    if query.subgraphs.excluded is not None:
        absent = query.subgraphs.excluded.nodes.astype(np.int64)
    own = np.concatenate([members, absent])
    adjacency = graph.adjacency()
    links = np.diff(sp.csc_array(adjacency[members]).indptr)
    around = np.flatnonzero(links)
    around = around[~among(around, np.sort(own))]
    ranked = around[np.argsort(-links[around], kind="stable")]
    chosen = np.concatenate([own, distinct(ranked[:most])])
    block = sp.triu(adjacency[chosen][:, chosen], k=1).tocoo()
    values = {part.id: part.value for part in explanation.members}
    ids = [index.name(node) for node in chosen.tolist()]
    titles = [index.title(node) for node in chosen.tolist()]
    nodes = {
        "name": [title or id for title, id in zip(titles, ids, strict=True)],
        "id": ids,
        "member": among(chosen, members).tolist(),
        "excluded": among(chosen, absent).tolist(),
        "contribution": [float(values.get(id, 0.0)) for id in ids],
        "links to members": links[chosen].tolist(),
    }
    name = f"{query.names[0]}: {explanation.label} {explanation.probability:.3f}"
    source, target = block.coords
    edges = {"weight": block.data.astype(float).tolist()}
    return Network(name, nodes, source, target, edges), max(len(around) - most, 0)
