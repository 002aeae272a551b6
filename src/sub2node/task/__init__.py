"""The data model: graph, subgraphs, split and task."""

from .arcs import Arcs as Arcs
from .attributes import SubgraphAttributes as SubgraphAttributes
from .border import Border as Border
from .border import BorderSums as BorderSums
from .border import finish_border as finish_border
from .graph import Graph as Graph
from .learnable import excluded_for as excluded_for
from .learnable import require_learnable as require_learnable
from .names import Names as Names
from .split import PARTS as PARTS
from .split import Part as Part
from .split import Split as Split
from .split import SplitCode as SplitCode
from .split import stratified_folds as stratified_folds
from .statistics import describe as describe
from .subgraph_measures import core_numbers as core_numbers
from .subgraph_measures import measure as measure
from .subgraphs import Subgraphs as Subgraphs
from .task import SubgraphTask as SubgraphTask
from .whole_graph import WholeGraph as WholeGraph
