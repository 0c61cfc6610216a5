"""Faults by their names, against the real client, engine and venue: given, fault, trader does, trader sees, wire says.

Beside what each scenario says, every day must end with: no order at the venue twice, none there before its intent was
durable, none there that was called not sent, and no end painted that the venue does not confirm (`Day._look_back`).
"""

from __future__ import annotations

import asyncio
from decimal import Decimal

import pytest

from tests.simulation.harness.day import CUTS, SYM, Day, started
from tests.simulation.harness.network import Wire
from tui.engine.intents import Verdict
from tui.engine.rows import LocalOrderState, PendingAction
from tui.engine.status_rows import LinkState
from tui.interface.families.orders import CancelOrder, PlaceOrder, ReplaceOrder, Side

pytestmark = pytest.mark.simulation

ORDERS_PUSH = b'"channel":"orders"'


# -- the link goes while an order is on its way --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cut", "fsync", "words"),
    [
        ("reset", 0.5, "not connected"),
        ("fin", 0.5, "not connected"),
        ("reset", 4.0, "connection was lost meanwhile"),
        ("", 7.0, "took longer than 5 s"),
    ],
    ids=["reset", "fin", "back in step before the disk", "endless disk"],
)
def test_f02_an_order_cut_before_the_write_is_not_sent(cut: str, fsync: float, words: str) -> None:
    async def day(desk: Day) -> None:
        desk.journal.latency = fsync
        work = await started(desk.rest())
        if cut:
            desk.cut(cut)()
        outcome = await work
        assert (outcome.verdict, desk.row(outcome.key).state) == (Verdict.DENIED, LocalOrderState.NOT_SENT)
        assert words in outcome.text
        desk.journal.latency = 0
        await desk.in_step()
        assert desk.asked(PlaceOrder) == 0

    Day().play(day)


@pytest.mark.parametrize("cut", CUTS)
def test_f05_an_order_with_reply_lost_at_disconnect_is_resolved(cut: str) -> None:
    async def day(desk: Day) -> None:
        desk.after[PlaceOrder] = desk.cut(cut)
        outcome = await desk.rest()
        assert outcome.verdict is Verdict.UNKNOWN
        await desk.shows(outcome.key, "OPEN")
        assert LocalOrderState.UNKNOWN in desk.states(outcome.key)
        await desk.in_step()

    Day().play(day)


@pytest.mark.parametrize("cut", CUTS)
def test_f06_fills_during_a_disconnect_are_reported_singly(cut: str) -> None:
    async def day(desk: Day) -> None:
        ask = desk.mirror.quotes[SYM].ask

        def away() -> None:
            desk.cut(cut)()
            desk.somebody_sells("0.005", ask)

        desk.after[PlaceOrder] = away
        outcome = await desk.take_and_rest()
        assert outcome.verdict is Verdict.UNKNOWN
        row = await desk.shows(outcome.key, "FILLED")
        await desk.in_step()
        await desk.until(lambda: len(desk.mirror.fills) == 2)
        assert row.executed == desk.at_venue(outcome.key).executed_qty
        assert desk.said("FILL BUY") == 2
        assert desk.never(outcome.key, "REJECT", "CANCELLED")

    Day().play(day)


