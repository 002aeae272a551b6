"""Search spaces: which settings vary, and how far."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ..base.errors import ConfigError, DataError
from ..base.regular_files import require_regular_file
from ..base.structured_text import parse_toml
from ..config import Config
from ..config.preset_resolver import refuse_import_path
from ..config.settings import Settings, flatten, parse_setting

_RANGE = re.compile(
    r"(?P<low>[^\s,]+?)\s*\.\.\s*(?P<high>[^\s,]+)(?:\s+step\s+(?P<step>\S+)|\s+(?P<log>log))?"
)

Scalar = bool | int | float | str | None


@dataclass(frozen=True)
class Range:
    """Numbers from ``low`` to ``high``, both included.

    Args:
        low: The smallest number.
        high: The largest number.
        step: Distance between neighbours; None: all numbers between (integers for an integer
            setting).
        log: Whether to draw evenly on a logarithmic scale.
    """

    low: float
    high: float
    step: float | None = None
    log: bool = False

    def __post_init__(self) -> None:
        for number in (self.low, self.high, 1 if self.step is None else self.step):
            if isinstance(number, bool) or not isinstance(number, int | float):
                raise ConfigError(f"a range has numbers, found {number!r}.")
            if not math.isfinite(number):
                raise ConfigError(f"a range has finite numbers, found {number!r}.")
        if self.low > self.high:
            raise ConfigError(f"no number lies between {self.low:g} and {self.high:g}.")
        if self.step is not None and (self.step <= 0 or self.log):
            raise ConfigError("a step is above 0, and a logarithmic range has none.")
        if self.log and self.low <= 0:
            raise ConfigError(f"a logarithmic range begins above 0, found {self.low:g}.")

    def to_dict(self) -> dict[str, object]:
        """The axis as a TOML file has it."""
        step = {"step": self.step} if self.step is not None else {}
        return {"low": self.low, "high": self.high, **step, **({"log": True} if self.log else {})}

    @property
    def ends(self) -> tuple[object, ...]:
        """Values that are valid settings only if all others are."""
        return self.low, self.high

    def has(self, value: object) -> bool:
        """Whether a value lies in the range, on a step."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return False
        if not self.low <= value <= self.high:
            return False
        steps = 0.0 if self.step is None else (value - self.low) / self.step
        return bool(abs(steps - round(steps)) < 1e-9)

    def __str__(self) -> str:
        suffix = " log" if self.log else "" if self.step is None else f" step {self.step:g}"
        return f"{self.low:g}..{self.high:g}{suffix}"


@dataclass(frozen=True)
class Choice:
    """Some values without an order."""

    values: tuple[Scalar, ...]

    def __post_init__(self) -> None:
        if not self.values:
            raise ConfigError("a choice has at least one value.")
        if any(isinstance(value, list | tuple | dict) for value in self.values):
            raise ConfigError(f"a choice has single values, found {list(self.values)}.")
        if len({(type(value), value) for value in self.values}) < len(self.values):
            raise ConfigError(f"a choice has each value once, found {list(self.values)}.")

    def to_dict(self) -> list[object]:
        """The axis as a TOML file has it."""
        return list(self.values)

    @property
    def ends(self) -> tuple[object, ...]:
        """Values that are valid settings only if all others are."""
        return self.values

    def has(self, value: object) -> bool:
        """Whether a value is one of the choices."""
        return any(type(value) is type(own) and value == own for own in self.values)

    def __str__(self) -> str:
        return ", ".join(str(value).lower() for value in self.values)


Axis = Range | Choice


