"""The LSTM of all replicas against PyTorch's."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from sub2node.baselines.subgnn.lstm import BiLSTM
from sub2node.nn import Streams
from subgnn_cases import SEEDS, drawn, lstm, scatter_parameters

# The reader of walks


def torch_lstms(ours: BiLSTM, width: int, layers: int) -> list[nn.LSTM]:
    """One a replica, with the same weights; their second bias is 0."""
    found = []
    for r in range(len(SEEDS)):
        theirs = nn.LSTM(width, ours.hidden, layers, bidirectional=True, batch_first=True)
        with torch.no_grad():
            for layer in range(layers):
                for side, end in enumerate(("", "_reverse")):
                    number = 2 * layer + side
                    values = {
                        "weight_ih": ours.enter[number][r].T,
                        "weight_hh": ours.back[number][r].T,
                        "bias_ih": ours.bias[number][r, 0],
                        "bias_hh": torch.zeros(4 * ours.hidden),
                    }
                    for name, value in values.items():
                        getattr(theirs, f"{name}_l{layer}{end}").copy_(value)
        found.append(theirs)
    return found


def last_states(lstm: nn.LSTM, x: Tensor) -> Tensor:
    """Of both directions of the last layer; (sequences, 2 · hidden)."""
    return torch.cat(list(lstm(x)[1][0][-2:]), dim=-1)


@pytest.mark.parametrize(("width", "hidden", "length"), [(3, 4, 5), (4, 2, 1), (1, 3, 2)])
@pytest.mark.parametrize("layers", [1, 2, 3])
def test_the_lstm_is_torchs_for_each_replica(width, hidden, length, layers) -> None:
    ours = lstm(width, hidden, layers, 0.0)
    scatter_parameters(ours)
    x = drawn(2, 6, length, width, seed=9).requires_grad_()
    above = drawn(2, 6, 2 * hidden, seed=10)
    found = ours(x)
    assert found.shape == (2, 6, 2 * hidden)
    inputs = (x, *ours.enter, *ours.back, *ours.bias)
    grads = torch.autograd.grad(found, inputs, above)
    for r, theirs in enumerate(torch_lstms(ours, width, layers)):
        expected = last_states(theirs, x[r])
        torch.testing.assert_close(found[r], expected)
        names = [f"l{n // 2}{'_reverse' * (n % 2)}" for n in range(2 * layers)]
        weights = [
            getattr(theirs, f"{kind}_{name}")
            for kind in ("weight_ih", "weight_hh", "bias_ih")
            for name in names
        ]
        wanted = torch.autograd.grad(expected, (x, *weights), above[r])
        torch.testing.assert_close(grads[0][r], wanted[0][r])
        for mine, other in zip(grads[1:], wanted[1:], strict=True):
            torch.testing.assert_close(mine[r].T.reshape(other.shape), other)


def test_lstm_dropout_is_between_layers_and_only_while_training() -> None:
    width, hidden, share = 3, 4, 0.5
    ours = lstm(width, hidden, 2, share)
    x = drawn(2, 6, 5, width)
    found = ours.train()(x)
    mask = Streams(SEEDS).keep(share, 6, 5, 2 * hidden) / (1 - share)
    assert not mask.all()
    for r, theirs in enumerate(torch_lstms(ours, width, 2)):
        first, second = nn.LSTM(width, hidden, bidirectional=True, batch_first=True), nn.LSTM(
            2 * hidden, hidden, bidirectional=True, batch_first=True
        )  # fmt: skip
        for layer, part in enumerate((first, second)):
            for end in ("", "_reverse"):
                for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
                    value = getattr(theirs, f"{kind}_l{layer}{end}").detach()
                    setattr(part, f"{kind}_l0{end}", nn.Parameter(value))
        torch.testing.assert_close(found[r], last_states(second, first(x[r])[0] * mask[r]))
        torch.testing.assert_close(ours.eval()(x)[r], last_states(theirs, x[r]))
    single = lstm(width, hidden, 1, share)
    assert torch.equal(single.train()(x), single.eval()(x))


def test_lstm_starts_within_torchs_bound() -> None:
    ours = lstm(20, 25, 2, 0.0)
    shapes = [tuple(p.shape[1:]) for p in ours.enter]
    assert shapes == [(20, 100), (20, 100), (50, 100), (50, 100)]
    for parameter in ours.parameters():
        assert 0.18 < parameter.abs().max() <= 0.2
        assert not torch.equal(parameter[0], parameter[1])
