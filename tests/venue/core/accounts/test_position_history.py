"""Rows of closed positions: their sums, sides and modes, and that they last."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.venue.core.accounts.test_hedge import hedged
from tests.venue.core.accounts.test_leverage import lever
from tests.venue.core.drive import OKX, PERP, Desk
from tests.venue.core.trading.test_closing import close
from tests.venue.core.walk import commands
from tui.interface.decimals import half_up, plain, truncate
from tui.interface.families.positions import PositionHistoryRecord


def trade(desk: Desk, side: str, qty: str, price: str, sym: str = PERP, **more: str | bool) -> None:
    """The main portfolio takes from the sub portfolio, so that the price is chosen."""
    desk.sub_place("SELL" if side == "BUY" else "BUY", qty, price, sym)
    desk.place(side, qty, price, sym, **more)


def rows(desk: Desk) -> list[PositionHistoryRecord]:
    return desk.exchange.queries.list_closed_positions(desk.main)


def quiet() -> Desk:
    desk = Desk()
    desk.steer("BTC", "60000")
    return desk


def test_a_position_closed_in_parts_gives_one_history_row() -> None:
    desk = quiet()
    trade(desk, "BUY", "0.1", "60000")
    opened = desk.now
    position = desk.exchange.queries.positions(desk.main)[0].position_id
    desk.now += 1000
    trade(desk, "SELL", "0.04", "60300")
    assert rows(desk) == []
    trade(desk, "BUY", "0.02", "60600")
    desk.now += 1000
    trade(desk, "SELL", "0.08", "61000")
    (row,) = rows(desk)
    fills = desk.exchange.queries.executions(desk.main)
    assert (row.position_id, row.portfolio_id, row.portfolio_name) == (position, desk.main, "MainPortfolio")
    assert (row.sym, row.closed_type, row.position_history_side, row.position_mode) == (
        PERP,
        "COMPLETE_CLOSED",
        "LONG",
        "NET",
    )
    assert (row.closed_qty, row.max_position_qty, row.leverage) == ("0.12", "0.1", 20)
    assert Decimal(row.open_avg_price) == (Decimal("0.1") * 60000 + Decimal("0.02") * 60600) / Decimal("0.12")
    assert row.closed_avg_price == truncate((Decimal("0.04") * 60300 + Decimal("0.08") * 61000) / Decimal("0.12"))
    assert Decimal(row.closed_pnl) == Decimal("0.04") * 60300 + Decimal("0.08") * 61000 - 6000 - 1212
    assert abs(sum(Decimal(fill.rpnl) for fill in fills) - Decimal(row.closed_pnl)) < Decimal("1e-15")
    assert row.closed_pnl_ratio == truncate(Decimal(row.closed_pnl) * 20 / (6000 + 1212))
    assert Decimal(row.fee) == sum(Decimal(fill.fee) for fill in fills)
    assert (row.liq_fee, row.funding_fee) == ("0", "0")
    assert (row.create_at, row.update_at) == (str(opened), str(desk.now))


def test_short_position_history_keeps_side_and_leverage() -> None:
    desk = quiet()
    trade(desk, "SELL", "10", "60000", OKX)
    lever(desk, "5", OKX)
    trade(desk, "BUY", "10", "59000", OKX)
    (row,) = rows(desk)
    assert (row.position_history_side, row.position_mode, row.closed_qty) == ("SHORT", "NET", "10")
    assert Decimal(row.closed_pnl) == Decimal("0.1") * 1000
    assert Decimal(row.closed_pnl_ratio) == Decimal(100) * 5 / 6000 // Decimal("1e-18") * Decimal("1e-18")
    assert row.leverage == 5


def test_a_reversal_closes_one_position_and_opens_another() -> None:
    desk = quiet()
    trade(desk, "BUY", "0.05", "60000")
    first = desk.exchange.queries.positions(desk.main)[0].position_id
    trade(desk, "SELL", "0.08", "60500")
    (row,) = rows(desk)
    assert (row.position_id, row.closed_qty, row.max_position_qty, row.closed_pnl) == (first, "0.05", "0.05", "25")
    position = desk.exchange.queries.positions(desk.main)[0]
    assert (position.position_qty, position.position_id == first) == ("-0.03", False)
    turn, opened = desk.exchange.queries.executions(desk.main)[:2]
    assert Decimal(turn.fee) > 0 and position.fee == plain(half_up(Decimal(turn.fee) * 3 / 8, 8))
    assert Decimal(row.fee) + Decimal(position.fee) == Decimal(turn.fee) + Decimal(opened.fee)
    trade(desk, "BUY", "0.03", "60100")
    newest, _ = rows(desk)
    assert (newest.position_id, newest.position_history_side) == (position.position_id, "SHORT")
    assert (newest.closed_qty, newest.open_avg_price, newest.closed_pnl) == ("0.03", "60500", "12")


def test_hedge_legs_have_separate_history_rows() -> None:
    desk = hedged()
    desk.place("BUY", "0.3", position_side="LONG")
    desk.place("SELL", "0.2", position_side="SHORT")
    close(desk, side="SHORT")
    close(desk, side="LONG")
    found = [(row.position_history_side, row.closed_qty, row.position_mode) for row in rows(desk)]
    assert found == [("LONG", "0.3", "BOTH"), ("SHORT", "0.2", "BOTH")]
    assert desk.exchange.queries.list_closed_positions(desk.sub) == []


@pytest.mark.parametrize("seed", ["1", "2"])
def test_closed_and_open_pnl_match_the_fills(seed: str) -> None:
    desk = Desk(agents="still", seed=seed)
    commands(desk, "history" + seed, 200)
    total = 0
    for portfolio in desk.exchange.queries.portfolios:
        held = {row.sym for row in desk.exchange.queries.positions(portfolio)}
        for row in desk.exchange.queries.list_closed_positions(portfolio):
            total += 1
            size = Decimal("0.01") if row.sym == OKX else Decimal(1)
            sign = 1 if row.position_history_side == "LONG" else -1
            gap = Decimal(row.closed_avg_price) - Decimal(row.open_avg_price)
            assert abs(gap * sign * size * Decimal(row.closed_qty) - Decimal(row.closed_pnl)) < Decimal("1e-15")
            assert Decimal(row.max_position_qty) <= Decimal(row.closed_qty)
        for sym in {row.sym for row in desk.exchange.queries.list_closed_positions(portfolio)} - held:
            realised = sum(
                (Decimal(one.rpnl) for one in desk.exchange.queries.executions(portfolio) if one.sym == sym), Decimal(0)
            )
            closed = [row for row in desk.exchange.queries.list_closed_positions(portfolio) if row.sym == sym]
            assert abs(sum((Decimal(row.closed_pnl) for row in closed), Decimal(0)) - realised) < Decimal("1e-12")
    assert total


def test_position_history_survives_a_restart() -> None:
    desk = Desk(agents="still")
    desk.place("BUY", "0.1")
    desk.place("SELL", "0.04")
    desk.place("BUY", "3", sym=OKX)
    close(desk, OKX)
    again = desk.restarted()
    assert again.queries.list_closed_positions(desk.main) == rows(desk)
    assert again.state_hash() == desk.exchange.state_hash()
    desk.place("SELL", "0.06")
    row = rows(desk)[0]
    assert (row.closed_qty, row.max_position_qty) == ("0.1", "0.1")
    assert desk.restarted().queries.list_closed_positions(desk.main) == rows(desk)
