"""What the portfolio of the pictures holds: its positions, orders, triggers, loans and what happened to it."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from tui.engine.intents import Decision, Intent, Place, PlaceAlgo, Protection
from tui.interface.decimals import plain
from tui.interface.families.algo import Condition, TriggerType
from tui.interface.families.orders import OrderType, PlaceOrder, PositionSide, Side
from tui.interface.families.portfolio_loans import Borrow
from tui.interface.families.portfolios import CreateApiKey
from tui.interface.families.positions import SetLeverage, SetPositionMode
from tui.rules.rounding import round_limit_price
from tui.venue.core.commands import (
    ArriveDeposit,
    Command,
    MoveMarket,
)
from tui.workstation.model.mirror import Mirror

BTC, ETH, SOL = "BINANCE_PERP_BTC_USDT", "BINANCE_PERP_ETH_USDT", "BINANCE_PERP_SOL_USDT"
SPOT_ETH, OKX_BTC, EDX_SOL = "BINANCE_SPOT_ETH_USDT", "OKX_PERP_BTC_USDT", "EDX_PERP_SOL_USDT"


def _market_order(portfolio: str, sym: str, side: str, qty: str, leg: str = "") -> PlaceOrder:
    """Build a market order, of a leg where the pair is hedged."""
    return PlaceOrder(portfolio=portfolio, sym=sym, side=side, order_type="MARKET", order_qty=qty, position_side=leg)


def lose_a_position(portfolio: str) -> Iterator[Command]:
    """Buy too much of a coin that falls, until the venue takes the position over."""
    yield SetLeverage(portfolio=portfolio, sym=EDX_SOL, leverage="20")
    yield _market_order(portfolio, EDX_SOL, "BUY", "1200")
    yield MoveMarket(coin="SOL", price="-4%")
    yield MoveMarket(coin="SOL", price="-4%")
    yield MoveMarket(coin="SOL", price="-4%")
    yield MoveMarket(coin="SOL", price="-4%")


def trade(portfolio: str, sub_portfolio: str) -> Iterator[Command]:
    """Open the positions, and give the sub portfolio a key and money; a second client of the account does."""
    yield MoveMarket(coin="SOL", price="+17%")
    yield SetPositionMode(portfolio=portfolio, exchange_type="OKX", position_mode="BOTH")
    yield _market_order(portfolio, BTC, "BUY", "0.85")
    yield _market_order(portfolio, ETH, "SELL", "14.2")
    yield _market_order(portfolio, SOL, "BUY", "320")
    yield _market_order(portfolio, OKX_BTC, "BUY", "64", "LONG")
    yield _market_order(portfolio, OKX_BTC, "SELL", "25", "SHORT")
    yield CreateApiKey(
        portfolio=portfolio,
        portfolio_id=sub_portfolio,
        api_name="night desk",
        ip="203.0.113.7",
        permission="READ,TRADE",
    )
    yield ArriveDeposit(currency="USDT", amount="2500", account=sub_portfolio)
    yield Borrow(portfolio=portfolio, exchange="BINANCE", coin="ETH", amount="2.5")


def work(decision: Decision, mirror: Mirror) -> Iterator[Intent]:
    """Place what works at the venue, from this desk: orders, one that fills in part, and triggers of positions."""

    def price(sym: str, side: Side, away_bp: str) -> str:
        touch = mirror.quotes[sym].bid if side is Side.BUY else mirror.quotes[sym].ask
        tick = Decimal(mirror.symbols[sym].tick_size)
        return plain(round_limit_price(Decimal(touch) * (1 - side.sign * Decimal(away_bp) / 10_000), tick, side))

    def place(sym: str, side: Side, qty: str, away_bp: str, leg: PositionSide = PositionSide.NONE) -> Place:
        return Place(
            decision=decision, sym=sym, side=side, order_type=OrderType.LIMIT, qty=qty, price=price(sym, side, away_bp),
            position_side=leg,
        )  # fmt: skip

    yield place(BTC, Side.BUY, "0.4", "12")
    yield place(BTC, Side.SELL, "0.85", "25")
    yield place(ETH, Side.SELL, "12", "0.1")
    yield place(SPOT_ETH, Side.SELL, "3.5", "8")
    yield place(OKX_BTC, Side.SELL, "20", "15", PositionSide.LONG)
    stop, target = price(BTC, Side.BUY, "150"), price(BTC, Side.SELL, "300")
    yield PlaceAlgo(
        decision=decision, sym=BTC, side=Side.SELL, condition=Condition.ENTIRE_CLOSE_POSITION,
        stop_loss=_at(stop), take_profit=_at(target),
    )  # fmt: skip
    yield PlaceAlgo(
        decision=decision, sym=SOL, side=Side.SELL, condition=Condition.PARTIAL_CLOSE_POSITION, qty="160",
        stop_loss=_at(price(SOL, Side.BUY, "200")),
    )  # fmt: skip
    yield PlaceAlgo(
        decision=decision, sym=ETH, side=Side.BUY, condition=Condition.CONDITIONAL, qty="5", reduce_only=True,
        conditional=_at(price(ETH, Side.SELL, "120")),
    )  # fmt: skip


def _at(trigger: str) -> Protection:
    """Build a trigger that the mark price fires, and that trades at market."""
    return Protection(trigger=trigger, source=TriggerType.MARK_PRICE)
