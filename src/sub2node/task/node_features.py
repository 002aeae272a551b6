"""Columns of the node table → node features: numbers as they are, categories as 0 and 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..base.errors import ConfigError, suggest
from ..base.notes import Note, changed
from ..base.plural import examples, plural
from ..base.ragged import Array
from .frames import Frame
from .problems import Problems
from .reading_notes import unused_features

MOST_CATEGORIES = 20  # with a column of their own; the others share one


def check_chosen(chosen: Sequence[str] | None, *, has_nodes: bool) -> None:
    """Raise where columns are chosen that no table has."""
    if isinstance(chosen, str):
        raise ConfigError(f"node_features is a list of column names, found {chosen!r}.")
    if chosen is not None and not has_nodes:
        raise ConfigError(
            "node_features (--node-features) chooses columns of a table of nodes, and these data"
            " have none."
        )


class NodeFeatures(NamedTuple):
    """Features of the nodes, and what became of the columns of their table.

    Args:
        values: float32 (N, F); None: there are none.
        places: The first feature of each column of the table that became some.
        notes: What became of the columns.
    """

    values: Array | None
    places: dict[str, int]
    notes: tuple[Note, ...]


def read_features(
    nodes: Frame, problems: Problems, chosen: Sequence[str] | None = None
) -> NodeFeatures:
    """Features of the nodes.

    Args:
        nodes: The table of nodes.
        problems: Takes what is wrong, column by column.
        chosen: The columns that become features, in this order: numbers as they are, text as one
            column of 0 and 1 for each of the most frequent categories; None: all with numbers.
    """
    used = (nodes.column_name("node_id"), nodes.column_name("title"))
    others = [name for name in nodes.table.column_names if name not in used]
    if chosen is None:
        numeric = [name for name in others if _is_numeric(nodes, name)]
        omitted, why = [name for name in others if name not in numeric], "no numbers"
        columns = numeric
    else:
        columns = list(dict.fromkeys(chosen))
        for name in columns:
            _check_column(nodes, name)
        omitted, why = [name for name in others if name not in columns], "not chosen"
    notes = list(unused_features(omitted, why))
    blocks, places, width = list[Array](), dict[str, int](), 0
    for name in columns:
        with problems.collected():
            if _is_numeric(nodes, name):
                blocks.append(_read_numbers(nodes, name))
            else:
                block, note = _read_categories(nodes, name)
                blocks.append(block)
                notes.append(note)
            places[name], width = width, width + blocks[-1].shape[1]
    values = np.concatenate(blocks, axis=1) if blocks else None
    return NodeFeatures(values, places, tuple(notes))


def _check_column(nodes: Frame, name: str) -> None:
    present = nodes.table.column_names
    if name not in present:
        raise ConfigError(
            f"the table of nodes has no column {name!r}, which is to be a feature."
            f"{suggest(name, present)}"
        )
    if name == nodes.column_name("node_id"):
        raise ConfigError(f"the column {name!r} has the ids of the nodes, which are no feature.")


def _is_numeric(nodes: Frame, name: str) -> bool:
    """Whether a column has numbers, or lists of numbers."""
    kind = nodes.table.column(name).type
    if pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind):
        kind = kind.value_type
        if pa.types.is_null(kind):  # empty lists, which reading the numbers refuses
            return True
    number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    return bool(number or pa.types.is_boolean(kind))


def _read_numbers(nodes: Frame, name: str) -> Array:
    """A column of numbers, or of lists of numbers of one length, as float32 (N, width)."""
    column = nodes.table.column(name).combine_chunks()
    missing, width, values = np.asarray(column.is_null()), 1, column
    if pa.types.is_list(column.type) or pa.types.is_fixed_size_list(column.type):
        widths = np.asarray(pc.list_value_length(column).fill_null(0))[~missing]
        width = int(widths[0]) if len(widths) else 0
        if (widths != width).any() or not width:
            raise nodes.error(f"the lists of the feature column '{name}' differ in length.")
        values = column.flatten()
    if not missing.any():
        numbers = np.asarray(values.cast(pa.float64(), safe=False).fill_null(np.nan))
        missing = ~np.isfinite(numbers).reshape(-1, width).all(axis=1)
    if missing.any():
        row = int(np.argmax(missing)) + 1
        raise nodes.error(f"the feature '{name}' of row {row} is missing or not finite.")
    with np.errstate(over="ignore"):
        features = numbers.reshape(-1, width).astype(np.float32)
    large = np.flatnonzero(~np.isfinite(features).all(axis=1))
    if len(large):
        largest = np.abs(numbers.reshape(-1, width)[large[0]]).max()
        raise nodes.error(
            f"the feature '{name}' of row {large[0] + 1} is {largest:g}, which is too"
            f" large; features are up to {np.finfo(np.float32).max:.2g}."
        )
    return features


def _read_categories(nodes: Frame, name: str) -> tuple[Array, Note]:
    """A column of text as float32 (N, categories): 1 where a node is of that category.

    Which categories have a column is decided by their frequency among all nodes. That is known
    before there is any split or label, as the graph is.
    """
    column = nodes.table.column(name).combine_chunks()
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        raise nodes.error(
            f"the column '{name}' holds {column.type}; a feature is numbers, or text for"
            " categories."
        )
    texts = pc.utf8_trim_whitespace(column.fill_null("")).dictionary_encode()
    values, codes = texts.dictionary, np.asarray(texts.indices)
    counts = np.bincount(codes, minlength=len(values))
    filled = np.asarray(pc.not_equal(values, ""))
    if not filled.any():
        raise nodes.error(f"the column '{name}' has no value, so it is no feature.")
    # The most frequent first, of equally frequent ones the first in the alphabet.
    ranked = np.lexsort((np.asarray(pc.rank(values)), -counts))
    ranked = ranked[filled[ranked]]
    own, rest = ranked[:MOST_CATEGORIES], ranked[MOST_CATEGORIES:]
    place = np.full(len(values), -1)
    place[own], place[rest] = np.arange(len(own)), len(own)
    width = len(own) + bool(len(rest))
    block = np.zeros((len(codes), width), np.float32)
    rows = np.flatnonzero(place[codes] >= 0)
    block[rows, place[codes[rows]]] = 1
    shown = examples((repr(values[int(at)].as_py()) for at in own), len(own))
    text = f"The node column '{name}' became {plural(width, 'feature')} for its categories: {shown}"
    if len(rest):
        text += f", and one for the {len(rest):,} rarer ones together"
    if blank := len(codes) - len(rows):
        text += f"; {plural(blank, 'node')} without a value {'has' if blank == 1 else 'have'} zeros"
    return block, changed(f"{text}.")
