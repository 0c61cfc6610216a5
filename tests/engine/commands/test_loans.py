"""Loans in the engine: a lost borrow is found by its id and never sent again; loan fields of asset rows are kept."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import msgspec
import pytest
from aiohttp import web

from tests.client.fakes import PORTFOLIO, success, until
from tests.engine.command_rig import ask_every
from tests.engine.conftest import DECISION, Rig
from tui.engine.intents import AccountCommand, Verdict
from tui.engine.loan_fields import add_loans, loan_costs
from tui.engine.rows import AccountCommandRow, CommandState, Fact, Source, Stamp, Table
from tui.interface.families.assets import AssetRecord
from tui.interface.families.history import DEDUCT_INTEREST, LIQUIDATION_FEE
from tui.interface.families.loans import InterestRates
from tui.interface.families.portfolio_loans import (
    Borrowed,
    LoanAccount,
    LoanCoin,
    LoanConfig,
    LoanInfo,
    LoanStatementRecord,
)
from tui.rules.bookings import compute_interest_taken

FAMILY = "/api/v1/trading/portfolioLoan/loan/"
RATES = "/api/v1/interest/user_detail"
LOAN = {"loan": "100", "loan_value": "100", "net_equity": "900", "net_equity_value": "900", "net_margin_value": "900"}


class Lender:
    """A service that lends, and what it answers."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self.answer: web.Response | None = None
        """To a borrow; None: success."""
        self.orders: list[dict[str, Any]] = []
        rig.fake.refuse_rest = self._handle

    @property
    def borrowed(self) -> list[dict[str, str]]:
        return [params for method, path, params in self.rig.fake.calls if (method, path) == ("POST", FAMILY + "borrow")]

    @property
    def asked(self) -> list[dict[str, str]]:
        return [params for _, path, params in self.rig.fake.calls if path == FAMILY + "orders"]

    def _handle(self, path: str) -> web.Response | None:
        if path == FAMILY + "borrow":
            done = {"orderId": "1" * 18, "borrowed": 100.0, "loanBalance": 100.0, "availableBalance": 1100.5}
            return self.answer or success({**done, "timestamp": 1_700_000_000_000})
        if path == FAMILY + "orders":
            return success({"page": 1, "pageSize": 1000, "totalSize": len(self.orders), "list": self.orders})
        if path == FAMILY + "config":
            terms = {"coin": "USDT", "loanLeverage": "3", "maxLoanValue": "6000", "loanMmr": "0.05"}
            return success([{**terms, "loanInterestRate": "0.0015"}])
        if path == RATES:
            venue = self.rig.fake.calls[-1][2]["exchangeType"]
            level = {"level": "1", "hourInterestRate": "0.0000068", "loanLimit": "2000000"}
            row = {"exchangeType": venue, "coin": "USDT", "updateTime": 1_700_000_000_000, "levels": [level]}
            return success({f"{venue}_MARGIN_USDT_USDT": row})
        return None


