"""Encodings kept on disk by content: of the graph's edges, of the settings, of the nodes."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from ..base.errors import DataError
from ..base.files import new_file
from ..base.ragged import Array
from ..base.structured_text import parse_json
from ..task import Graph
from ..task.content_hash import digest
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
    *,
    settings: Mapping[str, object],
    nodes: Array | None,
    make: Callable[[], Encoding],
    fresh: bool = False,
) -> Encoding:
    """The encoding from the cache, or computed now and stored there.

    A stored encoding is checked before it is used; a damaged file is replaced, and
    ``facts["notes"]`` says so. A folder that cannot be written is no error.

    Args:
        graph: The graph whose nodes are encoded.
        name: Name of the encoding.
        settings: Everything that decides the values besides the graph and the nodes.
        nodes: The nodes that are encoded; None: all.
        make: Computes the encoding.
        fresh: Compute it even if it is stored.
    """
    text = json.dumps(dict(settings), sort_keys=True, default=str)
    key = digest("encoding", _VERSION, name, text, edges_hash(graph), nodes)
    path = cache_folder() / "encodings" / f"{name}-{key[:32]}.safetensors"
    notes = []
    if not fresh:
        stored, problem = _load(path, key)
        if stored is not None:
            return replace(stored, facts={**stored.facts, "cached": True})
        if problem:
            notes.append(f"the kept {name} ({path}) {problem}; it was made anew.")
    encoding = make()
    problem = _save(path, key, encoding)
    if problem:
        notes.append(f"{name} could not be kept in {path.parent} ({problem}).")
    return replace(encoding, facts={**encoding.facts, "notes": notes}) if notes else encoding


def _load(path: Path, key: str) -> tuple[Encoding | None, str]:
    """The stored encoding if it is sound, else the reason why not."""
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
        return Encoding(about["name"], nodes, values, parse_json(about["facts"])), ""
    except (SafetensorError, OSError, KeyError, ValueError, TypeError, DataError) as error:
        return None, f"cannot be read ({type(error).__name__})"


def _save(path: Path, key: str, encoding: Encoding) -> str:
    """Store an encoding completely or not at all; returns what went wrong."""
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
