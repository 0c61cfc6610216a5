"""Loans by keyboard: the form on an asset row, its figures and refusals, the screen of loans, and what a ticket borrows."""

from __future__ import annotations

from decimal import Decimal

import msgspec
import pytest

from tests.workstation.driver import Desk, desk
from tests.workstation.screens import loan_answers as loans
from tui.engine.intents import Outcome, Verdict
from tui.engine.rows import AccountCommandRow, CommandState, Fact, Table
from tui.engine.service_query import ListRead, ReadState, ServiceQuery
from tui.interface.families.portfolio_loans import LoanAccount, LoanInfo
from tui.rules import account
from tui.rules.account import Account, AccountCoin
from tui.rules.borrowing import portfolio_loans as rules
from tui.workstation.command_line.order_plan import find_equity
from tui.workstation.features.loans.rows import describe_next_threshold
from tui.workstation.input.scopes import Scope
from tui.workstation.plain.readings import Readings

USDT = "BINANCE/USDT"


def lend(at: Desk, **fields: str) -> None:
    """The asset row of the pictures' USDT, with a portfolio loan, and the terms of loans."""
    for table, key, row in loans.terms(1_700_000_000_000):
        at.port.put(table, key, row)
    fact = at.app.mirror.assets[USDT]
    record = msgspec.structs.replace(fact.record, **{"loan": "10000", "loan_value": "10000", **fields})
    at.port.put(Table.ASSETS, USDT, Fact(record, fact.stamp))


def answer(at: Desk, **changed: object) -> None:
    """Everything that was asked is answered as in the pictures; `changed`: other answers by the name of the row."""
    gives = {
        "portfolio_loan_info": loans.info, "portfolio_loan_max": loans.maxima, "portfolio_loan_orders": loans.orders,
        "portfolio_loan_statement": loans.statement, "loan_pool": loans.pools,
    }  # fmt: skip
    for query in [one for one in at.port.read_requests if isinstance(one, ServiceQuery)]:
        found = changed.get(
            query.sources[0].endpoint,
            gives[query.sources[0].endpoint](dict(query.sources[0].params), 1_700_000_000_000),
        )
        rows = found if isinstance(found, tuple) else ()
        data = None if isinstance(found, tuple) else found
        at.port.put(
            Table.ANSWERS,
            query.key,
            ListRead(query=query, state=ReadState.WHOLE, rows=rows, data=data, total=len(rows)),
        )


async def at_asset(at: Desk, key: str = USDT) -> None:
    await at.press("4", "g", "g")
    while at.app.main_screen.tables["assets"].selected != key:
        await at.press("j")


async def test_plain_mode_and_sizes_by_risk_use_equity_net_of_loans() -> None:
    async with desk(160, 45) as at:
        lend(at, debt="12.5", equity_value="25000")
        await at.settle()
        view = at.app.view
        account_row = at.app.mirror.accounts["BINANCE"].record
        gross = Decimal(account_row.equity)
        coin, venue = (
            next(line for line in Readings(view, []).assets() if line.startswith(begin))
            for begin in ("BINANCE USDT:", "BINANCE account:")
        )
        assert ", owed 10,012.50 USDT, worth 15,000.00 USDT net of the loan" in coin
        net, whole = f"{gross - 10_000:,.2f}", f"{gross:,.2f}"
        assert f"BINANCE account: net equity {net} USDT, gross {whole} USDT, " in venue
        assert find_equity("BINANCE_PERP_BTC_USDT", view) == gross - 10_000, "risk in percent is one of the net equity"


async def opened(at: Desk, key: str, **changed: object) -> None:
    """The form of the USDT row, with everything it reads answered."""
    lend(at)
    await at.settle()
    await at_asset(at)
    await at.press(key)
    answer(at, **changed)
    await at.settle()


def form(at: Desk) -> str:
    """What stands in the form, as one line."""
    lines = [line.split("│")[-2].strip() for line in at.text().split("\n") if line.count("│") >= 2]
    return " ".join(" ".join(lines).split())


async def test_borrow_form_shows_rate_and_effect_and_asks_to_confirm() -> None:
    async with desk(160, 45) as at:
        await opened(at, "b")
        assert at.scope() is Scope.FORM and "borrow USDT on BINANCE" in at.text()
        assert "up to 36,000.00 (3 × free margin 12,000.00 USDT)" in form(at)
        assert "0.000685% an hour, 6.00% a year" in form(at)
        await at.press(*"2500.5", "enter")
        text = at.text()
        assert "10,000.00" in text and "12,500.50" in text and "LTV" in text and "free margin" in text
        await at.press("enter")
        assert at.scope() is Scope.PROMPT and at.sent_commands() == []
        assert "2,500.50 USDT on BINANCE: LTV" in at.text()
        await at.confirm()
        (command,) = at.sent_commands()
        assert (command.endpoint, dict(command.args)) == (
            "portfolio_loan_borrow", {"exchange": "BINANCE", "coin": "USDT", "amount": "2500.5"},
        )  # fmt: skip
        assert command.title == "borrow 2,500.50 USDT on BINANCE" and "LTV" in command.preview
        await at.settle()
        assert at.scope() is Scope.ASSETS


