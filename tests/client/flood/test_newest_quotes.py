"""A connection that is behind: newest quotes win, nothing else is left out, and the loop is given away between parts."""

from __future__ import annotations

import asyncio
import json
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from types import SimpleNamespace
from typing import Any, cast

import aiohttp
import pytest
from aiohttp import WSMessage, WSMsgType
from hypothesis import given
from hypothesis import strategies as st

from tests.client.fakes import FakeClock
from tui.client import detail_stream
from tui.client.aiohttp_adapter import Socket
from tui.client.connection_status import LinkLost
from tui.client.decode import Reader, inflate
from tui.client.detail_stream import DetailStream
from tui.client.flood import burst_reader, newest_quotes
from tui.client.flood.beat import Beat
from tui.client.flood.burst_reader import (
    MOST_TURNS,
    TURN_FRAMES,
    TURN_PACKED,
    TURN_QUOTES,
)
from tui.client.flood.newest_quotes import FUTURE_MS
from tui.client.flood.pace import FAST_FRAMES, GATHER_S
from tui.client.public.connection import PublicConnection
from tui.client.settings import Timings
from tui.client.skew import Skew
from tui.engine.conflating_queue import ConflatingQueue
from tui.engine.rows import QuoteRow
from tui.engine.state.quotes import Quotes
from tui.engine.state.tickers import Tickers
from tui.host import SeededRandomSource
from tui.interface.families.market import BarPrice, BookPush, IndexPush, KlineRow, TradePush
from tui.interface.streams import Detail

PAIRS = tuple(f"BINANCE_PERP_P{number}_USDT" for number in range(5))
BASE = 1_700_000_000_000
PING = b"a ping of the protocol"


class Waiting:
    """A socket on which everything has arrived already; then the service closes."""

    close_code = None

    def __init__(self, frames: Iterable[bytes]) -> None:
        self._buffer = deque((_message(frame), 0) for frame in frames)
        self._reader = self
        self._response = SimpleNamespace(connection=None)
        self.received = 0
        self.when_empty: Callable[[], None] = lambda: None

    async def receive(self) -> WSMessage:
        while self._buffer and self._buffer[0][0].type is WSMsgType.PING:
            self._buffer.popleft()
        if self._buffer:
            return await self.read()
        self.when_empty()
        return WSMessage(WSMsgType.CLOSED, None, None)

    async def read(self) -> WSMessage:
        self.received += 1
        return self._buffer.popleft()[0]


def _message(frame: bytes) -> WSMessage:
    if frame == PING:
        return WSMessage(WSMsgType.PING, b"", None)
    return WSMessage(WSMsgType.TEXT if frame[:1] == b"{" else WSMsgType.BINARY, frame, None)


class Handler:
    """Notes what it is told."""

    def __init__(self) -> None:
        self.said: list[tuple[str, bool]] = []
        self.unread: list[str] = []

    def on_subscription(self, sym: str, reason: str, *, ok: bool) -> None:
        self.said.append((sym, ok))

    def unreadable(self, channel: str, reason: str) -> None:
        self.unread.append(channel)

    def public_changed(self) -> None: ...


