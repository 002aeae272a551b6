"""The device, the memory and the installed packages."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError

import numpy
import pytest
import torch

from sub2node.base import environment
from sub2node.base.environment import (
    find_device,
    free_memory,
    installed_version,
    required_packages,
    versions,
)
from sub2node.base.errors import ConfigError


@pytest.mark.parametrize("gpu", [False, True])
def test_auto_is_the_gpu_where_there_is_one(gpu, monkeypatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: gpu)
    assert find_device("auto").type == ("cuda" if gpu else "cpu")
    assert find_device("cpu").type == "cpu"


@pytest.mark.parametrize(
    ("name", "words"), [("cuda", "no GPU .* --device cpu or auto"), ("tpu", "not 'tpu'")]
)
def test_a_device_that_is_not_there(name, words, monkeypatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ConfigError, match=words):
        find_device(name)


def test_free_memory_is_that_of_the_system(tmp_path, monkeypatch) -> None:
    info = tmp_path / "meminfo"
    info.write_text("MemTotal:  16 kB\nMemFree:  4 kB\nMemAvailable:  12 kB\n", encoding="ascii")
    monkeypatch.setattr(environment, "Path", lambda _: info)
    assert free_memory() == free_memory(torch.device("cpu")) == 12 * 1024


def test_free_memory_without_the_file_of_linux(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(environment, "Path", lambda _: tmp_path / "none")
    monkeypatch.setattr(environment, "container_room", lambda: None)
    pages = {"SC_AVPHYS_PAGES": 5, "SC_PAGE_SIZE": 4096}
    monkeypatch.setattr(environment.os, "sysconf", pages.__getitem__)
    monkeypatch.setattr(environment.os, "sysconf_names", pages)
    assert free_memory() == 5 * 4096
    monkeypatch.setattr(environment.os, "sysconf_names", {})
    assert free_memory() is None


def test_versions_are_those_that_are_imported() -> None:
    assert installed_version("numpy") == numpy.__version__ == versions()["numpy"]
    assert versions()["python"] == platform.python_version()
    assert installed_version("no-such-package") is None


def test_required_packages_are_read_from_the_metadata(monkeypatch) -> None:
    lines = ["numpy>=2", "optuna>=4; extra == 'tune'", 'scikit-learn<2 ; extra == "tune"']
    monkeypatch.setattr(environment, "requires", lambda _: lines)
    assert required_packages() == (["numpy"], {"tune": ["optuna", "scikit-learn"]})

    def not_installed(name: str) -> list[str]:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(environment, "requires", not_installed)
    assert required_packages() == ([], {})
