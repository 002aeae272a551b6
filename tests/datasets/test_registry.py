"""The named benchmarks, and what the files at hand say."""

from __future__ import annotations

from pathlib import Path

import pytest

from sub2node import ConfigError, DataError, describe, load_task
from sub2node.datasets import BENCHMARKS, others, overview

# ../shared/data/README.md: nodes, edges, self-loops among them, train/val/test, classes.
FOLDERS = {
    "ppi_bp": (21_521, 342_316, 3_691, (1272, 159, 160), 6),
    "density": (4_998, 29_962, 0, (200, 25, 25), 3),
    "cut_ratio": (5_000, 84_295, 0, (200, 25, 25), 3),
    "coreness": (5_000, 119_205, 0, (176, 22, 23), 3),
    "component": (17_260, 91_619, 0, (200, 25, 25), 2),
    "hpo_orpha_metab": (15_150, 3_440_741, 0, (240, 80, 80), 6),
    "hpo_orpha_neuro": (15_150, 3_440_741, 0, (1240, 161, 158), 10),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", FOLDERS)
def test_folders_agree_with_their_readme(data: Path, name: str) -> None:
    nodes, edges, loops, split, classes = FOLDERS[name]
    facts = describe(load_task(data / name))
    assert (facts["nodes"], facts["edges"], facts["self_loops"]) == (nodes, edges - loops, loops)
    assert tuple(facts["split"].values()) == split
    assert facts["subgraphs"] == sum(split)
    assert facts["classes"] == classes
    assert facts["multilabel"] == (name == "hpo_orpha_neuro")


@pytest.mark.slow
def test_ppi_bp_is_the_published_one(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("S2N_DATA", str(data))
    task = load_task("ppi_bp")
    facts = describe(task)
    assert facts["split"] == {"train": 1272, "val": 160, "test": 159}
    assert facts["internal_edges"] == 9_627
    for field, mean, sd in (
        ("subgraph_nodes", 10.2, 10.5),
        ("subgraph_components", 7.0, 5.5),
        ("subgraph_density_with_loops", 0.216, 0.188),
    ):
        digits = 3 if "density" in field else 1
        assert (round(facts[field]["mean"], digits), round(facts[field]["sd"], digits)) == (
            mean,
            sd,
        )
    assert task.notes[0].startswith("Checksums agree: the released SubGNN file")
    assert task.notes[1].startswith("Val (159) and test (160) swapped")
    unswapped = load_task("ppi_bp", swap=False)
    assert describe(unswapped)["split"] == {"train": 1272, "val": 159, "test": 160}
    papers = load_task(data / "ppi_bp").graph
    low, high, _ = papers.edges()
    known = (low < 17_080) & (high < 17_080)
    assert known.sum() + (papers.loops < 17_080).sum() == BENCHMARKS["ppi_bp"].published["edges"]


@pytest.mark.slow
def test_variants_are_the_same_subgraphs(data: Path) -> None:
    one = load_task(data / "hpo_orpha_metab")
    two = load_task(data / "hpo_orpha_metab", variant="split3")
    assert one.graph == two.graph
    assert one.subgraphs.names is not None
    assert two.subgraphs.names is not None
    assert sorted(one.subgraphs.names) == sorted(two.subgraphs.names)
    assert one.hash != two.hash
    assert one.graph.names is not None
    assert one.graph.titles is not None
    assert (one.graph.names[0], one.graph.titles[0]) == ("HP:0000002", "Abnormality of body height")


def test_synthetic_label_counts(data: Path) -> None:
    """reference.md 6.3: A, B, C in the whole file and in test."""
    for name, whole, test in (
        ("density", [79, 81, 90], [7, 8, 10]),
        ("cut_ratio", [81, 84, 85], [9, 11, 5]),
        ("coreness", [71, 73, 77], [8, 9, 6]),
        ("component", [126, 124], [17, 8]),
    ):
        counts = load_task(data / name).label_counts()
        assert counts.sum(axis=0).tolist() == whole
        assert counts[3].tolist() == test


def test_another_copy_is_noticed(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "density"
    folder.mkdir()
    for name in ("edge_list.txt.gz", "subgraphs.pth"):
        (folder / name).write_bytes((data / "density" / name).read_bytes())
    monkeypatch.setenv("S2N_DATA", str(tmp_path))
    assert load_task("density").notes[0].startswith("Checksums agree")
    with (folder / "subgraphs.pth").open("a") as file:
        file.write("0-1\tA\ttrain\n")
    assert load_task("density").notes[0].startswith("subgraphs.pth is not the copy")


def test_missing_benchmarks_say_where_to_get_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("S2N_DATA", raising=False)
    monkeypatch.setenv("S2N_CACHE", str(tmp_path))
    with pytest.raises(DataError, match=r"SubGNN.*datasets.em_user.*S2N_DATA.*like:em_user"):
        load_task("em_user")
    with pytest.raises(DataError, match=r"GLASS.*generate:density"):
        load_task("density")
    packaged = {name for name, benchmark in BENCHMARKS.items() if benchmark.package}
    assert all(row["here"] is None for row in overview() if row["name"] not in packaged)
    with pytest.raises(ConfigError, match="is a benchmark"):
        load_task("density", columns={"source": "x"})


def test_the_cache_is_looked_up_too(
    small: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path_factory.mktemp("cache")
    (cache / "datasets").mkdir()
    small.rename(cache / "datasets" / "em_user")
    monkeypatch.setenv("S2N_DATA", "")
    monkeypatch.setenv("S2N_CACHE", str(cache))
    task = load_task("em_user")
    assert task.notes == ("EM-User: no checksum is known to check these files against.",)
    (cache / "datasets" / "em_user").rename(cache / "datasets" / "mine")
    assert list(others()) == ["mine"]
    assert load_task("mine").name == "mine"
    monkeypatch.delenv("S2N_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    assert others() == {}
