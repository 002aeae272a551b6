"""``s2n datasets`` as a person runs it."""

from __future__ import annotations

import json
from pathlib import Path

from commands import call_command


def test_datasets_lists_all(data: Path) -> None:
    done = call_command("datasets", env={"S2N_DATA": str(data)})
    assert done.returncode == 0
    assert "…" not in done.stdout
    assert "disease_families: of the HPO release 2025-01-16" in done.stdout
    for name in ("ppi_bp", "em_user", "disease_families", "hpo_orpha_neuro", "generate:"):
        assert name in done.stdout
    rows = json.loads(call_command("datasets", "--json", env={"S2N_DATA": str(data)}).stdout)[
        "benchmarks"
    ]
    assert {row["name"] for row in rows if row["here"]} - {"disease_families"} == {
        "ppi_bp", "density", "cut_ratio", "coreness", "component", "patients",
    }  # fmt: skip


def test_an_odd_folder_beside_the_data_is_no_error(tables: Path, tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "odd").mkdir()
    for name in ("edges.csv", "edges.tsv"):
        (root / "odd" / name).write_text("source,target\n")
    done = call_command("datasets", env={"S2N_DATA": str(root)})
    assert done.returncode == 0, done.stderr
    assert "ppi_bp" in done.stdout
    facts = json.loads(call_command("datasets", "--json", env={"S2N_DATA": str(root)}).stdout)
    assert facts["folders"][0] == str(root)
    here = {row["name"] for row in facts["benchmarks"] if row["here"]}
    assert here <= {"disease_families"}  # which a package brings


def test_data_of_ones_own_is_listed(tables: Path, tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "mine").mkdir(parents=True)
    for file in tables.glob("*.csv"):
        (root / "mine" / file.name).write_text(file.read_text())
    done = call_command("datasets", env={"S2N_DATA": str(root), "COLUMNS": "150"})
    assert "Also here: mine" in done.stdout
    assert "Nodes; subgraphs; labels" in done.stdout  # where there is room
    narrow = call_command("datasets", env={"S2N_DATA": str(root), "COLUMNS": "100"})
    assert "Nodes; subgraphs; labels" not in narrow.stdout


def test_data_are_made_at_a_scale(tmp_path: Path) -> None:
    place = tmp_path / "made"
    done = call_command("datasets", "make", "elliptic-like", place, "--scale", "0.001")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Wrote 49,300 nodes, 196,216 edges and 122 subgraphs")
    assert "Name" not in done.stdout
    assert sorted(path.name for path in place.iterdir()) == [
        "edges.parquet", "labels.parquet", "members.parquet", "nodes.parquet",
    ]  # fmt: skip
    again = call_command("datasets", "make", "elliptic-like", place, "--scale", "0.001")
    assert (again.returncode, "--overwrite" in again.stderr) == (2, True)
    unknown = call_command("datasets", "make", "eliptic-like", place)
    assert unknown.stderr.startswith(
        "Error: nothing called 'eliptic-like' can be made. Did you mean"
    )
