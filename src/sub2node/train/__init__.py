"""Training: the loop over epochs, replicas side by side, checkpoints, presets."""

from .baseline_presets import baseline_of as baseline_of
from .baseline_presets import find_baseline as find_baseline
from .batches import BatchGroup as BatchGroup
from .checkpoint import Checkpoint as Checkpoint
from .fit import Fitted as Fitted
from .fit import Group as Group
from .fit import Watch as Watch
from .fit import fit as fit
from .fit import forward as forward
from .presets import Preset as Preset
from .presets import find_preset as find_preset
from .presets import published as published
