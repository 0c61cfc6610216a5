"""A day of trading by keyboard alone, at every size: each figure on the screen is compared with what the venue holds."""

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
from tests.terminal.rows import Row, find_row
from tests.terminal.terminal import TOP, Terminal
from tests.terminal.trader import send

BELL = b"\x07"
"""Bell of a fill; no other control byte may reach the terminal."""

Start = Callable[..., Terminal]

SIZES = [
    pytest.param(80, 24, id="80x24"),
    pytest.param(120, 36, id="120x36", marks=pytest.mark.real),
    pytest.param(160, 45, id="160x45"),
    pytest.param(200, 60, id="200x60", marks=pytest.mark.real),
]
"""Sizes of the terminal; the two between and beyond are run by hand."""

COLUMNS = {
    "quotes": ("bid", "ask", "age"),
    "orders": ("state", "symbol", "intent"),
    "positions": ("leg", "entry"),
    "assets": ("coin", "balance"),
    "adl": ("first", "raw"),
    "fills": ("exec", "qty"),
}
"""Column names that tell a pane at every size."""
NUMBERS = {"quotes": "1", "orders": "2", "positions": "3", "assets": "4", "adl": "5"}


LAST_WORDS = "Enter sends", "y sends", "would be refused │"
"""Ends of the last line of a staged ticket; a post-only order would be refused where it would take."""
STILL_TOUCH = Decimal("61777.1"), Decimal("61777.2")
"""Bid and ask of the first pair on the still market."""
RECORDING = TOP.parent / "shared" / "data" / "btc_20240808.csv.gz"


class Trader:
    """Hands on a keyboard, eyes on a screen, and the venue's own word for everything seen."""

    def __init__(self, desk: Terminal, first: str = "no open orders") -> None:
        self.desk = desk
        desk.see(first)
        self.venue = Venue(desk.home)

    def arm(self) -> None:
        self.desk.press("a")
        self.desk.see("PAPER", "ARMED")

    def send(self) -> None:
        """The key that the ticket names; an old quote is asked about and answered."""
        send(self.desk)

    def stage(self, side: str, size: str, *keys: str) -> None:
        """Stage at join from the quotes, type a size, and press more ticket keys on the preview line."""
        self.desk.walk_to("1")
        self.desk.press(side)
        self.desk.see("Staged", "BINANCE BTC")
        self.desk.press(*size)
        self.desk.see("size", f"▸{size} ")
        self.desk.press("tab")
        self.desk.see("Enter sends")
        for key in keys:
            before = staged_text(self.desk.display)
            self.desk.press(key)
            self.desk.until(lambda display, old=before: staged_text(display) != old, f"what {key} changes")  # type: ignore[misc]

    def row(self, pane: str, *words: str) -> Row:
        """The line with the words in a pane, which is brought up where another tab covers it."""
        columns = COLUMNS[pane]
        if find_row(self.desk.display, columns) is None:
            first, *turns = self._way_to(pane)
            self.desk.walk_to(first)
            self.desk.press(*turns)
        return self.desk.until(lambda display: find_row(display, columns, *words), f"{words} in {pane}")

    def until_row(self, pane: str, true: Callable[[Row], bool], what: str, *words: str) -> None:
        """Wait until the line with the words in a pane is as it should be."""
        self.row(pane, *words)
        self.desk.until(
            lambda display: any(map(true, filter(None, [find_row(display, COLUMNS[pane], *words)]))),
            f"{what} in {pane}",
        )

    def _way_to(self, pane: str) -> list[str]:
        """Keys that bring a pane up: its number, or as many turns from the assets as there are tabs between."""
        if pane in NUMBERS:
            return [NUMBERS[pane]]
        tabs = next(line for line in self.desk.display if "4 Assets" in line and pane.title() in line)
        return ["4", *")" * tabs[tabs.index("4 Assets") : tabs.index(pane.title())].count("│")]

    def order(self, client_or_state: str = "") -> dict[str, Any]:
        """The venue's one working order."""
        rows = self.venue.open_orders()
        assert len(rows) == 1, rows
        return rows[0]

    def until_venue(self, true: Callable[[], Any], what: str) -> Any:
        deadline = time.monotonic() + 10
        while not (hit := true()):
            assert time.monotonic() < deadline, what
            time.sleep(0.05)  # at most 200 times: the venue answers 300 in a minute
        return hit


def staged_text(display: list[str]) -> list[str]:
    """The lines of the staged ticket, without the age of its quote."""
    first = next(at for at, line in enumerate(display) if "Staged" in line)
    last = next(at for at, line in enumerate(display) if any(words in line for words in LAST_WORDS))
    return [re.sub(r"STALE \S+|\d+s\b", "", line) for line in display[first : last + 1]]


def order_figures(row: Row) -> list[Decimal]:
    """Price, rest and total of a line of the orders."""
    if "rest/total" in row:
        return [row.figure("price"), *map(Decimal, row.text("rest/total").split("/"))]
    return [row.figure("price"), row.figure("rest"), row.figure("total")]


