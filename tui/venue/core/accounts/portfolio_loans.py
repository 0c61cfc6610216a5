"""Portfolio loans on the venue: borrow and repay with their checks, hourly interest, published figures."""

from __future__ import annotations

from decimal import Decimal

import msgspec

from tui.interface.decimals import ZERO, BadDecimal, parse_request, plain
from tui.interface.families.orders import Name
from tui.interface.families.portfolio_loans import (
    MAX_CLIENT_ID,
    Borrow,
    Borrowed,
    LoanBookingType,
    LoanCommand,
    LoanType,
    Repaid,
    Repay,
)
from tui.interface.families.positions import AccountStatus
from tui.rules.borrowing import portfolio_loans as rules
from tui.venue.core.accounts import account_figures, lending
from tui.venue.core.accounts.loan_terms import LOANS, MAX_LOAN_VALUE, PORTFOLIO_LOANS, CoinLoan
from tui.venue.core.check_failed import CheckFailed
from tui.venue.core.commands import Handlers
from tui.venue.core.market.symbols import SETTLEMENT, VENUES
from tui.venue.core.state import risk_ladder
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.ledger import LENDER_ACCOUNT, BalanceKey, PostingLeg
from tui.venue.core.state.loans import LoanBooking, LoanOrder

_FIRST_BOOKING = 50_000_000_000_000_000
"""Ids of the loan statement have 17 digits."""


def carry_out(state: State, command: LoanCommand) -> Borrowed | Repaid:
    """Borrow or repay; a repeated client order id returns the first answer and changes nothing.

    Raises:
        CheckFailed: Not accepted; nothing changed.
    """
    kind = LoanType.BORROW if isinstance(command, Borrow) else LoanType.REPAY
    if len(command.client_order_id) > MAX_CLIENT_ID:
        raise CheckFailed(
            400000,
            f"{Name.CLIENT_ORDER_ID} has {len(command.client_order_id)} characters; at most {MAX_CLIENT_ID} are accepted",
        )
    known = find_by_client(state, command.portfolio, command.client_order_id)
    if known is not None:
        if known.type != kind:
            raise CheckFailed(400000, f"{Name.CLIENT_ORDER_ID} {known.client_id!r} was used by a {known.type}")
        return _reply(known)
    if command.exchange not in VENUES:
        raise CheckFailed(401023, f"exchange {command.exchange[:40]!r} is not accepted; it takes {', '.join(VENUES)}")
    amount = _amount_of(command.amount)
    if isinstance(command, Borrow):
        _borrow(state, command, amount)
    else:
        _repay(state, command, amount)
    return _reply(record_order(state, command, kind, amount))


def _reply(order: LoanOrder) -> Borrowed | Repaid:
    if order.type == LoanType.BORROW:
        return Borrowed(
            order_id=order.id,
            borrowed=order.amount,
            loan_balance=order.loan_balance,
            available_balance=order.available_balance,
            timestamp=order.at,
        )
    return Repaid(
        order_id=order.id,
        repaid=order.amount,
        interest_paid=ZERO,
        loan_balance=order.loan_balance,
        available_balance=order.available_balance,
        timestamp=order.at,
    )


def find_by_client(state: State, portfolio: str, client_id: str) -> LoanOrder | None:
    """Find the loan order with a client order id, in memory or in the archive."""
    if not client_id:
        return None
    order = state.loans.by_client.get((portfolio, client_id))
    if order is not None:
        return order
    key = state.past.find_client("loan_order", portfolio, client_id)
    value = state.past.find("loan_order", key) if key else None
    return None if value is None else msgspec.json.decode(value, type=LoanOrder)


def _amount_of(text: str) -> Decimal:
    try:
        amount = parse_request(text)
    except BadDecimal:
        amount = ZERO
    if amount <= 0 or amount != round(amount, rules.AMOUNT_PLACES):
        raise CheckFailed(
            406023,
            f"amount {text[:40]!r} is not accepted; it must be above 0 with at most {rules.AMOUNT_PLACES} decimals",
        )
    return amount


# -- borrowing -------------------------------------------------------------------------------------------------------


