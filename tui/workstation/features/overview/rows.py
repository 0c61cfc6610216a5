"""Answers about all accounts as the rows of lists: one for each coin in each place."""

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
from tui.workstation.model.display_context import DisplayContext
from tui.workstation.table.column_kinds import number

PANE = "overview"
"""Id of the pane."""
ACCOUNTS_LIST = "accounts"
"""Name of the list whose rows name the accounts for all others."""


class Valued(msgspec.Struct, frozen=True):
    """One part of everything, USDT."""

    part: str
    value: Decimal
    whole: Decimal

    @property
    def share(self) -> Decimal | None:
        return self.value / self.whole if self.whole else None


class Held(msgspec.Struct, frozen=True):
    """One coin in one slice of one account."""

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


class Placed(msgspec.Struct, frozen=True):
    """What of a coin lies in one slice of an account."""

    currency: str
    account: str
    slice: str
    total: str
    value: str
    whole: Decimal
    """Of the coin, over all accounts of this kind."""

    @property
    def key(self) -> str:
        return f"{self.currency}/{self.account}/{self.slice}"

    @property
    def share(self) -> Decimal | None:
        return number(self.total) / self.whole if self.whole else None


def valued(answer: ListRead, view: DisplayContext) -> Sequence[Valued]:
    """The parts of the overview, and their sum."""
    del view
    data = answer.data
    if not isinstance(data, AssetsOverview):
        return ()
    whole = number(data.total_usdt)
    parts = (
        ("Trading", data.trading_usdt), ("Funding", data.funding_usdt), ("DeFi", data.defi_usdt),
        ("all, no custody", data.total_usdt),
    )  # fmt: skip
    return [Valued(name, number(text), whole) for name, text in parts]


def held_in_portfolios(answer: ListRead, view: DisplayContext) -> Sequence[AssetRecord]:
    """The coins of all portfolios."""
    del view
    data = answer.data
    return [row for rows in data.values() for row in rows] if isinstance(data, dict) else ()


def list_account_coins(answer: ListRead, view: DisplayContext) -> Sequence[Held]:
    """The coins of one account, slice by slice."""
    del view
    data = answer.data
    if not isinstance(data, TradingAccountAssets):
        return ()
    return [
        Held(
            data.id,
            part.account_type,
            coin.currency,
            coin.total,
            coin.available,
            coin.frozen,
            coin.debt,
            coin.value_usdt,
        )
        for part in data.slices
        for coin in part.currencies
    ]


def placed(answer: ListRead, view: DisplayContext) -> Sequence[Placed]:
    """Where each coin lies."""
    del view
    return [
        Placed(row.currency, account.id, part.account_type, part.total, part.value_usdt, number(row.total))
        for row in answer.rows
        if isinstance(row, Distribution)
        for account in row.accounts
        for part in account.slices
    ]


def trading_accounts(view: DisplayContext) -> list[TradingAccount]:
    """The accounts as far as they were read."""
    answer = view.mirror.answers.get(f"{PANE}/{ACCOUNTS_LIST}")
    return [row for row in (answer.rows if answer is not None else ()) if isinstance(row, TradingAccount)]


def account_name(view: DisplayContext, account_id: str) -> str:
    """An account as a trader calls it; one that was not read by its id."""
    found = next((one for one in trading_accounts(view) if one.id == account_id), None)
    return account_id if found is None else name_of(found)


def name_of(row: TradingAccount) -> str:
    """A portfolio by its name, a sub-account by its venue."""
    return row.account_note if row.prime_type == PrimeType.PORTFOLIO else f"{row.prime_type} {row.venues}"


def sum_of(values: Sequence[str]) -> Decimal:
    """The sum of figures that were sent."""
    return sum((number(text) for text in values), ZERO)
