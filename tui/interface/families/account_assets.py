"""Account Assets V2: holdings of a user over all accounts.

The documents leave the last part of the paths and the names of the fields open: both are defined here only, so that
the true ones can replace them.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import msgspec

from tui.interface.endpoint import Family, Permission, RateLimit, Scope, Shape
from tui.interface.request import Kind, Request, Rule

NAMESPACE = "/api/v2/account/assets"
LEAVES = {
    "assets_overview": "overview",
    "assets_funding": "funding",
    "assets_trading_accounts": "trading/accounts",
    "assets_trading_account": "trading/account",
    "assets_trading_summary": "trading/summary",
    "assets_distribution": "trading/distribution",
    "assets_defi": "defi",
}
"""Last part of the path, by row."""


class PrimeType(StrEnum):
    """Kind of a trading account: portfolio or DMA sub-account."""

    DMA = "DMA"
    PORTFOLIO = "PORTFOLIO"


class AssetsOverview(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Total asset values of a user, in USDT."""

    total_usdt: str
    funding_usdt: str = "0"
    trading_usdt: str = "0"
    defi_usdt: str = "0"
    update_at: str = ""
    """ms."""


class NetworkAmount(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Amount of a currency on one network."""

    network: str
    amount: str


class FundingAsset(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Amount of a currency in the Funding Account."""

    currency: str
    total: str
    available: str = ""
    frozen: str = ""
    value_usdt: str = ""
    networks: list[NetworkAmount] = []


class TradingAccount(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Trading account: a portfolio or a DMA sub-account."""

    id: str
    prime_type: str
    label: str = ""
    venues: str = ""
    account_note: str = ""
    total_usdt: str = ""


class CurrencyAssets(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Amounts of a currency in one account, or over all accounts."""

    currency: str
    total: str
    available: str = ""
    frozen: str = ""
    debt: str = "0"
    value_usdt: str = ""


class AccountSlice(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Part of a trading account with its currencies: a venue of a portfolio, or a wallet of a sub-account."""

    account_type: str
    total_usdt: str = ""
    currencies: list[CurrencyAssets] = []


class TradingAccountAssets(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Assets of one trading account, by venue or wallet."""

    id: str
    prime_type: str
    slices: list[AccountSlice] = []


class DistributedSlice(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Amount of a currency in one venue or wallet of an account."""

    account_type: str
    total: str
    value_usdt: str = ""


class DistributedAccount(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Amounts of a currency in one account, by venue or wallet."""

    id: str
    slices: list[DistributedSlice] = []


class Distribution(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Amounts of one currency, by account and by venue or wallet."""

    currency: str
    total: str
    accounts: list[DistributedAccount] = []


class DefiAsset(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Position in a DeFi protocol."""

    protocol: str
    network: str
    currency: str
    amount: str
    value_usdt: str = ""


class TradingAccountQuery(Request, frozen=True, kw_only=True, rename="camel"):
    """Query for one trading account."""

    id: Annotated[str, Rule(error_code=404004)] = ""


class DistributionQuery(Request, frozen=True, kw_only=True, rename="camel"):
    """Query for the currencies of all accounts of one kind."""

    prime_type: Annotated[str, Rule(Kind.WORD, tuple(PrimeType))]


_FAMILY = Family(
    "assets-v2", permission=Permission.READ, scopes=(Scope.MAIN, Scope.USER), success=200, limit=RateLimit(10, 60)
)


def _call(name: str) -> str:
    return f"GET {NAMESPACE}/{LEAVES[name]}"


# fmt: off
ASSETS_OVERVIEW = _FAMILY.row("assets_overview", _call("assets_overview"),
    "valuations across Funding, Trading and DeFi", record=AssetsOverview, shape=Shape.OBJECT)
ASSETS_FUNDING = _FAMILY.row("assets_funding", _call("assets_funding"),
    "Funding balances by currency", record=FundingAsset, shape=Shape.ARRAY)
ASSETS_TRADING_ACCOUNTS = _FAMILY.row("assets_trading_accounts", _call("assets_trading_accounts"),
    "trading account list (DMA sub-accounts and portfolios)",
    record=TradingAccount, shape=Shape.ARRAY)
ASSETS_TRADING_ACCOUNT = _FAMILY.row("assets_trading_account", _call("assets_trading_account"),
    "assets of one trading account (id)",
    request=TradingAccountQuery, record=TradingAccountAssets, shape=Shape.OBJECT)
ASSETS_TRADING_SUMMARY = _FAMILY.row("assets_trading_summary", _call("assets_trading_summary"),
    "trading asset summary by currency", record=CurrencyAssets, shape=Shape.ARRAY)
ASSETS_DISTRIBUTION = _FAMILY.row("assets_distribution", _call("assets_distribution"),
    "distribution by currency across accounts and venues (primeType)",
    request=DistributionQuery, record=Distribution, shape=Shape.ARRAY)
ASSETS_DEFI = _FAMILY.row("assets_defi", _call("assets_defi"), "DeFi holdings",
    record=DefiAsset, shape=Shape.ARRAY)
# fmt: on

ROWS = (
    ASSETS_OVERVIEW,
    ASSETS_FUNDING,
    ASSETS_TRADING_ACCOUNTS,
    ASSETS_TRADING_ACCOUNT,
    ASSETS_TRADING_SUMMARY,
    ASSETS_DISTRIBUTION,
    ASSETS_DEFI,
)
