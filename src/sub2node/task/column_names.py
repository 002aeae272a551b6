"""Which column of a user's table is which of ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

# Other names of our columns that are accepted without a word.
ALIASES = {
    "source": ("src", "from", "u", "node1", "protein1", "gene1"),
    "target": ("dst", "to", "v", "node2", "protein2", "gene2"),
    "subgraph_id": ("subgraph", "set"),
    "node_id": ("node", "id"),
    "label": ("class", "y"),
    "title": ("name", "description"),
    "split": (),
    "weight": (),
    "excluded": (),
    "alias": (),
    "kind": (),
}
# Words of a trade, accepted with a note where a table has one of them only.
WORDS = {
    "source": ("payer",),
    "target": ("payee",),
    "subgraph_id": ("gene_set", "pathway", "patient", "alert"),
    "node_id": ("gene", "protein", "symbol", "term", "account"),
    "label": ("diagnosis", "family"),
}
NEEDED = {
    "edges": ("source", "target"),
    "members": ("subgraph_id", "node_id"),
    "excluded": ("subgraph_id", "node_id"),
    "labels": ("subgraph_id", "label"),
    "nodes": ("node_id",),
    "aliases": ("alias", "node_id"),
    "subgraph_edges": ("subgraph_id", "source", "target"),
}
# Names of columns with several nodes in each value.
_LISTS = ("nodes", "node_ids", "members", "genes", "gene_list", "proteins", "symbols", "terms")
_OPTIONAL = ("weight", "excluded", "split", "title", "kind")


def column_in(names: Sequence[str], ours: str, what: str, columns: Mapping[str, str]) -> str | None:
    """Which column of a table is what we call ``ours``, or None.

    Args:
        names: The columns of the table.
        ours: Our name.
        what: The table, as "labels".
        columns: The user's column for ours, of one table (``labels.title``) or of all that have it.
    """
    if (own := columns.get(f"{what}.{ours}")) is not None:
        return own if own in names else None
    others = NEEDED.get(what, ())
    keys = {f"{what}.{other}" for other in others} | set(others)
    taken = {columns[key] for key in keys - {ours} if key in columns}
    candidates = (columns.get(ours, ours), ours, *ALIASES.get(ours, ()))
    known = next((name for name in candidates if name in names and name not in taken), None)
    return _word_in(names, ours, set(columns.values())) if known is None else known


def _word_in(names: Sequence[str], ours: str, taken: set[str]) -> str | None:
    """The one column that a word of a trade names, None where there is none or are several."""
    words = [name for name in names if name in WORDS.get(ours, ()) and name not in taken]
    return words[0] if len(words) == 1 else None


def words_taken(names: Sequence[str], what: str, columns: Mapping[str, str]) -> dict[str, str]:
    """The columns of a table that were taken for ours because of a word of a trade."""
    found = {column_in(names, ours, what, columns): ours for ours in NEEDED[what]}
    chosen = set(columns.values())
    return {
        name: ours
        for name, ours in found.items()
        if name is not None and name in WORDS.get(ours, ()) and name not in chosen
    }


def likely_column(
    names: Sequence[str], ours: str, what: str, columns: Mapping[str, str]
) -> str | None:
    """The column of a table that is likely to be ``ours``, if only that is missing.

    It is the only one that is nothing of ours; where that is called as another of ours often is,
    the one that was taken for the other: of ``id, gene`` the id is that of the set. None where its
    name says that it has several values in one.
    """
    found = {name: column_in(names, name, what, columns) for name in (*NEEDED[what], *_OPTIONAL)}
    others = [name for name in names if name not in found.values()]
    missing = [name for name in NEEDED[what] if found[name] is None]
    if len(others) != 1 or missing != [ours]:
        return None
    (other,) = others
    for needed in NEEDED[what]:
        if needed != ours and other in WORDS.get(needed, ()):
            return found[needed]
    return None if other.lower() in _LISTS else other
