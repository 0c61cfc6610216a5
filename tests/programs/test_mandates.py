"""A program under a mandate: what it covers leaves, nothing else does, and every end takes back what it placed."""

from __future__ import annotations

import asyncio
import json
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest

from crossdesk import AsyncDesk, DeskError, LinkClosed, Mandate, Sent
from tests.client.fakes import until
from tests.desk_protocol.desks import (
    BTC,
    DeskOf,
    Program,
    attach,
    journaled,
    new_id,
    orders_of,
    sent_at,
    start_owner,
)
from tests.venue.shell.conftest import Venue
from tui.desk_protocol.messages import Role
from tui.engine.engine import Engine
from tui.engine.intents import CancelAll, Verdict
from tui.engine.modes import RiskMode, TradingState
from tui.engine.rows import PendingAction, Table
from tui.engine.status_rows import MandateRow
from tui.host import HostClock
from tui.programs.records import read_order

ETH = "BINANCE_PERP_ETH_USDT"
AT_ONCE_MS = 500
"""Most time between the first and the last of several cancels that leave at once, on a busy machine, ms."""
TERMS: dict[str, Any] = {
    "order_value": "700", "position_value": "9000", "traded_value": "1500", "loss": "50",
    "orders_per_minute": 30, "seconds": 600, "reason": "quotes",
}  # fmt: skip


def maker(home: Path, name: str = "maker") -> AsyncDesk:
    return AsyncDesk(home / "desk.sock", HostClock(), new_id, name=name, role=Role.PROPOSE)


def asked_for(owner: DeskOf) -> list[str]:
    rows = owner.screen.look().tables.get(Table.MANDATES, {})
    return [key for key, row in rows.items() if isinstance(row, MandateRow) and not row.granted]


async def granted(owner: DeskOf, desk: AsyncDesk, *pairs: str, **terms: Any) -> Mandate:
    """The mandate that the trader grants."""
    asking = asyncio.ensure_future(desk.ask_mandate(*(pairs or (BTC,)), **{**TERMS, **terms}))
    await until(lambda: asked_for(owner) or asking.done(), 5)
    owner.thread.grant(asked_for(owner)[-1])
    return await asking


async def is_over(owner: DeskOf, desk: AsyncDesk) -> None:
    await until(lambda: desk.mandate is None and not owner.screen.look().tables[Table.MANDATES], 10)


async def has_ended(owner: DeskOf, order: str) -> None:
    await until(lambda: owner.orders()[order].final, 10)


def denied(sent: Sent, *words: str, term: str = "") -> None:
    assert (sent.verdict, sent.guard) == ("denied", "MANDATE"), sent
    assert not term or sent.term == term, sent
    assert all(word in sent.text for word in words), sent.text


async def test_a_program_places_replaces_and_cancels_as_granted(owner: DeskOf, tmp_path: Path, venue: Venue) -> None:
    async with maker(tmp_path) as desk:
        mandate = await granted(owner, desk)
        assert (mandate.pairs, mandate.order_value, mandate.traded) == ((BTC,), Decimal(700), Decimal(0))
        assert 590 < mandate.seconds_left <= 600
        granted_to = [("maker", "trade", TradingState.ARMED)]
        await until(lambda: [(p.name, p.role, p.trading_state) for p in owner.status().peers] == granted_to, 5)
        assert owner.status().trading_state is TradingState.VIEW
        sent = await desk.place("BUY", BTC, "0.01", "60001.1", time_in_force="GTX")
        assert sent.verdict == "accepted" and owner.orders()[sent.order].peer == "maker"
        assert (await desk.replace(sent.order, "0.005", "60002.1")).verdict == "accepted"
        await until(lambda: sent_at(venue, "60002.1"), 5)
        await until(lambda: has_terms(desk, sent.order, "60002.1"), 5)
        row = owner.orders()[sent.order]
        under_way = msgspec.structs.replace(row, overlay=PendingAction.AMEND)
        assert (read_order(row).changing, read_order(under_way).changing) == (False, True)
        assert (await desk.cancel(sent.order)).verdict == "accepted"
        await has_ended(owner, sent.order)
        await until(lambda: desk.mandate is not None and desk.mandate.orders == 2, 5)


