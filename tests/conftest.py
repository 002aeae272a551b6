"""Settings and fixtures that all tests share."""

from __future__ import annotations

import os

# Tests run side by side; threads of one that wait in a loop would take the time of another.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# A console that is made where this is set keeps that width, whatever a test sets it to.
os.environ.pop("COLUMNS", None)

import functools
import gc
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import pytest
import torch
import typer.main
from hypothesis import HealthCheck, settings

if not torch.cuda.is_available():  # must be set before Triton is loaded
    os.environ["TRITON_INTERPRET"] = "1"

# Of every call of a command, building all commands would be a third of the time.
typer.main.get_command = functools.cache(typer.main.get_command)

# Spark reads spark-defaults.conf there when it starts: few partitions for small tables.
os.environ["SPARK_CONF_DIR"] = str(Path(__file__).parent / "spark")

settings.register_profile(
    "default",
    deadline=None,
    max_examples=int(os.environ.get("S2N_EXAMPLES", "12")),  # ``make quick`` has fewer
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("default")

# Behind nohup, or in the background of a script, Ctrl-C is ignored here and in every child process;
# some tests send it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Thousands of small files are written safely, which waits for the disk; memory has no need to wait.
_MEMORY = Path("/dev/shm")
if (
    "TMPDIR" not in os.environ
    and os.access(_MEMORY, os.W_OK)
    and shutil.disk_usage(_MEMORY).free > 4 << 30
):
    os.environ["TMPDIR"] = str(_MEMORY)
    tempfile.tempdir = None  # found anew at the next use

_CACHE = tempfile.TemporaryDirectory()  # goes with the process; the user's is not touched
os.environ["S2N_CACHE"] = _CACHE.name


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder with real data; tests that need it skip where S2N_DATA is not set."""
    folder = os.environ.get("S2N_DATA")
    if not folder:
        pytest.skip("S2N_DATA is not set")
    return Path(folder)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A folder in the SubGNN layout: a ring of six nodes and four subgraphs."""
    (tmp_path / "edge_list.txt").write_text("0 1\n1 2\n2 3\n3 4\n4 5\n5 0\n")
    (tmp_path / "subgraphs.pth").write_text(
        "0-1-2\tred\ttrain\n3-4\tblue\ttrain\n2-3\tred\tval\n4-5\tblue\ttest\n"
    )
    return tmp_path


@pytest.fixture
def tables(tmp_path: Path) -> Path:
    """A folder with CSV tables and string ids."""
    (tmp_path / "edges.csv").write_text("source,target\na,b\nb,c\nc,d\nd,a\n")
    (tmp_path / "members.csv").write_text(
        "subgraph_id,node_id\ns1,a\ns1,b\ns2,c\ns2,d\ns3,a\ns4,c\n"
    )
    (tmp_path / "labels.csv").write_text(
        "subgraph_id,label,split\ns1,x,train\ns2,y,train\ns3,x,val\ns4,y,test\n"
    )
    return tmp_path


@pytest.fixture
def few_candidates(monkeypatch: pytest.MonkeyPatch, few_trees: None) -> None:
    """Simple models choose between few settings, where a test is not about what they choose."""
    from sub2node.baselines import boosting, linear, similarities, sub2vec_model, wl_model

    monkeypatch.setattr(boosting, "_RATES", (0.2,))
    monkeypatch.setattr(boosting, "_LEAVES", (7,))
    for module in (similarities, sub2vec_model, wl_model):
        monkeypatch.setattr(module, "_STRENGTHS", (1.0,))
    monkeypatch.setattr(linear, "_STRENGTHS", dict.fromkeys(linear._STRENGTHS, (1.0,)))
    monkeypatch.setattr(sub2vec_model, "_VARIANTS", ("structure",))


@pytest.fixture
def two_candidates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Simple models choose between two or few more, where a test is about what a choice may see."""
    from sub2node.baselines import boosting, linear, similarities, sub2vec_model, wl_model

    monkeypatch.setattr(boosting, "_LEAVES", (7,))
    for module in (similarities, sub2vec_model, wl_model):
        monkeypatch.setattr(module, "_STRENGTHS", (1.0, 10.0))
    monkeypatch.setattr(linear, "_STRENGTHS", dict.fromkeys(linear._STRENGTHS, (1.0, 10.0)))


@pytest.fixture
def few_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forests have 20 trees at most, where a test is not about how good they are."""
    import sklearn.ensemble

    grown = sklearn.ensemble.RandomForestClassifier

    def few(trees: int, **options: Any) -> Any:
        return grown(min(trees, 20), **options)

    monkeypatch.setattr(sklearn.ensemble, "RandomForestClassifier", few)


@pytest.fixture
def rough_timing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Epochs are timed by few steps, where a test is not about how exact that is."""
    from sub2node.advice import timing
    from sub2node.efficiency import measure

    monkeypatch.setattr(measure, "_BLOCK", 1e-4)
    monkeypatch.setattr(timing, "_REPEAT", 0.01)
    for module in (measure, timing):
        monkeypatch.setattr(module, "clear_memory", lambda device: 0)


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """One worker more than processors, because some tests wait for processes; None: as usual."""
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ or not hasattr(os, "sched_getaffinity"):
        return None
    return len(os.sched_getaffinity(0)) + ("not process" not in config.option.markexpr)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests by the fixtures they use, and start the longest first.

    What takes long comes first, so that no worker is left alone with it at the end.
    """
    for item in items:
        names = getattr(item, "fixturenames", ())
        for mark in {_MARKS[name] for name in names if name in _MARKS}:
            item.add_marker(mark)
    items.sort(key=lambda item: _ORDER[_first_mark(item)])


def pytest_collection_finish() -> None:
    """Leave what is there by now out of garbage collections, of which each would take 0.3 s."""
    gc.collect()
    gc.freeze()


_MARKS = {  # of tests, by a fixture that they use
    "spark": "spark",
    "browser": "browser",
    "postgres": "process",
    "service_address": "process",
    "start_service": "process",
}
_ORDER = {mark: place for place, mark in enumerate(("spark", "slow", "browser", "process", ""))}


def _first_mark(item: pytest.Item) -> str:
    return next((mark for mark in _ORDER if mark and item.get_closest_marker(mark)), "")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Let a test fail that starts Python again and does not say so: ``make quick`` has none."""
    if item.get_closest_marker("process"):
        return (yield)
    open_process, start_process = subprocess.Popen.__init__, BaseProcess.start

    def checked_open(self: Any, args: Any, *rest: Any, **options: Any) -> None:
        if sys.executable in str(args):
            pytest.fail(_NO_PROCESS)
        open_process(self, args, *rest, **options)

    subprocess.Popen.__init__ = checked_open  # type: ignore[method-assign]
    BaseProcess.start = lambda self: pytest.fail(_NO_PROCESS)  # type: ignore[method-assign]
    try:
        return (yield)
    finally:
        subprocess.Popen.__init__ = open_process  # type: ignore[method-assign]
        BaseProcess.start = start_process  # type: ignore[method-assign]


_NO_PROCESS = "A test that starts a process is marked: @pytest.mark.process."
