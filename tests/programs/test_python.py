"""`from crossdesk import connect`: snapshots, changes and lists of a real desk."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Coroutine, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
import pytest

from crossdesk import AsyncDesk, Desk, DeskError, Error, LinkClosed, ProposalEnd
from tests.client.fakes import until
from tests.desk_protocol.desks import BTC, LIMITS, DeskOf, Program, accept, journaled, new_id, start_owner
from tests.desk_protocol.link_proxy import LinkProxy
from tests.programs.test_mandates import TERMS
from tests.venue.shell.conftest import STILL, Venue
from tests.venue.walk.reading import call_without_limits
from tui.desk_protocol import program_calls, server
from tui.desk_protocol.messages import Events, OrderTerms, Propose, Role
from tui.engine.engine import Engine
from tui.engine.event_line import EventLine, Level
from tui.engine.intents import Cancel, Replace, Verdict
from tui.engine.market import past_bars
from tui.engine.modes import RiskMode
from tui.engine.rows import Table
from tui.host import HostClock
from tui.interface.families.market import Interval, KlineRow
from tui.interface.families.orders import OrderType, Side, TimeInForce
from tui.programs import desk_reader


def program(home: Path, name: str = "monitor") -> AsyncDesk:
    return AsyncDesk(home / "desk.sock", HostClock(), new_id, name=name, role=Role.WATCH)


async def test_a_program_reads_what_the_desk_holds(owner: DeskOf, tmp_path: Path) -> None:
    async with program(tmp_path) as desk:
        assert desk.name == "monitor" and BTC in desk.symbols
        quote = await anext(desk.quotes(BTC))
        held = owner.screen.look().tables
        assert (str(quote.bid), str(quote.ask)) == ("61777.1", "61777.2")
        usdt = next(coin for coin in desk.assets if (coin.venue, coin.coin) == ("BINANCE", "USDT"))
        assert usdt.balance == Decimal("100000")
        assert desk.positions == [] and len(desk.assets) == len(held[Table.ASSETS])


async def test_a_program_sees_an_order_change_and_who_sent_it(owner: DeskOf, tmp_path: Path) -> None:
    async with program(tmp_path) as desk:
        changes = desk.changes_of_orders()
        first = asyncio.ensure_future(anext(changes))
        await owner.arm()
        placed = await owner.submit(owner.buy("60000"))
        assert placed.verdict is Verdict.ACCEPTED
        order = await first
        while order.state != "OPEN":
            order = await anext(changes)
        assert (order.key, order.price, order.size, order.working) == (
            placed.key,
            Decimal(60000),
            Decimal("0.01"),
            True,
        )
        assert order.sender == "" and order.created is not None


async def test_a_program_sees_a_stale_quote_once_the_venue_is_gone(tmp_path: Path) -> None:
    venue = Venue(*STILL)
    owner = start_owner(venue, tmp_path)
    await owner.in_step()
    async with program(tmp_path) as desk:
        quotes = desk.quotes(BTC)
        assert not (await anext(quotes)).stale
        venue.stop()
        quote = await anext(quotes)
        while not quote.stale:
            quote = await anext(quotes)
        now = desk.quote(BTC)
        assert now is not None and now.stale and now.bid == quote.bid
    await owner.end()


async def test_a_quote_older_than_the_limit_is_stale_for_programs(owner: DeskOf, tmp_path: Path) -> None:
    limits = msgspec.structs.replace(LIMITS.limits, red_after=0.2)
    owner.thread.set_limits(limits, "red_after 0.2")
    async with program(tmp_path) as desk:
        await until(lambda: desk.status.limits.red_after == 0.2, 5)
        await anext(desk.quotes(BTC))
        # The venue of this test moves no price by itself.
        await until(lambda: (quote := desk.quote(BTC)) is not None and quote.stale, 5)


async def test_a_slow_program_is_told_how_many_lines_it_missed(
    owner: DeskOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk_reader, "MAX_EVENTS", 5)
    async with program(tmp_path) as desk:
        lines, newest = desk.events(), desk.recent_events()[-1].number

        async def tell(number: int) -> None:
            """Let the desk tell so many lines, and wait until the program has them all."""
            last = desk.recent_events()[-1].number
            for mode in [RiskMode.REDUCING, RiskMode.NORMAL] * (number // 2):
                owner.thread.set_risk_mode(mode)
            await until(lambda: desk.recent_events()[-1].number == last + number, 10)

        first = asyncio.ensure_future(anext(lines))
        await asyncio.sleep(0)
        await tell(4)
        known = [await first, *[await anext(lines) for _ in range(3)]]
        assert [(line.number, line.missed) for line in known] == [(newest + at, 0) for at in (1, 2, 3, 4)]
        await tell(12)
        behind = await anext(lines)
        assert (behind.number, behind.missed) == (newest + 4 + 12 - 4, 7)
        assert [(await anext(lines)).missed for _ in range(4)] == [0] * 4
    async with program(tmp_path, "another") as desk:
        waiting_line = asyncio.ensure_future(anext(desk.events()))
        await asyncio.sleep(0)
        owner.thread.set_risk_mode(RiskMode.REDUCING)
        assert (await waiting_line).missed == 0, "what was told before it came is no gap"


async def test_iterators_of_a_program_lose_no_change_between_reads(owner: DeskOf, tmp_path: Path) -> None:
    """An iterator waited for a further change: a fill was told with the next order, line or quote of the desk."""
    async with program(tmp_path) as known:
        row, quote = known._tables[Table.ORDERS], known._tables[Table.QUOTES]
        await owner.arm()
        placed = await owner.submit(owner.buy("60000"))
        await anext(known.quotes(BTC))
        await until(lambda: placed.key in row, 5)
        order, price = row[placed.key], quote[BTC]
    desk = program(tmp_path)
    desk._reading = asyncio.get_running_loop().create_future()  # type: ignore[assignment]
    desk._client = known._client
    desk._tables[Table.SYMBOLS] = known._tables[Table.SYMBOLS]
    desk._tell = lambda method, params: None  # type: ignore[method-assign]

    def tell(number: int) -> None:
        """Send a line, an order and a quote, each another than before."""
        desk._tables[Table.ORDERS][placed.key] = msgspec.structs.replace(order, known_fills=f"0.00{number}")
        desk._tables[Table.QUOTES][BTC] = msgspec.structs.replace(price, bid_qty=str(number))
        desk.on_events(Events(lines=(EventLine(wall_ms=1, level=Level.INFO, text="", seq=number),)))

    iterators = (desk.events(), desk.changes_of_orders(), desk.quotes(BTC))
    first = [asyncio.ensure_future(anext(iterator)) for iterator in iterators]
    await asyncio.sleep(0)
    tell(1)
    await asyncio.gather(*first)
    tell(2)
    async with asyncio.timeout(1.0):
        line, changed, bid = await anext(iterators[0]), await anext(iterators[1]), await anext(iterators[2])
    assert (line.number, str(changed.filled), str(bid.bid_size)) == (2, "0.002", "2")


async def test_all_errors_for_programs_have_one_base_class(owner: DeskOf, tmp_path: Path) -> None:
    raised = []
    async with program(tmp_path) as desk:
        for call in (desk.call("nothing"), desk.ask_mandate(BTC, **{**TERMS, "loss": "-1"})):
            with pytest.raises(Error) as refused:
                await call
            raised.append(refused.type)
        await anext(desk.quotes(BTC))
        await owner.end()
        with pytest.raises(Error) as closed:
            await anext(desk.events())
        quote = desk.quote(BTC)
        assert not desk.is_open and quote is not None and quote.stale
        raised.append(closed.type)
    with pytest.raises(Error) as nobody:
        await program(tmp_path).__aenter__()
    assert [*raised, nobody.type] == [DeskError, DeskError, LinkClosed, LinkClosed]
    assert not issubclass(LinkClosed, DeskError), "a refusal says that nothing was done, a lost link does not"


async def test_programs_call_only_known_lists_and_no_order_endpoint(owner: DeskOf, tmp_path: Path) -> None:
    async with program(tmp_path) as desk:
        [mark] = await desk.call("mark_price", sym=BTC)
        assert (mark.sym, mark.mark_price) == (BTC, "61777.2")
        with pytest.raises(DeskError, match="did you mean mark_price"):
            await desk.call("mark_prise")
        with pytest.raises(DeskError, match="changes something"):
            await desk.call("place_order", sym=BTC)
        with pytest.raises(DeskError, match="accepted are BINANCE, OKX, EDX"):
            await desk.call("symbols", exchangeType="NOWHERE")
        with pytest.raises(DeskError, match="BINANCE_PERP_BTC_USDT"):
            desk.watch("BINANCE_PERP_BTC_USD")


async def test_a_program_without_asyncio_reads_desk_and_service(owner: DeskOf, tmp_path: Path) -> None:
    def run() -> str:
        with Desk(program(tmp_path, "plain")) as desk:
            quotes = desk.quotes(BTC)
            assert next(quotes).sym == BTC and desk.quote(BTC) is not None
            assert desk.status.environment == "PAPER"
            [mark] = desk.call("mark_price", sym=BTC)
            assert desk.book(BTC).bids and desk.bars(BTC, Interval.M1)[-1].close and desk.proposals == []
            assert desk.call("position_brackets", sym=BTC)[BTC][0].max_leverage
            events = desk.events()
            owner.thread.set_risk_mode(owner.status().risk_mode.__class__.REDUCING)
            assert "REDUCING" in next(events).text
            return str(mark.mark_price)

    assert await asyncio.to_thread(run) == "61777.2"
    await until(lambda: owner.status().peers == (), 5)


async def test_a_program_is_told_if_no_desk_runs_or_the_desk_ends(venue: Venue, tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    with pytest.raises(LinkClosed, match="no desk answers"):
        async with program(tmp_path):
            pass
    owner = start_owner(venue, tmp_path)
    await owner.in_step()
    async with program(tmp_path) as desk:
        events = desk.events()
        await owner.end()
        with pytest.raises(LinkClosed):
            async for _ in events:
                pass


ETH = "BINANCE_PERP_ETH_USDT"
MARKET = {"order_type": OrderType.MARKET, "price": "", "quote_qty": "600"}


async def test_a_program_leaves_a_desk_silent_after_its_greeting(
    owner: DeskOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its process was stopped, which ends no link."""
    monkeypatch.setattr(desk_reader, "FIRST_ROWS_S", 0.3)
    greeted: list[bytes] = []

    async def greet_alone(line: bytes) -> Sequence[bytes]:
        greeted.append(line)
        return [line] if len(greeted) == 1 else []

    async with LinkProxy.serve(tmp_path) as proxy:
        proxy.down = greet_alone
        with pytest.raises(LinkClosed, match="the desk does not answer: nothing was heard"):
            async with AsyncDesk(tmp_path / "proxy.sock", HostClock(), new_id, name="monitor", role=Role.WATCH):
                pass


