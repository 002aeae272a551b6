"""Subgraph-To-Node translation: learn on node sets of one large graph, fast.

The public names are loaded on first use, so that ``import sub2node`` stays quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import datasets as datasets
    from .datasets import load_task as load_task
    from .errors import ConfigError as ConfigError
    from .errors import DataError as DataError
    from .errors import MissingExtraError as MissingExtraError
    from .errors import Sub2NodeError as Sub2NodeError
    from .estimator import SubgraphClassifier as SubgraphClassifier
    from .evaluate import Result as Result
    from .evaluate import run as run
    from .io import save_task as save_task
    from .task import Graph as Graph
    from .task import Split as Split
    from .task import Subgraphs as Subgraphs
    from .task import SubgraphTask as SubgraphTask
    from .task import describe as describe
    from .translate import S2NGraph as S2NGraph
    from .translate import translate as translate  # type: ignore[no-redef]

__version__ = "0.1.0"

_HOME = {
    "load_task": "datasets",
    "save_task": "io",
    "Graph": "task",
    "Split": "task",
    "Subgraphs": "task",
    "SubgraphTask": "task",
    "describe": "task",
    "S2NGraph": "translate",
    "translate": "translate",
    "run": "evaluate",
    "SubgraphClassifier": "estimator",
    "Result": "evaluate",
    "Sub2NodeError": "errors",
    "DataError": "errors",
    "ConfigError": "errors",
    "MissingExtraError": "errors",
}
_PARTS = (
    "baselines",
    "coarsen",
    "config",
    "datasets",
    "encode",
    "errors",
    "evaluate",
    "io",
    "metrics",
    "nn",
    "scoring",
    "task",
    "train",
)

__all__ = ["__version__", "datasets", *_HOME]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(f".{_HOME[name]}", __name__), name)
    if name in _PARTS:
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module 'sub2node' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_PARTS})
