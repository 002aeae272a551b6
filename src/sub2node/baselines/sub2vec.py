"""Sub2Vec: a vector for each subgraph, learnt as Doc2Vec learns one for a document of words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal, get_args
from zlib import crc32

import numpy as np

from ..base.errors import ConfigError, MissingExtraError
from ..base.progress import step
from ..base.ragged import Array, blocks, generator, pointers
from ..encode.encoding import check_count
from ..task import SubgraphTask
from ..task.subgraph_measures import Measures, measure

Variant = Literal["neighborhood", "structure", "joint"]
Start = Literal["every", "one"]
Doc2VecModel = Literal["dm", "dbow"]

_UPPER = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.5, 0.75)  # largest ratio of each letter but the last
_LETTERS = "0abcdefgh"  # "0" is ours: a member without internal edges has no letter as published
_SENTENCE = 10_000  # words; gensim silently cuts off what is above it
_HELD = 1 << 22  # words of walks in memory at a time


def _stable_hash(text: str) -> int:
    return crc32(text.encode())


# Rare and frequent words all count, and nothing depends on threads or on PYTHONHASHSEED.
_GENSIM_OPTIONS: dict[str, object] = {
    "min_count": 1,
    "sample": 0,
    "workers": 1,
    "hashfxn": _stable_hash,
}


def sub2vec(
    task: SubgraphTask,
    *,
    variant: Variant = "joint",
    width: int = 128,
    walk_length: int = 10,
    walks: int = 1,
    window: int = 2,
    epochs: int = 20,
    model: Doc2VecModel = "dbow",
    start: Start = "every",
    seed: int,
) -> Array:
    """Vectors of subgraphs as in Sub2Vec (Adhikari et al., PAKDD 2018).

    A subgraph is a document and random walks inside it are its sentences; edge and member weights
    are not looked at. The words of variant ``neighborhood`` are the nodes that a walk visits, those
    of ``structure`` the letters of these nodes (see :func:`degree_letters`). ``joint`` learns both
    from the same walks and puts them side by side, the neighborhood first, each with half of the
    columns. No label is used, and all subgraphs of the task but the virtual ones are learnt
    together.

    As published, a subgraph has one long walk, thus sees one of its components and none of its
    members without internal edges: ``start="one", walks=1, walk_length=100_000``. By default walks
    start from every member instead, so that each occurs.

    Args:
        task: Graph and subgraphs.
        variant: Kind of the words: nodes, letters of degrees, or both.
        width: Number of columns, of both halves together.
        walk_length: Nodes on a walk; a walk from a member without internal edges has one.
        walks: Number of walks from each start.
        window: Words on either side that the model ``dm`` looks at.
        epochs: Number of passes over all walks.
        model: Doc2Vec's distributed memory, or its distributed bag of words, which looks at how
            often a word occurs and not at its order.
        start: ``every``: walks start from every member; ``one``: each from a random member, with
            internal edges where there is one.
        seed: Seed of walks and model; the same seed gives the same vectors.

    Returns:
        float32 (M, width); 0 for virtual subgraphs.

    Raises:
        MissingExtraError: gensim is not installed.
    """
    _check(("variant", variant, Variant), ("start", start, Start), ("model", model, Doc2VecModel))
    check_count(window, "words of a window")
    check_count(epochs, "epochs")
    length, count = check_count(walk_length, "nodes on a walk"), check_count(walks, "walks")
    halves = _column_counts(variant, check_count(width, "columns of Sub2Vec"))
    gensim = load_gensim()
    rows = _real_rows(task)
    vectors = np.zeros((len(task.subgraphs), width), dtype=np.float32)
    if not len(rows):
        return vectors
    inside = measure(task.graph, task.subgraphs.take(rows))
    paths, left = Walks(inside, length, count, start, seed), 0
    for kind, columns in halves:
        learnt = gensim.Doc2Vec(
            Documents(paths, WORDS[kind](inside)),
            dm=model == "dm",
            vector_size=columns,
            window=window,
            epochs=epochs,
            seed=int(generator(seed).integers(1 << 31)),  # gensim takes 32 bits
            callbacks=[_Progress(f"Sub2Vec, {kind}", epochs)],
            **_GENSIM_OPTIONS,
        )
        vectors[rows, left : left + columns] = learnt.dv.vectors
        left += columns
    return vectors


def node_words(inside: Measures) -> Array:
    """The number of each member's node as text; object (members,)."""
    nodes, place = np.unique(inside.subgraphs.nodes, return_inverse=True)
    return np.array(nodes.astype(str).tolist(), dtype=object)[place]


