"""`crossdesk bench stream`: quotes from socket to table, beside the bare receive loop of the same library and picows."""

from __future__ import annotations

import asyncio
import importlib.util
import time
import zlib
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import click
import msgspec

from benchmarks.result import json_option, rounded, write
from benchmarks.rig.engine_rig import QuoteFeed
from benchmarks.rig.quote_feed import LAST_BID, symbols
from tui.client.aiohttp_adapter import open_session, open_socket
from tui.client.connection_status import Phase
from tui.client.flood.beat import Beat
from tui.client.public.connection import PublicConnection
from tui.client.settings import Timings
from tui.client.skew import Skew
from tui.engine.conflating_queue import ConflatingQueue
from tui.engine.state.quotes import Quotes
from tui.engine.state.tickers import Tickers
from tui.host import HostClock, HostConnector, fresh_random_source
from tui.interface.families.market import Bbo
from tui.interface.streams import PushFrame

FORMS = ("gzip", "text")
OURS, BARE, DECODED, PICOWS = (
    "socket to table",
    "aiohttp, bare receive",
    "aiohttp, receive and decode",
    "picows, bare receive",
)


class Taken:
    """What one variant took: messages, seconds on the clock, seconds of a core."""

    def __init__(self) -> None:
        self._wall, self._core = time.perf_counter(), time.process_time()

    def figures(self, count: int) -> tuple[float, float]:
        """Messages per second, and µs of a core per message."""
        wall, core = time.perf_counter() - self._wall, time.process_time() - self._core
        return count / wall, core / count * 1e6


class Feeds:
    """One feed for each form of frame, and what is read from them."""

    def __init__(self, pairs: int, count: int) -> None:
        self.pairs, self.count = pairs, count
        self.of = {form: QuoteFeed(pairs, form) for form in FORMS}
        urls = tuple(feed.url for feed in self.of.values())
        self.connector = HostConnector(urls, loopback_only=True)

    def stop(self) -> None:
        for feed in self.of.values():
            feed.stop()


async def receive_bare(feeds: Feeds, form: str) -> tuple[float, float]:
    """Count messages as the library hands them over."""
    async with open_session(feeds.connector) as session:
        socket = await open_socket(session, feeds.of[form].url)
        left = feeds.count + feeds.pairs
        taken = Taken()
        feeds.of[form].flood(feeds.count)
        while left:
            await socket.receive()
            left -= 1
        figures = taken.figures(feeds.count)
        await socket.close()
        return figures


async def receive_and_decode(feeds: Feeds, form: str) -> tuple[float, float]:
    """The same with a bare unzip and a bare decode of each message."""
    decode = msgspec.json.Decoder(PushFrame[Bbo]).decode
    async with open_session(feeds.connector) as session:
        socket = await open_socket(session, feeds.of[form].url)
        left = feeds.count + feeds.pairs
        taken = Taken()
        feeds.of[form].flood(feeds.count)
        while left:
            message = await socket.receive()
            decode(message.data if form == "text" else zlib.decompress(message.data, 31))
            left -= 1
        figures = taken.figures(feeds.count)
        await socket.close()
        return figures


class _Quiet:
    """Nobody is told of subscriptions and phases."""

    def on_subscription(self, sym: str, reason: str, *, ok: bool) -> None: ...

    def unreadable(self, channel: str, reason: str) -> None: ...

    def public_changed(self) -> None: ...


async def receive_ours(feeds: Feeds, form: str) -> tuple[float, float]:
    """The connection of the program: bounds, cleaning, fold into the table, hand-over to the screen."""
    clock, updates = HostClock(), ConflatingQueue()
    updates.attach(lambda **_urgent: None)
    quotes, tickers = Quotes(updates), Tickers(updates)
    async with open_session(feeds.connector) as session:
        connection = PublicConnection(
            1, feeds.of[form].url, session=session, signer=None, clock=clock, random_source=fresh_random_source(),
            timings=Timings(), skew=Skew(clock), quotes=quotes, tickers=tickers, handler=_Quiet(),
            beat=Beat(quotes, clock),
        )  # fmt: skip
        connection.syms.update(dict.fromkeys(symbols(feeds.pairs)))
        running = asyncio.create_task(connection.run())
        while connection.status.phase is not Phase.READY:  # noqa: ASYNC110  # nothing tells of it
            await asyncio.sleep(0.005)
        taken = Taken()
        feeds.of[form].flood(feeds.count)
        last = str(LAST_BID)
        while any((row := quotes.rows.get(sym)) is None or row.bid != last for sym in connection.syms):  # noqa: ASYNC110
            await asyncio.sleep(0.005)
        figures = taken.figures(feeds.count)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        return figures


