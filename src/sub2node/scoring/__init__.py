"""Answers for subgraphs that were not there when a model was trained."""

from .artefact import load_scorer as load_scorer
from .artefact import save_scorer as save_scorer
from .explain import Contribution as Contribution
from .explain import Explanation as Explanation
from .known import Known as Known
from .query import Node as Node
from .query import Query as Query
from .scorer import Answers as Answers
from .scorer import Around as Around
from .scorer import Neighbor as Neighbor
from .scorer import Scorer as Scorer
from .scorer import Surroundings as Surroundings
