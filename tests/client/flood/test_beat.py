"""One beat over all public connections, and quotes of pairs that nobody looks at."""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Iterable, Sequence
from types import SimpleNamespace
from typing import Any, cast

import aiohttp
import pytest
from aiohttp import WSMessage, WSMsgType
from hypothesis import given
from hypothesis import strategies as st

from tests.client.fakes import FakeClock
from tests.client.flood.test_newest_quotes import BASE, OTHERS, PAIRS, QUOTES, Desk, Handler, bbo, frame
from tui.client.aiohttp_adapter import Socket
from tui.client.connection_status import LinkLost
from tui.client.decode import Reader
from tui.client.flood.beat import LATE_QUOTES, LATE_S, Beat
from tui.client.flood.newest_quotes import KEPT_HELD, MOST_HELD
from tui.client.flood.pace import FAST_FRAMES, FLOOD_FRAMES, GATHER_S
from tui.client.public.connection import PublicConnection
from tui.client.settings import Timings
from tui.client.skew import Skew
from tui.engine.conflating_queue import ConflatingQueue
from tui.engine.rows import QuoteRow
from tui.engine.state.quotes import Quotes
from tui.engine.state.tickers import Tickers
from tui.host import SeededRandomSource


class Line:
    """A socket that a test feeds, and on which reading can be held."""

    close_code = None

    def __init__(self) -> None:
        self._buffer: deque[tuple[WSMessage, int]] = deque()
        self._reader = self
        self._response = SimpleNamespace(connection=SimpleNamespace(transport=self, protocol=None))
        self._came = asyncio.Event()
        self._sent: list[WSMessage] = []
        self.held = False
        self.aborted = False

    def send(self, frames: Iterable[bytes]) -> None:
        self._sent += [WSMessage(WSMsgType.TEXT, one, None) for one in frames]
        self._arrive()

    def close(self) -> None:
        self._sent.append(WSMessage(WSMsgType.CLOSED, None, None))
        self._arrive()

    def _arrive(self) -> None:
        if not self.held:
            self._buffer.extend((one, 0) for one in self._sent)
            self._sent.clear()
            self._came.set()

    @property
    def unread(self) -> int:
        """Frames that wait in the system while reading is held."""
        return len(self._sent)

    async def receive(self) -> WSMessage:
        while not self._buffer:
            self._came.clear()
            await self._came.wait()
        return await self.read()

    async def read(self) -> WSMessage:
        return self._buffer.popleft()[0]

    def pause_reading(self) -> None:
        self.held = True

    def resume_reading(self) -> None:
        self.held = False
        asyncio.get_running_loop().call_soon(self._arrive)

    def abort(self) -> None:
        self.aborted = True


