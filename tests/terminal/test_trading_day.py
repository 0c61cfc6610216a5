"""A day of trading by keyboard alone: every figure on the screen is compared with what the venue holds."""

from __future__ import annotations

import csv
import gzip
import re
import time
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.terminal.conftest import STILL, Venue
from tests.terminal.terminal import TOP, Terminal

Start = Callable[..., Terminal]

REARM_S = 0.75
"""A key that sent counts again only after a pause; no hand is slower than a test."""

RECORDING = TOP.parent / "shared" / "data" / "btc_20240808.csv.gz"


class Trader:
    """Hands on a keyboard, eyes on a screen, and the venue's own word for everything seen."""

    def __init__(self, desk: Terminal) -> None:
        self.desk = desk
        desk.see("no open orders")
        self.venue = Venue(desk.home)
        self._sent = 0.0

    def arm(self) -> None:
        self.desk.press("a")
        self.desk.see("PAPER", "ARMED")

    def send(self) -> None:
        """Enter on the preview line; an old quote is asked about and answered."""
        self.desk.see("Enter sends")
        time.sleep(max(0.0, self._sent + REARM_S - time.monotonic()))
        self.desk.press("enter")
        self._sent = time.monotonic()
        asked = self.desk.until(
            lambda display: next(
                (word for word in ("y sends", " ticket ") if any(word in line for line in display)), None
            ),
            "the question or the end of the ticket",
        )
        if asked == "y sends":
            time.sleep(0.3)
            self.desk.press("y")
            self.desk.gone("y sends")

    def stage(self, side: str, size: str, *keys: str) -> None:
        """Stage at join from the quotes, type a size, and press more ticket keys on the preview line."""
        self.desk.press("1", side)
        self.desk.see("Staged", "BINANCE BTC")
        self.desk.press(*size)
        self.desk.press("enter")
        self.desk.see("Enter sends")
        self.desk.press(*keys)

    def order(self, client_or_state: str = "") -> dict[str, Any]:
        """The venue's one working order."""
        rows = self.venue.open_orders()
        assert len(rows) == 1, rows
        return rows[0]

    def until_venue(self, true: Callable[[], Any], what: str) -> Any:
        deadline = time.monotonic() + 10
        while not (hit := true()):
            assert time.monotonic() < deadline, what
            time.sleep(0.02)
        return hit


def shown(line: str, pattern: str) -> list[Decimal]:
    """Figures of a line by a pattern, without thousands separators."""
    found = re.search(pattern, line)
    assert found is not None, (pattern, line)
    return [Decimal(text.replace(",", "")) for text in found.groups()]


def order_line(desk: Terminal, state: str) -> list[Decimal]:
    """Price, rest and total of the order shown in a state."""
    line = desk.see(state, "BINANCE BTC", "buy")
    price, total, _, rest = shown(line, r"buy\s+([\d,.]+)\s+([\d,.]+)\s+([\d,.]+)\s+([\d,.]+)")
    return [price, rest, total]


def test_a_day_by_keyboard(start: Start) -> None:
    trader = Trader(start(*STILL))
    desk, venue = trader.desk, trader.venue
    trader.arm()
    _rests_and_is_replaced(trader)
    desk.press("2")
    desk.see("▸OPEN")
    desk.press("c")
    trader.until_venue(lambda: not venue.open_orders(), "the cancel")
    desk.see("CANCELLED", "BINANCE BTC")
    _takes_and_closes(trader)
    _cancels_everything(trader)
    assert desk.raw_control_bytes() == []


