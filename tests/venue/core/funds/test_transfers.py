"""Transfers: routes, fees, rapid pools, refusals in their order, the second check, restarts, money conserved (V1, V9)."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.venue.core.drive import Desk, code
from tests.venue.core.seeded import Seeded
from tui.interface.decimals import ZERO
from tui.interface.families.assets import AssetRecord
from tui.interface.families.transfers import ApplyTransfer, Pool, TransferAccepted
from tui.venue.core.check_failed import CheckFailed
from tui.venue.core.commands import Command
from tui.venue.core.events import AssetsChanged
from tui.venue.core.exchange import Exchange
from tui.venue.core.state.funds.fund_accounts import Side
from tui.venue.core.state.funds.transfers import Transfer
from tui.venue.core.state.ledger import ISSUE_ACCOUNT, PostingLeg
from tui.venue.core.switches import Switches

DELAY_MS = 20_000


class Money:
    """Transfers on a desk; accounts by a short word."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        found = desk.state.fund_accounts.values()
        self.ids = {
            "main": desk.main,
            "sub": desk.sub,
            "funding": next(one.id for one in found if one.is_funding),
            "custody": next(one.id for one in found if one.venue == "CUSTODY"),
            "dma": next(one.id for one in found if one.is_dma and one.venue == "BINANCE"),
            "dma okx": next(one.id for one in found if one.is_dma and one.venue == "OKX"),
        }

    def command(
        self, source: str, target: str, amount: str, currency: str = "USDT", *, by: str = "main", **more: str
    ) -> Command:
        """A side is `main BINANCE`, or an account alone."""
        sent = {"by": by, "network": "TRC20" if currency == "USDT" else currency, **more}
        ids, kinds = {}, {}
        for name, side in (("from", source), ("to", target)):
            owner, _, venue = side.rpartition(" ")
            is_portfolio = owner in ("main", "sub")
            ids[name] = self.ids[owner if is_portfolio else side] if side in self.ids or is_portfolio else side
            kinds[name] = venue if is_portfolio else ""
        portfolio = self.ids.get(sent.pop("by"), "")
        return ApplyTransfer(
            portfolio=portfolio, from_trade_account_id=ids["from"], to_trade_account_id=ids["to"],
            from_account_type=kinds["from"], to_account_type=kinds["to"], currency=currency, amount=amount, **sent,
        )  # fmt: skip

    def move(self, source: str, target: str, amount: str, currency: str = "USDT", **more: str) -> Transfer:
        reply = self.desk.do(self.command(source, target, amount, currency, **more))
        assert isinstance(reply, TransferAccepted), reply
        return self.desk.state.transfers.by_id[str(reply.transfer_id)]

    def refused(self, source: str, target: str, amount: str, currency: str = "USDT", **more: str) -> int:
        before = self.desk.exchange.state_hash()
        found = code(self.desk.do(self.command(source, target, amount, currency, **more)))
        assert self.desk.exchange.state_hash() == before, "a refusal changed something"
        return found

    def holds(self, side: str, coin: str = "USDT") -> Decimal:
        owner, _, venue = side.rpartition(" ")
        if owner in ("main", "sub"):
            return self.desk.exchange.queries.balance(self.ids[owner], venue, coin)
        account = self.desk.state.fund_accounts[self.ids[side]]
        return self.desk.exchange.queries.balance(account.id, account.venue, coin)


@pytest.fixture
def money() -> Money:
    return Money(Desk())


