"""Sub2Vec: walks that stay inside, letters as defined, vectors that tell families apart."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from strategies import tasks
from sub2node.base.errors import ConfigError, MissingExtraError
from sub2node.base.progress import listen
from sub2node.baselines import sub2vec as module
from sub2node.baselines.sub2vec import Documents, Walks, degree_letters, node_words, sub2vec
from sub2node.task import Graph, Split, Subgraphs, SubgraphTask
from sub2node.task.subgraph_measures import measure

FAST = {"width": 8, "walks": 2, "walk_length": 5, "epochs": 2}


def task_of(edges, sets, split=None) -> SubgraphTask:
    low, high = np.array(edges, dtype=np.int64).reshape(-1, 2).T
    graph = Graph.from_edges(low, high, num_nodes=max(map(max, sets)) + 1)
    return SubgraphTask(graph, Subgraphs.from_lists(sets), split=split)


def walks_of(walks: Walks) -> list[list[int]]:
    return [path[low:high].tolist() for ptr, path in walks for low, high in pairwise(ptr)]


def families() -> tuple[SubgraphTask, np.ndarray]:
    """Cliques and paths of six nodes, no node in two of them."""
    clique = [(u, v) for v in range(6) for u in range(v)]
    path = [(u, u + 1) for u in range(5)]
    edges = [(u + 6 * i, v + 6 * i) for i in range(60) for u, v in (clique if i % 2 else path)]
    return task_of(edges, [range(6 * i, 6 * i + 6) for i in range(60)]), np.arange(60) % 2


def held_out(x, side, train) -> float:
    """Accuracy of a linear model where it was not trained."""
    x = (x - x[train].mean(axis=0)) / x[train].std(axis=0)
    return LogisticRegression().fit(x[train], side[train]).score(x[~train], side[~train])


@given(tasks(), st.integers(1, 6), st.integers(1, 3), st.sampled_from(["every", "one"]))
def test_walks_follow_edges_and_stay_inside(task, length, count, start) -> None:
    inside = measure(task.graph, task.subgraphs)
    inner, owner = inside.inner_graph.toarray(), task.subgraphs.owner
    walks = Walks(inside, length, count, start, 3)
    found = walks_of(walks)
    for walk in found:
        assert all(inner[here, there] for here, there in pairwise(walk))
        assert len(walk) == (length if inner[walk[0]].any() else 1)
    starts = [walk[0] for walk in found]
    if start == "every":
        assert starts == np.repeat(np.arange(len(owner)), count).tolist()
    else:
        assert owner[starts].tolist() == np.repeat(np.arange(len(task.subgraphs)), count).tolist()
        for first in starts:
            assert inner[first].any() or not inner[owner == owner[first]].any()
    assert walks_of(walks) == found


@given(tasks(), st.integers(1, 9))
def test_blocks_of_walks_bound_the_memory(task, limit) -> None:
    inside = measure(task.graph, task.subgraphs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_HELD", limit)
        sizes = [(len(ptr) - 1, len(path)) for ptr, path in Walks(inside, 4, 2, "every", 0)]
    assert all(total <= limit or count == 1 for count, total in sizes)
    assert sum(count for count, _ in sizes) == 2 * len(task.subgraphs.nodes)


def test_steps_are_uniform_over_neighbours() -> None:
    task = task_of([(0, 1), (0, 2), (0, 3)], [range(4)])
    inside = measure(task.graph, task.subgraphs)
    steps = Counter(walk[1] for walk in walks_of(Walks(inside, 2, 30_000, "every", 0))[:30_000])
    assert set(steps) == {1, 2, 3}
    assert all(abs(times - 10_000) < 400 for times in steps.values())  # 5 deviations


def test_one_start_is_uniform_over_members_with_edges() -> None:
    task = task_of([(1, 2), (2, 3), (5, 6)], [[0, 1, 2, 3], [4, 5], [6]])
    inside = measure(task.graph, task.subgraphs)
    starts = np.array([walk[0] for walk in walks_of(Walks(inside, 2, 9_000, "one", 0))])
    first, second, third = starts.reshape(3, -1)
    assert all(abs((first == member).sum() - 3_000) < 250 for member in (1, 2, 3))
    assert all(abs((second == member).sum() - 4_500) < 250 for member in (4, 5))  # no edge inside
    assert (third == 6).all()


def test_letters_by_hand() -> None:
    star = [(0, leaf) for leaf in range(1, 20)]  # 20 members: 19/20 and 1/20
    ring = [(20 + i, 20 + (i + 1) % 8) for i in range(8)]  # 2/8
    chord = [(40, 41), (41, 42), (40, 42), (42, 43)]  # 2/4, 2/4, 3/4, 1/4
    task = task_of(star + ring + chord, [range(20), range(20, 28), range(40, 44), [0, 30]])
    letters = "".join(degree_letters(measure(task.graph, task.subgraphs)))
    assert letters == "h" + "a" * 19 + "e" * 8 + "ffge" + "00"


@pytest.mark.parametrize("size", [3, 7, 20, 40, 60])
def test_letters_are_their_definition(size) -> None:
    """Of a star on k+1 of the members, for every k: the centre's ratio is k over the size."""
    edges = [
        (size * (k - 1), size * (k - 1) + leaf) for k in range(1, size) for leaf in range(1, k + 1)
    ]
    task = task_of(edges, [range(size * k, size * (k + 1)) for k in range(size - 1)])
    found = degree_letters(measure(task.graph, task.subgraphs)).reshape(-1, size)
    hundredths = [5, 10, 15, 20, 25, 50, 75, 100]
    for k in range(1, size):
        expected = "abcdefgh"[sum(100 * k > bound * size for bound in hundredths)]
        assert found[k - 1, 0] == expected
        assert set(found[k - 1, k + 1 :]) <= {"0"}