def has_terms(desk: AsyncDesk, key: str, price: str) -> bool:
    """Whether an order has a price and no change of it is under way."""
    return [(str(order.price), order.changing) for order in desk.orders if order.key == key] == [(price, False)]


async def test_s63_a_program_without_mandate_cannot_send_or_cancel(owner: DeskOf, tmp_path: Path, venue: Venue) -> None:
    await owner.arm()
    mine = await owner.submit(owner.buy("59901.1"))
    async with maker(tmp_path) as desk:
        denied(await desk.place("BUY", BTC, "0.01", "59902.1"), "maker has no mandate")
        denied(await desk.cancel(mine.key), "no mandate")
        denied(await desk.replace(mine.key, "0.01", "59903.1"), "no mandate")
        await granted(owner, desk)
        denied(await desk.cancel(mine.key), "only orders that it placed")
        denied(await desk.replace(mine.key, "0.01", "59903.1"), "only orders that it placed")
    assert not sent_at(venue, "59902.1") and not sent_at(venue, "59903.1")
    assert not owner.orders()[mine.key].final


@pytest.mark.parametrize(
    ("order", "words", "term"),
    [
        (("BUY", ETH, "0.1", "1500"), f"holds for {BTC}, not for {ETH}", "pairs"),
        (("SELL", BTC, "0.001", "61800"), "holds for BUY orders, not for SELL", "side"),
        (("BUY", BTC, "0.012", "60000"), "the order is worth 720; the mandate holds for 700", "order_value"),
    ],
)
async def test_an_order_beyond_the_terms_of_a_mandate_is_denied(
    owner: DeskOf, tmp_path: Path, order: tuple[Any, ...], words: str, term: str
) -> None:
    async with maker(tmp_path) as desk:
        await granted(owner, desk, side="BUY")
        denied(await desk.place(*order), words, term=term)


async def test_orders_of_a_mandate_stay_within_its_traded_value(owner: DeskOf, tmp_path: Path) -> None:
    async with maker(tmp_path) as desk:
        await granted(owner, desk, traded_value="1200")
        first = await desk.place("BUY", BTC, "0.01", "60000", time_in_force="GTX")
        assert (await desk.place("BUY", BTC, "0.01", "59999.9", time_in_force="GTX")).verdict == "accepted"
        denied(await desk.place("BUY", BTC, "0.001", "60000"), "0.001 of the 1200", term="traded_value")
        denied(await desk.replace(first.order, "0.0101", "60000"), "this order is worth 606")
        # What was cancelled unfilled is free again.
        await desk.cancel(first.order)
        await has_ended(owner, first.order)
        assert (await desk.place("BUY", BTC, "0.01", "60000.2", time_in_force="GTX")).verdict == "denied"
        assert (await desk.place("BUY", BTC, "0.01", "59999.8", time_in_force="GTX")).verdict == "accepted"


async def test_filled_value_uses_up_a_mandate_to_the_cent(owner: DeskOf, tmp_path: Path) -> None:
    async with maker(tmp_path) as desk:
        await granted(owner, desk, traded_value="1236")
        sent = await desk.place("BUY", BTC, "0.01", "61790", time_in_force="IOC")
        await until(lambda: owner.orders()[sent.order].final, 5)
        await until(lambda: desk.mandate is not None and desk.mandate.traded == Decimal("617.9"), 5)
        denied(await desk.place("BUY", BTC, "0.01", "61810.1"), "618.1 of the 1236", "618.101")
        assert (await desk.place("BUY", BTC, "0.01", "61810", time_in_force="IOC")).verdict == "accepted"


