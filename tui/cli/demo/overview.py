"""What the pictures show of all accounts."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from tui.cli.demo.portfolios import BASIS, DMA, MAIN, NIGHT
from tui.interface.families.account_assets import (
    AccountSlice,
    AssetsOverview,
    CurrencyAssets,
    DistributedAccount,
    DistributedSlice,
    Distribution,
    FundingAsset,
    NetworkAmount,
    PrimeType,
    TradingAccount,
    TradingAccountAssets,
    Wanted,
)
from tui.interface.families.assets import AssetRecord

_HELD = (
    (MAIN, "BINANCE", "USDT", "61840.55", "61840.55"), (MAIN, "BINANCE", "BTC", "0.85", "52568.2"),
    (MAIN, "OKX", "USDT", "24110", "24110"), (NIGHT, "OKX", "USDT", "18200", "18200"),
    (NIGHT, "OKX", "ETH", "6.4", "17209.6"), (BASIS, "BINANCE", "BTC", "0.2", "12369"),
    (DMA, "SPOT", "USDT", "10000", "10000"), (DMA, "SPOT", "BTC", "0.1", "6184.5"),
)  # fmt: skip
_NAMES = ((MAIN, "MainPortfolio"), (NIGHT, "NightDesk"), (BASIS, "BasisTrades"), (DMA, "BINANCE sub-account"))


def _kind(owner: int) -> PrimeType:
    return PrimeType.DMA if owner == DMA else PrimeType.PORTFOLIO


def _sum(amounts: list[str]) -> str:
    return f"{sum((Decimal(text) for text in amounts), Decimal(0)):.2f}"


def overview(params: Mapping[str, str], now_ms: int) -> AssetsOverview:
    """Trading and Funding; nothing in DeFi."""
    del params
    trading = _sum([row[4] for row in _HELD])
    return AssetsOverview(
        total_usdt=_sum([trading, "48200"]), funding_usdt="48200", trading_usdt=trading, update_at=str(now_ms)
    )


def accounts(params: Mapping[str, str], now_ms: int) -> tuple[TradingAccount, ...]:
    """Three portfolios and a sub-account."""
    del params, now_ms
    return tuple(
        TradingAccount(
            id=str(owner), prime_type=_kind(owner), label="DMA" if owner == DMA else "Portfolio", account_note=name,
            venues="BINANCE" if owner == DMA else "BINANCE,OKX,EDX",
            total_usdt=_sum([row[4] for row in _HELD if row[0] == owner]),
        )
        for owner, name in _NAMES
    )  # fmt: skip


def account(params: Mapping[str, str], now_ms: int) -> TradingAccountAssets:
    """The coins of one of them."""
    del now_ms
    owner = int(params.get(Wanted.ID, str(MAIN)))
    held = [row for row in _HELD if row[0] == owner]
    slices = [
        AccountSlice(
            account_type=place,
            currencies=[
                CurrencyAssets(currency=coin, total=total, available=total, frozen="0", value_usdt=value)
                for _, where, coin, total, value in held
                if where == place
            ],
        )
        for place in dict.fromkeys(row[1] for row in held)
    ]
    return TradingAccountAssets(id=str(owner), prime_type=_kind(owner), slices=slices)


def held_in_portfolios(params: Mapping[str, str], now_ms: int) -> dict[str, list[AssetRecord]]:
    """The coins of each portfolio by venue."""
    del params, now_ms
    return {
        str(owner): [
            AssetRecord(
                portfolio_id=str(owner), coin=coin, exchange_type=venue, balance=total, available=total, frozen="0",
                equity=total, equity_value=value, max_transferable=total,
            )
            for one, venue, coin, total, value in _HELD
            if one == owner
        ]
        for owner in (MAIN, NIGHT, BASIS)
    }  # fmt: skip


def summary(params: Mapping[str, str], now_ms: int) -> tuple[CurrencyAssets, ...]:
    """Each coin over all accounts."""
    del params, now_ms
    coins = sorted({row[2] for row in _HELD})
    return tuple(
        CurrencyAssets(
            currency=coin, total=total, available=total, frozen="0",
            value_usdt=_sum([row[4] for row in _HELD if row[2] == coin]),
        )
        for coin in coins
        for total in [_sum([row[3] for row in _HELD if row[2] == coin])]
    )  # fmt: skip


def distribution(params: Mapping[str, str], now_ms: int) -> tuple[Distribution, ...]:
    """Where each coin lies, in accounts of a kind."""
    del now_ms
    held = [row for row in _HELD if _kind(row[0]) == params.get(Wanted.PRIME_TYPE, PrimeType.PORTFOLIO)]
    return tuple(
        Distribution(
            currency=coin, total=_sum([row[3] for row in held if row[2] == coin]),
            accounts=[
                DistributedAccount(
                    id=str(owner), slices=[DistributedSlice(account_type=place, total=total, value_usdt=value)]
                )
                for owner, place, name, total, value in held
                if name == coin
            ],
        )
        for coin in sorted({row[2] for row in held})
    )  # fmt: skip


def funding(params: Mapping[str, str], now_ms: int) -> tuple[FundingAsset, ...]:
    """One coin."""
    del params, now_ms
    return (
        FundingAsset(
            currency="USDT", total="48200", available="48200", frozen="0", value_usdt="48200",
            networks=[NetworkAmount(network="TRC20", amount="48200")],
        ),
    )  # fmt: skip
