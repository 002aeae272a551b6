"""The OpenAPI description holds: what it says is what comes, whatever is sent."""

from __future__ import annotations

import pytest

from fake_scorer import FakeScorer
from sub2node.serve.app import create_app

schemathesis = pytest.importorskip("schemathesis")

from hypothesis import HealthCheck, Phase, settings  # noqa: E402
from schemathesis.checks import CHECKS, load_all_checks  # noqa: E402

load_all_checks()
NAMES = ("not_a_server_error", "status_code_conformance", "content_type_conformance",
         "response_schema_conformance")  # fmt: skip
app = create_app(FakeScorer())
schema = schemathesis.openapi.from_dict(app.openapi_schema)
schema.app = app


@schema.parametrize()
@settings(
    max_examples=60,
    derandomize=True,
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
def test_what_it_says_is_what_comes(case) -> None:
    case.call_and_validate(checks=[*CHECKS.get_by_names(NAMES)])


def test_every_example_works(service) -> None:
    client = service()
    tried = 0
    for path, methods in app.openapi_schema["paths"].items():
        content = methods.get("post", {}).get("requestBody", {}).get("content", {})
        for example in content.get("application/json", {}).get("examples", {}).values():
            assert client.post(path, json=example["value"]).status_code == 200
            tried += 1
    assert tried == 4