def degree_letters(inside: Measures) -> Array:
    """The letter of each member's degree inside over the size of its subgraph; object (members,).

    ``0`` for the ratio 0, then ``a`` to ``h`` for (0, .05], (.05, .1], (.1, .15], (.15, .2],
    (.2, .25], (.25, .5], (.5, .75] and (.75, 1].
    """
    sets = inside.subgraphs
    ratio = np.diff(inside.inner_graph.indptr) / sets.sizes[sets.owner]
    return np.asarray(np.array(list(_LETTERS), dtype=object)[np.searchsorted(_UPPER, ratio)])


WORDS = {"neighborhood": node_words, "structure": degree_letters}


@dataclass(frozen=True)
class Walks:
    """Random walks inside subgraphs; the same ones each time they are gone through.

    Args:
        inside: The subgraphs, each with a member at least.
        length: Number of nodes on a walk.
        count: Number of walks from each start.
        start: Where walks start, as in :func:`sub2vec`.
        seed: Seed of starts and steps.
    """

    inside: Measures
    length: int
    count: int
    start: Start
    seed: int

    def __iter__(self) -> Iterator[tuple[Array, Array]]:
        """A block of walks at a time: ``ptr`` (n+1,) and members, as positions, (ptr[-1],)."""
        graph, rng = self.inside.inner_graph, generator(self.seed)
        degrees = np.diff(graph.indptr)
        starts = self._starts(degrees, rng)
        lengths = np.where(degrees[starts] > 0, self.length, 1)
        for low, high in blocks(lengths, _HELD):
            ptr = pointers(lengths[low:high])
            path = np.empty(ptr[-1], dtype=graph.indices.dtype)
            path[ptr[:-1]] = starts[low:high]
            moving = ptr[:-1][lengths[low:high] > 1]
            current = path[moving]
            for place in range(1, self.length if len(moving) else 1):
                pick = (rng.random(len(current)) * degrees[current]).astype(np.int64)
                current = graph.indices[graph.indptr[current] + pick]
                path[moving + place] = current
            yield ptr, path

    def _starts(self, degrees: Array, rng: np.random.Generator) -> Array:
        """The first member of each walk, those of a subgraph together; (walks,)."""
        sets = self.inside.subgraphs
        if self.start == "every":
            return np.repeat(np.arange(len(sets.nodes)), self.count)
        joined = np.bincount(sets.owner[degrees > 0], minlength=len(sets)) > 0
        able = np.flatnonzero((degrees > 0) | ~joined[sets.owner])
        counts = np.bincount(sets.owner[able], minlength=len(sets))
        pick = (rng.random((len(sets), self.count)) * counts[:, None]).astype(np.int64)
        return np.asarray(able[pointers(counts)[:-1, None] + pick].ravel())


@dataclass(frozen=True)
class Documents:
    """Walks as gensim's documents, again and again; all walks of a subgraph have its number.

    Args:
        walks: Walks that are the sentences of documents.
        words: The word of each member; object (members,).
    """

    walks: Walks
    words: Array

    def __iter__(self) -> Iterator[Any]:
        tagged = import_module("gensim.models.doc2vec").TaggedDocument
        for ptr, path in self.walks:
            owner = self.walks.inside.subgraphs.owner[path[ptr[:-1]]].tolist()
            words, ends = self.words[path].tolist(), ptr.tolist()
            for number, low, high in zip(owner, ends[:-1], ends[1:], strict=True):
                for cut in range(low, high, _SENTENCE):
                    yield tagged(words[cut : min(cut + _SENTENCE, high)], [number])


class _Progress:
    """What gensim calls, in the caller's thread, after each epoch."""

    def __init__(self, name: str, epochs: int) -> None:
        self.name, self.epochs, self.done = name, epochs, 0

    def on_train_begin(self, model: object) -> None:
        step(self.name, 0, self.epochs)

    def on_epoch_begin(self, model: object) -> None: ...

    def on_epoch_end(self, model: object) -> None:
        self.done += 1
        step(self.name, self.done, self.epochs)

    def on_train_end(self, model: object) -> None: ...


def _check(*settings: tuple[str, str, object]) -> None:
    for name, value, kind in settings:
        if value not in get_args(kind):
            raise ConfigError(f"{name} is one of {', '.join(get_args(kind))}, found {value!r}.")


def _column_counts(variant: Variant, width: int) -> list[tuple[str, int]]:
    """Variants to learn, and the number of columns of each."""
    if variant != "joint":
        return [(variant, width)]
    if width < 2:
        raise ConfigError("variant joint needs two columns at least, one for each half.")
    return [("neighborhood", width - width // 2), ("structure", width // 2)]


def _real_rows(task: SubgraphTask) -> Array:
    """Positions of the subgraphs that are not virtual."""
    if task.split is None:
        return np.arange(len(task.subgraphs))
    return np.flatnonzero(~task.split.mask("virtual"))


def load_gensim() -> Any:
    """gensim's Doc2Vec, or the sentence that says what to install."""
    try:
        return import_module("gensim.models.doc2vec")
    except ImportError:
        raise MissingExtraError("gensim", "baselines", "Sub2Vec") from None
