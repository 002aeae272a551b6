"""Translation: each subgraph a node of a small new graph.

``sub2node.translate`` is both this part and the function of that name; importing the part would
hide the function, so the part itself can be called.
"""

import sys
from types import ModuleType
from typing import Any

from .inputs import StageInputs as StageInputs
from .inputs import readout_weights as readout_weights
from .inputs import stage_inputs as stage_inputs
from .s2n_graph import Attachment as Attachment
from .s2n_graph import S2NGraph as S2NGraph
from .s2n_graph import Settings as Settings
from .statistics import Statistics as Statistics
from .translate import ENGINES as ENGINES
from .translate import Engine as Engine
from .translate import translate as translate


class _Callable(ModuleType):
    def __call__(self, *args: Any, **settings: Any) -> S2NGraph:
        return translate(*args, **settings)


sys.modules[__name__].__class__ = _Callable