async def test_y_and_enter_on_a_borrow_form_give_the_same_answer() -> None:
    async with desk(160, 45) as at:
        await opened(at, "b")
        await at.press(*"2500.5", "enter", "y")
        assert at.scope() is Scope.PROMPT and at.sent_commands() == [], "y asks, too"
        await at.press("escape")
        halt = Outcome(verdict=Verdict.DENIED, guard="RISK_MODE", text="risk mode is HALT (kill)")
        at.port.foreseen = [halt]
        for key in ("enter", "y"):
            await at.press(key)
            assert at.events()[-1].startswith(
                f"{key.capitalize() if key == 'enter' else key} refused: the form says why"
            )
            assert "would be refused now: risk mode is HALT (kill)" in form(at)
        at.port.foreseen = [Outcome(verdict=Verdict.ACCEPTED)]
        await at.press("y", "enter")
        assert at.scope() is Scope.PROMPT and at.sent_commands() == []


async def test_asset_card_shows_its_loan_figures() -> None:
    async with desk(120, 36) as at:
        lend(at, net_equity="2155.4", net_equity_value="2154.9", net_margin_value="2101.7")
        await at.settle()
        await at_asset(at)
        facts = dict(at.app.main_screen.tables["assets"].pane.details(USDT))
        figures = ("loan", "loan value", "net equity", "net equity value", "net margin value")
        assert [facts[name] for name in figures] == ["10000", "10000", "2155.4", "2154.9", "2101.7"]
        await at.press("m", "G")
        assert "net margin value" in at.text() and "2101.7" in at.text()


async def test_a_loan_repayment_is_sent_without_a_prompt() -> None:
    async with desk(160, 45) as at:
        await opened(at, "r")
        assert "repay USDT on BINANCE" in at.text() and "owed 10,000.00" in at.text()
        await at.press(*"4000", "enter", "y")
        (command,) = at.sent_commands()
        assert (command.endpoint, dict(command.args)["amount"]) == ("portfolio_loan_repay", "4000")


async def test_the_amount_all_repays_the_whole_loan() -> None:
    async with desk(160, 45) as at:
        await opened(at, "r")
        await at.press(*"all", "enter", "y")
        (command,) = at.sent_commands()
        assert (command.endpoint, dict(command.args)["amount"]) == ("portfolio_loan_repay", "10000")


async def test_the_amount_all_repays_what_is_available_if_less() -> None:
    async with desk(160, 45) as at:
        await opened(at, "r")
        lend(at, available="2500.500000000000002")
        await at.settle()
        await at.press(*"all", "enter", "y")
        (command,) = at.sent_commands()
        assert dict(command.args)["amount"] == "2500.5"


@pytest.mark.parametrize(
    ("key", "typed", "words"),
    [
        ("b", "36000.01", "more than can be borrowed: up to 36,000.00"),
        ("b", "1.005", "above 0 with at most 2 decimals"),
        ("b", "0", "above 0 with at most 2 decimals"),
        ("b", "1x5", "write digits with at most one dot"),
        ("r", "10000.01", "more than owed 10,000.00, available"),
        ("r", "0.001", "above 0 with at most 2 decimals"),
    ],
)
async def test_invalid_loan_amount_is_rejected_beside_its_field(key: str, typed: str, words: str) -> None:
    async with desk(160, 45) as at:
        await opened(at, key)
        await at.press(*typed, "enter", "down", "enter")
        assert words in form(at) and at.sent_commands() == []
        assert "(406" not in form(at), "what the code means stands there in words"


@pytest.mark.parametrize(
    ("status", "ltv", "words"),
    [
        ("NORMAL", "0.81", "LTV is 0.81; borrowing is refused at 0.80 and above"),
        ("LIQUIDATING", "0.5", "the BINANCE account is in LIQUIDATING"),
    ],
)
async def test_borrow_form_says_why_no_loan_is_possible(status: str, ltv: str, words: str) -> None:
    row = LoanAccount(exchange="BINANCE", account_status=status, ltv=ltv)
    async with desk(160, 45) as at:
        await opened(at, "b", portfolio_loan_info=LoanInfo(portfolio_id=1, accounts=[row]))
        await at.press(*"5", "enter")
        assert words in form(at)
        await at.press("enter")
        assert at.sent_commands() == []


