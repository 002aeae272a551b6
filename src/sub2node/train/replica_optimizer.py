"""Optimisers of stacked replicas, which also hold the best state of each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import nullcontext

import torch
from torch import Tensor, nn

from ..config import TrainingSettings
from ..nn.custom_convolution import CustomConvolution
from ..ops import triton as kernels
from ..ops.triton import second_stream
from .replicas import Replicas


class ReplicaOptimizer(ABC):
    """The optimiser of stacked replicas.

    Args:
        network: The stacked networks.
        count: Number of replicas, R.
        training: Settings of the training.
    """

    best: dict[str, Tensor]

    def __init__(self, network: nn.Module, count: int, training: TrainingSettings) -> None:
        self.replicas, self.training = Replicas(network, count), training

    @abstractmethod
    def step(self, loss: Tensor, rate: Tensor) -> None:
        """One step down these losses, (R,), with these learning rates, (R,)."""

    @abstractmethod
    def keep(self, better: Tensor) -> None:
        """The state of some replicas, bool (R,), is their best."""

    @abstractmethod
    def moments(self) -> dict[str, Tensor]:
        """What the optimiser remembers."""

    @abstractmethod
    def remember(self, moments: dict[str, Tensor]) -> None:
        """Go on from what :meth:`moments` gave."""


def find_optimizer(
    network: nn.Module, count: int, training: TrainingSettings, *, once: bool = False
) -> ReplicaOptimizer:
    """The fast optimiser where all parameters are stacked and on a GPU, else the plain one.

    Args:
        network: The stacked networks.
        count: Number of replicas, R.
        training: Settings of the training.
        once: Whether a step uses each weight only once.
    """
    custom = any(isinstance(module, CustomConvolution) for module in network.modules())
    if custom or not all(kernels.use_triton(p) for p in network.parameters()):
        return PlainOptimizer(network, count, training)
    return SlabOptimizer(network, count, training, once=once)


class PlainOptimizer(ReplicaOptimizer):
    """PyTorch's Adam, replica by replica, so that each has its own learning rate.

    ``torch.optim.Adam`` does the same with a group per replica, but imports PyTorch's compiler for
    it, which takes longer than the first epochs of a small training.
    """

    def __init__(self, network: nn.Module, count: int, training: TrainingSettings) -> None:
        super().__init__(network, count, training)
        self._moments: dict[tuple[int, int], dict[str, Tensor]] = {}  # by replica and parameter
        self.best = {name: t.clone() for name, t in self.replicas.tensors().items()}

    def step(self, loss: Tensor, rate: Tensor) -> None:
        """One step down these losses, (R,), with these learning rates, (R,)."""
        self.replicas.clear()
        loss.sum().backward()  # type: ignore[no-untyped-call]
        if self.training.clip:
            self.replicas.clip(self.training.clip)
        gradients = self.replicas.gradients()
        for r, (views, grads) in enumerate(zip(self.replicas.views, gradients, strict=True)):
            updates = [
                (view, grad, self._moments_of(r, k, view))
                for k, (view, grad) in enumerate(zip(views, grads, strict=True))
                if grad is not None  # PyTorch's Adam leaves a parameter without a gradient alone
            ]
            self._update(updates, float(rate[r]))

    def _moments_of(self, replica: int, number: int, view: Tensor) -> dict[str, Tensor]:
        """What is remembered of a parameter; zeros at first."""
        if (replica, number) not in self._moments:
            self._moments[replica, number] = {
                "step": torch.zeros((), device=view.device),
                "exp_avg": torch.zeros_like(view, memory_format=torch.preserve_format),
                "exp_avg_sq": torch.zeros_like(view, memory_format=torch.preserve_format),
            }
        return self._moments[replica, number]

    def _update(self, updates: list[tuple[Tensor, Tensor, dict[str, Tensor]]], rate: float) -> None:
        """Adam's step for the parameters of one replica: each with its gradient and moments."""
        for dtype in {view.dtype for view, _, _ in updates}:
            chosen = [update for update in updates if update[0].dtype == dtype]
            views, grads, moments = (list(part) for part in zip(*chosen, strict=True))
            steps = [m["step"] for m in moments]
            torch._foreach_add_(steps, 1)
            torch._fused_adam_(
                views,
                grads,
                [m["exp_avg"] for m in moments],
                [m["exp_avg_sq"] for m in moments],
                [],
                steps,
                lr=rate,
                beta1=0.9,
                beta2=0.999,
                weight_decay=self.training.weight_decay,
                eps=1e-8,
                amsgrad=False,
                maximize=False,
            )

    def keep(self, better: Tensor) -> None:
        """The state of some replicas, bool (R,), is their best."""
        self.replicas.copy(self.best, torch.nonzero(better).flatten().tolist())

    def moments(self) -> dict[str, Tensor]:
        """What the optimiser remembers."""
        return {
            f"{r}.{k}.{name}": tensor
            for (r, k), moments in self._moments.items()
            for name, tensor in moments.items()
        }

    def remember(self, moments: dict[str, Tensor]) -> None:
        """Go on from what :meth:`moments` gave."""
        for name, tensor in moments.items():
            r, k, moment = name.split(".", 2)
            view = self.replicas.views[int(r)][int(k)]
            self._moments_of(int(r), int(k), view)[moment] = tensor.to(view.device)