async def test_a_mandate_limits_the_value_of_the_position(owner: DeskOf, tmp_path: Path) -> None:
    async with maker(tmp_path) as desk:
        await granted(owner, desk, position_value="1000", traded_value="9000")
        bought = await desk.place("BUY", BTC, "0.01", "61790", time_in_force="IOC")
        await until(lambda: owner.orders()[bought.order].final, 5)
        await until(lambda: desk.mandate is not None and 600 < desk.mandate.held < 630, 5)
        resting = await desk.place("BUY", BTC, "0.006", "60000", time_in_force="GTX")
        assert resting.verdict == "accepted"
        # 0.01 held and 0.006 that rests leave 0.00066 at 60,000.
        denied(
            await desk.place("BUY", BTC, "0.001", "60000.1"),
            "the position may come to 1020",
            "1000",
            term="position_value",
        )
        denied(await desk.replace(resting.order, "0.007", "60000"), "may come to 1020")
        # The other side closes first: 0.01, and then as much short as the value allows.
        sells = [await desk.place("SELL", BTC, "0.011", price, time_in_force="GTX") for price in ("61830", "61831")]
        assert [sent.verdict for sent in sells] == ["accepted"] * 2
        denied(await desk.place("SELL", BTC, "0.005", "61832"), "the position may come to")
        await desk.cancel(resting.order)
        await has_ended(owner, resting.order)
        assert (await desk.place("BUY", BTC, "0.006", "60000.2", time_in_force="GTX")).verdict == "accepted"
    for sent in sells:
        await has_ended(owner, sent.order)


async def fill(owner: DeskOf, desk: AsyncDesk, side: Literal["BUY", "SELL"], price: str) -> None:
    sent = await desk.place(side, BTC, "0.01", price, time_in_force="IOC")
    assert sent.verdict == "accepted", sent
    await until(lambda: owner.orders()[sent.order].state == "FILLED", 5)


async def test_a_close_frees_the_position_value_not_the_traded_value(owner: DeskOf, tmp_path: Path) -> None:
    async with maker(tmp_path) as desk:
        await granted(owner, desk, position_value="700", traded_value="2000")
        await fill(owner, desk, "BUY", "61800")
        await fill(owner, desk, "SELL", "61700")
        await fill(owner, desk, "BUY", "61801")
        denied(await desk.place("BUY", BTC, "0.01", "61800"), "146.99 of the 2000 that it may trade are left")


async def test_denials_of_a_program_are_info_events_and_limited(owner: DeskOf, tmp_path: Path) -> None:
    async with maker(tmp_path) as desk:
        denied(await desk.place("BUY", BTC, "0.01", "60003.1"), "no mandate")
        lines = [line for line in owner.screen.look().events if "DENIED" in line.text]
        [line] = lines
        assert (line.text.split(" (")[0], line.level.value, line.stays) == ("maker: DENIED", "info", False)
        for _ in range(59):
            denied(await desk.place("BUY", BTC, "0.01", "60003.1"), "no mandate")
        with pytest.raises(DeskError, match="60 denials within 60 s"):
            await desk.place("BUY", BTC, "0.01", "60003.1")


async def test_a_mandate_limits_orders_and_replaces_in_a_minute(owner: DeskOf, tmp_path: Path) -> None:
    async with maker(tmp_path) as desk:
        await granted(owner, desk, orders_per_minute=2)
        sent = await desk.place("BUY", BTC, "0.001", "60000", time_in_force="GTX")
        await desk.replace(sent.order, "0.001", "60001")
        sent_too_much = await desk.place("BUY", BTC, "0.001", "60002")
        denied(sent_too_much, "2 orders a minute", "free in")
        assert sent_too_much.term == "orders_per_minute"
        assert sent_too_much.retry_after is not None and 50 < sent_too_much.retry_after <= 60
        assert (await desk.cancel(sent.order)).verdict == "accepted"


