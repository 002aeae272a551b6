"""Translation: each subgraph becomes a node of a small new graph."""

from .by_settings import normalize_by as normalize_by
from .by_settings import normalize_rows_by as normalize_rows_by
from .by_settings import translate_by as translate_by
from .s2n_graph import Attachment as Attachment
from .s2n_graph import S2NGraph as S2NGraph
from .s2n_graph import TranslationOptions as TranslationOptions
from .stage_inputs import StageInputs as StageInputs
from .stage_inputs import readout_weights as readout_weights
from .stage_inputs import stage_inputs as stage_inputs
from .translate import ENGINES as ENGINES
from .translate import Engine as Engine
from .translate import translate as translate
from .weight_statistics import Statistics as Statistics
