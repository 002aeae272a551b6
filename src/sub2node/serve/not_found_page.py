"""What a person sees at an address that does not exist; programs get JSON."""

from __future__ import annotations

from html import escape

from starlette.requests import Request


def wants_html(request: Request) -> bool:
    """Whether a browser asks for a page: it names HTML before, or instead of, JSON.

    The first match in the header wins; browsers name HTML first, ``*/*`` alone is a program.
    """
    if request.method not in ("GET", "HEAD"):
        return False
    kinds = [
        part.partition(";")[0].strip() for part in request.headers.get("accept", "").split(",")
    ]
    named = [kind for kind in kinds if kind in ("text/html", "application/json")]
    return named[:1] == ["text/html"]


def not_found_page(path: str) -> str:
    """A page that says so and leads to the start, by links that hold behind a prefix too.

    Args:
        path: The path that was asked for, as in ``/predict/this``.
    """
    home = "../" * (path.count("/") - 1) or "./"
    address = path if len(path) <= 100 else f"{path[:99]}…"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        "<title>Not found – sub2node</title>\n"
        f'<link rel="icon" href="{home}static/icon.svg" type="image/svg+xml">\n'
        f'<link rel="stylesheet" href="{home}static/style.css">\n</head>\n<body>\n'
        '<header class="top"><div class="wrap"><p class="brand">sub2node</p>\n'
        "<h1>There is no page here</h1></div></header>\n"
        '<main class="wrap lost-page"><div class="card">\n'
        f"<p><code>{escape(address)}</code> is not an address of this service.</p>\n"
        f'<p><a class="button primary" href="{home}">Ask the model</a></p>\n'
        f'<p class="soft">Programs find every address in the <a href="{home}docs">description of'
        " the HTTP interface</a>.</p>\n</div></main>\n</body>\n</html>\n"
    )
