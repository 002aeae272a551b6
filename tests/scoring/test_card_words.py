"""The words of a model's card: by the data, by what the user says, and of cards of any origin."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from scoring_tasks import named, small_task
from sub2node import load_task, save_task
from sub2node.base.errors import ConfigError
from sub2node.base.notes import Note, NoteKind
from sub2node.scoring.card_words import CardWords, card_words, default_words
from sub2node.task import Graph, SubgraphTask

TASK = named(small_task())


def phenotypes() -> SubgraphTask:
    graph = Graph.from_edges([0], [1], names=["HP:0000118", "HP:0001250"])
    return SubgraphTask(graph, TASK.subgraphs.take([]))


def test_words_follow_from_name_ids_or_format() -> None:
    families = default_words(replace(TASK, name="disease_families"))
    assert (families.subgraph, families.member, families.label) == (
        "disease", "phenotype", "family"
    )  # fmt: skip
    assert "no medical device" in families.caution
    patients = default_words(phenotypes())
    assert (patients.subgraph, patients.label) == ("patient", "diagnosis")
    assert "no medical device" in patients.caution
    assert default_words(TASK) == CardWords()
    assert CardWords().full_question == "Which class do these nodes belong to?"


@pytest.mark.parametrize(
    ("columns", "nouns"),
    [
        (("alert", "account"), ("cluster", "account", "verdict")),
        (("gene_set", "gene"), ("gene set", "gene", "process")),
        (("subgraph_id", "node_id"), ("subgraph", "node", "class")),
    ],
)
def test_words_follow_from_columns(columns: tuple[str, str], nouns: tuple[str, ...]) -> None:
    edges = {"source": ["a", "b"], "target": ["b", "c"]}
    members = dict(zip(columns, (["x", "x", "y"], ["a", "b", "c"]), strict=True))
    words = default_words(SubgraphTask.from_tables(edges, members))
    assert (words.subgraph, words.member, words.label) == nouns
    assert ("no evidence against anybody" in words.caution) is (nouns[1] == "account")


def test_words_follow_from_formats(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("source,target\na,b\nb,c\n")
    (tmp_path / "sets.gmt").write_text("x\t\ta\tb\ny\t\tb\tc\n")
    for task in (
        load_task(tmp_path / "sets.gmt", graph=tmp_path / "edges.csv"),
        load_task(tmp_path),
    ):
        assert default_words(task).full_question == "Which process does this gene set belong to?"
    written = save_task(task, tmp_path / "tables")
    assert default_words(load_task(written)) == CardWords()  # tables do not tell
    laundering = Note(NoteKind.LAUNDERING, "told")
    assert default_words(replace(TASK, notes=("x", laundering))).label == "pattern"


def test_the_user_has_the_last_word() -> None:
    words = default_words(phenotypes()).with_changes({"member": "symptom", "title": "Mine"})
    assert (words.member, words.title, words.subgraph) == ("symptom", "Mine", "patient")
    assert words.full_question == "Which diagnosis do these symptoms belong to?"
    assert words.nouns()["label"] == ["diagnosis", "diagnoses"]
    assert words.with_changes({"question": "Who?", "label": "x"}).full_question == "Who?"
    assert words.with_changes(None) == words


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"lable": "x"}, "there is no word 'lable'. Did you mean 'label'?"),
        ({"label": " "}, "the word for 'label' is empty."),
        ({"title": "x" * 301}, "the word for 'title' must be text of at most 300 characters."),
        ({"title": 3}, "the word for 'title' must be text of at most 300 characters."),
    ],
)
def test_words_that_are_none(changes, sentence: str) -> None:
    with pytest.raises(ConfigError) as error:
        CardWords().with_changes(changes)
    assert str(error.value) == sentence


def test_a_card_of_any_origin() -> None:
    assert card_words({}, TASK) == CardWords()  # saved before there were words
    assert card_words({"words": {"label": "kind", "old": 1}}, TASK).label == "kind"
    for nonsense in ({"words": 3}, {"words": {"label": 3}}, {"words": {"title": "x" * 999}}):
        assert card_words(nonsense, TASK) == CardWords()