async def test_repaying_a_coin_without_a_loan_is_refused() -> None:
    async with desk(160, 45) as at:
        await at_asset(at)
        assert "repay" not in at.text().split("\n")[-1]
        await at.press("r")
        assert "no loan of USDT on BINANCE" in at.text().split("\n")[-2] and at.sent_commands() == []


async def test_repaying_a_margin_debt_says_what_repays_it() -> None:
    async with desk(160, 45) as at:
        fact = at.app.mirror.assets[USDT]
        at.port.put(Table.ASSETS, USDT, Fact(msgspec.structs.replace(fact.record, debt="0.5"), fact.stamp))
        await at.settle()
        await at_asset(at)
        assert "repay" not in at.text().split("\n")[-1]
        await at.press("r")
        said = "the 0.50 USDT owed on BINANCE are a margin debt: buying USDT, or a transfer of it, repays it"
        assert said in at.text().split("\n")[-2] and at.sent_commands() == []


async def test_loans_screen_shows_rates_ltv_and_borrow_limit() -> None:
    async with desk(160, 45) as at:
        lend(at)
        await at.press("D")
        answer(at)
        await at.settle()
        text = at.text()
        line = next(one for one in text.split("\n") if "BINANCE" in one and "USDT" in one and "0.362" in one)
        assert "10,000.00" in line and "0.000685%" in line and "6.00%" in line and "36,000.00" in line
        assert "3 × free margin 12,000.00 USDT" in line and " 0.4110 " in line and "0.70 warning" in line
        assert "paid 90 d" in text, "interest of loans that are repaid is of these days"
        await at.press(")")
        queries = [query for query in at.port.read_requests if isinstance(query, ServiceQuery)]
        asked = [source for query in queries if query.key == "loans/margin debts" for source in query.sources]
        assert [dict(source.params) for source in asked] == [
            {"exchangeType": venue, "coin": coin} for venue in ("BINANCE", "OKX") for coin in ("BTC", "ETH", "USDT")
        ], "the service may require both"
        answer(at)
        await at.settle()
        assert "margin debts" in at.text() and "0.000680%" in at.text() and "49,990,000" in at.text()
        await at.press(")")
        answer(at)
        await at.settle()
        assert "repay" in at.text() and "15,000.00 USDT" in at.text()
        await at.press(")")
        answer(at)
        await at.settle()
        assert "interest" in at.text() and "borrow +15,000.00 USDT" in at.text()


async def test_loans_screen_borrows_repays_and_refreshes() -> None:
    async with desk(160, 45) as at:
        lend(at)
        await at.press("D")
        answer(at)
        await at.settle()
        await at.press("g", "g", "j", "j", "p")
        assert at.scope() is Scope.FORM and "repay" in at.text()
        await at.press("escape", "b")
        assert at.scope() is Scope.FORM and "borrow" in at.text()
        await at.press("escape")
        before = len(at.port.read_requests)
        row = AccountCommandRow(
            id="c1", endpoint="portfolio_loan_borrow", title="borrow", state=CommandState.DONE, sent_ms=1, changed_ms=1
        )
        at.port.put(Table.COMMANDS, "c1", row)
        await at.settle()
        again = [one.sources[0].endpoint for one in at.port.read_requests[before:] if isinstance(one, ServiceQuery)]
        assert again == ["portfolio_loan_info", "portfolio_loan_max", "portfolio_loan_statement"]


@pytest.mark.parametrize(
    ("ltv", "words"),
    [("0", "0.70 warning"), ("0.7", "0.80 nothing more is lent"), ("0.85", "0.90 collateral is sold"),
     ("0.95", "collateral is being sold")],
)  # fmt: skip
def test_next_ltv_threshold_is_described_in_words(ltv: str, words: str) -> None:
    assert describe_next_threshold(ltv) == words


def test_computed_loans_change_balance_debt_and_loan_of_a_coin() -> None:
    coins = (
        AccountCoin("USDT", Decimal(1000), Decimal(1), Decimal(1), loan_mmr=Decimal("0.05"), loan_leverage=Decimal(3)),
        AccountCoin("BTC", Decimal(0), Decimal(100), Decimal("0.95"), debt=Decimal(2)),
    )
    row = Account((), coins)
    then = rules.change_loan(row, "USDT", Decimal(500))
    found = account.compute_figures(then)
    assert [found.maintenance, rules.compute_figures(then, found).value] == [25, 500]
    paid = rules.change_loan(row, "BTC", Decimal(3)).coin("BTC")
    assert paid is not None and [paid.balance, paid.debt, paid.loan] == [1, 0, 3]
    assert rules.change_loan(then, "USDT", Decimal(-500)) == row
