"""Named settings: TOML files that come with the package, or the user's own."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from itertools import product
from pathlib import Path
from typing import Any, Generic, TypeVar

from ..base.errors import ConfigError, DataError, suggest
from ..base.regular_files import require_regular_file
from ..base.structured_text import parse_toml
from .config import Config
from .settings import Settings, SettingsTree, flatten
from .structure import STRUCTURES

NAMES = ("default", "fast", "paper", "tuned")
_FOLDER = files("sub2node") / "config" / "presets"
_ADJECTIVES = {"paper": "published", "tuned": "tuned"}

# The graph's features beside other vectors of a node.
_BESIDE = {
    "features.encoding": "given",
    "features.join": "concat",
    "features.scaling": "standard",
}

S = TypeVar("S", bound=Settings)


@dataclass(frozen=True)
class Preset(Generic[S]):
    """Settings and what to know about them.

    Args:
        name: The name it was asked for by.
        candidates: The settings; where there are several, validation decides.
        notes: One sentence each, to be shown with any result.
        joined: Whether the preset itself says how encodings join the features.
    """

    name: str
    candidates: tuple[S, ...]
    notes: tuple[str, ...] = ()
    joined: bool = False

    @property
    def config(self) -> S:
        """The settings, or the first candidate."""
        return self.candidates[0]

    def with_settings(self, settings: Mapping[str, object]) -> Preset[S]:
        """The preset with single settings replaced; a choice of features leaves one candidate."""
        candidates = self.candidates
        if {"encoding", "features.encoding"} & set(settings):
            candidates = self.without_given().candidates
        changed = tuple(config.with_settings(settings) for config in candidates)
        kind = settings.get("features.kind", settings.get("kind"))
        if kind is not None and len(changed) > 1:
            kinds = [_features(config).kind for config in candidates]
            if kind not in kinds:  # vectors of another kind: as the first ones, not as constants
                kind = kinds[0]
            changed = (changed[kinds.index(kind)],)
        open_join = {"encoding", "features.encoding"} & set(settings) or not self.joined
        if open_join and not {"join", "features.join"} & set(settings):
            changed = tuple(map(_with_usual_join, changed))
        return replace(self, candidates=changed)

    def without_given(self) -> Preset[S]:
        """Without the candidates that have the graph's features beside vectors of another kind."""
        if len(self.candidates) == 1:
            return self
        others = [config for config in self.candidates if _features(config).encoding != "given"]
        return replace(self, candidates=tuple(others))


@dataclass(frozen=True)
class PresetFamily(Generic[S]):
    """What the resolver has to know about a kind of model.

    Args:
        settings: The class of its settings.
        baseline: The name of a baseline; empty: networks of the structures, whose published and
            tuned settings are files by convolution and dataset.
        file: The file of a baseline's presets; empty: it has its default only. What the file says
            of settings that the baseline does not have is ignored, since models share files.
    """

    settings: type[S]
    baseline: str = ""
    file: str = ""

    @property
    def by_dataset(self) -> tuple[str, ...]:
        """Presets that have settings for some datasets each."""
        return ("paper",) if self.baseline else ("paper", "tuned")

    def read(self) -> SettingsTree:
        """Sections ``all``, ``identity``, ``random``, ``shape``; ``fast`` has the same inside."""
        if not self.baseline:
            return {**_read_preset_file("default"), "fast": _read_preset_file("fast")}
        return _read_preset_file(f"baselines/{self.file}") if self.file else {}

    def flat(self, section: SettingsTree) -> SettingsTree:
        """A section's settings by full name."""
        pairs = flatten(section)
        return {k: v for k, v in pairs if not self.baseline or self.settings.has(k)}


NETWORKS = PresetFamily(Config)


