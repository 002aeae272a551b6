"""Links of STRING with scores and aliases, and BioGRID's tab3."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from bad_files import assert_refused
from commands import s2n
from sub2node import ConfigError, DataError, load_task
from sub2node.io.protein_networks import LinkOptions, read_biogrid, read_string_links

LINKS = """\
protein1 protein2 combined_score
9606.P1 9606.P2 900
9606.P2 9606.P1 900
9606.P2 9606.P3 700
9606.P3 9606.P2 700
9606.P3 9606.P4 150
9606.P4 9606.P3 150
"""
ALIASES = """\
#string_protein_id\talias\tsource
9606.P1\tTP53\tEnsembl_HGNC_symbol
9606.P4\tTP53\tUniProt_GN_Synonyms
9606.P2\tMDM"2\tEnsembl_gene_name
9606.P3\tQ9\tUniProt_AC
9606.P9\tATM\tEnsembl_HGNC_symbol
"""
SYMBOLS = "Official Symbol Interactor A\tOfficial Symbol Interactor B"
BIOGRID = f"""\
#BioGRID Interaction ID\tEntrez Gene Interactor A\t{SYMBOLS}\tScore
1\t7157\tTP53\tMDM2\t-
2\t7157\tMDM2\tTP53\t-
3\t7157\tTP53\tTP53\t-
4\t7157\tATM\tNA\t0.5
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "links.txt").write_text(LINKS)
    (tmp_path / "aliases.txt").write_text(ALIASES)
    (tmp_path / "biogrid.tab3.txt").write_text(BIOGRID)
    (tmp_path / "sets.gmt").write_text('a\t\ttp53\t9606.P2\nb\t\tMDM"2\tQ9\n')
    return tmp_path


def test_each_link_once_and_without_weights(folder: Path) -> None:
    graph, notes = read_string_links(folder / "links.txt")
    assert graph.names is not None
    assert list(graph.names) == ["9606.P1", "9606.P2", "9606.P3", "9606.P4"]
    assert (graph.num_edges, graph.weights) == (3, None)
    assert notes == ["The scores of links.txt not used; --min-score omits low ones."]
    one_way = "".join(LINKS.splitlines(keepends=True)[:6])
    (folder / "links.txt").write_text(one_way)
    again, notes = read_string_links(folder / "links.txt")
    assert again == graph
    assert notes[1].startswith("2 repeated edges merged")


def test_scores(folder: Path) -> None:
    graph, notes = read_string_links(folder / "links.txt", LinkOptions(700, score_weights=True))
    np.testing.assert_allclose(graph.edges()[2], [0.9, 0.7], rtol=1e-6)
    assert graph.num_nodes == 3
    assert notes[0] == "2 lines with a combined score below 700 omitted."
    with pytest.raises(DataError, match=r"links\.txt: no link is left"):
        read_string_links(folder / "links.txt", LinkOptions(1000))


@pytest.mark.parametrize("packed", ["", "gz", "zst"])
def test_members_given_by_symbols(folder: Path, *, packed: str) -> None:
    links, aliases = folder / "links.txt", folder / "aliases.txt"
    if packed:
        for path in (links, aliases):
            kind = {"gz": "gzip", "zst": "zstd"}[packed]
            with pa.output_stream(f"{path}.{packed}", compression=kind) as file:
                file.write(path.read_bytes())
        links, aliases = folder / f"links.txt.{packed}", folder / f"aliases.txt.{packed}"
    task = load_task(folder / "sets.gmt", graph=links, aliases=aliases)
    assert sorted(task.members("a")) == ["9606.P1", "9606.P2"]
    assert sorted(task.members("b")) == ["9606.P2", "9606.P3"]
    assert task.notes[1].startswith("2 members given by a symbol found: 'tp53' is '9606.P1', ")
    assert task.notes[2] == "1 member given by an alias found: 'Q9' is '9606.P3'."


def test_options_on_the_command_line(folder: Path) -> None:
    words = ["describe", folder / "sets.gmt", "--graph", folder / "links.txt", "--json"]
    more = ["--aliases", folder / "aliases.txt", "--min-score", "700", "--score-weights"]
    assert s2n(*words, *more).json["nodes"] == 3


def test_symbols_of_biogrid(folder: Path) -> None:
    graph, notes = read_biogrid(folder / "biogrid.tab3.txt")
    assert graph.names is not None
    assert list(graph.names) == ["ATM", "MDM2", "NA", "TP53"]
    assert (graph.num_edges, graph.num_loops) == (2, 1)
    assert [note.split(":")[0] for note in notes] == [
        "1 repeated edge merged",
        "1 self-loop kept, but not counted as edges",
    ]
    (folder / "sets.gmt").write_text("a\t\tTP53\tATM\n")
    task = load_task(folder / "sets.gmt", graph=folder / "biogrid.tab3.txt")
    assert task.graph == graph


