"""Steps 1 to 3 of a liquidation: offset opposite legs, reduce the largest leg tier by tier, close the rest."""

from __future__ import annotations

from tui.interface.families.liquidation import NodeType
from tui.interface.families.orders import Origin
from tui.rules.margin import tier_number
from tui.venue.core.accounts import account_figures
from tui.venue.core.accounts.account_figures import LegFigures
from tui.venue.core.liquidation import event_log, orders
from tui.venue.core.liquidation.unwinding import net_off
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.liquidations import LiquidationEvent
from tui.venue.core.trading import matching


def reduce_once(state: State, event: LiquidationEvent) -> bool:
    """Net off opposite legs, else reduce or close the largest leg that can trade; return False if nothing was possible."""
    event_log.start_acting(state, event)
    if net_off(state, event.key):
        return True
    row = account_figures.compute_row(state, *event.key)
    largest_first = sorted(row.legs, key=lambda leg: (-leg.figures.maintenance, leg.pair.sym))
    higher = [leg for leg in largest_first if tier_number(leg.pair.tiers, leg.figures.value)]
    origin = Origin.SYSTEM_REDUCE if higher else Origin.SYSTEM_LIQ
    for leg in higher or largest_first:
        lots = lots_above_tier(leg) if higher else abs(leg.position.lots)
        order = orders.build_closing_order(state, leg, lots, orders.worst_price(row, leg), origin)
        if orders.can_trade(state, order):
            _announce(state, event, origin)
            orders.execute(state, event, order, matching.start_order)
            return True
    return False


def lots_above_tier(leg: LegFigures) -> int:
    """Return the lots of a leg above the limit of the next lower margin tier, at the mark price; at least 1."""
    tiers = leg.pair.tiers
    bound = tiers[tier_number(tiers, leg.figures.value)].floor
    kept = int(bound // (leg.mark * leg.pair.lot_base))
    return max(abs(leg.position.lots) - kept, 1)


def _announce(state: State, event: LiquidationEvent, origin: Origin) -> None:
    """Push that the reducing or closing stage of a liquidation begins, once, before its first order."""
    if origin == Origin.SYSTEM_REDUCE:
        event_log.reach(state, event, NodeType.REDUCE_START)
    else:
        event_log.end_reduction(state, event)
        event_log.reach(state, event, NodeType.LIQUIDATE_START)
