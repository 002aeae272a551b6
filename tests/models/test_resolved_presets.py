"""Every preset of the package resolves to what it did in version 0.1, to the last digit."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sub2node.base.errors import ConfigError
from sub2node.baselines import MODELS
from sub2node.config import STRUCTURES, LinkSettings
from sub2node.models import find_baseline, find_preset

GOLDEN = Path(__file__).parents[1] / "fixtures" / "v0_1" / "presets.json"
DATASETS = (
    "ppi_bp", "hpo_neuro", "hpo_metab", "em_user", "density", "cut_ratio", "coreness", "component",
    "hpo_orpha_neuro", "hpo_orpha_metab", "density-2022", "mine",
)  # fmt: skip
NAMES = ("default", "fast", "tuned", "papr", "fast:x",
         *(f"{kind}:{dataset}" for kind in ("paper", "tuned") for dataset in DATASETS))  # fmt: skip
CONVS = ("gcn", "gcn2", "gin", "gatv2", "sage", "own")


def values(tree: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    """All settings; pre-training as the one text that it was."""
    for name, value in tree.items():
        if name == "pretraining" and isinstance(value, dict):
            usual = vars(LinkSettings())
            text = ",".join(f"{k}={v}" for k, v in value.items() if v != usual[k])
            yield f"{prefix}{name} {text!r}"
        elif isinstance(value, dict):
            yield from values(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name} {value!r}"


def fingerprint(find: Callable[[Any], Any]) -> str:
    """A hash of what a preset gives, for graphs with and without features."""
    lines = []
    for features in (None, 1):
        task: Any = SimpleNamespace(name="density", graph=SimpleNamespace(features=features))
        try:
            preset = find(task)
        except ConfigError as error:
            lines.append(str(error).replace("omit the preset", "leave out the preset"))
            continue
        lines += [preset.name, str(preset.joined), *preset.notes]
        lines += [line for config in preset.candidates for line in values(config.to_dict())]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def fingerprints(name: str) -> dict[str, str]:
    """By convolution (all structures together) and by baseline."""
    found = {}
    for conv in CONVS:
        each = [fingerprint(lambda task, s=s, c=conv: find_preset(name, task, s, c))
                for s in STRUCTURES]  # fmt: skip
        found[conv] = hashlib.sha256("".join(each).encode()).hexdigest()[:12]
    for model in MODELS:
        found[model] = fingerprint(lambda task, m=model: find_baseline(m, name, task))[:12]
    return found


@pytest.mark.parametrize("name", NAMES)
def test_a_preset_resolves_as_it_did(name: str) -> None:
    assert fingerprints(name) == json.loads(GOLDEN.read_text())[name]