def resolve_preset(
    name: str,
    family: PresetFamily[S],
    *,
    dataset: str,
    has_features: bool,
    chosen: Mapping[str, str] | None = None,
) -> Preset[S]:
    """Settings by name.

    Args:
        name: ``default``, ``fast``, ``paper`` (the published settings for this dataset), ``tuned``
            (the winners of ``s2n tune`` for it), ``paper:ppi_bp`` and ``tuned:ppi_bp`` (those for
            another one), or the path of a TOML file, such as the ``config.toml`` of a run.
        family: The kind of model they are for.
        dataset: The name of the data they are for.
        has_features: Whether the nodes of its graph have features.
        chosen: Settings that hold whatever the preset says: a network's structure and convolution.
    """
    chosen = chosen or {}
    base = family.settings().with_settings(chosen)
    if name.endswith(".toml"):
        return _user_preset(name, family, chosen)
    kind, _, other = name.partition(":")
    if kind not in NAMES or (other and kind not in family.by_dataset):
        raise ConfigError(
            f"there is no preset {name!r}.{suggest(kind, NAMES)} A TOML file can be one too."
        )
    tree = family.read()
    if not tree and kind != "default":
        raise ConfigError(
            f"{family.baseline} has no settings but its default; omit the preset {kind!r}."
        )
    if kind not in family.by_dataset:
        candidates = _dataset_free_candidates(
            tree, base, family=family, kind=kind, has_features=has_features
        )
        return Preset(name, tuple(candidates))
    if isinstance(base, Config):
        section = _network_section(kind, other or dataset, base)
    else:
        section = _baseline_section(tree[kind], other or dataset, family.baseline)
    notes = [f"{_ADJECTIVES[kind]} settings: {note}." for note in section.pop("notes", [])]
    settings = family.flat(section)
    config = base.with_settings(settings)
    if _features(config).kind == "given" and not has_features:
        config = config.with_settings({"features.kind": "random"})
        whose = "published runs" if kind == "paper" else "searches"
        notes.append(
            f"the {whose} had pre-trained node embeddings; this graph has none, so vectors start at"
            " random."
        )
    return Preset(name, (config,), tuple(notes), "features.join" in settings)


def published(kind: str = "paper") -> dict[str, list[str]]:
    """Convolutions with published settings (or ``tuned`` ones), and for each the datasets."""
    return {
        family.name: sorted(entry.name.removesuffix(".toml") for entry in family.iterdir())
        for family in sorted((_FOLDER / kind).iterdir(), key=lambda entry: entry.name)
    }


def baseline_of(preset: str) -> str | None:
    """The baseline that a TOML file has settings for; None where it is no such file."""
    if not preset.endswith(".toml"):
        return None
    baseline = _read_user_file(preset).get("baseline")
    return None if baseline is None else str(baseline)


def refuse_import_path(
    name: object,
    source: str,
    advice: str = "name it yourself (--conv, conv=…) if you trust it",
    *,
    what: str = "convolution",
) -> None:
    """Raise where a file names code by import path: data never says which code to load.

    Args:
        name: The convolution, or whatever else the file names.
        source: The file, for the message.
        advice: What to do instead.
        what: What is named.
    """
    if isinstance(name, str) and ":" in name:
        raise ConfigError(
            f"{source} names the {what} {name!r}; a file never says which code to import: {advice}."
        )


def refuse_own_te(
    config: Any,
    source: str,
    advice: str = "use edges, shared_nodes or shortest_path there, and name it yourself"
    " (--set translation.te=…) if you trust it",
) -> None:
    """Raise where settings of a file name edge weights that would have to be imported."""
    if isinstance(config, Config):
        refuse_import_path(config.translation.te, source, advice, what="T_e")


def _read_preset_file(name: str) -> SettingsTree:
    return tomllib.loads((_FOLDER / f"{name}.toml").read_text(encoding="utf-8"))


def _features(config: Any) -> Any:
    return config.features


def _with_usual_join(config: S) -> S:
    """With the way that an encoding joins these features: as published, where that is possible."""
    features = getattr(config, "features", None)
    if features is None or features.encoding == "none" or not hasattr(features, "join"):
        return config
    join = "add"
    if features.kind == "constant":
        join = "share" if features.width > 1 else "concat"
    elif features.encoding in ("structure", "given"):  # which mean nothing when added
        join = "concat"
    return config.with_settings({"features.join": join})