@pytest.mark.parametrize(
    ("source", "target", "fee", "instant"),
    [
        ("main BINANCE", "sub BINANCE", "0", True),
        ("main BINANCE", "dma", "0", True),
        ("main BINANCE", "main OKX", "0", False),
        ("main EDX", "sub OKX", "0", False),
        ("main BINANCE", "dma okx", "0", False),
        ("dma", "dma okx", "0", False),
        ("main BINANCE", "funding", "1", False),
        ("funding", "sub OKX", "1", False),
        ("funding", "dma", "1", False),
        ("custody", "funding", "1", False),
    ],
)
def test_each_transfer_route_has_its_delay_and_fee(
    money: Money, source: str, target: str, fee: str, instant: bool
) -> None:
    before = money.holds(source), money.holds(target)
    moved = money.move(source, target, "100")
    if not instant:
        running = moved.record()
        assert (running.status, running.amount_received, running.network_fee, running.tx_id) == (0, ZERO, ZERO, "")
        assert (money.holds(source), money.holds(target)) == before
        money.desk.wait(DELAY_MS - 1)
        assert moved.running
        money.desk.wait(1)
    record = moved.record()
    assert (record.status, record.reason, record.rapid_transfer) == (1, "", False)
    assert (record.network_fee, record.amount_received) == (Decimal(fee), 100 - Decimal(fee))
    assert (record.network, len(record.tx_id)) == (("", 0) if instant else ("TRC20", 64))
    assert (money.holds(source), money.holds(target)) == (before[0] - 100, before[1] + 100 - Decimal(fee))


def test_a_running_transfer_is_frozen_and_pushed_on_both_sides(money: Money) -> None:
    desk = money.desk
    money.move("main BINANCE", "main OKX", "100")
    frozen = _pushed(desk, desk.main, "BINANCE")
    assert (frozen.balance, frozen.frozen, frozen.available) == ("100000", "100", "99900")
    desk.wait(DELAY_MS)
    assert (_pushed(desk, desk.main, "BINANCE").frozen, _pushed(desk, desk.main, "BINANCE").balance) == ("0", "99900")
    assert _pushed(desk, desk.main, "OKX").balance == "50100"


def _pushed(desk: Desk, portfolio: str, venue: str, coin: str = "USDT") -> AssetRecord:
    rows = [row for event in desk.log if isinstance(event, AssetsChanged) and event.portfolio == portfolio
            for row in event.records]  # fmt: skip
    return [row for row in rows if (row.exchange_type, row.coin) == (venue, coin)][-1]


def test_the_first_transfer_to_a_venue_creates_its_account_rows(money: Money) -> None:
    desk = money.desk
    assert "EDX" not in desk.state.venues(desk.sub)
    money.move("main EDX", "sub EDX", "50")
    assert _pushed(desk, desk.sub, "EDX").balance == "50"
    assert [row.exchange_type for row in desk.exchange.queries.accounts(desk.sub)] == ["BINANCE", "OKX", "EDX"]


# -- rapid transfers -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "target", "pool"),
    [
        ("main BINANCE", "main OKX", Pool.PORTFOLIO_OKX),
        ("main OKX", "sub BINANCE", Pool.PORTFOLIO_BINANCE),
        ("main BINANCE", "dma okx", Pool.OKX),
        ("dma okx", "dma", Pool.BINANCE),
        ("main EDX", "main OKX", Pool.PORTFOLIO_OKX),
    ],
)
def test_a_rapid_transfer_is_instant_and_its_pool_refills(money: Money, source: str, target: str, pool: Pool) -> None:
    before = money.holds(target)
    moved = money.move(source, target, "1000", rapid_transfer="true")
    record = moved.record()
    assert (record.status, record.rapid_transfer, record.network_fee, record.tx_id) == (1, True, ZERO, "")
    assert money.holds(target) == before + 1000
    funds = money.desk.exchange.funds
    assert funds.pool(pool).available == "799200"
    assert {funds.pool(one).available for one in Pool if one != pool} == {"800000"}
    money.desk.wait(DELAY_MS - 1)
    assert funds.pool(pool).available == "799200"
    money.desk.wait(1)
    assert funds.pool(pool).available == "800000"


@pytest.mark.parametrize(
    ("source", "target", "currency", "amount"),
    [
        ("main BINANCE", "funding", "USDT", "100"),
        ("funding", "main BINANCE", "USDT", "100"),
        ("main BINANCE", "main EDX", "USDT", "100"),
        ("custody", "dma", "USDT", "100"),
        ("main BINANCE", "main OKX", "BTC", "0.1"),
    ],
)
def test_a_rapid_transfer_without_a_pool_becomes_a_standard_one(
    money: Money, source: str, target: str, currency: str, amount: str
) -> None:
    moved = money.move(source, target, amount, currency, rapid_transfer="true")
    assert (moved.running, moved.record().rapid_transfer) == (True, False)
    money.desk.wait(DELAY_MS)
    assert moved.record().status == 1
    assert {money.desk.exchange.funds.pool(one).available for one in Pool} == {"800000"}


