"""A convolution of PyG or of the user, run replica by replica."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Any

import torch
from torch import Tensor, nn

from ..base.errors import ConfigError, MissingExtraError, suggest
from ..config import ConvolutionSettings
from .adjacency import Adjacency
from .convolutions import CONVOLUTIONS, MakeConvolution
from .streams import Init, Streams


class CustomConvolution(nn.Module):
    """R modules with ``forward(x, edge_index[, edge_weight or edge_attr])``, side by side.

    A dropped edge is gone from the list. What the modules draw themselves (their own dropout)
    comes from the replica's stream.
    """

    def __init__(
        self, make: Callable[..., nn.Module], width: int, weighted: bool, init: Init
    ) -> None:
        super().__init__()
        options = {"edge_dim": 1} if weighted and "edge_dim" in _parameters(make) else {}
        parts = []
        for seed in init.integers():
            with torch.random.fork_rng(devices=[]):
                torch.manual_seed(seed)
                parts.append(make(width, width, **options))
        self.replicas = nn.ModuleList(parts)
        if not isinstance(parts[0], nn.Module):
            raise ConfigError(f"the convolution made a {type(parts[0]).__name__}, no module.")
        names = _parameters(parts[0].forward)
        self.weight_name = next((n for n in ("edge_weight", "edge_attr") if n in names), None)
        self.streams: Streams | None = None

    def forward(self, x: Tensor, first: Tensor, graph: Adjacency) -> Tensor:
        """(R, n, F) → (R, n, F)."""
        drawing = self.training and self.streams is not None
        seeds = self.streams.integers() if drawing and self.streams else [0] * len(x)
        parts = []
        for r, (part, module) in enumerate(zip(x, self.replicas, strict=True)):
            edges, weights = graph.edge_list(r)
            options = {}
            if self.weight_name is not None and graph.weighted:
                shaped = weights.unsqueeze(-1) if self.weight_name == "edge_attr" else weights
                options[self.weight_name] = shaped
            devices = [x.device] if x.is_cuda else []
            with torch.random.fork_rng(devices=devices, enabled=drawing):
                if drawing:
                    torch.manual_seed(seeds[r])
                try:
                    out = module(part, edges, **options)
                except Exception as error:  # a user's code may raise anything
                    raise ConfigError(
                        f"the convolution {type(module).__name__} cannot be called as conv(x,"
                        f" edge_index{''.join(', ' + name for name in options)}): {error}."
                    ) from error
            if not isinstance(out, Tensor) or out.shape != part.shape:
                kind = tuple(out.shape) if isinstance(out, Tensor) else type(out).__name__
                raise ConfigError(
                    f"the convolution {type(module).__name__} gave {kind}, expected vectors of"
                    f" shape {tuple(part.shape)}."
                )
            parts.append(out)
        return torch.stack(parts)


def _parameters(call: Callable[..., Any]) -> set[str]:
    return set(inspect.signature(call).parameters)


def find_convolution(conv: str | Callable[..., nn.Module]) -> MakeConvolution:
    """A convolution by name: one of ours, or ``module:Class`` of another package.

    Raises:
        ConfigError: There is none of this name.
    """
    if isinstance(conv, str) and conv in CONVOLUTIONS:
        return CONVOLUTIONS[conv]
    make = _import_class(conv) if isinstance(conv, str) else conv

    def build(
        width: int, settings: ConvolutionSettings, *, layer: int, weighted: bool, init: Init
    ) -> nn.Module:
        try:
            return CustomConvolution(make, width, weighted, init)
        except (TypeError, ValueError, AttributeError) as error:
            raise ConfigError(
                f"the convolution {conv} cannot be made as conv(width_in, width_out): {error}."
            ) from error

    return build


def _import_class(name: str) -> type[nn.Module]:
    module, colon, attribute = name.partition(":")
    if not colon or not module or module.startswith("."):
        hint = suggest(name, CONVOLUTIONS)
        raise ConfigError(
            f"there is no convolution {name!r}.{hint} One of your own is named module:Class, as in"
            " torch_geometric.nn:TAGConv."
        )
    try:
        imported = getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        if isinstance(error, ImportError) and (error.name or "").startswith("torch_geometric"):
            job = f"the convolution {name!r}"
            raise MissingExtraError("torch-geometric", "pyg", job) from None
        raise ConfigError(f"the convolution {name!r} cannot be imported: {error}.") from error
    if not (isinstance(imported, type) and issubclass(imported, nn.Module)):
        raise ConfigError(f"the convolution {name!r} is not a class of torch.nn.Module.")
    return imported


def ignores_weights(network: nn.Module) -> list[str]:
    """Names of custom convolutions in a network that take no edge weights."""
    custom = (module for module in network.modules() if isinstance(module, CustomConvolution))
    return sorted({type(conv.replicas[0]).__name__ for conv in custom if conv.weight_name is None})
