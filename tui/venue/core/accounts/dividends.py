"""Dividends: a coin paid to every portfolio that holds it, as a fraction of the balance."""

from __future__ import annotations

from decimal import Decimal

from tui.interface.decimals import half_up
from tui.interface.families.history import DIVIDEND
from tui.interface.symbols import BusinessType
from tui.venue.core.accounts import statements
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.ledger import HOUSE_ACCOUNT, PostingLeg

_PLACES = 8


def pay(state: State, coin: str, share: Decimal) -> None:
    """Pay a dividend from the house account to each portfolio that holds the coin, with a row in the account statement."""
    for key in sorted(state.ledger.balances):
        owner, venue, held = key
        amount = half_up(state.ledger.balances[key] * share, _PLACES)
        if owner not in state.portfolios or held != coin or amount <= 0:
            continue
        before = statements.holding_of(state, *key)
        legs = [PostingLeg(owner, venue, coin, amount), PostingLeg(HOUSE_ACCOUNT, venue, coin, -amount)]
        state.post("dividend", "", legs)
        statements.add_row(state, DIVIDEND, owner, venue, coin, before, business_type=BusinessType.SPOT)
        state.changes.stale[(owner, venue)] = None