async def receive_picows(feeds: Feeds, form: str) -> tuple[float, float]:
    """Count messages as picows hands them over."""
    picows: Any = importlib.import_module("picows")
    done = asyncio.get_running_loop().create_future()
    left = feeds.count + feeds.pairs

    class Listener(picows.WSListener):  # type: ignore[misc]
        def on_ws_frame(self, _transport: Any, _frame: Any) -> None:
            nonlocal left
            left -= 1
            if not left:
                done.set_result(None)

    transport, _ = await picows.ws_connect(Listener, feeds.of[form].url)
    taken = Taken()
    feeds.of[form].flood(feeds.count)
    await done
    figures = taken.figures(feeds.count)
    transport.disconnect()
    return figures


Receive = Callable[[Feeds, str], Awaitable[tuple[float, float]]]


def variants() -> dict[str, Receive]:
    """What is compared; picows only where it is installed."""
    found: dict[str, Receive] = {BARE: receive_bare, DECODED: receive_and_decode, OURS: receive_ours}
    if importlib.util.find_spec("picows") is not None:
        found[PICOWS] = receive_picows
    return found


async def measure(pairs: int, count: int, rounds: int) -> dict[str, Any]:
    """Medians by form and variant, and the share of the bare rate; all variants in turn, round after round."""
    feeds, compared = Feeds(pairs, count), variants()
    seen: dict[str, dict[str, list[tuple[float, float]]]] = {form: {name: [] for name in compared} for form in FORMS}
    try:
        for _ in range(rounds):
            for form in FORMS:
                for name, receive in compared.items():
                    seen[form][name].append(await receive(feeds, form))
    finally:
        feeds.stop()
    results: dict[str, Any] = {form: _figures(found) for form, found in seen.items()}
    # A core is what both loops use up; their rates also depend on how much of it the machine gave them. The goal is one
    # for plain text, as the bare loops it comes from: of gzip frames the unzipping alone takes as long as receiving them.
    shares = {form: rounded(1 / found[OURS]["core of bare"]) for form, found in results.items()}
    return {"of_bare": shares["text"], "of_bare_gzip": shares["gzip"], **results}


def _figures(found: dict[str, list[tuple[float, float]]]) -> dict[str, dict[str, float]]:
    def of_bare(runs: Sequence[tuple[float, float]], at: int) -> float:
        return median(run[at] / bare[at] for run, bare in zip(runs, found[BARE], strict=True))

    return {
        name: {
            "messages per s": rounded(median(run[0] for run in runs)),
            "core us per message": rounded(median(run[1] for run in runs)),
            "rate of bare": rounded(of_bare(runs, 0)),
            "core of bare": rounded(of_bare(runs, 1)),
        }
        for name, runs in found.items()
    }


@click.command()
@click.option("--pairs", default=20, show_default=True, type=click.IntRange(1, 500))
@click.option("--count", default=100_000, show_default=True, type=click.IntRange(100), help="Messages of a run.")
@click.option("--rounds", default=5, show_default=True, type=click.IntRange(1, 100))
@json_option
def command(pairs: int, count: int, rounds: int, target: Path | None) -> None:
    """A flood of quotes of 200 bytes on loopback: gzip frames as the service sends them, and plain text."""
    results = asyncio.run(measure(pairs, count, rounds))
    for form in FORMS:
        click.echo(f"{form}:")
        for name, figures in results[form].items():
            click.echo(f"  {name:28} " + ", ".join(f"{key} {value:g}" for key, value in figures.items()))
    of_text, of_gzip = results["of_bare"], results["of_bare_gzip"]
    click.echo(f"socket to table, of the bare receive loop per core: {of_text:g} with text, {of_gzip:g} with gzip")
    if PICOWS not in results[FORMS[0]]:
        click.echo("picows is not installed: `uv sync --group bench` brings it")
    if target is not None:
        write(target, {"pairs": pairs, "messages": count, "rounds": rounds, "results": results})
