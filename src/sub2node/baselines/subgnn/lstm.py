"""A bidirectional LSTM over a replica axis: each replica has its own weights."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from ...nn import Init, Streams
from ...nn.layers import Dropout, matmul


class BiLSTM(nn.Module):
    """The last states of both directions of the last layer.

    Gates are ordered as in ``torch.nn.LSTM``, and all parameters start within its bounds.

    Args:
        width: Width of the inputs.
        hidden: Width of the states of one direction.
        layers: Number of layers.
        dropout: Share of channels dropped between layers.
        init: Draws the initial values.
        streams: Random numbers for dropout.
    """

    def __init__(
        self,
        width: int,
        hidden: int,
        *,
        layers: int,
        dropout: float,
        init: Init,
        streams: Streams,
    ) -> None:
        super().__init__()
        self.hidden, bound = hidden, 1 / math.sqrt(hidden)
        widths = [width, *[2 * hidden] * (layers - 1)]
        self.enter, self.back, self.bias = (nn.ParameterList() for _ in range(3))
        for size in widths:
            for _ in range(2):
                self.enter.append(init.uniform(size, 4 * hidden, bound=bound))
                self.back.append(init.uniform(hidden, 4 * hidden, bound=bound))
                self.bias.append(init.uniform(1, 4 * hidden, bound=bound))
        self.dropout = Dropout(dropout, streams)

    def forward(self, x: Tensor) -> Tensor:
        """(R, sequences, length, width) → (R, sequences, 2 · hidden)."""
        ends = x
        for layer in range(len(self.enter) // 2):
            if layer:
                x = self.dropout(x)
            directions = [
                self._run_direction(x, 2 * layer + side, reverse=bool(side)) for side in range(2)
            ]
            x = torch.cat(directions, dim=-1)
            ends = torch.cat([directions[0][:, :, -1], directions[1][:, :, 0]], dim=-1)
        return ends

    def _run_direction(self, x: Tensor, number: int, *, reverse: bool) -> Tensor:
        """States at every place in one direction; (R, sequences, length, hidden)."""
        replicas, sequences, length, _ = x.shape
        flat = x.reshape(replicas, sequences * length, -1)
        entering = matmul(flat, self.enter[number], self.bias[number])
        steps = entering.view(replicas, sequences, length, -1).unbind(2)
        h = c = x.new_zeros(replicas, sequences, self.hidden)
        states = []
        for gates in reversed(steps) if reverse else steps:
            i, f, g, o = matmul(h, self.back[number], gates).chunk(4, dim=-1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
            states.append(h)
        return torch.stack(states[::-1] if reverse else states, dim=2)
