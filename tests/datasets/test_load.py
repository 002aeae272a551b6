"""Tasks by name, by recipe or from files."""

from __future__ import annotations

from pathlib import Path

import pytest

from sub2node import ConfigError, DataError, Sub2NodeError, load_task
from sub2node.datasets import generate


def test_everything_is_one_kind_of_error() -> None:
    assert issubclass(DataError, Sub2NodeError)
    with pytest.raises(DataError, match="Did you mean 'ppi_bp'"):
        load_task("ppi_pb")
    with pytest.raises(ConfigError, match="Did you mean 'density'"):
        load_task("generate:densty")
    with pytest.raises(ConfigError, match=r"no setting 'sed'\. Did you mean 'seed'"):
        load_task("generate:density,sed=1")
    with pytest.raises(ConfigError, match="whole number"):
        load_task("generate:density,seed=x")


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("generate:density,seed=²", {}, "seed must be a whole number, found '²'"),
        ("generate:density", {"swap": True}, "is drawn; the options for reading data"),
        ("generate:density,size=1500", {}, "too many pairs of nodes"),
        ("like:em_user,size=3", {}, "like has no setting 'size'"),
        ("ppi_bp", {"graph": "edges.csv"}, "is a benchmark; graph, labels and columns"),
    ],
)
def test_settings_that_cannot_be(name, options, words) -> None:
    with pytest.raises(ConfigError, match=words):
        load_task(name, **options)


def test_a_recipe_is_its_generator() -> None:
    assert load_task("generate:component,seed=3,subgraphs=20") == generate(
        "component", seed=3, subgraphs=20
    )


def test_a_benchmark_wins_over_a_folder_of_its_name(small: Path, monkeypatch) -> None:
    place = small.parent / "em_user"
    small.rename(place)
    monkeypatch.chdir(place.parent)
    monkeypatch.setenv("S2N_DATA", str(place.parent / "nowhere"))
    assert load_task("./em_user").graph.num_nodes == 6
    assert load_task(place) == load_task("./em_user")
    with pytest.raises(DataError, match="em_user"):
        load_task("em_user")


@pytest.mark.slow
def test_folders_beside_the_benchmarks_are_found_by_name(small: Path, monkeypatch) -> None:
    place = small.parent / "mine"
    small.rename(place)
    monkeypatch.setenv("S2N_DATA", str(place.parent))
    assert load_task("mine") == load_task(place)
    with pytest.raises(DataError, match=r"no benchmark, file or folder called 'mime'.*'mine'"):
        load_task("mime")
    with pytest.raises(DataError, match="no benchmark"):
        load_task("x" * 5000)  # longer than any name of a file
