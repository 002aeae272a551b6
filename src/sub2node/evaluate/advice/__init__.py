"""Advice before training: characteristics, costs, rules and probes of the six structures."""

from .advice import Advice as Advice
from .advice import advise as advise
from .cost import Cost as Cost
from .cost import cost as cost
from .cost import costs as costs
from .probes import Probe as Probe
from .rules import Reason as Reason
from .traits import Traits as Traits
from .traits import traits as traits

__all__ = ["Advice", "Cost", "Probe", "Reason", "Traits", "advise", "cost", "costs", "traits"]