@pytest.mark.parametrize("cut", CUTS)
def test_f08_fills_missed_between_partial_fills_are_caught_up(cut: str) -> None:
    async def day(desk: Day) -> None:
        ask = desk.mirror.quotes[SYM].ask
        outcome = await desk.take_and_rest()
        await desk.shows(outcome.key, "PARTIALLY_FILLED")
        desk.cut(cut)()
        desk.somebody_sells("0.002", ask)
        desk.somebody_sells("0.001", ask)
        record = desk.at_venue(outcome.key)
        await desk.until(lambda: desk.row(outcome.key).executed == record.executed_qty)
        await desk.in_step()
        await desk.until(lambda: len(desk.mirror.fills) == 3)
        assert sum(Decimal(one.record.quantity) for one in desk.mirror.fills.values()) == Decimal(record.executed_qty)

    Day().play(day)


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("meanwhile", ["applied", "cancelled", "filled"])
def test_f09_a_replace_with_lost_reply_is_unknown(cut: str, meanwhile: str) -> None:
    async def day(desk: Day) -> None:
        ask = desk.mirror.quotes[SYM].ask
        placed = await desk.take_and_rest()
        row = await desk.shows(placed.key, "PARTIALLY_FILLED")
        if meanwhile == "cancelled":
            desk.before[ReplaceOrder] = lambda: desk.somebody_cancels(placed.key)
        elif meanwhile == "filled":
            desk.before[ReplaceOrder] = lambda: desk.somebody_sells("0.005", ask)
        desk.after[ReplaceOrder] = desk.cut(cut)
        price = str(Decimal(row.price) - 50)
        assert (await desk.replace(placed.key, price, row.qty)).verdict is Verdict.UNKNOWN
        end = await desk.clear(placed.key)
        await desk.in_step()
        painted = desk.changing(placed.key)
        assert {(one.price, one.requested_price) for one in painted} == {(row.price, price)}
        assert PendingAction.AMEND_LOST in [one.overlay for one in painted] or meanwhile == "filled"
        record = desk.at_venue(placed.key)
        assert (end.state, end.price) == (record.order_state, record.limit_price)
        assert (end.price == price) == (meanwhile == "applied")
        assert desk.asked(ReplaceOrder) == 1

    Day().play(day)


@pytest.mark.parametrize("lost", [ReplaceOrder, CancelOrder], ids=["F09 replace", "F10 cancel"])
def test_f09_f10_an_order_change_that_never_arrived_is_unknown(lost: type) -> None:
    async def day(desk: Day) -> None:
        placed = await desk.rest()
        row = await desk.shows(placed.key, "OPEN")
        desk.swallow("out", b"/v1/private")
        price = str(Decimal(row.price) + 1)
        work = desk.replace(placed.key, price, row.qty) if lost is ReplaceOrder else desk.cancel(placed.key)
        assert (await work).verdict is Verdict.UNKNOWN
        desk.network.filters.clear()
        await desk.link(LinkState.DOWN)
        await desk.in_step()
        await asyncio.sleep(20)
        row = desk.row(placed.key)
        assert row.state == "OPEN"
        assert row.overlay in (PendingAction.AMEND_LOST, PendingAction.CANCEL_LOST)
        assert desk.asked(lost) == 0

    Day().play(day)


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("meanwhile", ["cancelled", "filled"])
def test_f10_a_cancel_with_lost_reply_is_never_shown_cancelled(cut: str, meanwhile: str) -> None:
    async def day(desk: Day) -> None:
        ask = desk.mirror.quotes[SYM].ask
        placed = await desk.take_and_rest()
        await desk.shows(placed.key, "PARTIALLY_FILLED")
        if meanwhile == "filled":
            desk.before[CancelOrder] = lambda: desk.somebody_sells("0.005", ask)
        desk.after[CancelOrder] = desk.cut(cut)
        assert (await desk.cancel(placed.key)).verdict is Verdict.UNKNOWN
        await desk.shows(placed.key, "CANCELLED" if meanwhile == "cancelled" else "FILLED")
        painted = desk.changing(placed.key)
        assert {one.state for one in painted} == {"PARTIALLY_FILLED"}
        assert PendingAction.CANCEL_LOST in [one.overlay for one in painted] or meanwhile == "filled"
        assert desk.asked(CancelOrder) == 1

    Day().play(day)


@pytest.mark.parametrize("cut", CUTS)
def test_f11_an_accepted_cancel_is_pending_until_confirmed(cut: str) -> None:
    async def day(desk: Day) -> None:
        placed = await desk.rest()
        await desk.shows(placed.key, "OPEN")
        heal = desk.swallow("in", ORDERS_PUSH, b'"CANCELLED"')
        assert (await desk.cancel(placed.key)).verdict is Verdict.ACCEPTED
        await asyncio.sleep(0.5)
        row = desk.row(placed.key)
        assert (row.state, row.overlay) == ("OPEN", PendingAction.CANCEL)
        desk.cut(cut)()
        heal()
        await desk.shows(placed.key, "CANCELLED")

    Day().play(day)


