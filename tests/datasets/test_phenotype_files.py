"""The files of the HPO, on a few lines of each."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sub2node import DataError
from sub2node.datasets.phenotype_files import (
    PhenotypeOntology,
    parse_annotations,
    parse_ontology,
)

OBO = """\
format-version: 1.2
data-version: hp/releases/2000-01-01

[Term]
id: HP:1
name: All

[Term]
id: HP:2
name: Abnormality
is_a: HP:1 ! All

[Term]
id: HP:3
name: Ünusual: nose
alt_id: HP:30
def: "A nose. [Term] is no stanza here." []
is_a: HP:2 ! Abnormality
is_a: HP:5 {source="x"} ! Face

[Term]
id: HP:4
name: obsolete Nose
is_obsolete: true
replaced_by: HP:30

[Term]
id: HP:5
name: Face
is_a: HP:2

[Term]
id: HP:6
name: obsolete Beak
is_obsolete: true
consider: HP:3

[Term]
id: HP:7
name: Mode
is_a: HP:1

[Typedef]
id: has_part
name: has part
is_a: HP:2
"""
HEAD = "database_id\tdisease_name\tqualifier\thpo_id\treference\tfrequency\taspect"
ROWS = """\
OMIM:1\tName\t\tHP:3\tx\t1/2\tP
OMIM:1\tName\tNOT\tHP:5\tx\t\tP
OMIM:1\tName\t\tHP:5\tx\t0/12\tP
OMIM:1\tName\t\tHP:5\tx\t0%\tP
OMIM:1\tName\t\tHP:5\tx\t0.0 %\tP
OMIM:1\tName\t\tHP:5\tx\tHP:0040285\tP
OMIM:1\tName\t\tHP:7\tx\t\tI
ORPHA:1\tName\t\tHP:3\tx\t\tP
OMIM:2\tA "name\t\tHP:2\tx\t0.5%\tP
OMIM:2\tA "name\t\tHP:3\tx\tHP:0040284\tP
OMIM:2\tA "name\t\tHP:4\tx\t10/10\tP
"""


def ontology(text: str = OBO) -> PhenotypeOntology:
    return parse_ontology(text.encode(), Path("hp.obo"))


def test_terms_links_and_replacements() -> None:
    terms = ontology()
    assert terms.version == "hp/releases/2000-01-01"
    assert terms.titles == {
        "HP:1": "All", "HP:2": "Abnormality", "HP:3": "Ünusual: nose", "HP:5": "Face",
        "HP:7": "Mode",
    }  # fmt: skip
    assert terms.links == [
        ("HP:2", "HP:1"), ("HP:3", "HP:2"), ("HP:3", "HP:5"), ("HP:5", "HP:2"), ("HP:7", "HP:1"),
    ]  # fmt: skip
    assert [terms.resolve(term) for term in ("HP:3", "HP:30", "HP:4")] == ["HP:3"] * 3
    assert [terms.resolve(term) for term in ("HP:6", "HP:99")] == [None, None]
    assert ontology(OBO.replace("\n", "\r\n")) == terms


def test_replacements_in_a_circle_end() -> None:
    assert PhenotypeOntology("", {}, [], {"a": "b", "b": "a"}).resolve("a") is None


def test_terms_below_another() -> None:
    ids, links = ontology().below("HP:2")
    assert ids == ["HP:2", "HP:3", "HP:5"]
    assert links.tolist() == [[1, 1, 2], [0, 2, 0]]
    with pytest.raises(DataError, match="no term HP:4"):
        ontology().below("HP:4")


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 12)), max_size=25), st.integers(0, 9))
def test_terms_below_are_those_that_lead_up(pairs: list[tuple[int, int]], root: int) -> None:
    titles = {f"{number:02}": "" for number in range(10)}
    named = [(f"{low:02}", f"{high:02}") for low, high in pairs]  # 10 to 12 are no terms
    ids, links = PhenotypeOntology("", titles, named, {}).below(f"{root:02}")
    above = np.eye(10, dtype=bool)
    for low, high in pairs:
        if high < 10:
            above[low, high] = True
    for _ in range(4):
        above = above @ above
    expected = [f"{number:02}" for number in np.flatnonzero(above[:, root])]
    assert ids == expected
    inside = [(low, high) for low, high in named if low in ids and high in ids]
    assert [(ids[low], ids[high]) for low, high in links.T] == inside


def test_annotations_that_a_disease_has() -> None:
    content = f"#description: x\n#version: 2000-01-02\n{HEAD}\n{ROWS}".encode()
    annotations = parse_annotations(content, Path("phenotype.hpoa"))
    assert annotations.version == "2000-01-02"
    assert annotations.rows.num_rows == 11
    present = annotations.present("OMIM").to_pydict()
    assert list(zip(present["database_id"], present["hpo_id"], strict=True)) == [
        ("OMIM:1", "HP:3"), ("OMIM:2", "HP:2"), ("OMIM:2", "HP:3"), ("OMIM:2", "HP:4"),
    ]  # fmt: skip
    assert present["disease_name"][-1] == 'A "name'


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "no rows"),
        (b"#version: 1\n", "no rows"),
        (f"{HEAD}\n{ROWS}".encode(), "no release"),
        (b"#version: 1\nx\ty\n1\t2\n", "no table of annotations"),
        (f"#version: 1\n{HEAD}\nOMIM:1\tx\n".encode(), "no table of annotations"),
        (b"#version: \xff\n", "not UTF-8"),
    ],
)
def test_files_that_are_no_annotations(content: bytes, words: str) -> None:
    with pytest.raises(DataError, match=rf"a\.hpoa: .*{words}"):
        parse_annotations(content, Path("a.hpoa"))


@pytest.mark.parametrize(
    ("text", "words"), [("", "no release"), ("data-version: 1\n\n[Term]\nname: x\n", "no id")]
)
def test_files_that_are_no_ontology(text: str, words: str) -> None:
    with pytest.raises(DataError, match=rf"hp\.obo: .*{words}"):
        ontology(text)