async def test_a_program_order_that_needs_a_confirmation_is_denied(owner: DeskOf, tmp_path: Path) -> None:
    async with maker(tmp_path) as desk:
        await granted(owner, desk)
        again = [await desk.place("BUY", BTC, "0.001", "61700.3", time_in_force="GTX") for _ in range(2)]
        assert [(sent.verdict, sent.guard) for sent in again] == [("accepted", ""), ("denied", "DUPLICATE")]
        assert (
            "the same order was sent 0." in again[1].text and "or change price or size; or propose it" in again[1].text
        )
        assert again[1].retry_after is not None and 0 < again[1].retry_after <= 2
        assert [await desk.outcome(sent.command) for sent in again] == again
        sell = await desk.place("SELL", BTC, "0.001", "61700.3", time_in_force="GTX")
        assert (sell.verdict, sell.guard, sell.retry_after) == ("denied", "SELF_CROSS", None), sell
        text = "your BUY 0.001 BTC at 61,700.3 would trade with this one: move or cancel it first; or propose it"
        assert sell.text.startswith(text), sell
        await owner.arm()
        mine = await owner.submit(owner.buy("61700.9"))
        assert mine.verdict is Verdict.ACCEPTED, mine
        crossed = await desk.place("SELL", BTC, "0.001", "61700.8", time_in_force="GTX")
        assert "the trader has BUY 0.01 BTC at 61,700.9, which would trade with this one" in crossed.text, crossed


async def run_away(desk: AsyncDesk) -> None:
    orders = [desk.place("BUY", BTC, "0.001", str(60010 + number), time_in_force="GTX") for number in range(20)]
    assert "RUNAWAY" in {sent.guard for sent in await asyncio.gather(*orders)}


@pytest.mark.parametrize("by", ["key", "number", "kill", "runaway"])
async def test_b21_every_end_of_a_mandate_cancels_its_orders(owner: DeskOf, tmp_path: Path, by: str) -> None:
    async with maker(tmp_path) as desk:
        mandate = await granted(owner, desk, traded_value="9000")
        orders = [
            (await desk.place("BUY", BTC, "0.001", f"60000.{number}", time_in_force="GTX")).order for number in (4, 5)
        ]
        if by == "kill":
            await owner.submit(CancelAll(decision=owner.buy("1").decision, kill=True))
        elif by == "runaway":
            await run_away(desk)
        else:
            owner.thread.revoke(mandate.number if by == "number" else "")
        await is_over(owner, desk)
        for order in orders:
            await has_ended(owner, order)
        denied(await desk.place("BUY", BTC, "0.001", "60000.6"), f"mandate {mandate.number} of maker has ended: ")


async def test_b22_a_mandate_ends_at_its_time_or_when_its_program_ends(owner: DeskOf, tmp_path: Path) -> None:
    async with maker(tmp_path) as desk:
        await granted(owner, desk, seconds=1)
        sent = await desk.place("BUY", BTC, "0.001", "60000.7", time_in_force="GTX")
        await is_over(owner, desk)
        await has_ended(owner, sent.order)
        assert any("has ended: it has expired" in text for text in owner.texts())
        await granted(owner, desk)
        sent = await desk.place("BUY", BTC, "0.001", "60000.8", time_in_force="GTX")
    await has_ended(owner, sent.order)
    assert any("has ended: the program left" in text for text in owner.texts())
    assert not owner.status().peers


async def test_a_loss_beyond_its_term_ends_a_mandate(owner: DeskOf, tmp_path: Path) -> None:
    async with maker(tmp_path) as desk:
        await granted(owner, desk, loss="0.3", traded_value="5000")
        sent = await desk.place("BUY", BTC, "0.01", "61790", time_in_force="IOC")
        await until(lambda: owner.orders()[sent.order].final, 5)
        # The fee of 0.01 BTC and the spread are more than what may be lost.
        await is_over(owner, desk)
        assert any("its loss of 0.31 reached the 0.3" in text for text in owner.texts()), owner.texts()


