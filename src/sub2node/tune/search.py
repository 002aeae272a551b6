"""A complete search by one call."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from ..base.errors import ConfigError
from ..base.ragged import Array
from ..encode import Encoding
from ..evaluate.protocol import split_if_needed
from ..ops.triton import Compile
from ..task import SubgraphTask
from .confirmation import confirm as confirm_best
from .confirmation import fresh_objective
from .objective import Objective
from .search_result import SearchResult
from .study import Study
from .study_spec import make_spec


def search(
    task: SubgraphTask,
    folder: str | Path,
    *,
    trials: int = 100,
    resume: bool = False,
    device: str = "auto",
    compile: Compile = "auto",
    encodings: Encoding | Array | None = None,
    confirm: int = 0,
    **choices: Any,
) -> SearchResult:
    """Search the settings of a network on validation, and write the winner as a preset.

    Args:
        task: The data, with labels; its test part is removed before anything else.
        folder: The folder of the study, of ``best.toml``, ``trials.csv`` and ``study.json``.
        trials: The number of points to try.
        resume: Whether to continue the study in the folder.
        device: ``auto``, ``cpu`` or ``cuda``.
        compile: Whether to use own kernels, as in :func:`sub2node.run`.
        encodings: Your own columns of node features, as in :func:`sub2node.run`.
        confirm: Further splits of train and val on which the best trials are scored again, of which
            the best wins; 0: the best of the search wins.
        **choices: Model or structure, convolution, preset, space …, as in :func:`make_spec`.

    Example:
        >>> result = search(task, "study", structure="s2n+a", trials=100)
        >>> s2n.run(task, preset="study/best.toml")
    """
    if trials < 1:
        raise ConfigError(f"at least one trial is needed, found {trials}.")
    start, home = time.perf_counter(), Path(folder)
    task, _ = split_if_needed(task)
    spec = make_spec(task, encodings=encodings, **choices)
    objective = Objective(
        task,
        spec.seeds,
        rehearse=spec.rehearse,
        device=device,
        compile=compile,
        encodings=encodings,
        baseline=spec.baseline,
        groups=spec.groups,
    )
    fresh = fresh_objective(objective, spec, confirm) if confirm else None
    study = Study.create(spec, str(home / "journal.log"), trials=trials, resume=resume, folder=home)
    ended = study.work(objective, wait=True)
    result = study.result(seconds=time.perf_counter() - start, ended=ended)
    if result.count("complete"):
        if fresh is not None and ended == "complete":
            result = confirm_best(result, fresh)
        result.save(home)
    return result
