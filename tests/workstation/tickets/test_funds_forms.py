"""Deposit addresses, withdrawals to the address book, custody, and their lists on the Funds screen."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import msgspec
import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.tickets.test_transfer_form import ANSWERS, DIRECTORY, HELD, serve, words
from tui.engine.modes import TradingState
from tui.engine.rows import Table
from tui.interface.families.accounts import (
    AccountBalances,
    AccountRecord,
    BillRecord,
    CurrencyBalance,
    CurrencyRecord,
    CustodyRecord,
    NetworkRecord,
)
from tui.interface.families.deposits import (
    AddressRecord,
    DepositAddress,
    DepositRecord,
    DepositVenue,
    WithdrawalRecord,
)
from tui.workstation.input.scopes import Scope

AT = "1700000000000"
BOOK = (
    AddressRecord(currency="USDT", network="TRC20", address="paper-trc20-1", address_tag="cold wallet"),
    AddressRecord(currency="USDT", network="BSC", address="paper-bsc-1", address_tag="hot wallet", memo="77"),
)
NETWORKS = [
    NetworkRecord(network=name, withdraw_enable=True, deposit_enable=True, transfer_enable=True, min_withdraw="10",
                  min_deposit="1", min_transfer="2", est_network_fee=fee, precision="6", memo_required=memo)
    for name, fee, memo in (("TRC20", "1", False), ("BSC", "0.5", True), ("ERC20", "4", False))
]  # fmt: skip
MORE: dict[str, Any] = {
    **ANSWERS,
    "accounts": (*DIRECTORY, AccountRecord(account_id=3009, venues="CUSTODY", label="Custody")),
    "currencies": (CurrencyRecord(currency="USDT", networks=NETWORKS),),
    "withdraw_addresses": BOOK,
    "deposit_address": DepositAddress(
        id=1, currency="USDT", network="BSC", address="paper-bsc-deposit", memo="4711", minimum="1",
        account_type="PORTFOLIO",
    ),
    "deposit_venue": DepositVenue(currency="USDT", network="BSC", exchange_type="BINANCE"),
    "account_balances": HELD,
}  # fmt: skip


async def answer(at: Desk, **changes: Any) -> None:
    await serve(at, **{**MORE, **changes})


async def open_form(at: Desk, key: str) -> None:
    at.port.set_desk(trading_state=TradingState.ARMED)
    await at.press("4", "g", "g")
    while at.app.main_screen.tables["assets"].selected != "BINANCE/USDT":
        await at.press("j")
    await at.press(key)
    await answer(at)
    await answer(at)


def commands(at: Desk) -> list[str]:
    return [one.endpoint for one in at.sent_commands()]


async def test_s8_withdrawal_needs_the_amount_twice_and_a_typed_word() -> None:
    async with desk(160, 45) as at:
        await open_form(at, "O")
        text = words(at)
        assert (
            "withdraw USDT from BINANCE" in at.text() and "‹ BSC ›" in text and "address hot wallet paper-bsc-1" in text
        )
        assert "fee 0.5, least 10" in text and "paper-bsc-1, memo 77" in text
        await at.press("right")
        assert "‹ TRC20 ›" in words(at) and "paper-trc20-1" in words(at) and "ERC20" not in words(at)
        await at.press("down", "down", *"500", "down", "down", "enter")
        assert "type the amount again" in words(at) and commands(at) == []
        await at.press(*"50", "down", "enter")
        assert "differs from the amount above" in words(at) and commands(at) == []
        await at.press("0", "down")
        assert "499 USDT arrive over TRC20, 1 network fee" in words(at) and "BINANCE uniMMR" in words(at)
        await at.press("enter")
        assert at.scope() is Scope.WORD and commands(at) == []
        assert "a withdrawal cannot be reversed" in at.text()
        at.clock.pass_by(0.5)
        await at.press(*"withdraw", "enter")
        assert commands(at) == ["withdraw"]
        assert at.sent_arguments()[0] == {
            "accountId": "7001", "fromAccountType": "BINANCE", "currency": "USDT", "network": "TRC20",
            "address": "paper-trc20-1", "amount": "500",
        }  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"withdraw_addresses": ()}, "the address book has no address for USDT"),
        ({"withdraw_addresses": "2002 Key lacks permission"}, "the address book cannot be read: 2002"),
        ({"currencies": "HTTP 502", "withdraw_addresses": BOOK}, "the list of networks cannot be read: HTTP 502"),
    ],
)
async def test_withdrawal_without_address_or_network_says_why(changes: dict[str, Any], said: str) -> None:
    async with desk(160, 45) as at:
        await open_form(at, "O")
        await answer(at, **changes)
        await at.press("down", *"500", "down", "enter")
        assert said in words(at) and commands(at) == []


async def test_withdrawal_on_a_memo_network_needs_an_address_memo() -> None:
    async with desk(160, 45) as at:
        await open_form(at, "O")
        bare = AddressRecord(currency="USDT", network="BSC", address="paper-bsc-1", address_tag="hot wallet")
        await answer(at, withdraw_addresses=(bare,))
        await at.press("down", "down", *"500", "down", *"500", "down", "enter")
        assert "BSC needs a memo, and the address has none" in words(at) and commands(at) == []


async def test_addresses_that_differ_by_memo_alone_can_each_be_chosen() -> None:
    """An exchange has one address for all its customers; only the first memo could be reached."""
    async with desk(160, 45) as at:
        await open_form(at, "O")
        book = tuple(
            AddressRecord(
                currency="USDT", network="BSC", address="paper-bsc-1", address_tag=f"customer {memo}", memo=memo
            )
            for memo in ("77", "78", "79")
        )
        await answer(at, withdraw_addresses=book)
        await at.press("down", "right")
        assert "‹ customer 78 ›" in words(at) and "paper-bsc-1, memo 78" in words(at)
        await at.press("right", "down", *"500", "down", *"500", "down", "enter")
        at.clock.pass_by(0.5)
        await at.press(*"withdraw", "enter")
        assert at.sent_arguments()[0]["memo"] == "79"


async def test_deposit_form_shows_address_minimum_and_memo() -> None:
    async with desk(160, 45) as at:
        await open_form(at, "I")
        text = words(at)
        for said in (
            "‹ this portfolio ›",
            "paper-bsc-deposit",
            "memo 4711: without it the deposit is lost",
            "at least 1 USDT",
        ):
            assert said in text, said
        await at.press("down", "down", "down", "enter")
        assert "nothing to send: this only shows where to deposit" in words(at) and commands(at) == []


async def test_the_deposit_form_sends_a_changed_deposit_venue() -> None:
    async with desk(160, 45) as at:
        await open_form(at, "I")
        await at.press("down", "down", "right")
        await at.press("down", "y")
        await at.settle()
        assert commands(at) == ["set_deposit_venue"] and at.sent_arguments()[0]["exchangeType"] in ("OKX", "EDX")


async def test_deposit_addresses_read_by_the_form_are_listed_in_funds() -> None:
    async with desk(160, 45) as at:
        await open_form(at, "I")
        await at.press("escape", "W", "(", "(")
        assert "paper-bsc-deposit" in at.text() and "4711" in at.text()


async def test_a_deposit_address_of_several_coins_has_a_row_for_each() -> None:
    """Networks of one kind share the address; the row of the last coin replaced those before it."""
    async with desk(160, 45) as at:
        await open_form(at, "I")
        await at.press("escape", "W", "(", "(")
        shown = next(read for read in at.app.mirror.answers.values() if isinstance(read.data, DepositAddress))
        assert isinstance(shown.data, DepositAddress)
        other = msgspec.structs.replace(shown.data, currency="USDC", network="ERC20", memo="")
        query = msgspec.structs.replace(shown.query, key="funds/address/other")
        at.port.put(Table.ANSWERS, query.key, msgspec.structs.replace(shown, query=query, data=other))
        await at.settle()
        rows = [line for line in at.text().splitlines() if "paper-bsc-deposit" in line]
        assert len(rows) == 2 and any("USDC" in row for row in rows), rows
        pane = at.app.context.list_screen.tables["funds"].pane
        assert set(map(pane.copy_text, pane.keys())) == {"paper-bsc-deposit"}


CUSTODY = AccountBalances(
    account_id=3009, venues="CUSTODY", account_type="Custody",
    asset_info=[CurrencyBalance(currency="USDT", total_balance="20000", available="20000", withdraw_available="20000",
                                frozen="0", value_usdt="20000")],
)  # fmt: skip


async def test_custody_lock_moves_funds_to_a_sub_account() -> None:
    async with desk(160, 45) as at:
        at.port.set_desk(trading_state=TradingState.ARMED)
        await at.press("W", ")")
        await answer(at, account_balances=(CUSTODY,))
        await at.press("L")
        await answer(at, account_balances=(CUSTODY,))
        assert "lock USDT" in at.text() and "DMA OKX (desk two)" in words(at) and "max 20,000" in words(at)
        await at.press("down", *"250.5", "down", "enter")
        await at.confirm()
        assert commands(at) == ["custody_lock"]
        assert at.sent_arguments() == [{"accountId": "3002", "currency": "USDT", "amount": "250.5"}]


async def test_custody_unlock_takes_funds_from_a_sub_account() -> None:
    held = msgspec.structs.replace(CUSTODY, account_id=3002, venues="OKX", account_type="Spot")
    async with desk(160, 45) as at:
        at.port.set_desk(trading_state=TradingState.ARMED)
        await at.press("W", ")")
        await answer(at, account_balances=(held,))
        await at.press("L")
        await answer(at, account_balances=(held,))
        assert "unlock USDT" in at.text() and "account DMA OKX" in words(at)
        await at.press("down", *"100", "down", "enter")
        await at.confirm()
        assert commands(at) == ["custody_unlock"]
        assert at.sent_arguments() == [{"accountId": "3002", "currency": "USDT", "amount": "100"}]


async def test_custody_form_opens_only_on_a_custody_or_dma_account() -> None:
    async with desk(160, 45) as at:
        await at.press("W", ")")
        await answer(at)
        await at.press("L")
        assert any("select the custody account or a DMA account there" in line for line in at.events())


LISTS: dict[str, Any] = {
    "deposits": (
        DepositRecord(id=1, account_id=7001, account_type="OKX", currency="USDT", network="BSC", amount=Decimal("70.5"),
                      status=3, tx_id="abc", apply_time=AT),
        DepositRecord(id=2, account_id=3001, account_type="FUNDING", currency="USDT", network="TRC20",
                      amount=Decimal("0.5"), status=4, info="below the minimum deposit", apply_time=AT),
    ),
    "withdrawals": (
        WithdrawalRecord(id=3, account_id=7001, from_account_type="BINANCE", currency="USDT", network="TRC20",
                         address="paper-trc20-1", address_tag="cold wallet", amount=Decimal(100), status=2,
                         apply_time=AT),
    ),
    "bills": (
        BillRecord(id=4, currency="USDT", amount=Decimal(100), amount_received=Decimal(99), network_fee=Decimal(1),
                   from_trade_account_id=7001, from_account_type="BINANCE", to_trade_account_id=0, status=1, type=2,
                   created_at=int(AT)),
    ),
    "custody_list": (
        CustodyRecord(action_id=5, type=1, currency="USDT", amount="250.5", account_id=3002, status=0,
                      created_at=int(AT)),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("columns", "lines"), [(200, 50), (120, 36), (80, 24), (60, 20)])
async def test_funds_lists_show_status_and_amount_at_every_size(columns: int, lines: int) -> None:
    async with desk(columns, lines) as at:
        await at.press("W")
        seen = ""
        for _ in range(8):
            await answer(at, **LISTS)
            text = at.text()
            assert all(len(line) == columns for line in text.splitlines())
            seen += text
            await at.press(")")
        for said in ("70.50 USDT", "failed", "100.00 USDT", "approved", "withdrawal", "lock", "250.50 USDT"):
            assert said in seen, said
        if columns == 200:
            for said in ("below the minimum deposit", "cold wallet", "outside", "70.50 USDT came in", "99.00 USDT"):
                assert said in seen, said
