"""Named settings: TOML files that come with the package, or the user's own."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from ..config import STRUCTURES, Config
from ..errors import ConfigError, DataError, suggest
from ..settings import flatten
from ..task import SubgraphTask

NAMES = ("default", "fast", "paper", "tuned")
_LISTED = ("paper", "tuned")  # settings by dataset
_FOLDER = files("sub2node") / "presets"


@dataclass(frozen=True)
class Preset:
    """Settings and what to know about them.

    Args:
        name: As asked for.
        candidates: The settings (a :class:`Config`, or those of a baseline); where there are
            several, validation decides.
        notes: One sentence each, to be shown with any result.
        joined: Whether it says itself how encodings join the features.
    """

    name: str
    candidates: tuple[Any, ...]
    notes: tuple[str, ...] = ()
    joined: bool = False

    @property
    def config(self) -> Any:
        """The settings, or the first candidate."""
        return self.candidates[0]

    def with_settings(self, settings: Mapping[str, Any]) -> Preset:
        """The preset with single settings replaced; a choice of features leaves one candidate."""
        changed = tuple(config.with_settings(settings) for config in self.candidates)
        given = settings.get("features.kind", settings.get("kind"))
        if given is not None and len(changed) > 1:
            constant = [config.features.kind == "constant" for config in self.candidates]
            same = [c for c, is_constant in zip(changed, constant, strict=True)
                    if is_constant == (given == "constant")]  # fmt: skip
            changed = tuple(same[:1] or changed[:1])
        asked = {"encoding", "features.encoding"} & set(settings) or not self.joined
        if asked and not {"join", "features.join"} & set(settings):
            changed = tuple(map(_joined, changed))
        return replace(self, candidates=changed)


def _joined(config: Any) -> Any:
    """With the way that an encoding joins these features: as published, where that is possible."""
    features = getattr(config, "features", None)
    if features is None or features.encoding == "none" or not hasattr(features, "join"):
        return config
    join = "add"
    if features.kind == "constant":
        join = "share" if features.width > 1 else "concat"
    elif features.encoding == "structure":  # has few columns, and means nothing when added
        join = "concat"
    return config.with_settings({"features.join": join})


def find_preset(
    name: str, task: SubgraphTask, structure: str | None = None, conv: str | None = None
) -> Preset:
    """Settings by name for a structure and a convolution.

    Args:
        name: ``default``, ``fast``, ``paper`` (the published settings for this dataset), ``tuned``
            (the winners of ``s2n tune`` for it), ``paper:ppi_bp`` and ``tuned:ppi_bp`` (those for
            another one), or the path of a TOML file, such as the ``config.toml`` of a run.
        task: The data they are for.
        structure: How subgraphs are presented to the model; None: as in the file, or s2n+a.
        conv: The convolution by name; None: as in the file, or gcn2.
    """
    given = {"structure": structure, "conv": conv}
    base = Config().with_settings({k: v for k, v in given.items() if v is not None})
    kind, _, dataset = name.partition(":")
    if name.endswith(".toml"):
        return _own(name, {k: v for k, v in given.items() if v is not None})
    if kind not in NAMES or (dataset and kind not in _LISTED):
        raise ConfigError(
            f"there is no preset {name!r}.{suggest(kind, NAMES)} A TOML file can be one too."
        )
    if kind in _LISTED:
        return _listed(name, dataset or task.name, base, task)
    trees = [_read("default")] + [_read(kind)] * (kind != "default")
    kinds = {"identity": "random" if task.graph.features is None else "given", "shape": "constant"}
    candidates = []
    for section, features in kinds.items():
        settings: dict[str, Any] = {}
        for tree in trees:  # others say only what differs from the default
            settings |= dict(flatten(tree.get("all", {}))) | dict(flatten(tree.get(section, {})))
        candidates.append(base.with_settings({**settings, "features.kind": features}))
    return Preset(name, tuple(candidates))


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((_FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


def published(kind: str = "paper") -> dict[str, list[str]]:
    """Convolutions with published settings (or ``tuned`` ones), and for each the datasets."""
    return {
        family.name: sorted(entry.name.removesuffix(".toml") for entry in family.iterdir())
        for family in sorted((_FOLDER / kind).iterdir(), key=lambda entry: entry.name)
    }


def _listed(name: str, dataset: str, base: Config, task: SubgraphTask) -> Preset:
    """Settings of the paper, or of our own searches, for a dataset."""
    kind = name.partition(":")[0]
    known, whose = published(kind), {"paper": "the paper", "tuned": "our search"}[kind]
    if base.conv not in known:
        raise ConfigError(
            f"{whose} has no settings for the convolution {base.conv!r}; it has some for"
            f" {', '.join(known)}. Use --preset default."
        )
    if dataset not in known[base.conv]:
        raise ConfigError(
            f"{whose} has no settings for {dataset or 'this data'!r} with {base.conv}; it has"
            f" some for {', '.join(known[base.conv])}: say {kind}:NAME to use those of one of them,"
            " or --preset default."
        )
    tree = _read(f"{kind}/{base.conv}/{dataset}")
    if base.structure not in tree:
        raise ConfigError(
            f"{whose} has no settings for {base.structure} with {base.conv} on {dataset}; it has"
            f" some for {', '.join(tree)}."
        )
    section = tree[base.structure]
    word = {"paper": "published", "tuned": "tuned"}[kind]
    notes = [f"{word} settings: {note}." for note in section.pop("notes")]
    config = base.with_settings(dict(flatten(section)))
    if config.features.kind == "given" and task.graph.features is None:
        config = config.with_settings({"features.kind": "random"})
        whose = "published runs" if kind == "paper" else "searches"
        notes.append(
            f"the {whose} had pre-trained node embeddings; this graph has none, so vectors start at"
            " random."
        )
    return Preset(name, (config,), tuple(notes), "features.join" in dict(flatten(section)))


def read_toml(name: str) -> Mapping[str, Any]:
    """A preset file of the user's own."""
    path = Path(name)
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"there is no preset file {name!r}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"this is not TOML ({error}).", path=path) from None
    except OSError as error:
        raise ConfigError(f"{name} cannot be read: {error.strerror}.") from None


def own_notes(name: str, settings: dict[str, Any]) -> tuple[str, ...]:
    """Take the notes out of the settings of a file."""
    notes = settings.pop("notes", [])
    if not isinstance(notes, list) or not all(isinstance(note, str) for note in notes):
        raise DataError(f"notes are a list of sentences, found {notes!r}.", path=name)
    return tuple(f"{name}: {note}." for note in notes)


def _own(name: str, given: dict[str, str]) -> Preset:
    tree = read_toml(name)
    sections = [structure for structure in STRUCTURES if isinstance(tree.get(structure), dict)]
    if sections:  # settings for several structures, as those of the paper are kept
        wanted = given.get("structure", sections[0])
        if wanted not in sections:
            raise ConfigError(
                f"{name} has no settings for {wanted!r}; it has some for {', '.join(sections)}."
            )
        rest = {key: value for key, value in tree.items() if key not in sections}
        tree = {**dict(flatten(rest)), **dict(flatten(tree[wanted]))}  # what is above holds for all
        given = {**given, "structure": wanted}
    settings = dict(flatten(tree))
    notes = own_notes(name, settings)
    try:
        config = Config().with_settings({**settings, **given})
        return Preset(name, (config,), notes, "features.join" in settings)
    except ConfigError as error:
        raise DataError(str(error), path=name) from None
