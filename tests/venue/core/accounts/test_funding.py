"""Funding: rate, payment at the boundary only, both sides, and once for each boundary, also over a restart."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.venue.core.drive import OKX, PERP, START, Desk
from tests.venue.core.seeded import Seeded
from tui.interface.families.history import StatementRecord
from tui.venue.core.commands import Advance
from tui.venue.core.events import AssetsChanged, PositionsChanged
from tui.venue.core.exchange import Exchange
from tui.venue.core.switches import Switches

HOUR = 3_600_000
MIDNIGHT = (START // (24 * HOUR) + 1) * 24 * HOUR


def payments(exchange: Exchange, portfolio: str) -> list[StatementRecord]:
    """Rows of funding, newest first."""
    return [row for row in exchange.queries.statements(portfolio) if row.statement_type == "FUNDING_FEE"]


def traded(**switches: str) -> Desk:
    """The main portfolio is long and the sub portfolio short by the same quantity, at 60000."""
    desk = Desk(**switches)  # type: ignore[arg-type]
    desk.steer("BTC", "60000")
    desk.sub_place("SELL", "0.5", "60000")
    desk.place("BUY", "0.5", "60000")
    return desk


def until(desk: Desk, ms: int) -> None:
    desk.wait(ms - desk.now)


@pytest.mark.parametrize(("interval", "hours"), [("8h", 8), ("4h", 4), ("1h", 1)])
def test_funding_rate_without_premium_is_the_base_rate(interval: str, hours: int) -> None:
    desk = Desk(funding_interval=interval)
    row = desk.exchange.queries.funding_rate(PERP)
    assert Decimal(row.funding_rate) == Decimal("0.0001") * hours / 8
    assert int(row.next_funding_time) == (START // (hours * HOUR) + 1) * hours * HOUR
    assert int(row.funding_time) <= START


def test_longs_pay_funding_to_shorts_only_at_the_funding_time() -> None:
    desk = traded()
    money = {one: desk.exchange.queries.balance(one, "BINANCE", "USDT") for one in (desk.main, desk.sub)}
    until(desk, MIDNIGHT - 1)
    assert payments(desk.exchange, desk.main) == []
    until(desk, MIDNIGHT)
    mark = desk.exchange.queries.mark(PERP)
    assert mark is not None
    paid = Decimal("0.5") * Decimal(mark.mark) * Decimal("0.0001")
    assert desk.exchange.queries.balance(desk.main, "BINANCE", "USDT") == money[desk.main] - paid
    assert desk.exchange.queries.balance(desk.sub, "BINANCE", "USDT") == money[desk.sub] + paid
    assert Decimal(desk.exchange.queries.positions(desk.main)[0].funding_fee) == -paid
    assert any(isinstance(event, PositionsChanged) for event in desk.events)
    assert any(isinstance(event, AssetsChanged) for event in desk.events)
    (row,) = payments(desk.exchange, desk.main)
    assert (row.statement_type, row.sym, row.business_type, row.coin) == ("FUNDING_FEE", PERP, "PERP", "USDT")
    assert (row.request_id, row.create_at, row.portfolio_id) == (str(MIDNIGHT), MIDNIGHT, int(desk.main))
    assert Decimal(row.delta_amount) == -paid == Decimal(row.after_available) - Decimal(row.before_available)
    desk.wait(60_000)
    assert len(payments(desk.exchange, desk.main)) == 1


def test_funding_of_contracts_uses_the_contract_size() -> None:
    desk = Desk()
    desk.steer("BTC", "60000")
    desk.sub_place("SELL", "10", "60000", OKX)
    desk.place("BUY", "10", "60000", OKX)
    until(desk, MIDNIGHT)
    assert Decimal(payments(desk.exchange, desk.main)[0].delta_amount) == Decimal("-0.6")


def test_closed_position_row_includes_the_funding_paid() -> None:
    desk = traded()
    until(desk, MIDNIGHT)
    desk.sub_place("BUY", "0.5", "60000")
    desk.place("SELL", "0.5", "60000")
    row = desk.exchange.queries.list_closed_positions(desk.main)[0]
    assert Decimal(row.funding_fee) == Decimal(payments(desk.exchange, desk.main)[0].delta_amount)
    until(desk, MIDNIGHT + 8 * HOUR)
    assert len(payments(desk.exchange, desk.main)) == 1


def test_funding_rate_is_bounded_when_the_mark_has_a_premium() -> None:
    desk = Desk(agents="still")
    desk.place("BUY", "3")
    desk.wait(180_000)
    assert abs(Decimal(desk.exchange.queries.funding_rate(PERP).funding_rate)) <= Decimal("0.0075")


def test_funding_missed_while_down_is_charged_once_per_interval() -> None:
    desk = traded(funding_interval="1h")
    until(desk, MIDNIGHT + 10)
    later = MIDNIGHT + 3 * HOUR + 5000
    again = Exchange.restore(
        desk.durable.values(),
        random_source=Seeded("x"),
        now_ms=later,
        switches=Switches({"agents": "off", "funding_interval": "1h"}),
    )
    assert again.state_hash() == desk.exchange.state_hash()
    again.apply(Advance(), later)
    again.check()
    found = [int(row.request_id) for row in payments(again, desk.main)]
    assert found == [MIDNIGHT + number * HOUR for number in (3, 2, 1, 0)]
    again.apply(Advance(), later + 1000)
    assert len(payments(again, desk.main)) == 4
    rows = payments(again, desk.main) + payments(again, desk.sub)
    assert not sum(Decimal(row.delta_amount) for row in rows)


def test_a_state_saved_before_funding_existed_owes_no_funding() -> None:
    desk = traded()
    rows = [row for row in desk.durable.values() if row.table != "funded"]
    later = MIDNIGHT + 30 * HOUR
    again = Exchange.restore(rows, random_source=Seeded("x"), now_ms=later, switches=Switches({"agents": "off"}))
    again.apply(Advance(), later)
    assert payments(again, desk.main) == []
