"""Errors of libraries that mean something to the user, as one sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from commands import refused, s2n
from sub2node.datasets import load


def allocate_too_much() -> None:
    torch.empty(10**14)


def ask_for_more_than_there_can_be() -> None:
    torch.empty(10**10, 10**10)


def fill_a_gpu() -> None:
    raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB.")


def recurse() -> None:
    recurse()


def diverge() -> None:
    raise np.linalg.LinAlgError("Eigenvalues did not converge")


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (allocate_too_much, "out of memory; nothing was written."),
        (ask_for_more_than_there_can_be, "out of memory; nothing was written."),
        (fill_a_gpu, "out of memory; nothing was written."),
        (recurse, "the input is nested too deeply."),
        (diverge, "a numerical method failed (Eigenvalues did not converge)"),
    ],
)
def test_errors_of_libraries(
    action: Callable[[], None], message: str, tables: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load, "read_task", lambda *_, **__: action())
    refused(s2n("describe", tables), message)


def test_other_runtime_errors_come_through(tables: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("a bug of ours")

    monkeypatch.setattr(load, "read_task", fail)
    with pytest.raises(RuntimeError, match="a bug of ours"):
        s2n("describe", tables)


def test_a_feature_beyond_single_precision_blames_the_nodes(tables: Path) -> None:
    (tables / "nodes.csv").write_text("node_id,x\na,1\nb,1e300\nc,1\nd,1\n")
    done = s2n("describe", tables)
    refused(done, "nodes.csv: the feature 'x' of row 2 is 1e+300, which is too large")


def test_a_member_weight_beyond_single_precision(tables: Path) -> None:
    rows = (tables / "members.csv").read_text().splitlines()
    weighted = [f"{row},{value}" for row, value in zip(rows, ["weight", "1e300", *"11111"])]  # noqa: B905
    (tables / "members.csv").write_text("\n".join(weighted) + "\n")
    refused(s2n("describe", tables), "members.csv:2: the weight in row 1 of the members table is")


@pytest.mark.parametrize("command", ["report", "cite"])
def test_a_file_is_no_run_folder(command: str, tmp_path: Path) -> None:
    file = tmp_path / "file.txt"
    file.write_text("hello")
    refused(s2n(command, file), f"{file}: this is a file, expected a folder")


@pytest.mark.slow
def test_weights_that_are_all_the_same_advise_what_exists(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("source,target\na,b\n")
    members = "".join(f"s{i},{node}\n" for i in range(6) for node in "ab")
    (tmp_path / "members.csv").write_text("subgraph_id,node_id\n" + members)
    parts = ["train", "train", "val", "val", "test", "test"]
    labels = "".join(f"s{i},{'xy'[i % 2]},{part}\n" for i, part in enumerate(parts))
    (tmp_path / "labels.csv").write_text("subgraph_id,label,split\n" + labels)
    quick = ("--seeds", "1", "--set", "epochs=1", "--features", "random")
    done = s2n("run", tmp_path, *quick)
    refused(done, "take a structure without one (--structure separated or connected)")
    assert s2n("run", tmp_path, "--structure", "separated", *quick).code == 0
    assert s2n("translate", tmp_path, "-o", tmp_path / "graph").code == 0