async def test_reduce_only_orders_stay_after_the_end_of_a_mandate(owner: DeskOf, tmp_path: Path) -> None:
    async with maker(tmp_path) as desk:
        await granted(owner, desk)
        bought = await desk.place("BUY", BTC, "0.01", "61790", time_in_force="IOC")
        await until(lambda: owner.orders()[bought.order].final, 5)
        await until(lambda: owner.screen.look().tables.get(Table.POSITIONS), 5)
        closing = await desk.place("SELL", BTC, "0.01", "63001", time_in_force="GTX", reduce_only=True)
        assert closing.verdict == "accepted", closing
        opening = await desk.place("BUY", BTC, "0.001", "60000.9", time_in_force="GTX")
        owner.thread.revoke()
        await has_ended(owner, opening.order)
        assert not owner.orders()[closing.order].final


def states_of(venue: Venue, orders: list[str]) -> set[str]:
    return {str(row["orderState"]) for row in orders_of(venue) if row["clientOrderId"] in orders}


@pytest.mark.parametrize("crashes", [False, True])
async def test_the_end_of_the_desk_cancels_orders_opened_by_programs(
    venue: Venue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, crashes: bool
) -> None:
    """At the end, or where it was killed at the next start; what only reduces a position stays."""
    if crashes:

        async def crash(_engine: Engine) -> None: ...

        monkeypatch.setattr(Engine, "_end_mandates", crash)
    owner = start_owner(venue, tmp_path)
    await owner.in_step()
    async with maker(tmp_path) as desk:
        await granted(owner, desk)
        await fill(owner, desk, "BUY", "61790")
        await until(lambda: owner.screen.look().tables.get(Table.POSITIONS), 5)
        closing = await desk.place("SELL", BTC, "0.01", "63002", time_in_force="GTX", reduce_only=True)
        prices = ("60000.1", "60000.2", "60000.3", "60000.4")
        opening = [(await desk.place("BUY", BTC, "0.001", price, time_in_force="GTX")).order for price in prices]
        await until(lambda: states_of(venue, opening) == {"OPEN"}, 5)
        await owner.end()
    if crashes:
        assert states_of(venue, opening) == {"OPEN"}
        again = start_owner(venue, tmp_path)
        await again.in_step()
        await until(lambda: states_of(venue, opening) == {"CANCELLED"}, 10)
        assert any(
            "4 orders of programs whose mandates ended with an earlier session" in text for text in again.texts()
        )
        assert again.orders()[closing.order].peer == "maker"
        await again.end()
    assert (states_of(venue, opening), states_of(venue, [closing.order])) == ({"CANCELLED"}, {"OPEN"})
    ends = [int(row["updateAt"]) for row in orders_of(venue) if row["clientOrderId"] in opening]
    assert max(ends) - min(ends) < AT_ONCE_MS, "all cancels leave at once"


async def test_a_granted_mandate_is_known_to_its_program_at_once(owner: DeskOf, tmp_path: Path) -> None:
    async with maker(tmp_path) as desk:
        for _ in range(20):
            await granted(owner, desk)
            assert desk.mandate is not None
            owner.thread.revoke()
            await is_over(owner, desk)


async def test_a_decline_expiry_or_program_end_ends_a_mandate_request(owner: DeskOf, tmp_path: Path) -> None:
    async with maker(tmp_path) as desk:
        asking = asyncio.ensure_future(desk.ask_mandate(BTC, **TERMS))
        await until(lambda: asked_for(owner), 5)
        with pytest.raises(DeskError, match="asked for already"):
            await desk.ask_mandate(BTC, **TERMS)
        [number] = asked_for(owner)
        owner.thread.decline(number)
        with pytest.raises(DeskError, match="declined"):
            await asking
        with pytest.raises(DeskError, match="expired"):
            await desk.ask_mandate(BTC, **TERMS, wait=1)
        last = asyncio.ensure_future(desk.ask_mandate(BTC, **TERMS))
        await until(lambda: asked_for(owner), 5)
    with pytest.raises(LinkClosed):
        await last
    await until(lambda: not owner.screen.look().tables[Table.MANDATES], 5)
    owner.thread.grant(number)
    await until(lambda: any(f"mandate {number} is not asked for any more" in text for text in owner.texts()), 5)


