"""Deposits, withdrawals, bills and custody for somebody who only read the description."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.venue.shell.conftest import STILL, Venue
from tests.venue.shell.strangers.test_stranger_transfers import account, balance, held, portfolio, sent

WITHDRAW, WITHDRAWALS = "/api/v1/userWithdrawRecord/apply", "/api/v1/userWithdrawRecord/list"
BOOK = "/api/v1/userWithdrawAddress/list"
ADDRESS, DEPOSITS, EXCHANGE = "/api/v1/deposit/address", "/api/v1/deposit/list", "/api/v1/deposit/exchange"
BILLS = "/api/v1/asset/bills"
LOCK, UNLOCK, CUSTODY = (f"/api/v1/custodytradingaccount/{word}" for word in ("lock", "unlock", "list"))
BROKER = "/api/v1/broker/deposit/list", "/api/v1/broker/userWithdrawRecord/list"
SUB_USDT = {"currency": "USDT", "network": "TRC20"}


@pytest.fixture
def fresh(start: Callable[..., Venue]) -> Venue:
    return start(*STILL, "--set", "rate_profile=off", "--set", "network_delay=1", "--control")


def deposit(venue: Venue, currency: str, words: str) -> None:
    """Let a deposit come in by the control line."""
    assert venue.process.stdin is not None
    venue.process.stdin.write(json.dumps({"deposit": {currency: words}}).encode() + b"\n")
    venue.process.stdin.flush()


def book(venue: Venue, currency: str = "USDT", network: str = "TRC20") -> dict[str, Any]:
    [row] = venue.data("GET", BOOK, {"currency": currency, "network": network})["list"]
    return dict(row)


def withdrawal(venue: Venue, **changes: str) -> dict[str, str]:
    asked = {
        "accountId": portfolio(venue), "fromAccountType": "BINANCE", "currency": "USDT", "network": "TRC20",
        "address": book(venue)["address"], "amount": "100", **changes,
    }  # fmt: skip
    return {name: value for name, value in asked.items() if value}


def until(found: Callable[[], Any]) -> Any:
    deadline = time.monotonic() + 20
    while not (hit := found()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return hit


def test_a_withdrawal_passes_its_documented_statuses(fresh: Venue) -> None:
    before = Decimal(held(fresh, "BINANCE")["balance"])
    ignored = {"rapidTransfer": "true", "loanTrans": "true"}
    made = fresh.data("POST", WITHDRAW, withdrawal(fresh, clientOrderId="w1", **ignored))["id"]

    def row() -> dict[str, Any]:
        [found] = fresh.data("GET", WITHDRAWALS, {"id": str(made)})["list"]
        return dict(found)

    first = row()
    assert set(first) == {
        "id", "accountId", "fromAccountType", "currency", "network", "memo", "address", "AddressTag", "amount", "status",
        "txId", "txId2", "info", "applyTime", "clientOrderId", "rapidTransfer",
    }  # fmt: skip
    assert (first["status"], first["amount"], type(first["applyTime"]), first["rapidTransfer"]) == (1, 100, str, False)
    assert first["AddressTag"] == book(fresh)["addressTag"]
    assert held(fresh, "BINANCE")["frozen"] == "100"
    until(lambda: row()["status"] == 3)
    assert (held(fresh, "BINANCE")["frozen"], Decimal(held(fresh, "BINANCE")["balance"])) == ("0", before - 100)
    [bill] = fresh.data("GET", BILLS, {"type": "2"})["list"]
    assert (bill["status"], bill["amount"], bill["amountReceived"], bill["networkFee"]) == (1, 100, 99, 1)
    assert (bill["fromTradeAccountId"], bill["toTradeAccountId"]) == (int(portfolio(fresh)), 0)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"address": ""}, 400009),
        ({"network": ""}, 400009),
        ({"amount": "x"}, 400000),
        ({"currency": "XRP"}, 400000),
        ({"accountId": "77"}, 404903),
        ({"fromAccountType": ""}, 404909),
        ({"amount": "1"}, 404906),
        ({"amount": "99999999"}, 404904),
        ({"network": "SWIFT"}, 404905),
        ({"address": "elsewhere"}, 404908),
    ],
)
def test_an_invalid_withdrawal_is_rejected_without_effect(venue: Venue, changes: dict[str, str], code: int) -> None:
    before = held(venue, "BINANCE"), venue.data("GET", WITHDRAWALS)["totalSize"]
    answer = venue.call("POST", WITHDRAW, withdrawal(venue, **changes))[1]
    assert (answer["code"], bool(answer["message"])) == (code, True)
    assert (held(venue, "BINANCE"), venue.data("GET", WITHDRAWALS)["totalSize"]) == before


def test_withdrawals_need_permission_and_account_access(fresh: Venue) -> None:
    own = withdrawal(fresh, accountId=portfolio(fresh, "sub"), clientOrderId="own")
    assert fresh.call("POST", WITHDRAW, own, key="readonly")[1]["code"] == 2002
    assert fresh.call("POST", WITHDRAW, own, key="subuser")[1]["code"] == 2002
    assert fresh.call("POST", WITHDRAW, withdrawal(fresh), key="sub")[1]["code"] == 404902
    fresh.data("POST", WITHDRAW, own, key="sub")
    assert fresh.call("POST", WITHDRAW, own, key="sub")[1]["code"] == 404907
    assert [row["clientOrderId"] for row in fresh.data("GET", WITHDRAWALS, key="sub")["list"]] == ["own"]
    assert fresh.data("GET", WITHDRAWALS)["list"] == []
    [row] = fresh.data("GET", BROKER[1])["list"]
    assert (row["portfolioId"], row["clientOrderId"]) == (int(portfolio(fresh, "sub")), "own")
    assert fresh.call("GET", BROKER[1], key="sub")[1]["code"] == 100003


def test_a_rejected_withdrawal_unfreezes_its_amount(fresh: Venue) -> None:
    fresh.set("withdrawals", "rejected")
    made = fresh.data("POST", WITHDRAW, withdrawal(fresh))["id"]
    until(lambda: fresh.data("GET", WITHDRAWALS, {"id": str(made), "status": "5"})["list"])
    assert held(fresh, "BINANCE")["frozen"] == "0"


def test_deposit_address_has_minimum_memo_and_account_type(venue: Venue) -> None:
    funding = venue.data("GET", ADDRESS, SUB_USDT)
    assert set(funding) == {"id", "currency", "network", "address", "memo", "createdAt", "minimum", "accountType"}
    assert (funding["minimum"], funding["accountType"], type(funding["id"]), funding["memo"]) == (
        "1",
        "FUNDING",
        int,
        "",
    )
    own = venue.data("GET", ADDRESS, {**SUB_USDT, "accountType": "PORTFOLIO"})
    assert own["address"] != funding["address"] and own == venue.data(
        "GET", ADDRESS, {**SUB_USDT, "accountType": "PORTFOLIO"}
    )
    assert venue.data("GET", ADDRESS, {"currency": "SOL", "network": "SOL"})["memo"]
    for params, key, code in (
        ({"currency": "USDT"}, "main", 400009),
        ({"currency": "XRP", "network": "TRC20"}, "main", 400000),
        ({"currency": "USDT", "network": "SWIFT"}, "main", 404905),
        ({**SUB_USDT, "accountType": "CUSTODY"}, "main", 404909),
        (SUB_USDT, "sub", 404902),
        ({**SUB_USDT, "accountType": "PORTFOLIO"}, "subuser", 404902),
    ):
        assert venue.call("GET", ADDRESS, params, key=key)[1]["code"] == code, params
    assert venue.data("GET", BOOK)["totalSize"] == 10
    assert book(venue, "SOL", "SOL")["memo"]


def test_old_deposit_account_types_work_until_switched_off(fresh: Venue) -> None:
    okx = {**SUB_USDT, "accountType": "OKX"}
    assert fresh.data("GET", EXCHANGE, SUB_USDT)["exchangeType"] == "BINANCE"
    fresh.data("GET", ADDRESS, okx)
    assert fresh.data("GET", EXCHANGE, SUB_USDT) == {**SUB_USDT, "exchangeType": "OKX"}
    assert fresh.data("POST", EXCHANGE, {**SUB_USDT, "exchangeType": "EDX"}) == {**SUB_USDT, "exchangeType": "EDX"}
    assert fresh.data("GET", EXCHANGE, SUB_USDT, key="sub")["exchangeType"] == "BINANCE"
    assert fresh.call("POST", EXCHANGE, {**SUB_USDT, "exchangeType": "MOON"})[1]["code"] == 401023
    fresh.set("deposit_account_type", "portfolio")
    assert fresh.call("GET", ADDRESS, okx)[1]["code"] == 404909
    fresh.set("deposit_account_type", "venue")
    assert fresh.call("GET", ADDRESS, {**SUB_USDT, "accountType": "PORTFOLIO"})[1]["code"] == 404909


def test_control_input_credits_deposits_to_the_right_account(fresh: Venue) -> None:
    fresh.data("POST", EXCHANGE, {"currency": "USDT", "network": "BSC", "exchangeType": "OKX"})
    before = balance(fresh, "FUNDING"), Decimal(held(fresh, "OKX")["balance"])
    deposit(fresh, "USDT", "500")
    deposit(fresh, "USDT", "70.5 BSC main")
    deposit(fresh, "BTC", "0.25 BTC sub")
    until(lambda: fresh.data("GET", DEPOSITS, {"status": "3"})["totalSize"] == 2)
    assert balance(fresh, "FUNDING") == before[0] + 500
    assert Decimal(held(fresh, "OKX")["balance"]) == before[1] + Decimal("70.5")
    assert held(fresh, "BINANCE", "BTC", key="sub")["balance"] == "0.25"
    row = fresh.data("GET", DEPOSITS, {"accountType": "OKX"})["list"][0]
    assert set(row) == {
        "id", "accountId", "accountType", "currency", "network", "address", "amount", "status", "txId", "info",
        "applyTime", "rapidTransfer",
    }  # fmt: skip
    assert (row["amount"], row["network"], row["rapidTransfer"], type(row["applyTime"])) == (70.5, "BSC", False, str)
    [own] = fresh.data("GET", DEPOSITS, key="sub")["list"]
    [broker] = fresh.data("GET", BROKER[0])["list"]
    assert broker == {**own, "portfolioId": int(portfolio(fresh, "sub"))}
    assert [bill["type"] for bill in fresh.data("GET", BILLS)["list"]] == [0]
    fresh.set("bills_scope", "sub")
    assert fresh.call("GET", BILLS)[1]["code"] == 100003
    assert [bill["currency"] for bill in fresh.data("GET", BILLS, key="sub")["list"]] == ["BTC"]


def test_transfer_bills_are_listed_for_both_portfolios(fresh: Venue) -> None:
    across = sent(fresh, toTradeAccountId=portfolio(fresh, "sub"), toAccountType="BINANCE", network="")
    fresh.data("POST", "/api/v1/transfer/apply", across)
    [mine], [theirs] = (fresh.data("GET", BILLS, key=key)["list"] for key in ("main", "sub"))
    assert {**mine, "id": 0} == {**theirs, "id": 0}
    assert set(mine) == {
        "id", "currency", "clientOrderId", "amount", "amountReceived", "networkFee", "network", "txId",
        "fromTradeAccountId", "toTradeAccountId", "fromAccountType", "toAccountType", "status", "type", "createdAt",
    }  # fmt: skip
    assert (mine["type"], mine["status"], mine["amount"]) == (1, 1, 100)


def test_custody_funds_are_locked_and_unlocked(fresh: Venue, edition: str) -> None:
    asked = {"accountId": account(fresh, "OKX"), "currency": "USDT", "amount": "250.5"}
    before = balance(fresh, "OKX"), balance(fresh, "CUSTODY")
    made = fresh.data("POST", LOCK, asked)["actionId"]
    [row] = fresh.data("GET", CUSTODY, {"actionId": str(made)})["list"]
    assert row == {
        "actionId": made, "type": 1, "currency": "USDT", "amount": "250.5", "accountId": int(asked["accountId"]),
        "status": 0, "reason": "", "createdAt": row["createdAt"],
    }  # fmt: skip
    until(lambda: fresh.data("GET", CUSTODY, {"type": "1", "status": "1"})["list"])
    assert (balance(fresh, "OKX"), balance(fresh, "CUSTODY")) == (
        before[0] + Decimal("250.5"),
        before[1] - Decimal("250.5"),
    )
    fresh.data("POST", UNLOCK, {**asked, "amount": "0.5"})
    until(lambda: fresh.data("GET", CUSTODY, {"type": "2", "status": "1"})["list"])
    assert balance(fresh, "OKX") == before[0] + 250
    assert fresh.data("GET", CUSTODY)["pageSize"] == (20 if edition == "lenient" else 1000)
    for changes, code in (
        ({"accountId": "5"}, 404903), ({"amount": "0"}, 404906), ({"amount": "9999999"}, 404904), ({"amount": ""}, 400009),
    ):  # fmt: skip
        assert fresh.call("POST", LOCK, {**asked, **changes})[1]["code"] == code
    assert fresh.call("POST", LOCK, asked, key="sub")[1]["code"] == 100003
    assert fresh.call("POST", LOCK, asked, key="readonly")[1]["code"] == 2002


def test_pending_withdrawals_and_deposits_survive_a_restart(start: Callable[..., Venue], tmp_path: Path) -> None:
    kept = ("--state", str(tmp_path / "state"), "--keys", str(tmp_path / "keys"), "--set", "rate_profile=off")
    first = start(*STILL, *kept, "--set", "network_delay=3600", "--control")
    first.data("POST", WITHDRAW, withdrawal(first, clientOrderId="kept"))
    deposit(first, "USDT", "500")
    until(lambda: first.data("GET", DEPOSITS)["list"])
    first.process.kill()
    first.process.wait()
    again = start(*STILL, *kept, "--control")
    [row] = again.data("GET", WITHDRAWALS)["list"]
    assert (row["clientOrderId"], row["status"] in (1, 2)) == ("kept", True)
    assert held(again, "BINANCE")["frozen"] == "100"
    assert [one["status"] for one in again.data("GET", DEPOSITS)["list"]] == [2]


def test_an_invalid_deposit_command_says_what_is_accepted(start: Callable[..., Venue]) -> None:
    venue = start(*STILL, "--control")
    for words in ("much", "5 SWIFT", "5 TRC20 nobody", "5 TRC20 main more"):
        deposit(venue, "USDT", words)
    deposit(venue, "XRP", "5")
    assert venue.data("GET", DEPOSITS)["list"] == []
    venue.process.terminate()
    assert venue.process.stderr is not None
    said = venue.process.stderr.read().decode()
    for words in (
        "'much' is not accepted",
        "'SWIFT' is not accepted",
        "'nobody' is not known",
        "AMOUNT [NETWORK",
        "'XRP'",
    ):
        assert words in said


def _says_maintenance(venue: Venue, service: str) -> bool:
    rows = venue.data("GET", "/api/v1/system/status")
    return any((row["serviceType"], row["status"]) == (service, 1) for row in rows)


def test_maintenance_stops_only_the_service_it_names(start: Callable[..., Venue]) -> None:
    venue = start(*STILL, "--set", "rate_profile=off", "--control")
    lock = {"accountId": account(venue, "BINANCE"), "currency": "BTC", "amount": "0.1"}
    calls = {
        "TRANSFER": ("/api/v1/transfer/apply", sent(venue), "transfers are"),
        "WITHDRAW": (WITHDRAW, withdrawal(venue), "withdrawals are"),
        "LOCK": (LOCK, lock, "locks and unlocks of custody are"),
        "DEPOSIT": (EXCHANGE, {**SUB_USDT, "exchangeType": "OKX"}, "settings of deposits are"),
    }
    for service, (path, asked, words) in calls.items():
        venue.set("maintenance", f"{service} 1600000000000 4000000000000 now")
        until(partial(_says_maintenance, venue, service))
        _, answer = venue.call("POST", path, asked)
        assert (answer["code"], answer["message"].startswith(words)) == (400011, True)
        others = [(other, body) for name, (other, body, _) in calls.items() if name != service]
        for other, body in others:
            assert venue.call("POST", other, body)[1]["code"] in (200, 200000, 202), (service, other)
