"""The trader's way over the history in a real terminal: windows, filters, one order, a file, and what is refused."""

from __future__ import annotations

import csv
import re
import stat
from collections.abc import Callable

import pytest

from tests.terminal.terminal import Terminal

Start = Callable[..., Terminal]
WITH_A_PAST = ("--seed", "7", "--set", "latency=test", "--set", "agents=still")


def _enter(desk: Terminal) -> None:
    desk.see("BINANCE", "1t")
    desk.press("H")
    desk.see("History", "7 days")
    desk.see("orders", "traded")


def _ask(desk: Terminal, line: str) -> None:
    desk.press("o")
    desk.see("Ask the history")
    desk.press(*line)
    desk.see(f"▸ query {line}_")


def _count_orders(display: list[str], least: int) -> int:
    """Return how many orders of week and archive the title says are read; 0 for less than `least`."""
    counts = [int(count) for line in display for count in re.findall(r"orders (\d+)", line)]
    return counts[0] if counts and counts[0] >= least else 0


@pytest.mark.parametrize(("columns", "lines"), [(80, 24), (160, 45)])
def test_history_finds_an_old_order_and_exports_its_fills(start: Start, columns: int, lines: int) -> None:
    desk = start(*WITH_A_PAST, columns=columns, lines=lines)
    _enter(desk)
    _ask(desk, "90d only")
    desk.see("Enter sends the query")
    desk.press("enter")
    desk.see("History", "90 days", "only executed")
    first = desk.until(lambda display: _count_orders(display, 200), "the first page of the archive")
    desk.press("n")
    desk.until(lambda display: _count_orders(display, first + 1), "the next page")
    desk.press("enter")
    card = desk.see("client order id")
    client_id = card.split("client order id")[1].split()[0]
    desk.press("pagedown")
    desk.see("executed avg price")
    desk.press("escape")
    desk.gone("client order id")
    _ask(desk, client_id)
    desk.press("enter")
    desk.see("History", "order past")
    desk.see("1 order, 1 traded")
    desk.press("l")
    desk.see("fill", "of 1 order")
    desk.press("d")
    said = desk.see("written to")
    desk.press("escape")
    desk.gone("Esc: desk")
    folder = desk.home / "data" / "exports"
    [path] = folder.iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "rows written to" in said
    assert path.name.startswith("history-fills")
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows
    assert {row["clientOrderId"] for row in rows} == {client_id}


def test_history_lists_of_positions_and_volume_have_totals(start: Start) -> None:
    desk = start(*WITH_A_PAST, columns=120, lines=36)
    _enter(desk)
    _ask(desk, "90d")
    desk.press("enter")
    desk.see("History", "90 days")
    desk.press(")", ")")
    desk.see("total", "won")
    desk.press(")")
    desk.see("funding fee")
    desk.see("rows ·", "USDT")
    _ask(desk, "90d type:dividend")
    desk.press("enter")
    desk.see("3 rows ·", "ETH")
    desk.press(")", ")")
    desk.see("volume", "all portfolios")
    desk.see("total")
    desk.press("escape")
    desk.see("Fills", "0")


def test_a_slow_archive_query_is_shown_and_can_be_stopped(start: Start) -> None:
    desk = start(*WITH_A_PAST, "--set", "reply_delay=order_archive:1:20000", columns=120, lines=36)
    _enter(desk)
    _ask(desk, "sym:btc")
    desk.see("sym:BTC fits")
    desk.press("enter")
    desk.see("Ask the history")
    desk.press("escape")
    desk.gone("Ask the history")
    desk.press("w")
    desk.see("reading the archive, which takes a while… (s stops)")
    desk.press("s")
    desk.see("stopped (n continues)")
    _ask(desk, "no-such-order-1")
    desk.press("enter")
    desk.see("not read: no order has the id no-such-order-1")
    desk.press("escape")
    desk.gone("Esc: desk")
    desk.press("x")
    desk.press("ctrl+p")
    desk.see("Find a screen")
    desk.press(*"history: or")
    desk.see("▸ history: orders, fills")
    desk.press("enter")
    desk.see("History")
