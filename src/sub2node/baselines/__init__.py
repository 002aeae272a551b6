"""Every system that the paper compares with, and what a practitioner would try first."""

from .boosting import GBDT
from .linear import BAG, DIFFUSED, HOPS, MAJORITY, STATISTICS
from .network_models import GLASS, PLAIN, SEGREGATED, SUBGNN, BatchModel
from .similarities import S2N_KERNEL
from .simple import SimpleModel, SimplePredictions, TrainingData
from .sub2vec_model import SUB2VEC
from .wl_model import WL

_SIMPLE = (MAJORITY, BAG, DIFFUSED, HOPS, STATISTICS, SUB2VEC, GBDT, WL, S2N_KERNEL)
SIMPLE: dict[str, SimpleModel] = {model.name: model for model in _SIMPLE}
NETWORKS: dict[str, BatchModel] = {
    model.name: model for model in (SEGREGATED, PLAIN, SUBGNN, GLASS)
}
MODELS: dict[str, SimpleModel | BatchModel] = {**SIMPLE, **NETWORKS}

__all__ = [
    "MODELS",
    "NETWORKS",
    "SIMPLE",
    "BatchModel",
    "SimpleModel",
    "SimplePredictions",
    "TrainingData",
]