def _borrow(state: State, command: Borrow, amount: Decimal) -> None:
    portfolio, venue, coin = command.portfolio, command.exchange, command.coin
    loan = loan_of(venue, coin)
    if loan is None:
        raise CheckFailed(406014, f"coin {coin[:40]!r} cannot be borrowed on {venue}")
    _check_borrowing(state, portfolio, loan, amount)
    borrow(state, (portfolio, venue, coin), amount)


def borrow(state: State, key: BalanceKey, amount: Decimal) -> None:
    """Lend a coin to a portfolio and credit it to the balance, which at once repays a margin debt in the coin."""
    portfolio, venue, coin = key
    state.loans.owed[key] = state.loans.of(*key) + amount
    legs = [PostingLeg(LENDER_ACCOUNT, venue, coin, -amount), PostingLeg(portfolio, venue, coin, amount)]
    state.post("loan", "", legs)
    _mark_changed(state, key)
    add_booking(state, LoanBookingType.BORROW, key, amount)
    lending.repay_from_incoming(state, portfolio, venue, coin, amount, "loan")


def _check_borrowing(state: State, portfolio: str, loan: CoinLoan, amount: Decimal) -> None:
    """Check account status, LTV, quota, pool, margin and the largest loan for a new loan, in the documented order."""
    venue, coin = loan.exchange, loan.coin
    row = account_figures.compute_row(state, portfolio, venue)
    figures = rules.compute_figures(row.account, row.figures)
    status = account_status(state, portfolio, venue, figures.ltv)
    if status in risk_ladder.LIQUIDATED:
        raise CheckFailed(406020, f"the {venue} account is in {status}; nothing can be borrowed")
    if figures.ltv >= rules.NO_BORROWING_LTV:
        raise CheckFailed(
            406019, f"LTV is {plain(figures.ltv_shown)}; borrowing is refused at {rules.NO_BORROWING_LTV} and above"
        )
    terms, index = PORTFOLIO_LOANS[coin], state.marks.coin(coin)
    quota = max(quota_left(state), ZERO)
    if amount * index > quota:
        raise CheckFailed(
            406016,
            f"{plain(amount)} {coin} are worth {plain(amount * index)}; {plain(quota)} is left of the quota of "
            f"{plain(terms.max_value)}",
        )
    pool = lending.remaining_pool(state, loan)
    if amount > pool:
        raise CheckFailed(406017, f"amount {plain(amount)} is more than the pool of {venue} has: {plain(pool)} {coin}")
    needs = amount * index / terms.leverage
    if needs > row.figures.available:
        raise CheckFailed(
            406015, f"needs {plain(needs)} of margin on {venue}; available: {plain(row.figures.available)}"
        )
    most = max_loan(state, loan, figures.net_available)
    if amount > most:
        raise CheckFailed(406018, f"amount {plain(amount)} is above the maximum of {plain(most)} {coin} on {venue}")


def loan_of(venue: str, coin: str) -> CoinLoan | None:
    """Return the lending pool of a coin on a venue; None when the coin cannot be borrowed."""
    return LOANS.get((venue, coin)) if coin in PORTFOLIO_LOANS else None


def quota_left(state: State) -> Decimal:
    """Compute the user's remaining loan quota (quote) over all portfolios, venues and coins; below 0 when exceeded."""
    return MAX_LOAN_VALUE - sum(
        (loan * state.marks.coin(coin) for (_, _, coin), loan in state.loans.owed.items()), ZERO
    )


def max_loan(state: State, loan: CoinLoan, net_available: Decimal) -> Decimal:
    """Compute the largest loan in a coin: limited by the pool, the remaining quota and the given available margin."""
    return rules.most_to_borrow(
        pool=lending.remaining_pool(state, loan),
        quota_left=quota_left(state),
        net_available=net_available,
        leverage=Decimal(PORTFOLIO_LOANS[loan.coin].leverage),
        index_price=state.marks.coin(loan.coin),
    )


def account_status(state: State, portfolio: str, venue: str, ltv: Decimal) -> str:
    """Return the worse of two account statuses: the one by margin ratio and the one by LTV."""
    shown = state.published.accounts.get((portfolio, venue))
    status = AccountStatus.NORMAL if shown is None else AccountStatus(shown.account_status)
    by_ltv = AccountStatus.NORMAL
    if ltv >= rules.LIQUIDATION_LTV:
        by_ltv = AccountStatus.LIQUIDATING
    elif ltv >= rules.WARNING_LTV:
        by_ltv = AccountStatus.MARGIN_CALL
    return max(status, by_ltv, key=risk_ladder.RUNGS.index)