def proposer(home: Path) -> AsyncDesk:
    return AsyncDesk(home / "desk.sock", HostClock(), new_id, name="research-bot", role=Role.PROPOSE)


async def propose(desk: AsyncDesk, owner: DeskOf, **more: object) -> tuple[asyncio.Task[ProposalEnd], str]:
    """The proposal as a task, and its number."""
    known = set(owner.screen.look().tables.get(Table.PROPOSALS, {}))
    work = desk.propose("BUY", BTC, "0.01", "60000", reason="the basis is wide", time_in_force="GTX", **more)  # type: ignore[arg-type]
    asked = asyncio.ensure_future(work)
    await until(lambda: set(owner.screen.look().tables.get(Table.PROPOSALS, {})) - known, 5)
    [number] = set(owner.screen.tables[Table.PROPOSALS]) - known
    return asked, number


async def test_a_proposed_order_leaves_only_when_the_trader_sends_it(owner: DeskOf, tmp_path: Path) -> None:
    await owner.arm()
    async with proposer(tmp_path) as desk:
        before = owner.orders().keys()
        asked, number = await propose(desk, owner)
        shown = (
            f"research-bot (:accept {number}, :decline {number}, 60 s) asks to BUY 0.01 BINANCE BTC perp @ 60,000: the"
        )
        await until(lambda: any(shown in text for text in owner.texts()), 5)  # the line comes behind the row
        assert owner.orders().keys() == before and not asked.done()
        order = accept(owner.buy("60000"), number)
        for changes in (
            {"price": "60001"},
            {"qty": "0.02"},
            {"side": Side.SELL},
            {"reduce_only": True},
            {"sym": ETH},
            MARKET,
        ):
            other = await owner.submit(msgspec.structs.replace(order, **changes))
            assert (other.verdict, other.guard) == (Verdict.DENIED, "PROPOSAL"), other
            assert f"this differs from proposal {number}: " in other.text and not asked.done()
        assert (await owner.submit(order)).verdict is Verdict.ACCEPTED
        end = await asked
        assert (end.answer, end.verdict) == ("sent", "accepted")
        assert end.order in owner.orders()
        again = await owner.submit(order)
        assert (again.verdict, again.guard) == (Verdict.DENIED, "PROPOSAL")
    await owner.end()
    entries = journaled(tmp_path)
    [sent] = [entry for entry in entries if entry["kind"] == "intent"]
    intent = json.loads(sent["payload"])["intent"]
    assert end.entry == sent["seq"] and sent["client_order_id"] == end.order
    [_, ended] = [entry for entry in entries if entry["kind"] == "proposal"]
    assert intent["proposal"] == number and ended["client_order_id"] == end.order
    told = {"key": number, "answer": "sent", "verdict": "accepted", "order": end.order, "entry": end.entry}
    assert json.loads(ended["payload"]) == told


