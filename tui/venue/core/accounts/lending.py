"""Margin debts of portfolios: borrowing by margin orders, repayment from received coins, hourly interest."""

from __future__ import annotations

from decimal import Decimal

from tui.interface.decimals import ZERO
from tui.interface.families.history import DEDUCT_INTEREST
from tui.rules.borrowing import lending
from tui.venue.core.accounts import statements
from tui.venue.core.accounts.loan_terms import DEFAULT_LEVERAGE, LOANS, CoinLoan
from tui.venue.core.state.exchange_state import Debt, State
from tui.venue.core.state.ledger import LENDER_ACCOUNT, PostingLeg
from tui.venue.core.state.orders import Order

HOUR_MS = 3_600_000


def debt_of(state: State, portfolio: str, venue: str, coin: str) -> Decimal:
    """Return the margin debt of a portfolio in a coin: principal plus interest, in coins."""
    debt = state.debts.get((portfolio, venue, coin))
    return debt.total if debt is not None else ZERO


def leverage(state: State, portfolio: str, loan: CoinLoan) -> int:
    """Return the leverage of a portfolio's margin debt in a coin."""
    chosen = state.margin_leverages.get((portfolio, loan.exchange, loan.coin))
    return min(DEFAULT_LEVERAGE, loan.max_leverage) if chosen is None else chosen


def remaining_pool(state: State, loan: CoinLoan) -> Decimal:
    """Compute the coins that the venue can still lend, to margin orders or as portfolio loans."""
    if state.switches["loan_pools"] == "empty":
        return ZERO
    return max(loan.pool - sum_lent(state, loan.exchange, loan.coin), ZERO)


def sum_lent(state: State, venue: str, coin: str) -> Decimal:
    """Sum the coins that a venue has lent and that are not repaid, without interest."""
    debts = sum((debt.principal for debt in state.debts.values() if debt.matches(venue, coin)), ZERO)
    return debts + sum((loan for key, loan in state.loans.owed.items() if key[1:] == (venue, coin)), ZERO)


def borrowable(state: State, portfolio: str, loan: CoinLoan) -> Decimal:
    """Compute the coins that a portfolio can still borrow: at most the pool of the venue and the limit of the user level."""
    debt = state.debts.get((portfolio, loan.exchange, loan.coin))
    principal = debt.principal if debt is not None else ZERO
    return max(min(remaining_pool(state, loan), loan.levels[0].limit - principal), ZERO)


def borrow_for_fill(state: State, order: Order, coin: str, pays: Decimal) -> None:
    """Borrow the part of a margin order's fill that the available balance does not cover."""
    venue = state.pairs[order.sym].exchange
    free = state.available(order.portfolio, venue, coin)
    if order.hold_coin == coin:
        free += order.hold
    missing = pays - max(free, ZERO)
    if missing <= 0:
        return
    borrow(state, order.portfolio, venue, coin, missing, order.id)
    order.borrowed += missing
    order.borrowed_coin = coin


def borrow(state: State, portfolio: str, venue: str, coin: str, amount: Decimal, reference: str) -> None:
    """Borrow coins for a portfolio as margin debt."""
    key = (portfolio, venue, coin)
    owed = state.debts.setdefault(key, Debt(portfolio=portfolio, venue=venue, coin=coin))
    owed.principal += amount
    legs = [PostingLeg(LENDER_ACCOUNT, venue, coin, -amount), PostingLeg(portfolio, venue, coin, amount)]
    state.post("borrow", reference, legs)
    state.changes.dirty("debt", "|".join(key))


def repay_from_incoming(state: State, portfolio: str, venue: str, coin: str, incoming: Decimal, reference: str) -> None:
    """Repay the debt of a coin from coins just received, interest first."""
    key = (portfolio, venue, coin)
    owed = state.debts.get(key)
    if owed is None or incoming <= 0:
        return
    back = lending.split_repayment(owed.principal, owed.interest, min(incoming, state.ledger.balance(*key)))
    if not back.total > 0:
        return
    owed.interest -= back.interest
    owed.principal -= back.principal
    legs = [PostingLeg(portfolio, venue, coin, -back.total), PostingLeg(LENDER_ACCOUNT, venue, coin, back.total)]
    state.post("repay", reference, legs)
    state.changes.dirty("debt", "|".join(key))
    if not owed.total:
        del state.debts[key]


def next_due(state: State) -> int:
    """Return the next hour for which interest is not charged yet, ms; in the past when the venue was stopped meanwhile."""
    return (state.accrued // HOUR_MS + 1) * HOUR_MS


def accrue(state: State) -> None:
    """Charge the interest that is due: it is added to the debts, and a negative balance becomes debt."""
    hour = next_due(state)
    for key in sorted(state.debts):
        _charge(state, state.debts[key], hour)
    for key in sorted(state.ledger.balances):
        portfolio, venue, coin = key
        balance = state.ledger.balances[key]
        if balance < 0 and portfolio in state.portfolios and (venue, coin) in LOANS:
            borrow(state, portfolio, venue, coin, -balance, str(hour))
            state.changes.stale[(portfolio, venue)] = None
    state.accrued = hour
    state.changes.dirty("accrued", "")


def _charge(state: State, owed: Debt, hour: int) -> None:
    before = statements.holding_of(state, owed.portfolio, owed.venue, owed.coin)
    owed.interest += lending.interest(owed.principal, LOANS[(owed.venue, owed.coin)].levels[0].hourly_rate)
    state.changes.dirty("debt", f"{owed.portfolio}|{owed.venue}|{owed.coin}")
    state.changes.stale[(owed.portfolio, owed.venue)] = None
    statements.add_row(
        state,
        DEDUCT_INTEREST,
        owed.portfolio,
        owed.venue,
        owed.coin,
        before,
        business_type="SPOT",
        request_id=str(hour),
    )
