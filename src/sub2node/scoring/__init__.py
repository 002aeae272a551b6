"""Answers for subgraphs that were not there when a model was trained."""

from .answers import Answers as Answers
from .answers import NearbySubgraph as NearbySubgraph
from .answers import Neighbor as Neighbor
from .answers import Surroundings as Surroundings
from .artefact import load_scorer as load_scorer
from .artefact import save_scorer as save_scorer
from .doubt import AnswerWarning as AnswerWarning
from .doubt import WarningKind as WarningKind
from .explanation import Contribution as Contribution
from .explanation import Explanation as Explanation
from .node_index import Node as Node
from .placed_query import PlacedQuery as PlacedQuery
from .query import Query as Query
from .reference_set import KnownSubgraphs as KnownSubgraphs
from .scorer import Scorer as Scorer