@pytest.mark.parametrize("cut", CUTS)
def test_f15_between_login_and_snapshot_only_cancels_are_sent(cut: str) -> None:
    async def day(desk: Day) -> None:
        placed = await desk.rest()
        await desk.shows(placed.key, "OPEN")
        heal = desk.swallow("out", b"GET /api/v1/trading/orders")
        desk.cut(cut)()
        await desk.link(LinkState.RESYNC)
        refused = await desk.rest(below="90")
        assert (refused.verdict, refused.guard) == (Verdict.DENIED, "LINK")
        assert (await desk.replace(placed.key, "1", "1")).guard == "LINK"
        assert (await desk.cancel(placed.key)).verdict is Verdict.ACCEPTED
        heal()
        await desk.in_step()
        await desk.shows(placed.key, "CANCELLED")
        assert desk.asked(PlaceOrder) == 1

    Day().play(day)


def test_f47_a_dead_connection_is_noticed_within_five_seconds() -> None:
    async def day(desk: Day) -> None:
        await asyncio.sleep(2.1)  # just after a ping was answered, the worst moment
        at = desk.world.now
        desk.cut("black_hole")()
        outcome = await desk.rest()
        assert (outcome.verdict, round(desk.world.now - at, 1)) == (Verdict.UNKNOWN, 3.0)
        await desk.link(LinkState.DOWN)
        assert desk.world.now - at <= 5.1
        await desk.in_step()
        row = desk.row(outcome.key)
        assert (row.state, desk.asked(PlaceOrder)) == (LocalOrderState.UNKNOWN, 0)
        await asyncio.sleep(240)
        row = desk.row(outcome.key)
        assert row.state == LocalOrderState.UNKNOWN, "neither time nor not-found ends it"
        assert row.not_found >= 3

    Day().play(day)


# -- replies and pushes --------------------------------------------------------------------------------------------


def test_f18_an_order_without_reply_is_unknown_after_3_seconds() -> None:
    async def day(desk: Day) -> None:
        heal = desk.swallow("in", b"/v1/private", b'"orderId"')
        at = desk.world.now
        outcome = await desk.rest()
        assert (outcome.verdict, round(desk.world.now - at, 1)) == (Verdict.UNKNOWN, 3.0)
        await desk.shows(outcome.key, "OPEN")
        assert desk.world.now - at < 4.0
        heal()

    Day().play(day)


def test_f18_a_push_replaces_a_missing_reply() -> None:
    async def day(desk: Day) -> None:
        outcome = await desk.rest()
        assert (outcome.verdict, desk.row(outcome.key).state) == (Verdict.ACCEPTED, "OPEN")

    Day(("lose_reply", "on")).play(day)


def test_f19_a_reply_30_seconds_late_makes_no_second_row() -> None:
    async def day(desk: Day) -> None:
        def later(wire: Wire, data: bytes) -> None:
            desk.engine_loop.call_later(30, wire.client.receive, data)

        desk.divert("in", later, b"/v1/private", b'"event":"place_order"')
        desk.swallow("in", ORDERS_PUSH)
        desk.swallow("out", b"GET /api/v1/trading/")
        outcome = await desk.rest()
        assert outcome.verdict is Verdict.UNKNOWN
        await asyncio.sleep(20)
        assert desk.row(outcome.key).state == LocalOrderState.UNKNOWN
        await desk.until(lambda: desk.row(outcome.key).state in ("NEW", "OPEN"))
        await asyncio.sleep(30)
        assert list(desk.mirror.orders) == [outcome.key]

    Day().play(day)


