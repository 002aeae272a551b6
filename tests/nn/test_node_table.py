"""Tables of node vectors: rows that are read, encodings that join them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

import sub2node as s2n
from small_networks import answers, built, config_of, task_of
from sub2node import ConfigError
from sub2node.config import STRUCTURES, Config
from sub2node.nn import build_network, build_stages
from sub2node.nn.random_vectors import random_vectors
from sub2node.task import Graph, Split, Subgraphs, SubgraphTask


class TestTable:
    def test_frozen_constants_are_no_parameter(self) -> None:
        config = config_of("s2n+0", features__kind="constant", trainable=False)
        network, _ = built(task_of(), config)
        assert not [name for name, _ in network.named_parameters() if name.startswith("table")]
        assert network.table().shape == (2, 12, 64)
        assert (network.table() == 1).all()

    @pytest.mark.parametrize(("structure", "rows"), [("separated", 12), ("connected", 13)])
    def test_a_trainable_table_has_the_rows_that_are_read(self, structure: str, rows: int) -> None:
        network, stages = built(task_of(), config_of(structure))
        assert isinstance(network.table.table, torch.nn.Parameter)
        assert network.table.table.shape == (2, rows, 5)
        assert stages.rows.tolist() == list(range(rows))
        expected = torch.tensor(task_of().graph.features[:rows])  # type: ignore[index]
        assert all(torch.equal(part, expected) for part in network.table())

    @pytest.mark.parametrize("trainable", [False, True])
    @pytest.mark.parametrize("encoding", ["add", "concat"])
    @pytest.mark.parametrize("structure", STRUCTURES)
    def test_encodings_join_the_features(
        self, structure: str, encoding: str, trainable: bool
    ) -> None:
        task = task_of()
        extra = np.random.default_rng(1).normal(size=(13, 5)).astype(np.float32)
        config = config_of(structure, features__join=encoding, trainable=trainable)
        old = task.graph.features
        joined = old + extra if encoding == "add" else np.concatenate([old, extra], axis=1)
        same = replace(task, graph=replace(task.graph, features=joined))
        result = answers(task, config, "test", encodings=extra)
        torch.testing.assert_close(result, answers(same, config, "test"))

    @pytest.mark.parametrize(
        ("encodings", "message"),
        [
            (np.zeros((13, 4)), "width 4 cannot be added to features of width 5"),
            (np.zeros((12, 5)), r"shape \(12, 5\), expected one row for each of the 13"),
            (np.zeros(13), "expected one row"),
            (np.full((13, 5), np.nan), "finite"),
        ],
    )
    def test_encodings_that_cannot_be(self, encodings: np.ndarray, message: str) -> None:
        with pytest.raises(ConfigError, match=message):
            built(task_of(), config_of("s2n+0"), encodings=encodings)

    def test_given_features_have_to_be_there(self) -> None:
        task = replace(task_of(), graph=replace(task_of().graph, features=None))
        with pytest.raises(ConfigError, match="no features"):
            built(task, config_of("s2n+0", features__kind="given"))


@pytest.mark.parametrize("structure", STRUCTURES)
def test_signs_flip_in_training_only(structure) -> None:
    task = s2n.load_task("generate:density,subgraphs=30,seed=2")
    settings = {"encoding": "lappe", "join": "concat", "encoding_width": 5, "sign_flips": True}
    features = {"kind": "constant", "trainable": False, "width": 3, **settings}
    config = Config().with_settings(
        {"structure": structure, **{f"features.{name}": value for name, value in features.items()}}
    )
    stages = build_stages(task, config)
    network, _ = build_network(task, config, stages, (1, 2))
    plain = network.eval().table()
    assert torch.equal(plain, network.table())
    drawn = [network.train().table() for _ in range(8)]
    for table in drawn:
        assert torch.equal(table[..., :3], plain[..., :3])
        ratio = (table / plain)[..., 3:]
        signs = ratio.nanmean(dim=1)  # one sign a column and replica
        assert signs.abs() == pytest.approx(np.ones((2, 5)))
        torch.testing.assert_close(table[..., 3:], plain[..., 3:] * signs[:, None])
    assert len({tuple(table[0, :, 3:].sum(0).tolist()) for table in drawn}) > 1


@pytest.mark.parametrize("trainable", [True, False])
def test_network_reads_the_members_vectors_whatever_else_there_is(trainable: bool) -> None:
    rng = np.random.default_rng(1)
    graph = Graph.from_edges(rng.integers(0, 50, 200), rng.integers(0, 50, 200), num_nodes=50)
    sets = [rng.choice(50, 4, replace=False) for _ in range(8)]
    config = Config().with_settings({"trainable": trainable, "width": 6})
    tables = {}
    for count in (6, 8):
        task = SubgraphTask(
            graph, Subgraphs.from_lists(sets[:count]), labels=np.arange(count) % 2,
            split=Split.sizes(train=count - 2, val=1, test=1),
        )  # fmt: skip
        for all_nodes in (False, True):
            stages = build_stages(task, config, all_nodes=all_nodes)
            network, _ = build_network(task, config, stages, [4, 5])
            table = network.table().detach().numpy()
            assert table.shape == (2, len(stages.rows), 6)
            expected = random_vectors([4, 5], stages.rows, 6, scale=config.features.scale)
            assert np.array_equal(table, expected)
            tables[count, all_nodes] = table
    assert np.array_equal(tables[6, True], tables[8, True])
