"""Order of a portfolio: quantities, states, pending actions, and its record."""

from __future__ import annotations

from decimal import Decimal
from typing import TypedDict

import msgspec

from tui.interface.decimals import ZERO, plain, truncate
from tui.interface.families.orders import Action, OrderRecord, OrderState, Origin, PositionSide
from tui.venue.core.market.symbols import Pair
from tui.venue.core.state.algo_orders import Trigger, trigger_fields
from tui.venue.core.state.positions import ONE_WAY


class Amend(msgspec.Struct, frozen=True):
    """Pending replace of an order; None keeps the current value."""

    lots: int | None
    ticks: int | None


class Order(msgspec.Struct, kw_only=True):
    """State of an order; quantities in lots, prices in ticks, amounts in quote, times in ms."""

    id: str
    client_id: str
    portfolio: str
    sym: str
    is_buy: bool
    is_market: bool
    tif: str
    lots: int
    """Total quantity; 0 on an order by quote amount."""
    ticks: int
    """Limit price; 0 on a market order."""
    quote_qty: Decimal = ZERO
    reduce_only: bool = False
    """Sent with the order, or set because it closes a leg."""
    leg: str = ONE_WAY
    """LONG or SHORT in hedge mode."""
    leverage: int | None = None
    origin: str = Origin.DMA
    without_fee: bool = False
    """Filled at the bankruptcy price, outside the market: no trading fee and no liquidation fee."""
    algo_id: str = ""
    """Algo order that sent it."""
    tp: Trigger | None = None
    sl: Trigger | None = None
    """Take-profit and stop of its fills."""
    successor: str = ""
    """Order that replaced it after an amend."""
    guard: str = ""
    """Algo order that carries take-profit and stop."""
    state: str = OrderState.NEW
    reason: str = ""
    executed: int = 0
    amount: Decimal = ZERO
    last_lots: int = 0
    last_ticks: int = 0
    fee: Decimal = ZERO
    fee_coin: str = ""
    rebate: Decimal = ZERO
    rebate_coin: str = ""
    borrowed: Decimal = ZERO
    """Coins that a margin order borrowed for its fills."""
    borrowed_coin: str = ""
    action: str = Action.NOTHING
    action_msg: str = ""
    cancel_type: str = ""
    amend_type: str = ""
    created: int = 0
    updated: int = 0
    hold: Decimal = ZERO
    """Amount of `hold_coin` frozen for this order."""
    hold_coin: str = ""
    amend: Amend | None = None
    """Pending amend."""
    cancelling: bool = False
    """Whether a cancel is pending."""
    due: int = 0
    """When the pending action takes effect."""

    @property
    def left(self) -> int:
        """Lots of the order that are not executed; 0 for an order by quote amount."""
        return max(self.lots - self.executed, 0)

    @property
    def is_final(self) -> bool:
        return self.state not in (OrderState.NEW, OrderState.OPEN, OrderState.PARTIALLY_FILLED)

    @property
    def by_quote(self) -> bool:
        """Whether it spends an amount in quote: it has no size in lots then."""
        return bool(self.quote_qty)

    @property
    def closes_leg(self) -> bool:
        """Whether it closes a hedge-mode leg: a SELL of the LONG leg, or a BUY of the SHORT leg."""
        return self.leg != ONE_WAY and self.is_buy == (self.leg == PositionSide.SHORT)

    def touch(self, now_ms: int) -> None:
        """Set the update time, later than every earlier one of this order."""
        self.updated = max(now_ms, self.updated + 1)

    def record(self, pair: Pair, portfolio_name: str) -> OrderRecord:
        """Build the order record as REST and the Orders channel return it."""
        return OrderRecord(
            portfolio_id=self.portfolio,
            portfolio_name=portfolio_name,
            order_id=self.id,
            client_order_id=self.client_id,
            order_state=self.state,
            sym=self.sym,
            exchange_type=pair.exchange,
            business_type=pair.business_type,
            side="BUY" if self.is_buy else "SELL",
            exchange_order_type="MARKET" if self.is_market else "LIMIT",
            origin=self.origin,
            order_qty="" if self.by_quote else pair.qty_text(self.lots),
            quote_order_qty=plain(self.quote_qty),
            limit_price="" if self.is_market else pair.price_text(self.ticks),
            time_in_force=self.tif,
            reason=self.reason,
            **self._execution(pair),
            reduce_only=self.reduce_only,
            leverage=self.leverage,
            fee=plain(self.fee),
            fee_coin=self.fee_coin,
            rebate=plain(self.rebate),
            rebate_coin=self.rebate_coin,
            borrow_amount=plain(self.borrowed),
            borrow_asset=self.borrowed_coin,
            position_side=self.leg,
            algo_order_id=self.algo_id or None,
            **trigger_fields(pair, self.tp, self.sl),
            action=self.action,
            action_msg=self.action_msg,
            cancel_type=self.cancel_type,
            amend_type=self.amend_type,
            create_at=str(self.created),
            update_at=str(self.updated),
        )

    def _execution(self, pair: Pair) -> _Execution:
        if not self.executed:
            return _NOT_EXECUTED
        executed = pair.base_qty(self.executed)
        return {
            "executed_qty": pair.qty_text(self.executed),
            "executed_amount": plain(self.amount),
            "executed_avg_price": truncate(self.amount / executed),
            "last_executed_qty": pair.qty_text(self.last_lots),
            "last_executed_price": pair.price_text(self.last_ticks),
            "last_executed_amount": plain(pair.base_qty(self.last_lots) * pair.price(self.last_ticks)),
        }


class _Execution(TypedDict):
    """Executed quantities of an order, and its last fill."""

    executed_qty: str
    executed_amount: str
    executed_avg_price: str
    last_executed_qty: str
    last_executed_price: str
    last_executed_amount: str


_NOT_EXECUTED: _Execution = {
    "executed_qty": "0",
    "executed_amount": "0",
    "executed_avg_price": "0",
    "last_executed_qty": "0",
    "last_executed_price": "0",
    "last_executed_amount": "0",
}
