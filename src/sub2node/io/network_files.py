"""Small networks with attributes as files that Cytoscape opens: GraphML and CX2.

GraphML: http://graphml.graphdrawing.org/specification.html; CX2 (Cytoscape Exchange, version 2):
https://cytoscape.org/cx/cx2/specification/cytoscape-exchange-format-specification-(version-2)/.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from ..base.errors import ConfigError
from ..base.ragged import Array
from ..base.shown_text import escape_controls

ENDINGS = (".graphml", ".cx2")
# The type of a column of Python values in GraphML and in CX2.
_TYPES = {
    bool: ("boolean", "boolean"),
    int: ("long", "long"),
    float: ("double", "double"),
    str: ("string", "string"),
}
Columns = Mapping[str, Sequence[Any]]


@dataclass(frozen=True, eq=False)
class Network:
    """A network with attributes.

    Args:
        name: What to call it.
        nodes: Attributes of the nodes by name, each of one type: bool, int, float or str.
        source: One end of each edge, a position among the nodes; (E,).
        target: The other end.
        edges: Attributes of the edges by name.
    """

    name: str
    nodes: Columns
    source: Array
    target: Array
    edges: Columns = field(default_factory=dict)

    @property
    def num_nodes(self) -> int:
        """Number of nodes."""
        return len(next(iter(self.nodes.values())))


def write_network(network: Network, path: Path, *, ending: str | None = None) -> None:
    """Write a network as GraphML or CX2.

    Args:
        network: The network.
        path: The file to write.
        ending: The format, one of :data:`ENDINGS`; by default that of the path.
    """
    ending = path.suffix.lower() if ending is None else ending
    if ending not in ENDINGS:
        raise ConfigError(f"a network is written as {' or '.join(ENDINGS)}, not {ending!r}.")
    text = _graphml(network) if ending == ".graphml" else json.dumps(_cx2(network))
    path.write_text(text + "\n", encoding="utf-8")


def _kind(values: Sequence[Any]) -> tuple[str, str]:
    return _TYPES[type(values[0])] if len(values) else _TYPES[str]


def _graphml(network: Network) -> str:
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">',
    ]
    for what, columns in (("node", network.nodes), ("edge", network.edges)):
        lines += [
            f'<key id="{what}{i}" for="{what}" attr.name={quoteattr(name)}'
            f' attr.type="{_kind(values)[0]}"/>'
            for i, (name, values) in enumerate(columns.items())
        ]
    lines.append(f'<graph id={quoteattr(_proper(network.name))} edgedefault="undirected">')
    for position in range(network.num_nodes):
        lines.append(f'<node id="n{position}">{_data("node", network.nodes, position)}</node>')
    ends = zip(network.source.tolist(), network.target.tolist(), strict=True)
    for number, (source, target) in enumerate(ends):
        data = _data("edge", network.edges, number)
        lines.append(f'<edge source="n{source}" target="n{target}">{data}</edge>')
    return "\n".join([*lines, "</graph>", "</graphml>"])


def _data(what: str, columns: Columns, row: int) -> str:
    values = (values[row] for values in columns.values())
    return "".join(
        f'<data key="{what}{i}">{escape(_proper(_word(value)))}</data>'
        for i, value in enumerate(values)
    )


def _word(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _proper(text: str) -> str:
    """Text without characters that XML does not have."""
    return escape_controls(text)


def _cx2(network: Network) -> list[dict[str, Any]]:
    columns = {"nodes": network.nodes, "edges": network.edges}
    declared = {
        what: {name: {"d": _kind(values)[1]} for name, values in some.items()}
        for what, some in columns.items()
    }
    nodes = [{"id": i, "v": _row(network.nodes, i)} for i in range(network.num_nodes)]
    ends = zip(network.source.tolist(), network.target.tolist(), strict=True)
    edges = [
        {"id": i, "s": source, "t": target, "v": _row(network.edges, i)}
        for i, (source, target) in enumerate(ends)
    ]
    aspects: dict[str, list[Any]] = {
        "attributeDeclarations": [{"networkAttributes": {"name": {"d": "string"}}, **declared}],
        "networkAttributes": [{"name": network.name}],
        "nodes": nodes,
        "edges": edges,
    }
    counts = [{"name": name, "elementCount": len(aspect)} for name, aspect in aspects.items()]
    return [
        {"CXVersion": "2.0", "hasFragments": False},
        {"metaData": counts},
        *({name: aspect} for name, aspect in aspects.items()),
        {"status": [{"error": "", "success": True}]},
    ]


def _row(columns: Columns, row: int) -> dict[str, Any]:
    return {name: values[row] for name, values in columns.items()}
