"""An encoding by name, from the cache where it has been made before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any, Literal, get_args

from ..errors import ConfigError, suggest
from ..ragged import Array
from ..task import Graph
from .cache import cached
from .encoding import Encoding, check_count, wanted_nodes
from .laplacian import laplacian
from .link_prediction import LinkSettings, link_prediction
from .random_walk import random_walk
from .structure import structure
from .svd import svd

Kind = Literal["rwpe", "lappe", "structure", "link", "svd"]
KINDS: tuple[Kind, ...] = get_args(Kind)


def encode(
    graph: Graph,
    kind: Kind,
    *,
    width: int = 64,
    nodes: Any = None,
    device: str = "auto",
    fresh: bool = False,
    **settings: Any,
) -> Encoding:
    """Vectors of nodes by name; kept in the cache folder, by content.

    Args:
        graph: The graph.
        kind: ``rwpe``, ``lappe``, ``structure``, ``link`` or ``svd``; the last two give vectors to
            all nodes.
        width: Columns; ``structure`` has as many as it has.
        nodes: Which nodes; None: all.
        device: ``auto``, ``cpu`` or ``cuda``.
        fresh: Make it anew even if it has been made before.
        settings: Of this kind: see :func:`random_walk`, :func:`laplacian`,
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
        link = LinkSettings(**_known(LinkSettings, settings, kind))
        settings = asdict(link)
    make: dict[str, Callable[[], Encoding]] = {
        "rwpe": lambda: random_walk(
            graph, width, nodes=chosen, device=device, **_known(random_walk, settings, kind)
        ),
        "lappe": lambda: laplacian(graph, width, nodes=chosen, **_known(laplacian, settings, kind)),
        "structure": lambda: structure(graph, nodes=chosen),
        "link": lambda: link_prediction(graph, width, link, device=device),
        "svd": lambda: svd(graph, width, **_known(svd, settings, kind)),
    }
    if kind == "structure" and settings:
        raise ConfigError(f"structure has no setting {next(iter(settings))!r}.")
    key = {"width": None if kind == "structure" else width, **settings}
    return cached(graph, kind, key, chosen, make[kind], fresh=fresh)


def _known(function: Any, settings: dict[str, Any], kind: str) -> dict[str, Any]:
    """The settings, if the function has them all."""
    import inspect

    names = [n for n in inspect.signature(function).parameters
             if n not in ("graph", "width", "nodes", "device")]  # fmt: skip
    for name in settings:
        if name not in names:
            raise ConfigError(f"{kind} has no setting {name!r}.{suggest(name, names)}")
    return settings
