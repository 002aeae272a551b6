"""The specification of a study: data, settings that stay, and the space that is searched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..base.errors import ConfigError, DataError, suggest
from ..base.ragged import Array
from ..baselines import NETWORKS
from ..config import Config
from ..config.preset_resolver import refuse_import_path, refuse_own_te
from ..config.settings import Settings, flatten
from ..config.unused_settings import unused_note
from ..encode import Encoding
from ..evaluate.seeds import seed_list
from ..models import Preset, find_baseline, find_preset
from ..models.baseline import baseline_settings
from ..task import SubgraphTask
from .baseline_spaces import baseline_space
from .objective import digest_of, without_test
from .search_space import SPACES, Axis, Choice, Space, read_space

_DIFFERENCES = {
    "data": "other data",
    "base": "other settings around the space",
    "space": "another space",
    "seeds": "other seeds",
    "rehearse": "another number of rehearsals",
    "groups": "rehearsals that keep other subgraphs together",
    "prune": "another way of pruning trials",
    "encodings": "other encodings",
    "baseline": "another model",
    "seed": "another search seed",
}


# Settings that decide which others are read.
_DECIDING = ("conv", "features.kind", "features.encoding", "translation.te", "coarsening.method")


@dataclass(frozen=True)
class Spec:
    """The specification of a study.

    Args:
        data: Hash of the data without its test part.
        name: The name of the data.
        base: The preset that the search starts from.
        space: The settings that vary.
        seeds: Seeds of a trial.
        rehearse: Splits of train and val to score on; 0: the val part of the data.
        prune: Whether trials that fall behind are pruned.
        seed: The seed of the search.
        encodings: Hash of the user's own columns; empty without any.
        baseline: The name of a baseline; empty: a network of a structure.
        groups: An attribute whose equal values rehearsals keep in one part; empty: none.
    """

    data: str
    name: str
    base: Preset[Any]
    space: Space
    seeds: tuple[int, ...]
    rehearse: int = 0
    prune: bool = True
    seed: int = 0
    encodings: str = ""
    baseline: str = ""
    groups: str = ""

    @property
    def config(self) -> Any:
        """The settings that the search starts from."""
        return self.base.config

    @property
    def title(self) -> str:
        """The name of the study in a storage."""
        return f"{self.name or 'task'} {self.model}"

    @property
    def model(self) -> str:
        """What is searched: a baseline, or a structure and a convolution."""
        return self.baseline or f"{self.config.structure} {self.config.conv}"

    def settings(self, point: Mapping[str, object]) -> Any:
        """All settings at a point of the space."""
        return self.base.with_settings(point).config

    def first_points(self) -> list[dict[str, object]]:
        """The base settings as points, where the space has them: the winner is at least as good."""
        points = []
        for config in self.base.candidates:
            values = dict(flatten(config.to_dict()))
            point = {name: values.get(name) for name in self.space.axes}
            if all(axis.has(point[name]) for name, axis in self.space.axes.items()):
                points.append(point)
        return points

    @property
    def published(self) -> bool:
        """Whether the settings that stay are published, and so chosen by test score."""
        return self.base.name.partition(":")[0] == "paper"

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks on every result of the study."""
        own_columns = (
            "columns of a file of your own join the features; runs with the winner need it too."
        )
        return (*self.base.notes, *([own_columns] if self.encodings else []))

    def to_dict(self) -> dict[str, object]:
        """The specification as a storage keeps it."""
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
            "baseline": self.baseline,
            "groups": self.groups,
        }

    def refuse_import_paths(self, source: str) -> None:
        """Raise where the study has a convolution that would have to be imported."""
        advice = "continue the study with --resume and --conv instead of --worker"
        for config in self.base.candidates if not self.baseline else ():
            refuse_import_path(config.conv, source, advice)
            refuse_own_te(config, source, "continue the study with --resume instead of --worker")
        self.space.refuse_import_paths(source, advice)

    @classmethod
    def from_dict(cls, tree: Mapping[str, Any]) -> Spec:
        """The reverse of :meth:`to_dict`."""
        try:
            base, baseline = tree["base"], tree.get("baseline", "")
            settings = settings_of(baseline)
            candidates = tuple(settings.from_dict(config) for config in base["candidates"])
            preset = Preset(base["name"], candidates, tuple(base["notes"]), base["joined"])
            return cls(
                tree["data"],
                tree["name"],
                base=preset,
                space=Space.from_dict(tree["space"], settings),
                seeds=tuple(tree["seeds"]),
                rehearse=tree["rehearse"],
                prune=tree["prune"],
                seed=tree["seed"],
                encodings=tree.get("encodings", ""),
                baseline=baseline,
                groups=tree.get("groups", ""),
            )
        except (KeyError, TypeError) as error:
            raise DataError(f"the study does not say what it searches ({error!r}).") from None

    def require_same(self, other: Spec, where: str) -> None:
        """Raise unless a study that exists is this one."""
        mine, theirs = self.to_dict(), other.to_dict()
        for name, difference in _DIFFERENCES.items():
            if mine[name] != theirs[name]:
                axis = self._describe_axis(other) if name == "space" else ""
                raise ConfigError(
                    f"the study in {where} has {difference}{axis}; go on with what it was begun"
                    " with, or begin another one in a new folder."
                )

    def _describe_axis(self, other: Spec) -> str:
        """Describe the first axis that differs."""
        mine, theirs = self.space.axes, other.space.axes
        for name in sorted({*mine, *theirs}):
            if mine.get(name) != theirs.get(name):
                there, ours = theirs.get(name, "not varied"), mine.get(name, "not varied")
                return f" ({name}: {there} there, {ours} here)"
        return ""


