"""The paper's tables, cell by cell: published numbers, settings, the journal, shares, marks."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import ttest_ind

from paper_data import tiny
from sub2node.base.errors import ConfigError, DataError
from sub2node.datasets import load_task
from sub2node.reproduce import cell_settings, published, published_tables
from sub2node.reproduce.cell_journal import Journal, Record
from sub2node.reproduce.cell_sheet import Sheet, TableCell, read_sheet, share
from sub2node.reproduce.job_execution import PreparedJob, prepare
from sub2node.reproduce.jobs import Job, ReproductionPlan
from sub2node.reproduce.paper_data import REAL_DATA, SYNTHETIC_DATA, DatasetCache, paper_dataset
from sub2node.reproduce.paper_tables import score_table
from sub2node.reproduce.paper_targets import SOURCES, TARGETS, planned_cells

FULL = ReproductionPlan(tuple(range(10, 20)), device="cpu")
QUICK = replace(FULL, seeds=(10, 11), quick=True)


@pytest.mark.parametrize(
    ("table", "row", "numbers"),
    [
        ("results_real", "sub2vec", ("30.9 2.3", "22.3 6.5", "13.2 4.7", "85.9 1.4")),
        ("results_real", "gbdt", ("44.6 0.0", "51.3 0.0", "40.4 0.0", "69.4 0.0")),
        ("results_real", "subgnn", ("59.9 2.4", "63.2 1.0", "53.7 2.3", "81.4 4.6")),
        ("results_real", "glass", ("61.9 0.7", "68.5 0.5", "61.4 0.5", "88.8 0.6")),
        ("results_real", "separated gcn", ("61.4 2.0", "67.6 1.0", "60.1 2.8", "84.5 4.1")),
        ("results_real", "separated gcn2", ("61.3 1.2", "67.7 0.6", "59.4 2.7", "84.7 4.1")),
        ("results_real", "connected gcn", ("62.6 1.7", "65.7 0.8", "60.6 2.0", "85.9 2.8")),
        ("results_real", "connected gcn2", ("63.5 2.0", "66.7 0.8", "61.7 2.7", "85.5 4.8")),
        ("results_real", "s2n+a gcn2", ("63.7 2.3", "68.4 1.0", "63.2 2.7", "89.0 1.6")),
        ("results_real", "s2n+a gcn2 rwpe", ("64.3 1.8", "68.6 0.8", "63.9 1.7", "89.0 3.1")),
        ("ablation_pe", "s2n+a lappe", ("64.2 1.9", "68.8 0.9", "63.7 1.4", "89.0 3.2")),
        ("results_syn", "sub2vec", ("45.9 1.2", "35.4 1.4", "36.0 1.9", "65.7 1.7")),
        ("results_syn", "subgnn", ("91.9 1.6", "62.9 3.9", "65.9 9.2", "95.8 9.8")),
        ("results_syn", "glass", ("93.0 0.9", "93.5 0.6", "84.0 0.9", "100.0 0.0")),
        ("results_syn", "s2n+0 gcn2", ("67.2 2.4", "56.0 0.0", "57.0 4.9", "100.0 0.0")),
        ("results_syn", "s2n+0 gcn2 rwpe", ("74.8 3.6", "85.2 5.1", "56.1 3.0", "100.0 0.0")),
        ("results_syn", "s2n+a gcn2", ("93.2 2.6", "56.0 0.0", "85.7 5.8", "100.0 0.0")),
        ("results_syn", "s2n+a gcn2 rwpe", ("93.6 2.0", "89.2 2.6", "72.6 6.2", "100.0 0.0")),
    ],
)
def test_published_numbers_are_those_of_the_overview(table, row, numbers) -> None:
    columns = published_tables()[table][1]
    for column, text in zip(columns, numbers, strict=True):
        found = published(table, row, column)
        assert found is not None
        assert (found.value, found.spread) == tuple(map(float, text.split()))
        assert found.kind == ("se" if row == "glass" else "sd")
        assert found.source == f"tab:{table}"


def test_published_marks_words_and_counts() -> None:
    assert published("results_real", "s2n+a gcn2 rwpe", "ppi_bp").mark == "∗"
    assert published("results_real", "s2n+a gcn2 rwpe", "hpo_neuro").mark == "∼"
    assert published("results_real", "s2n+0 gcn", "hpo_neuro").mark == ""
    assert published("results_real", "glass", "ppi_bp").reprinted == "GLASS"
    none = published("results_diff_gnn", "connected gatv2", "em_user")
    assert (none.text, none.value) == ("OOM", None)
    assert published("dataset_original", "edges", "em_user").value == 4_573_417
    assert published("s2n_statistics", "edges s2n", "hpo_neuro").value == 6.3e5
    assert published("efficiency", "train_throughput", "high").value == 711
    assert published("results_real", "glass", "density") is None
    with pytest.raises(ConfigError, match="no table 'results_rael'"):
        published("results_rael", "glass", "ppi_bp")


def test_published_files_agree_with_each_other() -> None:
    """The same result stands in several tables of the paper."""
    for column in REAL_DATA:
        for structure in ("s2n+0", "s2n+a"):
            plain = published("results_real", f"{structure} gcn2", column)
            assert published("ablation_pe", f"{structure} none", column).text == plain.text
            layers = [published("ablation_num_layers", f"{structure} {n}", column).text
                      for n in (0, 1, 2, 4)]  # fmt: skip
            assert plain.text in layers
    for name, (rows, columns) in published_tables().items():
        for row in rows:
            assert all(published(name, row, column) is not None for column in columns)


def test_every_published_cell_has_its_place() -> None:
    for target, table in (("real", "real"), ("synthetic", "synthetic"), ("gnns", "gnns"),
                          ("readout", "readout"), ("layers", "layers"),
                          ("encoding", "encoding")):  # fmt: skip
        rows, columns = published_tables()[SOURCES[table]]
        found = {(place.row, place.column): place for place in planned_cells(target, FULL)}
        assert all((row, column) in found for row in rows for column in columns)
        assert not any(place.why_omitted for place in found.values())
    assert any(place.why_omitted for place in planned_cells("real", QUICK))
    for target in TARGETS:
        jobs = [place.job for place in planned_cells(target, FULL)]
        assert jobs
    simple = {place.row for place in planned_cells("real", QUICK) if not place.why_omitted}
    assert {"majority", "bag", "statistics"} <= simple


def test_settings_are_tuned_else_published_else_the_packages(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("S2N_DATA", str(tmp_path))
    tiny(tmp_path / "ppi_bp")
    tiny(tmp_path / "mine")
    tiny(tmp_path / "hpo_orpha_metab")
    real, own, other = (load_task(name) for name in ("ppi_bp", "mine", "hpo_orpha_metab"))
    asked: list[str] = []

    def untuned(name, *rest):
        asked.append(name)
        if name == "tuned":
            raise ConfigError("none")
        return find(name, *rest)

    find = cell_settings.find_preset
    monkeypatch.setattr(cell_settings, "find_preset", untuned)
    assert cell_settings.settings_for(real, "s2n+a", "gcn2").name == "paper"
    assert cell_settings.settings_for(own, "s2n+a", "gcn2").name == "default"
    assert asked[-3:] == ["tuned", "paper", "default"]
    assert cell_settings.settings_for(other, "s2n+a", "gcn2").name == "paper:hpo_metab"
    assert paper_dataset("hpo_orpha_metab") == "hpo_metab"
    monkeypatch.setattr(cell_settings, "find_preset", lambda name, *_: name)
    assert cell_settings.settings_for(real, "s2n+a", "gcn2") == "tuned"


def test_changes_make_a_cell_as_in_the_paper(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("S2N_DATA", str(tmp_path))
    tiny(tmp_path / "ppi_bp")
    task = load_task("ppi_bp")
    paper = cell_settings.find_preset("paper", task, "s2n+a", "gcn2")
    made = {"quick": False}
    assert cell_settings.changes_for(paper, "ppi_bp", "none", **made) == {"features.kind": "link"}
    assert cell_settings.changes_for(paper, "ppi_bp", "rwpe", quick=True) == {
        "features.encoding": "rwpe"
    }
    tuned = replace(paper, name="tuned").with_settings({"features.encoding": "rwpe"})
    assert cell_settings.changes_for(tuned, "ppi_bp", "rwpe", **made) == {}
    assert cell_settings.changes_for(tuned, "ppi_bp", "none", **made) == {
        "features.encoding": "none"
    }
    assert cell_settings.changes_for(tuned, "ppi_bp", "", **made) == {}  # as the settings have it
    default = cell_settings.find_preset("default", task, "s2n+a", "gcn2")
    assert cell_settings.changes_for(default, "density", "none", **made) == {
        "features.kind": "constant"
    }


def test_shelf_says_what_stands_where(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("S2N_DATA", str(tmp_path))
    tiny(tmp_path / "ppi_bp")
    tiny(tmp_path / "hpo_orpha_metab")
    datasets = DatasetCache()
    assert datasets.load("ppi_bp").kind == "other copy"
    metab = datasets.load("hpo_metab")
    assert (metab.kind, metab.load_name) == ("stand-in", "hpo_orpha_metab")
    assert "EM-User is not at hand" in datasets.load("em_user")
    assert datasets.load("ppi_bp") is datasets.load("ppi_bp")
    tiny(tmp_path / "hpo_metab", seed=1)
    assert (
        DatasetCache().load("hpo_metab").kind == "other copy"
    )  # the real one wins, unless asked for
    assert DatasetCache(("hpo_orpha_metab",)).load("hpo_metab").kind == "stand-in"
    assert DatasetCache(("hpo_orpha_metab",)).is_requested("hpo_metab")
    with pytest.raises(ConfigError, match="no dataset 'ppi'"):
        DatasetCache(("ppi",))
    (tmp_path / "density").mkdir()
    (tmp_path / "density" / "edge_list.txt").write_text("0 x\n")
    (tmp_path / "density" / "subgraphs.pth").write_text("0\ta\ttrain\n")
    assert "cannot be read" in DatasetCache().load("density")


def test_keys_change_with_data_settings_seeds_and_quick(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("S2N_DATA", str(tmp_path))
    tiny(tmp_path / "ppi_bp")
    job = Job("train", "ppi_bp", "", "s2n+0", "gcn2")

    def key(job=job, plan=QUICK) -> str:
        ready = prepare(job, DatasetCache(), plan)
        assert isinstance(ready, PreparedJob)
        return ready.key

    first = key()
    assert key() == first
    others = [
        key(plan=replace(QUICK, seeds=(10,))),
        key(plan=replace(QUICK, quick=False)),
        key(job=replace(job, changes=(("model.layers", 4),))),
        key(job=replace(job, encoding="rwpe")),
        key(job=replace(job, what="scarce", n=2)),
    ]
    edges = tmp_path / "ppi_bp" / "edge_list.txt"
    edges.write_text(edges.read_text() + "0 45\n1 45\n")
    others.append(key())
    assert len({first, *others}) == 7
    same = replace(job, changes=(("model.layers", 2),))  # what the settings say anyway
    assert key(job=same) == others[-1]


def test_journal_reads_what_was_cut_off_and_what_others_wrote(tmp_path) -> None:
    log = Journal(tmp_path)
    log.add(Record("a", "one", values=(0.5, 0.25)))
    log.add(Record("b", "two", "failed", "no luck"))
    with log.file.open("a") as file:
        file.write('{"key": "c", "job": "thr')
    again = Journal(tmp_path)
    assert again.broken == 1
    assert again.records["a"].values == (0.5, 0.25)
    assert again.done("a")
    assert not again.done("b")
    again.add(Record("c", "three", values=(1.0,)))
    other = Journal(tmp_path, (2, 3))
    assert other.file.name == "cells-002-of-003.jsonl"
    other.add(Record("b", "two", values=(0.75,)))
    log.add(Record("b", "two", "failed", "again"))  # a later failure does not hide a result
    merged = Journal(tmp_path)
    assert merged.broken == 1
    assert {key for key, record in merged.records.items() if record.done} == {"a", "b", "c"}
    with log.file.open("a") as file:
        file.write(json.dumps({"key": "d", "job": "x", "values": ["many"]}) + "\n[1]\n\n")
        file.write(json.dumps({"key": "e", "job": "y", "colour": "of a later version"}) + "\n")
    last = Journal(tmp_path)
    assert last.broken == 3
    assert "d" not in last.records
    assert last.records["e"].done
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="expected a folder"):
        Journal(tmp_path / "file")


def test_processes_share_the_jobs_without_talking() -> None:
    jobs = [
        PreparedJob(Job("speed" if n % 5 == 0 else "train", "ppi_bp"), str(n), "", "", (), None,
              float(n % 7), dict)
        for n in range(40)
    ]  # fmt: skip
    parts = [share(jobs, number, 3) for number in (1, 2, 3)]
    keys = [job.key for part in parts for job in part]
    assert len(keys) == len(set(keys)) == 32  # times are measured by nobody
    costs = [sum(job.cost for job in part) for part in parts]
    assert max(costs) - min(costs) <= 7
    assert share(jobs, 1, 1) == jobs


def _spot(row: str, key: str, column: str = "ppi_bp") -> TableCell:
    return TableCell("real", row, column, key, ("", ""), column, row, row, 0, "", "train")


def test_marks_are_those_of_welch_against_the_strongest_baseline() -> None:
    rng = np.random.default_rng(0)
    scores = {"glass": 0.6, "subgnn": 0.5, "s2n+a gcn2": 0.7, "s2n+0 gcn2": 0.6, "s2n+0 gcn": 0.4}
    values = {row: tuple(mean + 0.02 * rng.normal(size=10)) for row, mean in scores.items()}
    records = {row: Record(row, row, values=v, val=v, preset="paper") for row, v in values.items()}
    spots = [_spot(row, row) for row in scores]
    sheet = Sheet({"real": spots}, {"ppi_bp": {"kind": "authentic"}}, {"real": {"quick": False}})
    table = score_table("real", sheet, heading="Scores", records=records, marked=True)
    entries = {line.title: line.entries[0] for line in table.lines}
    assert entries["S2N+A GCNII"].mark == "∗"
    assert entries["S2N+0 GCNII"].mark == "∼"
    assert entries["S2N+0 GCN"].mark == ""
    assert entries["GLASS"].p is None
    expected = ttest_ind(values["s2n+a gcn2"], values["glass"], equal_var=False).pvalue
    assert entries["S2N+A GCNII"].p == pytest.approx(expected)
    assert entries["GLASS"].difference == pytest.approx(100 * np.mean(values["glass"]) - 61.9)
    assert "PPI-BP: GLASS" in table.notes[0]
    assert len(table.notes) == 1  # no simple model was run
    plain = {"bag": Record("bag", "bag", values=(0.65,), val=(0.65,))}
    sheet.spots["real"].append(_spot("bag", "bag"))
    more = score_table("real", sheet, heading="Scores", records={**records, **plain}, marked=True)
    gap = 100 * np.mean(values["s2n+a gcn2"]) - 65
    assert f"S2N+A GCNII {gap:+.1f} points to bag of nodes, p = " in more.notes[1]


def test_a_sheet_is_kept_and_grows(tmp_path) -> None:
    with pytest.raises(DataError, match="nothing to report"):
        read_sheet(tmp_path)
    first = Sheet({"real": [_spot("glass", "k")]}, {"ppi_bp": {"kind": "authentic"}})
    first.save(tmp_path)
    Sheet({"gnns": [_spot("glass", "k")]}, {"em_user": {"kind": "missing"}}).save(tmp_path)
    both = read_sheet(tmp_path)
    assert both.targets == ["real", "gnns"]
    assert both.spots["real"] == first.spots["real"]
    assert set(both.data) == {"ppi_bp", "em_user"}
    score = replace(_spot("cos2n+0", "a"), what="scarce", coarsen="louvain:0.5")
    same = [score, replace(score, what="speed"), replace(score, coarsen="louvain:0.3")]
    for _ in range(2):  # begun, and gone on with
        Sheet({"data-scarce": list(same)}).save(tmp_path)
    assert read_sheet(tmp_path).spots["data-scarce"] == same
    (tmp_path / "sheet.json").write_text('{"spots": []}')
    with pytest.raises(DataError, match="not what s2n reproduce left"):
        read_sheet(tmp_path)


def test_quick_leaves_no_synthetic_set_out() -> None:
    for column in SYNTHETIC_DATA:
        assert any(not p.why_omitted and p.row == "s2n+a gcn2" and p.column == column
                   for p in planned_cells("synthetic", QUICK))  # fmt: skip
