"""Which models a command asks for, and what each of its options means for each of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import ConfigError, DataError, suggest
from .output import errors, say
from .place import Place
from .tables import Tables

if TYPE_CHECKING:
    from ..settings import Settings
    from ..task import SubgraphTask

Found = tuple[Any, str, tuple[str, ...]]  # a model, the name of its preset, what to know


def asked_names(models: list[str], structure: str | None, everything: bool) -> list[str | None]:
    """Names of models; None stands for what the preset says, or S2N+A."""
    from ..baselines import MODELS, NETWORKS, SIMPLE
    from ..config import STRUCTURES

    if everything and (models or structure is not None):
        raise ConfigError("--all compares all models; leave out --model and --structure.")
    if models and structure is not None:
        raise ConfigError("--model and --structure are two ways to say which; leave out one.")
    if everything:
        return [*SIMPLE, *STRUCTURES, *NETWORKS]  # the slow ones last
    for name in models:
        if name not in MODELS and name not in STRUCTURES:
            known = (*MODELS, *STRUCTURES)
            raise ConfigError(f"there is no model {name!r}.{suggest(name, known)}")
    if len(set(models)) < len(models):
        raise ConfigError("a model is named twice.")
    return list(models) or [structure]


@dataclass
class Asked:
    """The models of a command, with the options that concern them.

    Of several models, each takes the options that it has a use for; an option that none has a use
    for is refused.
    """

    names: list[str | None]
    conv: str | None
    preset: str
    words: list[str]
    coarsen: str | None
    device: str
    compile: str
    place: Place
    tables: Tables

    def __post_init__(self) -> None:
        from ..train import baseline_of

        self.meant = baseline_of(self.preset)
        if self.names == [None] and self.meant is not None and self.conv is None:
            self.names = [self.meant]
        structures = [name for name in self.names if not self._other(name)]
        self._require(self.conv is None or structures, "--conv", "a structure")
        bridged = not self.several or any(str(name).startswith("cos2n") for name in structures)
        self._require(self.coarsen is None or bridged, "--coarsen", "cos2n+0 or cos2n+a")
        kinds = [self._kind(name) for name in self.names]
        self.settings = self.tables.with_settings(self.words, self.coarsen, kinds)
        for key, value in self.settings.items():
            if not any(kind.accepts(key, value) for kind in kinds):
                having = [kind for kind in kinds if kind.has(key)]
                having[0]().with_settings({key: value})  # raises what is wrong with it

    @property
    def several(self) -> bool:
        """Whether models are compared."""
        return len(self.names) > 1

    def models(self, task: SubgraphTask) -> list[Found]:
        """The models that can be made; what is wrong with the others is said."""
        found: list[Found] = []
        failed: list[tuple[str | None, ConfigError]] = []
        if self.coarsen and task.num_virtual:
            raise ConfigError("the data brings virtual subgraphs; leave the coarsening away.")
        presets = self._presets(task)
        for name in self.names:
            try:
                found.append(self._model(task, name, presets[name]))
            except ConfigError as error:
                failed.append((name, error))
        refused = [why for name, why in failed if not self._other(name)]
        if refused and len(refused) == sum(not self._other(name) for name in self.names):
            raise refused[0]  # no structure goes along: what they share is wrong
        if not found:
            raise failed[0][1]
        for name, why in failed:
            say("Beware", f"{name}: {why}", style="yellow", to=errors)
        return found

    def _other(self, name: str | None) -> bool:
        """Whether this is no structure."""
        from ..baselines import MODELS

        return name in MODELS

    def _kind(self, name: str | None) -> type[Settings]:
        """The kind of settings of a model."""
        from ..baselines import MODELS
        from ..config import Config

        return MODELS[name].settings if name in MODELS else Config

    def _require(self, fine: Any, option: str, what: str) -> None:
        if not fine:
            raise ConfigError(f"{option} is for {what}, which is not asked for; leave it out.")

    def _model(self, task: SubgraphTask, name: str | None, preset: str) -> Found:
        from ..evaluate.protocol import find_model

        other, settings, encodings = self._other(name), self.settings, self.tables.encodings
        if self.several:
            kind = self._kind(name)
            wanted = kind.accepts if other else lambda key, _: kind.has(key)
            settings = {key: value for key, value in settings.items() if wanted(key, value)}
            encodings = encodings if kind.has("features.encoding") else None
        bridges = not self.several or str(name).startswith("cos2n")
        return find_model(
            task, name if other else None, structure=None if other else name,
            conv=None if other and self.several else self.conv, preset=preset, settings=settings,
            coarsen=self.coarsen if bridges else None, device=self.device, encodings=encodings,
            checkpoint=self.place.states, resume=self.place.resume, compile=self.compile,
        )  # fmt: skip

    def _presets(self, task: SubgraphTask) -> dict[str | None, str]:
        """The preset of each model: of several, the default of those that do not have it."""
        from ..baselines import SIMPLE

        if not self.several or self.preset == "default":
            return dict.fromkeys(self.names, self.preset)
        why = {name: self._lacks(name, task) for name in self.names}
        lacking = {name: error for name, error in why.items() if error is not None}
        if len(lacking) == len(self.names):
            raise next(iter(lacking.values()))
        known = () if self.preset.endswith(".toml") else SIMPLE  # those have no other presets
        told = [str(name) for name in lacking if name not in known]
        if told:
            words = f"{', '.join(told)}: no preset {self.preset!r}; the default is used."
            say("Beware", words, style="yellow", to=errors)
        return {name: "default" if name in lacking else self.preset for name in self.names}

    def _lacks(self, name: str | None, task: SubgraphTask) -> ConfigError | None:
        """Why a model has no such preset; None where it has, or a structure will say so."""
        from ..train import find_baseline

        if self.meant not in (None, name):
            return ConfigError(f"{self.preset} has no settings for {name}.")
        if not self._other(name):
            return None
        try:
            find_baseline(str(name), self.preset, task)
        except (ConfigError, DataError) as error:
            return ConfigError(str(error))
        return None