class Stream:
    """Connections on one beat, whose time a test moves."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, pairs: Sequence[Sequence[str]], *, bad: int = 10_000) -> None:
        self.updates, self.clock, self.handler = ConflatingQueue(), FakeClock(), Handler()
        self.quotes = Quotes(self.updates)
        self.beat = Beat(self.quotes, self.clock)
        self.beat.watch(tuple(sym for syms in pairs for sym in syms))
        self.timers: list[float] = []
        self.wakes: list[bool] = []
        self.updates.attach(self._take)
        self.lines = [Line() for _ in pairs]
        self.connections = [self._connection(syms, bad) for syms in pairs]
        self.tasks = [
            asyncio.create_task(one.reader.read(cast(Socket, line)))
            for one, line in zip(self.connections, self.lines, strict=True)
        ]
        monkeypatch.setattr(self.beat, "_set_timer", self._note_timer)
        self.decoded = 0
        read = Reader.read

        def counted(reader: Reader[Any], data: bytes) -> Any:
            self.decoded += 1
            return read(reader, data)

        monkeypatch.setattr(Reader, "read", counted)

    def _note_timer(self) -> None:
        self.timers.append(self.beat._due)
        self.beat._timer = cast(asyncio.TimerHandle, self)

    def _take(self, urgent: bool) -> None:
        """Take what the screen is woken for, as a screen that is quick would."""
        self.wakes.append(urgent)
        self.updates.take()

    def _connection(self, syms: Sequence[str], bad: int) -> PublicConnection:
        made = PublicConnection(
            1, "", session=cast(aiohttp.ClientSession, None), signer=None, clock=self.clock,
            random_source=SeededRandomSource(1), timings=Timings(bad_frames_limit=bad), skew=Skew(self.clock),
            quotes=self.quotes, tickers=Tickers(ConflatingQueue()), handler=self.handler, beat=self.beat,
        )  # fmt: skip
        made.syms.update(dict.fromkeys(syms))
        return made

    async def settle(self) -> None:
        for _ in range(20):
            await asyncio.sleep(0)

    async def strike(self) -> None:
        """Let the beat that is due come."""
        [due] = self.timers
        self.timers.clear()
        self.clock.advance(max(0.0, due - self.clock.mono()))
        self.beat._strike()
        await self.settle()

    async def learn(self, line: int, syms: Iterable[str]) -> None:
        """Let a connection see one quote of each pair, slowly."""
        for sym in syms:
            self.lines[line].send([bbo(sym, 0, str(BASE))])
            await self.settle()
            self.clock.advance(1.0)

    async def hasten(self, line: int, sym: str) -> None:
        """Make frames of a pair come fast, until the connection is held."""
        for _ in range(2):
            self.lines[line].send([bbo(sym, 1, str(BASE + 1))] * FAST_FRAMES)
            await self.settle()
            self.clock.advance(GATHER_S)
        self.lines[line].send([bbo(sym, 1, str(BASE + 1))] * FAST_FRAMES)
        await self.settle()
        assert self.lines[line].held

    def bid(self, sym: str) -> str:
        return self.quotes.rows[sym].bid

    async def end(self) -> None:
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)


A, B, C, D, E = PAIRS


async def test_quotes_of_a_pair_not_on_screen_are_decoded_late(monkeypatch: pytest.MonkeyPatch) -> None:
    at = Stream(monkeypatch, [PAIRS])
    await at.learn(0, PAIRS)
    at.beat.attend({A})
    await at.hasten(0, A)
    before, began, count = at.decoded, at.clock.mono(), 0
    while at.bid(B) == "0":
        count += 1
        at.lines[0].send([bbo(sym, 10 + count, str(BASE + 10 + count)) for sym in (A, B)] * (FAST_FRAMES // 2))
        await at.strike()
        assert at.bid(A) == str(10 + count), "the pair that is looked at is never late"
    assert LATE_S <= at.clock.mono() - began <= LATE_S + 3 * GATHER_S
    assert at.bid(B) == str(10 + count - 1) or at.bid(B) == str(10 + count)
    assert at.decoded - before <= count + 2, "one of each beat, and one late quote"
    await at.end()


async def test_a_quote_decoded_late_keeps_its_time_of_arrival(monkeypatch: pytest.MonkeyPatch) -> None:
    at = Stream(monkeypatch, [PAIRS])
    await at.learn(0, PAIRS)
    at.beat.attend({A})
    await at.hasten(0, A)
    at.lines[0].send([bbo(B, 7, str(BASE + 7))])
    await at.strike()
    came = at.clock.mono()
    at.clock.advance(0.1)
    assert at.bid(B) == "0"
    at.connections[0].reader.bring_up(B)
    assert (at.bid(B), at.quotes.rows[B].received) == ("7", came)
    await at.end()


async def test_a_pair_that_comes_on_screen_is_decoded_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    at = Stream(monkeypatch, [PAIRS])
    await at.learn(0, PAIRS)
    at.beat.attend({A})
    await at.hasten(0, A)
    at.lines[0].send([bbo(sym, 7, str(BASE + 7)) for sym in (B, C)])
    await at.strike()
    at.beat.attend({A, B})
    assert (at.bid(B), at.bid(C)) == ("7", "0")
    await at.end()


async def test_delayed_quotes_are_decoded_after_the_feed_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    at = Stream(monkeypatch, [PAIRS])
    await at.learn(0, PAIRS)
    at.beat.attend({A})
    await at.hasten(0, A)
    at.lines[0].send([bbo(sym, 7, str(BASE + 7)) for sym in PAIRS])
    while at.timers:
        await at.strike()
    assert {at.bid(sym) for sym in PAIRS} == {"7"}
    await at.end()


async def test_number_of_delayed_quotes_decoded_at_once_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    many = [[f"BINANCE_PERP_{line}Q{number}_USDT" for number in range(LATE_QUOTES)] for line in range(2)]
    at = Stream(monkeypatch, many)
    for line, syms in enumerate(many):
        await at.learn(line, syms)
    await at.hasten(0, many[0][0])
    at.beat.attend(())
    for line, syms in enumerate(many):
        at.lines[line].send([bbo(sym, 7, str(BASE + 7)) for sym in syms])
    await at.settle()
    came: list[int] = []
    while at.timers:
        await at.strike()
        came.append(sum(at.bid(sym) == "7" for syms in many for sym in syms))
    steps = [after - before for before, after in zip([0, *came], came, strict=False)]
    assert max(steps) == LATE_QUOTES
    assert came[-1] == 2 * LATE_QUOTES
    await at.end()


async def test_quotes_of_pairs_on_screen_are_decoded_without_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten connections with bursts of ten are fast together; each alone is not."""
    pairs = [(f"BINANCE_PERP_A{line}_USDT", f"BINANCE_PERP_B{line}_USDT") for line in range(10)]
    at = Stream(monkeypatch, pairs)
    for index, syms in enumerate(pairs):
        await at.learn(index, syms)
    at.beat.attend(sym for syms in pairs for sym in syms)
    for number in range(1, 5 * len(pairs)):
        line, sym = at.lines[number % 10], pairs[number % 10][number % 2]
        line.send([bbo(sym, number, str(BASE + number))] * 10)
        await at.settle()
        assert (at.bid(sym), line.held) == (str(number), False)
        at.clock.advance(GATHER_S / 10)
    assert at.beat._pace.is_fast and at.timers == []
    await at.end()


