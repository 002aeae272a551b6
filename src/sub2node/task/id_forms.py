"""Ids that programs have written in another form: ``12.0``, ``0012``, ``ENSG00000141510.18``."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..base.ragged import Array

# What becomes of each form, on text in small letters. Spreadsheets and pandas write 12 as 12.0 and
# 0012 as 12; accessions have a version; STRING's ids begin with a taxon; ontologies have addresses.
_FORMS = (
    (r"^0*([0-9]+?)(\.0+)?$", r"\1"),
    (r"^(?:https?://\S*/)?([a-z]+)_([0-9]{4,})$", r"\1:\2"),
    (r"^(ens[a-z]*[0-9]{6,}|[nx][mrp]_[0-9]+)(\.[0-9]+)?$", r"\1"),
    (r"^[0-9]+\.(ens[a-z]*p[0-9]{6,})$", r"\1"),
)


def plain_form(texts: pa.Array) -> pa.Array:
    """Each id in the form that all its forms share, in small letters; null where it has none.

    Args:
        texts: Ids, text.
    """
    low = pc.utf8_lower(pc.utf8_trim_whitespace(texts))
    plain = pa.nulls(len(low), low.type)
    for pattern, form in _FORMS:
        fits = pc.match_substring_regex(low, pattern)
        plain = pc.if_else(fits, pc.replace_substring_regex(low, pattern, form), plain)
    return plain


def find_alone(values: pa.Array, texts: pa.Array) -> Array:
    """The place of each value among some texts, -1 where it is not there, -2 where more than once.

    Args:
        values: Different values.
        texts: The texts.
    """
    hits = np.flatnonzero(np.asarray(pc.is_in(texts, value_set=values, skip_nulls=True)))
    codes = np.asarray(pc.index_in(texts.take(pa.array(hits)), value_set=values), np.int64)
    places = np.full(len(values), -1)
    places[codes] = hits
    places[np.bincount(codes, minlength=len(values)) > 1] = -2
    return places


def same_ids(ids: pa.Array, known: pa.Array) -> Array:
    """The place of each id among known ones, in another case or form; below 0: it is not clear.

    Args:
        ids: Ids, text.
        known: The different ids that there are.
    """
    places = np.full(len(ids), -1)
    for form in (pc.utf8_lower, plain_form):
        keys, own = form(ids), form(known)
        open_keys = np.flatnonzero((places < 0) & np.asarray(keys.is_valid()))
        if len(open_keys):
            asked = keys.take(pa.array(open_keys))
            values = asked.unique()
            codes = np.asarray(pc.index_in(asked, value_set=values), np.int64)
            places[open_keys] = find_alone(values, own)[codes]
    return places
