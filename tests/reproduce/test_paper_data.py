"""Which data stand in the place of the paper's."""

from __future__ import annotations

import pytest

from paper_data import tiny
from sub2node.base.errors import ConfigError
from sub2node.reproduce.paper_data import DatasetCache


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
