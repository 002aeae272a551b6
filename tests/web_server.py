"""A web server for a folder that answers as servers in the world do, well and badly."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit


@dataclass
class WebFolder:
    """A folder that is served.

    Args:
        folder: The folder.
        address: Its address, which the server fills in.
        ranges: Whether parts of files can be asked for.
        stops: After how many bytes the connection breaks, one number for each download.
        codes: What is answered instead of a file of this name.
        moved: Where the server sends whoever asks for a path.
        pages: Whether the server has a page for what is not there, without saying so.
        sized: Whether it tells the sizes of files.
        tag: What names the content of all files.
        asked: The files that were sent, with the place in each from which they were.
    """

    folder: Path
    address: str = ""
    ranges: bool = True
    stops: list[int] = field(default_factory=list)
    codes: dict[str, int] = field(default_factory=dict)
    moved: dict[str, str] = field(default_factory=dict)
    pages: bool = False
    sized: bool = True
    tag: str = '"1"'
    asked: list[tuple[str, int]] = field(default_factory=list)


@contextmanager
def served(folder: Path) -> Iterator[WebFolder]:
    """Serve a folder on this machine."""
    state = WebFolder(folder)

    class Handler(_Handler):
        web = state

    server = _Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    state.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    request_queue_size = 64  # with fewer, who asks for several at once may wait for a second


class _Handler(BaseHTTPRequestHandler):
    web: WebFolder

    def do_GET(self) -> None:
        web, name = self.web, unquote(urlsplit(self.path).path).lstrip("/")
        if name in web.moved:
            self._head(302, {"Location": web.moved[name]})
        elif name in web.codes:
            self._head(web.codes[name], {"Content-Length": "0"})
        elif (path := web.folder / name).is_file():
            self._send(name, path.read_bytes())
        elif web.pages:
            self._head(200, {"Content-Type": "text/html", "Content-Length": "2"}, b"no")
        else:
            self._head(404, {"Content-Length": "0"})

    def _send(self, name: str, content: bytes) -> None:
        web, first, last = self.web, 0, len(content) - 1
        code, headers = 200, {"ETag": web.tag} if web.tag else {}
        if web.ranges and (asked := self.headers["Range"]):
            start, _, end = asked.removeprefix("bytes=").partition("-")
            first, last = int(start), min(int(end or last), last)
            code = 206 if first <= last else 416
            span = f"{first}-{last}" if code == 206 else "*"
            headers["Content-Range"] = f"bytes {span}/{len(content)}"
        body = content[first : last + 1]
        if web.sized:
            headers["Content-Length"] = str(len(body))
        if self.headers["Range"] != "bytes=0-0":
            web.asked.append((name, first))
            if web.stops:
                body = body[: web.stops.pop(0)]
        self._head(code, headers, body)

    def _head(self, code: int, headers: dict[str, str], body: bytes = b"") -> None:
        self.send_response(code)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            self.wfile.write(body)
        except ConnectionError:  # who asked knows enough
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        pass
