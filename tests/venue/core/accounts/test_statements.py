"""Rows of the statement after fills: one per coin, with what was there before and after."""

from __future__ import annotations

from decimal import Decimal

from tests.venue.core.drive import PERP, SPOT, Desk
from tui.interface.families.history import StatementRecord


def rows(desk: Desk, portfolio: str = "") -> list[StatementRecord]:
    return desk.exchange.queries.statements(portfolio or desk.main)


def test_a_spot_fill_has_a_base_and_a_quote_statement_row() -> None:
    desk = Desk()
    desk.sub_place("BUY", "0.01", "61000", SPOT)
    before = desk.exchange.queries.balance(desk.main, "BINANCE", "BTC")
    desk.place("SELL", "0.01", "61000", SPOT)
    trade = desk.exchange.queries.executions(desk.main)[0]
    quote, base = rows(desk)
    assert (base.coin, quote.coin) == ("BTC", "USDT")
    assert {(row.statement_type, row.sym, row.request_id) for row in (base, quote)} == {
        ("TRADE", SPOT, trade.transaction_id)
    }
    assert (base.before_available, base.delta_amount, base.business_type) == (str(before), "-0.01", "SPOT")
    assert Decimal(quote.delta_amount) == 610 - Decimal(trade.fee)
    assert Decimal(quote.after_available) - Decimal(quote.before_available) == Decimal(quote.delta_amount)
    assert len(base.statement_id) == 17
    assert isinstance(base.portfolio_id, int)
    assert isinstance(base.create_at, int)
    bought, paid = reversed(rows(desk, desk.sub))
    assert (bought.coin, paid.coin, paid.delta_amount) == ("BTC", "USDT", "-610")


def test_a_perpetual_fill_statement_sums_pnl_fee_and_rebate() -> None:
    desk = Desk()
    desk.sub_place("SELL", "0.01", "61800")
    desk.place("BUY", "0.01", "61800")
    desk.sub_place("BUY", "0.01", "61900")
    desk.place("SELL", "0.01", "61900")
    closing, opening = rows(desk)
    fills = {fill.transaction_id: fill for fill in desk.exchange.queries.executions(desk.main)}
    for row in (opening, closing):
        fill = fills[row.request_id]
        assert (row.coin, row.sym, row.business_type) == ("USDT", PERP, "PERP")
        assert Decimal(row.delta_amount) == Decimal(fill.rpnl) - Decimal(fill.fee)
    maker = rows(desk, desk.sub)[0]
    fill = desk.exchange.queries.executions(desk.sub)[0]
    assert Decimal(maker.delta_amount) == Decimal(fill.rpnl) + Decimal(fill.rebate)


def test_trade_statements_are_written_only_while_switched_on() -> None:
    desk = Desk(agents="still", trade_statements="off")
    desk.place("BUY", "0.01")
    assert rows(desk) == []
    desk.switch("trade_statements", "on")
    desk.place("BUY", "0.01")
    assert len(rows(desk)) == 1
    assert desk.restarted().queries.statements(desk.main) == rows(desk)


def test_statement_ids_are_unique() -> None:
    desk = Desk(agents="still")
    for _ in range(5):
        desk.place("BUY", "0.01", sym=SPOT)
    ids = [row.statement_id for row in rows(desk)]
    assert len(ids) == len(set(ids)) == 10
