"""Loss and score of every replica at once, on the device."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy

from ..ops import triton as kernels


def losses(
    logits: Tensor, labels: Tensor, *, own: bool = False, weights: Tensor | None = None
) -> Tensor:
    """Mean loss of each replica; (R,).

    Args:
        logits: Of the m subgraphs, (R, m, C).
        labels: (m,) classes: cross-entropy; (m, C) zeros and ones: binary cross-entropy, mean
            over subgraphs and classes.
        own: Whether each replica has labels of its own: (R, m) or (R, m, C).
        weights: Factor of each single loss before the mean; shape of the labels.
    """
    replicas, count = logits.shape[:2]
    if kernels.use_triton(logits) and logits.numel() and weights is None:
        from ..ops.triton.loss import Losses

        return Losses.apply(logits, labels, own)  # type: ignore[no-any-return,no-untyped-call]
    if not own:
        labels = labels.expand(replicas, *labels.shape)
    if labels.dim() == 3:
        single = binary_cross_entropy_with_logits(logits, labels, reduction="none")
    else:
        single = cross_entropy(logits.flatten(0, 1), labels.flatten(), reduction="none")
        single = single.view(replicas, count)
    single = single if weights is None else single * weights
    return torch.stack([part.mean() for part in single])


def micro_f1(logits: Tensor, labels: Tensor) -> Tensor:
    """Micro-F1 of each replica at threshold 0 (single-label: the share of right answers); (R,)."""
    if labels.dim() == 1:
        return (logits.argmax(-1) == labels).double().mean(1)
    predicted, true = logits > 0, labels.bool()
    right = (predicted & true).sum((1, 2)).double()
    total = predicted.sum((1, 2)) + true.sum()
    return 2 * right / total.clamp(min=1)


def finite(*values: Tensor) -> Tensor:
    """Which replicas have only finite numbers; bool (R,)."""
    return torch.stack([value.isfinite() for value in values]).all(0)
