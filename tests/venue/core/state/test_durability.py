"""What is on disk is enough: a venue restored from its rows is the same venue (V36, V37)."""

from __future__ import annotations

from tests.venue.core.drive import PERP, Desk, code
from tests.venue.core.market.test_replay import bbo
from tests.venue.core.seeded import Seeded
from tests.venue.core.walk import commands
from tui.interface.envelope import PlaceReply
from tui.interface.families.orders import CancelOrder, PlaceOrder
from tui.venue.core.commands import Advance
from tui.venue.core.events import OrderChanged, OrderFilled
from tui.venue.core.exchange import Exchange
from tui.venue.core.participants.replay import RecordedMarket
from tui.venue.core.switches import Switches


def test_a_restored_venue_has_the_same_state_hash_and_balances() -> None:
    desk = Desk(agents="still")
    commands(desk, "durable", 150)
    again = desk.restarted()
    again.check()
    assert again.state_hash() == desk.exchange.state_hash()
    for portfolio in desk.exchange.queries.portfolios:
        assert again.queries.open_orders(portfolio) == desk.exchange.queries.open_orders(portfolio)
        assert again.queries.executions(portfolio) == desk.exchange.queries.executions(portfolio)
        assert again.queries.orders(portfolio) == desk.exchange.queries.orders(portfolio)
        before = {
            (row.sym, row.position_qty, row.avg_price, row.position_id)
            for row in desk.exchange.queries.positions(portfolio)
        }
        assert {
            (row.sym, row.position_qty, row.avg_price, row.position_id) for row in again.queries.positions(portfolio)
        } == before
        money = {
            (row.coin, row.exchange_type, row.balance, row.frozen) for row in desk.exchange.queries.assets(portfolio)
        }
        assert {
            (row.coin, row.exchange_type, row.balance, row.frozen) for row in again.queries.assets(portfolio)
        } == money


def test_stored_rows_may_be_restored_in_any_order() -> None:
    desk = Desk()
    commands(desk, "order", 60)
    rows = sorted(desk.durable.values(), key=lambda row: (row.key, row.table), reverse=True)
    again = Exchange.restore(rows, random_source=Seeded("x"), now_ms=desk.now, switches=Switches({"agents": "off"}))
    assert again.state_hash() == desk.exchange.state_hash()


def test_a_used_client_id_stays_used_after_a_restart() -> None:
    desk = Desk()
    desk.place("BUY", "0.01", "61000", client_order_id="mine", time_in_force="IOC")
    again = desk.restarted()
    place = PlaceOrder(
        portfolio=desk.main,
        sym=PERP,
        side="BUY",
        order_type="LIMIT",
        order_qty="0.01",
        limit_price="61000",
        client_order_id="mine",
    )
    reply, _ = again.apply(place, desk.now + 2000)
    assert code(reply) == 401009


def test_order_ids_continue_after_a_restart() -> None:
    desk = Desk()
    last = desk.place("BUY", "0.01", "61000")
    again = desk.restarted()
    place = PlaceOrder(
        portfolio=desk.main, sym=PERP, side="BUY", order_type="LIMIT", order_qty="0.01", limit_price="61000"
    )
    reply, _ = again.apply(place, desk.now + 2000)
    assert isinstance(reply, PlaceReply)
    assert int(reply.order_id) == int(last) + 1


def test_a_pending_cancel_completes_after_a_restart() -> None:
    desk = Desk()
    order = desk.place("BUY", "0.01", "61000")
    desk.cancel(order)
    again = desk.restarted()
    _, events = again.apply(Advance(), desk.now + 2000)
    states = [(e.record.order_state, e.record.action) for e in events if isinstance(e, OrderChanged)]
    assert states == [("CANCELLED", "CANCEL_COMPLETED")]


def test_after_a_restart_the_market_resumes_without_fills() -> None:
    desk = Desk(agents="on")
    desk.steer("BTC", "58000")
    desk.wait(6000)
    near = desk.exchange.queries.quote(PERP)
    assert near is not None
    orders = [desk.place("BUY", "0.01", near.bid), desk.place("SELL", "0.01", near.ask)]
    again = desk.restarted(agents="on")
    quote = again.queries.quote(PERP)
    assert quote is not None
    assert abs(float(quote.bid) - float(near.bid)) < 60
    assert [again.queries.order(desk.main, order_id=one) for one in orders] == [desk.order(one) for one in orders]
    again.check()


def test_own_orders_queue_behind_others_after_a_restart() -> None:
    desk = Desk(agents="still")
    quote = desk.exchange.queries.quote(PERP)
    assert quote is not None
    first = desk.place("BUY", "0.01", quote.bid)
    second = desk.place("BUY", "0.01", quote.bid)
    desk.wait(6000)
    again = desk.restarted(agents="still")
    sell = PlaceOrder(
        portfolio=desk.sub, sym=PERP, side="SELL", order_type="LIMIT", order_qty="2.69", limit_price=quote.bid
    )
    again.apply(sell, desk.now + 2000)
    filled, waiting = again.queries.order(desk.main, order_id=first), again.queries.order(desk.main, order_id=second)
    assert (filled.executed_qty, waiting.executed_qty) == ("0.01", "0")


def test_an_idle_venue_writes_nothing() -> None:
    desk = Desk()
    desk.wait(100)
    assert desk.exchange.drain_durable() == []


def test_state_hash_changes_with_every_step_of_an_order() -> None:
    desk = Desk()
    hashes = {desk.exchange.state_hash()}
    order = desk.place("BUY", "0.01", "61000")
    hashes.add(desk.exchange.state_hash())
    desk.cancel(order)
    hashes.add(desk.exchange.state_hash())
    desk.wait()
    hashes.add(desk.exchange.state_hash())
    assert len(hashes) == 4


def test_a_system_clock_set_back_does_not_move_venue_time_back() -> None:
    desk = Desk()
    desk.wait(5000)
    order = desk.place("BUY", "0.01", "61000")
    again = Exchange.restore(
        desk.durable.values(), random_source=Seeded("x"), now_ms=desk.now - 60_000, switches=Switches({"agents": "off"})
    )
    _, events = again.apply(CancelOrder(portfolio=desk.main, order_id=order), desk.now - 60_000)
    record = next(event.record for event in events if isinstance(event, OrderChanged))
    assert int(record.update_at) > int(desk.order(order).update_at)
    place = PlaceOrder(
        portfolio=desk.main, sym=PERP, side="BUY", order_type="LIMIT", order_qty="0.01", limit_price="61000"
    )
    again.apply(place, desk.now - 60_000)
    assert int(again.queries.open_orders(desk.main)[0].create_at) >= desk.now
    _, events = again.apply(Advance(), desk.now + 2)
    assert [event.record.action for event in events if isinstance(event, OrderChanged)] == ["CANCEL_COMPLETED"]


def test_resting_orders_match_the_next_quote_of_a_new_replay() -> None:
    desk = Desk()
    order = desk.place("BUY", "1", "61000")
    market = RecordedMarket([bbo(0, "60000", "1", "60000.1", "2"), bbo(50, "60000", "1", "60000.1", "3")])
    again = Exchange.restore(
        desk.durable.values(), random_source=Seeded("x"), now_ms=desk.now, switches=Switches(), market=market
    )
    again.check()
    assert again.state_hash() == desk.exchange.state_hash()
    _, events = again.apply(Advance(), desk.now + 60)
    again.check()
    assert [event.record.order_id for event in events if isinstance(event, OrderFilled)] == [order]
