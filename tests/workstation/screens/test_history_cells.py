"""Cells of the history: amounts of a coin under each other, and the orders of the service itself."""

from __future__ import annotations

from decimal import Decimal

import msgspec
import pytest
from rich.color import Color

from tests.workstation.driver import Desk, desk
from tests.workstation.scripted import WALL
from tui.engine.loan_fields import convert_loan_rows
from tui.engine.rows import Table
from tui.engine.service_query import ListRead, ReadState, ServiceQuery
from tui.engine.service_reading.past_lists import DAY_MS
from tui.interface.families.accounts import BillRecord
from tui.interface.families.history import StatementRecord, TradeRecord
from tui.interface.families.orders import OrderRecord
from tui.interface.families.portfolio_loans import LoanStatementRecord
from tui.workstation.commands.launcher_services import LauncherServices

OWN = "7001"
BTC = "BINANCE_PERP_BTC_USDT"
NOW_MS = int(WALL * 1000)


async def answer(
    at: Desk, kind: str, *rows: object, state: ReadState = ReadState.WHOLE, total: int | None = None
) -> None:
    """Answer the newest question about a list."""
    query = [one for one in at.port.read_requests if isinstance(one, ServiceQuery) and one.key == f"history/{kind}"][-1]
    read = ListRead(query=query, state=state, rows=rows, total=len(rows) if total is None else total)
    at.port.put(Table.ANSWERS, query.key, read)
    await at.settle()


def line_of(at: Desk, word: str) -> str:
    return next(line for line in at.text().split("\n") if word in line)


def color_of(at: Desk, line: str, word: str) -> Color | None:
    """The colour of a word in the first line that holds another."""
    y = next(y for y, text in enumerate(at.text().split("\n")) if line in text)
    strip = at.app.screen._compositor.render_strips()[y]
    x = "".join(segment.text for segment in strip).index(word)
    style = next(iter(strip.crop(x, x + 1))).style
    return None if style is None else style.color


def booked(name: str, coin: str, amount: str, before: str, after: str, debt: str = "0") -> StatementRecord:
    return StatementRecord(
        portfolio_id=7001, statement_id=name, coin=coin, sym=BTC, statement_type=name, delta_amount=amount,
        exchange_type="BINANCE", before_available=before, after_available=after, after_borrow=debt,
        create_at="1700000000000",
    )  # fmt: skip


async def test_statement_amounts_of_money_have_their_dots_in_a_column() -> None:
    async with desk(200, 60) as at:
        await at.press("H", ")", ")", ")")
        rows = [
            booked("FIRST", "USDT", "26.0654842", "100000.5", "100026.5654842", "12.5"),
            booked("SECOND", "USDT", "-1717.48425484", "100026.5654842", "98309.08122936", "1.23456789"),
            booked("THIRD", "USDT", "-0.00001", "0", "3"),
            booked("FOURTH", "BTC", "0.00012345", "1.5", "1.50012345"),
        ]
        await answer(at, "statement", *rows)
        first, second, third, fourth = (line_of(at, word) for word in ("first", "second", "third", "fourth"))
        for line, figures in (
            (first, ("+26.0655", "100,000.5000", "100,026.5655", "12.5000")),
            (second, ("-1,717.4843", "100,026.5655", "98,309.0812", "1.2346")),
            (third, (" 0.0000 ", " 0 ", " 3.0000 ")),
            (fourth, ("+0.00012345", "1.50", "1.50012345")),
        ):
            assert [figure for figure in figures if f" {figure.strip()} " not in line] == []
        dots = [[x for x, letter in enumerate(line) if letter == "."] for line in (first, second)]
        assert dots[0] == dots[1]


@pytest.mark.parametrize("size", [(80, 24), (160, 45)])
async def test_a_statement_says_that_borrowed_coins_are_not_in_it(size: tuple[int, int]) -> None:
    """A sell of more than was held showed `before 0.0532 after 0`, and nothing of the rest."""
    async with desk(*size) as at:
        await at.press("H", ")", ")", ")")
        await answer(at, "statement", booked("FIRST", "BTC", "-0.0532", "0.0532", "0"))
        assert "borrowed" not in at.text()
        others = (booked("SECOND", "USDT", "276719.62", "1", "2"), booked("THIRD", "ETH", "0.473526", "1", "2"))
        await answer(at, "statement", booked("FIRST", "BTC", "-1.00857", "1.00857", "0", "0.0468"), *others)
        assert "borrowed coins" in at.text() and "+276,719.62 USDT" in at.text(), at.text()


async def test_a_statement_row_of_a_loan_shows_no_margin_debt() -> None:
    paid = LoanStatementRecord(
        statement_id="7", exchange="BINANCE", type="loan_borrow", coin="USDT", delta="5000", balance="105000",
        timestamp=1_700_000_000_000,
    )  # fmt: skip
    async with desk(200, 60) as at:
        await at.press("H", ")", ")", ")")
        await answer(
            at, "statement", *convert_loan_rows([paid], "7001"), booked("FIRST", "USDT", "1", "1", "2", "12.5")
        )
        assert "margin debt" in at.text()
        assert line_of(at, "loan borrow").split()[-2] == "–" and line_of(at, "first").split()[-2] == "12.5000"


