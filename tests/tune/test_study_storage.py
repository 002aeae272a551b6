"""Storages: what is no journal, what cannot be opened, and studies over gRPC."""

from __future__ import annotations

import pytest

pytest.importorskip("optuna")

from studies import Landscape, begun, points, spec
from sub2node import ConfigError, DataError
from sub2node.tune import Study
from sub2node.tune import study_storage as storages
from sub2node.tune.study_storage import hide_password, mend_journal, open_storage, share


def test_a_line_that_was_cut_short(tmp_path) -> None:
    begun(tmp_path, trials=3).work(Landscape(), wait=True)
    journal = tmp_path / "journal.log"
    whole = journal.read_bytes()
    journal.write_bytes(whole + b'{"op_code":4,"wor')
    mend_journal(journal)
    assert journal.read_bytes() == whole
    assert begun(tmp_path, trials=3, resume=True).result().count("complete") == 3


@pytest.mark.parametrize("text", ["nonsense\nmore\n", '{"op_code": 99}\n{}\n', "[]\n[]\n"])
def test_a_file_that_is_no_journal(tmp_path, text) -> None:
    (tmp_path / "journal.log").write_text(text)
    with pytest.raises((DataError, ConfigError), match="journal"):
        begun(tmp_path, resume=True)
    assert (tmp_path / "journal.log").read_text() == text


@pytest.mark.slow
def test_storages_that_cannot_be_opened(tmp_path) -> None:
    with pytest.raises(ConfigError, match=r"postgresql://me:\*\*\*@localhost:1/none cannot be op"):
        open_storage("postgresql://me:secret@localhost:1/none")
    with pytest.raises(ConfigError, match="cannot be opened"):
        open_storage("nonsense://somewhere")
    with pytest.raises(ConfigError, match="HOST:PORT is expected"):
        open_storage("grpc://nowhere")
    with pytest.raises(ConfigError, match="is no file"):
        open_storage(str(tmp_path))
    assert hide_password("postgresql://me:se:cr@host/name") == "postgresql://me:***@host/name"


@pytest.mark.slow
def test_over_grpc(tmp_path) -> None:
    pytest.importorskip("grpc")
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    url = f"sqlite:///{tmp_path / 'study.sqlite'}"
    storage = open_storage(url)
    head = Study.create(spec(), url, trials=8, resume=False, storage=storage, folder=tmp_path)
    share(storage, f"127.0.0.1:{port}")
    other = Study.join(f"grpc://127.0.0.1:{port}")
    assert other.spec == head.spec
    assert other.work(Landscape(), wait=True) == "complete"
    assert head.result().count("complete") == 8
    assert points(head) == points(other)
    with pytest.raises(ConfigError, match="cannot listen at"):
        share(storage, f"127.0.0.1:{port}")


@pytest.mark.slow
def test_nobody_shares(monkeypatch) -> None:
    pytest.importorskip("grpc")
    monkeypatch.setattr(storages, "_READY", 0.3)
    with pytest.raises(ConfigError, match="is s2n tune --share running"):
        open_storage("grpc://127.0.0.1:9")


def test_calls_are_tried_again_while_the_storage_does_not_answer() -> None:
    answers = iter([OSError(111, "Connection refused"), OSError(111, "Connection refused"), 3])

    def call() -> int:
        answer = next(answers)
        if isinstance(answer, OSError):
            raise answer
        return answer

    assert storages.call_with_retries("url", call, waits=(0.0, 0.0)) == 3


def test_a_storage_that_stays_away_is_named_without_its_password() -> None:
    calls = []

    def refuse() -> None:
        calls.append(1)
        raise OSError(111, "Connection refused")

    message = r"postgresql://me:\*\*\*@host/x cannot be reached any more: Connection refused\."
    with pytest.raises(storages.StorageGoneError, match=message):
        storages.call_with_retries("postgresql://me:word@host/x", refuse, waits=(0.0, 0.0))
    assert len(calls) == 3
    with pytest.raises(KeyError):  # what was asked for is wrong: no reason to ask again
        storages.call_with_retries("url", lambda: {}["x"], waits=(0.0,))


@pytest.mark.parametrize("text", ["localhost", "localhost:", ":13000", "host:0", "host:70000"])
def test_what_is_no_host_and_port(text: str) -> None:
    with pytest.raises(ConfigError, match="HOST:PORT is expected"):
        storages.host_and_port(text)
    assert storages.host_and_port("localhost:13000/") == ("localhost", 13000)