@pytest.mark.parametrize("times", [2, 100])
def test_f22_a_duplicated_push_counts_once(times: int) -> None:
    async def day(desk: Day) -> None:
        def again(wire: Wire, data: bytes) -> None:
            for _ in range(times):
                wire.client.receive(data)

        desk.divert("in", again, b"/v1/private", b'"channel":')
        outcome = await desk.take_and_rest()
        row = await desk.shows(outcome.key, "PARTIALLY_FILLED")
        await asyncio.sleep(1)
        assert row.executed == desk.at_venue(outcome.key).executed_qty
        assert (len(desk.mirror.fills), desk.said("FILL BUY"), desk.said("PARTIAL")) == (1, 1, 1)

    Day().play(day)


def test_f23_pushes_out_of_order_never_undo_a_newer_state() -> None:
    async def day(desk: Day) -> None:
        held: list[tuple[Wire, bytes]] = []
        ask = desk.mirror.quotes[SYM].ask
        heal = desk.divert("in", lambda wire, data: held.append((wire, data)), ORDERS_PUSH)
        outcome = await desk.take_and_rest()
        desk.somebody_sells("0.005", ask)
        await asyncio.sleep(0.1)
        heal()
        assert len(held) >= 2
        for wire, data in reversed(held):
            wire.client.receive(data)
            await asyncio.sleep(0.05)
        assert desk.states(outcome.key)[-1] == "FILLED"
        assert desk.never(outcome.key, "PARTIALLY_FILLED", "OPEN")
        assert desk.row(outcome.key).executed == desk.at_venue(outcome.key).executed_qty
        assert not [row.conflict for row in desk.painted[outcome.key] if row.conflict]

    Day().play(day)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_f24_a_fill_pushed_before_the_reply_is_kept(seed: int) -> None:
    async def day(desk: Day) -> None:
        def later(wire: Wire, data: bytes) -> None:
            desk.engine_loop.call_later(0.5, wire.client.receive, data)

        desk.divert("in", later, b'"event":"place_order"')
        ask = desk.mirror.quotes[SYM].ask
        work = await started(desk.place(SYM, Side.BUY, "0.001", ask))
        row = await desk.until(lambda: next(iter(desk.mirror.orders.values()), None))
        await desk.shows(row.key, "FILLED")
        assert (await work).verdict is Verdict.ACCEPTED
        assert desk.states(row.key)[-1] == "FILLED"

    Day(("reply_race", "random"), seed=seed).play(day)


def test_f28_a_second_replace_is_denied_while_one_is_pending() -> None:
    async def day(desk: Day) -> None:
        placed = await desk.rest()
        row = await desk.shows(placed.key, "OPEN")
        prices = [str(Decimal(row.price) + step) for step in (1, 2)]
        first, second = await asyncio.gather(*(desk.replace(placed.key, price, row.qty) for price in prices))
        assert (first.verdict, second.guard) == (Verdict.ACCEPTED, "IN_FLIGHT")
        end = await desk.clear(placed.key)
        assert (end.price, desk.asked(ReplaceOrder)) == (prices[0], 1)

    Day().play(day)


@pytest.mark.parametrize("first", ["push", "reply"])
def test_f29_a_cancel_after_a_fill_is_reported_as_too_late(first: str) -> None:
    async def day(desk: Day) -> None:
        def later(wire: Wire, data: bytes) -> None:
            desk.engine_loop.call_later(0.5, wire.client.receive, data)

        ask = desk.mirror.quotes[SYM].ask
        placed = await desk.take_and_rest()
        await desk.shows(placed.key, "PARTIALLY_FILLED")
        desk.divert("in", later, b'"event":"cancel_order"' if first == "push" else ORDERS_PUSH)
        desk.before[CancelOrder] = lambda: desk.somebody_sells("0.005", ask)
        assert (await desk.cancel(placed.key)).verdict is Verdict.REJECTED
        row = await desk.shows(placed.key, "FILLED")
        assert row.overlay is PendingAction.NOTHING
        assert desk.said("too late") >= 1
        assert desk.never(placed.key, "CANCELLED")

    Day().play(day)


# -- lists ---------------------------------------------------------------------------------------------------------


