"""The screen of all accounts: values, accounts, what is in one, coins by portfolio, where each lies; refusals inside it."""

from __future__ import annotations

import msgspec
import pytest

from tests.workstation.driver import Desk, desk
from tui.engine.rows import Fact, Table
from tui.engine.service_query import ListRead, ReadState, query_endpoint
from tui.interface.families.account_assets import (
    AccountSlice,
    AssetsOverview,
    CurrencyAssets,
    DistributedAccount,
    DistributedSlice,
    Distribution,
    FundingAsset,
    NetworkAmount,
    TradingAccount,
    TradingAccountAssets,
)
from tui.interface.families.assets import AssetRecord
from tui.workstation.input.scopes import Scope

MAIN, DMA = "2171869303220001", "2471869303220009"
ACCOUNTS = (
    TradingAccount(id=MAIN, prime_type="PORTFOLIO", label="Portfolio", venues="BINANCE,OKX", account_note="MainPortfolio",
                   total_usdt="150000.5"),
    TradingAccount(id=DMA, prime_type="DMA", label="DMA", venues="OKX", account_note="OKX sub-account", total_usdt="9000"),
)  # fmt: skip
BTC = CurrencyAssets(currency="BTC", total="1.5", available="1.2", frozen="0.3", debt="0", value_usdt="90000")
OWED = CurrencyAssets(currency="ETH", total="0.5", available="0.5", frozen="0", debt="2", value_usdt="-4000")


async def answer(at: Desk, name: str, *rows: object, data: object = None, **more: object) -> None:
    """The answer to the newest question of a list."""
    query = next(one for one in reversed(at.queries()) if one.key == f"overview/{name}")
    state = more.pop("state", ReadState.WHOLE)
    found = ListRead(query=query, state=state, rows=rows, data=data, total=len(rows), **more)  # type: ignore[arg-type]
    at.port.put(Table.ANSWERS, query.key, found)
    await at.settle()


async def enter(at: Desk, steps: int = 0) -> None:
    """The screen with the accounts read, on one of its lists."""
    await at.press("V", *[")"] * steps)
    await answer(at, "accounts", *ACCOUNTS)


def line(at: Desk, *words: str) -> str:
    return next(text for text in at.text().splitlines() if all(word in text for word in words))


async def test_account_overview_shows_values_with_percentages() -> None:
    async with desk(120, 36) as at:
        await at.press("V")
        assert [one.sources[0].endpoint for one in at.queries()] == ["assets_overview", "assets_trading_accounts"]
        overview = AssetsOverview(total_usdt="200000", funding_usdt="50000", trading_usdt="150000", defi_usdt="0")
        await answer(at, "overview", data=overview)
        assert "75.0%" in line(at, "Trading", "150,000.00") and "25.0%" in line(at, "Funding", "50,000.00")
        assert line(at, "all, no custody", "200,000.00", "100.0%"), "what is in custody is in no part of it"
        await at.press(")")
        assert len(at.queries()) == 2, "they are not read twice"


async def test_account_overview_lists_accounts_with_names_and_total() -> None:
    async with desk(160, 45) as at:
        await enter(at, 1)
        assert line(at, "MainPortfolio", "Portfolio", "BINANCE OKX", "150,000.50") and line(at, "DMA OKX", "9,000.00")
        assert line(at, "159,000.50")
        at.app.context.list_screen.tables["overview"].select(DMA)
        await at.press("i")
        assert at.queries()[-1] == query_endpoint("overview/account", "assets_trading_account", (("id", DMA),))
        found = TradingAccountAssets(
            id=DMA, prime_type="DMA", slices=[AccountSlice(account_type="SPOT", currencies=[BTC, OWED])]
        )
        await answer(at, "account", data=found)
        assert line(at, "SPOT", "BTC", "1.5", "90,000.00") and line(at, "ETH", "-4,000.00")
        assert "account 2" in at.text() and "DMA OKX" in at.text() and line(at, "86,000.00")


async def test_account_details_without_an_account_name_the_key_for_it() -> None:
    async with desk(120, 36) as at:
        await enter(at, 2)
        assert "assets_trading_account" not in [one.sources[0].endpoint for one in at.queries()]
        assert "no account chosen: press i on an account to see its coins" in at.text()
        await at.press("i")
        assert at.scope() is Scope.SCREEN


