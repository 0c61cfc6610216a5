"""Cells of the history: amounts of a coin under each other, and the orders of the service itself."""

from __future__ import annotations

import pytest
from rich.color import Color

from tests.workstation.driver import Desk, desk
from tui.engine.rows import Table
from tui.engine.service_query import ListRead, ReadState, ServiceQuery
from tui.interface.families.history import StatementRecord, TradeRecord
from tui.interface.families.orders import OrderRecord

BTC = "BINANCE_PERP_BTC_USDT"


async def answer(at: Desk, kind: str, *rows: object) -> None:
    """Answer the newest question about a list."""
    query = [one for one in at.port.read_requests if isinstance(one, ServiceQuery) and one.key == f"history/{kind}"][-1]
    read = ListRead(query=query, state=ReadState.WHOLE, rows=rows, total=len(rows))
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