class SlabOptimizer(ReplicaOptimizer):
    """Adam by kernels, over a few tensors (R, S) that hold all parameters.

    A large parameter is a slab itself. Small ones, and the statistics of norms, share a slab each
    and become views of it. So a step, and a copy of what is better, is a handful of launches
    however many layers there are, and nothing waits for the host. A parameter that no output
    depends on has the gradient 0 here, so it decays; PyTorch's Adam leaves it alone.
    """

    LARGE, ALIGN = (
        2**15,
        32,
    )  # numbers per replica; small parameters are padded to multiples of ALIGN

    def __init__(
        self, network: nn.Module, count: int, training: TrainingSettings, *, once: bool = False
    ) -> None:
        super().__init__(network, count, training)
        self.once = once
        trainable = [p for p in self.replicas.stacked if p.requires_grad]
        self.large = [p for p in trainable if p[0].numel() >= self.LARGE]
        self.small = [p for p in trainable if p[0].numel() < self.LARGE]
        packed = _pack([p.data for p in self.small], count, self.ALIGN)
        for parameter, view in zip(self.small, packed.views, strict=True):
            parameter.data = view
        self._pads = packed.pads
        self._values = [p.data.view(count, -1) for p in self.large]
        if self.small:
            self._values.append(packed.slab)
        self._moments = [(torch.zeros_like(v), torch.zeros_like(v)) for v in self._values]
        fixed: list[Tensor] = [p for p in self.replicas.stacked if not p.requires_grad]
        for module in network.modules():
            skipped = module._non_persistent_buffers_set
            fixed += [b for n, b in module.named_buffers(recurse=False) if n not in skipped]
        packed_fixed = _pack([tensor.data for tensor in fixed], count, self.ALIGN)
        for tensor, view in zip(fixed, packed_fixed.views, strict=True):
            tensor.data = view
        self._state = [*self._values, *([packed_fixed.slab] if fixed else [])]
        self._best = [slab.clone() for slab in self._state]
        self.best = self._best_by_name(network)
        self._count = torch.zeros((), device=self._values[0].device)

    def _best_by_name(self, network: nn.Module) -> dict[str, Tensor]:
        """The tensors of the network by name, as views of the best slabs."""
        views = {}
        for name, tensor in network.state_dict().items():
            number = next(
                k
                for k, slab in enumerate(self._state)
                if slab.untyped_storage().data_ptr() == tensor.untyped_storage().data_ptr()
            )
            views[name] = self._best[number].as_strided(
                tensor.shape, tensor.stride(), tensor.storage_offset()
            )
        return views

    def step(self, loss: Tensor, rate: Tensor) -> None:
        """One step down these losses, (R,), with these learning rates, (R,)."""
        from ..ops.triton.adam import adam

        parameters = [*self.large, *self.small]
        with second_stream.allow() if self.once else nullcontext():
            raw_grads = torch.autograd.grad(loss.sum(), parameters, allow_unused=True)
        second_stream.join(loss.device)
        grads = [
            (torch.zeros_like(p) if g is None else g).reshape(len(rate), -1).contiguous()
            for p, g in zip(parameters, raw_grads, strict=True)
        ]
        slabs, small = grads[: len(self.large)], grads[len(self.large) :]
        if small:
            padded = zip(small, self._pads, strict=True)
            parts = [part for pair in padded for part in pair if part is not None]
            slabs = [*slabs, torch.cat(parts, dim=1)]
        self._count += 1
        adam(
            [(v, g, *m) for v, g, m in zip(self._values, slabs, self._moments, strict=True)],
            rate,
            self._count,
            clip=self.training.clip,
            decay=self.training.weight_decay,
        )

    def keep(self, better: Tensor) -> None:
        """The state of some replicas, bool (R,), is their best."""
        from ..ops.triton.adam import keep

        for current, best in zip(self._state, self._best, strict=True):
            keep(current, best, better)

    def moments(self) -> dict[str, Tensor]:
        """What the optimiser remembers."""
        names = [f"{k}.{order}" for k in range(len(self._moments)) for order in (1, 2)]
        tensors = [moment for pair in self._moments for moment in pair]
        return {**dict(zip(names, tensors, strict=True)), "count": self._count}

    def remember(self, moments: dict[str, Tensor]) -> None:
        """Go on from what :meth:`moments` gave."""
        for name, tensor in self.moments().items():
            tensor.copy_(moments[name])


class _Packed:
    """Tensors (R, …) as views of one, (R, S), and what fills the gaps between them."""

    def __init__(self, slab: Tensor, views: list[Tensor], pads: list[Tensor | None]) -> None:
        self.slab, self.views, self.pads = slab, views, pads


def _pack(tensors: list[Tensor], count: int, align: int) -> _Packed:
    if not tensors:
        return _Packed(torch.empty(count, 0), [], [])
    pads = [(-t[0].numel()) % align for t in tensors]
    filled = [
        t.new_zeros(count, pad) if pad else None for t, pad in zip(tensors, pads, strict=True)
    ]
    padded = zip((t.reshape(count, -1) for t in tensors), filled, strict=True)
    slab = torch.cat([part for pair in padded for part in pair if part is not None], dim=1)
    views, start = [], 0
    for tensor, pad in zip(tensors, pads, strict=True):
        size = tensor[0].numel()
        views.append(slab[:, start : start + size].view(count, *tensor.shape[1:]))
        start += size + pad
    return _Packed(slab, views, filled)