def test_a_transfer_above_80_percent_of_the_pool_is_not_rapid(money: Money) -> None:
    desk = money.desk
    side = Side(desk.main, "BINANCE")
    amount = Decimal(2_000_000)
    desk.state.post(
        "issue", "", [PostingLeg(ISSUE_ACCOUNT, "BINANCE", "USDT", -amount), PostingLeg(*side, "USDT", amount)]
    )
    desk.state.mark_stale(side)
    desk.wait(1000)
    largest = money.move("main BINANCE", "main OKX", "800000", rapid_transfer="true")
    assert largest.record().rapid_transfer
    assert desk.exchange.funds.pool(Pool.PORTFOLIO_OKX).available == "160000"
    assert not money.move("main BINANCE", "main OKX", "160000.01", rapid_transfer="true").record().rapid_transfer
    assert money.move("main BINANCE", "main OKX", "160000", rapid_transfer="true").record().rapid_transfer
    assert desk.exchange.funds.pool(Pool.PORTFOLIO_OKX).available == "32000"
    desk.wait(DELAY_MS)
    assert desk.exchange.funds.pool(Pool.PORTFOLIO_OKX).available == "800000"


# -- refusals ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "target", "amount", "more", "expected"),
    [
        ("9999999999999999", "main OKX", "1", {}, 404903),
        ("main BINANCE", "12", "1", {}, 404903),
        ("main BINANCE", "main BINANCE", "5", {}, 404903),
        ("main BINANCE", "main OKX", "5", {"by": "sub"}, 404902),
        ("sub BINANCE", "main BINANCE", "5", {"by": "sub"}, 404902),
        ("sub BINANCE", "funding", "5", {"by": "sub"}, 404902),
        ("sub BINANCE", "dma", "5", {"by": "sub"}, 404902),
        ("main BINANCE", "dma", "5", {"by": "subuser"}, 404902),
        ("funding", "dma", "5", {"by": "subuser"}, 404902),
        ("main NOWHERE", "main OKX", "5", {}, 404909),
        ("main BINANCE", "main BINANCE", "0", {}, 404903),
        ("main BINANCE", "main OKX", "0", {}, 404906),
        ("main BINANCE", "main OKX", "1.99", {}, 404906),
        ("main BINANCE", "main OKX", "2.1234567", {}, 404906),
        ("main BINANCE", "sub BINANCE", "0.99", {}, 404906),
        ("main BINANCE", "main OKX", "100000.01", {}, 404904),
        ("funding", "main OKX", "50000.000001", {}, 404904),
        ("main BINANCE", "main OKX", "5", {"network": ""}, 404905),
        ("main BINANCE", "main OKX", "5", {"network": "SWIFT"}, 404905),
        ("main BINANCE", "funding", "5", {"network": "", "currency": "XRP"}, 400000),
        ("main BINANCE", "main OKX", "5", {"client_order_id": "x" * 65}, 400000),
    ],
)
def test_an_invalid_transfer_is_rejected_by_error_code(
    money: Money, source: str, target: str, amount: str, more: dict[str, str], expected: int
) -> None:
    assert money.refused(source, target, amount, **more) == expected


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"source": "12", "by": "sub", "amount": "0", "network": ""}, 404903),
        ({"source": "main NOWHERE", "by": "sub", "amount": "0", "network": ""}, 404902),
        ({"source": "main NOWHERE", "amount": "0", "network": ""}, 404909),
        ({"amount": "0", "network": ""}, 404906),
        ({"amount": "999999", "network": ""}, 404904),
        ({"network": ""}, 404905),
        ({}, 404907),
    ],
)
def test_a_transfer_with_several_errors_reports_the_first_check(
    money: Money, more: dict[str, str], expected: int
) -> None:
    money.move("main BINANCE", "main OKX", "5", client_order_id="used")
    asked = {"source": "main BINANCE", "target": "main OKX", "amount": "5", "client_order_id": "used", **more}
    assert money.refused(**asked) == expected


