"""What a user holds over all accounts: the same money by account, venue and currency, and each key sees its own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from decimal import Decimal

import pytest

from tests.venue.core.drive import Desk
from tests.venue.core.funds.test_deposits import withdraw
from tests.venue.core.funds.test_transfers import Money
from tui.interface.families.account_assets import PrimeType
from tui.interface.families.portfolios import CreatePortfolio, PortfolioName
from tui.venue.core.check_failed import CheckFailed
from tui.venue.core.funds.asset_overview import AssetOverview

CLOSE = Decimal("0.000000000001")
NOBODY = ""
"""The portfolio of a sub-user."""


@pytest.fixture
def money() -> Money:
    """A desk with a position, a frozen spot coin, and a withdrawal that waits."""
    money = Money(Desk(agents="still"))
    money.desk.place("BUY", "0.5")
    money.desk.sub_place("BUY", "0.1", "50000", "OKX_SPOT_BTC_USDT")
    withdraw(money, "funding", "100")
    return money


@pytest.fixture
def overview(money: Money) -> AssetOverview:
    return money.desk.exchange.asset_overview


def test_account_total_is_funding_plus_trading_plus_defi(money: Money, overview: AssetOverview) -> None:
    desk = money.desk
    whole = overview.overview(desk.main)
    parts = (whole.funding_usdt, whole.trading_usdt, whole.defi_usdt)
    assert abs(Decimal(whole.total_usdt) - sum(map(Decimal, parts))) < CLOSE
    rows = overview.accounts(desk.main)
    assert abs(sum((Decimal(row.total_usdt) for row in rows), Decimal(0)) - Decimal(whole.trading_usdt)) < CLOSE * 100
    worth = {
        owner: sum((Decimal(one.equity) for one in desk.exchange.queries.accounts(owner)), Decimal(0))
        for owner in (desk.main, desk.sub)
    }
    portfolios = [row for row in rows if row.prime_type is PrimeType.PORTFOLIO]
    assert [(row.id, row.account_note) for row in portfolios] == [
        (desk.main, "MainPortfolio"),
        (desk.sub, "SubPortfolio"),
    ]
    assert all(abs(Decimal(row.total_usdt) - worth[row.id]) < CLOSE * 100 for row in portfolios)
    assert [(row.venues, row.account_note) for row in rows[2:]] == [
        ("BINANCE", "BINANCE sub-account"),
        ("OKX", "OKX sub-account"),
    ]


def test_funding_account_shows_a_running_withdrawal_as_frozen(money: Money, overview: AssetOverview) -> None:
    rows = {row.currency: row for row in overview.funding(money.desk.main)}
    assert (rows["USDT"].total, rows["USDT"].available, rows["USDT"].frozen) == ("50000", "49900", "100")
    assert [(one.network, one.amount) for one in rows["USDT"].networks] == [("TRC20", "50000")]
    assert (rows["BTC"].frozen, [one.amount for one in rows["BTC"].networks]) == ("0", ["0.5"])


def test_account_lists_no_coin_with_zero_balance(money: Money, overview: AssetOverview) -> None:
    dma = money.ids["dma"]
    [held] = overview.account(money.desk.main, dma).slices
    assert [(one.currency, one.total) for one in held.currencies] == [("BTC", "0.1"), ("USDT", "10000")]
    money.move("dma", "main BINANCE", "0.1", "BTC")
    [held] = overview.account(money.desk.main, dma).slices
    assert [one.currency for one in held.currencies] == ["USDT"]
    assert held.total_usdt == "10000"


def test_account_overview_lists_coins_of_a_portfolio_by_venue(money: Money, overview: AssetOverview) -> None:
    found = overview.account(money.desk.main, money.desk.sub)
    seen = {(held.account_type, one.currency): one for held in found.slices for one in held.currencies}
    own = money.desk.exchange.queries.assets(money.desk.sub)
    assert set(seen) == {(row.exchange_type, row.coin) for row in own}
    for row in own:
        one = seen[(row.exchange_type, row.coin)]
        assert (one.total, one.available, one.frozen, one.debt) == (row.balance, row.available, row.frozen, row.debt)
    assert seen[("OKX", "USDT")].frozen == "5000"


def test_coin_distribution_sums_match_the_account_balances(money: Money, overview: AssetOverview) -> None:
    main = money.desk.main
    sums: dict[str, Decimal] = defaultdict(Decimal)
    for row in overview.accounts(main):
        for held in overview.account(main, row.id).slices:
            for one in held.currencies:
                sums[one.currency] += Decimal(one.total)
    assert {row.currency: Decimal(row.total) for row in overview.summary(main)} == sums
    lies: dict[str, Decimal] = defaultdict(Decimal)
    for kind in PrimeType:
        for coin in overview.distribution(main, kind):
            assert all(account.slices for account in coin.accounts), "an account without the coin is not named"
            places = [place for account in coin.accounts for place in account.slices]
            assert Decimal(coin.total) == sum((Decimal(place.total) for place in places), Decimal(0))
            lies[coin.currency] += Decimal(coin.total)
    assert lies == sums
    [bitcoin] = [one for one in overview.distribution(main, PrimeType.DMA) if one.currency == "BTC"]
    assert [account.id for account in bitcoin.accounts] == [money.ids["dma"]]


def test_a_sub_user_sees_only_its_own_accounts(money: Money, overview: AssetOverview) -> None:
    assert {row.prime_type for row in overview.accounts(NOBODY)} == {PrimeType.DMA}
    assert (overview.funding(NOBODY), overview.distribution(NOBODY, PrimeType.PORTFOLIO)) == ([], [])
    assert overview.overview(NOBODY).funding_usdt == "0"
    assert overview.account(NOBODY, money.ids["dma"]).id == money.ids["dma"]
    assert refused(lambda: overview.account(NOBODY, money.desk.main)) == 404004
    assert (overview.accounts(money.desk.sub), overview.overview(money.desk.sub).total_usdt) == ([], "0")
    assert overview.defi(NOBODY) == overview.defi(money.desk.sub) == []


def test_defi_positions_are_valued_at_the_coin_price(money: Money, overview: AssetOverview) -> None:
    """1.5 ETH and 2500 USDT: twice the price of ETH is 1.5 times the old price more, in the sum as well."""
    desk, main = money.desk, money.desk.main
    index = desk.state.marks.index["ETH"]

    def held() -> dict[str, Decimal]:
        return {row.currency: Decimal(row.value_usdt) for row in overview.defi(main)}

    rows = [(row.protocol, row.network, row.currency, row.amount) for row in overview.defi(main)]
    assert rows == [("staking pool", "ERC20", "ETH", "1.5"), ("lending pool", "ARBITRUM", "USDT", "2500")]
    assert held() == {"ETH": index * Decimal("1.5"), "USDT": Decimal(2500)}
    before = Decimal(overview.overview(main).defi_usdt)
    assert before == index * Decimal("1.5") + 2500
    desk.steer("ETH", str(index * 2))
    desk.wait(2000)
    moved = desk.state.marks.index["ETH"]
    assert moved != index
    assert held()["ETH"] == moved * Decimal("1.5")
    assert Decimal(overview.overview(main).defi_usdt) - before == (moved - index) * Decimal("1.5")


@pytest.mark.parametrize("name", ["", "x", "funding", "custody"])
def test_overview_of_an_unknown_account_id_is_error_404004(money: Money, overview: AssetOverview, name: str) -> None:
    assert refused(lambda: overview.account(money.desk.main, money.ids.get(name, name))) == 404004


def test_a_new_portfolio_is_listed_at_once_with_zero_value(money: Money, overview: AssetOverview) -> None:
    reply = money.desk.do(CreatePortfolio(portfolio=money.desk.main, name="Empty77"))
    assert isinstance(reply, PortfolioName)
    made = str(reply.portfolio_id)
    row = next(one for one in overview.accounts(money.desk.main) if one.id == made)
    assert (row.account_note, row.total_usdt, row.venues) == ("Empty77", "0", "BINANCE,OKX,EDX")
    assert [held.currencies for held in overview.account(money.desk.main, made).slices] == [[], [], []]


def refused(ask: Callable[[], object]) -> int:
    """The code with which a question is refused."""
    with pytest.raises(CheckFailed) as caught:
        ask()
    return caught.value.code
