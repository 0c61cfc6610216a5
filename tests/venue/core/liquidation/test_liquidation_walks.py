"""Walks of large leveraged orders and gaps of the market: whatever is liquidated, money and positions stay whole."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal

import pytest

from tests.venue.core.drive import OKX, PERP, Desk
from tests.venue.core.seeded import Seeded
from tui.interface.families.liquidation import NodeType
from tui.interface.families.orders import PlaceOrder
from tui.interface.families.positions import AccountStatus, SetLeverage, SetPositionMode
from tui.venue.core.commands import Command, MoveMarket, SetSwitch
from tui.venue.core.events import AccountsChanged, LiquidationReached, OrderChanged, PositionLiquidated

STEPS = 60
SEEDS = (6, 8, 12, 19, 36, 44)
"""Between them they reach every node, collateral sales and compensations among them."""
ETH, MARGIN = "BINANCE_PERP_ETH_USDT", "BINANCE_MARGIN_BTC_USDT"
PRICES = {"BTC": 61_800, "ETH": 2_690}
LARGEST = {PERP: 400, OKX: 3_000, ETH: 6_000, MARGIN: 40}
"""Of an order, in tenths of a lot of 0.1 (BTC, margin), in contracts, and in tenths of an ETH."""


def _draw(desk: Desk, source: Seeded, prices: dict[str, Decimal]) -> Command:
    who = (desk.main, desk.sub)[source.randrange(2)]
    kind = source.randrange(20)
    if kind < 8:
        coin = ("BTC", "BTC", "ETH")[source.randrange(3)]
        widest = (30, 100, 300, 900)[source.randrange(4)]
        prices[coin] *= 1 + Decimal(source.randrange(2 * widest + 1) - widest) / 10_000
        return MoveMarket(coin=coin, price=format(prices[coin].quantize(Decimal("0.1")), "f"))
    if kind < 10:
        return SetLeverage(portfolio=who, sym=(PERP, OKX, ETH)[source.randrange(3)], leverage="50")
    if kind == 10:
        return SetSwitch(name="insurance_fund", value=("pays", "empty")[source.randrange(2)])
    if kind == 11:
        return SetPositionMode(
            portfolio=who,
            exchange_type=("BINANCE", "OKX")[source.randrange(2)],
            position_mode=("NET", "BOTH")[source.randrange(2)],
        )
    sym = (PERP, PERP, OKX, ETH, MARGIN)[source.randrange(5)]
    qty = 1 + source.randrange(LARGEST[sym])
    rests = not source.randrange(3)
    coin = "ETH" if sym == ETH else "BTC"
    return PlaceOrder(
        portfolio=who,
        sym=sym,
        side=("BUY", "SELL")[source.randrange(2)],
        order_type="LIMIT" if rests else "MARKET",
        limit_price=str(int(prices[coin] * (97 + source.randrange(7)) / 100)) if rests else "",
        order_qty=str(qty) if sym == OKX else f"{qty / 10:.1f}",
        reduce_only=not source.randrange(4),
        position_side=("LONG", "SHORT")[source.randrange(2)],
    )


def _check_money(desk: Desk) -> None:
    """Every coin of every venue sums to zero, the issue included; what was issued is what all owners have."""
    sums: Counter[tuple[str, str]] = Counter()
    for (_, venue, coin), amount in desk.state.ledger.balances.items():
        sums[(venue, coin)] += amount  # type: ignore[assignment]
    assert not any(sums.values()), sums


def _check_cause(desk: Desk) -> None:
    """V25: an order of the ladder comes from a row that was last told to be LIQUIDATING or TAKEOVER."""
    told: dict[tuple[str, str], str] = {}
    for event in desk.log:
        if isinstance(event, AccountsChanged):
            told.update({(row.portfolio_id, row.exchange_type): row.account_status for row in event.records})
        elif isinstance(event, OrderChanged) and event.record.order_state == "NEW":
            row = event.record
            liquidates = row.origin in ("SYSTEM_REDUCE", "SYSTEM_LIQ") and row.business_type == "PERP"
            status = told.get((row.portfolio_id, row.exchange_type), AccountStatus.NORMAL)
            assert not liquidates or status in (AccountStatus.LIQUIDATING, AccountStatus.TAKEOVER), row
        elif isinstance(event, PositionLiquidated):
            assert Decimal(event.record.reduce_qty) > 0 and Decimal(event.record.liq_fee) >= 0


def _walk(seed: int) -> Desk:
    desk = Desk(agents="still", seed=f"liquidation {seed}")
    source, prices = Seeded(f"walk {seed}"), {coin: Decimal(price) for coin, price in PRICES.items()}
    for _ in range(STEPS):
        desk.do(_draw(desk, source, prices), (0, 1, 1100)[source.randrange(3)])
        _check_money(desk)
    return desk


@pytest.mark.parametrize("seed", SEEDS)
def test_random_liquidations_conserve_money_and_have_a_cause(seed: int) -> None:
    desk = _walk(seed)
    _check_cause(desk)
    assert desk.restarted().state_hash() == desk.exchange.state_hash()


def test_random_liquidations_reach_every_liquidation_step() -> None:
    reached = {
        event.record.node_type for seed in SEEDS for event in _walk(seed).log if isinstance(event, LiquidationReached)
    }
    assert reached == set(NodeType)


def test_the_same_random_liquidation_ends_in_the_same_state() -> None:
    assert _walk(0).exchange.state_hash() == _walk(0).exchange.state_hash()
