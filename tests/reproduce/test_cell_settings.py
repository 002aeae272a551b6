"""Settings of cells: tuned, else published, else the package's; changed as in the paper."""

from __future__ import annotations

from dataclasses import replace

from paper_data import tiny
from sub2node.base.errors import ConfigError
from sub2node.datasets import load_task
from sub2node.reproduce import cell_settings
from sub2node.reproduce.paper_data import paper_dataset


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
    glass = cell_settings.baseline_for(other, "glass")
    assert (glass.name, glass.config.training.batch) == ("paper", 59)
    assert (glass.config.training.start, glass.config.training.patience) == (74, 74)
    assert cell_settings.baseline_for(other, "subgnn").name == "paper:hpo_metab"
    assert cell_settings.baseline_for(own, "glass").name == "default"
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
