"""What was meant by the names that members were given by: the mapping table of a prediction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..base.ragged import Array
from ..base.records import JsonObject
from ..task.node_names import NameMatches
from ..task.other_names import ID
from .node_index import NodeIndex

COLUMNS = ("given", "node_id", "title", "how", "candidates")
_MOST_SUGGESTED = 20  # unknown names per look-up that are compared with all names
_LONGEST = 60


class MappedName(NamedTuple):
    """What was meant by a name.

    Args:
        given: The name as it was given.
        node_id: The id of the node that is meant; "" where there is none.
        title: The title of that node.
        how: ``id``, ``case`` (the id in another case), ``form`` (in another form), ``former id``,
            ``symbol``, ``title``, ``synonym``, ``alias`` or a kind of the user's; else ``unknown``
            or ``ambiguous``.
        candidates: Ids of the nodes that an ambiguous name may mean.
        candidate_titles: Their titles.
    """

    given: str
    node_id: str
    title: str
    how: str
    candidates: tuple[str, ...] = ()
    candidate_titles: tuple[str, ...] = ()

    def to_json(self) -> JsonObject:
        """The fields by name."""
        lists = {
            "candidates": list(self.candidates),
            "candidate_titles": list(self.candidate_titles),
        }
        return {**self._asdict(), **lists}


@dataclass(eq=False)
class NameMapping:
    """What the distinct names of some lists mean.

    Args:
        index: The nodes of the graph.
        names: The names.
        matches: The nodes that they mean.
    """

    index: NodeIndex
    names: Sequence[str]
    matches: NameMatches
    _suggested: dict[str, str] = field(default_factory=dict)

    def row(self, place: int) -> MappedName:
        """What the name at a place means."""
        node = int(self.matches.positions[place])
        chosen = ("", "") if node < 0 else (self.index.name(node), self.index.title(node))
        nodes = self.matches.candidates.get(place, ())
        return MappedName(
            self.names[place],
            *chosen,
            self.matches.hows[place],
            tuple(map(self.index.name, nodes)),
            tuple(map(self.index.title, nodes)),
        )

    def by_subgraph(
        self, owner: Array, codes: Array, chosen: Sequence[int]
    ) -> tuple[tuple[MappedName, ...], ...]:
        """What was not given by its id, for some subgraphs; ``()`` where all names are ids.

        Args:
            owner: The subgraph of each member.
            codes: The place of the name of each member.
            chosen: The subgraphs.
        """
        other = np.asarray(self.matches.hows, object) != ID
        if not other.any():
            return ()
        rows: dict[int, dict[int, MappedName]] = {}
        cached: dict[int, MappedName] = {}
        members = np.flatnonzero(other[codes])
        for subgraph, place in zip(owner[members].tolist(), codes[members].tolist(), strict=True):
            row = cached.get(place) or cached.setdefault(place, self.row(place))
            rows.setdefault(subgraph, {})[place] = row
        return tuple(tuple(rows.get(subgraph, {}).values()) for subgraph in chosen)

    def describe_choice(self, missing: Iterable[str]) -> str:
        """The choices that the first ambiguous name leaves; "" where none is ambiguous."""
        if not self.matches.candidates:
            return ""
        places = {self.names[place]: place for place in self.matches.candidates}
        place = next((places[name] for name in missing if name in places), None)
        if place is None:
            return ""
        choices = self.index.names.describe(self.matches.candidates[place])
        return f"{self.names[place][:_LONGEST]!r} may mean {choices}; give the id of one."

    def describe_like(self, name: str) -> str:
        """`` (did you mean 'Gait ataxia', HP:0002066?)``, or "" where nothing is spelled alike."""
        if name not in self._suggested and len(self._suggested) < _MOST_SUGGESTED:
            self._suggested[name] = self.index.names.describe_like(name[: 2 * _LONGEST])
        return self._suggested.get(name, "")
