"""Log of liquidations: stages of liquidation events, and the orders that the service sent."""

from __future__ import annotations

from tui.engine.conflating_queue import TableSink
from tui.engine.rows import LiquidationStep, Table
from tui.interface import decimals
from tui.interface.families.liquidation import (
    LiquidationEventPush,
    LiquidationEventRecord,
    LiquidationNode,
    LiquidationPositionRecord,
    NodeType,
)
from tui.interface.symbols import amount_text
from tui.interface.times import millis

KEPT = 500
"""Most steps kept; older ones are in the journal."""

_MEANS: dict[str, str] = {
    NodeType.TRIGGERED: "uniMMR is below the first threshold",
    NodeType.MARGIN_CALL: "margin call; orders are still taken",
    NodeType.REDUCE_START: "the service reduces positions; no orders are taken",
    NodeType.REDUCE_END: "reduction finished",
    NodeType.LIQUIDATE_START: "the service closes positions; no orders are taken",
    NodeType.LIQUIDATE_END: "liquidation finished",
    NodeType.TAKEOVER: "nothing is left; the service takes the positions over",
}
SERIOUS = frozenset(
    [NodeType.REDUCE_START, NodeType.REDUCE_END, NodeType.LIQUIDATE_START, NodeType.LIQUIDATE_END, NodeType.TAKEOVER]
)
"""Nodes that stay visible until cleared."""


class LiquidationLog:
    """Liquidation steps by key, oldest first."""

    def __init__(self, updates: TableSink) -> None:
        self.steps: dict[str, LiquidationStep] = {}
        self.unread = False
        """Whether steps may have been missed, so that the whole event must be read."""
        self._updates = updates

    def add_node(self, push: LiquidationEventPush) -> LiquidationStep | None:
        """Add a pushed stage; return None if it is already known."""
        node = LiquidationNode(
            node_type=push.node_type,
            create_at=push.create_at,
            accounts=push.accounts,
            assets=push.assets,
            positions=push.positions,
            open_orders=push.open_orders,
        )
        return self._add_node(push.liquidation_event_id, push.portfolio_id, push.exchange_type, push.event_type, node)

    def add_event(self, record: LiquidationEventRecord) -> list[LiquidationStep]:
        """Add all stages of a liquidation event; return the new ones."""
        whose = record.liquidation_event_id, record.portfolio_id, record.exchange_type, record.event_type
        added = [self._add_node(*whose, node) for node in record.nodes]
        return [step for step in added if step is not None]

    def _add_node(
        self, event_id: str, portfolio: str, venue: str, event_type: str, node: LiquidationNode
    ) -> LiquidationStep | None:
        step = LiquidationStep(
            event_id=event_id, portfolio_id=portfolio, venue=venue, event_type=event_type,
            at_ms=millis(node.create_at), text=_node_text(node), node=node,
        )  # fmt: skip
        return self._add(f"{event_id}/{node.node_type}", step)

    def add_order(self, record: LiquidationPositionRecord, *, of_sub: bool) -> LiquidationStep | None:
        """Add an order that the service sent; return None if it is already known.

        Args:
            of_sub: Whether it concerns a sub portfolio and was sent to us as the main account.
        """
        step = LiquidationStep(
            event_id=record.liquidation_event_id, portfolio_id=record.portfolio_id, venue=record.exchange_type,
            at_ms=record.update_at, text=_order_text(record), order=record, of_sub=of_sub,
        )  # fmt: skip
        return self._add(f"{record.liquidation_event_id}/{record.order_id}", step)

    def _add(self, key: str, step: LiquidationStep) -> LiquidationStep | None:
        if key in self.steps:
            return None
        self.steps[key] = step
        self._updates.put(Table.LIQUIDATIONS, key, step)
        while len(self.steps) > KEPT:
            oldest = next(iter(self.steps))
            del self.steps[oldest]
            self._updates.put(Table.LIQUIDATIONS, oldest, None)
        return step


def _node_text(node: LiquidationNode) -> str:
    """Describe a stage; an unknown type is shown as received."""
    word, count = node.node_type, len(node.open_orders)
    if word not in (NodeType.CANCEL_OPEN, NodeType.CANCEL_ALL):
        return _MEANS.get(word, word)
    which = "orders that add risk" if word == NodeType.CANCEL_OPEN else "all orders and algo orders"
    return f"{which} are cancelled ({count or 'none'}); only reducing ones are taken"


def _order_text(order: LiquidationPositionRecord) -> str:
    charged = f", liquidation fee {decimals.write_money(order.liq_fee)}" if decimals.optional(order.liq_fee) else ""
    leg = "" if order.position_side in ("", "NONE") else f" {order.position_side}"
    size = amount_text(order.sym, order.reduce_qty)
    return f"{size}{leg} closed by the service, result {decimals.write_money(order.closed_pnl)}{charged}"