@given(tasks())
def test_every_member_is_a_word_of_its_document(task) -> None:
    pytest.importorskip("gensim")
    inside = measure(task.graph, task.subgraphs)
    found: dict[int, set[str]] = {}
    for document in Documents(Walks(inside, 3, 1, "every", 0), node_words(inside)):
        found.setdefault(document.tags[0], set()).update(document.words)
    sets = task.subgraphs
    for number in range(len(sets)):
        members = sets.nodes[sets.ptr[number] : sets.ptr[number + 1]]
        assert found[number] == set(map(str, members.tolist()))


def test_a_long_walk_is_cut_into_sentences_that_gensim_takes_whole() -> None:
    pytest.importorskip("gensim")
    from gensim.models.word2vec_inner import MAX_WORDS_IN_BATCH

    task = task_of([(0, 1), (1, 2)], [[0, 1, 2], [0, 1]])
    inside = measure(task.graph, task.subgraphs)
    documents = list(Documents(Walks(inside, 25_000, 1, "one", 0), node_words(inside)))
    lengths = [len(document.words) for document in documents]
    assert lengths == [10_000, 10_000, 5_000] * 2
    assert max(lengths) <= MAX_WORDS_IN_BATCH
    assert [document.tags for document in documents] == [[0]] * 3 + [[1]] * 3


@pytest.mark.slow
@settings(max_examples=15)
@given(
    tasks(),
    st.sampled_from(["neighborhood", "structure", "joint"]),
    st.sampled_from(["dm", "dbow"]),
)
def test_vectors_have_their_shape_whatever_the_task(task, variant, model) -> None:
    pytest.importorskip("gensim")
    found = sub2vec(task, variant=variant, model=model, seed=1, **FAST)
    assert found.shape == (len(task.subgraphs), 8)
    assert found.dtype == np.float32
    assert np.isfinite(found).all()
    assert (found != 0).any(axis=1).all()


@pytest.mark.slow
def test_structure_tells_cliques_from_paths() -> None:
    pytest.importorskip("gensim")
    task, family = families()
    train = np.arange(60) < 40
    for model in ("dm", "dbow"):
        x = sub2vec(task, variant="structure", width=16, model=model, walks=5, seed=0)
        assert held_out(x, family, train) == 1.0


@pytest.mark.slow
def test_neighborhood_brings_sets_of_the_same_nodes_together() -> None:
    """With ``dbow``; ``dm`` knows the side from the words around, and leaves it out of a vector."""
    pytest.importorskip("gensim")
    rng = np.random.default_rng(0)
    sets = [rng.choice(10, 6, replace=False) + 10 * (i % 2) for i in range(40)]
    task = task_of([(u + s, v + s) for v in range(10) for u in range(v) for s in (0, 10)], sets)
    x = sub2vec(task, variant="neighborhood", width=16, walks=10, walk_length=20, seed=0)
    side, train = np.arange(40) % 2, np.arange(40) < 20
    assert held_out(x, side, train) == 1.0


