"""Fees of portfolios: groups printed and charged, add-points of sub portfolios from their hour on, what is settled."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.venue.core.drive import PERP, SPOT, START, Desk, code
from tests.venue.core.state.test_aging import OldDesk
from tui.interface.families.fees import BrokerFeeSchedule, FeeSchedule, SetSubFee, SubFeeSet
from tui.interface.families.history import TradeRecord
from tui.venue.core.commands import Reply
from tui.venue.core.market.symbols import SHIPPED

HOUR = 3_600_000
NEXT_HOUR = -(-START // HOUR) * HOUR
SOL = "BINANCE_PERP_SOL_USDT"


def set_fee(desk: Desk, *, exchange: str = "BINANCE", inst: str = "PERP", kind: str = "ABSOLUTE", **more: str) -> Reply:
    command = SetSubFee(portfolio=desk.main, exchange=exchange, inst_type=inst, chg_type=kind, **more)
    reply = desk.do(command)
    assert reply is not None
    return reply


def schedule(desk: Desk, who: str, inst: str = "PERP") -> FeeSchedule:
    rows = desk.exchange.queries.fee_schedules(who)
    return next(row for row in rows if (row.exchange, row.inst_type) == ("BINANCE", inst))


def broker_row(desk: Desk, who: str) -> BrokerFeeSchedule:
    rows = desk.exchange.queries.broker_schedules(who)
    return next(row for row in rows if (row.exchange, row.inst_type) == ("BINANCE", "PERP"))


def take(desk: Desk, who: str, sym: str, qty: str, price: str, side: str = "BUY") -> TradeRecord:
    """An order that meets a synthetic level of its size; its fill."""
    pair = desk.state.pairs[sym]
    desk.state.books[sym].set_house(
        pair.ticks(Decimal(price)) or 0, pair.lots(Decimal(qty)) or 0, is_buy=side == "SELL"
    )
    order = desk.place(side, qty, price, sym, portfolio=who)
    return next(one for one in desk.exchange.queries.executions(who) if one.order_id == order)


def test_fee_schedule_lists_symbol_groups_that_are_charged(desk: Desk) -> None:
    standard, group = schedule(desk, desk.main).group_list
    assert (group.group_name, group.sym_list) == ("altcoins", ["BINANCE_PERP_DOGE_USDT", SOL])
    assert (group.taker_fee, schedule(desk, desk.main).taker_fee_rate) == ("0.0006", "0.0005")
    fill = take(desk, desk.main, SOL, "10", "154")
    assert Decimal(fill.fee) == 1540 * Decimal(group.taker_fee)
    assert Decimal(take(desk, desk.main, PERP, "0.1", "61800").fee) == 6180 * Decimal("0.0005")
    assert (standard.group_name, standard.taker_fee, standard.maker_fee) == ("standard", "0.0005", "-0.00005")
    assert standard.sym_list == ["BINANCE_PERP_BTC_USDT", "BINANCE_PERP_ETH_USDT"]


def test_every_pair_is_in_one_fee_group_and_is_charged_its_rates(desk: Desk) -> None:
    rows = {(row.exchange, row.inst_type): row for row in desk.exchange.queries.fee_schedules(desk.main)}
    for pair in SHIPPED.values():
        row = rows[(pair.exchange, "PERP" if pair.is_perp else "SPOT")]
        [group] = [one for one in row.group_list if pair.sym in one.sym_list]
        assert (Decimal(group.taker_fee), Decimal(group.maker_fee)) == (pair.taker, pair.maker), pair.sym
    listed = [sym for row in rows.values() for group in row.group_list for sym in group.sym_list]
    assert sorted(listed) == sorted(SHIPPED)


def test_a_fee_markup_applies_from_the_next_full_hour(desk: Desk) -> None:
    reply = set_fee(desk, portfolio_id=desk.sub, chg_taker="1.5", chg_maker="0.5", markup_rebate_ratio="0.25")
    assert isinstance(reply, SubFeeSet) and reply.eff_date == "20240809"
    assert schedule(desk, desk.sub).taker_fee_rate == "0.0005"
    desk.wait(NEXT_HOUR - desk.now)
    row = broker_row(desk, desk.sub)
    assert (row.taker, row.maker, row.markup_rebate_ratio) == ("0.00065", "0", "0.2500")
    assert row.eff_date == "20240809"
    assert [(one.taker_fee, one.maker_fee) for one in row.group_list] == [("0.00065", "0"), ("0.00075", "0.00015")]
    assert (broker_row(desk, desk.main).taker, broker_row(desk, desk.main).markup_rebate_ratio) == ("0.0005", "0.0000")
    assert schedule(desk, desk.sub, "SPOT").taker_fee_rate == "0.001"


def test_a_percentage_fee_markup_leaves_other_fields_unchanged(desk: Desk) -> None:
    set_fee(desk, portfolio_id=desk.sub, chg_taker="1", markup_rebate_ratio="0.5")
    set_fee(desk, kind="PERCENTAGE", portfolio_id=desk.sub, chg_maker="20")
    desk.wait(NEXT_HOUR - desk.now)
    row = broker_row(desk, desk.sub)
    assert (row.taker, row.maker, row.markup_rebate_ratio) == ("0.0006", "-0.00006", "0.5000")


def test_a_fee_markup_with_a_later_date_starts_at_midnight(desk: Desk) -> None:
    reply = set_fee(desk, portfolio_id=desk.sub, chg_taker="1", eff_date="20240811")
    assert isinstance(reply, SubFeeSet) and reply.eff_date == "20240811"
    desk.wait(30 * HOUR)
    assert schedule(desk, desk.sub).taker_fee_rate == "0.0005"
    desk.wait(24 * HOUR)
    assert schedule(desk, desk.sub).taker_fee_rate == "0.0006"


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"chg_taker": "1", "exchange": "NOWHERE"}, 401023),
        ({"chg_taker": "1", "inst": "MARGIN"}, 400000),
        ({"chg_taker": "1", "kind": "BOTH"}, 400000),
        ({"chg_taker": "1", "portfolio_id": "7"}, 100001),
        ({}, 400009),
        ({"chg_taker": "1.005"}, 406005),
        ({"chg_taker": "-1"}, 406005),
        ({"chg_maker": "x"}, 406006),
        ({"chg_taker": "1.5", "kind": "PERCENTAGE"}, 406007),
        ({"chg_maker": "-5", "kind": "PERCENTAGE"}, 406008),
        ({"chg_taker": "1", "eff_date": "2024-08-11"}, 400000),
        ({"chg_taker": "1", "eff_date": "20240230"}, 400000),
        ({"chg_taker": "1", "eff_date": "20240101"}, 400000),
        ({"chg_taker": "1", "markup_rebate_ratio": "1.1"}, 400000),
        ({"chg_taker": "1", "markup_rebate_ratio": "0.12345"}, 400000),
        ({"chg_taker": "1"}, 0),
        ({"chg_maker": "0"}, 0),
        ({"chg_taker": "7", "kind": "PERCENTAGE", "inst": "SPOT"}, 0),
    ],
)
def test_invalid_fee_markups_are_rejected_by_error_code(desk: Desk, fields: dict[str, str], expected: int) -> None:
    before = desk.exchange.state_hash()
    assert code(set_fee(desk, **fields)) == expected
    assert (desk.exchange.state_hash() == before) == bool(expected)


def test_main_portfolio_fees_cannot_be_marked_up(desk: Desk) -> None:
    assert code(set_fee(desk, portfolio_id=desk.main, chg_taker="1")) == 100001


def test_a_fill_of_a_marked_up_sub_portfolio_pays_the_broker(desk: Desk) -> None:
    set_fee(desk, chg_taker="2", markup_rebate_ratio="0.25")
    desk.wait(NEXT_HOUR - desk.now)
    before = desk.exchange.queries.balance(desk.main, "BINANCE", "USDT")
    fill = take(desk, desk.sub, PERP, "0.1", "61800")
    assert Decimal(fill.fee) == 6180 * Decimal("0.0007")
    (settled,) = desk.exchange.queries.markup_fills()
    assert (settled.trade_id, settled.coin, settled.portfolio) == (fill.transaction_id, "USDT", desk.sub)
    assert (settled.markup, settled.rebate) == (Decimal("1.236"), Decimal("0.309"))
    assert desk.exchange.queries.balance(desk.main, "BINANCE", "USDT") - before == settled.rebate
    take(desk, desk.main, PERP, "0.1", "61800")
    take(desk, desk.sub, SPOT, "0.01", "61800")
    assert desk.exchange.queries.markup_fills() == [settled]


def test_fee_markups_and_settlements_survive_a_restart() -> None:
    desk = OldDesk()
    set_fee(desk, chg_taker="2")
    desk.wait(NEXT_HOUR - desk.now)
    take(desk, desk.sub, PERP, "0.1", "61800")
    again = desk.restarted()
    assert again.state_hash() == desk.exchange.state_hash()
    assert again.queries.fee_schedules(desk.sub) == desk.exchange.queries.fee_schedules(desk.sub)
    assert again.queries.markup_fills() == desk.exchange.queries.markup_fills()
    desk.wait(2 * HOUR)
    assert "markup_fill" in {row.table for row in desk.age()}
    take(desk, desk.sub, PERP, "0.1", "61800")
    (later,) = desk.exchange.queries.markup_fills()
    assert later.id != again.queries.markup_fills()[0].id
