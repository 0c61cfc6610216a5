"""Pairs that are suspended, delisted and listed again by a switch."""

from __future__ import annotations

import pytest

from tests.venue.core.drive import OKX, PERP, SPOT, Desk, code
from tests.venue.core.market.test_replay import bbo, play
from tui.interface.families.orders import OrderRecord, ReplaceOrder
from tui.interface.families.positions import ClosePosition
from tui.venue.core.commands import SetSwitch
from tui.venue.core.events import OrderChanged, PositionsChanged, QuoteChanged


def own(desk: Desk, origin: str = "DELIST") -> OrderRecord:
    return next(row for row in desk.exchange.queries.orders(desk.main) if row.origin == origin)


def test_delisting_ends_orders_algo_orders_and_positions() -> None:
    desk = Desk(agents="still")
    desk.place("BUY", "0.02", sl_trigger_price="61000")
    resting = desk.place("BUY", "0.01", "61000")
    elsewhere = desk.place("BUY", "1", "61000", OKX)
    desk.switch("delisted", PERP)
    ended = desk.order(resting)
    assert (ended.order_state, ended.cancel_type, ended.reason) == ("CANCELLED", "SYM_DELIST", "Symbol delisted")
    assert desk.order(elsewhere).order_state == "OPEN"
    assert [(row.order_state, row.reason) for row in desk.exchange.queries.algos(desk.main)] == [
        ("EXPIRED", "Symbol delisted")
    ]
    assert desk.exchange.queries.positions(desk.main) == []
    closing = own(desk)
    assert (closing.side, closing.order_state, closing.executed_qty, closing.reduce_only) == (
        "SELL",
        "FILLED",
        "0.02",
        True,
    )
    mark = next(row.mark_price for event in desk.events if isinstance(event, PositionsChanged) for row in event.records)
    assert float(closing.executed_avg_price) == float(mark)
    assert desk.exchange.queries.list_closed_positions(desk.main)[0].closed_type == "SYSTEM_COMPLETE_CLOSED"
    assert code(desk.try_place("BUY", "0.01", "61000")) == 401912
    assert code(desk.do(ClosePosition(portfolio=desk.main, sym=PERP))) == 401912
    assert desk.exchange.queries.symbol_infos()[PERP].state == "delisted"
    assert desk.exchange.queries.symbol_infos()[OKX].state == "live"
    assert desk.exchange.queries.is_delisted(PERP)


def test_delisting_buys_back_shorts_and_ends_pending_cancels() -> None:
    desk = Desk(agents="still")
    desk.place("SELL", "0.02")
    resting = desk.place("BUY", "0.01", "61000")
    desk.cancel(resting)
    desk.switch("delisted", f"{PERP},{SPOT}")
    assert own(desk).side == "BUY"
    assert ("OPEN", "CANCEL_PENDING") in desk.story(resting)
    assert desk.order(resting).cancel_type == "SYM_DELIST"


def test_a_delisted_pair_has_no_quotes_until_relisted() -> None:
    for agents in ("on", "still"):
        desk = Desk(agents=agents)
        desk.switch("delisted", PERP)
        gone = [event for event in desk.events if isinstance(event, QuoteChanged) and event.sym == PERP]
        assert (gone[-1].bid_qty, gone[-1].ask_qty) == ("0", "0")
        desk.wait(5000)
        quotes = [event for event in desk.events if isinstance(event, QuoteChanged)]
        assert PERP not in {event.sym for event in quotes}
        desk.switch("delisted", "none")
        assert desk.exchange.queries.symbol_infos()[PERP].state == "live"
        desk.place("BUY", "0.01")
        assert desk.exchange.queries.positions(desk.main)[0].position_qty == "0.01"


def test_a_suspended_pair_keeps_orders_but_rejects_new_ones() -> None:
    desk = Desk(agents="still")
    desk.place("BUY", "0.02", sl_trigger_price="61000")
    resting = desk.place("BUY", "0.01", "61000")
    desk.switch("suspended", PERP)
    assert desk.exchange.queries.symbol_infos()[PERP].state == "suspended"
    assert code(desk.try_place("BUY", "0.01", "61000")) == 401912
    assert code(desk.do(ReplaceOrder(portfolio=desk.main, order_id=resting, replace_price="60000"))) == 401912
    assert desk.order(resting).order_state == "OPEN"
    assert desk.exchange.queries.positions(desk.main)[0].position_qty == "0.02"
    desk.cancel(resting)
    desk.wait()
    assert desk.order(resting).order_state == "CANCELLED"
    desk.switch("suspended", "none")
    desk.place("SELL", "0.02")
    assert desk.exchange.queries.positions(desk.main) == []


def test_a_delisting_is_pushed_to_both_sides_and_kept_at_restart() -> None:
    desk = Desk(agents="still")
    desk.place("BUY", "0.02")
    desk.sub_place("SELL", "0.03")
    desk.switch("delisted", PERP)
    pushed = {event.portfolio for event in desk.events if isinstance(event, OrderChanged)}
    assert pushed == {desk.main, desk.sub}
    assert desk.restarted(agents="still").state_hash() == desk.exchange.state_hash()


@pytest.mark.parametrize("value", ["NOTHING", "", f"{PERP},"])
def test_delisting_an_unknown_pair_is_rejected(value: str) -> None:
    desk = Desk()
    assert code(desk.do(SetSwitch(name="delisted", value=value))) == 400000


def test_a_replayed_market_cannot_be_suspended() -> None:
    desk = play(bbo(0, "60000", "1", "60000.1", "2"), bbo(5000, "1", "1", "2", "1"))
    assert code(desk.do(SetSwitch(name="suspended", value=PERP))) == 400000


def test_a_stop_does_not_trigger_while_its_pair_is_suspended() -> None:
    desk = Desk(agents="still")
    desk.place("BUY", "0.02", sl_trigger_price="61000", sl_trigger_type="MARK_PRICE")
    desk.switch("suspended", PERP)
    desk.steer("BTC", "60900")
    assert desk.exchange.queries.algos(desk.main)[0].order_state == "NEW"
    desk.switch("suspended", "none")
    desk.steer("BTC", "60900")
    assert desk.exchange.queries.algos(desk.main)[0].order_state == "COMPLETED"


def test_a_pair_can_be_delisted_from_the_start() -> None:
    desk = Desk(agents="still", delisted=PERP)
    assert code(desk.try_place("BUY", "0.01", "61000")) == 401912
    assert desk.exchange.queries.quote(PERP) is None or desk.exchange.queries.quote(PERP).bid_qty == "0"  # type: ignore[union-attr]
    desk.switch("delisted", "none")
    desk.place("BUY", "0.02")
    desk.place("BUY", "0.02", "61000")
    again = desk.restarted(agents="still", delisted=PERP)
    again.check()
    assert again.queries.positions(desk.main) == []
    assert again.queries.open_orders(desk.main) == []
    assert again.queries.list_closed_positions(desk.main)[0].closed_type == "SYSTEM_COMPLETE_CLOSED"
