"""The journal of a desk at work is deleted: no order leaves that could not be recorded, and cancels still pass."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.terminal.terminal import Terminal
from tests.terminal.trader import Trader, at_the_desk

REASON = "journal.db was removed or replaced while it was open; start crossdesk again"


def ids(trader: Trader) -> list[str]:
    """The working orders at the venue."""
    return [row["orderId"] for row in trader.venue.data("GET", "/api/v1/trading/orders")["list"]]


@pytest.mark.parametrize("keys", [("2", "c"), ("X", "enter")], ids=["cancel", "kill"])
def test_after_its_journal_file_is_lost_a_desk_only_cancels(
    start: Callable[..., Terminal], tmp_path: Path, keys: tuple[str, str]
) -> None:
    with at_the_desk(start, tmp_path) as trader:
        desk = trader.desk
        trader.come_in()
        trader.rest_one()
        before = ids(trader)
        [journal] = (tmp_path / "home").rglob("journal.db")
        journal.unlink()
        desk.press("1", "b")
        desk.see("Staged", "BUY BINANCE BTC perp")
        desk.press("enter")
        desk.see("the same order left", "y sends")
        desk.press("y")
        desk.see("cannot record", REASON)
        desk.see("LIVE", "JOURNAL", REASON)
        assert ids(trader) == before and len(before) == 1
        desk.press("escape", *keys)
        desk.see("0 working")
        assert ids(trader) == []
        assert not journal.exists()
