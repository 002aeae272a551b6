"""Files of the page: typed, cached by their content, and not needed for answers."""

from __future__ import annotations

import gzip

from sub2node.serve import static_files

GOOD = {"nodes": ["n1", "n2"]}


def test_pages(client, monkeypatch, service) -> None:
    file = static_files.PageFile("/", b"<p>hello</p>", "text/html; charset=utf-8")
    script = static_files.PageFile("/static/app.js", b"1", "text/javascript; charset=utf-8")
    monkeypatch.setattr("sub2node.serve.app.page_files", lambda: (file, script))
    client = service()
    answer = client.get("/")
    assert (answer.status_code, answer.text) == (200, "<p>hello</p>")
    assert answer.headers["cache-control"] == "no-cache"
    policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'self';")
    assert "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    again = client.get("/", headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert client.get("/static/app.js").headers["content-type"].startswith("text/javascript")
    assert client.get("/static/other.js").status_code == 404


def test_without_page_files(service, monkeypatch) -> None:
    monkeypatch.setattr("sub2node.serve.app.page_files", lambda: ())
    client = service()
    assert client.get("/").status_code == 404
    assert client.post("/v1/predict", json=GOOD).status_code == 200


def test_files_are_packed_for_who_can_unpack_them(service, monkeypatch) -> None:
    file = static_files.PageFile("/", b"<p>hello</p>" * 100, "text/html; charset=utf-8")
    monkeypatch.setattr("sub2node.serve.app.page_files", lambda: (file,))
    client = service()
    packed = client.get("/", headers={"Accept-Encoding": "gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    assert packed.content == file.content  # unpacked by the client
    assert gzip.decompress(file.packed) == file.content
    plain = client.get("/", headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert plain.headers["etag"] == packed.headers["etag"]


def test_every_file_of_the_page_has_a_type() -> None:
    paths = {file.path: file.media_type for file in static_files.page_files()}
    assert paths["/"].startswith("text/html")
    assert all(path == "/" or path.startswith("/static/") for path in paths)
    assert {kind.partition(";")[0] for kind in paths.values()} == {
        "text/html", "text/javascript", "text/css", "image/svg+xml"
    }  # fmt: skip
