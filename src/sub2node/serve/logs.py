"""The log of the service: JSON, one line per event, on stderr."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime

_LONGEST_PATH = 200


class JsonLines(logging.Formatter):
    """A log record as one line of JSON; a stack trace is a field of it."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, without its end."""
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
        }
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return json.dumps(line)


def log_to_stderr() -> None:
    """Send the log of this service, and warnings of its server, to stderr as JSON."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    levels = {"sub2node": logging.INFO, "uvicorn": logging.WARNING, "asyncio": logging.WARNING}
    for name, level in levels.items():
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level)


def request_line(
    method: str, path: str, *, status: int, seconds: float, subgraphs: int, client: str | None
) -> str:
    """The log line of a request, without its body and its query."""
    line = {
        "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "level": "info",
        "method": method,
        "path": path[:_LONGEST_PATH],
        "status": status,
        "ms": round(seconds * 1e3, 2),
        "subgraphs": subgraphs,
        "client": client,
    }
    return json.dumps(line) + "\n"
