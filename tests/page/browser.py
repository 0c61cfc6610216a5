"""A real browser without a window, spoken to over its debugging protocol."""

from __future__ import annotations

import asyncio
import itertools
import json
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import aiohttp

PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
START_S = 30.0


class Tab:
    """Tab of the browser."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self.events: list[dict[str, Any]] = []
        self._reading = asyncio.ensure_future(self._read())

    async def _read(self) -> None:
        async for message in self._socket:
            data = json.loads(message.data)
            if "id" in data:
                self._waiting.pop(data["id"]).set_result(data)
            else:
                self.events.append(data)

    async def call(self, method: str, **params: Any) -> Any:
        """Call a method; its result is the answer."""
        number = next(self._numbers)
        self._waiting[number] = asyncio.get_running_loop().create_future()
        await self._socket.send_json({"id": number, "method": method, "params": params})
        answer = await asyncio.wait_for(self._waiting[number], START_S)
        assert "error" not in answer, answer
        return answer["result"]

    async def value(self, expression: str) -> Any:
        """Compute an expression in the page."""
        result = await self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    async def until(self, expression: str) -> None:
        """Wait until an expression is true in the page."""
        async with asyncio.timeout(START_S):
            while not await self.value(expression):
                await asyncio.sleep(0.05)

    def named(self, method: str) -> list[dict[str, Any]]:
        """List the events of a name that have come."""
        return [event["params"] for event in self.events if event["method"] == method]

    async def close(self) -> None:
        self._reading.cancel()
        await self._socket.close()


@asynccontextmanager
async def open_tab(folder: Path) -> AsyncIterator[Tab]:
    """Start the browser with an empty tab."""
    assert PROGRAM is not None
    process = await asyncio.create_subprocess_exec(
        PROGRAM, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", f"--user-data-dir={folder}",
        "--remote-debugging-port=0", "about:blank",
        stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    try:
        place = folder / "DevToolsActivePort"
        async with asyncio.timeout(START_S):
            while not (place.exists() and place.read_text().count("\n")):
                await asyncio.sleep(0.05)
        port = place.read_text().split("\n")[0]
        async with aiohttp.ClientSession() as client:
            async with client.get(f"http://127.0.0.1:{port}/json") as answer:
                address = next(tab["webSocketDebuggerUrl"] for tab in await answer.json() if tab["type"] == "page")
            tab = Tab(await client.ws_connect(address, max_msg_size=0))
            for domain in ("Page", "Runtime", "Network", "Log"):
                await tab.call(f"{domain}.enable")
            yield tab
            await tab.close()
    finally:
        with suppress(ProcessLookupError):
            process.terminate()
        await process.wait()
