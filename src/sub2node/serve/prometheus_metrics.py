"""Counters of the service in Prometheus' text format."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)


class Histogram:
    """How often a value fell below each bound; only one thread may add to it."""

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0

    def add(self, value: float) -> None:
        """Count one value."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    def lines(self, name: str, labels: str = "") -> Iterator[str]:
        """The samples; ``labels`` as ``path="/"``, or empty."""
        comma, cumulative = "," if labels else "", 0
        braced = f"{{{labels}}}" if labels else ""
        for bound, count in zip((*self.bounds, float("inf")), tuple(self.counts), strict=True):
            cumulative += count
            limit = "+Inf" if bound == float("inf") else f"{bound:g}"
            yield f'{name}_bucket{{{labels}{comma}le="{limit}"}} {cumulative}'
        yield f"{name}_sum{braced} {self.total:.9g}"
        yield f"{name}_count{braced} {cumulative}"


class Metrics:
    """The counters of the service.

    Requests are counted by the event loop's thread, batches by the model's; so no lock is needed.

    Args:
        paths: Paths that are counted by name; any other is ``other``, so that what clients make up
            cannot fill the memory.
        queue_length: Returns how many requests wait for the model.
    """

    def __init__(self, paths: Sequence[str], queue_length: Callable[[], int]) -> None:
        self._paths = frozenset(paths)
        self._queue_length = queue_length
        self.in_flight = 0
        self.subgraphs = 0
        self._requests: defaultdict[tuple[str, int], int] = defaultdict(int)
        self._seconds: defaultdict[str, Histogram] = defaultdict(lambda: Histogram(_SECONDS))
        self.batch_subgraphs = Histogram(_SIZES)
        self.batch_requests = Histogram(_SIZES)

    def count_request(self, path: str, status: int, *, seconds: float, subgraphs: int) -> None:
        """Count a request that has its answer."""
        counted = path if path in self._paths else "other"
        self._requests[counted, status] += 1
        self._seconds[counted].add(seconds)
        self.subgraphs += subgraphs

    def count_pass(self, subgraphs: int, requests: int) -> None:
        """Count a pass through the model."""
        self.batch_subgraphs.add(subgraphs)
        self.batch_requests.add(requests)

    def text(self) -> str:
        """All counters in the format of Prometheus."""
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        yield from _header_lines("s2n_requests_total", "counter", "Requests answered.")
        for (path, status), count in sorted(self._requests.items()):
            yield f's2n_requests_total{{path="{path}",status="{status}"}} {count}'
        yield from _header_lines(
            "s2n_request_seconds", "histogram", "From a request to its answer."
        )
        for path, seconds in sorted(self._seconds.items()):
            yield from seconds.lines("s2n_request_seconds", f'path="{path}"')
        yield from _header_lines("s2n_subgraphs_total", "counter", "Subgraphs in requests.")
        yield f"s2n_subgraphs_total {self.subgraphs}"
        yield from _header_lines(
            "s2n_batch_subgraphs", "histogram", "Subgraphs in a pass of the model."
        )
        yield from self.batch_subgraphs.lines("s2n_batch_subgraphs")
        yield from _header_lines(
            "s2n_batch_requests", "histogram", "Requests in a pass of the model."
        )
        yield from self.batch_requests.lines("s2n_batch_requests")
        yield from _header_lines("s2n_queue_length", "gauge", "Requests that wait for the model.")
        yield f"s2n_queue_length {self._queue_length()}"
        yield from _header_lines(
            "s2n_requests_in_flight", "gauge", "Requests without an answer yet."
        )
        yield f"s2n_requests_in_flight {self.in_flight}"


def _header_lines(name: str, kind: str, text: str) -> tuple[str, str]:
    return f"# HELP {name} {text}", f"# TYPE {name} {kind}"
