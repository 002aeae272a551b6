"""The OpenAPI description holds: what it says is what comes, whatever is sent."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from fake_scorer import FakeScorer
from forked import fork_code
from sub2node.serve.app import create_app


@pytest.mark.process
@pytest.mark.skipif(find_spec("schemathesis") is None, reason="Schemathesis is not installed")
def test_what_it_says_is_what_comes() -> None:
    file = Path(__file__).with_name("described_requests.py")
    words = ("-o", "addopts=--import-mode=importlib", "-p", "no:cacheprovider", "--noconftest",
             "--assert=plain", file)  # fmt: skip
    done = fork_code(*words, code="import pytest, sys; sys.exit(pytest.main(sys.argv[1:]))")
    out, errors = done.communicate()
    assert done.returncode == 0, out + errors
    assert "9 passed" in out  # operations


@pytest.mark.slow
def test_every_example_works(service) -> None:
    client, app = service(), create_app(FakeScorer())
    tried = 0
    for path, methods in app.openapi_schema["paths"].items():
        content = methods.get("post", {}).get("requestBody", {}).get("content", {})
        for example in content.get("application/json", {}).get("examples", {}).values():
            assert client.post(path, json=example["value"]).status_code == 200
            tried += 1
    assert tried == 5
