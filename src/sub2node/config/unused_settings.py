"""Settings that have no effect beside others: of another structure, convolution or kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from ..base.notes import Note, NoteKind
from .config import Config, NodeFeatureSettings, TrainingSettings

_OF_CONVOLUTION = {
    "alpha": ("gcn2",),
    "theta": ("gcn2",),
    "shared_weights": ("gcn2",),
    "heads": ("gatv2",),
    "train_eps": ("gin",),
    "eps": ("fagcn",),
}


def unused_settings(settings: Any, names: Iterable[str], *, encoded: bool = False) -> list[str]:
    """Those of the named settings that nothing reads.

    Args:
        settings: All settings of a network or of a baseline.
        names: Settings that somebody chose, by any of their names.
        encoded: Whether the caller brings columns of node features.
    """
    chosen = [type(settings).full_name(name) for name in names]
    prefixes = tuple(_unread(settings, encoded))
    return [name for name in dict.fromkeys(chosen) if name in prefixes or _within(name, prefixes)]


def unused_note(
    candidates: Sequence[Any], names: Iterable[str], model: str, *, encoded: bool = False
) -> tuple[Note, ...]:
    """The warning that names chosen settings which no candidate reads; none where all are read.

    Args:
        candidates: Settings to train with.
        names: Settings that somebody chose, by any of their names.
        model: What tables call the model.
        encoded: Whether the caller brings columns of node features.
    """
    chosen = tuple(names)
    parts = [unused_settings(each, chosen, encoded=encoded) for each in candidates]
    unused = [name for name in parts[0] if all(name in part for part in parts)]
    if not unused:
        return ()
    have, them = ("have", "them") if len(unused) > 1 else ("has", "it")
    settings = f"the setting{'s' if len(unused) > 1 else ''} {', '.join(unused)}"
    return (Note(NoteKind.NO_EFFECT, f"{settings} {have} no effect on {model}; omit {them}."),)


def _within(name: str, prefixes: tuple[str, ...]) -> bool:
    return any(name.startswith(f"{prefix}.") for prefix in prefixes)


def _unread(settings: Any, encoded: bool) -> Iterator[str]:
    """Full names of settings, and of sections, that are not read."""
    if isinstance(settings, Config):
        yield from _unread_by_network(settings)
    if isinstance(getattr(settings, "features", None), NodeFeatureSettings):
        yield from _unread_features(settings.features, encoded)
    training = getattr(settings, "training", None)
    if isinstance(training, TrainingSettings) and training.plateau_factor == 1:
        yield from ("training.plateau_patience", "training.min_lr")


def _unread_by_network(config: Config) -> Iterator[str]:
    structure, model, translation = config.structure, config.model, config.translation
    if not structure.translated:
        yield "translation"
    if translation.te != "edges":
        yield from ("translation.self_loops", "translation.direction")
    if translation.te != "shortest_path":
        yield "translation.max_distance"
    if not translation.weighted:
        yield "translation.delta"
    if not structure.coarsened:
        yield "coarsening"
    if not config.coarsening.method.startswith("variation"):
        yield "coarsening.averaging"
    if not structure.inner:
        yield from ("model.inner_layers", "model.inner")
    for encoder, layers in (("outer", model.layers), ("inner", model.inner_layers)):
        if layers == 0:
            yield f"model.{encoder}"
        for name, convolutions in _OF_CONVOLUTION.items():
            if config.conv not in convolutions:
                yield f"model.{encoder}.{name}"
    if model.layers == 0 and (not structure.inner or model.inner_layers == 0):
        yield from ("model.batch_norm", "model.skip", "model.edge_dropout")


def _unread_features(features: NodeFeatureSettings, encoded: bool) -> Iterator[str]:
    kind = features.kind
    if kind != "constant":
        yield "features.value"
    if kind not in ("random", "link", "svd"):
        yield "features.scale"
    if kind == "svd":
        names = type(features.pretraining).__dataclass_fields__
        yield from (f"features.pretraining.{name}" for name in names if name != "seed")
    elif kind != "link":
        yield "features.pretraining"
    if kind == "given":
        yield "features.width"
    encoded = encoded or features.encoding != "none"
    if not encoded:
        yield from ("features.join", "features.sign_flips")
        if kind != "given":
            yield "features.scaling"
    if features.encoding not in ("rwpe", "lappe"):
        yield "features.encoding_width"
