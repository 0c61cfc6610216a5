"""Deposits, withdrawals and custody: statuses on the venue's clock, frozen and given back, bills, restarts (V1)."""

from __future__ import annotations

from decimal import Decimal

import msgspec
import pytest

from tests.venue.core.drive import Desk, code
from tests.venue.core.funds.test_transfers import Money
from tui.interface.families.accounts import LockCustody, UnlockCustody
from tui.interface.families.deposits import (
    AddressRecord,
    ApplyWithdrawal,
    DepositStatus,
    DepositVenue,
    SetDepositVenue,
    WithdrawalAccepted,
    WithdrawalStatus,
)
from tui.venue.core.check_failed import CheckFailed
from tui.venue.core.commands import Advance, ArriveDeposit, SetSwitch
from tui.venue.core.state.funds.deposits import Deposit, Withdrawal

DELAY_MS = 20_000


@pytest.fixture
def money() -> Money:
    return Money(Desk())


def book(money: Money, currency: str = "USDT", network: str = "TRC20") -> AddressRecord:
    rows = money.desk.exchange.funds.addresses()
    return next(row for row in rows if (row.currency, row.network) == (currency, network))


def withdrawal_of(money: Money, source: str = "funding", amount: str = "100", **changes: str) -> ApplyWithdrawal:
    owner, _, venue = source.rpartition(" ")
    named = {
        "portfolio": money.desk.main, "account_id": money.ids.get(owner or venue, venue),
        "from_account_type": venue if owner else "", "currency": "USDT", "network": "TRC20",
        "address": book(money).address, "amount": amount, **changes,
    }  # fmt: skip
    return ApplyWithdrawal(**named)


def withdraw(money: Money, source: str = "funding", amount: str = "100", **changes: str) -> Withdrawal:
    reply = money.desk.do(withdrawal_of(money, source, amount, **changes))
    assert isinstance(reply, WithdrawalAccepted), reply
    return money.desk.state.withdrawals.by_id[str(reply.id)]


def whole(money: Money, *sides: str) -> list[int]:
    """What these hold, without fractions."""
    return [int(money.holds(side)) for side in sides]


def arrive(money: Money, currency: str, amount: str, account: str = "", network: str = "") -> Deposit:
    assert money.desk.do(ArriveDeposit(currency=currency, amount=amount, network=network, account=account)) is None
    return list(money.desk.state.deposits.by_id.values())[-1]


@pytest.mark.parametrize("source", ["funding", "main BINANCE", "sub OKX", "dma", "custody"])
def test_a_withdrawal_is_pending_then_approved_then_executed(money: Money, source: str) -> None:
    before = money.holds(source)
    found = withdraw(money, source)
    assert (found.status, found.tx_id, found.tx_id2) == (WithdrawalStatus.WAITING, "", "")
    money.desk.wait(5000)
    assert (found.status, bool(found.tx_id)) == (WithdrawalStatus.APPROVED, True)
    assert money.holds(source) == before
    money.desk.wait(DELAY_MS - 5001)
    assert found.running
    money.desk.wait(1)
    assert (found.status, bool(found.tx_id2)) == (WithdrawalStatus.EXECUTED, True)
    assert money.holds(source) == before - 100
    assert len(money.desk.state.bills) == ("BINANCE" in source or "OKX" in source)


def test_withdrawal_bill_shows_the_amount_received_after_fee(money: Money) -> None:
    withdraw(money, "main BINANCE", client_order_id="out")
    money.desk.wait(DELAY_MS)
    [bill] = [one.record() for one in money.desk.state.bills.values()]
    assert (bill.type, bill.status, bill.client_order_id, bill.to_trade_account_id) == (2, 1, "out", 0)
    assert (bill.amount, bill.amount_received, bill.network_fee) == (Decimal(100), Decimal(99), Decimal(1))


def test_withdrawal_amount_is_frozen_and_returned_on_rejection(money: Money) -> None:
    money.desk.switch("withdrawals", "rejected")
    found = withdraw(money, amount="49000")
    assert code(money.desk.do(withdrawal_of(money, amount="1001"))) == 404904
    money.desk.wait(5000)
    assert (found.status, found.info) == (WithdrawalStatus.REJECTED, "rejected by the account manager")
    assert money.holds("funding") == 50_000
    money.desk.switch("withdrawals", "approved")
    withdraw(money, amount="50000")


