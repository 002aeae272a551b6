"""Models that stand beside the networks in every table."""

from .simple import SIMPLE as SIMPLE
from .simple import SimpleModel as SimpleModel