def shows_order(trader: Trader, state: str, *figures: Decimal) -> None:
    """The order of this state becomes one of this price, rest and total."""
    trader.until_row(
        "orders", lambda row: order_figures(row) == list(figures), f"{figures}", state, "BINANCE BTC", "buy"
    )


@pytest.mark.usefixtures("as_users_start_it")
@pytest.mark.parametrize(("columns", "lines"), SIZES)
def test_a_trading_session_by_keyboard_matches_the_venue(
    start: Start, columns: int, lines: int, record_property: Callable[[str, object], None]
) -> None:
    trader = Trader(start(*STILL, columns=columns, lines=lines))
    trader.until_row(
        "quotes", lambda row: (row.figure("bid"), row.figure("ask")) == STILL_TOUCH, "the touch", "BINANCE", "1t"
    )
    trader.arm()
    _rests_and_is_replaced(trader)
    _is_cancelled(trader)
    _takes(trader)
    _closes(trader)
    _cancels_everything(trader)
    assert set(trader.desk.raw_control_bytes()) <= {BELL}
    _kills_out_of_a_text_field(trader)
    record_property("orders", len(trader.venue.get("/api/v1/trading/history/orders")["list"]))
    record_property("fills", len(trader.venue.get("/api/v1/trading/executions")))


def _rests_and_is_replaced(trader: Trader) -> None:
    desk, venue = trader.desk, trader.venue
    trader.stage("b", "0.01", "-", "-")
    trader.send()
    held = trader.until_venue(venue.open_orders, "the order")[0]
    price = Decimal(held["limitPrice"])
    shows_order(trader, "OPEN", price, Decimal("0.01"), Decimal(held["orderQty"]))
    assert (held["orderState"], held["side"], held["timeInForce"]) == ("OPEN", "BUY", "GTX")

    trader.desk.walk_to("2")
    desk.press("e")
    desk.see("price", "post-only", "would rest")
    lower = price - 5
    desk.press(*str(lower), "enter", "enter")
    trader.send()
    trader.until_venue(lambda: Decimal(trader.order()["limitPrice"]) == lower, "the new price")
    shows_order(trader, "OPEN", lower, Decimal("0.01"), Decimal("0.01"))

    trader.desk.walk_to("2")
    desk.press("e")
    desk.see("price", "post-only", "would rest")
    desk.press("tab", *"0.025", "enter")
    trader.send()
    trader.until_venue(lambda: Decimal(trader.order()["orderQty"]) == Decimal("0.025"), "the new quantity")
    shows_order(trader, "OPEN", lower, Decimal("0.025"), Decimal("0.025"))
    assert held["orderId"] == venue.open_orders()[0]["orderId"]


def _is_cancelled(trader: Trader) -> None:
    trader.desk.walk_to("2")
    trader.desk.see("▸OPEN")
    trader.desk.press("c")
    trader.until_venue(lambda: not trader.venue.open_orders(), "the cancel")
    assert order_figures(trader.row("orders", "CANCELLED", "BINANCE BTC"))[1] == Decimal("0.025")


def _takes(trader: Trader) -> None:
    venue = trader.venue
    before = Decimal(venue.balance("BINANCE", "USDT"))
    trader.stage("b", "0.02", "T")
    trader.send()
    assert trader.row("orders", "FILLED", "BINANCE BTC")
    position = trader.until_venue(venue.positions, "the position")[0]
    row = trader.row("positions", "BINANCE BTC", "LONG")
    assert (row.figure("size"), row.figure("entry")) == (
        Decimal(position["positionQty"]), Decimal(position["avgPrice"]),
    )  # fmt: skip
    after = Decimal(venue.balance("BINANCE", "USDT"))
    assert after < before
    _shows_balance(trader)
    [fill] = venue.get("/api/v1/trading/executions")
    _shows_fill(trader, fill)
    ranks = trader.until_venue(lambda: venue.get("/api/v1/adl/rank")["adlRanks"], "a rank")
    trader.desk.walk_to("5")
    assert trader.row("adl", "BINANCE BTC L", "●").line.count("●") == int(ranks[0]["adlRank"])


def _shows_balance(trader: Trader) -> None:
    """The balance on the screen becomes the venue's, to the cent."""
    held = round(Decimal(trader.venue.balance("BINANCE", "USDT")), 2)
    trader.desk.walk_to("4")
    trader.until_row("assets", lambda row: row.figure("balance") == held, f"balance {held}", "USDT", "BINANCE")


def _shows_fill(trader: Trader, fill: dict[str, Any]) -> None:
    """Quantity and price of the newest fill are the venue's; its fee is shown as what it does to the balance."""
    wanted = (Decimal(fill["quantity"]), Decimal(fill["price"]), round(-Decimal(fill["fee"]), 4))
    trader.until_row(
        "fills",
        lambda row: (row.figure("qty"), row.figure("price"), row.figure("fee")) == wanted,
        f"fill {wanted}",
        "BINANCE BTC",
        fill["side"].lower(),
    )


