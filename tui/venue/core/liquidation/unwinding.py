"""Closing of positions without an order: opposite legs of a pair against each other, and deleveraged holders."""

from __future__ import annotations

from decimal import Decimal

from tui.interface.decimals import ZERO
from tui.interface.families.history import TRADE
from tui.interface.families.positions import ClosedType
from tui.venue.core.accounts import account_figures, statements
from tui.venue.core.market.symbols import SETTLEMENT
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.ledger import HOUSE_ACCOUNT, PostingLeg
from tui.venue.core.state.liquidations import RowKey
from tui.venue.core.state.positions import LEGS, Position, apply_fill
from tui.venue.core.trading import matching, protection


def unwind(state: State, position: Position, lots: int, price: Decimal, closed_type: ClosedType) -> None:
    """Close lots of a position at a price without order, fill or fee; the P&L gets a row in the account statement.

    Args:
        state: State of the exchange.
        position: Position to close.
        lots: Lots to close.
        price: Price in quote units.
        closed_type: Type of the history row when nothing is left of the position.
    """
    pair, owner, position_id = state.pairs[position.sym], position.portfolio, position.id
    before = statements.holding_of(state, owner, pair.exchange, SETTLEMENT)
    realised, ended = apply_fill(position, pair, lots, price, ZERO, is_buy=position.lots < 0)
    legs = [
        PostingLeg(owner, pair.exchange, SETTLEMENT, realised),
        PostingLeg(HOUSE_ACCOUNT, pair.exchange, SETTLEMENT, -realised),
    ]
    state.post("unwind", position_id, legs)
    if state.switches["trade_statements"] == "on":
        statements.add_row(
            state, TRADE, owner, pair.exchange, SETTLEMENT, before,
            business_type=pair.business_type, sym=pair.sym, request_id=position_id,
        )  # fmt: skip
    if ended is not None:
        state.record_closed(pair, ended, closed_type)
        del state.positions[(owner, pair.sym, position.leg)]
    state.changes.dirty("position", f"{owner}|{pair.sym}|{position.leg}")
    matching.cancel_ineffective_reduce_only(state, owner, pair.sym)
    protection.expire_without_position(state, owner, pair.sym)
    account_figures.publish_rows(state, owner, pair.exchange)


def net_off(state: State, key: RowKey) -> bool:
    """Close opposite legs of an account against each other at the mark price; return True when there were any."""
    portfolio, venue = key
    netted = False
    for sym in sorted({sym for owner, sym, _ in state.positions if owner == portfolio}):
        pair = state.pairs[sym]
        long, short = (state.positions.get((portfolio, sym, leg)) for leg in LEGS)
        if pair.exchange != venue or long is None or short is None:
            continue
        lots, mark = min(long.lots, -short.lots), state.marks.mark[sym]
        for leg in (long, short):
            unwind(state, leg, lots, mark, ClosedType.LIQUIDATION)
            if leg.lots:
                state.record_closed(pair, leg, ClosedType.PARTIAL_CLOSED)
        netted = True
    return netted
