"""``s2n serve``: a model as an HTTP service with a page."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from ..base.errors import MissingExtraError
from ..base.progress import activity
from .options import DataName
from .output import console, errors, progress, say, show_notes


def serve(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="The folder of a model.", show_default=False)
    ],
    *,
    host: Annotated[
        str, typer.Option("--host", help="The address to listen on; 0.0.0.0 for all.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="The port; 0 takes a free one.")
    ] = 8000,
    name: DataName = "",
    token_file: Annotated[
        Path | None,
        typer.Option(
            "--token-file",
            help="A file with the token that requests must show; else S2N_TOKEN is read.",
        ),
    ] = None,
    allowed_host: Annotated[
        list[str] | None,
        typer.Option(
            "--allowed-host",
            metavar="NAME",
            help="A name under which others reach it, as behind a proxy; repeatable. Requests for"
            " other names than localhost are refused ('*': none).",
            show_default=False,
        ),
    ] = None,
    max_connections: Annotated[
        int,
        typer.Option(
            "--max-connections", min=1, help="Most connections at a time; others get a 503."
        ),
    ] = 512,
    max_nodes: Annotated[
        int, typer.Option("--max-nodes", min=1, help="Most nodes in a subgraph.")
    ] = 10_000,
    max_subgraphs: Annotated[
        int, typer.Option("--max-subgraphs", min=1, help="Most subgraphs in a request.")
    ] = 1000,
    max_explained_nodes: Annotated[
        int,
        typer.Option(
            "--max-explained-nodes", min=1, help="Most nodes in a subgraph that is explained."
        ),
    ] = 1000,
    timeout: Annotated[
        float, typer.Option("--timeout", min=0.1, help="Seconds a request may take.")
    ] = 30.0,
) -> None:
    """Serve a model as a page for people and JSON for programs.

    Examples:
        s2n serve my-model
        s2n serve my-model --port 8080 --token-file secret.txt

    Only this machine can reach it unless --host says otherwise. The log goes to stderr, one line of
    JSON per request. SIGTERM or Ctrl-C stops it after the last accepted request is answered.
    """
    try:
        import fastapi  # noqa: F401
        import uvicorn  # noqa: F401
    except ModuleNotFoundError as error:
        raise MissingExtraError(error.name or "fastapi", "serve", "s2n serve") from None
    import torch

    from ..scoring import load_scorer
    from ..serve.request_limits import Limits, read_token
    from ..serve.server import serve as run_server

    limits = Limits(
        subgraphs=max_subgraphs,
        nodes=max_nodes,
        explained_nodes=max_explained_nodes,
        timeout=timeout,
        connections=max_connections,
    )
    token = read_token(token_file, os.environ)
    torch.set_num_threads(1)  # subgraphs are small: threads would only wait for each other
    with progress(), activity(f"Loading {model}"):
        scorer = load_scorer(model)
    show_notes(scorer.card.get("notes", ()), to=errors)

    def announce(address: str) -> None:
        say("Serving", f"{model} on {address} (docs at {address}/docs)", style="green")
        console.file.flush()

    run_server(
        scorer,
        host=host,
        port=port,
        limits=limits,
        token=token,
        name=name,
        allowed_hosts=allowed_host or (),
        ready=announce,
    )
