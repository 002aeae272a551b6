"""The one interface over networks and baselines, and models by name."""

from ..config.preset_resolver import Preset as Preset
from ..config.preset_resolver import baseline_of as baseline_of
from ..config.preset_resolver import published as published
from .presets import find_baseline as find_baseline
from .presets import find_preset as find_preset