async def test_a_decline_expiry_or_program_end_ends_a_proposal(owner: DeskOf, tmp_path: Path) -> None:
    async with proposer(tmp_path) as desk:
        asked, number = await propose(desk, owner)
        owner.thread.decline(number)
        assert (await asked).answer == "declined"
        asked, number = await propose(desk, owner, seconds=1)
        assert (await asked).answer == "expired"
        _, number = await propose(desk, owner)
    await until(lambda: not owner.screen.look().tables[Table.PROPOSALS], 5)
    assert any(f"proposal {number} of research-bot withdrawn" in text for text in owner.texts())


async def waiting(desk: AsyncDesk, work: Coroutine[Any, Any, ProposalEnd]) -> tuple[asyncio.Task[ProposalEnd], str]:
    """A proposal as a task, and its number."""
    known = {proposal.number for proposal in desk.proposals}
    asked = asyncio.ensure_future(work)
    await until(lambda: asked.done() or {proposal.number for proposal in desk.proposals} - known, 5)
    return asked, ([*{proposal.number for proposal in desk.proposals} - known] or [""])[0]


async def test_a_program_proposes_to_replace_and_cancel(owner: DeskOf, tmp_path: Path) -> None:
    await owner.arm()
    first, second = [(await owner.submit(owner.buy(price))).key for price in ("60000", "60010")]
    decision = owner.buy("1").decision
    async with proposer(tmp_path) as desk:
        await until(lambda: {first, second} <= {order.key for order in desk.orders}, 5)
        asked, number = await waiting(desk, desk.propose_replace(first, "0.02", "60001", reason="the bid rose"))
        shown = "asks to replace to BUY 0.02 BINANCE BTC perp @ 60,001"
        await until(lambda: any(shown in text for text in owner.texts()), 5)
        replace = accept(Replace(decision=decision, key=first, price="60001.0", qty="0.02"), number)
        for changes in ({"price": "60002"}, {"qty": "0.01"}, {"key": second}):
            other = await owner.submit(msgspec.structs.replace(replace, **changes))
            assert other.guard == "PROPOSAL" and "this differs from proposal" in other.text
        assert (await owner.submit(Cancel(decision=decision, key=first, proposal=number))).guard == "PROPOSAL"
        assert (await owner.submit(replace)).verdict is Verdict.ACCEPTED
        assert ((end := await asked).answer, end.verdict, end.order) == ("sent", "accepted", first) and end.entry > 0
        await until(lambda: owner.orders()[first].price == "60001", 5)
        asked, number = await waiting(desk, desk.propose_cancel(first, reason="the basis is gone"))
        assert [(shown.kind, shown.order) for shown in desk.proposals] == [("cancel", first)]
        assert (await owner.submit(Cancel(decision=decision, key=second, proposal=number))).guard == "PROPOSAL"
        assert (await owner.submit(Cancel(decision=decision, key=first, proposal=number))).verdict is Verdict.ACCEPTED
        assert (await asked).answer == "sent"
        await until(lambda: not owner.orders()[first].working, 5)
        assert owner.orders()[second].working
        with pytest.raises(DeskError, match=f"propose_cancel: order {first} has ended or is not known"):
            await desk.propose_cancel(first, reason="again")


