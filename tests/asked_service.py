"""A service around a model, asked without a server between."""

from __future__ import annotations

import asyncio

import httpx

from sub2node.serve.app import create_app


def ask_service(scorer, work):
    """What ``work(client)`` gives on a service around a model."""

    async def run():
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://s2n") as client:
            return await work(client)

    app = create_app(scorer)
    app.state.service.warm_up()
    try:
        return asyncio.run(run())
    finally:
        app.state.service.close()