async def test_connections_without_pairs_on_screen_are_read_together(monkeypatch: pytest.MonkeyPatch) -> None:
    at = Stream(monkeypatch, [(A,), (B,), (C,), (D,)])
    for line, sym in enumerate((A, B, C, D)):
        await at.learn(line, [sym])
    at.beat.attend({A})
    await at.hasten(1, B)
    for line, sym in ((2, C), (3, D)):
        at.lines[line].send([bbo(sym, 2, str(BASE + 2))])
        await at.settle()
    assert [line.held for line in at.lines] == [False, True, True, True]
    at.wakes.clear()
    for line, sym in ((1, B), (2, C), (3, D)):
        at.lines[line].send([bbo(sym, 9, str(BASE + 9))] * FAST_FRAMES)
    for number in (8, 9):
        at.lines[0].send([bbo(A, number, str(BASE + number))])
        await at.settle()
        assert at.bid(A) == str(number), "not with the beat of the others"
    assert at.wakes == [False, False]
    assert [line.unread for line in at.lines] == [0, FAST_FRAMES, FAST_FRAMES, FAST_FRAMES]
    await at.strike()
    assert [line.unread for line in at.lines] == [0, 0, 0, 0]
    assert [line.held for line in at.lines] == [False, True, True, True]
    for connection, sym in zip(at.connections[1:], (B, C, D), strict=True):
        connection.reader.bring_up(sym)
        assert at.bid(sym) == "9"
    await at.end()


async def test_quotes_wait_only_if_under_half_the_pairs_are_on_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    at = Stream(monkeypatch, [(A,), (B,), (C,), (D,)])
    for line, sym in enumerate((A, B, C, D)):
        await at.learn(line, [sym])
    at.beat.attend({A, B})
    await at.hasten(0, A)
    at.lines[3].send([bbo(D, 5, str(BASE + 5))])
    await at.settle()
    assert (at.bid(D), at.lines[3].held) == ("5", False)
    at.beat.attend({A})
    at.lines[3].send([bbo(D, 6, str(BASE + 6))])
    await at.settle()
    assert (at.bid(D), at.lines[3].held) == ("5", True)
    await at.end()


async def test_fast_quote_connections_are_read_at_one_common_time(monkeypatch: pytest.MonkeyPatch) -> None:
    at = Stream(monkeypatch, [(A,), (B,)])
    await at.learn(0, [A])
    await at.learn(1, [B])
    await at.hasten(0, A)
    await at.hasten(1, B)
    for line, sym in enumerate((A, B)):
        at.lines[line].send([bbo(sym, 7, str(BASE + 7))] * FAST_FRAMES)
    await at.strike()
    assert (at.bid(A), at.bid(B)) == ("7", "7"), "a burst that was read does not wait, only the next read does"
    assert [line.held for line in at.lines] == [True, True]
    at.wakes.clear()
    for line, sym in enumerate((A, B)):
        at.lines[line].send([bbo(sym, 9, str(BASE + 9))] * FAST_FRAMES)
    await at.settle()
    assert (at.bid(A), at.bid(B)) == ("7", "7")
    await at.strike()
    assert (at.bid(A), at.bid(B)) == ("9", "9")
    assert at.wakes == [False], "the screen is woken once for both"
    await at.end()


