"""What a user holds over all accounts: portfolios and what else there is, by account, venue and currency."""

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
from tui.venue.core.funds.accounts import is_main, reached
from tui.venue.core.funds.networks import CURRENCIES
from tui.venue.core.state.exchange_state import State
from tui.venue.core.state.funds.fund_accounts import FundAccount
from tui.venue.core.state.portfolios import Portfolio

PORTFOLIO_LABEL = "Portfolio"


class DefiHolding(NamedTuple):
    """A position in a protocol: coins on a network, worth what the coin is worth."""

    protocol: str
    network: str
    currency: str
    amount: Decimal


DEFI = (
    DefiHolding("staking pool", "ERC20", "ETH", Decimal("1.5")),
    DefiHolding("lending pool", "ARBITRUM", "USDT", Decimal("2500")),
)
"""What the user of a paper venue holds outside of it; nothing moves it but the price of its coin."""


class Holding(NamedTuple):
    """One currency in one place; amounts in coins, the value in USDT."""

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
    """One trading account with what is in each of its slices."""

    id: str
    prime_type: PrimeType
    label: str
    venues: str
    note: str
    slices: dict[str, list[Holding]]
    """By venue of a portfolio, by wallet of a sub-account."""

    @property
    def value(self) -> Decimal:
        return value_of(holding for held in self.slices.values() for holding in held)

    def record(self) -> TradingAccount:
        return TradingAccount(
            id=self.id, prime_type=self.prime_type, label=self.label, venues=self.venues, account_note=self.note,
            total_usdt=truncate(self.value),
        )  # fmt: skip


def value_of(holdings: Iterable[Holding]) -> Decimal:
    """What holdings are worth, USDT."""
    return sum((one.value for one in holdings), ZERO)


class AssetOverview:
    """Answers for one user; `portfolio` is that of the key, empty for a sub-user, which has none.

    A main key sees everything; a sub-user what is assigned to it, and no Funding Account.
    """

    def __init__(self, state: State) -> None:
        self._state = state

    def overview(self, portfolio: str) -> AssetsOverview:
        """What everything is worth."""
        trading = sum((one.value for one in self._accounts(portfolio)), ZERO)
        funding = value_of(self._funding(portfolio))
        defi = sum((self._value(one) for one in self._defi(portfolio)), ZERO)
        return AssetsOverview(
            total_usdt=truncate(trading + funding + defi), funding_usdt=truncate(funding),
            trading_usdt=truncate(trading), defi_usdt=truncate(defi), update_at=str(self._state.now),
        )  # fmt: skip

    def funding(self, portfolio: str) -> list[FundingAsset]:
        """The Funding Account by currency."""
        return [
            FundingAsset(
                currency=one.currency, total=plain(one.total), available=plain(one.available), frozen=plain(one.frozen),
                value_usdt=truncate(one.value), networks=_networks(one),
            )
            for one in self._funding(portfolio)
        ]  # fmt: skip

    def accounts(self, portfolio: str) -> list[TradingAccount]:
        """Portfolios, then DMA sub-accounts."""
        return [one.record() for one in self._accounts(portfolio)]

    def account(self, portfolio: str, account_id: str) -> TradingAccountAssets:
        """Everything in one account.

        Raises:
            CheckFailed: 404004 for an id that is missing, is none, or is not within reach.
        """
        found = next((one for one in self._accounts(portfolio) if one.id == account_id), None)
        if found is None:
            raise CheckFailed(404004, f"id {account_id[:40]!r} is no trading account of this key")
        slices = [
            AccountSlice(
                account_type=name, total_usdt=truncate(value_of(held)), currencies=[one.record() for one in held]
            )
            for name, held in found.slices.items()
        ]
        return TradingAccountAssets(id=found.id, prime_type=found.prime_type, slices=slices)

    def summary(self, portfolio: str) -> list[CurrencyAssets]:
        """Each currency over all trading accounts."""
        sums: dict[str, Holding] = {}
        for account in self._accounts(portfolio):
            for held in account.slices.values():
                for one in held:
                    before = sums.get(one.currency, Holding(one.currency, ZERO, ZERO, ZERO, ZERO, ZERO))
                    added = (a + b for a, b in zip(before[1:], one[1:], strict=True))
                    sums[one.currency] = Holding(one.currency, *added)
        return [sums[name].record() for name in sorted(sums)]

    def distribution(self, portfolio: str, prime_type: str) -> list[Distribution]:
        """Where each currency lies: accounts of a kind, then their slices."""
        accounts = [one for one in self._accounts(portfolio) if one.prime_type == prime_type]
        places = {
            currency: [one for one in (_places(account, currency) for account in accounts) if one.slices]
            for currency in sorted({name for account in accounts for name in _currencies(account)})
        }
        return [
            Distribution(
                currency=currency, accounts=held,
                total=plain(sum((Decimal(one.total) for account in held for one in account.slices), ZERO)),
            )
            for currency, held in places.items()
        ]  # fmt: skip

    def defi(self, portfolio: str) -> list[DefiAsset]:
        """What the user holds in protocols, at the index of its coin."""
        return [
            DefiAsset(
                protocol=one.protocol, network=one.network, currency=one.currency, amount=plain(one.amount),
                value_usdt=truncate(self._value(one)),
            )
            for one in self._defi(portfolio)
        ]  # fmt: skip

    def _defi(self, portfolio: str) -> tuple[DefiHolding, ...]:
        """Positions in protocols belong to the user, not to a portfolio: the main key sees them."""
        return DEFI if is_main(self._state, portfolio) else ()

    def _value(self, held: DefiHolding) -> Decimal:
        return held.amount * self._state.marks.coin(held.currency)

    # Accounts

    def _accounts(self, portfolio: str) -> list[HeldAccount]:
        """The trading accounts within reach: portfolios, then DMA sub-accounts."""
        portfolios = self._state.portfolios.values() if is_main(self._state, portfolio) else ()
        accounts = [one for one in reached(self._state, portfolio) if one.is_dma]
        return [*(self._portfolio(one) for one in portfolios), *(self._sub_account(one) for one in accounts)]

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
        """What is in the Funding Account, if the key may see it."""
        accounts = [one for one in reached(self._state, portfolio) if one.is_funding]
        return [held for account in accounts for held in self._list_holdings(account)]

    def _list_holdings(self, account: FundAccount) -> list[Holding]:
        """The coins of an account that is no portfolio, without those of balance 0."""
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
    """A coin of a portfolio as it was pushed last; its value is its equity, results and debts included."""
    figures = (row.balance, row.available, row.frozen, row.debt, row.equity_value)
    return Holding(row.coin, *(Decimal(text) for text in figures))


def _networks(held: Holding) -> list[NetworkAmount]:
    """The whole amount on the first network of the currency: the venue knows no other split."""
    currency = CURRENCIES.get(held.currency)
    return [] if currency is None else [NetworkAmount(network=currency.networks[0].name, amount=plain(held.total))]


def _currencies(account: HeldAccount) -> Iterator[str]:
    for held in account.slices.values():
        yield from (one.currency for one in held)


def _places(account: HeldAccount, currency: str) -> DistributedAccount:
    """What of a currency lies in each slice of an account."""
    slices = [
        DistributedSlice(account_type=name, total=plain(one.total), value_usdt=truncate(one.value))
        for name, held in account.slices.items()
        for one in held
        if one.currency == currency
    ]
    return DistributedAccount(id=account.id, slices=slices)
