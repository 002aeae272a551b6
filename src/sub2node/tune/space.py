"""Search spaces: which settings vary, and how far."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..config import Config
from ..errors import ConfigError, DataError
from ..settings import flatten, parse_setting

_WORDS = re.compile(
    r"(?P<low>[^\s,]+?)\s*\.\.\s*(?P<high>[^\s,]+)(?:\s+step\s+(?P<step>\S+)|\s+(?P<log>log))?"
)


@dataclass(frozen=True)
class Range:
    """Numbers from ``low`` to ``high``, both included.

    Args:
        low: The least.
        high: The largest.
        step: Distance between neighbours; None: all numbers between (whole ones of a setting that
            is a whole number).
        log: Drawn evenly on a logarithmic scale.
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

    def to_dict(self) -> dict[str, Any]:
        """As in a TOML file."""
        more = {"step": self.step} if self.step is not None else {}
        return {"low": self.low, "high": self.high, **more, **({"log": True} if self.log else {})}

    @property
    def ends(self) -> tuple[Any, ...]:
        """Values that must be possible for all others to be."""
        return self.low, self.high

    def has(self, value: Any) -> bool:
        """Whether a value is one of these."""
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not self.low <= value <= self.high:
            return False
        steps = 0.0 if self.step is None else (value - self.low) / self.step
        return bool(abs(steps - round(steps)) < 1e-9)

    def __str__(self) -> str:
        more = " log" if self.log else "" if self.step is None else f" step {self.step:g}"
        return f"{self.low:g}..{self.high:g}{more}"


@dataclass(frozen=True)
class Choice:
    """Some values, none nearer to one than to another."""

    values: tuple[Any, ...]

    def __post_init__(self) -> None:
        if not self.values:
            raise ConfigError("a choice has one value at least.")
        if any(isinstance(value, list | tuple | dict) for value in self.values):
            raise ConfigError(f"a choice has single values, found {list(self.values)}.")
        if len({(type(value), value) for value in self.values}) < len(self.values):
            raise ConfigError(f"a choice has each value once, found {list(self.values)}.")

    def to_dict(self) -> list[Any]:
        """As in a TOML file."""
        return list(self.values)

    @property
    def ends(self) -> tuple[Any, ...]:
        """Values that must be possible for all others to be."""
        return self.values

    def has(self, value: Any) -> bool:
        """Whether a value is one of these."""
        return any(type(value) is type(known) and value == known for known in self.values)

    def __str__(self) -> str:
        return ", ".join(str(value).lower() for value in self.values)


Axis = Range | Choice


@dataclass(frozen=True)
class Space:
    """Axes by the full name of their setting; checked against :class:`Config`."""

    axes: Mapping[str, Axis]

    def __post_init__(self) -> None:
        for name, axis in self.axes.items():
            if Config.full_name(name) != name:
                raise ConfigError(f"the axis {name!r} is called {Config.full_name(name)!r}.")
            if name == "structure":
                raise ConfigError("a study is of one structure; choose it with --structure.")
            for value in axis.ends:
                try:
                    Config().with_settings({name: value})
                except ConfigError as error:
                    raise ConfigError(f"the search space admits what cannot be: {error}") from None
            whole = type(dict(flatten(Config().to_dict()))[name]) is int
            if whole and isinstance(axis, Range) and axis.step and axis.step != int(axis.step):
                raise ConfigError(f"{name} is a whole number; so is its step.")

    @classmethod
    def from_dict(cls, tree: Mapping[str, Any]) -> Space:
        """From ranges ``{low, high, step, log}`` and lists of values, by name of the setting."""
        axes: dict[str, Axis] = {}
        for name, value in _axes(tree):
            full = Config.full_name(name)
            if full in axes:
                raise ConfigError(f"the search space has {full} twice.")
            try:
                axes[full] = _axis(value)
            except ConfigError as error:
                raise ConfigError(f"{full}: {error}") from None
        return cls(axes)

    def to_dict(self) -> dict[str, Any]:
        """The reverse of :meth:`from_dict`."""
        return {name: axis.to_dict() for name, axis in self.axes.items()}

    def with_axes(self, more: Mapping[str, Axis]) -> Space:
        """With some axes added or replaced."""
        return Space({**self.axes, **more})

    def without(self, names: Mapping[str, Any]) -> Space:
        """Without the axes of settings that are fixed."""
        fixed = {Config.full_name(name) for name in names}
        return Space({name: axis for name, axis in self.axes.items() if name not in fixed})

    def require_something(self) -> None:
        """Raise unless there is more than one point."""
        if not any(_several(axis) for axis in self.axes.values()):
            raise ConfigError(
                "the search space admits one point only; let a setting vary, as with"
                " --vary lr=0.001..0.01."
            )


