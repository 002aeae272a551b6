"""Typed, frozen trees of settings, read, checked and changed by name."""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, field, fields, is_dataclass, replace
from enum import Enum
from typing import Any, Literal, NamedTuple, Self, TypeAlias, get_args, get_origin, get_type_hints

from ..base.errors import ConfigError, suggest
from ..base.structured_text import parse_toml

SettingsTree: TypeAlias = dict[str, Any]  # nested, as a TOML file holds them
_HUGE = 1e300
_LARGEST = 10**18
_CACHE: dict[Any, dict[str, _Field]] = {}


# Of a section whose settings are called with its name, as ``pretraining.lr``, not as ``lr``.
# Version 0.1 kept such a section as one text, ``layers=3,lr=0.003``; that is still understood.
NAMED_SECTION = {"named": True}


class _Field(NamedTuple):
    """A setting of a class: its kind, its bounds, and the shortest name it can be called by."""

    kind: Any
    bounds: tuple[float, float] | None
    shortest: str


def within(default: Any, low: float, high: float = math.inf) -> Any:
    """A field with a default and bounds, which belong to it."""
    return field(default=default, metadata={"range": (low, high)})


class Settings:
    """A frozen dataclass whose fields are settings, or frozen dataclasses of them (sections)."""

    def __post_init__(self) -> None:
        kinds = _fields_of(type(self))
        for key, value in _leaves(self):
            _check(key, value, kinds[key])
            if isinstance(kinds[key].kind, type) and issubclass(kinds[key].kind, Enum):
                object.__setattr__(self, key, kinds[key].kind(value))

    def to_dict(self) -> SettingsTree:
        """The tree as nested dicts."""
        return asdict(self)  # type: ignore[call-overload,no-any-return]

    @classmethod
    def from_dict(cls, tree: Mapping[str, Any]) -> Self:
        """The reverse of :meth:`to_dict`; missing settings have their defaults."""
        return cls().with_settings(dict(flatten(tree)))

    def with_settings(self, settings: Mapping[str, object]) -> Self:
        """The tree with some settings replaced.

        Args:
            settings: Values by full name (``training.lr``), or by last name (``lr``) where only
                one setting has it.
        """
        kinds, changes = _fields_of(type(self)), dict[str, object]()
        for name, value in settings.items():
            key = self.full_name(name)
            changes |= _read_section(key, value, kinds) if _is_section(kinds[key]) else {key: value}
        for key, value in changes.items():
            _check(key, value, kinds[self.full_name(key)])
        changed: Self = _with_changes(self, "", changes, kinds)
        return changed

    @classmethod
    def has(cls, name: str) -> bool:
        """Whether there is such a setting."""
        return any(_can_be_called(key, name, setting) for key, setting in _fields_of(cls).items())

    @classmethod
    def accepts(cls, name: str, value: object) -> bool:
        """Whether there is such a setting and it can have this value."""
        try:
            cls().with_settings({name: value})
        except ConfigError:
            return False
        return True

    @classmethod
    def full_name(cls, name: str) -> str:
        """The full name of a setting that is given by it or by its last part."""
        kinds = _fields_of(cls)
        if name in kinds:
            return name
        ends = [key for key, setting in kinds.items() if _can_be_called(key, name, setting)]
        if len(ends) == 1:
            return ends[0]
        if ends:
            raise ConfigError(f"there are several settings {name!r}: say {' or '.join(ends)}.")
        # Settings of named sections, which have no short name.
        hidden = {key for key, setting in kinds.items() if "." in setting.shortest}
        names = [key for key in kinds if "." in name or key not in hidden]
        names += [kinds[key].shortest for key in kinds if key not in hidden]
        raise ConfigError(f"there is no setting {name!r}.{suggest(name, dict.fromkeys(names))}")


def to_toml(tree: Mapping[str, Any]) -> str:
    """Nested settings as TOML, which is a preset that can be used again."""
    sections: dict[str, list[str]] = {}
    for key, value in flatten(tree):
        section, _, name = key.rpartition(".")
        # TOML writes these kinds of values as JSON does.
        text = json.dumps(value, ensure_ascii=False)
        sections.setdefault(section, []).append(f"{name} = {text}")
    return "\n".join(
        "\n".join([f"[{section}]"] * bool(section) + lines) + "\n"
        for section, lines in sections.items()
    )