def _rests_and_is_replaced(trader: Trader) -> None:
    desk, venue = trader.desk, trader.venue
    trader.stage("b", "0.01", "-", "-")
    trader.send()
    price, rest, total = order_line(desk, "OPEN")
    held = trader.order()
    assert (price, rest, total) == (Decimal(held["limitPrice"]), Decimal("0.01"), Decimal(held["orderQty"]))
    assert (held["orderState"], held["side"], held["timeInForce"]) == ("OPEN", "BUY", "GTX")

    desk.press("2", "e")
    desk.see("price", "post-only", "would rest")
    lower = price - 5
    desk.press(*str(lower), "enter", "enter")
    trader.send()
    trader.until_venue(lambda: Decimal(trader.order()["limitPrice"]) == lower, "the new price")
    desk.see("OPEN", "BINANCE BTC", f"{lower:,}")
    desk.gone("amend…")
    assert order_line(desk, "OPEN") == [lower, Decimal("0.01"), Decimal("0.01")]

    desk.press("2", "e")
    desk.see("price", "post-only", "would rest")
    desk.press("tab", *"0.025", "enter")
    trader.send()
    trader.until_venue(lambda: Decimal(trader.order()["orderQty"]) == Decimal("0.025"), "the new quantity")
    desk.see("OPEN", "0.025", "0.000")
    assert order_line(desk, "OPEN") == [lower, Decimal("0.025"), Decimal("0.025")]
    assert held["orderId"] == venue.open_orders()[0]["orderId"]


def _takes_and_closes(trader: Trader) -> None:
    desk, venue = trader.desk, trader.venue
    before = venue.balance("BINANCE", "USDT")
    trader.stage("b", "0.02", "T")
    trader.send()
    desk.see("FILLED", "BINANCE BTC", "0.020")
    desk.see("Fills 1")
    position = trader.until_venue(venue.positions, "the position")[0]
    line = desk.see("BINANCE BTC", "LONG")
    size, entry = shown(line, r"LONG\s+([\d,.]+)\s+[+\d,.]+\s+[\d,.]+\s+[\d,.]+\s+([\d,.]+)")
    assert (size, entry) == (Decimal(position["positionQty"]), Decimal(position["avgPrice"]))
    after = venue.balance("BINANCE", "USDT")
    assert Decimal(after) < Decimal(before)
    desk.see("USDT", "BINANCE", f"{round(Decimal(after), 2):,}")
    ranks = trader.until_venue(lambda: venue.get("/api/v1/adl/rank")["adlRanks"], "a rank")
    desk.press("5")
    lights = desk.see("BINANCE BTC L", "●")
    assert lights.count("●") == int(ranks[0]["adlRank"])

    desk.press("3", "f")
    desk.see("the whole leg, at market")
    trader.send()
    desk.see("flat (checked")
    trader.until_venue(lambda: not venue.positions(), "flat at the venue")
    desk.see("Fills 2")
    fills = venue.get("/api/v1/trading/executions")
    assert sorted(fill["side"] for fill in fills) == ["BUY", "SELL"]
    desk.press("4")
    desk.see("USDT", "BINANCE", f"{round(Decimal(venue.balance('BINANCE', 'USDT')), 2):,}")
    desk.gone("BINANCE BTC L", "●")


def _cancels_everything(trader: Trader) -> None:
    desk, venue = trader.desk, trader.venue
    for count in range(1, 4):
        trader.stage("b", "0.00" + str(count), *("-",) * count)
        trader.send()
        trader.until_venue(lambda wanted=count: len(venue.open_orders()) == wanted, "the next order")  # type: ignore[misc]
    desk.see("3 working")
    desk.press("2", "C")
    desk.see("portfolio main (PAPER): cancel 3 orders")
    time.sleep(0.3)
    desk.press("enter")
    desk.gone("cancel 3 orders")
    assert len(venue.open_orders()) == 3, "Enter never confirms"
    desk.press("C")
    desk.see("portfolio main (PAPER): cancel 3 orders")
    time.sleep(0.3)
    desk.press("y")
    trader.until_venue(lambda: not venue.open_orders(), "nothing left")
    desk.see("0 working")