def test_a_withdrawal_fails_if_its_margin_is_used_meanwhile() -> None:
    desk = Desk(agents="still")
    money = Money(desk)
    found = withdraw(money, "main BINANCE", "90000")
    desk.place("BUY", "40")
    desk.wait(5000)
    desk.wait(DELAY_MS)
    assert found.status is WithdrawalStatus.FAILED and "can no longer be taken" in found.info
    assert desk.state.frozen[(desk.main, "BINANCE", "USDT")] == 0


def test_a_liquidation_fails_a_pending_withdrawal() -> None:
    desk = Desk(agents="still")
    money = Money(desk)
    desk.place("BUY", "40")
    found = withdraw(
        money, "main BINANCE", "0.5", currency="BTC", network="BTC", address=book(money, "BTC", "BTC").address
    )
    desk.switch("agents", "off")
    desk.steer("BTC", "57000")
    assert (found.status, found.info) == (WithdrawalStatus.FAILED, "the account is being liquidated")


@pytest.mark.parametrize(
    ("source", "amount", "changes", "expected"),
    [
        ("12", "100", {}, 404903),
        ("main BINANCE", "100", {"by": "sub"}, 404902),
        ("funding", "100", {"by": "sub"}, 404902),
        ("main NOWHERE", "100", {}, 404909),
        ("funding", "9.99", {}, 404906),
        ("funding", "100.1234567", {}, 404906),
        ("funding", "50001", {}, 404904),
        ("funding", "100", {"network": "SWIFT"}, 404905),
        ("funding", "100", {"address": "somewhere"}, 404908),
        ("funding", "100", {"network": "BSC"}, 404908),
        ("funding", "100", {"client_order_id": "used"}, 404907),
        ("funding", "100", {"currency": "XRP"}, 400000),
    ],
)
def test_an_invalid_withdrawal_is_rejected_by_error_code(
    money: Money, source: str, amount: str, changes: dict[str, str], expected: int
) -> None:
    withdraw(money, client_order_id="used")
    sent = dict(changes)
    if "by" in sent:
        sent["portfolio"] = money.ids[sent.pop("by")]
    before = money.desk.exchange.state_hash()
    assert code(money.desk.do(withdrawal_of(money, source, amount, **sent))) == expected
    assert money.desk.exchange.state_hash() == before


def test_withdrawal_on_a_memo_network_needs_the_right_memo(money: Money) -> None:
    arrive(money, "SOL", "5", "")
    money.desk.wait(DELAY_MS)
    row = book(money, "SOL", "SOL")
    named = {"currency": "SOL", "network": "SOL", "address": row.address}
    assert code(money.desk.do(withdrawal_of(money, "funding", "1", **named))) == 404908
    assert code(money.desk.do(withdrawal_of(money, "funding", "1", **named, memo="1"))) == 404908
    withdraw(money, "funding", "1", **named, memo=row.memo)


@pytest.mark.parametrize(
    ("account", "side"), [("", "funding"), ("FUNDING", "funding"), ("main", "main BINANCE"), ("sub", "sub BINANCE")]
)
def test_a_deposit_is_credited_after_its_delay(money: Money, account: str, side: str) -> None:
    before = money.holds(side)
    found = arrive(money, "USDT", "500", account)
    assert (found.status, found.network) == (DepositStatus.RUNNING, "TRC20")
    money.desk.wait(DELAY_MS - 1)
    assert money.holds(side) == before
    money.desk.wait(1)
    assert found.status is DepositStatus.DONE and money.holds(side) == before + 500
    bills = [one.record() for one in money.desk.state.bills.values()]
    assert [(one.type, one.from_trade_account_id) for one in bills] == ([] if side == "funding" else [(0, 0)])


