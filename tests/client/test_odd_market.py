"""Market data in the forms that services send it: both editions are read, and what is only shown never costs the quotes."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from decimal import Decimal

import aiohttp
import msgspec
import pytest

from tests.client.fakes import FakeService, serving, until
from tui.client.connection_status import Phase
from tui.client.decode import Reader
from tui.client.flood.beat import Beat
from tui.client.public.connection import PublicConnection
from tui.client.settings import Timings
from tui.client.skew import Skew
from tui.host import HostClock, SeededRandomSource
from tui.interface.families.market import Bbo, InterestPush, KlineRow, MarkPush, TickerPush

PERP = "BINANCE_PERP_BTC_USDT"
FULLER = {
    "last": "70306.3", "open24h": "68646.9", "high24h": "71789.8", "low24h": "67456.7",
    "vol24h": "19684067891.06", "vol24v": "280148.509", "chg": "0.024173", "ts": "1774331168234",
}  # fmt: skip
SHORT = {"last": "70306.3", "high24h": "71789.8", "low24h": "67456.7", "vol24h": "280148.509", "chg": "2.42", "ts": 1}


class Sink:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.quotes: list[Bbo] = []
        self.marks: list[str] = []
        self.tickers: list[TickerPush] = []
        self.interests: list[str] = []
        self.unread: list[str] = []

    def begin_burst(self) -> None: ...

    def end_burst(self) -> None: ...

    def bbo(self, sym: str, quote: Bbo, received: float) -> None:
        self.quotes.append(quote)

    def last_ts(self, sym: str) -> int:
        return int(self.quotes[-1].ts) if self.quotes else 0

    def mark(self, sym: str, mark: MarkPush) -> None:
        self.marks.append(mark.mark)

    def ticker(self, sym: str, push: TickerPush) -> None:
        self.tickers.append(push)

    def interest(self, sym: str, push: InterestPush) -> None:
        self.interests.append(push.open_interest)

    def on_subscription(self, sym: str, reason: str, *, ok: bool) -> None: ...

    def unreadable(self, channel: str, reason: str) -> None:
        self.unread.append(channel)

    def public_changed(self) -> None: ...


@asynccontextmanager
async def connected() -> AsyncIterator[tuple[FakeService, PublicConnection, Sink]]:
    """A connection that is subscribed to one perpetual."""
    clock, sink = HostClock(), Sink()
    async with serving() as (fake, service), aiohttp.ClientSession() as session:
        connection = PublicConnection(
            1,
            service.public_ws_url,
            session=session,
            signer=None,
            clock=clock,
            random_source=SeededRandomSource(1),
            timings=Timings(),
            skew=Skew(clock),
            quotes=sink,
            tickers=sink,
            handler=sink,
            beat=Beat(sink, clock),
        )
        connection.syms[PERP] = None
        running = asyncio.create_task(connection.run())
        try:
            await until(lambda: connection.status.phase is Phase.READY)
            yield fake, connection, sink
        finally:
            running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await running


async def push(fake: FakeService, channel: str, data: object) -> None:
    for socket in fake.publics:
        await socket.send_str(json.dumps({"arg": {"channel": channel, "sym": PERP}, "data": data}))


@pytest.mark.parametrize("listed", [False, True], ids=["object", "array of one"])
async def test_market_data_as_object_or_one_row_array_is_read(listed: bool) -> None:
    async with connected() as (fake, _, sink):
        for channel, data in (
            ("BBO", {"bid": "1", "bidqty": "2", "ask": "3", "askqty": "4", "ts": "5"}),
            ("MARK_PRICE", {"markpx": "81400.12", "ts": "5"}),
            ("OPEN_INTEREST", {"open_interest": "85432.120", "ts": "5"}),
            ("TICKER", FULLER),
            ("TICKER", SHORT),
        ):
            await push(fake, channel, [data] if listed else data)
        await until(lambda: len(sink.tickers) == 2)
        assert [quote.ask for quote in sink.quotes] == ["3"]
        assert (sink.marks, sink.interests) == (["81400.12"], ["85432.120"])
        assert [Decimal(one.percent) for one in sink.tickers] == [Decimal("2.4173"), Decimal("2.42")]
        assert not sink.unread


@pytest.mark.parametrize("channel", ["TICKER", "MARK_PRICE", "OPEN_INTEREST", "KLINE", "FUNDING"])
async def test_unreadable_detail_pushes_never_end_the_connection(channel: str) -> None:
    async with connected() as (fake, connection, sink):
        epoch = connection.status.epoch
        wrong: tuple[object, ...] = ([[]], "none", {"ts": []}, None, [[["deep"]]])
        for data in wrong * 8:
            await push(fake, channel, data)
        for socket in fake.publics:
            await socket.send_str(f'{{"arg":{{"channel":"{channel}","sym":"{PERP}"}},"data":[' + "[" * 600)
        await fake.quote(bid="60001", ts=2)
        await until(lambda: sink.quotes)
        assert (connection.status.epoch, connection.status.phase) == (epoch, Phase.READY)
        if channel in ("TICKER", "MARK_PRICE", "OPEN_INTEREST"):
            assert connection.status.bad_frames == len(sink.unread) == 41
            assert set(sink.unread) == {channel}


async def test_many_unreadable_quotes_end_the_connection() -> None:
    async with connected() as (fake, connection, _):
        for _ in range(Timings().bad_frames_limit):
            await push(fake, "BBO", {"bid": 1})
        await until(lambda: connection.status.epoch > 1)


@pytest.mark.parametrize(
    "row",
    [
        ["1774331880000", "70237.2", "70245.7", "70226.4", "70245.6", "26.861"],
        [1774331880000, "70237.2", "70245.7", "70226.4", "70245.6", "26.861", True],
    ],
    ids=["fuller", "short"],
)
def test_candles_of_both_formats_are_read(row: list[object]) -> None:
    (bar,) = Reader[list[KlineRow]](list[KlineRow]).read(msgspec.json.encode([row]))
    assert (int(bar.open_time), bar.close, bar.volume) == (1774331880000, "70245.6", "26.861")
