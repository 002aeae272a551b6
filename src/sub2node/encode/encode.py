"""An encoding by name, from the cache where it has been made before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any, Literal, get_args

from numpy.typing import ArrayLike

from ..base.errors import ConfigError, suggest
from ..base.ragged import Array
from ..config import LinkSettings
from ..task import Graph
from .cache import cached
from .encoding import Encoding, check_count, wanted_nodes
from .laplacian import laplacian
from .link_prediction import link_prediction
from .random_walk import random_walk
from .structure_statistics import structure
from .svd import svd

Kind = Literal["rwpe", "lappe", "structure", "link", "svd"]
KINDS: tuple[Kind, ...] = get_args(Kind)


def encode(
    graph: Graph,
    kind: Kind,
    *,
    width: int = 64,
    nodes: ArrayLike | None = None,
    device: str = "auto",
    fresh: bool = False,
    **settings: Any,
) -> Encoding:
    """Vectors of nodes by the name of an encoding; stored in the cache folder, by content.

    Args:
        graph: The graph whose nodes are encoded.
        kind: ``rwpe``, ``lappe``, ``structure``, ``link`` or ``svd``; the last two give vectors to
            all nodes.
        width: Number of columns; that of ``structure`` is fixed.
        nodes: The nodes to encode; None: all.
        device: ``auto``, ``cpu`` or ``cuda``.
        fresh: Compute it even if it is in the cache.
        settings: Settings of this kind: see :func:`random_walk`, :func:`laplacian`,
            :class:`LinkSettings`, :func:`svd`.

    Example:
        >>> encode(task.graph, "rwpe", width=16, nodes=task.subgraphs.nodes).values
    """
    if kind not in KINDS:
        raise ConfigError(f"there is no encoding {kind!r}.{suggest(str(kind), KINDS)}")
    width = check_count(width, f"columns of {kind}")
    chosen: Array | None = None if nodes is None else wanted_nodes(nodes, graph.num_nodes)
    if kind in ("link", "svd"):
        chosen = None  # one training for all nodes
    if kind == "link":
        link = LinkSettings(**_check_settings(LinkSettings, settings, kind))
        settings = asdict(link)
    make: dict[str, Callable[[], Encoding]] = {
        "rwpe": lambda: random_walk(
            graph,
            width,
            nodes=chosen,
            device=device,
            **_check_settings(random_walk, settings, kind),
        ),
        "lappe": lambda: laplacian(
            graph, width, nodes=chosen, **_check_settings(laplacian, settings, kind)
        ),
        "structure": lambda: structure(graph, nodes=chosen),
        "link": lambda: link_prediction(graph, width, link, device=device),
        "svd": lambda: svd(graph, width, **_check_settings(svd, settings, kind)),
    }
    if kind == "structure" and settings:
        raise ConfigError(f"structure has no setting {next(iter(settings))!r}.")
    key = {"width": None if kind == "structure" else width, **settings}
    return cached(graph, kind, settings=key, nodes=chosen, make=make[kind], fresh=fresh)


def _check_settings(
    function: Callable[..., object], settings: dict[str, Any], kind: str
) -> dict[str, Any]:
    """The settings, if the function has them all."""
    import inspect

    common = ("graph", "width", "nodes", "device")
    names = [name for name in inspect.signature(function).parameters if name not in common]
    for name in settings:
        if name not in names:
            raise ConfigError(f"{kind} has no setting {name!r}.{suggest(name, names)}")
    return settings