def parse_setting(text: str) -> tuple[str, Any]:
    """``key=value`` as typed on a command line; the value is read as TOML, else as a word."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip() or not value.strip():
        raise ConfigError(f"a setting is written key=value, found {text!r}.")
    try:
        return name.strip(), parse_toml(f"value = {value.strip()}")["value"]
    except tomllib.TOMLDecodeError:
        return name.strip(), value.strip()
    except ValueError:
        shown = value.strip()[:20]
        raise ConfigError(f"the value of {name.strip()} is too long: {shown!r}….") from None


def flatten(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Nested settings as full names and values."""
    for name, value in tree.items():
        if isinstance(value, Mapping):
            yield from flatten(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def _leaves(node: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    for item in fields(node):
        value = getattr(node, item.name)
        if is_dataclass(value):
            yield from _leaves(value, f"{prefix}{item.name}.")
        else:
            yield prefix + item.name, value


def _fields_of(settings: Any) -> dict[str, _Field]:
    """Every setting of a class and every named section by full name, collected once."""
    if settings in _CACHE:
        return _CACHE[settings]
    hints, kinds = get_type_hints(settings), dict[str, _Field]()
    for item in fields(settings):
        named, kind = item.metadata.get("named", False), hints[item.name]
        if named or not is_dataclass(kind):
            kinds[item.name] = _Field(kind, item.metadata.get("range"), item.name)
        if is_dataclass(kind):
            for key, inner in _fields_of(kind).items():
                name = f"{item.name}.{inner.shortest}" if named else inner.shortest
                kinds[f"{item.name}.{key}"] = inner._replace(shortest=name)
    _CACHE[settings] = kinds
    return kinds


def _can_be_called(key: str, name: str, setting: _Field) -> bool:
    """Whether a setting can be called so: by its full name, or by enough of its end."""
    return key == name or (key.endswith(f".{name}") and len(name) >= len(setting.shortest))


def _is_section(setting: _Field) -> bool:
    return is_dataclass(setting.kind)


def _read_section(key: str, value: object, kinds: Mapping[str, _Field]) -> dict[str, object]:
    """All settings of a named section, from the text that version 0.1 kept."""
    if not isinstance(value, str):
        first = next(name for name in kinds if name.startswith(f"{key}."))
        raise ConfigError(f"{key} has settings of its own, as {first}; found {value!r}.")
    changes = dict(map(parse_setting, filter(str.strip, value.split(","))))
    values = {**asdict(kinds[key].kind()), **changes}
    return {f"{key}.{name}": value for name, value in values.items()}


def _check(key: str, value: Any, setting: _Field) -> None:
    """Raise unless the value is of its kind and within its bounds."""
    kind, bounds, _ = setting
    if (choices := _choices(kind)) is not None:
        if value not in choices:
            raise ConfigError(f"{key} cannot be {value!r}.{suggest(str(value), map(str, choices))}")
        return
    word = {bool: "true or false", int: "a whole number", float: "a number", str: "a word"}[kind]
    number = isinstance(value, int | float) and not isinstance(value, bool)
    fits = number if kind is float else isinstance(value, kind) and (kind is bool or number)
    if kind is str:
        fits = isinstance(value, str)
    if not fits:
        raise ConfigError(f"{key} is {word}, found {value!r}.")
    if kind is int and not abs(value) < _LARGEST:
        raise ConfigError(f"{key} is too large: a whole number has at most 18 digits.")
    if kind is float and not abs(value) < _HUGE:
        raise ConfigError(f"{key} is a finite number, found {value!r}.")
    if bounds and not bounds[0] <= value <= bounds[1]:
        most = "" if bounds[1] == math.inf else f" and at most {bounds[1]:g}"
        raise ConfigError(f"{key} is at least {bounds[0]:g}{most}, found {value!r}.")


def _choices(kind: Any) -> tuple[Any, ...] | None:
    """The values of a setting that has a list of them."""
    if isinstance(kind, type) and issubclass(kind, Enum):
        return tuple(kind)
    return get_args(kind) if get_origin(kind) is Literal else None


def _as_kind(value: Any, kind: Any) -> Any:
    """A value that was checked, as its kind: 1 as 1.0, a name as the member of an enum."""
    converted = kind is float or (isinstance(kind, type) and issubclass(kind, Enum))
    return kind(value) if converted else value


def _with_changes(
    node: Any, prefix: str, changes: Mapping[str, object], kinds: Mapping[str, _Field]
) -> Any:
    new = {}
    for item in fields(node):
        value, key = getattr(node, item.name), prefix + item.name
        if is_dataclass(value):
            new[item.name] = _with_changes(value, f"{key}.", changes, kinds)
        elif key in changes:
            new[item.name] = _as_kind(changes[key], kinds[key].kind)
    return replace(node, **new)
