"""Phenopackets of both versions: alone, in folders and archives, damaged or not."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from bad_files import assert_refused
from commands import refused, s2n
from sub2node import ConfigError, DataError, SubgraphClassifier, load_task
from sub2node.io import read_phenopackets
from sub2node.io.phenopackets import phenopacket_batches, scan_phenopackets
from sub2node.io.sets import read_sets

OBO = "[Term]\nid: HP:1\nname: All\n\n" + "\n\n".join(
    f"[Term]\nid: HP:{i}\nname: Term {i}\nalt_id: HP:{i}0\nis_a: HP:{max(1, i - 2)}"
    for i in range(2, 10)
)


def packet(name: str, *terms: str, disease: str = "OMIM:1", **more: Any) -> dict[str, Any]:
    """A phenopacket of version 2; a term that begins with - is excluded."""
    features: list[dict[str, Any]] = [
        {"type": {"id": term.removeprefix("-"), "label": "x"}}
        | ({"excluded": True} if term.startswith("-") else {})
        for term in terms
    ]
    term = {"id": disease, "label": f"Disease {disease}"}
    return {
        "id": name,
        "subject": {"id": name},
        "phenotypicFeatures": features,
        "interpretations": [{"id": "i", "diagnosis": {"disease": term}}],
        "diseases": [{"term": term}],
        "metaData": {"externalReferences": [{"id": "DOI:1"}, {"id": "PMID:7"}]},
        **more,
    }


VERSION_1 = {
    "id": "old",
    "phenotypicFeatures": [
        {"type": {"id": "HP:2"}},
        {"type": {"id": "HP:3"}, "negated": True},
        {"type": {"id": "HP:2"}},
    ],
    "diseases": [{"term": {"id": "OMIM:2", "label": "Old"}}],
    "metaData": {"created": "2019"},
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Seven phenopackets: of two diseases, one without a diagnosis, one without a feature."""
    packets = [
        packet("a", "HP:2", "HP:30", "-HP:4"),
        packet("b", "HP:5", "HP:6", "-HP:7", "-HP:8"),
        packet("c", "HP:5", "HP:7", disease="OMIM:2"),
        VERSION_1,
        packet("none", "HP:5", interpretations=[], diseases=[]),
        packet("two", "HP:5", interpretations=[], diseases=[
            {"term": {"id": "OMIM:1"}}, {"term": {"id": "OMIM:2"}}]),
        packet("empty", "-HP:9"),
    ]  # fmt: skip
    place = tmp_path / "patients"
    (place / "gene").mkdir(parents=True)
    for number, content in enumerate(packets):
        where = place / "gene" if number % 2 else place
        (where / f"{number}.json").write_text(json.dumps(content))
    (place / "README.md").write_text("about")
    (tmp_path / "hp.obo").write_text(OBO)
    return place


def zipped(folder: Path) -> Path:
    path = folder.parent / "patients.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for file in folder.rglob("*.json"):
            archive.write(file, file.relative_to(folder.parent))
        archive.writestr("__MACOSX/._0.json", b"\0")
    return path


def test_what_a_phenopacket_says(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(packet("a", "HP:2", "HP:30", "-HP:4")))
    found = read_phenopackets(path)
    assert found.ids == ["a"]
    assert found.titles == ["Disease OMIM:1"]
    assert found.observed == [("HP:2", "HP:30")]
    assert found.excluded == [("HP:4",)]
    assert found.diagnoses == ["OMIM:1"]
    assert found.publications == ["PMID:7"]
    path.write_text(json.dumps(VERSION_1))
    old = read_phenopackets(path)
    assert (old.observed, old.excluded) == ([("HP:2",)], [("HP:3",)])
    assert (old.diagnoses, old.titles, old.publications) == (["OMIM:2"], ["Old"], [""])


@pytest.mark.parametrize("packed", ["gz", "zst"])
def test_packed_files(tmp_path: Path, packed: str) -> None:
    place = tmp_path / "patients"
    place.mkdir()
    nameless = {**packet("", "HP:2"), "id": None}
    for name, content in (("a", packet("p", "HP:2", "-HP:3")), ("b.x", nameless)):
        path = str(place / f"{name}.json.{packed}")
        with pa.output_stream(path, compression={"gz": "gzip", "zst": "zstd"}[packed]) as file:
            file.write(json.dumps(content).encode())
    assert read_phenopackets(place).ids == ["p", "b.x"]
    (path,) = place.glob("a.*")
    (batch,) = read_sets(path)
    assert (list(batch.names), batch.nodes.to_pylist()) == (["p"], ["HP:2", "HP:3"])
    path.write_bytes(path.read_bytes()[:20])
    with pytest.raises(DataError, match=r"truncated or damaged|no whole phenopacket"):
        read_phenopackets(place)