def make_spec(
    task: SubgraphTask,
    *,
    model: str | None = None,
    structure: str | None = None,
    conv: str | None = None,
    preset: str = "default",
    space: str | Space = "paper",
    vary: Mapping[str, Axis] | None = None,
    settings: Mapping[str, object] | None = None,
    seeds: int | Sequence[int] = 10,
    rehearse: int = 0,
    prune: bool = True,
    seed: int = 0,
    encodings: Encoding | Array | None = None,
    groups: str | None = None,
) -> Spec:
    """Make the specification of a study from a user's choices.

    Args:
        task: The data, with labels and a split.
        model: A baseline with a training loop, as ``glass`` or ``subgnn``; None: a structure.
        structure: The structure, as in :func:`sub2node.run`.
        conv: The convolution, as in :func:`sub2node.run`.
        preset: The preset of what does not vary; also the first point, where the space has it.
        space: ``paper``, ``wide``, the path of a TOML file, or a :class:`Space`.
        vary: Axes to add to the space, or to replace.
        settings: Settings that are fixed; their axes are removed from the space.
        seeds: The number of seeds of a trial, or the seeds themselves.
        rehearse: Splits of train and val to score on; 0: the val part of the data.
        prune: Whether trials that fall behind are pruned.
        seed: The seed of the search.
        encodings: The user's own columns of node features, as in :func:`sub2node.run`.
        groups: An attribute; rehearsals keep subgraphs of equal value in one part.
    """
    if groups is not None:
        task.attributes.require(groups)
    vary, fixed = dict(vary or {}), dict(settings or {})
    base = _find_base(task, model, structure, conv, preset)
    base = base.with_settings(baseline_settings(model, fixed, encodings) if model else fixed)
    searched = _find_space(space, base, vary, model).without(fixed)
    kinds = tuple(dict.fromkeys(config.features.kind for config in base.candidates))
    if len(kinds) > 1 and "features.kind" not in vary:
        axes = {"features.kind": Choice(kinds), **searched.axes}
        searched = replace(searched, axes=axes)
    for name in fixed:
        full = type(base.config).full_name(name)
        if full in vary:
            raise ConfigError(f"{full} is both fixed and varied; say one.")
    searched = searched.with_axes(vary)
    searched.require_several_points()
    base = replace(base, notes=(*base.notes, *_unused(base, [*fixed, *vary], searched, model)))
    return Spec(
        without_test(task).hash,
        task.name,
        base=base,
        space=searched,
        seeds=tuple(seed_list(seeds)),
        rehearse=rehearse,
        prune=prune,
        seed=seed,
        encodings=digest_of(encodings),
        baseline=model or "",
        groups=groups or "",
    )


def settings_of(baseline: str) -> type[Settings]:
    """The class of settings of a baseline; of networks where the name is empty."""
    if baseline and baseline not in NETWORKS:
        raise ConfigError(
            f"{baseline!r} has no training loop to search settings of; --model takes"
            f" {', '.join(NETWORKS)}."
        )
    return NETWORKS[baseline].settings if baseline else Config


def _find_base(
    task: SubgraphTask, model: str | None, structure: str | None, conv: str | None, preset: str
) -> Preset[Any]:
    """The preset of a network or of a baseline."""
    if model is None:
        return find_preset(preset, task, structure, conv)
    for kind, choice in {"structure": structure, "convolution": conv}.items():
        if choice is not None:
            raise ConfigError(f"{model} has no {kind} to choose; omit it.")
    settings_of(model)
    return find_baseline(model, preset, task)


def _unused(
    base: Preset[Any], chosen: Sequence[str], space: Space, model: str | None
) -> tuple[str, ...]:
    """The warning about chosen settings that no point of the space reads."""
    if any(name in space.axes for name in _DECIDING):
        return ()  # what has an effect differs from point to point
    model = model or f"{base.config.structure} {base.config.conv}"
    return unused_note(base.candidates, chosen, model)


def _find_space(
    space: str | Space, base: Preset[Any], vary: Mapping[str, Axis], model: str | None
) -> Space:
    if isinstance(space, Space):
        return space
    if space.endswith(".toml"):
        return read_space(space, type(base.config))
    if space not in SPACES:
        hint = suggest(space, SPACES)
        raise ConfigError(f"there is no search space {space!r}.{hint} A TOML file can be one too.")
    if model is not None:
        if space != "paper":
            raise ConfigError(f"{model} has one search space; omit --space {space}.")
        return baseline_space(model, base.config)
    convs, joined = vary.get("conv"), Space({})
    has_gcn2 = isinstance(convs, Choice) and "gcn2" in convs.values  # its parameters vary too
    for config in base.candidates:
        widest = config.with_settings({"conv": "gcn2"}) if has_gcn2 else config
        joined = joined.with_axes(SPACES[space](widest).axes)
    return joined
