"""Rows of the overview lists, built from the service's answers about all accounts."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import msgspec

from tui.engine.service_query import ListRead
from tui.interface.decimals import ZERO
from tui.interface.families.account_assets import (
    AssetsOverview,
    Distribution,
    PrimeType,
    TradingAccount,
    TradingAccountAssets,
)
from tui.interface.families.assets import AssetRecord
from tui.workstation.model import number_format
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.table.column_kinds import number

PANE = "overview"
"""Id of the pane."""
ACCOUNTS_LIST = "accounts"
"""Name of the list whose rows give the account names of all lists."""


class AssetShare(msgspec.Struct, frozen=True):
    """Part of the user's total assets, with value in USDT and share of the whole."""

    part: str
    value: Decimal
    whole: Decimal

    @property
    def share(self) -> Decimal | None:
        return self.value / self.whole if self.whole else None


class AccountCoin(msgspec.Struct, frozen=True):
    """Balance of one coin in one section (account type) of an account."""

    account: str
    slice: str
    currency: str
    total: str
    available: str
    frozen: str
    debt: str
    value: str

    @property
    def key(self) -> str:
        return f"{self.account}/{self.slice}/{self.currency}"


class CoinShare(msgspec.Struct, frozen=True):
    """Share of a coin's total that is held in one section of an account."""

    currency: str
    account: str
    slice: str
    total: str
    value: str
    whole: Decimal
    """Total of the coin over all accounts of this kind."""

    @property
    def key(self) -> str:
        return f"{self.currency}/{self.account}/{self.slice}"

    @property
    def share(self) -> Decimal | None:
        return number(self.total) / self.whole if self.whole else None


def find_loan(view: DisplayContext, portfolio: str, exchange: str, coin: str) -> Decimal | None:
    """Return the portfolio loan of a coin; None if unknown, as for every portfolio but the traded one."""
    status, fact = view.mirror.engine_status, view.mirror.assets.get(f"{exchange}/{coin}")
    if status is None or fact is None or portfolio != status.portfolio:
        return None
    return number_format.value(fact.record.loan) if isinstance(fact.record.loan, str) else ZERO


def describe_loans(view: DisplayContext) -> tuple[str, ...]:
    """Describe how the values count loans and debts of the traded portfolio, longest text first; empty without any."""
    records = [fact.record for fact in view.mirror.assets.values()]
    loans = [number_format.value(record.loan_value) for record in records if isinstance(record.loan_value, str)]
    if not any(loans):
        owes = any(number_format.value(record.debt) for record in records)
        return ("gross eq.: less margin debt", "less margin debt") if owes else ()
    known = None if None in loans else sum((loan for loan in loans if loan is not None), ZERO)
    amount = view.amount(known)
    return (
        f"gross eq.: less margin debt, with this portfolio's loans of {amount} USDT",
        f"{amount} of it loans",
        "gross: with loans",
    )


def list_asset_shares(answer: ListRead, view: DisplayContext) -> Sequence[AssetShare]:
    """List the parts of the total assets, and their sum."""
    del view
    data = answer.data
    if not isinstance(data, AssetsOverview):
        return ()
    whole = number(data.total_usdt)
    parts = (
        ("Trading", data.trading_usdt), ("Funding", data.funding_usdt), ("DeFi", data.defi_usdt),
        ("all, no custody", data.total_usdt),
    )  # fmt: skip
    return [AssetShare(name, number(text), whole) for name, text in parts]


def list_portfolio_coins(answer: ListRead, view: DisplayContext) -> Sequence[AssetRecord]:
    """List the coin balances of all portfolios."""
    del view
    data = answer.data
    return [row for rows in data.values() for row in rows] if isinstance(data, dict) else ()


def list_account_coins(answer: ListRead, view: DisplayContext) -> Sequence[AccountCoin]:
    """List the coin balances of one account, by section."""
    del view
    data = answer.data
    if not isinstance(data, TradingAccountAssets):
        return ()
    return [
        AccountCoin(
            account=data.id,
            slice=part.account_type,
            currency=coin.currency,
            total=coin.total,
            available=coin.available,
            frozen=coin.frozen,
            debt=coin.debt,
            value=coin.value_usdt,
        )
        for part in data.slices
        for coin in part.currencies
    ]


def list_coin_shares(answer: ListRead, view: DisplayContext) -> Sequence[CoinShare]:
    """List the account sections that hold each coin."""
    del view
    return [
        CoinShare(row.currency, account.id, part.account_type, part.total, part.value_usdt, number(row.total))
        for row in answer.rows
        if isinstance(row, Distribution)
        for account in row.accounts
        for part in account.slices
    ]


def trading_accounts(view: DisplayContext) -> list[TradingAccount]:
    """Return the trading accounts as last read; empty before."""
    answer = view.mirror.answers.get(f"{PANE}/{ACCOUNTS_LIST}")
    return [row for row in (answer.rows if answer is not None else ()) if isinstance(row, TradingAccount)]


def trading_account_name(view: DisplayContext, account_id: str) -> str:
    """Return the display name of an account, or its id if the name is unknown."""
    account = next((row for row in trading_accounts(view) if row.id == account_id), None)
    return account_id if account is None else name_of(account)


def name_of(row: TradingAccount) -> str:
    """Return the name of a portfolio, or kind and venue of a sub-account."""
    return row.account_note if row.prime_type == PrimeType.PORTFOLIO else f"{row.prime_type} {row.venues}"


def sum_of(values: Sequence[str]) -> Decimal:
    """Sum numbers that the service sent as texts."""
    return sum((number(text) for text in values), ZERO)
