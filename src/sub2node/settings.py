"""Typed, frozen trees of settings, read, checked and changed by name."""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, field, fields, is_dataclass, replace
from typing import Any, Literal, Self, get_args, get_origin, get_type_hints

from .errors import ConfigError, suggest

_HUGE = 1e300
_FOUND: dict[tuple[Any, str], dict[str, tuple[Any, Any]]] = {}


def within(default: Any, low: float, high: float = math.inf) -> Any:
    """A field with a default and bounds, which belong to it."""
    return field(default=default, metadata={"range": (low, high)})


class Settings:
    """A frozen dataclass whose fields are settings, or frozen dataclasses of them (sections)."""

    def __post_init__(self) -> None:
        kinds = _kinds(type(self))
        for key, value in _leaves(self):
            _check(key, value, *kinds[key])

    def to_dict(self) -> dict[str, Any]:
        """The tree as nested dicts."""
        return asdict(self)  # type: ignore[call-overload,no-any-return]

    @classmethod
    def from_dict(cls, tree: Mapping[str, Any]) -> Self:
        """The reverse of :meth:`to_dict`; missing settings have their defaults."""
        return cls().with_settings(dict(flatten(tree)))

    def with_settings(self, settings: Mapping[str, Any]) -> Self:
        """The tree with some settings replaced.

        Args:
            settings: Values by full name (``training.lr``), or by last name (``lr``) where only
                one setting has it.
        """
        kinds = _kinds(type(self))
        changes = {self.full_name(name): value for name, value in settings.items()}
        for key, value in changes.items():
            _check(key, value, *kinds[key])
        changed: Self = _replaced(self, "", changes, kinds)
        return changed

    @classmethod
    def has(cls, name: str) -> bool:
        """Whether there is such a setting."""
        return any(key == name or key.endswith(f".{name}") for key in _kinds(cls))

    @classmethod
    def accepts(cls, name: str, value: Any) -> bool:
        """Whether there is such a setting and it can have this value."""
        try:
            cls().with_settings({name: value})
        except ConfigError:
            return False
        return True

    @classmethod
    def full_name(cls, name: str) -> str:
        """The full name of a setting that is given by it or by its last part."""
        known = _kinds(cls)
        if name in known:
            return name
        ends = [key for key in known if key.endswith(f".{name}")]
        if len(ends) == 1:
            return ends[0]
        if ends:
            raise ConfigError(f"there are several settings {name!r}: say {' or '.join(ends)}.")
        words = [*known, *(key.rsplit(".", 1)[-1] for key in known)]
        raise ConfigError(f"there is no setting {name!r}.{suggest(name, dict.fromkeys(words))}")


def to_toml(tree: Mapping[str, Any]) -> str:
    """Nested settings as TOML, which is a preset that can be used again."""
    sections: dict[str, list[str]] = {}
    for key, value in flatten(tree):
        section, _, name = key.rpartition(".")
        text = json.dumps(
            value, ensure_ascii=False
        )  # TOML writes these kinds of values as JSON does
        sections.setdefault(section, []).append(f"{name} = {text}")
    return "\n".join(
        "\n".join([f"[{section}]"] * bool(section) + lines) + "\n"
        for section, lines in sections.items()
    )


def parse_setting(text: str) -> tuple[str, Any]:
    """``key=value`` as typed on a command line; the value is read as TOML, else as a word."""
    name, found, value = text.partition("=")
    if not found or not name.strip() or not value.strip():
        raise ConfigError(f"a setting is written key=value, found {text!r}.")
    try:
        return name.strip(), tomllib.loads(f"value = {value.strip()}")["value"]
    except tomllib.TOMLDecodeError:
        return name.strip(), value.strip()


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


def _kinds(node: Any, prefix: str = "") -> dict[str, tuple[Any, Any]]:
    """Kind and bounds of every setting of a class, by full name; found once."""
    if (node, prefix) in _FOUND:
        return _FOUND[node, prefix]
    hints = get_type_hints(node)
    found: dict[str, tuple[Any, Any]] = {}
    for item in fields(node):
        if is_dataclass(hints[item.name]):
            found |= _kinds(hints[item.name], f"{prefix}{item.name}.")
        else:
            found[prefix + item.name] = (hints[item.name], item.metadata.get("range"))
    _FOUND[node, prefix] = found
    return found


def _check(key: str, value: Any, kind: Any, bounds: Any) -> None:
    """Raise unless the value is of its kind and within its bounds."""
    if get_origin(kind) is Literal:
        if value not in get_args(kind):
            raise ConfigError(
                f"{key} cannot be {value!r}.{suggest(str(value), map(str, get_args(kind)))}"
            )
        return
    word = {bool: "true or false", int: "a whole number", float: "a number", str: "a word"}[kind]
    number = isinstance(value, int | float) and not isinstance(value, bool)
    fits = number if kind is float else isinstance(value, kind) and (kind is bool or number)
    if kind is str:
        fits = isinstance(value, str)
    if not fits:
        raise ConfigError(f"{key} is {word}, found {value!r}.")
    if kind is float and not abs(value) < _HUGE:
        raise ConfigError(f"{key} is a finite number, found {value!r}.")
    if bounds and not bounds[0] <= value <= bounds[1]:
        most = "" if bounds[1] == math.inf else f" and at most {bounds[1]:g}"
        raise ConfigError(f"{key} is at least {bounds[0]:g}{most}, found {value!r}.")


def _replaced(node: Any, prefix: str, changes: Mapping[str, Any], kinds: Any) -> Any:
    new = {}
    for item in fields(node):
        value, key = getattr(node, item.name), prefix + item.name
        if is_dataclass(value):
            new[item.name] = _replaced(value, f"{key}.", changes, kinds)
        elif key in changes:
            new[item.name] = float(changes[key]) if kinds[key][0] is float else changes[key]
    return replace(node, **new)