@pytest.mark.parametrize(
    ("terms", "words"),
    [
        ({"loss": "-5"}, "loss '-5' is no number above 0"),
        ({"order_value": "many"}, "order_value 'many'"),
        ({"traded_value": "1e999"}, "traded_value '1e999'"),
        ({"orders_per_minute": 0}, "orders_per_minute"),
        ({"seconds": 90_000}, "seconds"),
        ({"reason": ""}, "reason"),
        ({"side": "LONG"}, "side"),
    ],
)
async def test_a_wrong_term_of_a_mandate_request_is_refused_by_name(
    owner: DeskOf, tmp_path: Path, terms: dict[str, Any], words: str
) -> None:
    async with maker(tmp_path) as desk:
        with pytest.raises(DeskError, match=words):
            await desk.ask_mandate(BTC, **{**TERMS, **terms})
        with pytest.raises(DeskError, match="pair BINANCE_PERP_XYZ_USDT is not known"):
            await desk.ask_mandate("BINANCE_PERP_XYZ_USDT", **TERMS)


async def test_a_cancelled_mandate_request_is_withdrawn(owner: DeskOf, tmp_path: Path) -> None:
    async with maker(tmp_path) as desk:
        asking = asyncio.ensure_future(desk.ask_mandate(BTC, **TERMS))
        await until(lambda: asked_for(owner), 5)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        await until(lambda: not asked_for(owner), 5)
        assert any("mandate" in text and "of maker withdrawn" in text for text in owner.texts())
        assert (await granted(owner, desk)).pairs == (BTC,)


async def test_a_missing_term_of_a_mandate_is_named(owner: DeskOf, tmp_path: Path) -> None:
    """Of all terms in the same way, before anything is asked; a type checker sees it."""
    async with maker(tmp_path) as desk:
        for name in TERMS:
            with pytest.raises(TypeError, match=f"missing 1 required keyword-only argument: '{name}'"):
                await desk.ask_mandate(BTC, **{key: value for key, value in TERMS.items() if key != name})
        with pytest.raises(DeskError, match="name the pairs"):
            await desk.ask_mandate(**TERMS)
        assert not asked_for(owner)


async def test_only_a_desk_grants_a_mandate_and_to_one_program_only(owner: DeskOf, tmp_path: Path) -> None:
    bot = await Program.attach(tmp_path, "bot")
    async with maker(tmp_path) as desk:
        asking = asyncio.ensure_future(desk.ask_mandate(BTC, **TERMS))
        await until(lambda: asked_for(owner), 5)
        [number] = asked_for(owner)
        for method in ("grant", "revoke"):
            answer = await bot.call(method, number)
            assert "needs the role desk" in answer["text"], answer
        second = attach(tmp_path)
        await until(lambda: number in second.screen.look().tables.get(Table.MANDATES, {}), 10)
        second.thread.grant(number)
        assert (await asking).number == number
        assert any(f"mandate {number} of maker granted by desk 2: buy" in text for text in owner.texts())
        sent = await desk.place("BUY", BTC, "0.001", "60001.3", time_in_force="GTX")
        refused = await bot.call("cancel", {"command": new_id(), "expires": expiry(bot), "key": sent.order})
        assert refused["result"]["guard"] == "MANDATE", refused
        second.thread.revoke()
        await is_over(owner, desk)
        await second.end()
    bot.close()


def expiry(bot: Program) -> float:
    return float(bot.welcome["result"]["mono"]) + 20