async def test_in_a_quote_flood_reading_is_not_held_back(monkeypatch: pytest.MonkeyPatch) -> None:
    at = Stream(monkeypatch, [(A,), (B,)])
    await at.learn(0, [A])
    at.beat.attend(())
    for number in range(1, 4):
        at.lines[0].send([bbo(A, number, str(BASE + number))] * FLOOD_FRAMES)
        await at.settle()
        at.clock.advance(GATHER_S)
    assert not at.lines[0].held
    await at.end()


@pytest.mark.parametrize("late", [0.0, 0.001, 0.01, 0.04])
async def test_a_read_that_is_late_delays_the_next_common_read(late: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """A beat that made up for it would keep a screen behind it that once fell there, and each quote waited for both."""
    at = Stream(monkeypatch, [PAIRS])
    await at.learn(0, PAIRS)
    at.beat.attend({A})
    await at.hasten(0, A)
    for number in range(3):
        at.lines[0].send([bbo(sym, number, str(BASE + 5)) for sym in PAIRS] * FAST_FRAMES)
        await at.settle()
        at.clock.advance(max(0.0, at.timers[0] - at.clock.mono()) + late)
        await at.strike()
        assert at.timers == [pytest.approx(at.clock.mono() + GATHER_S)]
    await at.end()


async def test_a_connection_that_ends_delivers_its_delayed_quotes(monkeypatch: pytest.MonkeyPatch) -> None:
    at = Stream(monkeypatch, [PAIRS])
    await at.learn(0, PAIRS)
    at.beat.attend({A})
    await at.hasten(0, A)
    at.lines[0].send([bbo(B, 7, str(BASE + 7))])
    at.lines[0].close()
    await at.strike()
    with pytest.raises(LinkLost):
        await at.tasks[0]
    assert at.bid(B) == "7"


async def test_an_unreadable_delayed_quote_drops_the_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    at = Stream(monkeypatch, [PAIRS], bad=1)
    await at.learn(0, PAIRS)
    at.beat.attend({A})
    await at.hasten(0, A)
    at.lines[0].send([bbo(B, 7, str(BASE + 7)).replace(b'"bidqty":"1"', b'"bidqty":[7]')])
    await at.strike()
    at.connections[0].reader.bring_up(B)  # raises nothing: the gate may have asked
    assert at.lines[0].aborted
    assert "unreadable" in at.connections[0].status.last_error
    await at.end()


async def test_number_of_delayed_frames_of_a_pair_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    at = Stream(monkeypatch, [PAIRS])
    await at.learn(0, PAIRS)
    at.beat.attend(())
    await at.hasten(0, A)
    at.lines[0].send([bbo(B, number, str(BASE + number)) for number in range(1, 10 * MOST_HELD)])
    await at.strike()
    frames, _ = at.connections[0].reader.newest.take(B)
    assert KEPT_HELD <= len(frames) <= MOST_HELD
    assert json.loads(frames[0])["data"]["bid"] == str(10 * MOST_HELD - 1)
    await at.end()


@given(st.lists(st.one_of(QUOTES, QUOTES, OTHERS), max_size=60), st.sets(st.sampled_from(PAIRS)), st.integers(1, 60))
async def test_delayed_quotes_show_the_same_result_as_undelayed_ones(
    script: list[tuple[str, int, str]], attended: set[str], size: int
) -> None:
    frames = [frame(number, what) for number, what in enumerate(script)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Beat, "gathers", True)
        patch.setattr(Beat, "_set_timer", lambda _: None)
        late, one_by_one = Desk(), Desk()
        for desk in (late, one_by_one):
            for sym in PAIRS:
                desk.quotes.rows[sym] = QuoteRow(sym=sym)
        late.beat.attend(attended)
        for start in range(0, len(frames), size):
            await late.read(frames[start : start + size])
        for one in frames:
            await one_by_one.read([one])
    late.must_equal(one_by_one)