# -- repaying --------------------------------------------------------------------------------------------------------


def _repay(state: State, command: LoanCommand, amount: Decimal) -> None:
    portfolio, venue, coin = key = (command.portfolio, command.exchange, command.coin)
    owed = state.loans.of(*key)
    if not owed:
        raise CheckFailed(406021, f"the portfolio owes no {coin[:40]!r} on {venue}")
    free = max(state.available(portfolio, venue, coin), ZERO)
    if amount > owed or amount > free:
        raise CheckFailed(
            406022,
            f"amount {plain(amount)} is more than the loan of {plain(owed)} or the available {plain(free)} {coin}",
        )
    repay(state, key, amount)


def repay(state: State, key: BalanceKey, amount: Decimal) -> None:
    """Repay principal of a portfolio loan from the balance of the coin."""
    portfolio, venue, coin = key
    state.post(
        "loan repay",
        "",
        [PostingLeg(portfolio, venue, coin, -amount), PostingLeg(LENDER_ACCOUNT, venue, coin, amount)],
    )
    reduce(state, key, amount)


def reduce(state: State, key: BalanceKey, amount: Decimal) -> None:
    """Reduce the recorded principal of a portfolio loan by an amount already paid to the lender; add a statement row."""
    left = state.loans.of(*key) - amount
    if left:
        state.loans.owed[key] = left
    else:
        del state.loans.owed[key]
    _mark_changed(state, key)
    add_booking(state, LoanBookingType.REPAY, key, -amount)


# -- booking ---------------------------------------------------------------------------------------------------------


def _mark_changed(state: State, key: BalanceKey) -> None:
    state.changes.dirty("loan", "|".join(key))
    state.changes.stale[key[:2]] = None


def add_booking(state: State, kind: LoanBookingType, key: BalanceKey, delta: Decimal) -> None:
    """Add a row to the loan statement for the last ledger posting."""
    portfolio, venue, coin = key
    number = state.dropped.get("loan_booking", 0) + len(state.loans.bookings) + 1
    state.loans.bookings.append(
        LoanBooking(
            id=str(_FIRST_BOOKING + number),
            portfolio=portfolio,
            exchange=venue,
            type=kind,
            coin=coin,
            delta=delta,
            balance=state.ledger.balance(*key),
            at=state.now,
        )
    )
    state.changes.dirty("loan_booking", str(number))


def record_order(state: State, command: LoanCommand, kind: LoanType, amount: Decimal) -> LoanOrder:
    """Record the last borrow or repayment as a loan order."""
    portfolio, venue, coin = command.portfolio, command.exchange, command.coin
    order = LoanOrder(
        id=state.next_id("loan"),
        client_id=command.client_order_id,
        portfolio=portfolio,
        exchange=venue,
        type=kind,
        coin=coin,
        amount=amount,
        loan_balance=state.loans.of(portfolio, venue, coin),
        available_balance=max(state.available(portfolio, venue, coin), ZERO),
        at=state.now,
    )
    state.loans.add(order)
    state.changes.dirty("loan_order", str(state.dropped.get("loan_order", 0) + len(state.loans.orders)))
    return order


def charge_interest(state: State, hour: int) -> None:
    """Charge an hour's interest to the balance of each loan's coin; what the balance does not cover becomes margin debt.

    The settlement coin may be overdrawn instead: the next hour turns that into debt.
    """
    for key in sorted(state.loans.owed):
        portfolio, venue, coin = key
        amount = rules.interest(state.loans.of(*key), PORTFOLIO_LOANS[coin].annual_rate)
        if not amount:
            continue
        missing = amount - state.available(portfolio, venue, coin)
        if coin != SETTLEMENT and missing > 0:
            lending.borrow(state, portfolio, venue, coin, min(missing, amount), str(hour))
        state.post(
            "loan interest",
            str(hour),
            [PostingLeg(portfolio, venue, coin, -amount), PostingLeg(LENDER_ACCOUNT, venue, coin, amount)],
        )
        state.changes.stale[(portfolio, venue)] = None
        add_booking(state, LoanBookingType.INTEREST, key, -amount)


HANDLERS: Handlers = {Borrow: carry_out, Repay: carry_out}