def test_other_messages_and_spellings(tmp_path: Path) -> None:
    path = tmp_path / "kin.json"
    snake = {"phenotypic_features": [{"type": {"id": "HP:2"}}], "meta_data": {}}
    path.write_text(json.dumps([{"proband": packet("p", "HP:3")}, {"members": [snake]}]))
    found = read_phenopackets(path)
    assert found.ids == ["p", "kin"]
    assert found.observed == [("HP:3",), ("HP:2",)]


@pytest.mark.parametrize("as_zip", [False, True])
def test_a_task(folder: Path, *, as_zip: bool) -> None:
    source = zipped(folder) if as_zip else folder
    task = load_task(source, graph=folder.parent / "hp.obo")
    assert sorted(task.subgraph_ids) == ["a", "b", "c", "old"]
    assert task.unlabelled is not None
    assert sorted(task.unlabelled.subgraph_ids) == ["none", "two"]
    assert load_task(source, graph=folder.parent / "hp.obo", unlabelled="drop").hash == task.hash
    assert task.class_names == ("OMIM:1", "OMIM:2")
    assert sorted(task.members("a")) == ["HP:2", "HP:3"]
    assert task.subgraphs.titles is not None
    assert sorted(task.subgraphs.titles) == ["Disease OMIM:1"] * 2 + ["Disease OMIM:2", "Old"]
    assert task.excluded is not None
    assert task.excluded.sizes.sum() == 4
    assert task.notes[1:5] == (
        "1 phenopacket without an observed feature omitted: 'empty'.",
        "1 phenopacket with several diagnoses taken as unlabelled: 'two'.",
        "2 unlabelled subgraphs kept apart, to be scored and never trained on: 'none', 'two'.",
        "1 member given by a former id found: 'HP:30' is 'HP:3'.",
    )


def test_a_table_of_labels_counts_instead_of_diagnoses(folder: Path) -> None:
    rows = "".join(f"{name},{name in 'abc'}\n" for name in ("a", "b", "c", "old", "none", "two"))
    (folder.parent / "labels.csv").write_text(f"subgraph_id,label\n{rows}")
    task = load_task(folder, graph=folder.parent / "hp.obo", labels=folder.parent / "labels.csv")
    assert len(task) == 6
    assert task.class_names == ("False", "True")


def test_a_graph_is_needed(folder: Path) -> None:
    with pytest.raises(ConfigError, match="holds subgraphs only"):
        load_task(folder)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'{"id": "a", "phenotypicFeatures": [', "no whole phenopacket"),
        (b"\xff", "no whole phenopacket"),
        (b"", "no whole phenopacket"),
        (b"3", "expected an object"),
        (b'{"id": "a"}', "neither 'phenotypicFeatures' nor 'subject'"),
        (b'{"subject": {}, "phenotypicFeatures": 3}', "'phenotypicFeatures' must be a list"),
        (b'{"phenotypicFeatures": [{"type": {}}]}', r"one of 'phenotypicFeatures' has no type\.id"),
        (b'{"id": 3, "phenotypicFeatures": []}', "'id' must be text"),
        (b'{"phenotypicFeatures": [], "metaData": 3}', "no whole phenopacket"),
        (b'{"subject": {}, "interpretations": [{"diagnosis": "x"}]}', "'diagnosis' must be"),
    ],
)
def test_a_damaged_file_is_named(folder: Path, content: bytes, words: str) -> None:
    (folder / "gene" / "9.json").write_bytes(content)
    for source, place in ((folder, "gene/9.json"), (zipped(folder), "patients/gene/9.json")):
        assert_refused(source, f"{place}: .*{words}", graph=folder.parent / "hp.obo")
        names = [name for batch in phenopacket_batches(source) for name in batch.names]
        problems = [
            text for batch in phenopacket_batches(source) for text in batch.problems.values()
        ]
        assert len(names) == 8
        assert any(text.startswith("9.json: ") for text in problems)


