"""Fund accounts of the user: the default accounts of a venue, the accounts an API key can access, and their balances."""

from __future__ import annotations

from decimal import Decimal

from tui.interface.decimals import ZERO, plain, truncate
from tui.interface.families.accounts import (
    AccountBalances,
    AccountLabel,
    AccountRecord,
    AccountVenue,
    CurrencyBalance,
)
from tui.protocols import RandomSource
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.funds.fund_accounts import FundAccount, Side
from tui.venue.core.state.ledger import ISSUE_ACCOUNT, PostingLeg

_SHIPPED: tuple[tuple[str, AccountLabel, str, dict[str, str]], ...] = (
    (AccountVenue.FUNDING, AccountLabel.FUNDING, "", {"USDT": "50000", "BTC": "0.5", "ETH": "5"}),
    ("BINANCE", AccountLabel.DMA, "BINANCE sub-account", {"USDT": "10000", "BTC": "0.1"}),
    ("OKX", AccountLabel.DMA, "OKX sub-account", {"USDT": "10000"}),
    (AccountVenue.CUSTODY, AccountLabel.CUSTODY, "", {"USDT": "20000", "BTC": "1"}),
)
"""Venue, label, note and initial balances of the accounts of a venue."""


def open_accounts(state: State, random_source: RandomSource) -> None:
    """Create the default fund accounts of a venue that has none: a new venue, or one stored by an older version."""
    if state.fund_accounts:
        return
    ids = random_source.stream("accounts")
    number = 2_400_000_000_000_000 + ids.randrange(10**14)
    for venue, label, note, money in _SHIPPED:
        number += 1 + ids.randrange(10**9)
        account = FundAccount(id=str(number), venue=str(venue), label=label, note=note, opened=state.now)
        state.fund_accounts[account.id] = account
        state.changes.dirty("fund_account", account.id)
        for coin, text in money.items():
            amount = Decimal(text)
            legs = [
                PostingLeg(ISSUE_ACCOUNT, account.venue, coin, -amount),
                PostingLeg(account.id, account.venue, coin, amount),
            ]
            state.post("issue", "", legs)


def opening_ms(state: State) -> int:
    """Return when the fund accounts were created, ms."""
    return min((account.opened for account in state.fund_accounts.values()), default=0)


def is_main(state: State, portfolio: str) -> bool:
    """Report whether a portfolio is the main one, whose API keys act for the main user."""
    owner = state.portfolios.get(portfolio)
    return owner is not None and owner.is_main


def list_reachable(state: State, portfolio: str) -> list[FundAccount]:
    """List the accounts an API key can access: all for a main key, DMA sub-accounts for a sub-user without a portfolio."""
    accounts = list(state.fund_accounts.values())
    if is_main(state, portfolio):
        return accounts
    return [] if portfolio else [account for account in accounts if account.is_dma]


def account_record(account: FundAccount) -> AccountRecord:
    """Build an account's row in the list of fund accounts."""
    return AccountRecord(
        account_id=int(account.id), venues=account.venue, label=account.label, account_note=account.note
    )


def balances(state: State, account: FundAccount, currency: str = "") -> AccountBalances:
    """List the balances of an account, without coins of balance 0."""
    coins = state.ledger.coins().get(account.id, {}).get(account.venue, [])
    rows = [_currency_balance(state, account.side, coin) for coin in sorted(coins) if currency in ("", coin)]
    held = [row for row in rows if row.total_balance != "0"]
    return AccountBalances(
        account_id=account.id,
        account_note=account.note,
        venues=account.venue,
        account_type=account.wallet,
        total_usdt=truncate(sum((Decimal(row.value_usdt) for row in held), ZERO)),
        asset_info=held,
    )


def _currency_balance(state: State, side: Side, coin: str) -> CurrencyBalance:
    total = state.ledger.balance(*side, coin)
    free = state.available(*side, coin)
    return CurrencyBalance(
        currency=coin,
        total_balance=plain(total),
        available=plain(free),
        withdraw_available=plain(free),
        frozen=plain(total - free),
        value_usdt=truncate(total * state.marks.coin(coin)),
    )
