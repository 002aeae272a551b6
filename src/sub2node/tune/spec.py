"""What a study searches, and for what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..config import Config
from ..errors import ConfigError, DataError, suggest
from ..evaluate.protocol import seed_list
from ..settings import flatten
from ..task import SubgraphTask
from ..train import Preset, find_preset
from .objective import digest_of, without_test
from .space import SPACES, Axis, Choice, Space, read_space

_WORDS = {
    "data": "other data",
    "base": "other settings around the space",
    "space": "another space",
    "seeds": "other seeds",
    "rehearse": "another number of rehearsals",
    "prune": "another way of giving up trials",
    "encodings": "other encodings",
    "seed": "another search seed",
}


@dataclass(frozen=True)
class Spec:
    """A study, before its first trial.

    Args:
        data: Hash of the data without its test part.
        name: Of the data.
        base: What does not vary.
        space: What does.
        seeds: Of a trial.
        rehearse: Splits of train and val to score on; 0: the given val part.
        prune: Whether trials that fall behind are given up.
        seed: Of the search.
        encodings: Names columns of the user's own by content; empty without any.
    """

    data: str
    name: str
    base: Preset
    space: Space
    seeds: tuple[int, ...]
    rehearse: int = 0
    prune: bool = True
    seed: int = 0
    encodings: str = ""

    @property
    def config(self) -> Config:
        """The settings that the search starts from."""
        config: Config = self.base.config
        return config

    @property
    def title(self) -> str:
        """Names the study in a storage."""
        name, config = self.name or "task", self.config
        return f"{name} {config.structure} {config.conv}"

    def settings(self, point: Mapping[str, Any]) -> Config:
        """All settings at a point of the space."""
        config: Config = self.base.with_settings(point).config
        return config

    def first_points(self) -> list[dict[str, Any]]:
        """The base settings as points, where the space has them: the winner is at least as good."""
        points = []
        for config in self.base.candidates:
            known = dict(flatten(config.to_dict()))
            point = {name: known[name] for name in self.space.axes}
            if all(axis.has(point[name]) for name, axis in self.space.axes.items()):
                points.append(point)
        return points

    @property
    def published(self) -> bool:
        """Whether what does not vary is published, and so chosen by test score."""
        return self.base.name.partition(":")[0] == "paper"

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know about all that is found."""
        own = "columns of a file of your own join the features; runs with the winner need it too."
        return (*self.base.notes, *([own] if self.encodings else []))

    def to_dict(self) -> dict[str, Any]:
        """For a storage."""
        return {
            "data": self.data,
            "name": self.name,
            "base": {
                "name": self.base.name,
                "candidates": [config.to_dict() for config in self.base.candidates],
                "notes": list(self.base.notes),
                "joined": self.base.joined,
            },
            "space": self.space.to_dict(),
            "seeds": list(self.seeds),
            "rehearse": self.rehearse,
            "prune": self.prune,
            "seed": self.seed,
            "encodings": self.encodings,
        }

    @classmethod
    def from_dict(cls, tree: Mapping[str, Any]) -> Spec:
        """The reverse of :meth:`to_dict`."""
        try:
            base = tree["base"]
            candidates = tuple(Config.from_dict(each) for each in base["candidates"])
            preset = Preset(base["name"], candidates, tuple(base["notes"]), base["joined"])
            return cls(
                tree["data"], tree["name"], preset, Space.from_dict(tree["space"]),
                tuple(tree["seeds"]), tree["rehearse"], tree["prune"], tree["seed"],
                tree.get("encodings", ""),
            )  # fmt: skip
        except (KeyError, TypeError) as error:
            raise DataError(f"the study does not say what it searches ({error!r}).") from None

    def require_same(self, other: Spec, where: str) -> None:
        """Raise unless a study that exists is this one."""
        mine, theirs = self.to_dict(), other.to_dict()
        for name, words in _WORDS.items():
            if mine[name] != theirs[name]:
                found = self._difference(other) if name == "space" else ""
                raise ConfigError(
                    f"the study in {where} has {words}{found}; go on with what it was begun with,"
                    " or begin another one in a new folder."
                )

    def _difference(self, other: Spec) -> str:
        mine, theirs = self.space.axes, other.space.axes
        for name in sorted({*mine, *theirs}):
            if mine.get(name) != theirs.get(name):
                there, here = theirs.get(name, "not varied"), mine.get(name, "not varied")
                return f" ({name}: {there} there, {here} here)"
        return ""


def make_spec(
    task: SubgraphTask,
    *,
    structure: str | None = None,
    conv: str | None = None,
    preset: str = "default",
    space: str | Space = "paper",
    vary: Mapping[str, Axis] | None = None,
    settings: Mapping[str, Any] | None = None,
    seeds: int | Sequence[int] = 10,
    rehearse: int = 0,
    prune: bool = True,
    seed: int = 0,
    encodings: Any = None,
) -> Spec:
    """A study from what a user asks for.

    Args:
        task: With labels and a split.
        structure: As of :func:`sub2node.run`.
        conv: As of :func:`sub2node.run`.
        preset: What does not vary; also the first point, where the space has it.
        space: ``paper``, ``wide``, the path of a TOML file, or a :class:`Space`.
        vary: More axes, or others.
        settings: What is fixed; axes of these are taken out of the space.
        seeds: Of a trial.
        rehearse: Splits of train and val to score on; 0: the given val part.
        prune: Whether trials that fall behind are given up.
        seed: Of the search.
        encodings: Columns of the user's own, as of :func:`sub2node.run`.
    """
    vary, fixed = dict(vary or {}), dict(settings or {})
    base = find_preset(preset, task, structure, conv)
    if not isinstance(base.config, Config):
        raise ConfigError(f"{preset} is no preset of a structure; only those can be tuned.")
    base = base.with_settings(fixed)
    found = _space(space, base, vary).without(fixed)
    kinds = tuple(dict.fromkeys(config.features.kind for config in base.candidates))
    if len(kinds) > 1 and "features.kind" not in vary:
        found = Space({"features.kind": Choice(kinds), **found.axes})
    for name in fixed:
        if Config.full_name(name) in vary:
            raise ConfigError(f"{Config.full_name(name)} is both fixed and varied; say one.")
    found = found.with_axes(vary)
    found.require_something()
    return Spec(
        without_test(task).hash, task.name, base, found, tuple(seed_list(seeds)), rehearse, prune,
        seed, digest_of(encodings),
    )  # fmt: skip


def _space(space: str | Space, base: Preset, vary: Mapping[str, Axis]) -> Space:
    if isinstance(space, Space):
        return space
    if space.endswith(".toml"):
        return read_space(space)
    if space not in SPACES:
        known = suggest(space, SPACES)
        raise ConfigError(f"there is no search space {space!r}.{known} A TOML file can be one too.")
    convs, axes = vary.get("conv"), Space({})
    both = isinstance(convs, Choice) and "gcn2" in convs.values  # its parameters vary too
    for config in base.candidates:
        meant = config.with_settings({"conv": "gcn2"}) if both else config
        axes = axes.with_axes(SPACES[space](meant).axes)
    return axes
