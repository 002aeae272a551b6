"""Which models a command asks for, and what each of its options means for each of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..base.errors import ConfigError, DataError, suggest
from .feature_arguments import FeatureArguments
from .output import warn
from .run_output import RunOutput

if TYPE_CHECKING:
    from ..config.settings import Settings
    from ..models.interface import Model, ModelSpec
    from ..task import SubgraphTask


def model_names(models: list[str], structure: str | None, *, all_models: bool) -> list[str | None]:
    """Names of models; None stands for what the preset says, or S2N+A."""
    from ..baselines import MODELS, NETWORKS, SIMPLE
    from ..config import STRUCTURES
    from ..config.best_settings import NAME as BEST

    if all_models and (models or structure is not None):
        raise ConfigError("--all compares all models; omit --model and --structure.")
    if models and structure is not None:
        raise ConfigError("--model and --structure are two ways to name a model; omit one.")
    if all_models:
        return [*SIMPLE, *STRUCTURES, *NETWORKS, BEST]  # the slow ones last
    known = (BEST, *MODELS, *STRUCTURES)
    for name in models:
        if name not in known:
            raise ConfigError(f"there is no model {name!r}.{suggest(name, known)}")
    if len(set(models)) < len(models):
        raise ConfigError("a model is named twice.")
    return list(models) or [structure]


@dataclass
class RequestedModels:
    """The models of a command, with the options that concern them.

    Of several models, each takes the options that it has a use for; an option that none has a use
    for is refused.

    Args:
        names: As :func:`model_names` gives them.
        conv: The convolution of the structures.
        preset: By name, or the path of a TOML file.
        changes: The values of ``--set``.
        coarsen: Method and ratio of the virtual subgraphs of CoS2N.
        device: ``auto``, ``cpu`` or ``cuda``.
        compile: ``auto`` or ``off``.
        output: The folder of the run, which also keeps states.
        features: Features, encoding and inputs.
        groups: The column by which the folds of ``best`` keep subgraphs together.
        minutes: How long ``best`` may take; None: as in its settings.
    """

    names: list[str | None]
    conv: str | None
    preset: str
    changes: list[str]
    coarsen: str | None
    device: str
    compile: str
    output: RunOutput
    features: FeatureArguments
    groups: str | None = None
    minutes: float | None = None

    def __post_init__(self) -> None:
        from ..config import is_coarsened
        from ..config.best_settings import NAME as BEST
        from ..config.preset_resolver import baseline_of

        if self.groups is not None and BEST not in self.names:
            raise ConfigError("--groups is for --model best, which has folds; omit it.")
        if self.minutes is not None:
            if BEST not in self.names:
                raise ConfigError("--minutes is for --model best; omit it.")
            self.changes = [*self.changes, f"minutes={self.minutes!r}"]
        self.preset_model = baseline_of(self.preset)
        if self.names == [None] and self.preset_model is not None and self.conv is None:
            self.names = [self.preset_model]
        structures = [name for name in self.names if not _is_baseline(name)]
        if self.conv is not None and not structures:
            raise ConfigError("--conv is for a structure, and none is asked for; omit it.")
        if self.coarsen is not None and self.several and not any(map(is_coarsened, structures)):
            raise ConfigError(
                "--coarsen is for cos2n+0 or cos2n+a, and none is asked for; omit it."
            )
        kinds = [settings_kind(name) for name in self.names]
        self.settings = self.features.with_settings(self.changes, self.coarsen, kinds)
        for key, value in self.settings.items():
            if not any(kind.accepts(key, value) for kind in kinds):
                having = [kind for kind in kinds if kind.has(key)]
                having[0]().with_settings({key: value})  # raises what is wrong with it

    @property
    def several(self) -> bool:
        """Whether models are compared."""
        return len(self.names) > 1

    def models(self, task: SubgraphTask) -> list[ModelSpec[Model]]:
        """The models that can be made; why the others cannot is printed."""
        specs: list[ModelSpec[Model]] = []
        failures: list[tuple[str | None, ConfigError]] = []
        if self.coarsen and task.num_virtual:
            raise ConfigError("the data brings virtual subgraphs; omit --coarsen.")
        if self.groups is not None:
            task.attributes.require(self.groups)  # raises before anything is trained
        presets = self._presets(task)
        for name in self.names:
            try:
                specs.append(self._find_model(task, name, presets[name]))
            except ConfigError as error:
                failures.append((name, error))
        refused = [reason for name, reason in failures if not _is_baseline(name)]
        if refused and len(refused) == sum(not _is_baseline(name) for name in self.names):
            raise refused[0]  # every structure is refused: what they share is wrong
        if not specs:
            raise failures[0][1]
        for name, reason in failures:
            warn(f"{name}: {reason}")
        return specs

    def _find_model(self, task: SubgraphTask, name: str | None, preset: str) -> ModelSpec[Model]:
        from ..config import is_coarsened
        from ..models.find import find_model, with_groups

        baseline, settings, encodings = _is_baseline(name), self.settings, self.features.encodings
        if self.several:
            kind = settings_kind(name)
            is_wanted = kind.accepts if baseline else lambda key, _: kind.has(key)
            settings = {key: value for key, value in settings.items() if is_wanted(key, value)}
            encodings = encodings if kind.has("features.encoding") else None
        takes_coarsening = not self.several or is_coarsened(name)
        spec = find_model(
            task,
            name if baseline else None,
            structure=None if baseline else name,
            conv=None if baseline and self.several else self.conv,
            preset=preset,
            settings=settings,
            coarsen=self.coarsen if takes_coarsening else None,
            device=self.device,
            encodings=encodings,
            checkpoint=self.output.states,
            resume=self.output.resume,
            compile=self.compile,  # type: ignore[arg-type]  # checked there
        )
        return with_groups(spec, self.groups)

    def _presets(self, task: SubgraphTask) -> dict[str | None, str]:
        """The preset of each model: of several, the default of those that do not have it."""
        from ..baselines import SIMPLE

        if not self.several or self.preset == "default":
            return dict.fromkeys(self.names, self.preset)
        reasons = {name: self._why_preset_is_missing(name, task) for name in self.names}
        lacking = {name: error for name, error in reasons.items() if error is not None}
        if len(lacking) == len(self.names):
            raise next(iter(lacking.values()))
        # Simple models have no other presets than the default, so nothing is surprising there.
        expected = () if self.preset.endswith(".toml") else SIMPLE
        surprising = [str(name) for name in lacking if name not in expected]
        if surprising:
            warn(f"{', '.join(surprising)}: no preset {self.preset!r}; the default is used.")
        return {name: "default" if name in lacking else self.preset for name in self.names}

    def _why_preset_is_missing(self, name: str | None, task: SubgraphTask) -> ConfigError | None:
        """Why a model has no such preset; None where it has, or a structure will say so."""
        from ..models import find_baseline

        if self.preset_model not in (None, name):
            return ConfigError(f"{self.preset} has no settings for {name}.")
        if not _is_baseline(name):
            return None
        try:
            find_baseline(str(name), self.preset, task)
        except (ConfigError, DataError) as error:
            return ConfigError(str(error))
        return None


def _is_baseline(name: str | None) -> bool:
    from ..baselines import MODELS
    from ..config.best_settings import NAME as BEST

    return name in MODELS or name == BEST


def settings_kind(name: str | None) -> type[Settings]:
    """The class of a model's settings."""
    from ..baselines import MODELS
    from ..config import Config
    from ..config.best_settings import NAME as BEST
    from ..config.best_settings import BestSettings

    if name == BEST:
        return BestSettings
    return MODELS[name].settings if name in MODELS else Config


def split_model_name(model: str | None, structure: str | None) -> tuple[str | None, str | None]:
    """The name of a model that is no structure, and the structure.

    Args:
        model: The value of ``--model``: a structure, or another model.
        structure: The value of ``--structure``.
    """
    from ..config import STRUCTURES

    if model is None:
        return None, structure
    (name,) = model_names([model], structure, all_models=False)
    return (None, name) if name in STRUCTURES else (name, None)
