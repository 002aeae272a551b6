"""Which models a folder holds, with the settings and the data of each; nothing is loaded."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from ..errors import DataError

Kind = Literal["run", "model", "study"]


@dataclass(frozen=True)
class Work:
    """One model as a folder tells of it.

    Args:
        kind: ``run`` (also those of a comparison), ``model`` or ``study``.
        config: All settings; of a baseline, with its name under ``baseline``.
        data: What names the data: name, nodes, edges, split.
        seeds: How many networks there are.
        test: How it was compared with others, in words; "" where it was not.
    """

    kind: Kind
    config: Mapping[str, Any]
    data: Mapping[str, Any]
    seeds: int = 1
    test: str = ""

    @property
    def own_bridges(self) -> bool:
        """Whether the data brought virtual subgraphs of its own."""
        split = self.data.get("split")
        return isinstance(split, Mapping) and bool(split.get("virtual"))


def read_works(path: Path) -> list[Work]:
    """The models of a run, a comparison, a model folder or a study.

    Args:
        path: The folder, or the JSON file in it.

    Raises:
        DataError: There is no such folder, or it is none of these.
    """
    folder = path.parent if path.suffix == ".json" else path
    if not folder.is_dir():
        raise DataError("there is no such folder.", path=path)
    for name, read in _READERS.items():
        if (folder / name).is_file():
            return _checked(read, folder / name)
    raise DataError(
        "this is no run, comparison, model or study: it has none of"
        f" {', '.join(_READERS)}; s2n run, s2n fit and s2n tune write such folders with -o.",
        path=path,
    )


def _checked(read: Callable[[dict[str, Any]], list[Work]], file: Path) -> list[Work]:
    try:
        return read(json.loads(file.read_text(encoding="utf-8")))
    except OSError as error:
        raise DataError(f"it cannot be read ({error.strerror}).", path=file) from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(
            f"this is not what s2n run, s2n fit or s2n tune writes ({error!r}).", path=file
        ) from None


def _comparison(found: dict[str, Any]) -> list[Work]:
    return [
        Work("run", dict(row["config"]), dict(row["data"]), len(row["seeds"]), str(found["test"]))
        for row in found["models"]
    ]


def _run(found: dict[str, Any]) -> list[Work]:
    return [Work("run", dict(found["config"]), dict(found["data"]), len(found["seeds"]))]


def _model(found: dict[str, Any]) -> list[Work]:
    data = dict(found["card"]["data"])
    return [Work("model", dict(found["config"]), data, len(found["seeds"]))]


def _study(found: dict[str, Any]) -> list[Work]:
    spec = found["spec"]
    return [Work("study", dict(found["config"]), {"name": spec["name"]}, len(spec["seeds"]))]


_READERS: dict[str, Callable[[dict[str, Any]], list[Work]]] = {
    "comparison.json": _comparison,
    "model.json": _model,
    "study.json": _study,
    "result.json": _run,
}