async def test_a_program_command_is_sent_once_per_id_and_never_late(
    owner: DeskOf, tmp_path: Path, venue: Venue
) -> None:
    bot = await Program.attach(tmp_path, "bot")
    asking = asyncio.ensure_future(bot.call("ask_mandate", {"pairs": [BTC], **TERMS}))
    await until(lambda: asked_for(owner), 5)
    owner.thread.grant(asked_for(owner)[0])
    assert (await asking)["result"]["answer"] == "granted"
    order = {"sym": BTC, "side": "BUY", "qty": "0.001", "price": "60001.7", "time_in_force": "GTX"}
    command = {"command": "once", "expires": expiry(bot), "order": order}
    answers = [await bot.call("place", command) for _ in range(3)]
    assert len({json.dumps(answer["result"]) for answer in answers}) == 1
    assert len(sent_at(venue, "60001.7")) == 1
    late = await bot.call("place", {**command, "command": "late", "expires": 1.0})
    assert late["result"]["guard"] == "LATE"
    # Neither a name nor a trading state of its own in the call changes who sent it.
    rich = {**order, "price": "60001.8", "peer": "", "confirmed": ["DUPLICATE"], "kill": True, "hot": True}
    assert (await bot.call("place", {**command, "command": "rich", "order": rich}))["result"]["verdict"] == "accepted"
    [row] = [row for row in owner.orders().values() if row.price == "60001.8"]
    assert row.peer == "bot"
    bot.close()


async def test_the_journal_has_the_mandate_and_the_program_of_an_order(owner: DeskOf, tmp_path: Path) -> None:
    async with maker(tmp_path) as desk:
        await granted(owner, desk)
        sent = await desk.place("BUY", BTC, "0.001", "60002.3", time_in_force="GTX")
        owner.thread.revoke()
        await is_over(owner, desk)
        await has_ended(owner, sent.order)
    await owner.end()
    entries = journaled(tmp_path)
    told = [json.loads(entry["payload"]) for entry in entries if entry["kind"] == "mandate"]
    assert [next(iter(payload)) for payload in told] == ["key", "key", "granted", "ended"]
    assert told[3]["why"] == "mandate revoked by the trader" and told[3]["cancels"] == [sent.order]
    [intent] = [json.loads(entry["payload"]) for entry in entries if entry["client_order_id"] == sent.order
                and entry["kind"] == "intent"]  # fmt: skip
    assert intent["intent"]["decision"]["source"] == "maker: place"


async def test_price_band_and_risk_mode_bind_a_program_with_a_mandate(owner: DeskOf, tmp_path: Path) -> None:
    async with maker(tmp_path) as desk:
        await granted(owner, desk)
        far = await desk.place("BUY", BTC, "0.001", "50000", time_in_force="GTX")
        assert (far.verdict, far.guard) == ("denied", "BAND")
        owner.thread.set_risk_mode(RiskMode.REDUCING)
        await until(lambda: owner.status().risk_mode is RiskMode.REDUCING, 5)
        sent = await desk.place("BUY", BTC, "0.001", "60002.9", time_in_force="GTX")
        assert (sent.verdict, sent.guard) == ("denied", "MODE")
        assert (await owner.submit(owner.buy("60002.9"))).verdict is Verdict.DENIED


async def test_a_reduce_only_spot_order_is_held_to_the_mandate_terms(
    owner: DeskOf, tmp_path: Path, venue: Venue
) -> None:
    """A spot pair has no position to reduce: the service would buy, beyond every term."""
    spot = "BINANCE_SPOT_BTC_USDT"
    owner.thread.watch((BTC, spot))
    await until(lambda: spot in owner.screen.look().tables.get(Table.QUOTES, {}), 20)
    async with maker(tmp_path) as desk:
        await granted(owner, desk, spot, order_value="10", position_value="10", traded_value="10")
        for reduce_only in (False, True):
            sent = await desk.place("BUY", spot, "0.5", "60000", reduce_only=reduce_only)
            assert (sent.verdict, sent.guard, sent.term) == ("denied", "MANDATE", "order_value")
        assert not sent_at(venue, "60000")
