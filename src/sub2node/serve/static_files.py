"""The static files of the page, read once, with an ETag so that browsers fetch only changes."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import Response

_TYPES = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
}


@dataclass(frozen=True)
class PageFile:
    """A file of the page.

    Args:
        path: Path of the file in the service.
        content: Bytes of the file.
        media_type: Content-Type of the file.
    """

    path: str
    content: bytes
    media_type: str

    async def respond(self, request: Request) -> Response:
        """The file, or 304 where the client has it."""
        tag = f'"{sha256(self.content).hexdigest()[:32]}"'
        headers = {"ETag": tag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
        if tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        content = self.content
        if "gzip" in request.headers.get("accept-encoding", ""):
            content, headers["Content-Encoding"] = self.packed, "gzip"
        return Response(content, headers=headers, media_type=self.media_type)

    @cached_property
    def packed(self) -> bytes:
        """The content as gzip."""
        return gzip.compress(self.content, mtime=0)


@cache
def page_files() -> tuple[PageFile, ...]:
    """The files of the page: ``index.html`` at ``/``, the others below ``/static/``."""
    folder = files(__package__) / "page"
    if not folder.is_dir():
        return ()
    page = []
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        kind = _TYPES.get(file.name.rpartition(".")[2])
        if kind is not None and file.is_file():
            path = "/" if file.name == "index.html" else f"/static/{file.name}"
            page.append(PageFile(path, file.read_bytes(), kind))
    return tuple(page)
