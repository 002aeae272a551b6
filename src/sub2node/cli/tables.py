"""Where a command's node vectors come from: names of encodings, or files of the user's own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ConfigError, suggest
from .output import progress

if TYPE_CHECKING:
    from ..encode import Encoding
    from ..settings import Settings
    from ..task import SubgraphTask

_FEATURES = ("random", "constant", "given", "link", "svd")
_ENCODINGS = ("rwpe", "lappe", "structure")
_INPUTS = ("structure", "wl")
_OPTIONS = {
    "features": "features.kind", "encoding": "features.encoding", "inputs": "features.subgraphs",
}  # fmt: skip


@dataclass
class Tables:
    """Features, encoding and subgraph inputs as the command line names them."""

    features: str | None
    encoding: str | None
    inputs: str | None
    encodings: Encoding | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._files: dict[str, tuple[Path, str | None]] = {}
        self.settings: dict[str, Any] = {}
        for option, word, known, setting in (
            ("features", self.features, _FEATURES, "features.kind"),
            ("encoding", self.encoding, _ENCODINGS, "features.encoding"),
            ("inputs", self.inputs, _INPUTS, "features.subgraphs"),
        ):
            if word is None:
                continue
            if word in known:
                self.settings[setting] = word
            elif option == "inputs" or not (found := _file(word)):
                kinds = "" if option == "inputs" else " A file can be one too, as vectors.npy."
                raise ConfigError(f"--{option} cannot be {word!r}.{suggest(word, known)}{kinds}")
            else:
                self._files[option] = found
        if "features" in self._files:
            self.settings["features.kind"] = "given"

    @property
    def files(self) -> set[str]:
        """Options that name a file."""
        return set(self._files)

    def with_settings(
        self, words: list[str], coarsen: str | None = None, kinds: Iterable[type[Settings]] = ()
    ) -> dict[str, Any]:
        """Settings of options and of ``--set``; what has an option is not set twice.

        Args:
            words: Of ``--set``.
            coarsen: Method and ratio.
            kinds: What models have for settings; those of the structures by default.
        """
        from ..coarsen import parse_coarsen
        from ..config import Config
        from ..settings import parse_setting

        given = dict(parse_setting(text) for text in words)
        known = tuple(kinds) or (Config,)
        for option, setting in _OPTIONS.items():
            given_too = getattr(self, option) is not None
            if given_too and not any(kind.has(setting) for kind in known):
                raise ConfigError(f"no model that is asked for has a use for --{option}.")
        for name in ("structure", "conv"):
            if name in given and Config in known:
                raise ConfigError(f"the {name} is chosen with --{name}.")
        taken = set(self.settings)
        if coarsen is not None:
            parse_coarsen(coarsen)
            taken |= {"coarsening.method", "coarsening.ratio"}
        for name in _full_names(given, known):
            if name in taken:
                raise ConfigError(f"{name} is set twice: by --set and by an option of its own.")
        return {**self.settings, **given}

    def read(self, task: SubgraphTask) -> SubgraphTask:
        """Read the files; the task with the features of one of them."""
        if not self._files:
            return task
        from ..encode.files import load_encoding

        with progress():
            for option, (path, table) in self._files.items():
                found = load_encoding(path, task.graph, table)
                if option == "encoding":
                    self.encodings = found
                    continue
                if len(found.nodes) < task.graph.num_nodes:
                    raise ConfigError(
                        f"{path} has vectors of {len(found.nodes):,} nodes, the graph has"
                        f" {task.graph.num_nodes:,}; features are needed for all: s2n encode --all."
                    )
                task = replace(task, graph=replace(task.graph, features=found.values))
        return task


def _full_names(given: Iterable[str], kinds: tuple[type[Settings], ...]) -> Iterator[str]:
    """Full names of settings that some model has."""
    for name in given:
        having = [kind for kind in kinds if kind.has(name)] or kinds[-1:]
        yield from (kind.full_name(name) for kind in having)


def _file(word: str) -> tuple[Path, str | None] | None:
    """``FILE`` or ``FILE:TABLE``, where the word looks like one."""
    from ..encode.files import READ

    if Path(word).suffix in READ:
        return Path(word), None
    path, colon, table = word.rpartition(":")
    return (Path(path), table) if colon and table and Path(path).suffix in READ else None