@pytest.mark.slow
def test_the_window_is_what_dm_looks_at_and_dbow_does_not() -> None:
    pytest.importorskip("gensim")
    task = families()[0]
    dm, bag = (
        [sub2vec(task, model=model, window=window, seed=0, **FAST) for window in (1, 4)]
        for model in ("dm", "dbow")
    )
    assert (dm[0] != dm[1]).any()
    assert (bag[0] == bag[1]).all()


@pytest.mark.slow
def test_joint_is_both_halves_side_by_side() -> None:
    pytest.importorskip("gensim")
    task = families()[0]
    both = sub2vec(task, seed=4, **(FAST | {"width": 9}))
    nodes = sub2vec(task, variant="neighborhood", seed=4, **(FAST | {"width": 5}))
    letters = sub2vec(task, variant="structure", seed=4, **(FAST | {"width": 4}))
    assert (both == np.hstack([nodes, letters])).all()


def test_members_without_edges_and_single_nodes() -> None:
    pytest.importorskip("gensim")
    task = task_of([(0, 1)], [[0], [2, 3, 4], [5]])
    for start in ("every", "one"):
        found = sub2vec(task, start=start, seed=0, **FAST)
        assert (found != 0).any(axis=1).all()


def test_virtual_subgraphs_have_zeros_and_change_nothing() -> None:
    pytest.importorskip("gensim")
    edges = [(0, 1), (1, 2), (3, 4)]
    plain = sub2vec(task_of(edges, [[0, 1, 2], [3, 4]]), seed=0, **FAST)
    virtual = task_of(edges, [[0, 1, 2], [0, 3], [3, 4]], Split(np.array([0, 1, 2])))
    found = sub2vec(virtual, seed=0, **FAST)
    assert (found[[0, 2]] == plain).all()
    assert (found[1] == 0).all()
    nothing = task_of(edges, [[0, 1, 2], [3, 4]], Split(np.array([1, 1])))
    assert (sub2vec(nothing, seed=0, **FAST) == np.zeros((2, 8))).all()


@pytest.mark.slow
def test_same_seed_same_vectors_other_seed_others() -> None:
    pytest.importorskip("gensim")
    task = families()[0]
    first = sub2vec(task, seed=5, **FAST)
    assert (sub2vec(task, seed=5, **FAST) == first).all()
    assert (sub2vec(task, seed=6, **FAST) != first).any()


_CODE = """
import hashlib
from sub2node.datasets import load_task
from sub2node.baselines.sub2vec import sub2vec
task = load_task("generate:density,subgraphs=12,seed=1")
x = sub2vec(task, width=8, walks=2, walk_length=5, epochs=2, seed=7)
digest = hashlib.sha256(x.tobytes()).hexdigest()
print(digest)
"""


@pytest.mark.process
def test_hash_seed_and_process_change_nothing() -> None:
    pytest.importorskip("gensim")
    done = subprocess.run(
        [sys.executable, "-c", _CODE],
        env=os.environ | {"PYTHONHASHSEED": "1"},  # not the one of this process
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    here: dict[str, str] = {}
    exec(_CODE, here)
    assert len(here["digest"]) == 64
    assert done.stdout.strip() == here["digest"]


def test_progress_counts_epochs_of_each_half() -> None:
    pytest.importorskip("gensim")
    seen = []
    with listen(lambda report: seen.append((report.what, report.done, report.total))):
        sub2vec(families()[0], seed=0, **FAST)
    halves = ["Sub2Vec, neighborhood", "Sub2Vec, structure"]
    assert seen == [(half, done, 2) for half in halves for done in range(3)]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"variant": "both"}, "variant is one of neighborhood, structure, joint, found 'both'"),
        ({"model": "cbow"}, "model is one of dm, dbow"),
        ({"start": "all"}, "start is one of every, one"),
        ({"width": 1}, "two columns"),
        ({"width": 0}, "columns of Sub2Vec"),
        ({"walk_length": 0}, "nodes on a walk"),
        ({"walks": 0}, "number of walks"),
        ({"window": 0}, "window"),
        ({"epochs": 0}, "epochs"),
        ({"seed": -1}, "seed"),
    ],
)
def test_wrong_settings_say_so(wrong, message) -> None:
    pytest.importorskip("gensim")
    with pytest.raises(ConfigError, match=message):
        sub2vec(families()[0], **({"seed": 0} | wrong))


def test_without_gensim_the_extra_is_named(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "gensim", None)
    monkeypatch.setitem(sys.modules, "gensim.models.doc2vec", None)
    with pytest.raises(MissingExtraError, match=r"gensim.*sub2node\[baselines\]"):
        sub2vec(families()[0], seed=0)
