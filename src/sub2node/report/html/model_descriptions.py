"""What each model is, in a few words for readers of a report."""

from __future__ import annotations

from ...config import Structure
from ...runs import Run

_BASELINES = {
    "majority": "always the most frequent class of the training part",
    "bag": "logistic regression on which nodes a subgraph has",
    "diffused-bag": "logistic regression on the nodes of a subgraph and those near them",
    "hops": "logistic regression on rare nodes of a subgraph and those two steps around them",
    "best": "several of these models together, each weighted by what it is worth out of fold",
    "statistics": "random forest on eleven measures of a subgraph, such as size and density",
    "sub2vec": "transductive: vectors of random walks inside all subgraphs, then a classifier",
    "gbdt": "gradient boosting on the mean of node vectors and on measures of a subgraph",
    "wl": "logistic regression on the Weisfeiler-Leman kernel, which compares patterns of edges",
    "s2n-kernel": "support vectors on the weights of the S2N graph",
    "gnn-seg": "a graph network on each subgraph alone",
    "gnn-plain": "a graph network on the whole graph, as GLASS without its labels",
    "subgnn": "a graph network on the pieces of subgraphs, with anchors in and around them",
    "glass": "a graph network on the whole graph, with the nodes of the subgraph labelled",
}
_STRUCTURES = {
    Structure.SEPARATED: "a graph network inside each subgraph, which sees no edge out of it",
    Structure.CONNECTED: "a graph network on the whole graph",
    Structure.S2N_0: "each subgraph is one node of a small graph, on which the network works",
    Structure.S2N_A: "as s2n+0, with a network inside each subgraph before",
    Structure.COS2N_0: "as s2n+0, with virtual subgraphs as bridges",
    Structure.COS2N_A: "as s2n+a, with virtual subgraphs as bridges",
}
_CONVOLUTIONS = {
    "gcn": "GCN",
    "gcn2": "GCNII",
    "gin": "GIN",
    "gatv2": "GATv2",
    "sage": "GraphSAGE",
    "fagcn": "FAGCN",
}


def describe_run(run: Run) -> str:
    """What the model of a run is; "" where it is not known."""
    baseline = str(run.config.get("baseline", ""))
    if baseline:
        return _BASELINES.get(baseline, "")
    structure = Structure.parse(str(run.config.get("structure", "")))
    if structure is None:
        return ""
    conv = str(run.config.get("conv", ""))
    layers = _CONVOLUTIONS.get(conv, conv)
    return f"{_STRUCTURES[structure]}{f' ({layers} layers)' if layers else ''}"
