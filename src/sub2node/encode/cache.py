"""Encodings kept on disk by content: of the graph's edges, of the settings, of the nodes."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import DataError
from ..files import new_file
from ..ragged import Array
from ..task import Graph
from ..task.content import digest
from .encoding import Encoding

_VERSION = 1  # of the values: raised when an encoding changes its meaning


def cache_folder() -> Path:
    """``S2N_CACHE``, else the user's cache folder."""
    if os.environ.get("S2N_CACHE"):
        return Path(os.environ["S2N_CACHE"])
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "sub2node"
    if os.name == "nt" and os.environ.get("LOCALAPPDATA"):
        return Path(os.environ["LOCALAPPDATA"]) / "sub2node"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sub2node"


def edges_hash(graph: Graph) -> str:
    """Content hash of what encodings read: edges, weights and self-loops, not names or features."""
    parts = (graph.indptr, graph.indices, graph.weights, graph.loops, graph.loop_weights)
    return digest("edges", *parts)


def cached(
    graph: Graph,
    name: str,
    settings: Mapping[str, Any],
    nodes: Array | None,
    make: Callable[[], Encoding],
    *,
    fresh: bool = False,
) -> Encoding:
    """The encoding from the cache, or made now and put there.

    What is there is checked before it is used; a damaged file is replaced, and ``facts["notes"]``
    says so. A folder that cannot be written is no error.

    Args:
        graph: The graph.
        name: Of the encoding.
        settings: All that decides the values besides the graph and the nodes.
        nodes: Which nodes; None: all.
        make: Makes it.
        fresh: Make it even if it is there.
    """
    words = json.dumps(dict(settings), sort_keys=True, default=str)
    key = digest("encoding", _VERSION, name, words, edges_hash(graph), nodes)
    path = cache_folder() / "encodings" / f"{name}-{key[:32]}.safetensors"
    notes = []
    if not fresh:
        found, problem = _load(path, key)
        if found is not None:
            return replace(found, facts={**found.facts, "cached": True})
        if problem:
            notes.append(f"the kept {name} ({path}) {problem}; it was made anew.")
    made = make()
    problem = _save(path, key, made)
    if problem:
        notes.append(f"{name} could not be kept in {path.parent} ({problem}).")
    return replace(made, facts={**made.facts, "notes": notes}) if notes else made


def _load(path: Path, key: str) -> tuple[Encoding | None, str]:
    """What is there if it is sound, else why not."""
    from safetensors import SafetensorError, safe_open

    if not path.is_file():
        return None, ""
    try:
        with safe_open(path, framework="numpy") as file:
            about = file.metadata() or {}
            nodes, values = file.get_tensor("nodes"), file.get_tensor("values")
        if about["key"] != key:
            return None, "is of other data"
        if about["content"] != digest(about["name"], about["facts"], nodes, values):
            return None, "is damaged"
        return Encoding(about["name"], nodes, values, json.loads(about["facts"])), ""
    except (SafetensorError, OSError, KeyError, ValueError, TypeError, DataError) as error:
        return None, f"cannot be read ({type(error).__name__})"


def _save(path: Path, key: str, encoding: Encoding) -> str:
    """Put it there, whole or not at all; returns what went wrong."""
    from safetensors.numpy import save

    nodes, values = np.array(encoding.nodes), np.array(encoding.values)
    facts = json.dumps(dict(encoding.facts))
    content = digest(encoding.name, facts, nodes, values)
    about = {"key": key, "name": encoding.name, "content": content, "facts": facts}
    try:
        with new_file(path) as part:
            part.write_bytes(save({"nodes": nodes, "values": values}, about))
    except OSError as error:
        return error.strerror or str(error)
    return ""
