"""``s2n serve`` as a person starts it."""

from __future__ import annotations

import builtins
import inspect
from pathlib import Path

import pytest
from typer.testing import CliRunner

from commands import run_process
from fake_scorer import FakeScorer
from sub2node import scoring
from sub2node.base.errors import ConfigError, MissingExtraError
from sub2node.cli.app import app
from sub2node.serve import server

MODEL = "some/model"


@pytest.fixture
def started(monkeypatch) -> dict:
    """What the command hands to the service, which does not start."""
    found: dict = {}
    monkeypatch.setattr(scoring, "load_scorer", lambda path: FakeScorer(), raising=False)

    def serve(scorer, *, ready, **options) -> None:
        found.update(options, scorer=scorer)
        ready("http://127.0.0.1:1234")

    monkeypatch.setattr(server, "serve", serve)
    monkeypatch.delenv("S2N_TOKEN", raising=False)
    return found


def run(*words: str | Path):
    return CliRunner().invoke(app, ["serve", MODEL, *map(str, words)])


def test_defaults(started: dict) -> None:
    done = run()
    assert done.exit_code == 0, done.output
    assert "Serving: some/model on http://127.0.0.1:1234" in done.output
    assert (started["host"], started["port"], bool(started["token"])) == ("127.0.0.1", 8000, False)
    assert (started["limits"].nodes, started["limits"].subgraphs) == (10_000, 1000)


def test_the_service_itself_stays_on_this_machine() -> None:
    assert inspect.signature(server.serve).parameters["host"].default == "127.0.0.1"


def test_options(started: dict, tmp_path: Path, monkeypatch) -> None:
    file = tmp_path / "token"
    file.write_text("s3cret\n")
    done = run("--host", "::1", "--port", "0", "--token-file", file, "--max-nodes", "5",
               "--max-subgraphs", "6", "--timeout", "7")  # fmt: skip
    assert done.exit_code == 0, done.output
    assert (started["host"], started["port"]) == ("::1", 0)
    limits = started["limits"]
    assert (limits.nodes, limits.subgraphs, limits.timeout) == (5, 6, 7.0)
    assert started["token"].admits(b"Bearer s3cret")
    monkeypatch.setenv("S2N_TOKEN", "other")
    run()
    assert started["token"].admits(b"Bearer other")
    assert "other" not in done.output


@pytest.mark.slow
def test_wrong_options(started: dict, tmp_path: Path) -> None:
    for words in (("--port", "70000"), ("--max-nodes", "0"), ("--timeout", "0")):
        assert run(*words).exit_code == 2
    (tmp_path / "empty").write_text("")
    assert isinstance(run("--token-file", tmp_path / "empty").exception, ConfigError)
    assert isinstance(run("--token-file", tmp_path / "none").exception, OSError)


def test_without_the_extra(started: dict, monkeypatch) -> None:
    real = builtins.__import__

    def missing(name, *rest, **options):
        if name == "uvicorn":
            raise ModuleNotFoundError("No module named 'uvicorn'", name="uvicorn")
        return real(name, *rest, **options)

    monkeypatch.setattr(builtins, "__import__", missing)
    error = run().exception
    assert isinstance(error, MissingExtraError)
    assert "sub2node[serve]" in str(error)


@pytest.mark.process
def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; from sub2node.cli.app import app; sys.argv[1:] = ['serve', '--help']\n"
        "try: app()\n"
        "except SystemExit: print([m for m in ('torch', 'fastapi', 'uvicorn') if m in sys.modules])"
    )
    done = run_process(code=code)
    assert "s2n serve my-model --port 8080" in done.stdout
    assert done.stdout.strip().endswith("[]")


def test_hosts_connections_and_explanations(started: dict) -> None:
    done = run("--allowed-host", "a.example", "--allowed-host", "b.example",
               "--max-connections", "9", "--max-explained-nodes", "8")  # fmt: skip
    assert done.exit_code == 0, done.output
    limits = started["limits"]
    assert list(started["allowed_hosts"]) == ["a.example", "b.example"]
    assert (limits.connections, limits.explained_nodes) == (9, 8)