def test_the_kill_prompt_out_of_a_text_field_cancels_and_goes_to_view(start: Start) -> None:
    trader = Trader(start(*STILL, columns=80, lines=24))
    desk, venue = trader.desk, trader.venue
    trader.arm()
    trader.stage("b", "0.01", "-")
    trader.send()
    trader.until_venue(venue.open_orders, "a resting order")
    desk.press("1", "b", "5", "X")
    desk.see("5X")
    desk.press("ctrl+g")
    desk.see("Enter", "VIEW")
    time.sleep(0.3)
    desk.press("enter")
    trader.until_venue(lambda: not venue.open_orders(), "the kill")
    desk.see("PAPER", "VIEW")


def test_an_order_survives_kill_9_and_a_restart_on_the_same_home(start: Start) -> None:
    trader = Trader(start(*STILL))
    desk = trader.desk
    trader.arm()
    trader.stage("b", "0.01", "-", "-")
    trader.send()
    order_line(desk, "OPEN")
    held = trader.order()
    desk.process.kill()
    desk.process.wait()
    again = start(*STILL, home=desk.home)
    price, rest, total = order_line(again, "OPEN")
    assert (price, rest, total) == (Decimal(held["limitPrice"]), Decimal(held["orderQty"]), Decimal(held["orderQty"]))
    kept = Trader.__new__(Trader)
    kept.desk, kept.venue, kept._sent = again, Venue(again.home), 0.0
    assert kept.order()["orderId"] == held["orderId"]
    again.see("1 working")
    kept.arm()
    again.press("2")
    again.see("▸OPEN")
    again.press("c")
    kept.until_venue(lambda: not kept.venue.open_orders(), "the cancel")
    again.see("0 working")


@pytest.mark.skipif(not RECORDING.exists(), reason="the recorded market is not beside this checkout")
def test_a_day_on_the_recorded_market(start: Start) -> None:
    recorded = _recorded_prices(RECORDING)
    trader = Trader(start("--market", str(RECORDING), "--set", "latency=test"))
    desk, venue = trader.desk, trader.venue
    desk.see("REPLAY")
    trader.arm()
    for _ in range(3):
        line = desk.see("BINANCE", "1t")
        bid, ask = shown(line, r"([\d,]+\.\d)\s+([\d,]+\.\d)\s")
        assert (bid, ask) in recorded
    trader.stage("b", "0.01", "[", "[", "[", "[")
    trader.send()
    price, _, total = order_line(desk, "OPEN")
    held = trader.order()
    assert (price, total) == (Decimal(held["limitPrice"]), Decimal(held["orderQty"]))
    desk.press("2")
    desk.see("▸OPEN")
    desk.press("c")
    trader.until_venue(lambda: not venue.open_orders(), "the cancel")
    trader.stage("b", "0.02", "T", "t", "t", "t", "+", "+", "+", "+", "+")
    trader.send()
    desk.see("FILLED", "BINANCE BTC")
    fill = trader.until_venue(lambda: venue.get("/api/v1/trading/executions"), "a fill")[0]
    assert Decimal(fill["price"]) in {ask for _, ask in recorded}
    position = trader.until_venue(venue.positions, "the position")[0]
    size, entry = shown(desk.see("BINANCE BTC", "LONG"), r"LONG\s+([\d,.]+)\s+[+\d,.]+\s+[\d,.]+\s+[\d,.]+\s+([\d,.]+)")
    assert size == Decimal(position["positionQty"])
    assert abs(entry - Decimal(position["avgPrice"])) <= Decimal("0.05")
    desk.press("3", "f")
    desk.see("the whole leg, at market")
    trader.send()
    desk.see("flat (checked")
    trader.until_venue(lambda: not venue.positions(), "flat at the venue")


def _recorded_prices(path: Path) -> set[tuple[Decimal, Decimal]]:
    with gzip.open(path, "rt", newline="") as file:
        return {
            (Decimal(row[3]), Decimal(row[5]))
            for row in csv.reader(file)
            if row[1] == "BINANCE_PERP_BTC_USDT" and row[2] == "BBO"
        }