class Desk:
    """A connection with its pairs, and the tables it fills."""

    def __init__(self, pairs: Iterable[str] = PAIRS) -> None:
        self.updates = ConflatingQueue()
        self.quotes, self.tickers, self.handler = Quotes(self.updates), Tickers(ConflatingQueue()), Handler()
        self.clock = FakeClock()
        self.beat = Beat(self.quotes, self.clock)
        self.connection = PublicConnection(
            1, "", session=cast(aiohttp.ClientSession, None), signer=None, clock=self.clock,
            random_source=SeededRandomSource(1), timings=Timings(bad_frames_limit=10_000), skew=Skew(self.clock),
            quotes=self.quotes, tickers=self.tickers, handler=self.handler, beat=self.beat,
        )  # fmt: skip
        self.connection.syms.update(dict.fromkeys(pairs))

    async def read(self, frames: Iterable[bytes], when_empty: Callable[[], None] = lambda: None) -> Waiting:
        """Take everything until the close, a second after what came before."""
        self.clock.advance(1.0)
        socket = Waiting(frames)
        socket.when_empty = when_empty
        with pytest.raises(LinkLost):
            await self.connection.reader.read(cast(Socket, socket))
        return socket

    def must_equal(self, other: Desk) -> None:
        """Quotes, tickers and what was said of subscriptions are the same."""
        assert self.shown() == other.shown()
        lasts, others = ({sym: row.last for sym, row in one.tickers.rows.items()} for one in (self, other))
        assert lasts == others
        assert self.handler.said == other.handler.said

    def shown(self) -> dict[str, tuple[str, int, str]]:
        return {sym: (row.bid, row.ts, row.mark) for sym, row in self.quotes.rows.items()}


def push(channel: str, sym: str, data: object) -> bytes:
    return json.dumps({"arg": {"channel": channel, "sym": sym}, "data": data}, separators=(",", ":")).encode()


def bbo(sym: str, bid: object, ts: object) -> bytes:
    return push("BBO", sym, {"bid": str(bid), "bidqty": "1", "ask": "2", "askqty": "1", "ts": ts})


def pack(text: bytes) -> bytes:
    packer = zlib.compressobj(1, zlib.DEFLATED, 31)
    return packer.compress(text) + packer.flush()


TIMES = st.one_of(st.integers(0, 9), st.sampled_from([FUTURE_MS - 1, FUTURE_MS, FUTURE_MS + 3, 3 * FUTURE_MS]))
QUOTES = st.tuples(st.sampled_from(PAIRS[:2]), TIMES, st.sampled_from(["text", "number", "list", "odd", "none"]))
OTHERS = st.tuples(
    st.sampled_from(PAIRS[:3]),
    st.integers(0, 9),
    st.sampled_from(["mark", "ticker", "broken", "event", "ping", "longer time"]),
)


def frame(number: int, what: tuple[str, int, str]) -> bytes:
    """One frame of the sequence; its number is the price."""
    sym, ts, form = what
    quote = {"bid": str(number), "bidqty": "1", "ask": "2", "askqty": "1", "ts": str(BASE + ts)}
    match form:
        case "mark":
            return push("MARK_PRICE", sym, {"markpx": str(number), "ts": BASE + ts})
        case "ticker":
            figures = {"last": str(number), "high24h": "1", "low24h": "1", "vol24h": "1", "chg": "0", "ts": 1}
            return push("TICKER", sym, figures)
        case "broken":
            return bbo(sym, number, str(BASE + ts))[:-9]
        case "event":
            return json.dumps({"event": "subscribe", "code": 0, "arg": [{"channel": "BBO", "sym": sym}]}).encode()
        case "ping":
            return PING
        case "longer time":
            return bbo(sym, number, str(10 * BASE + ts))
        case "number":
            return bbo(sym, number, BASE + ts)
        case "list":
            return push("BBO", sym, [quote, {**quote, "ts": str(BASE + ts + 1)}])
        case "odd":
            return push(
                "BBO", sym, {"ts": str(BASE + ts), **{key: value for key, value in quote.items() if key != "ts"}}
            )
        case "none":
            return bbo(sym, number, "soon")
    return bbo(sym, number, str(BASE + ts))