async def test_a_program_proposes_to_close_a_position(owner: DeskOf, tmp_path: Path) -> None:
    await owner.arm()
    async with proposer(tmp_path) as desk:
        with pytest.raises(DeskError, match=f"propose_close: there is no position in {BTC}"):
            await desk.propose_close(BTC, reason="flat already")
        taking = {"order_type": OrderType.MARKET, "price": "", "time_in_force": TimeInForce.IOC}
        bought = msgspec.structs.replace(owner.buy("60000"), **taking)
        assert (await owner.submit(bought)).verdict is Verdict.ACCEPTED
        await until(lambda: desk.positions, 5)
        asked, number = await waiting(desk, desk.propose_close(BTC, reason="the trend broke"))
        shown = "asks to close by SELL 0.01 BINANCE BTC perp market"
        await until(lambda: any(shown in text for text in owner.texts()), 5)
        closing = accept(msgspec.structs.replace(bought, side=Side.SELL, reduce_only=True), number)
        for changes in ({"qty": "0.02"}, {"reduce_only": False}, {"side": Side.BUY}):
            other = await owner.submit(msgspec.structs.replace(closing, **changes))
            assert other.guard == "PROPOSAL" and "this differs from proposal" in other.text
        assert (await owner.submit(closing)).verdict is Verdict.ACCEPTED
        assert (await asked).answer == "sent"
        await until(lambda: not desk.positions, 5)


