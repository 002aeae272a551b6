"""Subgraph-To-Node translation: learn on node sets of one large graph, fast.

The public names are loaded on first use, so that ``import sub2node`` stays quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import datasets as datasets
    from .base.errors import ConfigError as ConfigError
    from .base.errors import DataError as DataError
    from .base.errors import MissingExtraError as MissingExtraError
    from .base.errors import Sub2NodeError as Sub2NodeError
    from .datasets import load_task as load_task
    from .estimator import SubgraphClassifier as SubgraphClassifier
    from .evaluate import Result as Result
    from .evaluate import run as run
    from .io import save_task as save_task
    from .task import Graph as Graph
    from .task import Split as Split
    from .task import Subgraphs as Subgraphs
    from .task import SubgraphTask as SubgraphTask
    from .task import describe as describe
    from .translation import S2NGraph as S2NGraph
    from .translation import translate as translate

__version__ = "0.1.0"

_HOME = {
    "load_task": "datasets",
    "save_task": "io",
    "Graph": "task",
    "Split": "task",
    "Subgraphs": "task",
    "SubgraphTask": "task",
    "describe": "task",
    "S2NGraph": "translation",
    "translate": "translation",
    "run": "evaluate",
    "SubgraphClassifier": "estimator",
    "Result": "evaluate",
    "Sub2NodeError": "base.errors",
    "DataError": "base.errors",
    "ConfigError": "base.errors",
    "MissingExtraError": "base.errors",
}
_PARTS = {
    "baselines": "baselines",
    "coarsen": "coarsen",
    "config": "config",
    "datasets": "datasets",
    "encode": "encode",
    "errors": "base.errors",
    "evaluate": "evaluate",
    "io": "io",
    "metrics": "base.metrics",
    "nn": "nn",
    "runs": "runs",
    "scoring": "scoring",
    "task": "task",
    "train": "train",
}

__all__ = ["__version__", "datasets", *_HOME]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f".{_HOME[name]}", __name__), name)
    if name in _PARTS:
        return import_module(f".{_PARTS[name]}", __name__)
    raise AttributeError(f"module 'sub2node' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_PARTS})