@given(st.lists(st.one_of(QUOTES, QUOTES, OTHERS), max_size=60), st.integers(1, 4), st.booleans())
async def test_skipping_old_quotes_gives_the_result_of_reading_all(
    script: list[tuple[str, int, str]], turn: int, packed: bool
) -> None:
    frames = [frame(number, what) for number, what in enumerate(script)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tui.client.flood.burst_reader.TURN_FRAMES", turn)
        patch.setattr("tui.client.flood.burst_reader.TURN_QUOTES", turn)
        behind, one_by_one = Desk(), Desk()
        for desk in (behind, one_by_one):
            for sym in PAIRS:
                desk.quotes.rows[sym] = QuoteRow(sym=sym)
        await behind.read(pack(one) if packed and one != PING else one for one in frames)
        for one in frames:
            await one_by_one.read([one])
    behind.must_equal(one_by_one)


class Counted:
    """Decoded frames, by the text they begin with."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.decoded = 0
        read = Reader.read

        def counted(reader: Reader[Any], data: bytes) -> Any:
            self.decoded += 1
            return read(reader, data)

        patch.setattr(Reader, "read", counted)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counted:
    return Counted(monkeypatch)


def burst(count: int, pairs: tuple[str, ...] = PAIRS) -> list[bytes]:
    return [pack(bbo(pairs[number % len(pairs)], number, str(BASE + number))) for number in range(count)]


async def test_only_the_newest_queued_quote_of_a_pair_is_decoded(counted: Counted) -> None:
    desk, count = Desk(), 5_000
    socket = await desk.read(burst(count))
    assert socket.received == count
    folds = 1 + count // (TURN_PACKED * MOST_TURNS)
    assert counted.decoded <= len(PAIRS) * (1 + folds)
    assert desk.connection.reader.packed.skipped + desk.connection.reader.newest.skipped == count - counted.decoded
    assert {sym: row.bid for sym, row in desk.quotes.rows.items()} == {
        sym: str(count - len(PAIRS) + number) for number, sym in enumerate(PAIRS)
    }


async def test_a_connection_that_keeps_up_decodes_every_quote_frame(counted: Counted) -> None:
    desk = Desk()
    for number, one in enumerate(burst(10), 1):
        await desk.read([one])
        assert (counted.decoded, desk.quotes.rows[PAIRS[(number - 1) % 5]].bid) == (number, str(number - 1))
    assert desk.connection.reader.newest.skipped == 0


async def test_quotes_before_a_ping_are_shown_without_delay() -> None:
    desk, wakes, shown = Desk(), list[bool](), list[dict[str, tuple[str, int, str]]]()
    desk.updates.attach(lambda *, urgent: wakes.append(urgent))
    await desk.read([*burst(10), PING], when_empty=lambda: shown.append(desk.shown()))
    assert wakes == [False]
    assert shown == [{sym: (str(5 + at), BASE + 5 + at, "") for at, sym in enumerate(PAIRS)}]


async def test_an_unreadable_newest_quote_does_not_lose_an_older_one() -> None:
    desk, sym = Desk(), PAIRS[0]
    good = [bbo(sym, number, str(BASE + number)) for number in range(4)]
    broken = bbo(sym, 9, str(BASE + 9)).replace(b'"bidqty":"1"', b'"bidqty":[7]')
    await desk.read([*good, broken])
    assert desk.shown()[sym][:2] == ("3", BASE + 3)
    assert desk.connection.status.bad_frames == 1


async def test_a_quote_frame_naming_two_pairs_counts_for_the_last(counted: Counted) -> None:
    desk, (one, other) = Desk(), PAIRS[:2]
    head, _, data = bbo(one, 7, str(BASE + 2)).partition(b'"data":')
    hidden = data.replace(b'"ts"', b'"t\\u0073"').removesuffix(b"}")
    # The first bytes and the last time are those of one pair; by the second of two equal keys it is another's.
    twisted = head + b'"data":' + hidden + b',"arg":{"channel":"BBO","sym":"' + other.encode() + b'"},"data":' + data
    await desk.read([bbo(one, 1, str(BASE)), bbo(one, 2, str(BASE + 1)), twisted])
    assert {sym: row.bid for sym, row in desk.quotes.rows.items()} == {one: "2", other: "7"}


async def test_a_quote_frame_may_name_its_pair_after_its_data() -> None:
    desk = Desk()
    frames = []
    for number in range(50):
        said = json.loads(bbo(PAIRS[number % 5], number, str(BASE + number)))
        frames.append(json.dumps({"data": said["data"], "arg": said["arg"]}, separators=(",", ":")).encode())
    await desk.read(frames)
    assert {sym: row.bid for sym, row in desk.quotes.rows.items()} == {
        sym: str(45 + at) for at, sym in enumerate(PAIRS)
    }


async def test_frames_of_an_unsubscribed_pair_are_no_longer_queued() -> None:
    desk = Desk()
    desk.connection.reader.newest.learn(bbo(PAIRS[0], 1, str(BASE)), PAIRS[0])
    assert desk.connection.reader.newest.put([bbo(PAIRS[0], 1, str(BASE))], 0, 1.0) == 1
    await desk.connection.remove((PAIRS[0],))
    assert not desk.connection.reader.newest
    assert desk.connection.reader.newest.put([bbo(PAIRS[0], 2, str(BASE))], 0, 1.0) == 0


async def test_number_of_remembered_quote_prefixes_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(newest_quotes, "MOST_HEADS", 3)
    newest = Desk().connection.reader.newest
    for number in range(10):
        newest.learn(bbo(f"P{number}", 1, "1"), f"P{number}")
    assert len(newest._heads) <= 3


@pytest.mark.parametrize("pairs", [5, 400])
async def test_a_quote_flood_is_read_in_turns_of_bounded_length(pairs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """An intent passes the loop a few times on its way; each time it waits for one turn of the market at most."""
    syms = tuple(f"BINANCE_PERP_P{number}_USDT" for number in range(pairs))
    desk = Desk(syms)
    folded = inflated = 0
    fold = desk.quotes.bbo

    def bbo_counted(*arguments: Any) -> None:
        nonlocal folded
        folded += 1
        fold(*arguments)

    def inflate_counted(frame: bytes) -> bytes:
        nonlocal inflated
        inflated += 1
        return inflate(frame)

    monkeypatch.setattr(desk.quotes, "bbo", bbo_counted)
    monkeypatch.setattr(burst_reader, "inflate", inflate_counted)
    desk.connection.reader.newest.forget()
    for number, sym in enumerate(syms):
        desk.connection.frames.take_frame(bbo(sym, number, str(BASE)), 1.0)
    one_by_one = [pack(bbo(syms[number % pairs], number, str(BASE + number))) for number in range(6_000)]
    # First bytes are learnt once a connection; the flood that follows is what is measured.
    socket = Waiting(one_by_one)
    reading = asyncio.ensure_future(desk.connection.reader.read(cast(Socket, socket)))
    taken, folds, unpacked = [], [], []
    while not reading.done():
        before = socket.received, folded, inflated
        await asyncio.sleep(0)
        taken.append(socket.received - before[0])
        folds.append(folded - before[1])
        unpacked.append(inflated - before[2])
    with pytest.raises(LinkLost):
        reading.result()
    assert len(taken) >= 6_000 // TURN_PACKED
    assert max(taken) <= 1 + TURN_PACKED
    assert 0 < max(unpacked) <= TURN_FRAMES
    assert max(folds) <= TURN_FRAMES + TURN_QUOTES
    assert desk.quotes.rows[syms[-1]].bid == str(5_999)


WHOLE = bbo(PAIRS[0], 7, str(BASE + 7))


@pytest.mark.parametrize(
    ("broken", "bad"),
    [
        (WHOLE + b" ", 0), (WHOLE[:-1] + b' ,"more":1}', 0), (WHOLE[:-1] + b"x", 1), (WHOLE + b"}", 1), (WHOLE[:-1], 1),
        (WHOLE[:-1] + b',"data":{"bid":"3"}}', 1),
    ],
)  # fmt: skip
async def test_behind_a_known_prefix_broken_quotes_are_still_rejected(broken: bytes, bad: int) -> None:
    desk = Desk()
    await desk.read([bbo(PAIRS[0], 1, str(BASE + 1)), broken])
    assert desk.connection.status.bad_frames == bad
    assert desk.quotes.rows[PAIRS[0]].bid == ("1" if bad else "7")


class OneByOne:
    """A socket whose frames come each at its own time; counts how often reading is held up."""

    close_code = None

    def __init__(self, clock: FakeClock, gaps: Iterable[float]) -> None:
        self._clock = clock
        self._gaps = iter(gaps)
        self._reader = SimpleNamespace(_buffer=(), read=None)
        self._response = SimpleNamespace(connection=SimpleNamespace(transport=self, protocol=None))
        self.held: list[bool] = []
        self.number = 0
        self._readable = asyncio.Event()
        self._readable.set()

    async def receive(self) -> WSMessage:
        await self._readable.wait()
        gap = next(self._gaps, None)
        if gap is None:
            return WSMessage(WSMsgType.CLOSED, None, None)
        self._clock.advance(gap)
        self.number += 1
        return WSMessage(WSMsgType.TEXT, bbo(PAIRS[0], self.number, str(BASE + self.number)), None)

    def pause_reading(self) -> None:
        self.held.append(True)
        self._readable.clear()

    def resume_reading(self) -> None:
        self.held.append(False)
        self._readable.set()


async def test_fast_quote_frames_are_read_together() -> None:
    desk = Desk()
    apart = OneByOne(desk.clock, [10 * GATHER_S] * 5)
    with pytest.raises(LinkLost):
        await desk.connection.reader.read(cast(Socket, apart))
    assert apart.held == []
    few = FAST_FRAMES * 2 + 2
    fast = OneByOne(desk.clock, [1.0, *[GATHER_S / FAST_FRAMES] * few, 1.0])
    fast.number = apart.number
    with pytest.raises(LinkLost):
        await desk.connection.reader.read(cast(Socket, fast))
    assert fast.held == [True, False] * (few - FAST_FRAMES + 1), (
        "from the first whole stretch on, and not after the pause"
    )
    assert desk.quotes.rows[PAIRS[0]].bid == str(5 + 1 + few + 1)


class Trades:
    """Counts the trades it is told of."""

    def __init__(self) -> None:
        self.ids: list[str] = []

    def begin(self, detail: Detail) -> None: ...

    def book(self, push: BookPush, *, whole: bool) -> bool:
        return True

    def trades(self, pushes: Sequence[TradePush]) -> None:
        self.ids += [one.trade_id for one in pushes]

    def index(self, sym: str, push: IndexPush) -> None: ...

    def bars(self, rows: Sequence[KlineRow]) -> None: ...

    def follow_bars(self, price: BarPrice, rows: Sequence[KlineRow]) -> None: ...


async def test_no_public_trade_is_skipped_in_a_flood() -> None:
    trades = Trades()
    stream = DetailStream(
        "", session=cast(aiohttp.ClientSession, None), clock=FakeClock(), random_source=SeededRandomSource(1),
        timings=Timings(), sink_of=lambda _: trades,
    )  # fmt: skip
    one = {"price": "1", "qty": "1", "side": "buy", "ts": BASE}
    socket = Waiting(push("TRADE", PAIRS[0], [{**one, "tradeid": str(number)}]) for number in range(1_000))
    reading = asyncio.ensure_future(stream._read(cast(Socket, socket), {PAIRS[0]: Detail(PAIRS[0])}))
    most = 0
    while not reading.done():
        before = len(trades.ids)
        await asyncio.sleep(0)
        most = max(most, len(trades.ids) - before)
    with pytest.raises(LinkLost):
        reading.result()
    assert trades.ids == [str(number) for number in range(1_000)]
    assert most <= detail_stream.TURN_FRAMES