async def test_a_program_withdraws_only_proposals_of_its_own(owner: DeskOf, tmp_path: Path) -> None:
    wanted = Propose(sym=BTC, side="BUY", qty="0.01", price="60000", reason="the basis is wide")
    async with proposer(tmp_path) as desk, proposer(tmp_path) as other:
        started = await desk.start_proposal(wanted)
        assert [proposal.number for proposal in desk.proposals] == [started.number] and other.proposals == []
        with pytest.raises(DeskError, match=f"'{started.number}' is no proposal of research-bot 2"):
            await other.withdraw(started.number)
        await desk.withdraw(started.number)
        assert (await started.end).answer == "withdrawn"
        with pytest.raises(DeskError, match="is no proposal"):
            await desk.withdraw(started.number)


async def test_a_program_preview_has_verdict_value_and_position(owner: DeskOf, tmp_path: Path) -> None:
    before = owner.orders().keys()
    async with proposer(tmp_path) as desk:
        fine = await desk.preview(OrderTerms(sym=BTC, side="BUY", qty="0.01", price="61000"))
        assert (fine.verdict, fine.value, fine.after) == ("accepted", Decimal("610.00"), Decimal("0.01"))
        far = await desk.preview(OrderTerms(sym=BTC, side="BUY", qty="0.01", price="90000"))
        assert (far.verdict, far.guard) == ("denied", "BAND")
        with pytest.raises(DeskError, match="qty '1e' is no number"):
            await desk.preview(OrderTerms(sym=BTC, side="BUY", qty="1e"))
    assert owner.orders().keys() == before


