"""``s2n coarsen`` as a person runs it, and CoS2N in ``s2n run``."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import sub2node as s2n
from commands import call_command
from sub2node.coarsen import coarsen, with_virtual

pytestmark = pytest.mark.usefixtures("few_trees")

DATA = "generate:density,subgraphs=30,seed=3"
SMALL = "generate:density,subgraphs=30,size=8,nodes=120,seed=3"
QUICK = ("--preset", "fast", "--set", "epochs=3", "--features", "random", "--seeds", "2")


def s2n_command(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return call_command(*words, env={"COLUMNS": "110"})


@pytest.mark.slow
def test_the_folder_is_the_data_with_virtual_subgraphs(tmp_path: Path) -> None:
    out = tmp_path / "coarse"
    done = s2n_command("coarsen", DATA, "--ratio", "0.2", "-o", out)
    assert done.returncode == 0, done.stderr
    for text in ("density, variation_edges:0.2", "sets", "Virtual subgraphs", "Spectral error",
                 "Wrote"):  # fmt: skip
        assert text in " ".join(done.stdout.split())
    task = s2n.load_task(DATA)
    found = coarsen(task.graph, "variation_edges", 0.2)
    assert s2n.load_task(str(out)) == with_virtual(task, found.subgraphs)
    partition = pq.read_table(out / "partition.parquet")
    assert partition["set"].to_pylist() == found.partition[found.partition >= 0].tolist()
    edges = pq.read_table(out / "coarse_edges.parquet")
    assert edges.num_rows == found.graph.num_edges
    card = json.loads((out / "coarsening.json").read_text())
    assert card["sets"] == found.num_sets == card["wanted"]
    assert card["virtual_subgraphs"] == len(found)
    again = s2n_command("coarsen", DATA, "-o", out)
    assert again.returncode == 2
    assert "exists already" in again.stderr
    over = s2n_command("coarsen", DATA, "-o", out, "--overwrite", "--ratio", "0.3", "--json")
    assert over.returncode == 0, over.stderr
    assert json.loads(over.stdout)["ratio"] == 0.3

    run = s2n_command("run", out, "--structure", "cos2n+0", *QUICK)
    assert run.returncode == 0, run.stderr
    assert "virtual subgraphs came with the data" in " ".join(run.stdout.split())
    twice = s2n_command("coarsen", out)
    assert twice.returncode == 2
    assert "has virtual subgraphs already" in twice.stderr
    both = s2n_command("run", out, "--structure", "cos2n+0", "--coarsen", "heavy_edge:0.2", *QUICK)
    assert both.returncode == 2
    assert "omit --coarsen" in both.stderr


def test_random_sets_have_no_coarse_graph(tmp_path: Path) -> None:
    out = tmp_path / "sets"
    done = s2n_command("coarsen", DATA, "--method", "ego_nets", "--ratio", "0.99", "-o", out)
    assert done.returncode == 0, done.stderr
    assert "sets overlap" in done.stdout
    assert not (out / "partition.parquet").exists()
    assert s2n.load_task(str(out)).split.count("virtual") == 6  # of 600 nodes


def test_data_without_labels_has_sets_but_no_task(tmp_path: Path) -> None:
    edges, sets = tmp_path / "edges.tsv", tmp_path / "sets.gmt"
    edges.write_text("source\ttarget\n" + "".join(f"n{i}\tn{(i + 1) % 12}\n" for i in range(12)))
    sets.write_text("one\t\tn0\tn1\ntwo\t\tn4\tn5\n")
    out = tmp_path / "out"
    done = s2n_command("coarsen", sets, "--graph", edges, "-o", out)
    assert done.returncode == 0, done.stderr
    assert sorted(p.name for p in out.iterdir()) == [
        "checksums.json",
        "coarse_edges.parquet",
        "coarsening.json",
        "partition.parquet",
        "virtual.parquet",
    ]
    assert set(pq.read_table(out / "partition.parquet")["node_id"].to_pylist()) == {
        f"n{i}" for i in range(12)
    }


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--ratio", "1"), "between 0 and 1"),
        (("--method", "variation_edge"), "Did you mean 'variation_edges'"),
        (("--small", "x"), "leave-out or keep"),
        (("--eigenvectors", "1"), "from 2"),
        (("--errors", "1"), "two eigenvalues at least"),
        (("--ratio", "0.00001"), "raise the ratio"),
        (("--seed", "-1"), "seed is a whole number from 0"),
    ],
)
def test_bad_options_leave_one_sentence_and_nothing_else(tmp_path, words, said) -> None:
    done = s2n_command("coarsen", DATA, *words, "-o", tmp_path / "out")
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.startswith("Error:")
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_a_run_coarsens_by_itself() -> None:
    done = s2n_command(
        "run", DATA, "--structure", "cos2n+a", "--coarsen", "variation_edges:0.3", "--json", *QUICK
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    expected = s2n.run(
        s2n.load_task(DATA), structure="cos2n+a", coarsen="variation_edges:0.3", seeds=2,
        preset="fast", settings={"epochs": 3, "features.kind": "random"},
    )  # fmt: skip
    assert found["test"]["micro_f1"]["values"] == list(expected.test["micro_f1"].values)


@pytest.mark.slow
@pytest.mark.usefixtures("few_candidates")
@pytest.mark.usefixtures("few_candidates")
def test_all_compares_the_six_structures_and_checks_the_coarsening_first() -> None:
    done = s2n_command("run", SMALL, "--all", "--coarsen", "heavy_edge:0.2", *QUICK)
    assert done.returncode == 0, done.stderr
    for structure in ("separated", "connected", "s2n+0", "s2n+a", "cos2n+0", "cos2n+a"):
        assert f"{structure} gcn2" in done.stdout
    wrong = s2n_command("run", DATA, "--all", "--coarsen", "heavy_edge:2", *QUICK)
    assert wrong.returncode == 2
    assert "between 0 and 1" in wrong.stderr