def test_transfers_of_sub_keys_are_listed_for_them_and_main(
    money: Money,
) -> None:
    assert money.move("sub BINANCE", "sub OKX", "5", by="sub").running
    assert money.move("dma", "dma okx", "5", by="subuser").running
    funds = money.desk.exchange.funds
    assert [len(funds.transfers(one)) for one in (money.desk.main, money.desk.sub, "")] == [2, 1, 1]


# -- the margin of the portfolio ----------------------------------------------------------------------------------


def test_max_transferable_keeps_the_initial_margin() -> None:
    desk = Desk(agents="still")
    money = Money(desk)
    desk.place("BUY", "30")
    row = next(
        one for one in desk.exchange.queries.assets(desk.main) if (one.exchange_type, one.coin) == ("BINANCE", "USDT")
    )
    most = Decimal(row.max_transferable).quantize(Decimal("0.000001"), rounding="ROUND_DOWN")
    assert 0 < most < Decimal(row.available)
    assert money.refused("main BINANCE", "sub BINANCE", str(most + Decimal("0.000001"))) == 404904
    money.move("main BINANCE", "sub BINANCE", str(most))
    account = next(one for one in desk.exchange.queries.accounts(desk.main) if one.exchange_type == "BINANCE")
    assert 0 <= Decimal(account.available_margin) < Decimal("0.000001")


def test_a_transfer_that_lacks_margin_when_processed_fails() -> None:
    desk = Desk(agents="still")
    money = Money(desk)
    before = money.holds("main BINANCE"), money.holds("main OKX")
    moved = money.move("main BINANCE", "main OKX", "90000")
    desk.place("BUY", "40")
    held = money.holds("main BINANCE")
    desk.wait(DELAY_MS)
    record = moved.record()
    assert (record.status, record.amount_received, record.tx_id) == (2, ZERO, "")
    assert "90000 USDT can no longer be taken" in record.reason
    assert (money.holds("main BINANCE"), money.holds("main OKX")) == (held, before[1])
    assert _pushed(desk, desk.main, "BINANCE").frozen == "0"
    assert desk.state.bills == {}


def test_frozen_coins_cannot_be_spent_twice(money: Money) -> None:
    money.move("main BINANCE", "main OKX", "0.9", "BTC")
    assert money.refused("main BINANCE", "main OKX", "0.2", "BTC") == 404904
    assert code(money.desk.try_place("SELL", "0.2", "62000", "BINANCE_SPOT_BTC_USDT")) == 401901


def test_a_liquidation_fails_a_running_transfer() -> None:
    desk = Desk(agents="still")
    money = Money(desk)
    desk.place("BUY", "40")
    moved = money.move("main BINANCE", "main OKX", "0.5", "BTC")
    desk.switch("agents", "off")
    desk.steer("BTC", "57000")
    assert (moved.record().status, moved.record().reason) == (2, "the account is being liquidated")


# -- what is kept --------------------------------------------------------------------------------------------------


def test_each_portfolio_of_a_transfer_gets_one_bill(money: Money) -> None:
    moved = money.move("main BINANCE", "sub BINANCE", "5", client_order_id="mine")
    money.move("main OKX", "main BINANCE", "5")
    money.move("funding", "dma", "5")
    assert len(money.desk.state.bills) == 2
    money.desk.wait(DELAY_MS)
    bills = [bill.record() for bill in money.desk.state.bills.values()]
    assert len(bills) == 3
    first = bills[0]
    assert (first.type, first.status, first.client_order_id) == (1, 1, "mine")
    assert (first.amount, first.amount_received) == (Decimal(5), Decimal(5))
    assert (str(first.from_trade_account_id), str(first.to_trade_account_id)) == moved.source[:1] + moved.target[:1]
    assert {bill.portfolio for bill in money.desk.state.bills.values()} == {money.desk.main, money.desk.sub}