def sent(number: int, origin: str, **more: str) -> OrderRecord:
    values = {
        "order_id": f"200000000000000{number}", "client_order_id": f"cid{number}", "sym": BTC, "side": "BUY",
        "order_qty": "0.5", "limit_price": "99000", "executed_qty": "0.5", "executed_avg_price": "61234.5",
        "order_state": "FILLED", "exchange_order_type": "LIMIT", "create_at": "1700000000000", **more,
    }  # fmt: skip
    return OrderRecord(origin=origin, **values)


@pytest.mark.parametrize("origin", ["SYSTEM_LIQ", "SYSTEM_REDUCE"])
async def test_history_shows_a_forced_order_at_its_fill_price(origin: str) -> None:
    async with desk(200, 60) as at:
        await at.press("H")
        await answer(at, "orders", sent(1, origin), sent(2, "DMA"), sent(3, origin, executed_qty="0"))
        forced, own, untraded = (line_of(at, f"cid{number}") for number in (1, 2, 3))
        assert forced.count("61,234.5") == 2 and "99,000" not in forced
        assert own.count("61,234.5") == 1 and "99,000.0" in own
        assert "99,000.0" in untraded, "nothing was done: its bound is all there is"


async def test_history_shows_forced_orders_in_the_warning_colour() -> None:
    async with desk(200, 60) as at:
        style = at.app.palette.style
        await at.press("H")
        await answer(at, "orders", sent(1, "SYSTEM_LIQ"), sent(2, "DMA"))
        assert color_of(at, "cid1", "buy") == style("warn").color
        assert color_of(at, "cid2", "buy") == style("buy").color
        at.port.order("cid1", BTC, "BUY", "99000", "0.5", origin="SYSTEM_LIQ")
        await at.press(")")
        fills = [
            TradeRecord(
                transaction_id=f"77{number}", order_id=f"order{number}", client_order_id=f"cid{number}", sym=BTC,
                side="BUY", quantity="0.5", price="61234.5", create_at="1700000000000",
            )
            for number in (1, 2)
        ]  # fmt: skip
        await answer(at, "fills", *fills)
        assert color_of(at, "order1", "buy") == style("warn").color
        assert color_of(at, "order2", "buy") == style("buy").color


async def answer_other(at: Desk, key: str, *rows: object, state: ReadState = ReadState.WHOLE, text: str = "") -> None:
    """Answer the query of bills or of the loan statement that goes with the statement."""
    query = [one for one in at.port.read_requests if isinstance(one, ServiceQuery) and one.key == key][-1]
    at.port.put(Table.ANSWERS, key, ListRead(query=query, state=state, rows=rows, text=text))
    await at.settle()


def at_minute(minute: int) -> int:
    return 1_700_000_000_000 + minute * 60_000


def bill(number: int, minute: int, amount: str, source: str, target: str, **more: object) -> BillRecord:
    """A transfer between venues of the portfolio; an empty venue is outside of it."""
    values = {
        "id": number, "currency": "USDT", "amount": Decimal(amount), "status": 1, "type": 1,
        "from_trade_account_id": OWN if source else 0, "to_trade_account_id": OWN if target else 0,
        "from_account_type": source, "to_account_type": target, "created_at": at_minute(minute), **more,
    }  # fmt: skip
    return BillRecord(**values)  # type: ignore[arg-type]


def lent(name: str, minute: int, kind: str, delta: str, balance: str) -> LoanStatementRecord:
    return LoanStatementRecord(
        statement_id=name, exchange="BINANCE", type=kind, coin="USDT", delta=delta, balance=balance,
        timestamp=at_minute(minute),
    )  # fmt: skip


async def test_the_statement_adds_transfers_and_loans_to_its_rows() -> None:
    """Between 100 and 66.5 the statement alone has no row: a deposit, a transfer and a loan lie in it."""
    rows = [
        msgspec.structs.replace(booked("LAST", "USDT", "-1", "66.5", "65.5"), create_at=at_minute(9)),
        msgspec.structs.replace(booked("FIRST", "USDT", "1", "99", "100"), create_at=at_minute(1)),
    ]
    async with desk(200, 60) as at:
        await at.press("H", ")", ")", ")")
        await answer(at, "statement", *rows)
        await answer_other(
            at, "history/bills",
            bill(3, 6, "50", "BINANCE", "OKX", amount_received=Decimal("49")),
            bill(2, 3, "15", "", "BINANCE", type=0),
            bill(1, 4, "700", "BINANCE", "OKX", status=2),
        )  # fmt: skip
        await answer_other(
            at, "history/loan_statement",
            lent("9", 8, "loan_interest", "-0.5", "66.5"), lent("8", 7, "loan_borrow", "2", "67"),
        )  # fmt: skip
        lines = [line.split() for line in at.text().split("\n") if " USDT " in line and " total" not in line]
        assert [words[-5:-2] for words in lines if "BINANCE" in words] == [
            ["-1.0000", "66.5000", "65.5000"],
            ["-0.5000", "67.0000", "66.5000"],
            ["+2.0000", "65.0000", "67.0000"],
            ["-50.0000", "115.0000", "65.0000"],
            ["+15.0000", "100.0000", "115.0000"],
            ["+1.0000", "99.0000", "100.0000"],
        ]
        assert "transfer" in line_of(at, "-50.0000") and "deposit" in line_of(at, "+15.0000")
        assert "loan borrow" in line_of(at, "+2.0000")
        assert "OKX" in line_of(at, "+49.0000"), "a coin without another row has an amount without balances"
        assert "7 rows · +15.50" in at.text()


