"""What the OpenAPI description says is what comes, whatever is sent.

``test_openapi.py`` runs this in a process of its own: Schemathesis and its plugin take seconds to
load, which every worker would do.
"""

from __future__ import annotations

import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import CHECKS, load_all_checks

from fake_scorer import FakeScorer
from sub2node.serve.app import create_app

load_all_checks()
NAMES = ("not_a_server_error", "status_code_conformance", "content_type_conformance",
         "response_schema_conformance")  # fmt: skip
app = create_app(FakeScorer())
schema = schemathesis.openapi.from_dict(app.openapi_schema)
schema.app = app


@schema.parametrize()
@settings(
    max_examples=20,
    derandomize=True,
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
def test_what_it_says_is_what_comes(case) -> None:
    case.call_and_validate(checks=[*CHECKS.get_by_names(NAMES)])
