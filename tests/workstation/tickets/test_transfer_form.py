"""The form of a transfer and the Funds screen: places, the largest amount and its reason, networks, pools, both sides."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from tests.workstation.driver import Desk, desk
from tui.engine.modes import TradingState
from tui.engine.rows import AccountCommandRow, CommandState, Fact, Table
from tui.engine.service_query import ListRead, ReadState, ServiceQuery
from tui.interface.families.accounts import (
    AccountBalances,
    AccountRecord,
    CurrencyBalance,
    CurrencyRecord,
    NetworkRecord,
)
from tui.interface.families.assets import AssetRecord
from tui.interface.families.portfolios import PortfolioRecord
from tui.interface.families.transfers import PoolQuota, TransferRecord
from tui.workstation.features.funds.transfer_draft import TransferDraft
from tui.workstation.input.scopes import Scope
from tui.workstation.widgets.lists.fund_accounts import NAMES, FundAccountKind, FundAccountRef

DIRECTORY = (
    AccountRecord(account_id=3001, venues="FUNDING", label="Funding Account"),
    AccountRecord(account_id=3002, venues="OKX", label="DMA", account_note="desk two"),
)
NETWORKS = tuple(
    NetworkRecord(network=name, transfer_enable=True, min_transfer=least, est_network_fee=fee, precision=places)
    for name, fee, least, places in (("TRC20", "1", "2", "6"), ("BSC", "0.5", "1", "8"), ("ERC20", "4", "8", "6"))
)
USDT = CurrencyRecord(currency="USDT", currency_name="Tether", networks=list(NETWORKS))
ASSET = AssetRecord(coin="USDT", exchange_type="BINANCE", balance="1")
ANSWERS: dict[str, Any] = {
    "accounts": DIRECTORY,
    "user_assets": {"7001": [ASSET], "7002000000000042": [ASSET]},
    "currencies": (USDT,),
    "rapid_pool": PoolQuota(pool="X", available="800000"),
}


async def serve(at: Desk, **changes: Any) -> None:
    """Answer everything that was asked for, as a service would."""
    told = {**ANSWERS, **changes}
    for query in [one for one in at.port.read_requests if isinstance(one, ServiceQuery)]:
        data = told.get(query.sources[0].endpoint)
        if isinstance(data, str):
            answer = ListRead(query=query, state=ReadState.FAILED, text=data)
        elif isinstance(data, tuple):
            answer = ListRead(query=query, state=ReadState.WHOLE, rows=data, total=len(data))
        elif data is not None:
            answer = ListRead(query=query, state=ReadState.WHOLE, data=data)
        else:
            continue
        at.port.put(Table.ANSWERS, query.key, answer)
    await at.settle()


async def at_coin(at: Desk, key: str = "BINANCE/USDT") -> None:
    """Put the cursor on a coin of the assets, with what the form reads."""
    at.port.set_desk(trading_state=TradingState.ARMED)
    await at.press("4", "g", "g")
    while at.app.main_screen.tables["assets"].selected != key:
        await at.press("j")
    await at.press("t")
    await serve(at)


def words(at: Desk) -> str:
    """The texts of the form, without its lines."""
    inside = [line.rpartition("│")[0].rpartition("│")[2] for line in at.text().splitlines()]
    return " ".join(" ".join(inside).split())


async def test_transfer_between_venues_shows_both_sides_and_asks() -> None:
    async with desk(160, 45) as at:
        await at_coin(at)
        assert at.scope() is Scope.FORM and "transfer USDT from BINANCE" in at.text()
        assert "‹ OKX ›" in at.text() and "max 16,402.39" in at.text() and "margin holds 10,185.51" in at.text()
        await at.press("down", *"5000")
        await serve(at)
        text = at.text()
        assert "Instant: 800,000 available in the OKX pool" in words(at)
        assert "no fee between trading accounts, least 1" in text and "‹ BSC ›" in text
        for name in ("BINANCE free margin", "BINANCE uniMMR", "OKX free margin", "OKX uniMMR"):
            line = next(one for one in text.splitlines() if name in one)
            before, after = line.replace("│", "").split()[-2:]
            assert before != after, line
        await at.press("down", "down", "down", "enter")
        assert at.scope() is Scope.PROMPT and at.sent_arguments() == []
        assert "transfer 5,000 USDT BINANCE → OKX" in at.text() and "5,000 USDT arrive, at once" in at.text()
        await at.confirm()
        assert at.sent_arguments() == [
            {
                "fromTradeAccountId": "7001", "fromAccountType": "BINANCE", "toTradeAccountId": "7001",
                "toAccountType": "OKX", "currency": "USDT", "network": "BSC", "amount": "5000", "rapidTransfer": "true",
            }
        ]  # fmt: skip
        await at.settle()
        assert at.scope() is Scope.ASSETS


async def test_transfer_form_shows_margins_after_the_transfer() -> None:
    async with desk(160, 45) as at:
        await at_coin(at)
        await at.press("down", *"5000")
        lines = at.text().splitlines()
        free = next(one for one in lines if "BINANCE free margin" in one).replace("│", "").replace(",", "").split()
        other = next(one for one in lines if "OKX free margin" in one).replace("│", "").replace(",", "").split()
        assert Decimal(free[-2]) - Decimal(free[-1]) == 5000
        assert Decimal(other[-1]) - Decimal(other[-2]) == 5000


async def test_a_transfer_form_shows_no_margins_for_a_refused_amount() -> None:
    async with desk(160, 45) as at:
        await at_coin(at)
        await at.press("down", *"999999")
        await serve(at)
        assert "999999 is above 16,402.39" in words(at)
        lines = [line.replace("│", "").split() for line in at.text().splitlines() if "free margin" in line]
        assert [line[-1] for line in lines] == ["–", "–"]


async def test_a_transfer_of_max_is_cut_to_network_decimals() -> None:
    async with desk(160, 45) as at:
        at.port.put(
            Table.ASSETS, "BINANCE/USDT",
            Fact(AssetRecord(coin="USDT", exchange_type="BINANCE", balance="100", available="100",
                             max_transferable="99.123456789", equity="100", equity_value="100", index_price="1",
                             frozen="0"), at.port.stamp()),
        )  # fmt: skip
        await at_coin(at)
        await at.press("down", *"max", "down", "right", "right", "down", "down", "enter")
        assert "‹ TRC20 ›" not in at.text()
        await at.confirm()
        assert (at.sent_arguments()[0]["amount"], at.sent_arguments()[0]["network"]) == ("99.123456", "ERC20")


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "amount is missing"),
        ("abc", "'abc' is not accepted; write digits with at most one dot"),
        ("2,500.5", "'2,500.5' is not accepted; write digits with at most one dot, for example 2500.5"),
        ("0.5", "0.5 is too small; the minimum is 1 USDT"),
        ("20000", "20000 is above 16,402.39, the largest amount now"),
        ("1.123456789", "at most 8 decimals"),
    ],
)
async def test_invalid_transfer_amount_is_rejected_beside_its_field(typed: str, said: str) -> None:
    async with desk(160, 45) as at:
        await at_coin(at)
        await at.press("down", *typed, "down", "down", "down", "enter")
        assert said in words(at)
        assert at.sent_arguments() == [] and at.scope() is Scope.FORM


async def test_transfer_to_funding_has_a_fee_and_is_never_rapid() -> None:
    async with desk(160, 45) as at:
        await at_coin(at)
        await at.press("right", "right")
        assert "‹ Funding Account ›" in at.text() and "rapid  " not in at.text()
        await at.press("down", *"100")
        text = at.text()
        assert "fee 0.5, least 1" in text and "99.5 USDT arrive, 0.5 network fee" in text
        assert "no rapid pool can pay it" in text and "OKX free margin" not in text
        await at.press("down", "down", "enter")
        await at.confirm()
        assert (at.sent_arguments()[0]["toTradeAccountId"], "toAccountType" in at.sent_arguments()[0]) == (
            "3001",
            False,
        )


async def test_transfer_above_the_rapid_pool_shows_a_warning() -> None:
    async with desk(160, 45) as at:
        at.port.put(
            Table.ASSETS, "BINANCE/USDT",
            Fact(AssetRecord(coin="USDT", exchange_type="BINANCE", balance="900000", available="900000",
                             max_transferable="900000", equity="900000", equity_value="900000", index_price="1",
                             frozen="0"), at.port.stamp()),
        )  # fmt: skip
        await at_coin(at)
        await at.press("down", *"800000.01")
        assert "Not instant but over the network: only" in words(at)
        await at.press("down", "down", "down", "enter")
        assert "arrive, over BSC" in at.text()
        await at.press("escape")
        await at.press("up", "right")
        assert "over the network" in at.text()
        await at.press("down", "enter")
        await at.confirm()
        assert "rapidTransfer" not in at.sent_arguments()[0]


async def test_a_transfer_target_shows_its_portfolio_name_once_read() -> None:
    async with desk(160, 45) as at:
        await at_coin(at)
        row = PortfolioRecord(portfolio_id=7002000000000042, name="NightDesk", belonging_to=2)
        at.port.put(Table.ANSWERS, NAMES.key, ListRead(query=NAMES, state=ReadState.WHOLE, rows=(row,)))
        await at.settle()
        await at.press("left", "left", "left")
        assert "portfolio NightDesk BINANCE" in at.text() and NAMES in at.port.read_requests


async def test_transfer_form_offers_portfolios_without_assets() -> None:
    """A service may leave out portfolios that hold nothing, and a new one is where money is to go."""
    row = PortfolioRecord(portfolio_id=7002000000000042, name="NightDesk", belonging_to=2)
    own = PortfolioRecord(portfolio_id=7001, name="main", belonging_to=0)
    async with desk(160, 45) as at:
        await at_coin(at)
        await serve(at, user_assets={"7001": [ASSET]}, portfolios=(own, row))
        await at.press("left", "left", "left")
        assert "portfolio NightDesk BINANCE" in at.text()


async def test_transfer_to_another_portfolio_has_unknown_margin() -> None:
    async with desk(160, 45) as at:
        await at_coin(at)
        await at.press("left", "left", "left")
        assert "portfolio …00042 BINANCE" in at.text()
        await at.press("down", *"100")
        assert "the margin of the other portfolio is unknown here" in at.text()
        await at.press("down", "enter")
        await at.confirm()
        assert at.sent_arguments()[0]["toAccountType"] == "BINANCE" and "network" not in at.sent_arguments()[0]


async def test_a_sub_key_can_transfer_between_its_own_venues() -> None:
    async with desk(160, 45) as at:
        await at_coin(at)
        await serve(at, accounts="100003 Needs the main key", user_assets="100003 Needs the main key")
        assert "cannot be read: 100003 Needs the main key" in words(at)
        await at.press("right", "right")
        assert "‹ OKX ›" in at.text()
        await at.press("down", *"100", "down", "down", "down", "enter")
        await at.confirm()
        assert len(at.sent_arguments()) == 1


async def test_transfer_form_opens_only_on_a_coin_row() -> None:
    async with desk(160, 45) as at:
        await at.press("W", "t")
        assert any("select a coin first" in line for line in at.events())


# -- the Funds screen ----------------------------------------------------------------------------------------------


def transfer(number: int, **changes: Any) -> TransferRecord:
    values: dict[str, Any] = {
        "transfer_id": 2520000000000000 + number, "currency": "USDT", "amount": Decimal(500), "network": "TRC20",
        "from_trade_account_id": 7001, "from_account_type": "BINANCE", "to_trade_account_id": 3001, "status": 0,
        "created_at": 1_700_000_000_000 + number, **changes,
    }  # fmt: skip
    return TransferRecord(**values)


LISTED = (
    transfer(3, status=1, amount_received=Decimal(499), network_fee=Decimal(1)),
    transfer(2, status=2, reason="500 USDT can no longer be taken from the account"),
    transfer(1, to_trade_account_id=7001, to_account_type="OKX", status=1, rapid_transfer=True,
             amount_received=Decimal(500), network_fee=Decimal(0)),
    transfer(0),
)  # fmt: skip
HELD = (
    AccountBalances(
        account_id=3001, venues="FUNDING", account_type="Funding",
        asset_info=[CurrencyBalance(currency="USDT", total_balance="50000", available="49000",
                                    withdraw_available="49000", frozen="1000", value_usdt="50000")],
    ),
)  # fmt: skip


async def test_funds_screen_lists_transfers_with_status_and_route() -> None:
    async with desk(200, 50) as at:
        await at.press("W")
        await serve(at, transfers=LISTED)
        text = at.text()
        assert "transfers 4" in text and "Funding Account" in text and "running" in text
        done = next(line for line in text.splitlines() if "499.00 USDT" in line)
        assert "done" in done and "TRC20" in done
        rapid = next(line for line in text.splitlines() if "rapid" in line)
        assert "BINANCE" in rapid and "OKX" in rapid
        assert "failed" in text and "999.00 USDT arrived · 1.00 USDT fees" in text
        await at.press("j", "m")
        await at.settle()
        assert "500 USDT can no longer be taken from the account" in at.text() and "transfer id" in at.text()


async def test_transfer_can_start_from_a_funding_account_row() -> None:
    async with desk(160, 45) as at:
        at.port.set_desk(trading_state=TradingState.ARMED)
        await at.press("W", ")")
        await serve(at, account_balances=HELD)
        assert "Funding Account" in at.text() and "49,000.00" in at.text()
        await at.press("t")
        await serve(at, account_balances=HELD)
        assert "transfer USDT from Funding Account" in at.text() and "max 49,000: 1,000 frozen" in at.text()
        await at.press("down", *"100")
        line = next(one for one in at.text().splitlines() if "BINANCE free margin" in one).replace(",", "")
        before, after = (Decimal(word) for word in line.replace("│", "").split()[-2:])
        assert after - before == Decimal("99.5")
        await at.press("down", "down", "enter")
        await at.confirm()
        assert (
            at.sent_arguments()[0]["fromTradeAccountId"] == "3001"
            and at.sent_arguments()[0]["toAccountType"] == "BINANCE"
        )


async def test_funds_screen_lists_the_commands_sent_from_this_program() -> None:
    async with desk(160, 45) as at:
        row = AccountCommandRow(
            id="c1", endpoint="transfer", title="transfer 5 USDT BINANCE → OKX", state=CommandState.DONE,
            text="5 USDT arrived, rapid", sent_ms=1_700_000_000_000, changed_ms=1_700_000_000_000,
        )  # fmt: skip
        at.port.put(Table.COMMANDS, "c1", row)
        await at.press("W", "(")
        assert "transfer 5 USDT BINANCE → OKX" in at.text() and "5 USDT arrived, rapid" in at.text()


@pytest.mark.parametrize(("columns", "lines"), [(80, 24), (120, 36), (200, 60), (60, 20)])
async def test_funds_screen_and_transfer_form_fit_every_screen_size(columns: int, lines: int) -> None:
    async with desk(columns, lines) as at:
        await at.press("W")
        await serve(at, transfers=LISTED, account_balances=HELD)
        assert all(len(line) == columns for line in at.text().splitlines())
        await at.press(")")
        await serve(at, transfers=LISTED, account_balances=HELD)
        assert all(len(line) == columns for line in at.text().splitlines())
        await at.press("t")
        await serve(at, account_balances=HELD)
        assert all(len(line) == columns for line in at.text().splitlines())


def test_transfer_within_a_venue_sends_no_network() -> None:
    here = FundAccountRef(owner="1", venue="OKX", kind=FundAccountKind.PORTFOLIO, name="OKX", own=True)
    there = FundAccountRef(owner="2", venue="OKX", kind=FundAccountKind.DMA, name="DMA OKX")
    draft = TransferDraft(source=here, target=there, coin="USDT", most=Decimal(9), typed="9", network=NETWORKS[0])
    assert not draft.request().network and not draft.may_be_rapid and draft.fee == 0


async def test_only_a_transfer_to_a_dma_account_offers_the_loan_flag() -> None:
    """Between the own venues there is no such choice, and without a yes nothing is sent of it."""
    async with desk(160, 45) as at:
        await at_coin(at)
        assert "of a loan" not in words(at)
        for _ in range(12):
            if "DMA OKX" in words(at):
                break
            await at.press("right")
            await serve(at)
        assert "DMA OKX" in words(at) and "of a loan" in words(at)


@pytest.mark.parametrize("moves_loan", [True, False])
def test_the_loan_flag_of_a_transfer_is_sent_only_if_chosen(moves_loan: bool) -> None:
    here = FundAccountRef(owner="1", venue="BINANCE", kind=FundAccountKind.PORTFOLIO, name="BINANCE", own=True)
    there = FundAccountRef(owner="2", venue="OKX", kind=FundAccountKind.DMA, name="DMA OKX")
    draft = TransferDraft(
        source=here, target=there, coin="USDT", most=Decimal(100), typed="5", moves_loan=moves_loan
    )  # fmt: skip
    assert draft.request().loan_trans == ("true" if moves_loan else "")
