"""Files of the history: the rows as they are shown, with every field."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest

from tests.workstation.driver import desk
from tests.workstation.screens.history_desk import (
    TABLES,
    Past,
    answer,
)
from tui.crossdesk_error import CrossdeskError
from tui.engine.service_query import ReadState
from tui.interface.families.history import StatementRecord
from tui.rules.bookings import compute_booking_amount, compute_closed_net
from tui.rules.pnl import fill_net


class Shelf:
    """Takes tables, or refuses."""

    def __init__(self) -> None:
        self.kept: list[tuple[str, list[str], list[list[str]]]] = []
        self.broken = ""

    def __call__(self, name: str, header: Sequence[str], records: Sequence[Sequence[str]]) -> str:
        if self.broken:
            raise CrossdeskError(self.broken)
        self.kept.append((name, list(header), [list(record) for record in records]))
        return f"/home/exports/{name}.csv"


async def test_history_export_writes_the_visible_rows_with_every_field(
    past: Past, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = past.lists["fills"][:30]
    shelf = Shelf()
    async with desk(120, 36) as at:
        monkeypatch.setattr(at.app.controllers.lists, "_save", shelf)
        await at.press("H", "d")
        assert "there are no rows to export" in at.text()
        await at.press(")")
        await answer(at, "fills", rows, ReadState.PART, total=90)
        await at.press("/", *"side:sell", "enter", "d")
        [(name, header, records)] = shelf.kept
        wanted = [row for row in rows if row.side == "SELL"]
        assert (name, header[:2]) == ("history-fills", ["transactionId", "portfolioId"])
        assert [record[0] for record in records] == [row.transaction_id for row in wanted]
        assert all(len(record) == len(header) for record in records)
        assert "written to /home/exports/history-fills.csv, from a list that is not fully loaded" in (
            at.app.mirror.event_log.events[-1][1].text
        )
        shelf.broken = "no room"
        await at.press("d")
        assert "no room" in at.app.mirror.event_log.events[-1][1].text


@pytest.mark.parametrize(("tab", "name"), [("fills", "net"), ("closed", "net"), ("statement", "booked")])
async def test_history_export_writes_amounts_and_times_as_shown(
    past: Past, monkeypatch: pytest.MonkeyPatch, tab: str, name: str
) -> None:
    rows, shelf = past.lists[tab][:30], Shelf()
    amounts: dict[str, Callable[[Any], Decimal]] = {
        "fills": fill_net,
        "closed": compute_closed_net,
        "statement": compute_booking_amount,
    }
    async with desk(120, 36) as at:
        monkeypatch.setattr(at.app.controllers.lists, "_save", shelf)
        await at.press("H", *[")"] * list(TABLES).index(tab))
        await answer(at, tab, rows)
        await at.press("d")
    [(_, header, records)] = shelf.kept
    written = [dict(zip(header, record, strict=True)) for record in records]
    assert [Decimal(row[name]) for row in written] == [amounts[tab](row) for row in rows]
    times = [column for column in header if column.endswith(" (UTC)")]
    assert times
    for row in written:
        for column in times:
            raw = row[column.removesuffix(" (UTC)")]
            read = datetime.strptime(row[column] + "+0000", "%Y-%m-%d %H:%M:%S.%f%z")
            assert round(read.timestamp() * 1000) == int(raw)


BOOKED = StatementRecord(
    portfolio_id=7001, request_id="1699999200000", statement_id="42", coin="USDT", sym="OKX_PERP_BTC_USDT",
    statement_type="DEDUCT_INTEREST", exchange_type="OKX", business_type="PERP", before_available="100.00",
    after_available="99.9", before_borrow="5", after_borrow="5.025", delta_amount="-0.10", create_at="1700000000001",
)  # fmt: skip
IN_A_FILE = {
    "portfolioId": "7001", "requestId": "1699999200000", "statementId": "42", "coin": "USDT",
    "sym": "OKX_PERP_BTC_USDT", "statementType": "DEDUCT_INTEREST", "exchangeType": "OKX", "businessType": "PERP",
    "beforeAvailable": "100.00", "afterAvailable": "99.9", "beforeOverdraw": "0", "afterOverdraw": "0",
    "beforeBorrow": "5", "afterBorrow": "5.025", "deltaAmount": "-0.10", "createAt": "1700000000001",
    "booked": "-0.125", "createAt (UTC)": "2023-11-14 22:13:20.001",
}  # fmt: skip


async def test_history_export_writes_a_statement_row_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    shelf = Shelf()
    async with desk(120, 36) as at:
        monkeypatch.setattr(at.app.controllers.lists, "_save", shelf)
        await at.press("H", ")", ")", ")")
        await answer(at, "statement", [BOOKED])
        await at.press("d")
    assert shelf.kept == [("history-statement", list(IN_A_FILE), [list(IN_A_FILE.values())])]
