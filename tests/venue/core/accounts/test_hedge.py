"""Hedge mode: two legs per pair, what closes a leg and what it may not do, and the change of the mode."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.venue.core.drive import OKX, PERP, SPOT, Desk, code
from tests.venue.core.seeded import Seeded
from tui.interface.families.positions import PositionRecord, SetPositionMode
from tui.rules import liquidation
from tui.venue.core.commands import Done, Rejected, Reply
from tui.venue.core.events import AccountsChanged, PositionsChanged


def mode(desk: Desk, word: str, exchange: str = "BINANCE", portfolio: str = "") -> Reply | None:
    return desk.do(SetPositionMode(portfolio=portfolio or desk.main, exchange_type=exchange, position_mode=word))


def hedged(agents: str = "still", **switches: str) -> Desk:
    """A market whose main portfolio is in hedge mode on BINANCE."""
    desk = Desk(None, "1", agents=agents, **switches)
    assert mode(desk, "BOTH") == Done()
    return desk


def legs(desk: Desk) -> dict[str, PositionRecord]:
    return {row.position_side: row for row in desk.exchange.queries.positions(desk.main)}


def test_position_mode_starts_one_way_and_is_set_per_venue() -> None:
    desk = Desk()
    assert {row.position_mode for row in desk.exchange.queries.accounts(desk.main)} == {"NET"}
    mode(desk, "BOTH")
    pushed = [row for event in desk.events if isinstance(event, AccountsChanged) for row in event.records]
    assert [(row.exchange_type, row.position_mode) for row in pushed] == [("BINANCE", "BOTH")]
    modes = {row.exchange_type: row.position_mode for row in desk.exchange.queries.accounts(desk.main)}
    assert modes == {"BINANCE": "BOTH", "OKX": "NET", "EDX": "NET"}
    assert {row.position_mode for row in desk.exchange.queries.accounts(desk.sub)} == {"NET"}
    assert mode(desk, "BOTH") == Done()
    assert desk.events == []
    assert mode(desk, "NET") == Done()


@pytest.mark.parametrize(
    ("exchange", "word", "wanted"),
    [("KRAKEN", "BOTH", 401023), ("BINANCE", "HEDGE", 400000), ("BINANCE", "both", 400000)],
)
def test_an_invalid_position_mode_is_rejected_with_its_value(exchange: str, word: str, wanted: int) -> None:
    reply = mode(Desk(), word, exchange)
    assert code(reply) == wanted
    assert isinstance(reply, Rejected)
    assert (exchange if wanted == 401023 else word) in reply.message


def test_position_mode_needs_an_account_on_the_venue() -> None:
    desk = Desk()
    assert code(mode(desk, "BOTH", "EDX", desk.sub)) == 401911


def test_position_mode_change_is_refused_with_open_perp_orders() -> None:
    desk = Desk(agents="still")
    order = desk.place("BUY", "0.01", "50000")
    assert code(mode(desk, "BOTH")) == 406012
    assert mode(desk, "NET") == Done()
    assert mode(desk, "BOTH", "OKX") == Done()
    desk.cancel(order)
    desk.wait()
    desk.place("BUY", "0.01", "50000", SPOT)
    assert mode(desk, "BOTH") == Done()
    desk.place("BUY", "0.01", position_side="LONG")
    assert code(mode(desk, "NET")) == 406012
    desk.place("SELL", "0.01", position_side="LONG")
    assert mode(desk, "NET") == Done()


def test_position_side_is_required_only_in_hedge_mode() -> None:
    desk = hedged()
    for side in ("", "NONE"):
        assert code(desk.try_place("BUY", "0.01", position_side=side)) == 401905
    assert code(desk.try_place("BUY", "0.01", position_side="BOTH")) == 401905
    desk.place("BUY", "0.01", sym=SPOT, position_side="LONG")
    order = desk.place("BUY", "1", sym=OKX, position_side="SHORT")
    assert desk.order(order).position_side == "NONE"
    row = desk.exchange.queries.positions(desk.main)[0]
    assert (row.sym, row.position_side, row.position_qty) == (OKX, "NONE", "1")


def test_hedge_mode_legs_have_their_own_ids_and_entry_prices() -> None:
    desk = hedged()
    desk.place("BUY", "0.3", position_side="LONG")
    order = desk.place("SELL", "0.2", position_side="SHORT")
    assert (desk.order(order).position_side, desk.order(order).reduce_only) == ("SHORT", False)
    found = legs(desk)
    assert {leg: row.position_qty for leg, row in found.items()} == {"LONG": "0.3", "SHORT": "0.2"}
    assert found["LONG"].position_id != found["SHORT"].position_id
    assert Decimal(found["LONG"].avg_price) > Decimal(found["SHORT"].avg_price)
    assert desk.exchange.queries.position_lots(desk.main, PERP) == 100


@pytest.mark.parametrize(("side", "leg"), [("SELL", "LONG"), ("BUY", "SHORT")])
def test_closing_an_empty_hedge_leg_is_rejected(side: str, leg: str) -> None:
    desk = hedged()
    desk.place("SELL" if side == "SELL" else "BUY", "0.1", position_side="SHORT" if leg == "LONG" else "LONG")
    reply = desk.try_place(side, "0.1", position_side=leg)
    assert code(reply) == 401903
    assert isinstance(reply, Rejected)
    assert f"{leg} leg is already empty" in reply.message


def test_an_opening_hedge_order_cannot_be_reduce_only() -> None:
    desk = hedged()
    desk.place("BUY", "0.1", position_side="LONG")
    assert code(desk.try_place("BUY", "0.1", position_side="LONG", reduce_only=True)) == 401903


@pytest.mark.parametrize("price", ["", "61900"])
def test_a_hedge_close_order_fills_at_most_the_size_of_its_leg(price: str) -> None:
    desk = hedged()
    desk.place("BUY", "3", position_side="LONG")
    desk.place("SELL", "2", position_side="SHORT")
    before = legs(desk)["LONG"]
    order = desk.order(desk.place("BUY", "5", price, position_side="SHORT"))
    assert (order.executed_qty, order.order_state, order.cancel_type) == ("2", "CANCELLED", "REDUCE_ONLY")
    assert order.reduce_only is True
    after = legs(desk)
    assert set(after) == {"LONG"}
    assert (after["LONG"].position_qty, after["LONG"].avg_price) == (before.position_qty, before.avg_price)
    closed = [row for e in desk.events if isinstance(e, PositionsChanged) for row in e.records]
    assert ("SHORT", "0") in [(row.position_side, row.position_qty) for row in closed]


def test_resting_close_orders_are_cancelled_when_their_leg_ends() -> None:
    desk = hedged()
    desk.place("BUY", "0.3", position_side="LONG")
    desk.place("SELL", "0.2", position_side="SHORT")
    take_long = desk.place("SELL", "0.3", "70000", position_side="LONG")
    take_short = desk.place("BUY", "0.2", "55000", position_side="SHORT")
    desk.place("SELL", "0.3", position_side="LONG")
    assert (desk.order(take_long).order_state, desk.order(take_long).cancel_type) == ("CANCELLED", "REDUCE_ONLY")
    assert desk.order(take_short).order_state == "OPEN"


def test_hedge_close_orders_need_no_margin() -> None:
    desk = hedged()
    desk.place("BUY", "0.3", position_side="LONG")
    before = desk.account()
    desk.place("SELL", "0.3", "70000", position_side="LONG")
    assert desk.account().perp_margin == before.perp_margin
    desk.place("SELL", "0.1", "70000", position_side="SHORT")
    assert Decimal(desk.account().perp_margin) == Decimal(before.perp_margin) + Decimal(7000) / 20


def test_account_margin_sums_both_hedge_legs() -> None:
    desk = hedged()
    desk.place("BUY", "30", position_side="LONG")
    desk.place("SELL", "2", position_side="SHORT")
    desk.steer("BTC", "61800")
    found, row = legs(desk), desk.account()
    margins = sum(Decimal(one.position_margin) for one in found.values())
    assert Decimal(row.perp_margin) == margins
    assert Decimal(row.maintain_margin) == sum(Decimal(one.position_mm) for one in found.values())
    price = found["LONG"].liq_price
    assert price is not None
    assert found["SHORT"].liq_price == price
    desk.switch("agents", "off")
    desk.steer("BTC", str(Decimal(price).quantize(Decimal("0.1"))))
    pushed = [row for event in desk.events if isinstance(event, AccountsChanged) for row in event.records]
    there = next(row for row in pushed if (row.portfolio_id, row.exchange_type) == (desk.main, "BINANCE"))
    assert abs(Decimal(there.uni_mmr) - 1) < Decimal("0.001")


def test_adl_ranks_list_both_hedge_legs() -> None:
    desk = hedged()
    desk.place("BUY", "0.3", position_side="LONG")
    desk.place("SELL", "0.2", position_side="SHORT")
    ranks = desk.exchange.queries.adl_ranks(desk.main, PERP)
    ids = {leg: row.position_id for leg, row in legs(desk).items()}
    assert {one.position_side: one.position_id for one in ranks} == ids
    assert {one.adl_rank for one in ranks} <= set("12345")


def test_bankruptcy_price_counts_both_hedge_legs() -> None:
    both = [
        liquidation.LiquidationLeg(1, Decimal(3), Decimal(100)),
        liquidation.LiquidationLeg(-1, Decimal(2), Decimal(100)),
    ]
    assert liquidation.bankruptcy_price(Decimal(50), both) == 50


def test_restart_keeps_hedge_mode_legs_and_closing_orders() -> None:
    desk = hedged()
    desk.place("BUY", "0.3", position_side="LONG")
    desk.place("SELL", "0.2", position_side="SHORT")
    order = desk.place("SELL", "0.3", "70000", position_side="LONG")
    again = desk.restarted()
    again.check()
    assert again.state_hash() == desk.exchange.state_hash()
    shown = {row.position_side: (row.position_qty, row.position_id) for row in again.queries.positions(desk.main)}
    assert shown == {leg: (row.position_qty, row.position_id) for leg, row in legs(desk).items()}
    assert next(row.position_mode for row in again.queries.accounts(desk.main)) == "BOTH"
    assert again.queries.order(desk.main, order_id=order) == desk.order(order)


def test_state_hash_includes_the_position_mode() -> None:
    desk = Desk()
    before = desk.exchange.state_hash()
    mode(desk, "BOTH")
    assert desk.exchange.state_hash() != before


@pytest.mark.parametrize("self_trade", ["taker", "maker", "both", "decrement", "allow"])
def test_invariants_hold_over_random_hedge_mode_commands(self_trade: str) -> None:
    """Every command is followed by the invariants; fills of closing orders never exceed what a leg had."""
    desk = Desk(self_trade=self_trade)
    for portfolio in (desk.main, desk.sub):
        mode(desk, "BOTH", portfolio=portfolio)
    source = Seeded("hedge" + self_trade)
    for _ in range(200):
        portfolio = (desk.main, desk.sub)[source.randrange(2)]
        desk.try_place(
            ("BUY", "SELL")[source.randrange(2)],
            f"0.0{1 + source.randrange(9)}",
            str(61_790 + source.randrange(12)) if source.randrange(5) else "",
            portfolio=portfolio,
            position_side=("LONG", "SHORT")[source.randrange(2)],
            time_in_force=("GTC", "IOC", "FOK", "GTX")[source.randrange(4)],
        )
        desk.wait(source.randrange(3))
    assert any(row.position_side == "LONG" for row in desk.exchange.queries.positions(desk.main))
    again = desk.restarted()
    assert again.state_hash() == desk.exchange.state_hash()


def test_a_fill_or_kill_order_can_close_a_whole_hedge_leg() -> None:
    desk = hedged()
    desk.place("BUY", "0.003", position_side="LONG")
    order = desk.place("SELL", "0.003", "61000", position_side="LONG", time_in_force="FOK")
    assert desk.order(order).order_state == "FILLED"
    assert legs(desk) == {}
