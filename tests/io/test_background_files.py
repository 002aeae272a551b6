"""The universe of a study: a file of ids, or a list."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from sub2node import ConfigError, DataError, load_task
from sub2node.cli.data_arguments import DataArguments
from sub2node.io.background_files import read_background

SETS = "p53\t\tTP53\tMDM2\tXYZ\nrepair\t\tATM\tTP53\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sets.gmt").write_text(SETS)
    (tmp_path / "edges.csv").write_text("source,target\nTP53,MDM2\nATM,MDM2\nATM,TP53\nTP53,XYZ\n")
    (tmp_path / "genes.txt").write_text("TP53\n\n ATM \nXYZ\nFOO\n")
    return tmp_path


def test_genes_outside_are_unknown_members(folder: Path) -> None:
    sets, graph, genes = (folder / name for name in ("sets.gmt", "edges.csv", "genes.txt"))
    with pytest.raises(DataError, match="'p53' has the node 'MDM2', which is not in the graph"):
        load_task(sets, graph=graph, background=genes)
    task = load_task(sets, graph=graph, background=genes, unknown_nodes="drop")
    assert list(task.graph.names or ()) == ["ATM", "TP53", "XYZ"]
    assert set(task.members("p53")) == {"TP53", "XYZ"}
    assert (
        "Background: 3 nodes of the graph kept, 1 outside of it omitted with their edges; the graph"
        " does not have 1 of its ids: 'FOO'." in task.notes
    )
    packed = folder / "genes.gz"
    packed.write_bytes(gzip.compress(genes.read_bytes()))
    for other in (packed, ["TP53", "ATM", "XYZ"]):
        same = load_task(sets, graph=graph, background=other, unknown_nodes="drop")
        assert same.hash == task.hash
    arguments = DataArguments(str(sets), graph=graph, background=genes, unknown_nodes="drop")
    assert arguments.load(quiet=True).hash == task.hash


def test_a_background_may_be_of_symbols(folder: Path) -> None:
    links = "protein1 protein2 combined_score\n9606.P1 9606.P2 900\n9606.P2 9606.P3 700\n"
    aliases = "#string_protein_id\talias\tsource\n9606.P1\tTP53\tsymbol\n9606.P2\tMDM2\tsymbol\n"
    (folder / "links.txt").write_text(links)
    (folder / "aliases.txt").write_text(aliases)
    task = load_task(
        folder / "sets.gmt",
        graph=folder / "links.txt",
        aliases=folder / "aliases.txt",
        background=["tp53", "MDM2"],
        unknown_nodes="drop",
    )
    assert list(task.graph.names or ()) == ["9606.P1", "9606.P2"]
    assert set(task.members("p53")) == {"9606.P1", "9606.P2"}


def test_what_is_no_background(folder: Path, small: Path) -> None:
    with pytest.raises(DataError, match="no such file of a background"):
        read_background(folder / "none.txt")
    with pytest.raises(DataError, match=r"sets\.gmt:1: a background has one id per line"):
        read_background(folder / "sets.gmt")
    with pytest.raises(ConfigError, match="an id at least"):
        read_background([])
    with pytest.raises(ConfigError, match="no columns, no weights and no background"):
        load_task(small, background=["1"])