def test_synonyms_of_biogrid_in_the_archive_it_comes_in(folder: Path) -> None:
    """The columns of a release, in the archive and with the ending that it has."""
    synonyms = ["Synonyms Interactor A", "P53|LFS1", "hdm2|P53", "-", "TEL1"]
    others = ["Synonyms Interactor B", "hdm2", "LFS1|P53", "P53|LFS1", "-"]
    rows = zip(BIOGRID.splitlines(), synonyms, others, strict=True)
    text = "".join("\t".join(row) + "\n" for row in rows)
    (folder / "genes.tab3").write_text(text)
    (folder / "sets.gmt").write_text("a\t\tlfs1\tTEL1\nb\t\tNA\tMDM2\n")
    plain = load_task(folder / "sets.gmt", graph=folder / "genes.tab3")
    assert sorted(plain.members("a")) == ["ATM", "TP53"]
    assert plain.graph.other_names is not None
    names = plain.graph.other_names.to_table(plain.graph.ids()).select(["alias", "node_id"])
    assert sorted(map(tuple, map(dict.values, names.to_pylist()))) == [
        ("LFS1", "TP53"), ("P53", "MDM2"), ("P53", "TP53"), ("TEL1", "ATM"), ("hdm2", "MDM2"),
    ]  # fmt: skip
    with zipfile.ZipFile(folder / "BIOGRID-ALL.tab3.zip", "w") as archive:
        archive.write(folder / "genes.tab3", "BIOGRID-ALL-4.4.1.tab3.txt")
    packed = load_task(folder / "sets.gmt", graph=folder / "BIOGRID-ALL.tab3.zip")
    assert packed.hash == plain.hash
    with zipfile.ZipFile(folder / "BIOGRID-ALL.tab3.zip", "a") as archive:
        archive.writestr("more.txt", "x")
    with pytest.raises(DataError, match=r"the archive has 2 files \('BIOGRID-ALL-4.*expected one"):
        load_task(folder / "sets.gmt", graph=folder / "BIOGRID-ALL.tab3.zip")
    (folder / "BIOGRID-ALL.tab3.zip").write_bytes(b"PK\x03\x04x")
    with pytest.raises(DataError, match="the zip archive is truncated"):
        load_task(folder / "sets.gmt", graph=folder / "BIOGRID-ALL.tab3.zip")


def test_what_does_not_fit_is_said(folder: Path) -> None:
    (folder / "links.txt").write_text(f"{LINKS}9606.P1\n")
    assert_refused(folder / "sets.gmt", r"links\.txt: a line does", graph=folder / "links.txt")
    (folder / "links.txt").write_text(LINKS)
    (folder / "aliases.txt").write_text("a,b\n")
    options = {"graph": folder / "links.txt", "aliases": folder / "aliases.txt"}
    assert_refused(folder / "sets.gmt", r"aliases\.txt: aliases are a table", **options)
    (folder / "aliases.txt").write_text(ALIASES.splitlines()[0])
    assert_refused(folder / "sets.gmt", r"aliases\.txt: there is no row", **options)
    with pytest.raises(ConfigError, match="for links of STRING, not for biogrid"):
        load_task(folder / "sets.gmt", graph=folder / "biogrid.tab3.txt", min_score=3)
    with pytest.raises(ConfigError, match="scores do not apply"):
        load_task("ppi_bp", min_score=3)


@pytest.mark.parametrize(
    ("name", "mark"),
    [("edges.csv", " "), ("edges.tsv", "\t"), ("edges.txt", " "), ("edges.csv", ",")],
)
def test_links_may_be_the_edges_of_a_folder(folder: Path, name: str, mark: str) -> None:
    place = folder / "tables"
    place.mkdir()
    (place / name).write_text(LINKS.replace(" ", mark))
    (place / "members.csv").write_text("subgraph_id,node_id\na,9606.P1\nb,9606.P3\n")
    (place / "nodes.csv").write_text(
        "node_id,n\n" + "".join(f"9606.P{i},{i}\n" for i in (1, 2, 3, 4))
    )
    task = load_task(place)
    assert (task.graph.num_edges, task.graph.weights) == (3, None)
    assert task.graph.features.tolist() == [[1], [2], [3], [4]]
    cut = load_task(place, min_score=700, score_weights=True)
    np.testing.assert_allclose(cut.graph.edges()[2], [0.9, 0.7], rtol=1e-6)
    assert "2 lines with a combined score below 700 omitted." in cut.notes
    alone = load_task(place / "members.csv", graph=place / name, min_score=700)
    assert alone.graph.num_edges == 2


def test_scores_are_of_links_only(folder: Path) -> None:
    place = folder / "tables"
    place.mkdir()
    (place / "edges.csv").write_text("source,target\na,b\n")
    (place / "members.csv").write_text("subgraph_id,node_id\ns,a\n")
    with pytest.raises(ConfigError, match=r"for links of STRING, not for edges\.csv"):
        load_task(place, score_weights=True)
    with pytest.raises(ConfigError, match="reads a folder of tables; omit score_weights"):
        load_task(place, score_weights=True, engine="duckdb")