async def test_a_program_reads_books_and_bars_of_pairs_in_turn(owner: DeskOf, tmp_path: Path) -> None:
    async with program(tmp_path) as desk:
        for sym in (BTC, "BINANCE_PERP_ETH_USDT", BTC):
            book = await desk.book(sym)
            assert book.sym == sym and book.bids[0].price < book.asks[0].price  # type: ignore[operator]
            assert (await desk.bars(sym, Interval.M5))[-1].close is not None
        with pytest.raises(DeskError, match="did you mean"):
            await desk.book("BINANCE_PERP_BTC_USD")


async def test_a_program_asks_again_for_a_book_after_a_refusal(
    owner: DeskOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with program(tmp_path) as desk:
        await desk.book(BTC)
        ask, refused = desk._ask, [True]
        held: list[bool] = []

        async def refuse_once(method: str, params: Any, result: Any, patience_s: float = 10.0) -> Any:
            held.append(BTC in desk._tables[Table.DEPTH])
            if refused.pop():
                raise DeskError("the engine is being started again")
            return await ask(method, params, result, patience_s)

        monkeypatch.setattr(desk, "_ask", refuse_once)
        with pytest.raises(DeskError, match="started again"):
            await desk.bars(BTC, "5m")
        refused.append(False)
        assert (await desk.book(BTC)).bids, "what was shown before the refusal is asked for anew"
        assert held == [False, False], "a book of an earlier look is not taken for the new one"


async def test_a_program_gets_as_many_bars_as_wanted_or_all_there_are(
    owner: DeskOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = threading.Event()

    async def read(*_: object, most: int, **__: object) -> list[KlineRow]:
        while not answers.is_set():
            await asyncio.sleep(0.01)
        return [
            KlineRow(open_time=60_000 * at, open="1", close="1", high="1", low="1", volume="1") for at in range(most)
        ]

    monkeypatch.setattr(past_bars, "read_past_bars", read)
    engine = owner.thread.core
    assert isinstance(engine, Engine)
    service = msgspec.structs.replace(engine.state.identity.service, bars_url="http://127.0.0.1:1/")
    engine.state.identity = msgspec.structs.replace(engine.state.identity, service=service)
    async with program(tmp_path) as desk:
        assert len(await desk.bars(BTC, Interval.M1)) == 1
        waiting = asyncio.ensure_future(desk.bars(BTC, Interval.M1, wanted=200))
        await asyncio.sleep(0)
        assert not waiting.done()
        answers.set()
        assert len(await waiting) >= 200
        all_there_are = await desk.bars(BTC, "5m", wanted=1500)
        assert 200 <= len(all_there_are) < 1500
        assert len(await desk.bars(BTC, Interval.M1, wanted=200)) >= 200, "looked at again"


@pytest.mark.parametrize("wanted", [0, -1, 1501, True, "5", 2.0])
async def test_a_wrong_number_of_bars_is_refused(owner: DeskOf, tmp_path: Path, wanted: Any) -> None:
    async with program(tmp_path) as desk:
        with pytest.raises(DeskError) as refused:
            await desk.bars(BTC, Interval.M1, wanted=wanted)
        text = f"bars: wanted {wanted!r} is not accepted; it is a whole number from 1 to 1500"
        assert str(refused.value) == text


async def test_lists_that_a_program_has_read_do_not_use_up_its_limit(
    owner: DeskOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "MOST_LISTS", 2)
    call_without_limits(monkeypatch)
    async with program(tmp_path) as desk:
        for _ in range(4):
            assert len(await desk.call("mark_price", sym=BTC)) == 1


async def test_wrong_or_too_many_proposals_of_a_program_are_refused(owner: DeskOf, tmp_path: Path) -> None:
    async with proposer(tmp_path) as desk:
        with pytest.raises(DeskError, match="qty '-1'"):
            await desk.propose("BUY", BTC, "-1", reason="a")
        with pytest.raises(DeskError, match="pair BINANCE_PERP_XYZ_USDT"):
            await desk.propose("BUY", "BINANCE_PERP_XYZ_USDT", "1", reason="a")
        with pytest.raises(DeskError, match="reason"):
            await desk.propose("BUY", BTC, "1", reason="")
        several = [(await propose(desk, owner))[0] for _ in range(5)]
        with pytest.raises(DeskError, match="5 proposals"):
            await desk.propose("BUY", BTC, "0.01", reason="one more")
        for task in several:
            task.cancel()
    async with program(tmp_path) as watcher:
        with pytest.raises(DeskError, match="needs the role propose"):
            await watcher.propose("BUY", BTC, "0.01", reason="a")


async def test_a_query_with_too_many_fields_or_sources_is_refused(owner: DeskOf, tmp_path: Path) -> None:
    """Each field of `row_id` is looked up in each row, at once, on the thread that also cancels."""
    program = await Program.attach(tmp_path, name="reader", role="watch")
    source = {"endpoint": "symbols"}
    for odd in ({"row_id": ["x"] * 50}, {"sources": [source] * 50}, {"key": "k" * 500}):
        answer = await program.call("read", {"key": "a", "sources": [source], **odd})
        assert "a query has at most 16 sources and fields in row_id" in answer["text"], odd
    program.close()


async def test_the_desk_drops_a_list_that_a_program_gave_up(owner: DeskOf, tmp_path: Path) -> None:
    program = await Program.attach(tmp_path, name="reader", role="watch")
    for number in range(3):
        await program.call("read", {"key": f"k{number}", "sources": [{"endpoint": "symbols"}]})
        await program.wait_for(lambda message: message.get("table") == "answers" and message["rows"])
        await program.call("read_stop", {"key": f"k{number}", "forget": True})
    await until(lambda: not owner.thread.hub._rows.get(Table.ANSWERS), 10)
    program.close()


async def test_an_engine_restart_withdraws_proposals_and_requests(owner: DeskOf, tmp_path: Path) -> None:
    """They waited for ever, and the end of one later took the row of another one with its number."""
    program = await Program.attach(tmp_path, name="bot")
    order = {"sym": BTC, "side": "BUY", "qty": "0.01", "price": "60000", "reason": "r", "seconds": 60}
    proposed = await program.begin("propose", order)
    await until(lambda: owner.screen.look().tables.get(Table.PROPOSALS), 10)
    asked = await program.begin("ask_mandate", {**TERMS, "pairs": [BTC], "wait": 60})
    await until(lambda: owner.screen.look().tables.get(Table.MANDATES), 10)
    owner.thread.renew()
    for number in (proposed, asked):
        assert (await program.answer(number))["result"]["answer"] == "withdrawn"
    await owner.in_step()
    assert not owner.screen.look().tables.get(Table.PROPOSALS) and not owner.screen.tables.get(Table.MANDATES)
    program.close()


async def test_proposals_under_many_names_share_one_limit(
    owner: DeskOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program_calls, "MOST_ASKED_IN_ALL", 2)
    order = {"sym": BTC, "side": "BUY", "qty": "0.01", "price": "60000", "reason": "r"}
    for number in range(3):
        program = await Program.attach(tmp_path, name=f"bot {chr(97 + number)}")
        asked = await program.begin("propose", order)
        if number < 2:
            await until(lambda: owner.screen.look().tables.get(Table.PROPOSALS), 10)
        else:
            assert "2 requests of all programs within 60 s" in (await program.answer(asked))["text"]
        program.close()
        await until(lambda: not owner.screen.look().tables.get(Table.PROPOSALS), 10)