def _closes(trader: Trader) -> None:
    desk, venue = trader.desk, trader.venue
    trader.desk.walk_to("3")
    desk.press("f")
    desk.see("the whole position, at market")
    trader.send()
    desk.see("flat (checked")
    trader.until_venue(lambda: not venue.positions(), "flat at the venue")
    fills = {fill["side"]: fill for fill in venue.get("/api/v1/trading/executions")}
    assert sorted(fills) == ["BUY", "SELL"]
    _shows_fill(trader, fills["SELL"])
    _shows_balance(trader)
    desk.gone("BINANCE BTC L", "●")


def _cancels_everything(trader: Trader) -> None:
    desk, venue = trader.desk, trader.venue
    for count in range(1, 4):
        trader.stage("b", "0.00" + str(count), *("-",) * count)
        trader.send()
        trader.until_venue(lambda wanted=count: len(venue.open_orders()) == wanted, "the next order")  # type: ignore[misc]
    trader.desk.walk_to("2")
    desk.until(lambda display: sum(line[1:].startswith("OPEN") for line in display) == 3, "three orders on the screen")
    desk.press("C")
    desk.see("portfolio main (PAPER): cancel 3 orders")
    desk.press("enter")
    desk.gone("cancel 3 orders")
    assert len(venue.open_orders()) == 3, "Enter never confirms"
    desk.press("C")
    desk.see("portfolio main (PAPER): cancel 3 orders")
    desk.press("y")
    trader.until_venue(lambda: not venue.open_orders(), "nothing left")


def _kills_out_of_a_text_field(trader: Trader) -> None:
    desk, venue = trader.desk, trader.venue
    trader.stage("b", "0.01", "-")
    trader.send()
    trader.until_venue(venue.open_orders, "a resting order")
    trader.desk.walk_to("1")
    desk.press("b", "5")
    desk.see("size", "▸5 ")
    desk.press("X")
    desk.see("Enter: cancel entries of")
    desk.see("VIEW and HALT")
    desk.press("escape")
    desk.gone("Enter: cancel entries of")
    desk.press("ctrl+g")
    desk.see("Enter: cancel entries of")
    desk.press("enter")
    trader.until_venue(lambda: not venue.open_orders(), "the kill")
    desk.see("PAPER", "VIEW")


def test_an_open_order_is_shown_again_after_kill_9_and_restart(start: Start) -> None:
    trader = Trader(start(*STILL))
    desk = trader.desk
    trader.arm()
    trader.stage("b", "0.01", "-", "-")
    trader.send()
    trader.row("orders", "OPEN", "BINANCE BTC")
    held = trader.order()
    desk.process.kill()
    desk.process.wait()
    again = start(*STILL, home=desk.home)
    kept = Trader(again, "OPEN")
    shows_order(kept, "OPEN", Decimal(held["limitPrice"]), Decimal(held["orderQty"]), Decimal(held["orderQty"]))
    assert kept.order()["orderId"] == held["orderId"]
    again.see("1 working")
    kept.arm()
    again.press("2")
    again.see("▸OPEN")
    again.press("c")
    kept.until_venue(lambda: not kept.venue.open_orders(), "the cancel")
    again.see("0 working")


@pytest.mark.skipif(not RECORDING.exists(), reason="the recorded market is not beside this checkout")
def test_prices_and_fills_on_a_replayed_market_are_the_recorded(start: Start) -> None:
    recorded = _recorded_prices(RECORDING)
    trader = Trader(start("--market", str(RECORDING), "--set", "latency=test", "--set", "past=off"))
    desk, venue = trader.desk, trader.venue
    desk.see("REPLAY")
    trader.arm()
    for _ in range(3):
        quote = trader.row("quotes", "BINANCE", "1t")
        assert (quote.figure("bid"), quote.figure("ask")) in recorded
    trader.stage("b", "0.01", *"[" * 30)  # 300 ticks away, where the market does not come meanwhile
    trader.send()
    price, _, total = order_figures(trader.row("orders", "OPEN", "BINANCE BTC"))
    held = trader.order()
    assert (price, total) == (Decimal(held["limitPrice"]), Decimal(held["orderQty"]))
    desk.press("2")
    desk.see("▸OPEN")
    desk.press("c")
    trader.until_venue(lambda: not venue.open_orders(), "the cancel")
    trader.stage("b", "0.02", "T", "t", "t", "t", "+", "+", "+", "+", "+")
    trader.send()
    desk.see("FILLED", "BINANCE BTC")
    limit, _, _ = order_figures(trader.row("orders", "FILLED", "BINANCE BTC"))
    # What the ask did not hold any more at the moment of sending waited at the limit until the market came there.
    for fill in trader.until_venue(lambda: venue.get("/api/v1/trading/executions"), "a fill"):
        assert Decimal(fill["price"]) in ({limit} if fill["execType"] == "MAKER" else {ask for _, ask in recorded}), (
            fill
        )
    position = trader.until_venue(venue.positions, "the position")[0]
    row = trader.row("positions", "BINANCE BTC", "LONG")
    assert row.figure("size") == Decimal(position["positionQty"])
    assert abs(row.figure("entry") - Decimal(position["avgPrice"])) <= Decimal("0.05")
    desk.press("3", "f")
    desk.see("the whole position, at market")
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
