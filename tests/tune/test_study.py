"""Studies: repeated, resumed, shared, and what is lost when things go away: nothing."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
import torch

pytest.importorskip("optuna")

from forked import fork_code
from studies import Landscape, begun, points, spec
from sub2node import ConfigError, DataError
from sub2node.tune import Choice, Range, Space, Study
from sub2node.tune import study_storage as storages
from sub2node.tune.objective import Score
from sub2node.tune.study_storage import StorageGoneError, open_storage


@pytest.fixture(autouse=True)
def quick_waits(monkeypatch) -> None:
    monkeypatch.setattr("sub2node.tune.study_storage._WAITS", (0.01, 0.02))
    monkeypatch.setattr(storages.call_with_retries, "__kwdefaults__", {"waits": (0.01, 0.02)})


def test_the_first_point_is_the_preset(tmp_path) -> None:
    """So the winner is at least as good as what one would have used without a search."""
    space = Space({"model.layers": Range(1, 3), "model.skip": Choice((True, False))})
    study = begun(tmp_path, trials=1, space=space)
    landscape = Landscape()
    study.work(landscape, wait=True)
    assert landscape.seen == [study.spec.config]
    outside = spec(Space({"model.layers": Range(3, 4)}))
    assert outside.first_points() == []


def test_other_data(tmp_path) -> None:
    study = begun(tmp_path, trials=2)
    other = Landscape()
    other.task = other.task.subset(range(5))
    with pytest.raises(ConfigError, match="other data"):
        study.work(other, wait=True)


@pytest.mark.slow
def test_a_space_in_which_nothing_works(tmp_path) -> None:
    study = begun(tmp_path, trials=50)
    landscape = Landscape(refuses=True)
    message = r"10 points in a row .* admitted nothing; .* because nothing is good enough"
    with pytest.raises(ConfigError, match=message):
        study.work(landscape, wait=True)
    assert len(landscape.seen) == 10
    assert {trial.reason for trial in study.result().trials} == {"nothing is good enough."}
    again = begun(tmp_path, trials=12, resume=True)  # what was wrong has been mended
    assert again.work(Landscape(), wait=True) == "complete"
    assert again.result().count("complete") == 2


def test_trials_that_fail_are_kept_with_their_reason(tmp_path) -> None:
    study = begun(tmp_path, trials=6)

    def sometimes(landscape: Landscape) -> None:
        landscape.refuses = len(landscape.seen) % 2 == 1

    told = []
    study.work(Landscape(before=sometimes), wait=True, tell=told.append)
    result = study.result()
    assert (result.count("complete"), result.count("failed")) == (3, 3)
    assert [trial.state for trial in told] == [trial.state for trial in result.trials]


@pytest.mark.slow
def test_a_journal_that_is_removed_loses_nothing(tmp_path) -> None:
    study = begun(tmp_path, trials=9)
    journal, kept = tmp_path / "journal.log", tmp_path / "elsewhere"

    def remove(landscape: Landscape) -> None:
        if len(landscape.seen) == 3:
            journal.rename(kept)

    landscape = Landscape(before=remove)
    with pytest.raises(StorageGoneError, match=r"No such file.* trial 3 is kept in .*unsent.jsonl"):
        study.work(landscape, wait=True)
    assert not journal.exists()
    unsent = json.loads((tmp_path / "unsent.jsonl").read_text())
    assert unsent["number"] == 3
    with (tmp_path / "unsent.jsonl").open("a") as file:  # another study's, and another point's
        file.write(json.dumps({**unsent, "study": "other"}) + "\n")
        file.write(json.dumps({**unsent, "point": {"x": 1}, "value": 0.99}) + "\n")
    kept.rename(journal)
    again = begun(tmp_path, trials=9, resume=True)
    (left,) = (tmp_path / "unsent.jsonl").read_text().splitlines()
    assert json.loads(left)["study"] == "other"
    assert again.result().count("complete") == 4
    assert again.result().best.value < 0.99
    again.work(landscape, wait=True)
    whole = begun(tmp_path / "whole", trials=9)
    whole.work(Landscape(), wait=True)
    assert points(again) == points(whole)


def test_a_journal_that_is_replaced(tmp_path) -> None:
    study = begun(tmp_path, trials=9)

    def replace(landscape: Landscape) -> None:
        if len(landscape.seen) == 2:
            (tmp_path / "journal.log").unlink()
            (tmp_path / "journal.log").write_text("mine\n")

    with pytest.raises(StorageGoneError, match="replaced by another file"):
        study.work(Landscape(before=replace), wait=True)
    assert (tmp_path / "journal.log").read_text() == "mine\n"


def test_joining_needs_a_study(tmp_path) -> None:
    url = str(tmp_path / "journal.log")
    with pytest.raises(ConfigError, match="begin one without --worker"):
        Study.join(url)
    begun(tmp_path)
    with pytest.raises(ConfigError, match="it has 'component s2n"):
        Study.join(url, "other")
    joined = Study.join(url)
    assert joined.spec == begun(tmp_path, resume=True).spec
    assert begun(tmp_path, trials=None, resume=True).target == 8  # as was wanted before
    import optuna

    optuna.create_study(study_name="foreign", storage=open_storage(url))
    with pytest.raises(DataError, match="did not begin"):
        Study.join(url, "foreign")


def test_a_worker_imports_no_code_that_a_study_names(tmp_path) -> None:
    import optuna

    url, tree = str(tmp_path / "journal.log"), spec().to_dict()
    tree["base"]["candidates"][0]["conv"] = "os:system"
    optuna.create_study(study_name="x", storage=open_storage(url)).set_user_attr("spec", tree)
    with pytest.raises(ConfigError, match="'os:system'; a file never says which code to import"):
        Study.join(url)
    changed = spec()
    other = changed.base.with_settings({"translation.te": "os:getcwd"})
    with pytest.raises(ConfigError, match="names the T_e 'os:getcwd'"):
        replace(changed, base=other).refuse_import_paths(url)


@pytest.mark.slow
def test_ctrl_c_keeps_the_point_for_later(tmp_path) -> None:
    study = begun(tmp_path, trials=6)

    def interrupt(landscape: Landscape) -> None:
        if len(landscape.seen) == 2:
            raise KeyboardInterrupt

    assert study.work(Landscape(before=interrupt), wait=True) == "interrupted"
    assert study.result().count("complete") == 2
    again = begun(tmp_path, trials=6, resume=True)
    again.work(Landscape(), wait=True)
    assert again.result().count("complete") == 6
    whole = begun(tmp_path / "whole", trials=6)
    whole.work(Landscape(), wait=True)
    assert points(again) == points(whole)


def test_ctrl_c_while_others_work(tmp_path, monkeypatch) -> None:
    study, other = begun(tmp_path, trials=1), Study.join(str(tmp_path / "journal.log"))
    other._begin_trial()

    def interrupt(seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("sub2node.tune.study.time.sleep", interrupt)
    assert study.work(Landscape(), wait=True) == "interrupted"


def test_ctrl_c_at_the_very_end_of_a_trial(tmp_path) -> None:
    """It is too late to break it off: the result counts, and the next one is not begun."""
    study = begun(tmp_path, trials=5)

    class Wished(Landscape):
        def __call__(self, config, report) -> Score:
            return replace(super().__call__(config, report), wished=True)

    assert study.work(Wished(), wait=True) == "interrupted"
    assert study.result().count("complete") == 1


def test_out_of_memory_is_one_failed_trial(tmp_path) -> None:
    study = begun(tmp_path, trials=3)

    def full(landscape: Landscape) -> None:
        if len(landscape.seen) == 1:
            landscape.seen.append(None)
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB")

    study.work(Landscape(before=full), wait=True)
    result = study.result()
    assert (result.count("complete"), result.count("failed")) == (2, 1)
    assert any("out of memory" in trial.reason for trial in result.trials)


@pytest.mark.slow
def test_other_errors_keep_the_point(tmp_path) -> None:
    study = begun(tmp_path, trials=3)

    def broken(landscape: Landscape) -> None:
        raise RuntimeError("a bug")

    with pytest.raises(RuntimeError, match="a bug"):
        study.work(Landscape(before=broken), wait=True)
    again = begun(tmp_path, trials=3, resume=True)
    again.work(Landscape(), wait=True)
    whole = begun(tmp_path / "whole", trials=3)
    whole.work(Landscape(), wait=True)
    assert points(again) == points(whole)


@pytest.mark.process
def test_a_killed_worker_holds_nobody_up(tmp_path) -> None:
    """Its trial is given to another process, with the same point."""
    study = begun(tmp_path, trials=5)
    mark = tmp_path / "mark"
    code = "import studies, sys; studies.work_without_end(*sys.argv[1:])"
    worker = fork_code(tmp_path / "journal.log", mark, code=code)
    try:
        deadline = time.monotonic() + 90
        while not mark.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        assert mark.exists()
        ended, running = study._read_trials()
        assert (ended, running) == ([], 1)
        time.sleep(1.0)  # longer than the grace: it lives, so its trial stays its own
        assert study._read_trials() == ([], 1)
        lost = dict(study._frozen_trials()[0].params)
    finally:
        worker.send_signal(signal.SIGKILL)
        worker.communicate()
    assert study.work(Landscape(), wait=True) == "complete"
    result = study.result()
    assert result.count("complete") == 5
    assert any(dict(trial.point) == pytest.approx(lost) for trial in result.trials)


def many(url: str, folder: Path, count: int, trials: int) -> Study:
    """Several workers on one storage, at once."""
    head = begun(folder, trials=trials, url=url)
    others = [Study.join(url) for _ in range(count)]
    threads = [
        threading.Thread(target=other.work, args=(Landscape(0.02),), kwargs={"wait": False})
        for other in others
    ]
    for thread in threads:
        thread.start()
    head.work(Landscape(0.02), wait=True)
    for thread in threads:
        thread.join()
    return head


@pytest.mark.slow
def test_many_on_one_journal(tmp_path) -> None:
    head = many(str(tmp_path / "journal.log"), tmp_path, 3, 24)
    result = head.result()
    assert 24 <= result.count("complete") <= 27
    values = [trial.point["training.lr"] for trial in result.trials]
    assert len(set(values)) == len(values)  # nobody drew what another drew


@pytest.fixture
def postgres(tmp_path_factory):
    """A server of our own; where PostgreSQL is not installed, the test skips."""
    initdb, server = shutil.which("initdb"), shutil.which("postgres")
    if initdb is None or server is None:
        pytest.skip("PostgreSQL is not installed")
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        pytest.skip("PostgreSQL refuses to run as root, and setpriv is missing")
    pytest.importorskip("psycopg")
    home = tmp_path_factory.mktemp("postgres")
    yield from _server(home, initdb, server)


def _server(home: Path, initdb: str, server: str):
    import socket

    as_other = []
    if os.geteuid() == 0:
        as_other = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        for folder in (home, *home.parents):
            if folder == Path("/tmp") or not folder.is_relative_to("/tmp"):
                break
            folder.chmod(0o755)
        os.chown(home, 65534, 65534)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    data = home / "data"
    made = subprocess.run([*as_other, initdb, "-D", str(data), "-U", "me", "-A", "trust"],
                          capture_output=True, text=True, check=False, cwd="/")  # fmt: skip
    if made.returncode:
        pytest.skip(f"PostgreSQL cannot make a cluster here: {made.stderr.strip()[-100:]}")
    words = [*as_other, server, "-D", str(data), "-p", str(port), "-k", str(home), "-h",
             "127.0.0.1"]  # fmt: skip
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/")
    try:
        url = f"postgresql://me:word@127.0.0.1:{port}/postgres"
        deadline = time.monotonic() + 20
        while True:
            try:
                open_storage(url)
                break
            except ConfigError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.3)
        yield url, process
    finally:
        process.terminate()
        process.wait()


def test_postgresql_and_when_it_goes_away(postgres, tmp_path) -> None:
    url, process = postgres
    head = many(url, tmp_path, 2, 10)
    assert 10 <= head.result().count("complete") <= 12
    more = begun(tmp_path, trials=20, url=url, resume=True)

    def stop(landscape: Landscape) -> None:
        if len(landscape.seen) == 1:
            process.send_signal(signal.SIGQUIT)
            process.wait()

    with pytest.raises(StorageGoneError, match=r"me:\*\*\*@.* cannot be reached .* is kept in"):
        more.work(Landscape(before=stop), wait=True)
    assert (tmp_path / "unsent.jsonl").exists()
