"""Settings of models and training: one typed tree, changed by name."""

from .config import BatchTrainingSettings as BatchTrainingSettings
from .config import CoarseningSettings as CoarseningSettings
from .config import Config as Config
from .config import ConvolutionSettings as ConvolutionSettings
from .config import FeatureSettings as FeatureSettings
from .config import LinkSettings as LinkSettings
from .config import NetworkSettings as NetworkSettings
from .config import NodeFeatureSettings as NodeFeatureSettings
from .config import TrainingSettings as TrainingSettings
from .config import TranslationSettings as TranslationSettings
from .structure import STRUCTURES as STRUCTURES
from .structure import Structure as Structure
from .structure import is_coarsened as is_coarsened
from .structure import is_plain_s2n as is_plain_s2n