async def test_account_overview_lists_coins_by_portfolio_and_venue() -> None:
    async with desk(160, 45) as at:
        await enter(at, 3)
        rows = [
            AssetRecord(
                portfolio_id=MAIN, coin=coin, exchange_type="OKX", balance=balance, debt=debt, equity_value=value
            )
            for coin, balance, debt, value in (("USDT", "1000", "0", "1000"), ("SOL", "0", "3", "-450.25"))
        ]
        await answer(at, "coins of portfolios", data={MAIN: rows})
        assert line(at, "MainPortfolio", "OKX", "USDT", "1,000.00") and line(at, "SOL", "-450.25")
        assert line(at, "549.75")
        await at.press("i")
        assert at.queries()[-1].sources[0].params == (("id", MAIN),)


async def test_account_overview_names_loans_beside_gross_values() -> None:
    async with desk(160, 45) as at:
        fact = at.app.mirror.assets["BINANCE/USDT"]
        lent = msgspec.structs.replace(fact.record, loan="15000", loan_value="15002.75")
        at.port.put(Table.ASSETS, "BINANCE/USDT", Fact(lent, fact.stamp))
        await enter(at, 3)
        rows = [
            AssetRecord(portfolio_id=owner, coin="USDT", exchange_type="BINANCE", balance="90000", equity_value=value)
            for owner, value in (("7001", "90000"), (MAIN, "80000"))
        ]
        await answer(at, "coins of portfolios", data={"7001": rows[:1], MAIN: rows[1:]})
        assert "margin debt" in at.text() and "value USDT" not in at.text() and "gross eq. USDT" in at.text()
        assert line(at, "7001", "BINANCE", "90,000.00").split()[6:8] == ["0", "15,000.00"]
        assert line(at, "MainPortfolio", "BINANCE", "80,000.00").split()[6:8] == ["0", "–"], "not told of another one"
        assert "15,002.75 of it loans" in at.text()
        for _ in range(2):
            await at.press("(")
        await answer(at, "accounts", *ACCOUNTS)
        assert "gross eq. USDT" in at.text() and "15,002.75 of it loans" in at.text()


async def test_the_overview_splits_a_coin_by_venue_per_account_type() -> None:
    async with desk(160, 45) as at:
        await enter(at, 5)
        assert at.queries()[-1].sources[0].params == (("primeType", "PORTFOLIO"),)
        places = [
            DistributedSlice(account_type="BINANCE", total="3", value_usdt="180000"),
            DistributedSlice(account_type="OKX", total="1", value_usdt="60000"),
        ]
        await answer(
            at,
            "in portfolios",
            Distribution(currency="BTC", total="4", accounts=[DistributedAccount(id=MAIN, slices=places)]),
        )
        assert "75.0%" in line(at, "BTC", "MainPortfolio", "BINANCE") and "25.0%" in line(at, "OKX", "60,000.00")
        await at.press(")")
        assert at.queries()[-1].sources[0].params == (("primeType", "DMA"),)


async def test_account_overview_shows_funding_assets_by_network() -> None:
    async with desk(120, 36) as at:
        await enter(at, 7)
        held = FundingAsset(
            currency="USDT", total="50000", available="49000", frozen="1000", value_usdt="50000",
            networks=[NetworkAmount(network="TRC20", amount="50000")],
        )  # fmt: skip
        await answer(at, "Funding", held)
        assert line(at, "USDT", "TRC20", "50,000.00")
        await at.press(")")
        await answer(at, "DeFi")
        assert "no DeFi positions" in at.text()


@pytest.mark.parametrize(
    ("steps", "name", "said"), [(0, "overview", "2003 No access"), (3, "coins of portfolios", "100003")]
)
async def test_a_list_of_accounts_without_permission_says_not_read(steps: int, name: str, said: str) -> None:
    async with desk(120, 36) as at:
        await at.press("V", *[")"] * steps)
        await answer(at, name, state=ReadState.FAILED, code=int(said[:4].strip()), text=said)
        assert f"not read: {said}" in at.text()
        await at.press("V", "b")
        assert at.scope() is Scope.PREVIEW


@pytest.mark.parametrize(("columns", "lines"), [(60, 20), (80, 24), (200, 60)])
async def test_account_overview_fits_every_screen_size(columns: int, lines: int) -> None:
    async with desk(columns, lines) as at:
        await enter(at, 1)
        for _ in range(9):
            assert all(len(text) == columns for text in at.text().splitlines())
            await at.press(")")
