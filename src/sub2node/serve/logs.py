"""The log of the service: JSON, one line per event, on stderr."""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime

_LONGEST_PATH = 200
_MOST_ALIKE = 10  # lines of one kind in each window
_WINDOW = 10.0  # seconds
_MOST_KINDS = 1000


class RepeatedLines(logging.Filter):
    """Lets the first lines of a kind through in each window, then one that counts the rest.

    A kind is one message of the program, whatever its values; with many clients or too few file
    handles the same one may come a thousand times a second.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._windows: dict[tuple[object, ...], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the line is written."""
        error = record.exc_info[0] if record.exc_info else None
        kind = (record.name, record.levelno, str(record.msg)[:_LONGEST_PATH], error)
        now = self._clock()
        begin, count = self._windows.get(kind, (now, 0))
        omitted = max(count - _MOST_ALIKE, 0)
        if now - begin >= _WINDOW:
            begin, count = now, 0
            if omitted:
                record.msg = f"{record.getMessage()} ({omitted:,} more like this were omitted)"
                record.args = ()
        if kind not in self._windows and len(self._windows) >= _MOST_KINDS:
            self._windows.clear()
        self._windows[kind] = begin, count + 1
        return count < _MOST_ALIKE


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
    handler.addFilter(RepeatedLines())
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
