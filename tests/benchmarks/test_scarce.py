"""benchmarks/scarce.py: S2N and CoS2N with the same settings."""

from __future__ import annotations

import importlib.util
import tomllib
from pathlib import Path

import pytest

from ring_tasks import ring_task
from sub2node.base.errors import ConfigError
from sub2node.models import find_preset

ROOT = Path(__file__).parents[2]
PRESET = ROOT / "benchmarks" / "presets" / "ppi_bp-scarce.toml"


@pytest.fixture(scope="module")
def scarce():
    spec = importlib.util.spec_from_file_location(
        "benchmarks_scarce", ROOT / "benchmarks" / "scarce.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("kind", ["cos2n", "s2n"])
def test_virtual_subgraphs_are_the_only_difference(scarce, kind: str, tmp_path: Path) -> None:
    file = scarce.write_equal_settings(PRESET, kind, tmp_path / "new")
    source = tomllib.loads(PRESET.read_text())
    for plain, bridged in scarce.PAIRS.items():
        pair = [find_preset(str(file), ring_task(), name).config for name in (plain, bridged)]
        assert pair[0].with_settings({"structure": bridged}) == pair[1]
        assert (pair[0].model.batch_norm, pair[0].model.skip) == (True, False)
        searched = source[bridged if kind == "cos2n" else plain]
        assert pair[0].training.lr == searched["training"]["lr"]
        assert pair[0].model.readout == searched["model"]["readout"]


def test_a_preset_without_a_structure_is_refused(scarce) -> None:
    with pytest.raises(ConfigError, match=r"no settings for cos2n\+0; it has s2n\+0"):
        scarce.equal_settings({"s2n+0": {"model": {}}}, "cos2n")