def test_f34_an_order_missing_from_the_list_is_queried() -> None:
    async def day(desk: Day) -> None:
        placed = await desk.rest()
        await desk.shows(placed.key, "OPEN")
        heal = desk.swallow("in", ORDERS_PUSH)
        desk.somebody_cancels(placed.key)
        await asyncio.sleep(0.1)
        heal()
        no_detail = desk.swallow("out", b"GET /api/v1/trading/order?")
        await asyncio.sleep(40)
        assert desk.row(placed.key).state == "OPEN", "gone from the list is not cancelled"
        no_detail()
        await desk.until(lambda: desk.row(placed.key).state == "CANCELLED", within=60)

    Day().play(day)


@pytest.mark.parametrize("which", [b"orders", b"position"])
def test_f37_an_unreadable_list_is_not_an_empty_list(which: bytes) -> None:
    async def day(desk: Day) -> None:
        placed = await desk.take_and_rest()
        await desk.shows(placed.key, "PARTIALLY_FILLED")
        checked = desk.desk_row.orders_checked_ms
        heal = desk.divert("out", lambda wire, data: wire.reset(), b"GET /api/v1/trading/" + which)
        desk.cut("reset")()
        await desk.until(lambda: "SNAPSHOT FAILED" in desk.mirror.links["private"].error)
        assert desk.row(placed.key).state == "PARTIALLY_FILLED"
        assert len(desk.mirror.positions) == 1
        assert (desk.desk_row.orders_checked_ms == checked) == (which == b"orders")
        assert (await desk.rest()).guard == "LINK"
        heal()
        await desk.in_step()
        assert desk.desk_row.orders_checked_ms > checked
        assert desk.desk_row.positions_checked_ms > checked

    Day().play(day)


# -- disk and clock ------------------------------------------------------------------------------------------------


def test_f93_with_a_full_disk_orders_are_denied_and_cancels_sent() -> None:
    async def day(desk: Day) -> None:
        placed = await desk.rest()
        row = await desk.shows(placed.key, "OPEN")
        desk.journal.failure = "disk full"
        refused = await desk.rest(below="90")
        assert (refused.verdict, refused.guard) == (Verdict.DENIED, "JOURNAL")
        assert "cannot record" in refused.text
        changed = await desk.replace(placed.key, str(Decimal(row.price) + 1), row.qty)
        assert changed.guard == "JOURNAL"
        assert (await desk.cancel(placed.key)).verdict is Verdict.ACCEPTED
        await desk.shows(placed.key, "CANCELLED")
        assert (desk.asked(PlaceOrder), desk.asked(ReplaceOrder)) == (1, 0)

    Day().play(day)


def test_f95_no_order_is_sent_before_it_is_on_disk() -> None:
    async def day(desk: Day) -> None:
        desk.journal.latency = 1.0
        at = desk.world.now
        work = await started(desk.rest())
        await asyncio.sleep(0.9)
        assert [row.state for row in desk.mirror.orders.values()] == [LocalOrderState.SENDING]
        assert desk.asked(PlaceOrder) == 0
        outcome = await work
        assert outcome.verdict is Verdict.ACCEPTED
        assert desk.world.now - at >= 1.0

    Day().play(day)


def test_f101_f102_a_wrong_clock_blocks_only_opening_orders() -> None:
    async def day(desk: Day) -> None:
        placed = await desk.rest()
        await desk.shows(placed.key, "OPEN")
        desk.clock.skew = 0.4
        await asyncio.sleep(1)
        assert desk.said("clock differs by +400 ms") == 1
        desk.clock.skew = 26.0
        refused = await desk.rest(below="90")
        assert (refused.verdict, refused.guard) == (Verdict.DENIED, "CLOCK")
        assert "clock differs by 26 s" in refused.text
        assert (await desk.cancel(placed.key)).verdict is Verdict.ACCEPTED
        desk.cut("reset")()
        await desk.until(lambda: "clock differs" in desk.mirror.links["private"].error)
        desk.clock.skew = 0.0
        await desk.in_step()
        assert (await desk.rest(below="80")).verdict is Verdict.ACCEPTED

    Day().play(day)
