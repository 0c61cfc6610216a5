"""Holdings of a user over all accounts: portfolios and other accounts, by account, venue and currency."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal
from typing import NamedTuple

from tui.interface.decimals import ZERO, plain, truncate
from tui.interface.families.account_assets import (
    AccountSlice,
    AssetsOverview,
    CurrencyAssets,
    DefiAsset,
    DistributedAccount,
    DistributedSlice,
    Distribution,
    FundingAsset,
    NetworkAmount,
    PrimeType,
    TradingAccount,
    TradingAccountAssets,
)
from tui.interface.families.assets import AssetRecord
from tui.venue.core.check_failed import CheckFailed
from tui.venue.core.funds.accounts import is_main, list_reachable
from tui.venue.core.funds.networks import CURRENCIES
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.funds.fund_accounts import FundAccount
from tui.venue.core.state.portfolios import Portfolio

PORTFOLIO_LABEL = "Portfolio"


class DefiHolding(NamedTuple):
    """Position in a DeFi protocol: coins on a network, valued at the price of the coin."""

    protocol: str
    network: str
    currency: str
    amount: Decimal


DEFI = (
    DefiHolding("staking pool", "ERC20", "ETH", Decimal("1.5")),
    DefiHolding("lending pool", "ARBITRUM", "USDT", Decimal("2500")),
)
"""Holdings of the user of a paper venue outside of it; only the price of the coin changes their value."""


class Holding(NamedTuple):
    """Amount of a currency in one account; amounts in coins, the value in USDT."""

    currency: str
    total: Decimal
    available: Decimal
    frozen: Decimal
    debt: Decimal
    value: Decimal

    def record(self) -> CurrencyAssets:
        return CurrencyAssets(
            currency=self.currency,
            total=plain(self.total),
            available=plain(self.available),
            frozen=plain(self.frozen),
            debt=plain(self.debt),
            value_usdt=truncate(self.value),
        )


class HeldAccount(NamedTuple):
    """Trading account with its holdings by account type."""

    id: str
    prime_type: PrimeType
    label: str
    venues: str
    note: str
    slices: dict[str, list[Holding]]
    """By venue for a portfolio, by wallet for a sub-account."""

    @property
    def value(self) -> Decimal:
        return value_of(holding for held in self.slices.values() for holding in held)

    def record(self) -> TradingAccount:
        return TradingAccount(
            id=self.id, prime_type=self.prime_type, label=self.label, venues=self.venues, account_note=self.note,
            total_usdt=truncate(self.value),
        )  # fmt: skip


def value_of(holdings: Iterable[Holding]) -> Decimal:
    """Sum the values of holdings, USDT."""
    return sum((holding.value for holding in holdings), ZERO)


class AssetOverview:
    """Asset overview of a user; `portfolio` is that of the API key, empty for a sub-user without a portfolio.

    A main key sees everything; a sub-user the accounts assigned to it, and no Funding Account.
    """

    def __init__(self, state: State) -> None:
        self._state = state

    def overview(self, portfolio: str) -> AssetsOverview:
        """Sum the value of all holdings of the user."""
        trading = sum((account.value for account in self._accounts(portfolio)), ZERO)
        funding = value_of(self._funding(portfolio))
        defi = sum((self._value(holding) for holding in self._list_defi_positions(portfolio)), ZERO)
        return AssetsOverview(
            total_usdt=truncate(trading + funding + defi), funding_usdt=truncate(funding),
            trading_usdt=truncate(trading), defi_usdt=truncate(defi), update_at=str(self._state.now),
        )  # fmt: skip

    def funding(self, portfolio: str) -> list[FundingAsset]:
        """List the currencies of the Funding Account."""
        return [
            FundingAsset(
                currency=held.currency, total=plain(held.total), available=plain(held.available), frozen=plain(held.frozen),
                value_usdt=truncate(held.value), networks=_networks(held),
            )
            for held in self._funding(portfolio)
        ]  # fmt: skip

    def accounts(self, portfolio: str) -> list[TradingAccount]:
        """List the assets of each trading account: portfolios, then DMA sub-accounts."""
        return [account.record() for account in self._accounts(portfolio)]

    def account(self, portfolio: str, account_id: str) -> TradingAccountAssets:
        """Return the assets of one trading account.

        Raises:
            CheckFailed: 404004 for a missing or unknown id, or one that the key does not reach.
        """
        match = next((account for account in self._accounts(portfolio) if account.id == account_id), None)
        if match is None:
            raise CheckFailed(404004, f"id {account_id[:40]!r} is not a trading account of this key")
        slices = [
            AccountSlice(
                account_type=name, total_usdt=truncate(value_of(held)), currencies=[entry.record() for entry in held]
            )
            for name, held in match.slices.items()
        ]
        return TradingAccountAssets(id=match.id, prime_type=match.prime_type, slices=slices)

    def summary(self, portfolio: str) -> list[CurrencyAssets]:
        """Sum each currency over all trading accounts."""
        sums: dict[str, Holding] = {}
        for account in self._accounts(portfolio):
            for held in account.slices.values():
                for holding in held:
                    before = sums.get(holding.currency, Holding(holding.currency, ZERO, ZERO, ZERO, ZERO, ZERO))
                    added = (a + b for a, b in zip(before[1:], holding[1:], strict=True))
                    sums[holding.currency] = Holding(holding.currency, *added)
        return [sums[name].record() for name in sorted(sums)]

    def distribution(self, portfolio: str, prime_type: str) -> list[Distribution]:
        """List the amounts of each currency by account and account type."""
        accounts = [account for account in self._accounts(portfolio) if account.prime_type == prime_type]
        places = {
            currency: [place for place in (_places(account, currency) for account in accounts) if place.slices]
            for currency in sorted({name for account in accounts for name in _currencies(account)})
        }
        return [
            Distribution(
                currency=currency, accounts=held,
                total=plain(sum((Decimal(part.total) for account in held for part in account.slices), ZERO)),
            )
            for currency, held in places.items()
        ]  # fmt: skip

    def defi(self, portfolio: str) -> list[DefiAsset]:
        """List the user's positions in DeFi protocols, valued at the index price of their coins."""
        return [
            DefiAsset(
                protocol=held.protocol, network=held.network, currency=held.currency, amount=plain(held.amount),
                value_usdt=truncate(self._value(held)),
            )
            for held in self._list_defi_positions(portfolio)
        ]  # fmt: skip

    def _list_defi_positions(self, portfolio: str) -> tuple[DefiHolding, ...]:
        """List the user's DeFi positions; only the key of the main portfolio can read them."""
        return DEFI if is_main(self._state, portfolio) else ()

    def _value(self, held: DefiHolding) -> Decimal:
        return held.amount * self._state.marks.coin(held.currency)

    # Accounts

    def _accounts(self, portfolio: str) -> list[HeldAccount]:
        """List the trading accounts the API key can access: portfolios, then DMA sub-accounts."""
        portfolios = self._state.portfolios.values() if is_main(self._state, portfolio) else ()
        accounts = [account for account in list_reachable(self._state, portfolio) if account.is_dma]
        return [*map(self._portfolio, portfolios), *map(self._sub_account, accounts)]

    def _portfolio(self, portfolio: Portfolio) -> HeldAccount:
        state = self._state
        slices = {
            venue: [
                _to_holding(state.published.assets[(portfolio.id, venue, coin)])
                for coin in state.coins(portfolio.id, venue)
            ]
            for venue in state.venues(portfolio.id)
        }
        return HeldAccount(portfolio.id, PrimeType.PORTFOLIO, PORTFOLIO_LABEL, ",".join(slices), portfolio.name, slices)

    def _sub_account(self, account: FundAccount) -> HeldAccount:
        slices = {account.wallet.value: self._list_holdings(account)}
        return HeldAccount(account.id, PrimeType.DMA, account.label, account.venue, account.note, slices)

    def _funding(self, portfolio: str) -> list[Holding]:
        """List the holdings of the Funding Account; empty when the API key has no access to it."""
        accounts = [account for account in list_reachable(self._state, portfolio) if account.is_funding]
        return [held for account in accounts for held in self._list_holdings(account)]

    def _list_holdings(self, account: FundAccount) -> list[Holding]:
        """List the coins of an account that is not a portfolio, without those of balance 0."""
        state, side = self._state, account.side
        coins = state.ledger.coins().get(account.id, {}).get(account.venue, [])
        totals = {coin: state.ledger.balance(*side, coin) for coin in sorted(coins)}
        return [
            Holding(
                coin, total, free := state.available(*side, coin), total - free, ZERO, total * state.marks.coin(coin)
            )
            for coin, total in totals.items()
            if total
        ]


def _to_holding(row: AssetRecord) -> Holding:
    """Convert a portfolio's published asset record to a holding; its value is the equity, including P&L and debts."""
    figures = (row.balance, row.available, row.frozen, row.debt, row.equity_value)
    return Holding(row.coin, *(Decimal(text) for text in figures))


def _networks(held: Holding) -> list[NetworkAmount]:
    """Return the whole amount as held on the currency's first network; the venue does not track amounts per network."""
    currency = CURRENCIES.get(held.currency)
    return [] if currency is None else [NetworkAmount(network=currency.networks[0].name, amount=plain(held.total))]


def _currencies(account: HeldAccount) -> Iterator[str]:
    for held in account.slices.values():
        yield from (holding.currency for holding in held)


def _places(account: HeldAccount, currency: str) -> DistributedAccount:
    """List the amount of a currency in each account type of an account."""
    slices = [
        DistributedSlice(account_type=name, total=plain(holding.total), value_usdt=truncate(holding.value))
        for name, held in account.slices.items()
        for holding in held
        if holding.currency == currency
    ]
    return DistributedAccount(id=account.id, slices=slices)
