"""Warnings: what they are said of, against plain definitions on random tasks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sub2node.scoring import Answers, Query, WarningKind
from sub2node.scoring.card_words import CardWords
from sub2node.scoring.doubt import TrainingProfile
from sub2node.task import Graph, Split, Subgraphs, SubgraphTask

SURE = [0.98, 0.01, 0.01]


def path_task(sizes: list[int], labels: list[int] | np.ndarray, *, nodes: int = 40):
    """Training subgraphs at the beginning of a path, by their sizes; three classes."""
    known = Subgraphs.from_lists([range(size) for size in sizes])
    graph = Graph.from_edges(np.arange(nodes - 1), np.arange(1, nodes))
    split = Split.sizes(train=len(sizes))
    return SubgraphTask(graph, known, np.array(labels), ("x", "y", "z"), split)


def answers_for(query: Query, probabilities, *, multilabel=False) -> Answers:
    p = np.array(probabilities)
    best = p.argmax(axis=1)[:, None] == range(p.shape[1])
    return Answers(
        query.names, p, p / 10, query.known, query.unknown, p > 0.5 if multilabel else best,
        tuple(map(str, range(p.shape[1]))), multilabel,
    )  # fmt: skip


def find_warnings(profile: TrainingProfile, query: Query, answers: Answers, **options):
    """Without those of known sets, which have tests of their own: questions here often are some."""
    found = profile.find_warnings(query, answers, **options)
    return tuple(tuple(one for one in row if one.kind is not WarningKind.KNOWN) for row in found)


def test_classes_of_no_training_subgraph_are_not_learned() -> None:
    profile = TrainingProfile.of(path_task([3, 3, 3], [0, 2, 2]))
    assert profile.learned.tolist() == [True, False, True]
    query = Query.of(Subgraphs.from_lists([[0, 1, 2]]))
    answers = replace(answers_for(query, [[0.33, 0.0, 0.67]]), learned=profile.learned)
    assert answers.doubt > 0.9  # of two classes; of three it is 0.58
    ((warning,),) = find_warnings(profile, query, answers)
    assert warning.text.startswith("the classes are almost equally probable: 91 %")
    answers = replace(answers, probabilities=np.array([[0.31, 0.04, 0.65]]))
    assert answers.doubt == pytest.approx(0.907, abs=1e-3)  # of 0.31 and 0.65 among themselves


def test_excluded_nodes_that_a_model_does_not_read_are_said() -> None:
    task = path_task([3, 3, 3], [0, 1, 2])
    sets = Subgraphs.from_lists([[0, 1, 2], [1, 2, 3]])
    query = Query.of(replace(sets, excluded=Subgraphs.from_lists([[7], []])))
    answers, profile = answers_for(query, [SURE, SURE]), TrainingProfile.of(task)
    ((warning,), none) = find_warnings(profile, query, answers)
    assert warning.kind == WarningKind.EXCLUDED == "excluded"
    assert warning.text == (
        "1 excluded node not used: the model has learned from present ones only, so check whether"
        " they speak against the answer"
    )
    assert none == ()
    assert find_warnings(profile, query, answers, reads_excluded=True) == ((), ())


def warnings_of(task, sets, probabilities, **options):
    query = Query.of(Subgraphs.from_lists(sets))
    answers = answers_for(query, probabilities, **options)
    return find_warnings(TrainingProfile.of(task), query, answers)


def kinds_of(*arguments, **options) -> list[list[str]]:
    return [[str(w.kind) for w in row] for row in warnings_of(*arguments, **options)]


def test_a_question_like_the_training_subgraphs_has_none() -> None:
    task = path_task([2, 3, 4], [0, 1, 2])
    assert warnings_of(task, [[0, 1], [1, 2, 3]], [SURE, SURE]) == ((), ())


def test_sizes_out_of_range() -> None:
    task = path_task([2, 3, 7], [0, 1, 2])
    sets = [[0], [0, 1], list(range(7)), list(range(8))]
    first, *inside, last = warnings_of(task, sets, [SURE] * 4)
    assert inside == [(), ()]
    assert first[0].kind is last[0].kind is WarningKind.SIZE
    assert first[0].text == "1 node, where 99 % of the training subgraphs have 2 to 7"
    assert last[0].text.startswith("8 nodes, ")
    one_size = path_task([4, 4], [0, 1])
    ((found,),) = warnings_of(one_size, [[0]], [SURE])
    assert found.text == "1 node, where 99 % of the training subgraphs have 4"


@example([2] + [9] * 199)  # by interpolation, 8
@example([9] * 199 + [30])
@given(st.lists(st.integers(1, 39), min_size=1, max_size=300))
def test_the_range_of_sizes_has_99_percent_and_no_sizes_that_never_occur(sizes) -> None:
    profile = TrainingProfile.of(path_task(sizes, [0] * len(sizes)))
    fewest, most = profile.fewest_nodes, profile.most_nodes
    assert {fewest, most} <= set(sizes)
    assert np.mean([size < fewest for size in sizes]) <= 0.005
    assert np.mean([size > most for size in sizes]) <= 0.005
    assert len(sizes) > 200 or (fewest, most) == (min(sizes), max(sizes))


def test_no_link() -> None:
    task = path_task([2, 3], [0, 1])  # nodes 0, 1 and 2
    sets = [[2, 30], [3, 30], [4, 30], [30, 31]]
    assert kinds_of(task, sets, [SURE] * 4) == [[], [], ["no-link"], ["no-link"]]


@given(st.integers(0, 2**32))
def test_links_by_dense_matrices(seed: int) -> None:
    random = np.random.default_rng(seed)
    graph = Graph.from_edges(*random.integers(0, 20, (2, 12)), num_nodes=20)
    lists = [random.choice(20, random.integers(1, 4), replace=False) for _ in range(7)]
    subgraphs = Subgraphs.from_lists(lists)
    split = Split.sizes(train=2, virtual=1)
    task = SubgraphTask(
        graph, subgraphs.take(np.arange(3)), np.array([0, 1, -1]), ("x", "y"), split
    )
    query = Query.of(Subgraphs.from_lists(lists[3:]))
    found = find_warnings(TrainingProfile.of(task), query, answers_for(query, [SURE] * 4))
    membership = subgraphs.membership(20).toarray()
    joined = membership[3:] @ (graph.adjacency().toarray() + np.eye(20)) @ membership[:2].T
    linkless = [any(w.kind is WarningKind.NO_LINK for w in row) for row in found]
    assert linkless == (joined.sum(axis=1) == 0).tolist()


def test_unknown_nodes_are_counted() -> None:
    profile = TrainingProfile.of(path_task([1, 4], [0, 1]))
    query = Query(
        ("a", "b", "c"), Subgraphs.from_lists([[0, 1, 2, 3], [0], [0]]), np.array([4 / 7, 0.5, 1]),
        (("u", "v", "w"), ("u",), ()),
    )  # fmt: skip
    first, second, third = find_warnings(profile, query, answers_for(query, [SURE] * 3))
    assert [w.text for w in first] == ["3 of 7 nodes are not in the graph"]
    assert [w.text for w in second] == ["1 of 2 nodes is not in the graph"]
    assert third == ()
    assert first[0].kind == "unknown-nodes"


def test_almost_equal_probabilities() -> None:
    task, sets = path_task([2, 2, 2], [0, 1, 2]), [[0, 1]] * 3
    first, *others = warnings_of(task, sets, [[0.35, 0.33, 0.32], [0.5, 0.5, 0.0], SURE])
    assert others == [(), ()]
    text = "the classes are almost equally probable: 100 % of the highest entropy"
    assert first == ((WarningKind.UNDECIDED, text),)


def test_less_decided_than_the_shares_of_classes() -> None:
    task = path_task([2] * 10, [0] * 9 + [1])  # entropy of the shares: 0.296 of the highest
    sets = [[0, 1]] * 4
    given = [[0.6, 0.4, 0.0], [0.91, 0.09, 0.0], [0.4, 0.6, 0.0], [0.89, 0.06, 0.05]]
    first, above, other, last = warnings_of(task, sets, given)
    text = "'0' has 0.60, less than its share of 0.90 among the training subgraphs"
    assert first == ((WarningKind.UNDECIDED, text),)
    assert above == other == ()  # 0.6 is far above the share of the other
    assert [w.kind for w in last] == [WarningKind.UNDECIDED]


def test_two_likely_classes_are_a_decision() -> None:
    task = path_task([2] * 4, [0, 0, 1, 2])  # entropy of the shares: 0.95 of the highest
    assert warnings_of(task, [[0, 1]], [[0.48, 0.48, 0.04]]) == ((),)  # x has a share of 0.5


@pytest.mark.parametrize("rare", [1, 2])
def test_more_classes_than_99_percent_have(rare: int) -> None:
    labels = np.zeros((200, 3), bool)
    labels[:, 0] = True
    labels[:rare, 1] = True  # one in 200 is below 1 %
    labels[:1] = True
    task = path_task([2] * 200, labels)
    most = TrainingProfile.of(task).most_labels
    assert most == 1
    given = [[0.9, 0.1, 0.1], [0.9, 0.8, 0.1], [0.99, 0.99, 0.9]]
    one, two, three = warnings_of(task, [[0, 1]] * 3, given, multilabel=True)
    assert one == ()
    assert two[0].kind is three[0].kind is WarningKind.MANY_CLASSES
    text = "2 of 3 classes are claimed, where 99 % of the training subgraphs have at most 1"
    assert two[0].text == text


def test_even_chances_of_all_labels() -> None:
    task = path_task([2, 2], np.eye(2, 3) > 0)
    even, sure = warnings_of(task, [[0, 1]] * 2, [[0.4, 0.5, 0.5], [0.9, 0.1, 0]], multilabel=True)
    assert [w.kind for w in even] == [WarningKind.UNDECIDED]
    assert even[0].text.startswith("every class has about an even chance: 99 % of")
    assert sure == ()


def test_two_nodes_that_claim_most_classes_do_so_with_a_warning() -> None:
    labels = np.arange(40)[:, None] % 10 == np.arange(10)
    task = replace(path_task([6] * 40, [0] * 40), labels=labels, class_names=())
    (row,) = warnings_of(task, [[0, 1]], [[0.9] * 8 + [0.1] * 2], multilabel=True)
    assert [warning.kind for warning in row] == [WarningKind.SIZE, WarningKind.MANY_CLASSES]
    assert row[1].text.startswith("8 of 10 classes are claimed, where 99 % of")


def test_a_model_answers_with_warnings(fitted) -> None:
    usual, large = fitted.answers([["g1", "g2"], [f"g{i}" for i in range(30)]]).warnings
    assert WarningKind.SIZE not in [warning.kind for warning in usual]
    assert WarningKind.SIZE in [warning.kind for warning in large]
    assert WarningKind.KNOWN not in [warning.kind for warning in usual]
    ((known, *_),) = fitted.answers([fitted.scorer_.task.members(0)]).warnings
    assert known.kind is WarningKind.KNOWN
    assert fitted.scorer_.training_profile is fitted.scorer_.training_profile


def test_no_question_has_no_warning() -> None:
    task = path_task([2, 2], [0, 1])
    query = Query.of(Subgraphs.from_lists([]))
    answers = answers_for(query, np.zeros((0, 3)))
    assert find_warnings(TrainingProfile.of(task), query, answers) == ()


def test_words_are_those_of_the_card() -> None:
    task = path_task([3, 3], [0, 1])
    words = CardWords(member="phenotype", subgraph="patient", label="diagnosis")
    profile = TrainingProfile.of(task, words)
    sets = Subgraphs.from_lists([[0, 1, 2], [8, 9, 10, 11]])
    query = Query.of(replace(sets, excluded=Subgraphs.from_lists([[7, 8], []])))
    query = replace(query, known=np.array([0.5, 1]), unknown=(("u",), ()))
    even = [[0.34, 0.33, 0.33]] * 2
    near, far = profile.find_warnings(query, answers_for(query, even))
    assert [w.text for w in near] == [
        "1 of 6 phenotypes is not in the graph",
        "its phenotypes are those of the training patients '0' (x), '1' (y), whose diagnoses the"
        " model has learned",
        "the diagnoses are almost equally probable: 100 % of the highest entropy",
        "2 excluded phenotypes not used: the model has learned from present ones only, so check"
        " whether they speak against the answer",
    ]
    assert [w.text for w in far][:2] == [
        "4 phenotypes, where 99 % of the training patients have 3",
        "none of its phenotypes, nor a neighbour of one, is in a training patient",
    ]
