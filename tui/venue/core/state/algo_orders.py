"""Algo order with its triggers, quantity and record, and the table of all algo orders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import TypedDict

import msgspec

from tui.interface.decimals import ZERO, plain, truncate
from tui.interface.families.algo import (
    CONDITIONAL,
    OPEN_ALGO_STATES,
    STOP_LOSS,
    TAKE_PROFIT,
    AlgoRecord,
    AlgoState,
    AlgoType,
    Condition,
    TriggerName,
    TriggerType,
)
from tui.interface.families.orders import Side
from tui.venue.core.market.symbols import Pair
from tui.venue.core.state.positions import ONE_WAY


class Trigger(msgspec.Struct, frozen=True, kw_only=True):
    """Trigger price with the limit price of the order it sends; prices in ticks."""

    ticks: int
    kind: str = TriggerType.LAST_PRICE
    """Price source; pairs without a mark always compare the last price."""
    limit: int = 0
    """Limit price of the child order; 0 means market."""

    def texts(self, pair: Pair) -> tuple[str, str, str]:
        """Format trigger price, trigger type and limit price as the API fields."""
        return pair.price_text(self.ticks), self.kind, pair.price_text(self.limit)


NO_TEXTS = ("", "", "")


class TriggerFields(TypedDict):
    """Take-profit and stop fields of an order record; empty without a take-profit or stop."""

    tp_trigger_price: str
    tp_trigger_type: str
    tp_price: str
    sl_trigger_price: str
    sl_trigger_type: str
    sl_price: str


def trigger_fields(pair: Pair, tp: Trigger | None, sl: Trigger | None) -> TriggerFields:
    """Build the take-profit and stop fields of an order record."""
    tp_texts = tp.texts(pair) if tp is not None else NO_TEXTS
    sl_texts = sl.texts(pair) if sl is not None else NO_TEXTS
    return {
        "tp_trigger_price": tp_texts[0],
        "tp_trigger_type": tp_texts[1],
        "tp_price": tp_texts[2],
        "sl_trigger_price": sl_texts[0],
        "sl_trigger_type": sl_texts[1],
        "sl_price": sl_texts[2],
    }


class AlgoOrder(msgspec.Struct, kw_only=True):
    """State of an algo order; quantities in lots, amounts in quote, times in ms."""

    id: str
    client_id: str
    portfolio: str
    sym: str
    is_buy: bool
    """Side of the child order."""
    condition: str
    lots: int = 0
    """Quantity; 0 for the position held when it fires."""
    leg: str = ONE_WAY
    reduce_only: bool = False
    conditional: Trigger | None = None
    rises: bool = False
    """Whether the conditional trigger fires on a rise of the price, not on a fall."""
    tp: Trigger | None = None
    sl: Trigger | None = None
    attached: str = ""
    """Order whose fills it protects."""
    state: str = AlgoState.PENDING_NEW
    reason: str = ""
    child: str = ""
    """Order that it sent."""
    executed: int = 0
    amount: Decimal = ZERO
    due: int = 0
    """When it is armed, or its cancel takes effect; 0 when nothing is pending."""
    created: int = 0
    updated: int = 0

    @property
    def is_open(self) -> bool:
        return self.state in OPEN_ALGO_STATES

    @property
    def is_dormant(self) -> bool:
        """Whether it protects an order that has no fill yet."""
        return bool(self.attached) and not self.lots

    @property
    def is_armed(self) -> bool:
        """Whether a price can fire its triggers; true while a cancel is pending."""
        return self.state in (AlgoState.NEW, AlgoState.PENDING_CANCEL) and not self.is_dormant

    @property
    def is_protection(self) -> bool:
        """Whether it protects a position and ends when the position closes."""
        return bool(self.attached) or self.condition in (
            Condition.ENTIRE_CLOSE_POSITION,
            Condition.PARTIAL_CLOSE_POSITION,
        )

    def triggers(self) -> Iterator[tuple[TriggerName, Trigger, bool]]:
        """Iterate over (name, trigger, whether it fires on a rise), the stop before the take-profit."""
        if self.sl is not None:
            yield STOP_LOSS, self.sl, self.is_buy
        if self.conditional is not None:
            yield CONDITIONAL, self.conditional, self.rises
        if self.tp is not None:
            yield TAKE_PROFIT, self.tp, not self.is_buy

    def record(self, pair: Pair) -> AlgoRecord:
        """Build the algo order record as REST and the algo stream return it."""
        base = pair.base_qty(self.executed)
        price, kind, limit = self.conditional.texts(pair) if self.conditional is not None else NO_TEXTS
        return AlgoRecord(
            portfolio_id=self.portfolio,
            algo_order_id=self.id,
            algo_order_type=AlgoType.TPSL,
            client_order_id=self.client_id,
            sym=self.sym,
            exchange_type=pair.exchange,
            business_type=pair.business_type,
            side=Side.BUY if self.is_buy else Side.SELL,
            order_qty="" if self.condition == Condition.ENTIRE_CLOSE_POSITION else pair.qty_text(self.lots),
            position_side=self.leg,
            reduce_only="true" if self.reduce_only else "false",
            order_state=self.state,
            reason=self.reason,
            executed_qty=pair.qty_text(self.executed),
            executed_amount=plain(self.amount),
            executed_avg_price=truncate(self.amount / base) if self.executed else "0",
            condition_type=self.condition,
            conditional_trigger_price=price,
            conditional_trigger_price_type=kind,
            conditional_trigger_type=kind,
            conditional_price=limit,
            attached_order_id=self.attached,
            **trigger_fields(pair, self.tp, self.sl),
            create_at=str(self.created),
            update_at=str(self.updated),
        )


class AlgoTable:
    """All algo orders of a venue."""

    def __init__(self) -> None:
        self.by_id: dict[str, AlgoOrder] = {}
        self.by_client: dict[tuple[str, str], str] = {}
        """Newest id by portfolio and client order id; separate from that of orders."""
        self.open_on: dict[str, dict[str, AlgoOrder]] = {}
        """Open algo orders by pair."""
        self.hit: dict[str, dict[TriggerName, None]] = {}
        """Triggers that a price reached and that have not fired yet, by id."""

    def add(self, algo: AlgoOrder) -> None:
        """Register an algo order."""
        self.by_id[algo.id] = algo
        self.by_client[(algo.portfolio, algo.client_id)] = algo.id
        if algo.is_open:
            self.open_on.setdefault(algo.sym, {})[algo.id] = algo

    def forget(self, algo_id: str) -> None:
        """Remove an ended algo order from the table."""
        algo = self.by_id.pop(algo_id)
        self.hit.pop(algo_id, None)
        if self.by_client.get((algo.portfolio, algo.client_id)) == algo_id:
            del self.by_client[(algo.portfolio, algo.client_id)]

    def of(self, portfolio: str, syms: Iterable[str]) -> list[AlgoOrder]:
        """List the open algo orders of a portfolio on the given pairs."""
        return [algo for sym in syms for algo in self.on(portfolio, sym)]

    def on(self, portfolio: str, sym: str) -> list[AlgoOrder]:
        """List the open algo orders of a portfolio on one pair, oldest first."""
        return [algo for algo in self.open_on.get(sym, {}).values() if algo.portfolio == portfolio]
