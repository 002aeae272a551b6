"""The data model: graph, subgraphs, split and task."""

from .graph import Graph as Graph
from .measures import core_numbers as core_numbers
from .measures import measure as measure
from .names import Names as Names
from .split import PARTS as PARTS
from .split import Part as Part
from .split import Split as Split
from .statistics import describe as describe
from .subgraphs import Subgraphs as Subgraphs
from .task import SubgraphTask as SubgraphTask