@dataclass(frozen=True)
class Space:
    """Axes by the full name of their setting.

    Args:
        axes: The axes.
        settings: The class of settings that they are of: that of networks, or of a baseline.
    """

    axes: Mapping[str, Axis]
    settings: type[Settings] = Config

    def __post_init__(self) -> None:
        for name, axis in self.axes.items():
            if self.settings.full_name(name) != name:
                raise ConfigError(f"the axis {name!r} is called {self.settings.full_name(name)!r}.")
            if name == "structure":
                raise ConfigError("a study is of one structure; choose it with --structure.")
            for value in axis.ends:
                try:
                    self.settings().with_settings({name: value})
                except ConfigError as error:
                    raise ConfigError(f"the search space admits what cannot be: {error}") from None
            integer = type(dict(flatten(self.settings().to_dict())).get(name)) is int
            if integer and isinstance(axis, Range) and axis.step and axis.step != int(axis.step):
                raise ConfigError(f"{name} is a whole number; so is its step.")

    @classmethod
    def from_dict(cls, tree: Mapping[str, object], settings: type[Settings] = Config) -> Space:
        """Read ranges ``{low, high, step, log}`` and lists of values, by name of the setting."""
        axes: dict[str, Axis] = {}
        for name, value in _find_axes(tree):
            full = settings.full_name(name)
            if full in axes:
                raise ConfigError(f"the search space has {full} twice.")
            try:
                axes[full] = _read_axis(value)
            except ConfigError as error:
                raise ConfigError(f"{full}: {error}") from None
        return cls(axes, settings)

    def to_dict(self) -> dict[str, object]:
        """The reverse of :meth:`from_dict`."""
        return {name: axis.to_dict() for name, axis in self.axes.items()}

    def with_axes(self, axes: Mapping[str, Axis]) -> Space:
        """The space with some axes added or replaced."""
        return replace(self, axes={**self.axes, **axes})

    def without(self, names: Iterable[str]) -> Space:
        """The space without the axes of settings that are fixed."""
        fixed = {self.settings.full_name(name) for name in names}
        kept = {name: axis for name, axis in self.axes.items() if name not in fixed}
        return replace(self, axes=kept)

    def refuse_import_paths(self, source: str, advice: str) -> None:
        """Raise where a file or storage lets code vary that would have to be imported."""
        for name, what in (("conv", "convolution"), ("translation.te", "T_e")):
            axis = self.axes.get(name)
            for value in axis.values if isinstance(axis, Choice) else ():
                refuse_import_path(value, source, advice, what=what)

    def require_several_points(self) -> None:
        """Raise unless there is more than one point."""
        if not any(_varies(axis) for axis in self.axes.values()):
            raise ConfigError(
                "the search space admits one point only; let a setting vary, as with"
                " --vary lr=0.001..0.01."
            )


def _varies(axis: Axis) -> bool:
    return len(set(map(str, axis.ends))) > 1