@pytest.fixture
async def lender(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> Lender:
    ask_every(monkeypatch, 0.05)
    made = Lender(rig)
    await rig.ready()
    return made


HUNDRED = {"exchange": "BINANCE", "coin": "USDT", "amount": "100"}


def borrow() -> AccountCommand:
    args = tuple(HUNDRED.items())
    return AccountCommand(decision=DECISION, endpoint="portfolio_loan_borrow", args=args, title="borrow 100 USDT")


def state(rig: Rig) -> CommandState:
    (row,) = rig.screen.look().tables[Table.COMMANDS].values()
    assert isinstance(row, AccountCommandRow)
    return row.state


async def test_a_borrow_is_sent_once_and_its_reply_is_decoded(rig: Rig, lender: Lender) -> None:
    outcome = await rig.engine.submit(borrow())
    assert outcome.verdict is Verdict.ACCEPTED
    assert isinstance(outcome.answer, Borrowed) and outcome.answer.borrowed == Decimal("100.0")
    assert lender.borrowed == [{**HUNDRED, "clientOrderId": outcome.key}]
    assert state(rig) is CommandState.DONE and lender.asked == []


async def test_a_borrow_with_lost_reply_is_found_in_the_loan_orders(rig: Rig, lender: Lender) -> None:
    lender.answer = web.Response(status=502, text="<html>")
    outcome = await rig.engine.submit(borrow())
    assert outcome.verdict is Verdict.UNKNOWN
    await until(lambda: len(lender.asked) > 1)
    assert state(rig) is CommandState.UNKNOWN
    order = {
        "orderId": "1" * 18, "clientOrderId": outcome.key, "exchange": "BINANCE", "type": "borrow", "coin": "USDT",
        "amount": "100.00", "status": "filled", "createTime": 1_700_000_000_000,
    }  # fmt: skip
    lender.orders = [{**order, "clientOrderId": "of-another"}]
    await until(lambda: len(lender.asked) > 3)
    assert state(rig) is CommandState.UNKNOWN
    lender.orders = [order]
    await until(lambda: state(rig) is CommandState.DONE)
    assert len(lender.borrowed) == 1 and rig.screen.said("it was carried out: ")
    assert lender.asked[0]["clientOrderId"] == outcome.key and "startTime" in lender.asked[0]


async def test_interest_rates_and_loan_terms_are_read(rig: Rig, lender: Lender) -> None:
    del lender
    await until(lambda: rig.screen.look().tables.get(Table.INTEREST))
    rates = rig.screen.tables[Table.INTEREST]
    assert set(rates) == {"BINANCE/USDT", "OKX/USDT"} and isinstance(rates["OKX/USDT"], InterestRates)
    await until(lambda: rig.screen.look().tables.get(Table.LOAN_CONFIG))
    terms = rig.screen.tables[Table.LOAN_CONFIG]["USDT"]
    assert isinstance(terms, LoanConfig) and terms.loan_interest_rate == "0.0015"


def test_loan_interest_and_fees_become_rows_of_the_statement() -> None:
    def row(number: int, kind: str, delta: str) -> LoanStatementRecord:
        return LoanStatementRecord(
            statement_id=str(number), exchange="BINANCE", type=kind, coin="USDT", delta=delta, balance="90",
            timestamp=1_700_000_000_000,
        )  # fmt: skip

    kinds = ("loan_borrow", "100"), ("loan_interest", "-0.5"), ("loan_liquidation_fee", "-2"), ("loan_repay", "-100")
    interest, fee = loan_costs([row(number, *kind) for number, kind in enumerate(kinds)], PORTFOLIO)
    assert (interest.statement_type, compute_interest_taken(interest)) == (DEDUCT_INTEREST, Decimal("0.5"))
    assert (fee.statement_type, fee.delta_amount, fee.statement_id) == (LIQUIDATION_FEE, "-2", "loan 2")
    assert {cost.before_borrow + cost.after_borrow for cost in (interest, fee)} == {""}, "they tell no margin debt"


def asset(**more: str) -> AssetRecord:
    return AssetRecord(coin="USDT", exchange_type="BINANCE", balance="1000", **more)


def known(fields: dict[str, str], epoch: int = 2) -> dict[str, Fact[AssetRecord]]:
    return {"BINANCE/USDT": Fact(asset(**fields), Stamp(PORTFOLIO, epoch, 1, Source.PUSH, 1.0))}


def info(loan: str = "") -> LoanInfo:
    coins = [LoanCoin(coin="USDT", **{**LOAN, "loan": loan, "loan_value": loan})] if loan else []
    row = LoanAccount(exchange="BINANCE", account_status="NORMAL", ltv="0.1", coins=coins)
    return LoanInfo(portfolio_id=int(PORTFOLIO), accounts=[row])


@pytest.mark.parametrize(
    ("before", "read", "loan"),
    [
        (known(LOAN), None, "100"),
        (known(LOAN, 1), None, None),
        (known(LOAN), info("100.00"), "100"),
        (known(LOAN), info("250"), "250"),
        (known(LOAN), info(), None),
        (known({}), info("250"), "250"),
        ({}, info("250"), "250"),
        ({}, None, None),
    ],
    ids=[
        "the push is kept", "not that of an older connection", "the query agrees", "the query is newer", "repaid",
        "borrowed unseen", "first reading", "nothing known",
    ],
)  # fmt: skip
def test_an_asset_from_a_list_keeps_its_pushed_loan(
    before: dict[str, Fact[AssetRecord]], read: LoanInfo | None, loan: str | None
) -> None:
    (found,) = add_loans([asset()], read, before, 2)
    assert (found.loan if isinstance(found.loan, str) else None) == loan
    assert (found.loan_value is msgspec.UNSET) == (loan is None)
