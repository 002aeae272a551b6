"""A whole search by one call."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from ..errors import ConfigError
from ..evaluate.protocol import split_if_needed
from ..kernels import Compile
from ..task import SubgraphTask
from .found import Found
from .objective import Objective
from .spec import make_spec
from .study import Study


def search(
    task: SubgraphTask,
    folder: str | Path,
    *,
    trials: int = 100,
    resume: bool = False,
    device: str = "auto",
    compile: Compile = "auto",
    encodings: Any = None,
    **asked: Any,
) -> Found:
    """Search the settings of a structure on validation, and write the winner as a preset.

    Args:
        task: With labels; its test part is removed before anything else.
        folder: Keeps the study, and gets ``best.toml``, ``trials.csv`` and ``study.json``.
        trials: How many points to try.
        resume: Go on with the study that the folder has.
        device: ``auto``, ``cpu`` or ``cuda``.
        compile: As of :func:`sub2node.run`.
        encodings: As of :func:`sub2node.run`.
        **asked: Structure, convolution, preset, space and so on, as of :func:`make_spec`.

    Example:
        >>> found = search(task, "study", structure="s2n+a", trials=100)
        >>> s2n.run(task, preset="study/best.toml")
    """
    if trials < 1:
        raise ConfigError(f"one trial at least is needed, found {trials}.")
    start, home = time.perf_counter(), Path(folder)
    task, _ = split_if_needed(task)
    spec = make_spec(task, encodings=encodings, **asked)
    objective = Objective(task, spec.seeds, spec.rehearse, device, compile, encodings)
    study = Study.create(
        spec, str(home / "journal.log"), trials=trials, resume=resume, folder=home
    )  # fmt: skip
    ended = study.work(objective, wait=True)
    found = study.found(seconds=time.perf_counter() - start, ended=ended)
    if found.count("complete"):
        found.save(home)
    return found
