"""Response records of portfolio loans: loan figures of venue accounts, loan terms, largest loans."""

from __future__ import annotations

from decimal import Decimal

from tui.interface.decimals import plain, truncate
from tui.interface.families.portfolio_loans import LoanAccount, LoanCoin, LoanConfig, MaxLoan
from tui.rules import account
from tui.rules.borrowing import portfolio_loans as rules
from tui.venue.core.accounts import account_figures, portfolio_loans
from tui.venue.core.accounts.loan_terms import LOANS, PORTFOLIO_LOANS
from tui.venue.core.state.exchange_state import State


def account_of(state: State, portfolio: str, venue: str) -> LoanAccount:
    """Build the loan record of a venue account at the current mark prices."""
    row = account_figures.compute_row(state, portfolio, venue)
    figures = rules.compute_figures(row.account, row.figures)
    return LoanAccount(
        exchange=venue,
        account_status=portfolio_loans.account_status(state, portfolio, venue, figures.ltv),
        ltv=plain(figures.ltv_shown),
        net_margin_value=truncate(figures.net_margin_value),
        net_valid_margin=truncate(figures.net_valid),
        net_available_margin=truncate(figures.net_available),
        loan_margin=truncate(figures.margin),
        loan_maintenance_margin=truncate(figures.maintenance),
        coins=[
            _coin(state, venue, coin, row.figures.equities[coin.coin], figures.net_available)
            for coin in row.account.coins
            if coin.loan
        ],
    )


def _coin(state: State, venue: str, coin: account.AccountCoin, equity: Decimal, net_available: Decimal) -> LoanCoin:
    net = rules.net_coin(coin, equity)
    return LoanCoin(
        coin=coin.coin,
        loan=plain(coin.loan),
        loan_mmr=plain(coin.loan_mmr),
        loan_leverage=int(coin.loan_leverage),
        loan_value=truncate(net.loan_value),
        net_equity=truncate(net.net_equity),
        net_equity_value=truncate(net.net_equity_value),
        net_margin_value=truncate(net.net_margin_value),
        portfolio_max_loan_coin=plain(portfolio_loans.max_loan(state, LOANS[(venue, coin.coin)], net_available)),
    )


def max_loans(state: State, portfolio: str) -> list[MaxLoan]:
    """List the largest loans of a portfolio now, by coin, on every venue where it has an account and the coin is lent."""
    rows = []
    for venue in state.venues(portfolio):
        row = account_figures.compute_row(state, portfolio, venue)
        free = rules.compute_figures(row.account, row.figures).net_available
        for coin in sorted(PORTFOLIO_LOANS):
            loan = portfolio_loans.loan_of(venue, coin)
            if loan is not None:
                most = portfolio_loans.max_loan(state, loan, free)
                rows.append(MaxLoan(exchange=venue, coin=coin, portfolio_max_loan_coin=plain(most)))
    return rows


def list_terms() -> list[LoanConfig]:
    """List the terms of every coin that can be borrowed."""
    return [
        LoanConfig(
            coin=coin,
            loan_leverage=str(terms.leverage),
            max_loan_value=plain(terms.max_value),
            loan_mmr=plain(terms.mmr),
            loan_interest_rate=plain(terms.annual_rate),
        )
        for coin, terms in sorted(PORTFOLIO_LOANS.items())
    ]
