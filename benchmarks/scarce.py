"""The data-scarce table by several processes at once: what `s2n reproduce data-scarce` does alone.

Speed and memory are measured first, with nothing else running; then the runs are shared out. The
folder is one of that command, which draws the figures from it:

    python benchmarks/scarce.py ppi_bp --preset benchmarks/presets/ppi_bp-scarce.toml \\
        --device cuda --jobs 8 -o scarce
    s2n reproduce data-scarce ppi_bp --preset benchmarks/presets/ppi_bp-scarce.toml \\
        -o scarce --resume

With `--equal cos2n` S2N has the settings that were searched for CoS2N (`--equal s2n`: the other way
round), both with batch norm and without skip connections, which the paper fixes: then virtual
subgraphs are the only difference. The settings are `settings.toml` in the folder.
"""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import sub2node as s2n
from sub2node.base.errors import ConfigError
from sub2node.config.settings import to_toml
from sub2node.evaluate.seeds import seed_list
from sub2node.reproduce.scarce import (
    COARSENINGS,
    ScarceFinding,
    ScarcePlan,
    data_scarce,
    models_of,
    steps,
)
from sub2node.reproduce.scarce_journal import ScarceJournal

PAIRS = {"s2n+0": "cos2n+0", "s2n+a": "cos2n+a"}
FIXED = {"batch_norm": True, "skip": False}


def equal_settings(tree: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """The sections of S2N and CoS2N with the same settings, batch norm on and skip off.

    Args:
        tree: Settings by structure.
        kind: ``cos2n`` or ``s2n``: whose settings both have.
    """
    sections = {}
    for plain, bridged in PAIRS.items():
        source = bridged if kind == "cos2n" else plain
        if source not in tree:
            raise ConfigError(f"the preset has no settings for {source}; it has {', '.join(tree)}.")
        section = {**tree[source], "model": {**tree[source]["model"], **FIXED}}
        sections |= {plain: section, bridged: section}
    return sections


def write_equal_settings(preset: Path, kind: str, folder: Path) -> Path:
    """The file with such settings."""
    sections = equal_settings(tomllib.loads(preset.read_text(encoding="utf-8")), kind)
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "settings.toml"
    text = [to_toml({f'"{name}"': section}) for name, section in sections.items()]
    file.write_text("\n".join(text), encoding="utf-8")
    return file


def job(
    data: str, plan: ScarcePlan, options: dict[str, Any], known: list[ScarceFinding]
) -> list[ScarceFinding]:
    """All models on the subsets of one size and seed."""
    task = s2n.load_task(data)
    models, _ = models_of(task, plan, **options)
    return list(data_scarce(task, plan, models, known=known))


def main() -> None:
    about = argparse.ArgumentParser(description=__doc__)
    about.add_argument("data")
    about.add_argument("--preset", default="default")
    about.add_argument("--device", default="auto")
    about.add_argument("--jobs", type=int, default=2)
    about.add_argument("--seeds", type=int, default=10)
    about.add_argument("--coarsen", nargs="*", default=list(COARSENINGS))
    about.add_argument("--equal", choices=("cos2n", "s2n"))
    about.add_argument("-o", type=Path, required=True)
    given = about.parse_args()
    plan = ScarcePlan(coarsenings=tuple(given.coarsen), seeds=tuple(seed_list(given.seeds)))
    task = s2n.load_task(given.data)
    findings = ScarceJournal(given.o, resume=given.o.exists())
    options = {"preset": given.preset, "device": given.device}
    if given.equal:
        file = write_equal_settings(Path(given.preset), given.equal, given.o)
        options["preset"], plan = str(file), replace(plan, structures=(*PAIRS, *PAIRS.values()))
    models, _ = models_of(task, plan, **options)
    known = findings.open(plan, task, models)
    for found in steps(task, plan, models, known=known):
        findings.add(found)
        known.append(found)
    parts = [
        ScarcePlan((n,), plan.structures, plan.coarsenings, (seed,))
        for seed in plan.seeds
        for n in plan.sizes
    ]
    with ProcessPoolExecutor(given.jobs, mp_context=get_context("spawn")) as pool:
        waiting = [pool.submit(job, given.data, part, options, known) for part in parts]
        for number, done in enumerate(waiting, start=1):
            for found in done.result():
                findings.add(found)
            print(f"{number} of {len(parts)}", flush=True)


if __name__ == "__main__":
    main()