def test_a_deposit_below_the_minimum_is_not_credited(money: Money) -> None:
    found = arrive(money, "USDT", "0.5")
    money.desk.wait(DELAY_MS)
    assert (found.status, found.info) == (DepositStatus.FAILED, "below the minimum deposit of 1 USDT")
    assert money.holds("funding") == 50_000


def test_deposits_of_a_network_go_to_the_venue_set_for_it(money: Money) -> None:
    desk = money.desk
    asked = SetDepositVenue(portfolio=desk.main, currency="USDT", network="TRC20", exchange_type="OKX")
    assert isinstance(desk.do(asked), DepositVenue)
    arrive(money, "USDT", "500", "main")
    arrive(money, "USDT", "70", "main", "BSC")
    desk.wait(DELAY_MS)
    assert whole(money, "main OKX", "main BINANCE") == [50_500, 100_070]
    again = desk.restarted()
    assert again.state_hash() == desk.exchange.state_hash()
    assert again.funds.deposit_venue(desk.main, "USDT", "TRC20").exchange_type == "OKX"


@pytest.mark.parametrize(
    ("currency", "amount", "account", "network", "expected"),
    [
        ("XRP", "5", "", "", 400000),
        ("USDT", "5", "", "SWIFT", 404905),
        ("USDT", "0", "", "", 400000),
        ("USDT", "many", "", "", 400000),
        ("USDT", "5", "nobody", "", 400000),
    ],
)
def test_an_invalid_deposit_is_rejected_without_a_trace(
    money: Money, currency: str, amount: str, account: str, network: str, expected: int
) -> None:
    before = money.desk.exchange.state_hash()
    wrong = ArriveDeposit(currency=currency, amount=amount, network=network, account=account)
    assert code(money.desk.do(wrong)) == expected
    assert money.desk.exchange.state_hash() == before and money.desk.exchange.funds.deposits(money.desk.main) == []


def test_each_account_has_its_own_deposit_address_per_network(money: Money) -> None:
    funds, main = money.desk.exchange.funds, money.desk.main
    asked = [("USDT", "TRC20", ""), ("USDT", "BSC", ""), ("USDT", "TRC20", "PORTFOLIO"), ("SOL", "SOL", "")]
    found = [funds.deposit_address(main, *one) for one in asked]
    assert len({one.address for one in found}) == len({one.id for one in found}) == len(found)
    assert [one.account_type for one in found] == ["FUNDING", "FUNDING", "PORTFOLIO", "FUNDING"]
    assert [bool(one.memo) for one in found] == [False, False, False, True]
    assert funds.deposit_address(main, "USDT", "TRC20", "FUNDING") == found[0]
    assert arrive(money, "USDT", "5").address == found[0].address
    assert arrive(money, "USDT", "5", "main").address == found[2].address


@pytest.mark.parametrize(
    ("taken", "account_type", "expected"),
    [
        ("both", "OKX", 0),
        ("both", "PORTFOLIO", 0),
        ("venue", "OKX", 0),
        ("venue", "PORTFOLIO", 404909),
        ("portfolio", "OKX", 404909),
        ("portfolio", "PORTFOLIO", 0),
        ("both", "EDX", 404909),
    ],
)
def test_a_deposit_address_for_a_venue_also_sets_the_venue(
    money: Money, taken: str, account_type: str, expected: int
) -> None:
    desk = money.desk
    desk.switch("deposit_account_type", taken)
    assert address_code(money, desk.sub, account_type=account_type) == expected
    wants = "OKX" if account_type == "OKX" and not expected else "BINANCE"
    assert desk.exchange.funds.deposit_venue(desk.sub, "USDT", "TRC20").exchange_type == wants
    before = money.holds(f"sub {wants}")
    arrive(money, "USDT", "70", "sub")
    desk.wait(DELAY_MS)
    assert money.holds(f"sub {wants}") == before + 70


def address_code(money: Money, portfolio: str, network: str = "TRC20", account_type: str = "") -> int:
    """The code with which the address of a currency is refused, 0 when it is given."""
    try:
        money.desk.exchange.funds.deposit_address(portfolio, "USDT", network, account_type)
    except CheckFailed as refusal:
        return refusal.code
    return 0


