"""Errors: the place before the reason, and the nearest name that exists."""

from __future__ import annotations

from pathlib import Path

import pytest

from sub2node.base.errors import ConfigError, DataError, MissingExtraError, Sub2NodeError, suggest


@pytest.mark.parametrize(
    ("path", "line", "text"),
    [
        (None, None, "no edges."),
        ("edges.csv", None, "edges.csv: no edges."),
        (Path("edges.csv"), 3, "edges.csv:3: no edges."),
        (None, 3, "no edges."),
    ],
)
def test_an_error_of_data_names_its_place(path, line, text) -> None:
    error = DataError("no edges.", path=path, line=line)
    assert str(error) == text
    assert (error.reason, error.path, error.line) == ("no edges.", path, line)


def test_a_missing_extra_says_what_installs_it() -> None:
    assert str(MissingExtraError("optuna", "tune", "a study")) == (
        "a study needs the package 'optuna': pip install 'sub2node[tune]' brings it."
    )


@pytest.mark.parametrize("kind", [ConfigError, DataError, MissingExtraError])
def test_every_error_has_the_one_root(kind) -> None:
    assert issubclass(kind, Sub2NodeError)
    assert not issubclass(kind, ValueError)


def test_the_nearest_name_is_suggested() -> None:
    assert suggest("memry", ["duckdb", "memory"]) == " Did you mean 'memory'?"
    assert suggest("xyz", iter(["duckdb", "memory"])) == " Known: duckdb, memory."
