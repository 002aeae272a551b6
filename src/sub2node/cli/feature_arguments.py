"""Where a command's node vectors come from: names of encodings, or files of the user's own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..base.errors import ConfigError, suggest
from .output import progress

if TYPE_CHECKING:
    from ..config.settings import Settings
    from ..encode import Encoding
    from ..task import SubgraphTask

# By option: the setting that it stands for, and the values that are not files.
_OPTIONS = {
    "features": ("features.kind", ("random", "constant", "given", "link", "svd")),
    "encoding": ("features.encoding", ("rwpe", "lappe", "structure", "given")),
    "inputs": ("features.subgraphs", ("structure", "wl", "border", "border2")),
}
_INPUTS_OF_OTHERS = "inputs"  # what models without subgraph features call what they read


@dataclass
class FeatureArguments:
    """Features, encoding and subgraph inputs as the command line names them.

    Args:
        features: What nodes enter with: a kind of features, or a file; or one and the encoding
            that joins it, as ``svd+given``.
        encoding: What joins the features: a kind of encoding, or a file.
        inputs: What subgraphs bring besides their nodes.
    """

    features: str | None = None
    encoding: str | None = None
    inputs: str | None = None
    encodings: Encoding | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._files: dict[str, tuple[Path, str | None]] = {}
        self.settings: dict[str, Any] = {}
        if self.features is not None and self.encoding is None:
            self.features, self.encoding = _split_sum(self.features)
        for option, (setting, kinds) in _OPTIONS.items():
            value = getattr(self, option)
            if value is None:
                continue
            if value in kinds:
                self.settings[setting] = value
            elif option == "inputs" or (file := _parse_file(value)) is None:
                hint = "" if option == "inputs" else " A file can be one too, as vectors.npy."
                raise ConfigError(f"--{option} cannot be {value!r}.{suggest(value, kinds)}{hint}")
            else:
                self._files[option] = file
        if "features" in self._files:
            self.settings["features.kind"] = "given"

    @property
    def file_options(self) -> set[str]:
        """Names of the options whose value is a file."""
        return set(self._files)

    @property
    def files(self) -> dict[str, str]:
        """The files as they were named, by option."""
        return {option: str(getattr(self, option)) for option in self._files}

    def with_settings(
        self,
        texts: list[str],
        coarsen: str | None = None,
        kinds: Iterable[type[Settings]] = (),
    ) -> dict[str, Any]:
        """Settings of options and of ``--set``; what has an option is not set twice.

        Args:
            texts: The values of ``--set``, as ``lr=0.01``.
            coarsen: Method and ratio of the virtual subgraphs.
            kinds: What models have for settings; those of the structures by default.
        """
        from ..coarsen import parse_coarsen
        from ..config import Config
        from ..config.settings import parse_setting

        changes = dict(parse_setting(text) for text in texts)
        kinds = tuple(kinds) or (Config,)
        own = self._settings_of(kinds)
        for option, (setting, _) in _OPTIONS.items():
            used = any(kind.has(setting) for kind in kinds)
            used = used or (option == "inputs" and _INPUTS_OF_OTHERS in own)
            if getattr(self, option) is not None and not used:
                raise ConfigError(f"no model that is asked for has a use for --{option}.")
        for name in ("structure", "conv"):
            if name in changes and Config in kinds:
                raise ConfigError(f"the {name} is chosen with --{name}.")
        taken = set(own)
        if coarsen is not None:
            parse_coarsen(coarsen)
            taken |= {"coarsening.method", "coarsening.ratio"}
        for name in _full_names(changes, kinds):
            if name in taken:
                raise ConfigError(f"{name} is set twice: by --set and by an option of its own.")
        return {**own, **changes}

    def _settings_of(self, kinds: tuple[type[Settings], ...]) -> dict[str, Any]:
        """The settings of the options, as models of these kinds call them."""
        own, name = dict(self.settings), _OPTIONS["inputs"][0]
        if self.inputs is not None:
            if any(kind.accepts(_INPUTS_OF_OTHERS, self.inputs) for kind in kinds):
                own[_INPUTS_OF_OTHERS] = self.inputs
            if not any(kind.has(name) for kind in kinds):
                del own[name]
        return own

    def read(self, task: SubgraphTask, *, all_nodes: bool = False) -> SubgraphTask:
        """Read the files; the task with the features of one of them.

        Args:
            task: The data whose nodes the files are about.
            all_nodes: Whether encodings, too, must cover nodes that no subgraph has.
        """
        if not self._files:
            return task
        from ..encode.encoding_files import load_encoding

        with progress():
            for option, (path, table) in self._files.items():
                vectors = load_encoding(path, task.graph, table)
                count = len(vectors.nodes)
                if count < task.graph.num_nodes and (all_nodes or option == "features"):
                    raise ConfigError(
                        f"{path} has vectors of {count:,} nodes, the graph has"
                        f" {task.graph.num_nodes:,}; {_plural(option)} are needed for all: s2n"
                        " encode --all-nodes."
                    )
                if option == "encoding":
                    self.encodings = vectors
                else:
                    task = replace(task, graph=replace(task.graph, features=vectors.values))
        return task


def _split_sum(text: str) -> tuple[str, str | None]:
    """``svd+given``, as notes call it, as features and encoding; other text as it is."""
    (_, kinds), (_, encodings) = _OPTIONS["features"], _OPTIONS["encoding"]
    first, plus, second = text.partition("+")
    for features, encoding in ((first, second), (second, first)):
        if plus and features in kinds and encoding in encodings:
            return features, encoding
    return text, None


def _plural(option: str) -> str:
    return "encodings" if option == "encoding" else option


def _full_names(names: Iterable[str], kinds: tuple[type[Settings], ...]) -> Iterator[str]:
    """Full names of settings that some model has."""
    for name in names:
        having = [kind for kind in kinds if kind.has(name)] or kinds[-1:]
        yield from (kind.full_name(name) for kind in having)


def _parse_file(text: str) -> tuple[Path, str | None] | None:
    """``FILE`` or ``FILE:TABLE``, where the text looks like one."""
    from ..encode.encoding_files import READ

    if Path(text).suffix in READ:
        return Path(text), None
    path, colon, table = text.rpartition(":")
    return (Path(path), table) if colon and table and Path(path).suffix in READ else None