def test_deposit_address_needs_access_to_the_account(money: Money) -> None:
    desk = money.desk
    assert address_code(money, desk.sub) == 404902, "the Funding Account is the main user's"
    assert address_code(money, "", account_type="PORTFOLIO") == 404902, "a sub-user has no portfolio"
    assert address_code(money, "", account_type="FUNDING") == 404902
    assert address_code(money, desk.main, network="SWIFT") == 404905
    asked = SetDepositVenue(portfolio=desk.main, currency="USDT", network="SWIFT", exchange_type="OKX")
    assert code(desk.do(asked)) == 404905


def test_custody_funds_are_locked_to_a_sub_account_and_unlocked(money: Money) -> None:
    desk = money.desk
    desk.do(SetSwitch(name="unlock_bound", value="held"))

    def move(kind: type[LockCustody | UnlockCustody], amount: str, account: str = "dma") -> int:
        owner = money.ids.get(account, account)
        reply = desk.do(kind(portfolio=desk.main, account_id=owner, currency="USDT", amount=amount))
        return code(reply)

    assert move(LockCustody, "500") == 0
    assert whole(money, "custody") == [20_000] and desk.exchange.funds.transfers(desk.main) == []
    desk.wait(DELAY_MS)
    assert whole(money, "custody", "dma") == [19_500, 10_500]
    assert move(UnlockCustody, "10500") == 0
    assert move(UnlockCustody, "1") == 404904
    desk.wait(DELAY_MS)
    assert whole(money, "custody", "dma") == [30_000, 0]
    assert [move(LockCustody, "1", "12"), move(LockCustody, "1", "main"), move(LockCustody, "0")] == [
        404903, 404903, 404906,
    ]  # fmt: skip
    assert [one.status for one in desk.exchange.funds.custody_actions()] == [1, 1]


@pytest.mark.parametrize("counted", [True, False])
def test_custody_unlock_is_limited_to_the_locked_amount(money: Money, counted: bool) -> None:
    """Also of a state from before locked coins were counted, and while another unlock is under way."""
    desk = money.desk
    owner = money.ids["dma"]

    def move(kind: type[LockCustody | UnlockCustody], amount: str, coin: str = "USDT") -> int:
        return code(desk.do(kind(portfolio=desk.main, account_id=owner, currency=coin, amount=amount)))

    assert move(UnlockCustody, "1") == 404904, "10,000 are held and none is locked"
    assert move(LockCustody, "50") == 0
    assert move(UnlockCustody, "1") == 404904, "the lock is under way"
    desk.wait(DELAY_MS)
    if not counted:
        desk.state.fund_accounts[owner] = msgspec.structs.replace(desk.state.fund_accounts[owner], locked=None)
    assert move(UnlockCustody, "900") == 404904
    assert move(UnlockCustody, "0.05", "BTC") == 404904
    assert move(UnlockCustody, "30") == 0
    assert move(UnlockCustody, "20.01") == 404904, "30 of 50 are on their way"
    assert move(UnlockCustody, "20") == 0
    desk.wait(DELAY_MS)
    assert move(UnlockCustody, "0.01") == 404904
    assert whole(money, "custody", "dma") == [20_000, 10_000]
    assert desk.restarted()._state.fund_accounts[owner].locked == {"USDT": Decimal(0)}


def test_pending_deposits_and_withdrawals_survive_a_restart(money: Money) -> None:
    desk = money.desk
    found = withdraw(money, "main BINANCE", "100")
    arrive(money, "BTC", "0.5", "sub")
    desk.do(LockCustody(portfolio=desk.main, account_id=money.ids["dma okx"], currency="USDT", amount="7"))
    desk.wait(5000)
    again = desk.restarted()
    again.check()
    assert again.state_hash() == desk.exchange.state_hash()
    again.apply(Advance(), desk.now + DELAY_MS)
    again.check()
    assert again.queries.balance(desk.main, "BINANCE", "USDT") == 99_900
    assert again.queries.balance(desk.sub, "BINANCE", "BTC") == Decimal("0.5")
    assert again.funds.withdrawals(desk.main)[0].status is WithdrawalStatus.EXECUTED
    assert found.running, "the first venue has not moved on"