def _find_axes(tree: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    """Find the leaves of nested tables; a table with ``low`` is a leaf."""
    for name, value in tree.items():
        if isinstance(value, Mapping) and "low" not in value and "high" not in value:
            yield from _find_axes(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def _read_axis(value: object) -> Axis:
    if isinstance(value, list | tuple):
        return Choice(tuple(value))
    if not isinstance(value, Mapping):
        raise ConfigError(f"a list of values or a range is needed, found {value!r}.")
    unknown = set(value) - {"low", "high", "step", "log"}
    if unknown or not {"low", "high"} <= set(value):
        raise ConfigError(
            f"a range has low, high, and step or log, found {', '.join(map(str, value))}."
        )
    return Range(**value)


def read_space(path: str, settings: type[Settings] = Config) -> Space:
    """Read a search space from a TOML file."""
    if Path(path).exists():
        require_regular_file(path)
    try:
        tree = parse_toml(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"there is no file {path!r} with a search space.") from None
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.") from None
    except ValueError as error:
        raise DataError(f"this is not TOML ({error}).", path=path) from None
    try:
        space = Space.from_dict(tree, settings)
    except ConfigError as error:
        raise DataError(str(error), path=path) from None
    space.refuse_import_paths(path, "let it vary with --vary conv=… if you trust it")
    return space


def parse_axis(text: str, settings: type[Settings] = Config) -> tuple[str, Axis]:
    """Read an axis: ``lr=0.001..0.01 log``, ``a=0..4 step 0.25`` or ``readout=sum,degree``."""
    name, _, values_text = text.partition("=")
    if not name.strip() or not values_text.strip():
        raise ConfigError(f"--vary wants NAME=VALUES, as lr=0.001..0.01, found {text!r}.")
    full = settings.full_name(name.strip())
    match = _RANGE.fullmatch(values_text.strip())
    if match is None:
        words = [word for word in values_text.split(",") if word.strip()]
        return full, Choice(tuple(parse_setting(f"value={word}")[1] for word in words))
    texts = {key: match[key] for key in ("low", "high", "step") if match[key] is not None}
    numbers = {key: parse_setting(f"{key}={word}")[1] for key, word in texts.items()}
    try:
        return full, Range(**numbers, log=match["log"] is not None)
    except ConfigError as error:
        raise ConfigError(f"{full}: {error}") from None


def paper_space(config: Config) -> Space:
    """The space that the authors searched for a structure and a convolution (the paper, appendix).

    The readout is the sum, or of S2N the sum weighted by degrees as the published code has it; skip
    connection and batch norm are axes too, which the authors went through one by one.

    Args:
        config: Settings that name the structure and the convolution.
    """
    tenths = Range(0.0, 0.5, step=0.1)
    axes: dict[str, Axis] = {
        "training.lr": Range(5e-4, 1e-2, log=True),
        "training.weight_decay": Range(1e-9, 1e-6, log=True),
        "training.clip": tenths,
        "model.dropout": tenths,
        "model.edge_dropout": tenths,
        "model.layers": Range(1, 2),
        "model.batch_norm": Choice((False, True)),
        "model.skip": Choice((False, True)),
    }
    if config.structure.inner:
        axes["model.inner_layers"] = Range(1, 2)
    if config.structure.translated:
        axes["translation.a"] = Range(1.0, 4.0, step=0.25)
        axes["translation.delta"] = Range(0.5, 2.0, step=0.5)
        readouts = dict.fromkeys(("sum", "degree-code", config.model.readout))
        axes["model.readout"] = Choice(tuple(readouts))
    encoders = ("outer", "inner") if config.structure.inner else ("outer",)
    if config.conv == "fagcn":
        for encoder in encoders:
            axes[f"model.{encoder}.eps"] = Range(0.1, 0.5, step=0.1)
    if config.conv == "gcn2":
        for encoder in encoders:
            axes[f"model.{encoder}.alpha"] = Range(0.1, 0.9, step=0.1)
            axes[f"model.{encoder}.theta"] = Range(0.1, 2.0, step=0.1)
            axes[f"model.{encoder}.shared_weights"] = Choice((False, True))
    return Space(axes)


def wide_space(config: Config) -> Space:
    """The paper's space, and what its authors chose by hand: readout, self-loops, ties, inputs.

    Args:
        config: Settings that name structure, convolution and kind of features.
    """
    axes: dict[str, Axis] = {}
    by_stage = ("degree", "degree-code") if config.structure.translated else ()
    axes["model.readout"] = Choice(("sum", "mean", "node-degree", "volume", *by_stage))
    axes["training.ties"] = Choice(("first", "loss"))
    if config.structure.translated:
        axes["translation.a"] = Range(0.0, 4.0, step=0.25)
        axes["translation.self_loops"] = Choice((True, False))
    if config.structure.coarsened:
        axes["coarsening.ratio"] = Range(0.2, 0.8, step=0.1)
    if config.features.kind == "constant":
        axes["features.value"] = Range(1 / 64, 1.0, log=True)
    elif config.features.kind != "given":
        axes["features.scale"] = Range(0.05, 1.0, log=True)
    return paper_space(config).with_axes(axes)


SPACES = {"paper": paper_space, "wide": wide_space}
