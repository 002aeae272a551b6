"""Node and subgraph features that carry the structure of the graph."""

from ..config import LinkSettings
from .border import border_inputs, border_of, border_sums
from .encode import KINDS, encode
from .encoding import Encoding
from .laplacian import laplacian
from .link_prediction import link_prediction
from .random_walk import random_walk
from .structure_statistics import (
    SubgraphScale,
    node_statistics,
    subgraph_inputs,
    subgraph_statistics,
)
from .svd import svd
from .weisfeiler_leman import member_colours, weisfeiler_leman

__all__ = [
    "KINDS",
    "Encoding",
    "LinkSettings",
    "SubgraphScale",
    "border_inputs",
    "border_of",
    "border_sums",
    "encode",
    "laplacian",
    "link_prediction",
    "member_colours",
    "node_statistics",
    "random_walk",
    "subgraph_inputs",
    "subgraph_statistics",
    "svd",
    "weisfeiler_leman",
]
