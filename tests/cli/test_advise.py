"""``s2n advise`` as a person runs it."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import pytest

from advice_cases import price
from commands import refused, s2n
from small_models import write_task
from sub2node.config import STRUCTURES

pytestmark = pytest.mark.usefixtures("few_trees")

module, probes = (import_module(f"sub2node.advice.{name}") for name in ("advice", "probes"))
PRICES = tuple(price(name, 0.01 * (1 + n)) for n, name in enumerate(STRUCTURES))


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return write_task(tmp_path_factory.mktemp("advise") / "data")


@pytest.fixture(autouse=True)
def quick(monkeypatch) -> None:
    """Costs are given, probes are short."""
    monkeypatch.setattr(module, "time_structures", lambda *_, **__: PRICES)
    monkeypatch.setattr(probes, "_MAX_EPOCHS", 3)
    monkeypatch.setattr(probes, "_MIN_EPOCHS", (2, 1, 1))
    monkeypatch.setenv("COLUMNS", "120")


@pytest.mark.slow
def test_tables_a_recommendation_and_the_next_command(folder: Path) -> None:
    done = s2n("advise", folder, "--seeds", "1")
    assert (done.code, done.err) == (0, "")
    for text in ("Nodes in some subgraph", "Structures", "Time, 10 seeds", "Validation", "Verdict",
                 "Links of the S2N graph at a = 1", "simple model", "Rule: ", "Advice: Use ",
                 f"Next: s2n run {folder} --structure ", f"Next: s2n tune {folder} ",
                 "advised"):  # fmt: skip
        assert text in done.out
    assert all(name in done.out for name in (*STRUCTURES, "bag", "statistics", "majority"))


@pytest.mark.slow
def test_json_is_one_document(folder: Path) -> None:
    done = s2n("advise", folder, "--seeds", "1", "--json")
    assert (done.code, done.err) == (0, "")
    found = json.loads(done.out)
    assert found["structure"] in STRUCTURES
    assert found["next"][0].startswith(f"s2n run {folder} --structure {found['structure']}")
    assert {each["structure"] for each in found["structures"]} == set(STRUCTURES)
    assert found["traits"]["nodes"] == 48
    assert found["validation_subgraphs"] == 9
    assert found["interrupted"] is False


def test_without_probes(folder: Path) -> None:
    done = s2n("advise", folder, "--no-probes")
    assert done.code == 0
    assert "advised by rules" in done.out
    assert "Nothing was trained" in done.out
    assert "simple model" not in done.out


def test_data_without_labels_has_traits_and_costs(folder: Path, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in (folder / "subgraphs.jsonl").read_text().splitlines()]
    bare = [json.dumps({"id": row["id"], "nodes": row["nodes"]}) for row in rows]
    (tmp_path / "bare.jsonl").write_text("\n".join(bare) + "\n")
    done = s2n("advise", tmp_path / "bare.jsonl", "--graph", folder / "edges.csv")
    assert done.code == 0
    assert "the data has no labels, so nothing was trained." in done.out
    assert "Density inside" in done.out
    assert f"Next: s2n describe {tmp_path}/bare.jsonl --graph {folder}/edges.csv" in done.out


@pytest.mark.slow
def test_ctrl_c_shows_what_was_probed(folder: Path, monkeypatch) -> None:
    real, begun = probes.network, []

    def stop(*given, **options):
        begun.append(1)
        if len(begun) == 2:
            raise KeyboardInterrupt
        return real(*given, **options)

    monkeypatch.setattr(probes, "network", stop)
    done = s2n("advise", folder, "--seeds", "1", "--json")
    assert done.code == 130
    found = json.loads(done.out)
    assert found["interrupted"] is True
    structures = [each["name"] for each in found["probes"] if each["name"] in STRUCTURES]
    assert len(structures) == 1
    assert "Stopped: after 1 structure." in done.err


@pytest.mark.slow
def test_errors_are_one_line(folder: Path, small: Path) -> None:
    refused(s2n("advise", "nowhere"), "nowhere")
    refused(s2n("advise", folder, "--minutes", "0"), "a number of minutes above 0")
    refused(s2n("advise", folder, "--seeds", "0"), "at least one seed")
    refused(s2n("advise", folder, "--conv", "gcn9"), "gcn9")
    (small / "subgraphs.pth").write_text("0-1-2\tred\ttrain\n")
    refused(s2n("advise", small), "the data has 1.")
