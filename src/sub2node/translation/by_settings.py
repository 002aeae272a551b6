"""Translation as the settings of a run ask for it."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from ..base.errors import ConfigError, suggest
from ..config import TranslationSettings
from .edge_weights import TE, Operator
from .s2n_graph import Attachment, S2NGraph
from .translate import translate

if TYPE_CHECKING:
    from ..task import SubgraphTask


def translate_by(
    task: SubgraphTask, settings: TranslationSettings, *, cut: float | None = None
) -> S2NGraph:
    """The raw S2N graph with the edge weights that the settings name.

    Args:
        task: The task.
        settings: Its T_e is read, with what belongs to it; ``a`` and ``delta`` are not.
        cut: As in :func:`translate`.
    """
    return translate(
        task,
        te=find_te(settings.te),
        self_loops=settings.self_loops,
        max_distance=settings.max_distance,
        direction=settings.direction,
        cut=cut,
    )


def require_symmetric(settings: TranslationSettings) -> None:
    """Raise where new subgraphs could not be joined: what joins them must hold both ways."""
    if settings.direction != "both":
        raise ConfigError(
            "a model that answers for new subgraphs joins them in both directions; omit"
            " translation.direction."
        )


def normalize_by(graph: S2NGraph, settings: TranslationSettings) -> S2NGraph:
    """The graph with normalised weights, as the settings ask for it."""
    return graph.normalize(settings.a, settings.delta, weighted=settings.weighted)


def normalize_rows_by(rows: Attachment, settings: TranslationSettings) -> Attachment:
    """The same for the rows of new subgraphs."""
    return rows.normalize(settings.a, settings.delta, weighted=settings.weighted)


def find_te(te: str) -> str | Operator:
    """Edge weights by name, or the function that ``module:function`` names."""
    if te in TE:
        return te
    module, colon, name = te.partition(":")
    if not colon or not module or module.startswith("."):
        raise ConfigError(
            f"there is no T_e called {te!r}.{suggest(te, TE)} One of your own is named"
            " module:function; it takes the graph and gives a sparse operator (N, N)."
        )
    try:
        function: Callable[..., object] = getattr(import_module(module), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise ConfigError(f"the T_e {te!r} cannot be imported: {error}.") from error
    if not callable(function):
        raise ConfigError(f"the T_e {te!r} is no function.")
    return function
