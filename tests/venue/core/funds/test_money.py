"""Money and positions over long walks: nothing is made, lost, frozen twice or left behind."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise

import pytest

from tests.venue.core.drive import PERP, SPOT, Desk
from tests.venue.core.walk import commands
from tui.interface.families.orders import Side
from tui.rules import pnl
from tui.venue.core.check_failed import CheckFailed
from tui.venue.core.events import OrderChanged
from tui.venue.core.state.ledger import Ledger, PostingLeg, Unbalanced

_NEXT = {
    "NEW": {"NEW", "OPEN", "PARTIALLY_FILLED", "FILLED", "CANCELLED", "REJECT"},
    "OPEN": {"OPEN", "PARTIALLY_FILLED", "FILLED", "CANCELLED"},
    "PARTIALLY_FILLED": {"PARTIALLY_FILLED", "FILLED", "CANCELLED"},
    "FILLED": {"FILLED"},
    "CANCELLED": {"CANCELLED"},
    "REJECT": {"REJECT"},
}


@pytest.mark.parametrize("seed", ["1", "2", "3"])
@pytest.mark.parametrize("self_trade", ["taker", "maker", "both", "decrement", "allow"])
def test_money_invariants_hold_after_every_random_command(seed: str, self_trade: str) -> None:
    desk = Desk(seed=seed, self_trade=self_trade, agents="still" if seed == "1" else "off")
    commands(desk, f"{seed}{self_trade}", 120)
    _states_only_move_forward(desk)
    _every_pending_action_has_one_end(desk)
    _positions_replay_from_fills(desk)


@pytest.mark.parametrize("excess", ["clip", "cut", "reject", "cancel_others"])
@pytest.mark.parametrize("renews", ["off", "all"])
def test_money_invariants_hold_over_amends_and_reduce_only(excess: str, renews: str) -> None:
    desk = Desk(agents="still", reduce_only_excess=excess, replace_as_new=renews)
    commands(desk, f"{excess}{renews}", 120)
    _states_only_move_forward(desk)
    _every_pending_action_has_one_end(desk)
    _positions_replay_from_fills(desk)


def test_money_invariants_hold_in_a_moving_market() -> None:
    desk = Desk(agents="on", speed="4")
    commands(desk, "lively", 80)
    _states_only_move_forward(desk)
    _positions_replay_from_fills(desk)


def _stories(desk: Desk) -> dict[str, list[tuple[str, str]]]:
    stories: dict[str, list[tuple[str, str]]] = {}
    for event in desk.log:
        if isinstance(event, OrderChanged):
            stories.setdefault(event.record.order_id, []).append((event.record.order_state, event.record.action))
    return stories


def _states_only_move_forward(desk: Desk) -> None:
    for order_id, story in _stories(desk).items():
        assert story[0][0] == "NEW", order_id
        for (before, _), (after, _) in pairwise(story):
            assert after in _NEXT[before], f"{order_id}: {story}"


def _every_pending_action_has_one_end(desk: Desk) -> None:
    desk.wait(10)
    for order_id, story in _stories(desk).items():
        actions = [action for n, (_, action) in enumerate(story) if n == 0 or action != story[n - 1][1]]
        for here, after in zip(actions, [*actions[1:], ""], strict=True):
            if here.endswith("_PENDING"):
                assert after in (here.replace("PENDING", "COMPLETED"), here.replace("PENDING", "FAILED")), order_id


def _positions_replay_from_fills(desk: Desk) -> None:
    """V5, by adding up the fills naively."""
    for portfolio in desk.exchange.queries.portfolios:
        held: dict[str, tuple[Decimal, Decimal | None]] = {}
        for fill in reversed(desk.exchange.queries.executions(portfolio)):
            if fill.business_type != "PERP":
                continue
            size = Decimal("0.01") if fill.exchange_type == "OKX" else Decimal(1)
            position, entry = held.get(fill.sym, (Decimal(0), None))
            quantity, price = Decimal(fill.quantity), Decimal(fill.price)
            after = pnl.apply_one_way_fill(position, entry, Side(fill.side), quantity, price, contract_size=size)
            assert abs(after.realised - Decimal(fill.rpnl)) <= Decimal("1e-18")
            held[fill.sym] = (after.position, after.entry)
        shown = {row.sym: Decimal(row.position_qty) for row in desk.exchange.queries.positions(portfolio)}
        assert shown == {sym: position for sym, (position, _) in held.items() if position}


def test_order_totals_equal_the_sums_of_its_fills() -> None:
    desk = Desk(agents="still")
    order = desk.place("BUY", "8", "61900")
    record = desk.order(order)
    fills = [trade for trade in desk.exchange.queries.executions(desk.main) if trade.order_id == order]
    assert len(fills) > 1
    assert Decimal(record.executed_qty) == sum(Decimal(one.quantity) for one in fills)
    assert Decimal(record.executed_amount) == sum(Decimal(one.quantity) * Decimal(one.price) for one in fills)
    assert Decimal(record.fee) == sum(Decimal(one.fee) for one in fills)


def test_order_record_shows_its_last_fill() -> None:
    desk = Desk()
    order = desk.place("BUY", "0.03", "61800")
    for qty in ("0.01", "0.004"):
        desk.sub_place("SELL", qty, "61700")
        record = desk.order(order)
        assert (record.last_executed_qty, record.last_executed_price) == (qty, "61800")
        assert Decimal(record.last_executed_amount) == Decimal(qty) * 61800


def test_an_unbalanced_ledger_posting_is_rejected() -> None:
    ledger = Ledger()
    with pytest.raises(Unbalanced):
        ledger.post(0, "gift", "", [PostingLeg("somebody", "BINANCE", "USDT", Decimal(1))])
    assert ledger.balances == {}


def test_main_portfolio_starts_with_balances_on_three_venues() -> None:
    desk = Desk()
    money = {(row.exchange_type, row.coin): row.balance for row in desk.exchange.queries.assets(desk.main)}
    assert money[("BINANCE", "USDT")] == "100000"
    assert money[("OKX", "BTC")] == "0.5"
    assert [row.exchange_type for row in desk.exchange.queries.accounts(desk.main)] == ["BINANCE", "OKX", "EDX"]


def test_balance_equals_available_plus_frozen_on_every_asset_row() -> None:
    desk = Desk(agents="still")
    commands(desk, "rows", 60)
    desk.place("SELL", "0.01", "70000", SPOT)
    for portfolio in desk.exchange.queries.portfolios:
        for row in desk.exchange.queries.assets(portfolio):
            assert Decimal(row.balance) == Decimal(row.available) + Decimal(row.frozen)


@pytest.mark.parametrize("side", ["BUY", "SELL"])
@pytest.mark.parametrize("tier_margin", ["flat", "cumulative"])
def test_margin_ratio_is_one_at_the_liquidation_price(side: str, tier_margin: str) -> None:
    """At the printed price the row has just its maintenance margin, with the pair's own coin as collateral."""
    desk = Desk(agents="still", tier_margin=tier_margin)
    desk.place(side, "30")
    desk.switch("agents", "off")
    desk.steer("BTC", "61800")
    position = desk.exchange.queries.positions(desk.main)[0]
    assert position.liq_price is not None
    price = Decimal(position.liq_price).quantize(Decimal("0.1"))
    desk.steer("BTC", str(price))
    row = next(row for row in desk.exchange.queries.accounts(desk.main) if row.exchange_type == "BINANCE")
    worth_of_a_tick = 31 * Decimal("0.1") / Decimal(row.maintain_margin)
    assert abs(Decimal(row.uni_mmr) - 1) <= worth_of_a_tick


