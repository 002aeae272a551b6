"""Training: the loop over epochs, replicas side by side, checkpoints, presets."""

from .checkpoint import Checkpoint as Checkpoint
from .fit import Fitted as Fitted
from .fit import Group as Group
from .fit import fit as fit
from .fit import forward as forward
from .presets import Preset as Preset
from .presets import find_preset as find_preset
from .presets import published as published
