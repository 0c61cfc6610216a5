"""The least that a venue over the same library does for a command: read the frame, answer it, push it to every client.

Prints its address as one line of JSON and ends when its standard input closes.
"""

from __future__ import annotations

import asyncio
import json
import sys

import msgspec
from aiohttp import WSMsgType, web

PUSHES = 2
"""Pushes of an order for each command, as from a venue whose orders do not trade: the order and the account."""
_clients: set[web.WebSocketResponse] = set()


async def serve(request: web.Request) -> web.WebSocketResponse:
    """Answer every action with success; a placed order gets its own id as the id of the order."""
    socket = web.WebSocketResponse(compress=False)
    await socket.prepare(request)
    _clients.add(socket)
    try:
        async for message in socket:
            if message.type is not WSMsgType.TEXT:
                break
            said = msgspec.json.decode(message.data)
            name = said["args"].get("clientOrderId", "")
            reply = {"id": said["id"], "event": said["action"], "code": 200000, "data": {"clientOrderId": name}}
            await socket.send_str(msgspec.json.encode(reply).decode())
            if name:
                push = msgspec.json.encode({"channel": "Orders", "data": {"clientOrderId": name}}).decode()
                for _ in range(PUSHES):
                    for client in _clients:
                        await client.send_str(push)
    finally:
        _clients.discard(socket)
    return socket


async def main() -> None:
    """Serve until the parent is gone."""
    app = web.Application()
    app.router.add_get("/", serve)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    print(json.dumps({"url": f"ws://127.0.0.1:{runner.addresses[0][1]}/"}), flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await runner.cleanup()


if __name__ == "__main__":
    asyncio.run(main())
