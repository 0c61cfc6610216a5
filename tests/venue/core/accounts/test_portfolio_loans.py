"""Portfolio loans: borrow and repay with their checks, interest by the hour, figures, and the rungs of LTV."""

from __future__ import annotations

from decimal import Decimal

import pytest

from tests.venue.core.drive import PERP, SPOT, START, Desk, code
from tests.venue.core.seeded import Seeded
from tests.venue.core.state.test_aging import OldDesk
from tui.interface.families.assets import AssetRecord
from tui.interface.families.portfolio_loans import Borrow, Borrowed, LoanAccount, Repaid, Repay
from tui.interface.families.positions import AccountRecord
from tui.rules.borrowing import portfolio_loans as rules
from tui.venue.core.commands import Advance, Reply
from tui.venue.core.events import AccountsChanged, AssetsChanged, Durable
from tui.venue.core.exchange import Exchange
from tui.venue.core.switches import Switches

HOUR = 3_600_000
FIRST_HOUR = -(-START // HOUR) * HOUR
USDT_HOUR = Decimal("0.06") / 8760


def borrow(
    desk: Desk, amount: str, coin: str = "USDT", *, who: str = "", venue: str = "BINANCE", client: str = ""
) -> Reply:
    command = Borrow(portfolio=who or desk.main, exchange=venue, coin=coin, amount=amount, client_order_id=client)
    reply = desk.do(command)
    assert reply is not None
    return reply


def repay(
    desk: Desk, amount: str, coin: str = "USDT", *, who: str = "", venue: str = "BINANCE", client: str = ""
) -> Reply:
    reply = desk.do(Repay(portfolio=who or desk.main, exchange=venue, coin=coin, amount=amount, client_order_id=client))
    assert reply is not None
    return reply


def loan(reply: Reply) -> Borrowed | Repaid:
    assert isinstance(reply, Borrowed | Repaid), reply
    return reply


def asset(desk: Desk, coin: str, who: str = "", venue: str = "BINANCE") -> AssetRecord:
    rows = desk.exchange.queries.assets(who or desk.main)
    return next(row for row in rows if (row.coin, row.exchange_type) == (coin, venue))


def account(desk: Desk, who: str = "", venue: str = "BINANCE") -> AccountRecord:
    return next(row for row in desk.exchange.queries.accounts(who or desk.main) if row.exchange_type == venue)


def info(desk: Desk, who: str = "", venue: str = "BINANCE") -> LoanAccount:
    return next(row for row in desk.exchange.queries.loan_accounts(who or desk.main) if row.exchange == venue)


def max_loan(desk: Desk, coin: str, who: str = "", venue: str = "BINANCE") -> str:
    rows = desk.exchange.queries.max_loans(who or desk.main)
    return next(row.portfolio_max_loan_coin for row in rows if (row.exchange, row.coin) == (venue, coin))


def test_a_loan_is_added_to_the_balance_and_repaid_from_it(desk: Desk) -> None:
    done = loan(borrow(desk, "1000.50"))
    assert isinstance(done, Borrowed)
    assert (done.borrowed, done.loan_balance, done.available_balance) == (
        Decimal("1000.5"),
        Decimal("1000.5"),
        Decimal("101000.5"),
    )
    assert len(done.order_id) == 18 and done.order_id.isdigit()
    row = asset(desk, "USDT")
    assert (row.balance, row.loan, row.debt, row.borrow) == ("101000.5", "1000.5", "0", "0")
    assert (row.equity, row.net_equity, row.net_equity_value, row.net_margin_value, row.loan_value) == (
        "101000.5", "100000", "100000", "100000", "1000.5",
    )  # fmt: skip
    back = loan(repay(desk, "1000.50"))
    assert (back.loan_balance, back.available_balance) == (Decimal(0), Decimal(100_000))
    assert asset(desk, "USDT").loan is not None and "loan" not in {
        name for name in ("loan",) if isinstance(getattr(asset(desk, "USDT"), name), str)
    }
    kinds = [(one.type, one.delta, one.balance) for one in desk.exchange.queries.loan_bookings(desk.main)]
    assert kinds == [
        ("loan_repay", Decimal("-1000.5"), 100_000),
        ("loan_borrow", Decimal("1000.5"), Decimal("101000.5")),
    ]


def test_a_repeated_loan_client_id_returns_the_first_reply(desk: Desk) -> None:
    first = loan(borrow(desk, "100", client="a-1"))
    assert loan(borrow(desk, "7", "BTC", client="a-1")) == first
    assert asset(desk, "USDT").balance == "100100"
    assert code(repay(desk, "50", client="a-1")) == 400000
    assert loan(borrow(desk, "100", who=desk.sub, client="a-1")).order_id != first.order_id
    assert code(borrow(desk, "1", client="x" * 65)) == 400000
    assert loan(borrow(desk, "1", client="x" * 64)).order_id


def test_loan_client_ids_survive_aging_and_restarts() -> None:
    desk = OldDesk()
    first = loan(borrow(desk, "100", client="old"))
    again = desk.restarted()
    reply, _ = again.apply(
        Borrow(portfolio=desk.main, exchange="BINANCE", coin="USDT", amount="5", client_order_id="old"), desk.now + 2000
    )
    assert reply is not None and loan(reply) == first
    desk.wait(2 * HOUR)
    gone = {row.table for row in desk.age()}
    assert {"loan_order", "loan_booking"} <= gone
    assert desk.exchange.queries.loan_orders(desk.main) == []
    assert loan(borrow(desk, "5", client="old")) == first
    later = loan(borrow(desk, "5", client="new"))
    assert int(later.order_id) > int(first.order_id)
    ids = [one.id for one in desk.exchange.queries.loan_bookings(desk.main)]
    assert len(set(ids)) == len(ids) and all(len(one) == 17 for one in ids)


@pytest.mark.parametrize(
    ("amount", "coin", "venue", "expected"),
    [
        ("5", "USDT", "KRAKEN", 401023),
        ("0", "USDT", "BINANCE", 406023),
        ("-5", "USDT", "BINANCE", 406023),
        ("1.005", "USDT", "BINANCE", 406023),
        ("1e3", "USDT", "BINANCE", 406023),
        ("1.500", "USDT", "BINANCE", 0),
        ("1.005", "DOGE", "KRAKEN", 401023),
        ("1.005", "DOGE", "BINANCE", 406023),
        ("5", "DOGE", "BINANCE", 406014),
        ("5", "USDT", "EDX", 406014),
        ("500000.01", "USDT", "BINANCE", 406016),
        ("480000", "USDT", "OKX", 406015),
        ("0.01", "BTC", "OKX", 0),
    ],
)
def test_invalid_borrow_requests_are_rejected_by_error_code(
    desk: Desk, amount: str, coin: str, venue: str, expected: int
) -> None:
    before = desk.exchange.state_hash()
    assert code(borrow(desk, amount, coin, venue=venue)) == expected
    assert (desk.exchange.state_hash() == before) == bool(expected)


def test_loan_quota_is_shared_by_all_portfolios_and_venues(desk: Desk) -> None:
    borrow(desk, "400000")
    borrow(desk, "0.50", "BTC", venue="OKX")
    index = desk.state.marks.coin("BTC")
    left = 100_000 - index / 2
    assert code(borrow(desk, str(round(left, 2) + Decimal("0.01")), who=desk.sub)) == 406016
    desk.switch("loan_pools", "empty")
    assert code(borrow(desk, "1", who=desk.sub)) == 406017
    assert max_loan(desk, "USDT", desk.sub) == "0"


def test_max_loan_is_limited_by_quota_and_net_margin(desk: Desk) -> None:
    most = Decimal(max_loan(desk, "USDT", desk.sub))
    assert most == 60_000
    assert code(borrow(desk, "60000.01", who=desk.sub)) == 406015
    borrow(desk, "30000", who=desk.sub)
    # Borrowed coins count as margin of the account, but not for the maximum.
    assert Decimal(account(desk, desk.sub).available_margin) == 50_000
    assert Decimal(max_loan(desk, "USDT", desk.sub)) == 60_000
    assert code(borrow(desk, "60000.01", who=desk.sub)) == 406018
    loan(borrow(desk, "60000", who=desk.sub))


def test_invalid_repay_requests_are_rejected_by_error_code(desk: Desk) -> None:
    assert code(repay(desk, "5")) == 406021
    borrow(desk, "100")
    assert code(repay(desk, "0.001")) == 406023
    assert code(repay(desk, "5", venue="NOWHERE")) == 401023
    assert code(repay(desk, "100.01")) == 406022
    desk.place("BUY", "1.66", "60000", SPOT)
    assert Decimal(asset(desk, "USDT").available) == 500
    borrow(desk, "900")
    desk.place("BUY", "0.02", "60000", SPOT)
    assert Decimal(asset(desk, "USDT").available) == 200
    assert code(repay(desk, "200.01")) == 406022
    loan(repay(desk, "200"))


def test_a_new_loan_first_repays_margin_debt_in_its_coin(desk: Desk) -> None:
    state = desk.state
    margin = "BINANCE_MARGIN_BTC_USDT"
    pair = state.pairs[margin]
    state.books[margin].set_house(pair.ticks(Decimal(60000)) or 0, pair.lots(Decimal(2)) or 0, is_buy=False)
    desk.place("BUY", "2", "60000", margin)
    assert asset(desk, "USDT").debt == "20000"
    done = loan(borrow(desk, "30000"))
    assert (asset(desk, "USDT").debt, done.available_balance) == ("0", Decimal(10_000))


def test_loan_interest_is_charged_hourly_with_its_own_rows(desk: Desk) -> None:
    borrow(desk, "1000")
    desk.wait(FIRST_HOUR - desk.now - 1)
    assert asset(desk, "USDT").balance == "101000"
    desk.wait(1)
    one = rules.interest(Decimal(1000), Decimal("0.06"))
    assert one == (1000 * USDT_HOUR).quantize(Decimal("1e-18"), "ROUND_DOWN")
    assert Decimal(asset(desk, "USDT").balance) == 101_000 - one
    desk.wait(23 * HOUR)
    row = asset(desk, "USDT")
    assert (Decimal(row.balance), row.loan, row.debt) == (101_000 - 24 * one, "1000", "0")
    rows = [one for one in desk.exchange.queries.loan_bookings(desk.main) if one.type == "loan_interest"]
    assert [(row.delta, row.at) for row in rows] == [(-one, FIRST_HOUR + n * HOUR) for n in reversed(range(24))]
    assert [row for row in desk.exchange.queries.statements(desk.main) if row.statement_type == "DEDUCT_INTEREST"] == []
    loan(repay(desk, "1000"))
    before = asset(desk, "USDT").balance
    desk.wait(HOUR)
    assert asset(desk, "USDT").balance == before


def test_loan_interest_missed_while_down_is_charged_per_hour(desk: Desk) -> None:
    borrow(desk, "1000")
    again = desk.restarted()
    assert again.state_hash() == desk.exchange.state_hash()
    again.apply(Advance(), FIRST_HOUR + 2 * HOUR)
    again.check()
    assert len([one for one in again.queries.loan_bookings(desk.main) if one.type == "loan_interest"]) == 3


def test_loan_interest_without_balance_becomes_debt(desk: Desk) -> None:
    borrow(desk, "0.50", "BTC", who=desk.sub)
    desk.place("SELL", "0.5", "70000", SPOT, portfolio=desk.sub)
    assert asset(desk, "BTC", desk.sub).frozen == "0.5"
    desk.wait(FIRST_HOUR - desk.now)
    row = asset(desk, "BTC", desk.sub)
    one = rules.interest(Decimal("0.5"), Decimal("0.01"))
    assert (row.balance, row.frozen, Decimal(row.debt)) == ("0.5", "0.5", one)


def test_pushes_have_loan_fields_only_while_a_loan_exists(desk: Desk) -> None:
    def pushed() -> tuple[AssetRecord, AccountRecord]:
        assets = [row for event in desk.events if isinstance(event, AssetsChanged) for row in event.records]
        accounts = [row for event in desk.events if isinstance(event, AccountsChanged) for row in event.records]
        return next(row for row in assets if row.coin == "USDT"), accounts[0]

    borrow(desk, "1000")
    coin, row = pushed()
    assert (coin.loan, row.total_loan_value, row.net_margin_value) == ("1000", "1000", row.net_available_margin)
    assert Decimal(row.margin_value) - 1000 == Decimal(str(row.net_margin_value))
    repay(desk, "1000")
    coin, row = pushed()
    assert not isinstance(coin.loan, str) and not isinstance(row.total_loan_value, str)


def test_a_loan_adds_maintenance_margin_and_limits_transfers(desk: Desk) -> None:
    free = asset(desk, "USDT", desk.sub).max_transferable
    borrow(desk, "30000", who=desk.sub)
    row = account(desk, desk.sub)
    assert (free, row.maintain_margin) == ("20000", "1500")
    # What stays must hold the LTV at 0.70.
    assert Decimal(asset(desk, "USDT", desk.sub).max_transferable) == (50_000 - 30_000 / rules.WARNING_LTV).quantize(
        Decimal("1e-18"), "ROUND_DOWN"
    )


def test_rising_ltv_passes_each_warning_threshold_to_liquidation(desk: Desk) -> None:
    """The sub portfolio owes 59,000 USDT and holds them with its own in bitcoin, which falls."""
    borrow(desk, "59000", who=desk.sub)
    _hold_bitcoin(desk, "1.27")
    figures = info(desk, desk.sub)
    assert figures.account_status == "MARGIN_CALL"
    assert Decimal("0.7") <= Decimal(figures.ltv) < Decimal("0.8")
    row = asset(desk, "BTC", desk.sub)
    assert Decimal(row.max_transferable) == 0
    assert account(desk, desk.sub).account_status == "NORMAL"
    _to_ltv(desk, "0.81")
    assert code(borrow(desk, "1", who=desk.sub)) == 406019
    assert info(desk, desk.sub).account_status == "MARGIN_CALL"
    assert asset(desk, "USDT", desk.sub).loan == "59000"
    state = desk.state
    pair = state.pairs[SPOT]
    _to_ltv(desk, "0.895")
    assert asset(desk, "USDT", desk.sub).loan == "59000"
    index = state.marks.coin("BTC")
    ticks = pair.ticks(round(index * Decimal("0.99"), 1))
    state.books[SPOT].set_house(ticks or 0, pair.lots(Decimal(3)) or 0, is_buy=True)
    _to_ltv(desk, "0.905")
    assert not isinstance(asset(desk, "USDT", desk.sub).loan, str)
    assert code(borrow(desk, "1", who=desk.sub)) == 0
    rows = list(desk.exchange.queries.loan_bookings(desk.sub))
    fee = next(one for one in rows if one.type == "loan_liquidation_fee")
    sold = next(one for one in desk.exchange.queries.orders(desk.sub) if one.side == "SELL")
    assert (sold.origin, sold.order_state) == ("SYSTEM_LIQ", "FILLED")
    assert -fee.delta == round(Decimal(sold.executed_amount) * Decimal("0.005"), 8)
    assert [one.type for one in rows][:2] == ["loan_borrow", "loan_repay"]


def _hold_bitcoin(desk: Desk, quantity: str) -> None:
    """The sub portfolio buys bitcoin on the spot market."""
    state, pair = desk.state, desk.state.pairs[SPOT]
    price = round(state.marks.coin("BTC"), 1)
    state.books[SPOT].set_house(pair.ticks(price) or 0, pair.lots(Decimal(quantity)) or 0, is_buy=False)
    desk.sub_place("BUY", quantity, str(price), SPOT)


def _to_ltv(desk: Desk, wanted: str) -> None:
    """Put the price of bitcoin where the LTV of the sub portfolio is this one."""
    usdt, btc = asset(desk, "USDT", desk.sub), asset(desk, "BTC", desk.sub)
    worth = Decimal(59_000) / Decimal(wanted) - Decimal(usdt.equity)
    desk.steer("BTC", str(round(worth / Decimal(btc.balance) / Decimal("0.95"), 1)))


def test_an_account_in_liquidation_cannot_borrow(desk: Desk) -> None:
    borrow(desk, "59000", who=desk.sub)
    _hold_bitcoin(desk, "1.27")
    _to_ltv(desk, "0.95")
    # Nobody buys: the loan stands, and the account waits in liquidation.
    assert info(desk, desk.sub).account_status == "LIQUIDATING"
    assert code(borrow(desk, "1", who=desk.sub)) == 406020
    assert asset(desk, "BTC", desk.sub).max_transferable == "0"


def test_insurance_fund_pays_a_loan_without_collateral(desk: Desk) -> None:
    borrow(desk, "59000", who=desk.sub)
    state = desk.state
    before = state.ledger.balance("insurance", "BINANCE", "USDT")
    _lose_everything(desk)
    assert not isinstance(asset(desk, "USDT", desk.sub).loan, str)
    assert state.ledger.balance("insurance", "BINANCE", "USDT") < before
    assert account(desk, desk.sub).account_status == "NORMAL"


def _lose_everything(desk: Desk) -> None:
    """The sub portfolio sells short what it can, and the price doubles at once."""
    pair = desk.state.pairs[PERP]
    price = round(desk.state.marks.coin("BTC"), 1)
    desk.state.books[PERP].set_house(pair.ticks(price) or 0, pair.lots(Decimal(4)) or 0, is_buy=True)
    desk.sub_place("SELL", "4", str(price))
    desk.steer("BTC", "+99%")
    desk.wait(2000)


def test_a_state_saved_before_loans_existed_opens(desk: Desk) -> None:
    desk.place("BUY", "0.01", "61000")
    old = [row for row in desk.durable.values() if not row.table.startswith("loan")]
    counters = next(row for row in old if row.table == "counters")
    assert counters.value is not None
    value = counters.value.replace(b'"loan":185647807523192000,', b"").replace(b',"loan":185647807523192000', b"")
    assert value != counters.value
    old = [Durable("counters", "", value) if row is counters else row for row in old]
    again = Exchange.restore(
        old, random_source=Seeded("old"), now_ms=desk.now + 1000, switches=Switches({"agents": "off"})
    )
    reply, _ = again.apply(Borrow(portfolio=desk.main, exchange="BINANCE", coin="BTC", amount="1"), desk.now + 2000)
    assert code(reply) == 0
    again.check()
