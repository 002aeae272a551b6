"""The log: a line of JSON per request and per error, without what was asked."""

from __future__ import annotations

import io
import json
import logging
import re

from sub2node.serve.logs import JsonLines, RepeatedLines, log_to_stderr

GOOD = {"nodes": ["n1", "n2"]}


def test_the_log_has_a_line_a_request(client, capsys) -> None:
    client.post("/v1/predict", json={"subgraphs": [GOOD] * 3})
    client.get("/v1/nodes", params={"q": "private\nwords"})
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [line["subgraphs"] for line in lines] == [3, 0]
    first = lines[0]
    assert (first["method"], first["path"], first["status"]) == ("POST", "/v1/predict", 200)
    assert first["ms"] > 0
    assert first["client"] == "127.0.0.1"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00", first["time"])
    assert "private" not in json.dumps(lines)


def test_a_log_that_is_gone_takes_no_answer_with_it(client, monkeypatch) -> None:
    class Broken(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    monkeypatch.setattr("sys.stderr", Broken())
    assert client.post("/v1/predict", json=GOOD).status_code == 200


def test_errors_are_logged_as_one_line(capsys) -> None:
    names = ("sub2node", "uvicorn", "asyncio")
    before = [(logger, logger.handlers, logger.propagate, logger.level)
              for logger in map(logging.getLogger, names)]  # fmt: skip
    try:
        log_to_stderr()
        try:
            raise ValueError("two\nlines")
        except ValueError:
            logging.getLogger("sub2node.serve").exception("it failed")
        (line,) = capsys.readouterr().err.splitlines()
        assert json.loads(line)["message"] == "it failed"
        assert "ValueError: two" in json.loads(line)["trace"]
        assert isinstance(logging.getLogger("uvicorn").handlers[0].formatter, JsonLines)
    finally:
        for logger, handlers, propagate, level in before:
            logger.handlers, logger.propagate = handlers, propagate
            logger.setLevel(level)


def test_repeated_lines_are_counted_instead_of_written() -> None:
    moment, stream = 0.0, io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.addFilter(RepeatedLines(lambda: moment))
    logger = logging.Logger("x")
    logger.addHandler(handler)
    for number in range(5000):
        logger.error("too many open files: %d", number)
    logger.error("another")
    assert stream.getvalue().splitlines() == [
        *(f"too many open files: {number}" for number in range(10)),
        "another",
    ]
    moment = 10.5
    logger.error("too many open files: %d", 7)
    last = stream.getvalue().splitlines()[-1]
    assert last == "too many open files: 7 (4,990 more like this were omitted)"
