"""Orders that left the venue's memory for its archive: every list and query answers as before, also after a death."""

from __future__ import annotations

import sqlite3
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.venue.shell.conftest import STILL, Venue
from tests.venue.year import PER_BURST, Life
from tui.interface import decimals

PERP = "BINANCE_PERP_BTC_USDT"
SPOT = "BINANCE_SPOT_BTC_USDT"
ORDER = "/api/v1/trading/order"
LISTS: tuple[tuple[str, dict[str, str]], ...] = (
    ("/api/v1/trading/history/orders", {}),
    ("/api/v1/trading/history/orders", {"sym": SPOT}),
    ("/api/v1/trading/history/orders", {"filterExecuted": "true"}),
    ("/api/v1/trading/history/orders", {"businessType": "PERP", "exchange": "BINANCE"}),
    ("/api/v1/trading/history/position", {}),
    ("/api/v1/trading/executions/pageable", {}),
    ("/api/v1/trading/executions/pageable", {"sym": PERP}),
    ("/api/v1/trading/archive/history/orders", {}),
    ("/api/v1/trading/statement", {}),
    ("/api/v1/trading/statement", {"statementType": "TRADE", "coin": "BTC"}),
    ("/api/v1/algo/history/orders", {}),
)


def place(venue: Venue, **changes: str) -> str:
    fields = {"sym": PERP, "side": "BUY", "orderType": "LIMIT", "orderQty": "0.01", "limitPrice": "60000", **changes}
    return str(venue.data("POST", ORDER, {name: value for name, value in fields.items() if value})["orderId"])


def live(venue: Venue) -> list[str]:
    """A day of orders; the open ones stand between those that end. The ids of all."""
    made = []
    for number in range(6):
        made.append(place(venue, clientOrderId=f"ends{number}"))
        venue.data("DELETE", ORDER, {"orderId": made[-1]})
        if number % 2:
            made.append(place(venue, clientOrderId=f"stays{number}", limitPrice="59000"))
        made.append(place(venue, orderType="MARKET", limitPrice="", clientOrderId=f"fills{number}"))
    made.append(place(venue, sym=SPOT, orderType="MARKET", limitPrice="", orderQty="0.001"))
    made.append(place(venue, slTriggerPrice="58000", orderType="MARKET", limitPrice=""))
    made.append(str(venue.data("DELETE", "/api/v1/trading/position", {"sym": PERP})["orderId"]))
    return made


def answers(venue: Venue, orders: list[str]) -> dict[str, Any]:
    """What every list and every detail says, in pages of several sizes."""
    found: dict[str, Any] = {one: venue.data("GET", ORDER, {"orderId": one}) for one in orders}
    found["by client"] = venue.data("GET", ORDER, {"clientOrderId": "ends3"})
    found["fills"] = venue.data("GET", "/api/v1/trading/executions")
    found["two fills"] = venue.data("GET", "/api/v1/trading/executions", {"limit": "2"})
    found["of an order"] = venue.data("GET", "/api/v1/trading/executions", {"orderId": orders[-1]})
    for path, params in LISTS:
        for size in ("3", "1000"):
            pages: list[Any] = []
            page = 1
            while not pages or pages[-1]["list"]:
                wanted = {**params, "page": str(page), "pageSize": size}
                pages.append(venue.data("GET", path, wanted))
                page += 1
            found[f"{path} {params} {size}"] = pages
    return found


def until_archived(state: Path, orders: int) -> None:
    """Wait until so many orders are in the archive."""
    deadline = time.monotonic() + 30
    database = sqlite3.connect(f"file:{state}-past?mode=ro", uri=True, timeout=5)
    try:
        while database.execute("SELECT COUNT(*) FROM past WHERE tbl='order'").fetchone()[0] < orders:
            assert time.monotonic() < deadline
            time.sleep(0.1)
    finally:
        database.close()


def test_archived_orders_answer_as_before_also_after_a_kill(start: Callable[..., Venue], tmp_path: Path) -> None:
    state = tmp_path / "paper.db"
    options = (*STILL, "--set", "rate_profile=off", "--state", str(state), "--control")
    venue = start(*options)
    orders = live(venue)
    before = answers(venue, orders)
    assert before["/api/v1/trading/history/orders {} 1000"][0]["totalSize"] == len(orders)
    venue.set("keep_ended", "0")
    until_archived(state, len(orders) - 3)
    assert stat.S_IMODE(state.with_name("paper.db-past").stat().st_mode) == 0o600
    assert answers(venue, orders) == before
    assert venue.call("DELETE", ORDER, {"orderId": orders[0]})[1]["code"] == 401117
    assert venue.call("PUT", ORDER, {"orderId": orders[0], "replaceQty": "0.02"})[1]["code"] == 401117
    again = {"sym": PERP, "side": "BUY", "orderType": "LIMIT", "orderQty": "0.01", "limitPrice": "60000"}
    assert venue.call("POST", ORDER, {**again, "clientOrderId": "ends3"})[1]["code"] == 401009
    venue.process.kill()
    venue.process.wait()
    later = start(*options)
    assert answers(later, orders) == before


@pytest.mark.parametrize("lost", ["archive written, state not", "nothing written"])
def test_orders_archived_but_kept_in_state_are_listed_once(
    start: Callable[..., Venue], tmp_path: Path, lost: str
) -> None:
    """The archive is written first: rows that still stand in the state are archived once more."""
    state = tmp_path / "paper.db"
    options = (*STILL, "--set", "rate_profile=off", "--state", str(state), "--control")
    venue = start(*options)
    orders = live(venue)
    before = answers(venue, orders)
    kept = state.read_bytes()
    venue.set("keep_ended", "0")
    until_archived(state, len(orders) - 3)
    venue.process.kill()
    venue.process.wait()
    state.write_bytes(kept)
    state.with_name("paper.db-journal").unlink(missing_ok=True)
    if lost == "nothing written":
        state.with_name("paper.db-past").unlink()
    again = start(*options, "--set", "keep_ended=0")
    assert answers(again, orders) == before


def test_a_damaged_archive_file_is_refused_with_a_message(start: Callable[..., Venue], tmp_path: Path) -> None:
    (tmp_path / "paper.db-past").write_bytes(b"not a database" * 1000)
    with pytest.raises(RuntimeError, match=r"paper.db-past.*without the history"):
        start(*STILL, "--state", str(tmp_path / "paper.db"))


def test_venue_memory_stays_bounded_over_days_of_orders(tmp_path: Path) -> None:
    """The long run is `python -m tests.venue.year`; here are a few short days of it."""
    decimals.setup()
    life = Life(tmp_path)
    for _ in range(4):
        life.day(bursts=4)
        assert len(life.exchange.queries.orders(life.main)) <= PER_BURST
    week = life.ask("order_history", pageSize="1")
    assert week.total_size == life.orders == 16 * PER_BURST
    life.close()