HELD_BACK = "what a working spot order holds back has no row"


@pytest.mark.parametrize("size", [(120, 36), (200, 60)])
async def test_the_statement_explains_gaps_that_no_transfer_fills(size: tuple[int, int]) -> None:
    rows = [
        msgspec.structs.replace(booked("LAST", "USDT", "-1", "66.5", "65.5"), create_at=at_minute(9)),
        msgspec.structs.replace(booked("FIRST", "USDT", "1", "99", "100.0"), create_at=at_minute(1)),
    ]
    async with desk(*size) as at:
        await at.press("H", ")", ")", ")")
        await answer(at, "statement", *rows)
        assert HELD_BACK not in at.text(), "a transfer may lie between"
        await answer_other(at, "history/bills", bill(1, 3, "15", "", "BINANCE", type=0))
        await answer_other(at, "history/loan_statement")
        assert HELD_BACK in at.text()
        await answer_other(at, "history/bills", bill(1, 3, "33.5", "BINANCE", "OKX"))
        assert HELD_BACK not in at.text()


async def test_the_statement_title_counts_added_rows_separately() -> None:
    rows = [
        msgspec.structs.replace(booked(str(at), "USDT", "1", str(at), str(at + 1)), create_at=at_minute(at))
        for at in range(5, 3, -1)
    ]
    bills = [bill(number, 6 + number, "5", "", "OKX", type=0) for number in range(3)]
    async with desk(200, 60) as at:
        await at.press("H", ")", ")", ")")
        await answer(at, "statement", *rows, state=ReadState.PART, total=4)
        assert "statement 2 of 4+" in at.text()
        await answer_other(at, "history/bills", *bills)
        assert "statement 2 of 4+, 3 others" in at.text()
        await answer(at, "statement", *rows)
        assert "statement 5 " in at.text()


async def test_statement_says_which_changes_it_could_not_read() -> None:
    async with desk(200, 60) as at:
        await at.press("H", ")", ")", ")")
        await answer(at, "statement", booked("FIRST", "USDT", "1", "99", "100"))
        await answer_other(at, "history/bills", state=ReadState.FAILED, text="only keys of sub portfolios read bills")
        assert "transfers not read: only keys of sub portfolios read bills" in at.text()


async def test_the_statement_says_that_it_has_only_newest_transfers() -> None:
    """Of more than 5,000 transfers the older ones were missing between its rows, on the screen and in the file."""
    services = LauncherServices(save_table=lambda name, *_: name)
    async with desk(200, 60, services=services) as at:
        await at.press("H", ")", ")", ")")
        await answer(at, "statement", booked("FIRST", "USDT", "1", "99", "100"))
        await answer_other(at, "history/bills", bill(1, 6, "5", "", "OKX", type=0), state=ReadState.FULL)
        said = "only the newest 1 transfers: a shorter window shows all"
        assert said in at.text()
        await at.press("d")
        assert at.events()[-1].endswith(f"; {said}")


async def test_a_statement_drops_transfers_of_the_former_time_window() -> None:
    """The lists of bills and loans come later than the statement: until then they are those of the window before."""
    async with desk(200, 60) as at:
        await at.press("H", ")", ")", ")", "o", *"90d", "enter")
        await answer(at, "statement", msgspec.structs.replace(booked("A", "USDT", "1", "99", "100"), create_at=NOW_MS))
        await answer_other(at, "history/bills", bill(1, 0, "15", "", "BINANCE", type=0, created_at=NOW_MS - 9 * DAY_MS))
        assert "+15.0000" in at.text()
        await at.press("o", *"7d", "enter")
        await answer(at, "statement", msgspec.structs.replace(booked("A", "USDT", "1", "99", "100"), create_at=NOW_MS))
        assert "+1.0000" in at.text() and "+15.0000" not in at.text()


async def test_a_statement_of_one_type_reads_no_transfers() -> None:
    async with desk(200, 60) as at:
        await at.press("H", ")", ")", ")", "o", *"type:TRADE", "enter")
        keys = [one.key for one in at.port.read_requests if isinstance(one, ServiceQuery)]
        assert keys[-1] == "history/statement" and keys.count("history/bills") == 1