@pytest.mark.parametrize("as_zip", [False, True])
def test_all_that_is_wrong_is_found_and_the_others_go_on(folder: Path, *, as_zip: bool) -> None:
    (folder / "gene" / "7.json").write_text("{")
    (folder / "8.json").write_text("[3]")
    (folder / "9.json").write_text(json.dumps(packet("a", "HP:2")))
    source, graph = zipped(folder) if as_zip else folder, folder.parent / "hp.obo"
    with pytest.raises(DataError) as error:
        load_task(source, graph=graph)
    found = {p.kind: (p.count, p.option) for p in error.value.problems}
    option = "--bad-rows drop"
    assert found == {"damaged phenopacket": (2, option), "repeated phenopacket": (1, option)}
    assert "gene/7.json: this is no whole phenopacket" in str(error.value.problems[0].values)
    task = load_task(source, graph=graph, bad_rows="drop")
    assert sorted(task.subgraph_ids) == ["a", "b", "c", "old"]
    note = next(note for note in task.notes if "2 damaged phenopackets" in note)
    assert "gene/7.json" in note


def test_damaged_archives_and_equal_ids(folder: Path) -> None:
    path = zipped(folder)
    path.write_bytes(path.read_bytes()[:-30])
    assert_refused(path, "no whole zip archive", graph=folder.parent / "hp.obo")
    (folder / "9.json").write_text(json.dumps(packet("a", "HP:2")))
    with pytest.raises(DataError, match=r"9\.json: the phenopacket 'a' is in 0\.json too"):
        read_phenopackets(folder)
    (batch,) = read_sets(folder)
    assert "a subgraph of this name came before." in batch.problems.values()


def test_questions_come_in_batches(folder: Path) -> None:
    batches = list(read_sets(folder, size=3))
    assert [len(batch) for batch in batches] == [3, 3, 1]
    assert [line for batch in batches for line in batch.lines] == [1, 2, 3, 4, 5, 6, 7]
    problems = {b.names[at]: text for b in batches for at, text in b.problems.items()}
    assert problems == {"empty": "6.json: it has no observed feature."}
    first = batches[0]
    assert first.nodes.to_pylist()[:3] == ["HP:2", "HP:30", "HP:4"]
    assert first.absent is not None
    assert first.absent.tolist()[:3] == [False, False, True]


@pytest.mark.slow
def test_predictions_for_phenopackets(folder: Path, tmp_path: Path) -> None:
    task = load_task(folder, graph=tmp_path / "hp.obo")
    SubgraphClassifier(model="bag").fit(task).save(tmp_path / "model")
    (folder / "0.json").write_text(json.dumps(packet("a", "HP:2", "HP:4")))
    facts = s2n("predict", tmp_path / "model", folder, "--json").json
    assert (len(facts["answers"]), facts["bad"]) == (6, 1)
    facts = s2n("predict", tmp_path / "model", folder / "0.json", "--json").json
    assert [answer["id"] for answer in facts["answers"]] == ["a"]
    (folder / "0.json").write_text("{")
    refused(s2n("predict", tmp_path / "model", folder / "0.json"), "0.json")


@pytest.mark.slow
def test_the_sample(data: Path) -> None:
    found = read_phenopackets(data / "phenopackets_sample")
    assert len(found.ids) == 60
    assert sum(map(len, found.excluded)) > 0
    assert all(found.observed)
    assert None not in found.diagnoses
    assert all(one.startswith("PMID:") for one in found.publications)


def test_those_that_can_be_read_and_what_is_wrong_with_others(tmp_path: Path) -> None:
    for name, content in (("a", packet("p", "HP:2", "-HP:3", "-HP:4")), ("c", packet("q", "HP:2"))):
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    (tmp_path / "b.json").write_text("{")
    (tmp_path / "d.json").write_text(json.dumps(packet("q", "HP:3")))
    packets, problems = scan_phenopackets(tmp_path)
    assert [(one.id, one.excluded) for one in packets] == [("p", ("HP:3", "HP:4")), ("q", ())]
    assert ["no whole phenopacket" in str(problems[0]), "twice" in str(problems[1])] == [True] * 2


@pytest.mark.slow
def test_one_command_answers_for_the_sample(
    data: Path, tmp_path: Path, few_candidates: None
) -> None:
    task = load_task(data / "patients")
    SubgraphClassifier(model="bag", compare=False).fit(task).save(tmp_path / "model")
    sample = data / "phenopackets_sample"
    done = s2n("predict", tmp_path / "model", sample, "--json")
    found = read_phenopackets(sample)
    answers = done.json["answers"]
    assert [answer["id"] for answer in answers] == found.ids
    known = [d for d in found.diagnoses if d in task.class_names]
    right = [a["prediction"] == d for a, d in zip(answers, found.diagnoses, strict=True)]
    assert sum(right) > 0.5 * len(known) > 10


def test_publications_keep_patients_together(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "terms.obo").write_text(OBO)
    task = load_task(folder, graph=tmp_path / "terms.obo", unknown_nodes="drop")
    assert set(task.attributes["publication"]) == {"PMID:7", ""}
