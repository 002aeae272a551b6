"""Studies on a landscape that needs no training, for tests."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from sub2node import ConfigError, load_task
from sub2node.config import Config
from sub2node.tune import Range, Space, Spec, Study, make_spec, without_test
from sub2node.tune.objective import Score

SPACE = Space({"training.lr": Range(0.001, 1.0, log=True), "model.layers": Range(1, 4)})


@cache
def task():
    return load_task("generate:component")


def spec(space: Space = SPACE, **more) -> Spec:
    return make_spec(task(), space=space, settings={"features.kind": "constant"}, seeds=2, **more)


@dataclass
class Landscape:
    """Scores a point by its place: the best is lr = 0.1 with two layers."""

    seconds: float = 0.0
    refuses: bool = False
    seen: list[Config] = field(default_factory=list)
    before: object = None

    def __post_init__(self) -> None:
        self.task = without_test(task())

    def require(self, spec: Spec, where: str) -> None:
        if self.task.hash != spec.data:
            raise ConfigError("other data")

    def __call__(self, config: Config, report) -> Score:
        if callable(self.before):
            self.before(self)
        time.sleep(self.seconds)
        self.seen.append(config)
        if self.refuses:
            raise ConfigError("nothing is good enough.")
        value = 0.9 - abs(config.training.lr - 0.1) - 0.1 * abs(config.model.layers - 2)
        return Score((value - 0.01, value + 0.01), (1.0, 1.0), 1e-4)


def begun(folder: Path, *, trials: int = 8, resume: bool = False, url: str = "", **more) -> Study:
    found = Study.create(
        spec(**more),
        url or str(folder / "journal.log"),
        trials=trials,
        resume=resume,
        folder=folder,
    )
    found.beat, found.grace = 0.1, 0.8
    return found


def points(study: Study) -> list[dict]:
    return [dict(trial.point) for trial in study.result().trials]


def work_without_end(journal: str, mark: str) -> None:
    """A worker that never ends its trial; it writes a file when it has begun."""
    joined = Study.join(journal)
    joined.beat = 0.1
    joined.work(Landscape(600.0, before=lambda _: Path(mark).write_text("working")), wait=False)
