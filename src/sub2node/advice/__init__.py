"""Advice before training: characteristics, costs, rules and probes of the six structures."""

from .advice import Advice as Advice
from .advice import advise as advise
from .chooser import StructureChoice as StructureChoice
from .chooser import StructureTrial as StructureTrial
from .chooser import TrialState as TrialState
from .chooser import try_structures as try_structures
from .probes import Probe as Probe
from .rules import Reason as Reason
from .timing import Cost as Cost
from .timing import time_structures as time_structures
from .traits import Traits as Traits
from .traits import traits as traits

__all__ = [
    "Advice",
    "Cost",
    "Probe",
    "Reason",
    "StructureChoice",
    "StructureTrial",
    "Traits",
    "TrialState",
    "advise",
    "time_structures",
    "traits",
    "try_structures",
]
