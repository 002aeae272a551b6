"""Translation: each subgraph a node of a small new graph."""

from .inputs import StageInputs as StageInputs
from .inputs import stage_inputs as stage_inputs
from .s2n_graph import Attachment as Attachment
from .s2n_graph import S2NGraph as S2NGraph
from .s2n_graph import Settings as Settings
from .statistics import Statistics as Statistics
from .translate import ENGINES as ENGINES
from .translate import Engine as Engine
from .translate import translate as translate
