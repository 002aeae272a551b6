"""Which column of a user's table is which of ours."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

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
    "source": ("payer", "sender", "from_account", "child", "node_a", "gene_a", "protein_a"),
    "target": ("payee", "receiver", "to_account", "parent", "node_b", "gene_b", "protein_b"),
    "subgraph_id": (
        *("gene_set", "gene_set_name", "gs_name", "pathway", "pathway_id"),
        *("patient", "patient_id", "alert", "alert_id", "case", "case_id"),
    ),
    "node_id": (
        *("gene", "protein", "symbol", "gene_symbol", "gene_id", "protein_id"),
        *("term", "hpo_id", "account", "account_id", "account_no", "account_number"),
    ),
    "label": ("diagnosis", "family", "outcome", "is_fraud"),
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
_OPTIONAL_OF = {
    "edges": ("weight",),
    "members": ("weight", "excluded"),
    "excluded": ("weight",),
    "labels": ("split", "title"),
    "nodes": ("title",),
    "aliases": ("kind",),
}


def fold(name: str) -> str:
    """A name in small letters without what stands between its words: ``Set Name`` is ``setname``.

    Args:
        name: The name of a column.
    """
    return re.sub(r"[\W_]+", "", name).lower()


def column_in(names: Sequence[str], ours: str, what: str, columns: Mapping[str, str]) -> str | None:
    """Which column of a table is what we call ``ours``, or None.

    Names as they are written come first, then those in another case or with other signs between
    their words (``Subgraph ID``), then words of a trade.

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
    if known is not None:
        return known
    taken |= set(columns.values())
    words = {fold(word) for word in WORDS.get(ours, ())}
    for candidate in candidates[1:]:
        if candidate == "id" and _only_one(names, words, taken):
            continue  # ID beside a gene may number the rows
        if name := _only_one(names, {fold(candidate)}, taken):
            return name
    return _only_one(names, words, taken)


def _only_one(names: Sequence[str], words: Collection[str], taken: Collection[str]) -> str | None:
    """The one column whose folded name is one of some words; None: there is none, or several."""
    hits = [name for name in names if name not in taken and fold(name) in words]
    return hits[0] if len(hits) == 1 else None


def words_taken(names: Sequence[str], what: str, columns: Mapping[str, str]) -> dict[str, str]:
    """The columns of a table that were taken for ours though they are called otherwise."""
    ours_of = (*NEEDED[what], *_OPTIONAL_OF.get(what, ()))
    found = {column_in(names, ours, what, columns): ours for ours in ours_of}
    chosen = set(columns.values())
    return {
        name: ours
        for name, ours in found.items()
        if name is not None and name not in (ours, *ALIASES[ours]) and name not in chosen
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
        if needed != ours and fold(other) in map(fold, WORDS.get(needed, ())):
            return found[needed]
    return None if other.lower() in _LISTS else other
