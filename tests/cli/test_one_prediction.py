"""One subgraph: its names, reasons and neighbours, and the network around it."""

from __future__ import annotations

import json
from pathlib import Path

import networkx as nx
import pytest

from answer_files import rows_in
from commands import refused, s2n
from sub2node.scoring import load_scorer


def test_names_are_resolved_and_told(named_model: Path) -> None:
    given = 'Kinase,"G 20, the large one",G7'
    found = json.loads(s2n("predict", named_model, "--nodes", given, "--json").out)
    plain = json.loads(s2n("predict", named_model, "--nodes", "g1,g20,g7", "--json").out)
    assert found["probabilities"] == plain["probabilities"]
    assert plain["mapping"] == []
    assert [(row["given"], row["node_id"], row["how"]) for row in found["mapping"]] == [
        ("Kinase", "g1", "symbol"), ("G 20, the large one", "g20", "synonym"), ("G7", "g7", "case"),
    ]  # fmt: skip


@pytest.mark.slow
def test_what_names_mean_is_shown(named_model: Path, tmp_path: Path) -> None:
    path = tmp_path / "names.csv"
    done = s2n("predict", named_model, "--nodes", "kinase,g7", "--mapping", path)
    assert "What other names mean" in done.out
    assert "symbol" in done.out
    assert f"Mapping: {path}\n" in done.out
    rows = rows_in(path, ("given", "node_id", "title", "how", "candidates"))
    assert [row["how"] for row in rows] == ["symbol", "id"]
    assert "What other" not in s2n("predict", named_model, "--nodes", "g7").out


@pytest.mark.slow
def test_ambiguous_names_are_asked_about(named_model: Path) -> None:
    done = s2n("predict", named_model, "--nodes", "pet,g1")
    refused(done, "the subgraph: 'pet' may mean g3 (gene 3) or g4 (gene 4); give the id of one.")
    done = s2n("predict", named_model, "--nodes", "g1,kinas")
    refused(done, "'kinas' (did you mean 'kinase', g1?)")
    words = ("--nodes", "pet,g1", "--unknown-nodes", "drop", "--json")
    found = json.loads(s2n("predict", named_model, *words).out)
    assert found["unknown"] == ["pet"]
    assert found["mapping"][0]["candidates"] == ["g3", "g4"]


@pytest.mark.slow
def test_neighbours(model: Path) -> None:
    scorer = load_scorer(model)
    (wanted,) = scorer.neighbors(scorer.ask([["g1", "g20"]]), count=3)
    words = ("predict", model, "--nodes", "g1,g20", "--neighbors", "3")
    found = json.loads(s2n(*words, "--json").out)["neighbors"]
    assert [one["id"] for one in found] == [one.name for one in wanted]
    shown = s2n(*words).out
    assert "The most similar known subgraphs" in shown
    assert wanted[2].name in shown


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["graphml", "cx2"])
def test_a_network_for_cytoscape(model: Path, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"case.{ending}"
    done = s2n("predict", model, "--nodes", "g1,g20", "--export", path)
    assert f"Network: {path}, " in done.out
    assert "Why " not in done.out
    if ending == "graphml":
        nodes = [data for _, data in nx.read_graphml(path).nodes(data=True)]
    else:
        nodes = [node["v"] for node in json.loads(path.read_text())[4]["nodes"]]
    assert f"{len(nodes)} nodes" in done.out
    assert [node["id"] for node in nodes if node["member"]] == ["g1", "g20"]
    reasons = json.loads(s2n("predict", model, "--nodes", "g1,g20", "--why", "--json").out)["why"]
    values = {part["id"]: part["value"] for part in reasons["members"]}
    assert {n["id"]: n["contribution"] for n in nodes if n["member"]} == pytest.approx(values)
    refused(s2n("predict", model, "--nodes", "g1", "--export", path), "exists already")


@pytest.mark.slow
def test_how_the_file_of_one_subgraph_was_read_is_said(model: Path, tmp_path: Path) -> None:
    (tmp_path / "one.csv").write_text("s;g1\ns;g20\n")
    done = s2n("predict", model, tmp_path / "one.csv", "--why")
    assert done.code == 0, done
    assert "one.csv is read as separated by semicolons." in done.err
    assert "one.csv has no header line; its columns are subgraph_id, node_id." in done.err