def _dataset_free_candidates(
    tree: SettingsTree, base: S, *, family: PresetFamily[S], kind: str, has_features: bool
) -> list[S]:
    """Candidates with a vector for each node and with constants; one where there is no tree.

    Networks have two kinds of vectors: ``identity``, and ``random``, which says what differs from
    it. Where nodes have features, a network is also tried with these beside the first vectors, and
    beside the constants; a baseline has them instead of the vectors.
    """
    if not tree:
        use = has_features and family.settings.has("features.encoding")
        return [base.with_settings({"features.encoding": "given"} if use else {})]
    layers = [tree, *([tree["fast"]] if kind == "fast" else [])]  # says only what differs
    candidates = []
    for sections in (("identity",), ("identity", "random"), ("shape",)):
        if sections[-1] == "random" and "random" not in tree:
            continue
        settings: SettingsTree = {"features.kind": "random"}
        for layer, section in product(layers, ("all", *sections)):
            settings |= family.flat(layer.get(section, {}))
        if "shape" in sections:
            settings["features.kind"] = "constant"
        elif has_features and family.baseline:
            settings |= {"features.kind": "given", "features.scaling": "standard"}
        candidates.append(base.with_settings(settings))
    if has_features and not family.baseline:
        beside = (candidates[0], candidates[-1])
        candidates += [config.with_settings(_BESIDE) for config in beside]
    return candidates


def _network_section(kind: str, dataset: str, base: Config) -> SettingsTree:
    """Settings of the paper, or of our own searches, for a dataset."""
    covered, whose = published(kind), {"paper": "the paper", "tuned": "our search"}[kind]
    if base.conv not in covered:
        raise ConfigError(
            f"{whose} has no settings for the convolution {base.conv!r}; it has some for"
            f" {', '.join(covered)}. Use --preset default."
        )
    if dataset not in covered[base.conv]:
        raise ConfigError(
            f"{whose} has no settings for {dataset or 'this data'!r} with {base.conv}; it has"
            f" some for {', '.join(covered[base.conv])}: say {kind}:NAME to use those of one of"
            " them, or --preset default."
        )
    tree = _read_preset_file(f"{kind}/{base.conv}/{dataset}")
    if base.structure not in tree:
        raise ConfigError(
            f"{whose} has no settings for {base.structure} with {base.conv} on {dataset}; it has"
            f" some for {', '.join(tree)}."
        )
    return dict(tree[base.structure])


def _baseline_section(sections: SettingsTree, dataset: str, baseline: str) -> SettingsTree:
    """Published settings of a baseline for a dataset."""
    if dataset not in sections:
        raise ConfigError(
            f"there are no published settings of {baseline} for {dataset or 'this data'!r}; there"
            f" are some for {', '.join(sections)}: say paper:NAME to use those of one of them, or"
            " --preset default."
        )
    return dict(sections[dataset])


def _read_user_file(name: str) -> SettingsTree:
    path = Path(name)
    if path.exists():
        require_regular_file(path)
    try:
        return parse_toml(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"there is no preset file {name!r}.") from None
    except ValueError as error:
        raise DataError(f"this is not TOML ({error}).", path=path) from None
    except OSError as error:
        raise ConfigError(f"{name} cannot be read: {error.strerror}.") from None


def _user_preset(name: str, family: PresetFamily[S], chosen: Mapping[str, str]) -> Preset[S]:
    tree = _read_user_file(name)
    if family.baseline:
        baseline = tree.pop("baseline", family.baseline)
        if baseline != family.baseline:
            raise ConfigError(f"{name} has settings for {baseline!r}, not for {family.baseline!r}.")
    else:
        tree, chosen = _structure_section(name, tree, chosen)
    settings = dict(flatten(tree))
    notes = settings.pop("notes", [])
    if not isinstance(notes, list) or not all(isinstance(note, str) for note in notes):
        raise DataError(f"notes are a list of sentences, found {notes!r}.", path=name)
    try:
        config = family.settings().with_settings({**settings, **chosen})
    except ConfigError as error:
        raise DataError(str(error), path=name) from None
    if "conv" not in chosen:
        refuse_import_path(getattr(config, "conv", None), name)
    refuse_own_te(config, name)
    sentences = tuple(f"{name}: {note}." for note in notes)
    return Preset(name, (config,), sentences, "features.join" in settings)


def _structure_section(
    name: str, tree: SettingsTree, chosen: Mapping[str, str]
) -> tuple[SettingsTree, Mapping[str, str]]:
    """The settings of one structure, where a file has some for several."""
    sections = [name for name in STRUCTURES if isinstance(tree.get(name), dict)]
    if not sections:
        return tree, chosen
    structure = chosen.get("structure", sections[0])
    if structure not in sections:
        raise ConfigError(
            f"{name} has no settings for {structure!r}; it has some for {', '.join(sections)}."
        )
    rest = {key: value for key, value in tree.items() if key not in sections}
    tree = {**dict(flatten(rest)), **dict(flatten(tree[structure]))}  # what is above holds for all
    return tree, {**chosen, "structure": structure}