def test_account_margin_fields_are_consistent() -> None:
    desk = Desk(agents="still")
    desk.place("BUY", "5")
    desk.place("BUY", "1", "61000")
    for row in desk.exchange.queries.accounts(desk.main):
        assert Decimal(row.valid_margin) == Decimal(row.margin_value) - Decimal(row.open_loss_margin)
        assert Decimal(row.available_margin) == Decimal(row.valid_margin) - Decimal(row.frozen_margin)
        if row.maintain_margin != "0":
            assert abs(Decimal(row.uni_mmr) - Decimal(row.valid_margin) / Decimal(row.maintain_margin)) < Decimal(
                "1e-10"
            )
            assert row.risk_ratio != "0"
        else:
            assert (row.uni_mmr, row.risk_ratio) == ("999999", "0")


def test_open_orders_reserve_margin_fees_and_loss_to_mark() -> None:
    desk = Desk()
    desk.steer("BTC", "60000")
    desk.place("BUY", "2", "59000")
    desk.place("BUY", "1", "60100")
    desk.place("BUY", "0.1", "50000", SPOT)
    row = next(row for row in desk.exchange.queries.accounts(desk.main) if row.exchange_type == "BINANCE")
    assert Decimal(row.perp_margin) == Decimal(2 * 59000 + 60100) / 20
    fees = (2 * 59000 + 60100) * Decimal("0.0005") + 5000 * Decimal("0.001")
    assert Decimal(row.open_loss_margin) == fees + 100 + 5000 * Decimal("0.05")


def test_the_reducing_part_of_an_order_needs_no_margin() -> None:
    desk = Desk()
    desk.steer("BTC", "60000")
    desk.sub_place("SELL", "1", "60000")
    desk.place("BUY", "1", "60000")
    desk.place("SELL", "3", "61000")
    row = next(row for row in desk.exchange.queries.accounts(desk.main) if row.exchange_type == "BINANCE")
    assert Decimal(row.perp_margin) == Decimal(60000) / 20 + Decimal(2 * 61000) / 20


def test_only_perpetual_positions_have_adl_ranks_one_to_five() -> None:
    desk = Desk(agents="still")
    assert desk.exchange.queries.adl_ranks(desk.main) == []
    desk.place("BUY", "5")
    ranks = desk.exchange.queries.adl_ranks(desk.main, PERP)
    position = desk.exchange.queries.positions(desk.main)[0]
    assert [(one.sym, one.position_id, one.position_side) for one in ranks] == [(PERP, position.position_id, "LONG")]
    assert ranks[0].adl_rank in "12345"
    desk.steer("BTC", "66000")
    later = desk.exchange.queries.adl_ranks(desk.main)
    assert later[0].adl_rank in "12345"
    for sym in (SPOT, "nothing"):
        with pytest.raises(CheckFailed) as refused:
            desk.exchange.queries.adl_ranks(desk.main, sym)
        assert refused.value.code == 401011
