"""Which node is meant by a text: an id, a title or another name, whatever its case."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..base.notes import Note, changed
from ..base.plural import examples, plural
from ..base.ragged import Array, pointers, ranges
from .id_forms import find_alone, plain_form
from .other_names import ALIAS, ID, KINDS, rank_of

if TYPE_CHECKING:
    from .graph import Graph

UNKNOWN, AMBIGUOUS, FORM = "unknown", "ambiguous", "form"
_CASE, _TITLE = rank_of("case"), rank_of("title")
_NUMBER = "^(0|[1-9][0-9]{0,17})$"
_MOST_LIKE = 500  # names that are compared letter by letter for a suggestion
_MOST_CANDIDATES = 10


@dataclass(frozen=True, eq=False)
class NameMatches:
    """What some texts mean.

    Args:
        positions: The node of each text; -1: none, or more than one; (n,).
        hows: How each was found: one of :data:`KINDS` or a kind of the user's; else ``unknown``
            or ``ambiguous``, or ``form`` (:func:`plain_form`); texts (n,).
        candidates: The nodes that an ambiguous text may mean, by its place.
    """

    positions: Array
    hows: Array
    candidates: Mapping[int, tuple[int, ...]] = field(default_factory=dict)


class _Rows(NamedTuple):
    """Texts in lower case with the node of each, what they are, and how they are spelled."""

    lower: pa.Array
    texts: pa.Array
    nodes: Array | None  # None: each text belongs to the node of its place
    rank: int | Array


@dataclass(frozen=True, eq=False)
class NodeNames:
    """All names of the nodes of a graph.

    Args:
        graph: The graph with ids, titles and other names.
    """

    graph: Graph

    @cached_property
    def _rows(self) -> list[_Rows]:
        graph, rows = self.graph, []
        for names, rank in ((graph.names, _CASE), (graph.titles, _TITLE)):
            if names is not None:
                rows.append(_Rows(pc.utf8_lower(names.arrow), names.arrow, None, rank))
        if (others := graph.other_names) is not None:
            texts = others.names.arrow
            rows.append(_Rows(pc.utf8_lower(texts), texts, others.nodes, others.ranks))
        return rows

    @cached_property
    def _plain_forms(self) -> pa.Array:
        assert self.graph.names is not None
        return plain_form(self.graph.names.arrow)

    def lower_texts(self) -> list[tuple[pa.Array, Array | None]]:
        """Ids, titles and other names in lower case, each with its node (None: its place)."""
        return [(row.lower, row.nodes) for row in self._rows]

    def positions(self, ids: pa.Array) -> Array:
        """Positions of nodes by their ids as they are spelled, -1 for none; (n,)."""
        if self.graph.names is not None:
            return self.graph.names.find(ids)
        numbers = pc.if_else(pc.match_substring_regex(ids, _NUMBER), ids, "-1").cast(pa.int64())
        positions = np.asarray(numbers)
        return np.where(positions < self.graph.num_nodes, positions, -1)

    def match(self, texts: pa.Array) -> NameMatches:
        """What some texts mean.

        An id as it is spelled counts first, then one in another case, and the other kinds of names
        in the order of :data:`KINDS`; in each kind, a name that is spelled as given.

        Args:
            texts: Different texts, :class:`pyarrow.LargeStringArray`.
        """
        return self.match_foreign(texts, self.positions(texts))

    def match_foreign(self, texts: pa.Array, positions: Array) -> NameMatches:
        """:meth:`match`, where the nodes of texts that are ids are known.

        Args:
            texts: Different texts.
            positions: The node of each, -1 where it is no id.
        """
        matches = self._match_names(texts, positions)
        unknown = np.flatnonzero(matches.hows == UNKNOWN)
        if len(unknown):
            given = texts.take(pa.array(unknown))
            forms = plain_form(given)
            has_form = np.asarray(forms.is_valid())
            has_form &= ~np.asarray(pc.match_substring_regex(given, "^0[0-9]"))  # no program adds 0
            places = unknown[has_form]
            nodes = self._match_forms(forms.filter(pa.array(has_form))) if len(places) else places
            matches.positions[places[nodes >= 0]] = nodes[nodes >= 0]
            matches.hows[places[nodes >= 0]] = FORM
        return matches

    def _match_forms(self, forms: pa.Array) -> Array:
        """The node of each plain form: that of the only name, or of the only id with this form."""
        values = forms.unique()
        nodes = self._match_names(values, self.positions(values)).positions
        if self.graph.names is not None:
            own = find_alone(values, self._plain_forms)
            nodes = np.where(own >= 0, own, np.where(own == -1, nodes, -1))
        return np.asarray(nodes[np.asarray(pc.index_in(forms, value_set=values))])

    def _match_names(self, texts: pa.Array, positions: Array) -> NameMatches:
        """:meth:`match_foreign` by names in any case."""
        positions = positions.copy()
        foreign = np.flatnonzero(positions < 0)
        hows = np.full(len(texts), ID, object)
        if not len(foreign) or not self._rows:
            hows[foreign] = UNKNOWN
            return NameMatches(positions, hows)
        asked = texts.take(pa.array(foreign))
        owner, node, rank, kind = self._find_rows(asked)
        lowest = np.full(len(foreign), np.iinfo(np.int64).max)
        np.minimum.at(lowest, owner, rank)
        best = rank == lowest[owner]
        owner, node, kind = owner[best], node[best], kind[best]
        order = np.lexsort((node, owner))
        owner, node, kind = owner[order], node[order], kind[order]
        first = np.r_[True, (owner[1:] != owner[:-1]) | (node[1:] != node[:-1])][: len(owner)]
        owner, node, kind = owner[first], node[first], kind[first]
        counts = np.bincount(owner, minlength=len(foreign))
        start = pointers(counts)[:-1]
        one = np.flatnonzero(counts == 1)
        found = positions.copy()
        found[foreign[one]] = node[start[one]]
        hows[foreign] = UNKNOWN
        hows[foreign[one]] = kind[start[one]]
        several = np.flatnonzero(counts > 1)
        hows[foreign[several]] = AMBIGUOUS
        candidates = {
            int(foreign[i]): tuple(node[start[i] : start[i] + counts[i]].tolist())
            for i in several.tolist()
        }
        return NameMatches(found, hows, candidates)

    def _find_rows(self, asked: pa.Array) -> tuple[Array, Array, Array, Array]:
        """Names that read as the texts but for case: the text's number, node, order and kind."""
        lower = pc.utf8_lower(pc.utf8_trim_whitespace(asked))
        keys = lower.unique()
        key_of = np.asarray(pc.index_in(lower, value_set=keys))
        owners, nodes, orders, kinds = [], [], [], []
        for row in self._rows:
            hits = np.flatnonzero(np.asarray(pc.is_in(row.lower, value_set=keys)))
            places = pa.array(hits)
            key = np.asarray(pc.index_in(row.lower.take(places), value_set=keys), np.int64)
            # Each text with all the names of its key.
            by_key = np.argsort(key, kind="stable")
            sizes = np.bincount(key, minlength=len(keys))
            starts = pointers(sizes)[:-1]
            pick = by_key[ranges(starts[key_of], sizes[key_of])]
            owner = np.repeat(np.arange(len(asked)), sizes[key_of])
            texts = row.texts.take(places).take(pa.array(pick))
            same = np.asarray(pc.equal(texts, asked.take(pa.array(owner))))
            rank = row.rank[hits][pick] if isinstance(row.rank, np.ndarray) else row.rank
            owners.append(owner)
            nodes.append(hits[pick] if row.nodes is None else row.nodes[hits][pick])
            orders.append(2 * np.broadcast_to(rank, len(pick)) + ~same)
            kinds.append(self._kinds(row, hits[pick]))
        return tuple(map(np.concatenate, (owners, nodes, orders, kinds)))  # type: ignore[return-value]

    def _kinds(self, row: _Rows, places: Array) -> Array:
        """What names are, in words."""
        if isinstance(row.rank, int):
            return np.full(len(places), KINDS[row.rank], object)
        others = self.graph.other_names
        assert others is not None
        return np.array(others.words, object)[others.kinds[places]]

    def suggest(self, text: str) -> tuple[str, int] | None:
        """The name that is spelled most like a text, with its node; None: there is none.

        Compared are names that have the first or the second half of the text in them; where none of
        those is alike, those that have a third of it.
        """
        low = text.strip().lower()
        for count in (2, 3):
            size = len(low) // count
            if size < 2:
                break
            cuts = [*range(0, size * count, size), len(low)]
            spellings = self._with_part([low[a:b] for a, b in pairwise(cuts)], len(low))
            if nearest := get_close_matches(low, spellings, n=1):
                return spellings[nearest[0]]
        return None

    def _with_part(self, parts: Sequence[str], length: int) -> dict[str, tuple[str, int]]:
        """Names that have one of some texts in them, by their small letters: those nearest in size.

        Args:
            parts: The texts.
            length: The size that is wanted.
        """
        spellings: dict[str, tuple[str, int]] = {}
        for row in self._rows:
            hit = np.zeros(len(row.lower), bool)
            for part in parts:
                hit |= np.asarray(pc.match_substring(row.lower, part))
            hits = np.flatnonzero(hit)
            lengths = np.asarray(pc.utf8_length(row.lower.take(pa.array(hits))), np.int64)
            hits = hits[np.argsort(np.abs(lengths - length), kind="stable")[:_MOST_LIKE]]
            nodes = hits if row.nodes is None else row.nodes[hits]
            texts = row.texts.take(pa.array(hits)).to_pylist()
            for spelling, node in zip(texts, nodes.tolist(), strict=True):
                spellings.setdefault(spelling.lower(), (spelling, node))
        return spellings

    def describe_like(self, text: str) -> str:
        """`` (did you mean 'Gait ataxia', HP:0002066?)``, or "" where nothing is spelled alike."""
        found = self.suggest(text)
        if found is None:
            return ""
        spelling, id = found[0], self.id(found[1])
        more = "" if spelling == id else f", {id}"
        return f" (did you mean {spelling!r}{more}?)"

    def describe(self, nodes: Sequence[int]) -> str:
        """Nodes as a choice: ``n1 (Cat) or n3 (Dog)``."""
        shown = [self.call(node) for node in nodes[:_MOST_CANDIDATES]]
        shown += ["others"] if len(nodes) > _MOST_CANDIDATES else []
        return " or ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)

    def call(self, node: int) -> str:
        """A node by its id, and its title where it has one."""
        title = "" if self.graph.titles is None else self.graph.titles[node]
        id = self.id(node)
        return f"{id} ({title})" if title and title != id else id

    def id(self, node: int) -> str:
        """The id of a node."""
        return str(node) if self.graph.names is None else self.graph.names[node]


