"""Takeover: the house account takes the positions of a bankrupt account at their bankruptcy price.

The insurance fund pays the cost; when it cannot, holders of the other side are deleveraged by rank.
"""

from __future__ import annotations

from decimal import Decimal
from functools import partial

import msgspec

from tui.interface.decimals import ZERO
from tui.interface.families.liquidation import NodeType
from tui.interface.families.orders import CancelType, Origin
from tui.interface.families.positions import ClosedType
from tui.rules import adl
from tui.venue.core.accounts import account_figures, adl_ranks
from tui.venue.core.accounts.account_figures import LegFigures, VenueRow
from tui.venue.core.liquidation import event_log, insurance, orders
from tui.venue.core.liquidation.unwinding import net_off, unwind
from tui.venue.core.market.symbols import Pair
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.liquidations import LiquidationEvent
from tui.venue.core.state.orders import Order
from tui.venue.core.trading import matching
from tui.venue.core.trading.pending_changes import PendingChanges

REASON = "Auto-deleveraging"


class Takeover:
    """Takeover of the position legs of an account without equity."""

    def __init__(self, state: State, pending_changes: PendingChanges) -> None:
        self._state = state
        self._pending_changes = pending_changes

    def run(self, event: LiquidationEvent) -> None:
        """Take over every leg of the account, the one with the largest maintenance margin first."""
        state = self._state
        event_log.start_acting(state, event)
        net_off(state, event.key)
        event_log.end_phase(state, event)
        event_log.reach(state, event, NodeType.TAKEOVER)
        row = account_figures.compute_row(state, *event.key)
        while row.legs:
            leg = min(row.legs, key=lambda entry: (-entry.figures.maintenance, entry.pair.sym))
            order = orders.build_closing_order(
                state, leg, abs(leg.position.lots), compute_takeover_price(row, leg), Origin.SYSTEM_LIQ
            )
            order.without_fee = True
            orders.execute(state, event, order, partial(self._fill, leg.mark))
            row = account_figures.compute_row(state, *event.key)

    def _fill(self, mark: Decimal, state: State, order: Order) -> None:
        """Fill with the house account as far as the insurance fund pays, then by auto-deleveraging, then the house again."""
        pair = state.pairs[order.sym]
        matching.start_outside(state, order)
        price = pair.price(order.ticks)
        loss_per_lot = (-1 if order.is_buy else 1) * (price - mark) * pair.lot_base
        covered = order.lots
        if loss_per_lot > 0:
            covered = min(order.lots, int(insurance.payable(state, pair.exchange) // loss_per_lot))
        if covered:
            insurance.cover_loss(state, pair.exchange, max(loss_per_lot, ZERO) * covered, order.id)
            matching.fill_with_house(state, order, covered, order.ticks)
        if order.left:
            self._deleverage(pair, order, price)
        if order.left:
            matching.fill_with_house(state, order, order.left, order.ticks)

    def _deleverage(self, pair: Pair, order: Order, price: Decimal) -> None:
        """Close positions of opposite holders against the order, in the order of the ADL queue."""
        state = self._state
        queue = adl_ranks.queue_of_side(state, pair, 1 if order.is_buy else -1)
        for holder, quantity in adl.allocate(queue, Decimal(order.left)):
            lots = int(quantity)
            self._close_holder(pair, holder, lots, price)
            matching.fill(state, pair, order, lots, order.ticks, "TAKER")

    def _close_holder(self, pair: Pair, holder: str, lots: int, price: Decimal) -> None:
        state = self._state
        position = next((entry for entry in state.positions.values() if entry.id == holder), None)
        if position is None:
            close_bot(state, pair, holder, lots, price)
            return
        for order in list(state.open.get(position.portfolio, {}).values()):
            if order.sym == pair.sym and not order.is_final:
                self._pending_changes.end_now(order, CancelType.LIQUIDATING, REASON)
        unwind(state, position, lots, price, ClosedType.SYSTEM_COMPLETE_CLOSED)


def compute_takeover_price(row: VenueRow, leg: LegFigures) -> int:
    """Return the takeover price of a leg in ticks: bankruptcy price, or mark price if that is better for the account."""
    bankrupt = orders.bankrupt_price(row, leg)
    if bankrupt is None:
        return orders.round_in_favour(leg, leg.mark)
    better = max if leg.position.lots > 0 else min
    return orders.round_in_favour(leg, better(bankrupt, leg.mark))


def close_bot(state: State, pair: Pair, holder: str, lots: int, price: Decimal) -> None:
    """Close lots of a simulated holder; remove the holder when no lots are left."""
    kept = []
    for bot in state.bots[pair.sym]:
        if bot.id == holder:
            sign = 1 if bot.lots > 0 else -1
            result = sign * pair.base_qty(lots) * (price - bot.entry)
            bot = msgspec.structs.replace(bot, lots=bot.lots - sign * lots, wallet=bot.wallet + result)
        if bot.lots:
            kept.append(bot)
    state.bots[pair.sym] = kept
    state.changes.dirty("bots", pair.sym)
