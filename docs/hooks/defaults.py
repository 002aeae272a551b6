"""Settings are shown with their defaults: ``hidden = within(64, 1)`` is 64 to a reader."""

from __future__ import annotations

from typing import Any

from griffe import Attribute, ExprCall, Extension


class Defaults(Extension):
    """Shows the first argument of ``within``, which is the default, in its place."""

    def on_attribute_instance(self, *, attr: Attribute, **_: Any) -> None:
        """Called for every attribute that is read from the source."""
        value = attr.value
        if isinstance(value, ExprCall) and str(value.function) == "within":
            attr.value = value.arguments[0]