def match_members(graph: Graph, members: pa.Array, positions: Array) -> tuple[Array, list[Note]]:
    """Positions of members, where some are given by other names than ids, and what was done.

    What may mean several nodes stays unknown.

    Args:
        graph: The graph with all its names.
        members: What was given for each member: text, or numbers.
        positions: The node of each member, -1 where it was not given by an id.
    """
    foreign = np.flatnonzero(positions < 0)
    if not len(foreign):
        return positions, []
    encoded = members.take(pa.array(foreign)).cast(pa.large_string()).dictionary_encode()
    names, codes = NodeNames(graph), np.asarray(encoded.indices)
    given = encoded.dictionary
    matches = names.match_foreign(given, np.full(len(given), -1))
    found = positions.copy()
    found[foreign] = matches.positions[codes]
    hows, notes = np.asarray(matches.hows), list[Note]()
    hit = matches.positions >= 0
    for how in sorted(set(hows[hit].tolist()), key=lambda how: (rank_of(how), how)):
        places = np.flatnonzero(hit & (hows == how))
        count = int(np.isin(codes, places).sum())
        shown = (f"{given[i].as_py()!r} is {names.id(matches.positions[i])!r}" for i in places)
        text = examples(shown, len(places))
        notes.append(changed(f"{plural(count, 'member')} given {by_kind(how)} found: {text}."))
    return found, notes


def by_kind(how: str) -> str:
    """A kind after the word "given": ``by a synonym``, ``in another case``."""
    if how in (KINDS[_CASE], FORM):
        return f"in another {how}"
    article = "an" if how[:1] in "aeiou" else "a"
    return f"by {article} {how or ALIAS}"
