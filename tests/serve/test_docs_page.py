"""The description of the interface as a page that needs nothing from outside."""

from __future__ import annotations

import re


def test_docs_need_nothing_from_outside(client) -> None:
    answer = client.get("/docs")
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert not re.search(r"""(?:src|href|url)\s*[=(]\s*["']?(?:https?:)?//""", answer.text)
    assert "http" not in re.sub("<code>.*?</code>|<pre>.*?</pre>", "", answer.text, flags=re.S)
    for text in ("/v1/predict", "/v1/explain", "/v1/neighbors", "/v1/nodes", "/healthz", "422",
                 "PredictMany", "unknown_nodes"):  # fmt: skip
        assert text in answer.text
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    for anchor in re.findall('href="#([^"]+)"', answer.text):
        assert f'id="{anchor}"' in answer.text


def test_without_the_token_nothing_of_the_training_data_is_told(service) -> None:
    client = service(token="s3cret")
    headers = {"Authorization": "Bearer s3cret"}
    example = client.get("/v1/model", headers=headers).json()["examples"][0]["nodes"]
    described = client.get("/openapi.json")
    content = described.json()["paths"]["/v1/predict"]["post"]["requestBody"]["content"]
    shown = str(content["application/json"].get("examples", {}))
    assert not any(f"'{node}'" in shown for node in example)
    assert f'"{example[0]}"' not in client.get("/docs").text
