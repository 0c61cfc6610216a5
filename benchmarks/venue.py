"""`crossdesk bench venue`: commands a second that a paper venue answers over several connections, beside a bare server."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, Self

import aiohttp
import click
import msgspec

from benchmarks.desk.terminal import TOP
from benchmarks.result import json_option, median_quantile, rounded, write
from benchmarks.rig.engine_rig import STILL, SYM
from tui.cli.paper_venue import PaperVenue
from tui.client.signer import Secret, Signer
from tui.host import HostClock
from tui.interface import streams
from tui.interface.families.orders import CancelOrder, PlaceOrder
from tui.interface.request import arguments_of

CLIENTS = (1, 8)
WINDOW = 32
"""Commands that are under way at a time."""
PRICE = "60000.0"
"""Far below the market: nothing fills."""
PATIENCE_S = 60.0
_TEXT = msgspec.json.Decoder(type=dict[str, Any])


class Client:
    """One connection of the private stream."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._replies: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self._numbers = 0
        self.pushes = 0
        self._awaited = b""
        self._seen = asyncio.Event()
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def connect(cls, session: aiohttp.ClientSession, url: str, login: Callable[[], dict[str, Any]]) -> Self:
        """Open it and log in."""
        client = cls(await session.ws_connect(url, compress=0))
        await client.send(streams.LOGIN, login())
        return client

    async def send(self, action: str, args: dict[str, Any]) -> dict[str, Any]:
        """Send a command and return its reply."""
        self._numbers += 1
        reply = self._replies[str(self._numbers)] = asyncio.get_running_loop().create_future()
        await self._socket.send_str(streams.action_frame(str(self._numbers), action, args).decode())
        return await asyncio.wait_for(reply, PATIENCE_S)

    def await_push(self, text: str) -> asyncio.Event:
        """Set once a push holds this text."""
        self._awaited, self._seen = text.encode(), asyncio.Event()
        return self._seen

    async def _read(self) -> None:
        async for message in self._socket:
            text = message.data.encode() if isinstance(message.data, str) else message.data
            if b'"channel"' in text:
                self.pushes += 1
                if self._awaited and self._awaited in text:
                    self._seen.set()
                continue
            said = _TEXT.decode(text) if text[:1] == b"{" else {}
            reply = self._replies.pop(str(said.get("id")), None)
            if reply is not None:
                reply.set_result(said)

    async def close(self) -> None:
        await self._socket.close()
        await self._reading


class Measured:
    """Rounds with one number of clients."""

    def __init__(self) -> None:
        self.commands: list[float] = []
        self.pushes: list[float] = []

    def figures(self) -> dict[str, float]:
        return {
            "commands per s": rounded(median(self.commands)),
            "pushes per s, all clients": rounded(median(self.pushes)),
        }


async def _command(client: Client, name: str) -> float:
    """Place an order and cancel it; the time of the placing, ms.

    Raises:
        click.ClickException: the venue refused one of them.
    """
    place = PlaceOrder(
        client_order_id=name, sym=SYM, side="BUY", order_type="LIMIT", order_qty="0.01", limit_price=PRICE,
        time_in_force="GTC", reduce_only=False,
    )  # fmt: skip
    began = time.perf_counter()
    replies = [await client.send("place_order", arguments_of(place))]
    took = (time.perf_counter() - began) * 1000
    replies.append(await client.send("cancel_order", arguments_of(CancelOrder(client_order_id=name))))
    for reply in replies:
        if str(reply.get("code")) not in ("200000", "0"):
            raise click.ClickException(f"the venue refused a command: {reply}")
    return took


async def _flood(clients: Sequence[Client], orders: int, name: str) -> tuple[float, float]:
    """Commands a second, and pushes a second to all clients together."""
    before = sum(client.pushes for client in clients)
    began = time.perf_counter()
    left = iter(range(orders))

    async def trade(client: Client) -> None:
        for number in left:
            await _command(client, f"{name}n{number}")

    await asyncio.gather(*(trade(clients[at % len(clients)]) for at in range(WINDOW)))
    took = time.perf_counter() - began
    seen = [client.await_push(f"{name}last") for client in clients]
    await _command(clients[0], f"{name}last")
    await asyncio.wait_for(asyncio.gather(*(one.wait() for one in seen)), PATIENCE_S)
    pushed = sum(client.pushes for client in clients) - before
    return 2 * orders / took, pushed / (time.perf_counter() - began)


class BareServer:
    """Process of the bare server."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.rig.bare_server"], cwd=TOP, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def wait_until_ready(self) -> str:
        """Wait for its address."""
        assert self._process.stdout is not None
        url: str = json.loads(self._process.stdout.readline())["url"]
        return url

    def stop(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


async def measure(counts: Sequence[int], orders: int, rounds: int) -> dict[str, dict[str, dict[str, float]]]:
    """Medians by number of clients, and the round trip of single commands; of a venue with and without a state file."""
    found = {}
    with tempfile.TemporaryDirectory(prefix="crossdesk-bench-") as folder:
        for kind, more in {"in memory": (), "state on disk": ("--state", str(Path(folder) / "venue.db"))}.items():
            venue = PaperVenue([*STILL, *more], Path(folder) / "venue.log")
            try:
                ready = await asyncio.to_thread(venue.wait_until_ready)
                key = ready.key("main")
                signer = Signer(key.api_key, Secret(key.api_secret), HostClock())
                login = partial(signer.login_args, private=True)
                found[kind] = await _measure_on(ready.private_ws_url, login, counts, orders, rounds)
            finally:
                await asyncio.to_thread(venue.stop)
    server = BareServer()
    try:
        url = await asyncio.to_thread(server.wait_until_ready)
        found["bare server"] = await _measure_on(url, dict, counts, orders, rounds)
    finally:
        await asyncio.to_thread(server.stop)
    return found


async def _measure_on(
    url: str, login: Callable[[], dict[str, Any]], counts: Sequence[int], orders: int, rounds: int
) -> dict[str, dict[str, float]]:
    found = {count: Measured() for count in counts}
    trips: list[list[float]] = []
    async with aiohttp.ClientSession() as session:
        for turn in range(rounds):
            for count in counts:
                clients = [await Client.connect(session, url, login) for _ in range(count)]
                commands, pushes = await _flood(clients, orders, f"t{turn}c{count}")
                found[count].commands.append(commands)
                found[count].pushes.append(pushes)
                if count == min(counts):
                    trips.append([await _command(clients[0], f"r{turn}n{number}") for number in range(orders // 4)])
                for client in clients:
                    await client.close()
    single = {"p50 ms": rounded(median_quantile(trips, 0.5)), "p99 ms": rounded(median_quantile(trips, 0.99))}
    return {"round trip of one command": single, **{f"{count} clients": one.figures() for count, one in found.items()}}


@click.command()
@click.option(
    "--orders", default=1000, show_default=True, type=click.IntRange(8), help="Placed and cancelled, a round."
)
@click.option("--rounds", default=5, show_default=True, type=click.IntRange(1, 100))
@json_option
def command(orders: int, rounds: int, target: Path | None) -> None:
    """A venue process; with its state on disk every command is kept there before it is answered. Beside it a bare server."""
    results = asyncio.run(measure(CLIENTS, orders, rounds))
    for kind, found in results.items():
        click.echo(f"{kind}:")
        for name, figures in found.items():
            click.echo(f"  {name:26} " + ", ".join(f"{key} {value:g}" for key, value in figures.items()))
    if target is not None:
        write(target, {"orders": orders, "rounds": rounds, "window": WINDOW, "results": results})