def _several(axis: Axis) -> bool:
    return len(set(map(str, axis.ends))) > 1


def _axes(tree: Mapping[str, Any], prefix: str = "") -> Any:
    """Leaves of nested tables; a table with ``low`` is a leaf."""
    for name, value in tree.items():
        if isinstance(value, Mapping) and "low" not in value and "high" not in value:
            yield from _axes(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def _axis(value: Any) -> Axis:
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


def read_space(path: str) -> Space:
    """A search space from a TOML file."""
    try:
        tree = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"there is no file {path!r} with a search space.") from None
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"this is not TOML ({error}).", path=path) from None
    try:
        return Space.from_dict(tree)
    except ConfigError as error:
        raise DataError(str(error), path=path) from None


def parse_axis(text: str) -> tuple[str, Axis]:
    """``lr=0.001..0.01 log``, ``a=0..4 step 0.25`` or ``readout=sum,degree`` as typed."""
    name, found, words = text.partition("=")
    if not found or not name.strip() or not words.strip():
        raise ConfigError(f"--vary wants NAME=VALUES, as lr=0.001..0.01, found {text!r}.")
    full = Config.full_name(name.strip())
    match = _WORDS.fullmatch(words.strip())
    if match is None:
        values = [parse_setting(f"value={word}")[1] for word in words.split(",") if word.strip()]
        return full, Choice(tuple(values))
    given = {key: match[key] for key in ("low", "high", "step") if match[key] is not None}
    numbers = {key: parse_setting(f"{key}={word}")[1] for key, word in given.items()}
    try:
        return full, Range(**numbers, log=match["log"] is not None)
    except ConfigError as error:
        raise ConfigError(f"{full}: {error}") from None


def paper_space(config: Config) -> Space:
    """What the authors searched for a structure and a convolution, with batch norm and skip.

    Args:
        config: Names both.
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
    if config.with_inner:
        axes["model.inner_layers"] = Range(1, 2)
    if config.translated:
        axes["translation.a"] = Range(1.0, 4.0, step=0.25)
        axes["translation.delta"] = Range(0.5, 2.0, step=0.5)
    if config.conv == "gcn2":
        for encoder in ("outer", "inner") if config.with_inner else ("outer",):
            axes[f"model.{encoder}.alpha"] = Range(0.1, 0.9, step=0.1)
            axes[f"model.{encoder}.theta"] = Range(0.1, 2.0, step=0.1)
            axes[f"model.{encoder}.shared_weights"] = Choice((False, True))
    return Space(axes)


def wide_space(config: Config) -> Space:
    """The paper's, and what its authors chose by hand: readout, self-loops, ties, inputs.

    Args:
        config: Names structure, convolution and kind of features.
    """
    axes: dict[str, Axis] = {}
    by_stage = ("degree", "degree-code") if config.translated else ()
    axes["model.readout"] = Choice(("sum", "mean", "node-degree", "volume", *by_stage))
    axes["training.ties"] = Choice(("first", "loss"))
    if config.translated:
        axes["translation.a"] = Range(0.0, 4.0, step=0.25)
        axes["translation.self_loops"] = Choice((True, False))
    if config.coarsened:
        axes["coarsening.ratio"] = Range(0.2, 0.8, step=0.1)
    if config.features.kind == "constant":
        axes["features.value"] = Range(1 / 64, 1.0, log=True)
    elif config.features.kind != "given":
        axes["features.scale"] = Range(0.05, 1.0, log=True)
    return paper_space(config).with_axes(axes)


SPACES = {"paper": paper_space, "wide": wide_space}
