"""Training: the loop over epochs, replicas side by side, checkpoints."""

from .apart import fit_apart as fit_apart
from .batch_loop import BatchGroup as BatchGroup
from .checkpoint import Checkpoint as Checkpoint
from .fit import Fitted as Fitted
from .fit import Group as Group
from .fit import Watch as Watch
from .fit import fit as fit
from .fit import forward as forward
from .held_out import HeldOutGroup as HeldOutGroup