def test_running_transfers_and_pools_survive_a_restart(money: Money) -> None:
    desk = money.desk
    running = money.move("main BINANCE", "main OKX", "100", client_order_id="mine")
    money.move("main BINANCE", "main OKX", "50", rapid_transfer="true")
    again = desk.restarted()
    again.check()
    assert again.state_hash() == desk.exchange.state_hash()
    assert again.funds.pool(Pool.PORTFOLIO_OKX).available == "799960"
    row = next(one for one in again.queries.assets(desk.main) if (one.exchange_type, one.coin) == ("BINANCE", "USDT"))
    assert (row.frozen, row.balance) == ("100", "99950")
    reply, _ = again.apply(money.command("main BINANCE", "main OKX", "100", client_order_id="mine"), desk.now + 2000)
    assert code(reply) == 404907
    again.apply(money.command("main BINANCE", "main OKX", "9"), desk.now + DELAY_MS)
    again.check()
    assert again.funds.transfer(desk.main, transfer_id=running.id).record().status == 1
    assert again.queries.balance(desk.main, "OKX", "USDT") == 50_150


def test_an_old_state_without_funding_accounts_gets_them() -> None:
    desk = Desk()
    desk.place("BUY", "0.01", "61000")
    accounts = set(desk.state.fund_accounts)
    old = [
        row for row in desk.durable.values()
        if row.table not in ("fund_account", "posting") and row.key.split("|")[0] not in accounts
    ]  # fmt: skip
    money = {row.key: row for row in old if row.table == "balance" and row.key.startswith("issue|")}
    assert money
    again = Exchange.restore(
        [row for row in old if row not in money.values()], random_source=Seeded("old"), now_ms=desk.now + 1000,
        switches=Switches({"agents": "off"}),
    )  # fmt: skip
    shown = again.funds.accounts(desk.main)
    assert [(one.venues, one.label) for one in shown] == [
        ("FUNDING", "Funding Account"), ("BINANCE", "DMA"), ("OKX", "DMA"), ("CUSTODY", "Custody"),
    ]  # fmt: skip
    assert [row.total_balance for row in again.funds.balances(desk.main, [], "USDT")[0].asset_info] == ["50000"]
    assert len({one.account_id for one in shown}) == 4
    assert all(len(str(one.account_id)) == 16 for one in shown)


def test_a_transfer_can_be_queried_for_91_days(money: Money) -> None:
    moved = money.move("main BINANCE", "sub BINANCE", "5", client_order_id="mine")
    money.desk.state.now += 91 * 86_400_000
    money.desk.now = money.desk.state.now
    money.move("main BINANCE", "sub BINANCE", "5")
    assert moved.id in money.desk.state.transfers.by_id
    money.desk.wait(1)
    money.move("main BINANCE", "sub BINANCE", "5")
    assert moved.id not in money.desk.state.transfers.by_id
    assert len(money.desk.state.bills) == 4
    money.move("main BINANCE", "sub BINANCE", "5", client_order_id="mine")


def test_account_balances_cover_only_accessible_accounts(money: Money) -> None:
    funds, main = money.desk.exchange.funds, money.desk.main
    everything = funds.balances(main, [], "")
    assert {row.account_id for row in everything} == {
        money.ids[name] for name in ("funding", "custody", "dma", "dma okx")
    }
    [row] = funds.balances(main, [money.ids["dma"]], "BTC")
    assert [(one.currency, one.total_balance) for one in row.asset_info] == [("BTC", "0.1")]
    assert [row.account_id for row in funds.balances("", [], "USDT")] == [money.ids["dma"], money.ids["dma okx"]]
    for who, name in (("", money.ids["funding"]), (money.desk.sub, money.ids["dma"]), (main, "12"), (main, main)):
        with pytest.raises(CheckFailed) as caught:
            funds.balances(who, [name], "")
        assert caught.value.code == 404903


def test_a_transfer_is_found_by_transfer_id_or_client_id(money: Money) -> None:
    funds, desk = money.desk.exchange.funds, money.desk
    moved = money.move("main BINANCE", "sub BINANCE", "100", client_order_id="mine")
    assert funds.transfer(desk.main, transfer_id=moved.id) is funds.transfer(desk.sub, client_order_id="mine") is moved
    asked = [
        (desk.main, {}, 400009),
        (desk.main, {"transfer_id": "1"}, 404910),
        (desk.main, {"client_order_id": "other"}, 404910),
        ("", {"transfer_id": moved.id}, 404910),
        (desk.main, {"transfer_id": "1", "client_order_id": "mine"}, 404910),
    ]
    for who, named, expected in asked:
        with pytest.raises(CheckFailed) as caught:
            funds.transfer(who, **named)
        assert caught.value.code == expected
