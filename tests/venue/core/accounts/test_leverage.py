"""Leverage of a perpetual: what is accepted, what it changes at once, and that it lasts."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.venue.core.accounts.test_hedge import hedged, legs
from tests.venue.core.drive import OKX, PERP, SPOT, Desk, code
from tui.interface.families.positions import SetLeverage
from tui.venue.core.commands import Done, Rejected, Reply
from tui.venue.core.events import AccountsChanged, OrderChanged, PositionsChanged


def lever(desk: Desk, leverage: str, sym: str = PERP, portfolio: str = "") -> Reply | None:
    return desk.do(SetLeverage(portfolio=portfolio or desk.main, sym=sym, leverage=leverage))


def test_leverage_starts_at_20_and_is_set_per_portfolio() -> None:
    desk = Desk()
    rows = desk.exchange.queries.leverages(desk.main)
    assert {row.sym for row in rows} == {sym for sym in desk.exchange.queries.symbol_infos() if "_PERP_" in sym}
    assert {row.leverage for row in rows} == {"20"}
    assert lever(desk, "5", OKX) == Done()
    assert [row.leverage for row in desk.exchange.queries.leverages(desk.main, OKX)] == ["5"]
    assert [row.leverage for row in desk.exchange.queries.leverages(desk.sub, OKX)] == ["20"]


@pytest.mark.parametrize(
    ("leverage", "sym", "wanted"),
    [
        ("5", SPOT, 401011),
        ("5", "BINANCE_PERP_NOPE_USDT", 401011),
        ("2.5", PERP, 400000),
        ("-1", PERP, 400000),
        ("five", PERP, 400000),
        ("٥", PERP, 400000),
        ("0", PERP, 401908),
        ("101", PERP, 401908),
        ("999999999", PERP, 401908),
    ],
)
def test_invalid_leverage_is_rejected_with_the_value(leverage: str, sym: str, wanted: int) -> None:
    desk = Desk()
    reply = lever(desk, leverage, sym)
    assert code(reply) == wanted
    assert isinstance(reply, Rejected)
    assert (sym if wanted == 401011 else leverage) in reply.message
    assert {row.leverage for row in desk.exchange.queries.leverages(desk.main)} == {"20"}


def test_leverage_needs_an_account_on_the_venue() -> None:
    desk = Desk()
    assert code(lever(desk, "5", "EDX_PERP_BTC_USDT", desk.sub)) == 401911


def test_max_leverage_follows_the_risk_tier_of_the_position() -> None:
    desk = Desk(agents="still")
    assert lever(desk, "100") == Done()
    desk.place("BUY", "9")
    assert desk.exchange.queries.positions(desk.main)[0].max_leverage == "50"
    assert code(lever(desk, "51")) == 401908
    assert lever(desk, "50") == Done()


def test_a_leverage_change_updates_positions_and_orders_at_once() -> None:
    desk = hedged()
    desk.place("BUY", "0.3", position_side="LONG")
    desk.place("SELL", "0.2", position_side="SHORT")
    order = desk.place("BUY", "1", "60000", position_side="LONG")
    other = desk.place("BUY", "1", "60000", SPOT)
    values = {leg: Decimal(row.position_value) for leg, row in legs(desk).items()}
    assert lever(desk, "10") == Done()
    records = [row for e in desk.events if isinstance(e, PositionsChanged) for row in e.records]
    assert {row.position_side: row.leverage for row in records} == {"LONG": "10", "SHORT": "10"}
    assert {leg: Decimal(row.position_margin) for leg, row in legs(desk).items()} == {
        leg: value / 10 for leg, value in values.items()
    }
    assert any(isinstance(event, AccountsChanged) for event in desk.events)
    assert Decimal(desk.account().perp_margin) == sum(values.values()) / 10 + 6000
    pushed = [e.record for e in desk.events if isinstance(e, OrderChanged)]
    assert [(row.order_id, row.leverage) for row in pushed] == [(order, 10)]
    assert desk.order(other).leverage is None
    assert desk.order(desk.place("BUY", "1", "59000", position_side="LONG")).leverage == 10


def test_setting_the_same_leverage_succeeds_without_a_push() -> None:
    desk = Desk(agents="still")
    desk.place("BUY", "0.3")
    assert lever(desk, "20") == Done()
    assert desk.events == []


def test_lowering_leverage_needs_enough_free_margin() -> None:
    desk = Desk(agents="still")
    desk.place("BUY", "20")
    before = desk.account()
    reply = lever(desk, "2")
    assert code(reply) == 401920
    assert isinstance(reply, Rejected)
    assert "leverage 2" in reply.message
    assert desk.account() == before
    assert desk.exchange.queries.leverages(desk.main, PERP)[0].leverage == "20"
    assert lever(desk, "15") == Done()
    assert code(lever(desk, "2")) == 401920
    assert desk.exchange.queries.leverages(desk.main, PERP)[0].leverage == "15"
    assert lever(desk, "25") == Done()


def test_order_margin_is_checked_at_the_current_leverage() -> None:
    desk = Desk()
    desk.steer("BTC", "60000")
    assert lever(desk, "1") == Done()
    assert code(desk.try_place("BUY", "5", "60000")) == 401902
    assert lever(desk, "100") == Done()
    assert code(desk.try_place("BUY", "5", "60000")) == 0


def test_leverage_survives_a_restart_and_is_in_the_state_hash() -> None:
    desk = Desk(agents="still")
    desk.place("BUY", "0.3")
    before = desk.exchange.state_hash()
    lever(desk, "7")
    assert desk.exchange.state_hash() != before
    again = desk.restarted()
    assert again.state_hash() == desk.exchange.state_hash()
    assert again.queries.positions(desk.main)[0].leverage == "7"
    assert again.queries.leverages(desk.main, PERP)[0].leverage == "7"
