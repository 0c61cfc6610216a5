"""Insurance fund of a venue: receives liquidation fees, pays the losses of bankrupt accounts."""

from __future__ import annotations

from decimal import ROUND_UP, Decimal

from tui.interface.decimals import ZERO
from tui.interface.families.history import LIQ_COMPENSATION
from tui.interface.symbols import BusinessType
from tui.venue.core.accounts import statements
from tui.venue.core.market.symbols import SETTLEMENT, VENUES
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.ledger import HOUSE_ACCOUNT, INSURANCE_ACCOUNT, ISSUE_ACCOUNT, LENDER_ACCOUNT, PostingLeg
from tui.venue.core.state.liquidations import RowKey

START = Decimal(1_000_000)
"""Initial balance of each fund, quote units."""

_BOOKED = Decimal("0.00000001")


def open_funds(state: State) -> None:
    """Create missing funds with their initial balance, for a new venue or one stored by an older version."""
    for venue in VENUES:
        if (INSURANCE_ACCOUNT, venue, SETTLEMENT) not in state.ledger.balances:
            legs = [
                PostingLeg(ISSUE_ACCOUNT, venue, SETTLEMENT, -START),
                PostingLeg(INSURANCE_ACCOUNT, venue, SETTLEMENT, START),
            ]
            state.post("issue", "", legs)


def payable(state: State, venue: str) -> Decimal:
    """Return the amount the fund can pay, quote units; 0 while the switch `insurance_fund` makes it empty."""
    if state.switches["insurance_fund"] == "empty":
        return ZERO
    return max(state.ledger.balance(INSURANCE_ACCOUNT, venue, SETTLEMENT), ZERO)


def cover_loss(state: State, venue: str, amount: Decimal, order_id: str) -> None:
    """Pay the house account its loss from the insurance fund after a takeover at a price worse for it than the mark."""
    if amount:
        legs = [
            PostingLeg(INSURANCE_ACCOUNT, venue, SETTLEMENT, -amount),
            PostingLeg(HOUSE_ACCOUNT, venue, SETTLEMENT, amount),
        ]
        state.post("takeover", order_id, legs)


def repay_lender(state: State, venue: str, coin: str, amount: Decimal) -> None:
    """Repay a portfolio loan its owner cannot: the house account gives the coins, the fund reimburses as much as it has."""
    paid = min(amount * state.marks.coin(coin), payable(state, venue))
    legs = [
        PostingLeg(HOUSE_ACCOUNT, venue, coin, -amount),
        PostingLeg(LENDER_ACCOUNT, venue, coin, amount),
        PostingLeg(INSURANCE_ACCOUNT, venue, SETTLEMENT, -paid),
        PostingLeg(HOUSE_ACCOUNT, venue, SETTLEMENT, paid),
    ]
    state.post("loan written off", "", legs)


def compensate(state: State, key: RowKey, equity: Decimal) -> bool:
    """Raise negative equity of an account without positions towards 0 from the fund; return False if the fund is empty."""
    owner, venue = key
    amount = min((-equity).quantize(_BOOKED, ROUND_UP), payable(state, venue))
    if amount <= 0:
        return False
    before = statements.holding_of(state, owner, venue, SETTLEMENT)
    legs = [
        PostingLeg(INSURANCE_ACCOUNT, venue, SETTLEMENT, -amount),
        PostingLeg(owner, venue, SETTLEMENT, amount),
    ]
    state.post("compensation", "", legs)
    statements.add_row(state, LIQ_COMPENSATION, owner, venue, SETTLEMENT, before, business_type=BusinessType.PERP)
    state.changes.stale[key] = None
    return True
