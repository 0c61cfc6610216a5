"""A venue on which something of everything is there."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any

from tests.venue.shell.conftest import STILL, Venue
from tui.interface import catalogue

PERP, OTHER, SHORT, SPOT, MARGIN = (
    "BINANCE_PERP_BTC_USDT", "BINANCE_PERP_ETH_USDT", "OKX_PERP_ETH_USDT", "BINANCE_SPOT_BTC_USDT",
    "BINANCE_MARGIN_ETH_USDT",
)  # fmt: skip
DAY_MS = 86_400_000
Params = dict[str, str]
STOP = {
    "algoOrderType": "TPSL", "conditionType": "PARTIAL_CLOSE_POSITION", "sym": PERP, "side": "SELL",
    "orderQty": "0.001", "slTriggerPrice": "54000", "slTriggerType": "MARK_PRICE", "slPrice": "0", "reduceOnly": "true",
}  # fmt: skip
OCO = {**STOP, "conditionType": "OCO", "tpTriggerPrice": "69000", "tpTriggerType": "MARK_PRICE", "tpPrice": "0"}


def start() -> Venue:
    """A still venue with a past and without limits, on which money moves at once."""
    now = int(time.time() * 1000)
    planned = f"maintenance=DEPOSIT {now + DAY_MS} {now + 2 * DAY_MS} Upgrade"
    return Venue(*STILL, "--set", "past=on", "--set", planned, "--set", "rate_profile=off", "--control")


@contextmanager
def open_world() -> Iterator[World]:
    """A world on a venue of its own, which ends without an error."""
    venue = start()
    yield World(venue)
    assert venue.stop() == 0


class World:
    """One portfolio that has orders, algo orders, positions, fills and a debt."""

    def __init__(self, venue: Venue) -> None:
        self.venue = venue
        self._numbers = count(1)
        self.last_key = ""
        """The key that was made last for a call about a key."""
        self.do("place_order", sym=PERP, side="BUY", orderType="MARKET", orderQty="0.02")
        self.do("place_order", sym=PERP, side="SELL", orderType="MARKET", orderQty="0.01")
        self.do("place_order", sym=SPOT, side="BUY", orderType="MARKET", orderQty="0.01")
        self.do("place_order", sym=MARGIN, side="SELL", orderType="MARKET", orderQty="20")
        self.do("place_order", sym=SHORT, side="SELL", orderType="MARKET", orderQty="1")
        self.do("place_order", sym=OTHER, side="BUY", orderType="MARKET", orderQty="0.5")
        self.do("close_position", sym=OTHER)
        self.do("portfolio_loan_borrow", exchange="BINANCE", coin="USDT", amount="100")
        self.resting()
        gone = self.stop()
        self.do("cancel_algo", algoOrderId=gone)
        self.until(lambda: gone not in [row["algoOrderId"] for row in self.do("open_algos")["list"]])
        self.stop()

    def name(self) -> str:
        """A client order id that nobody used."""
        return f"walk{next(self._numbers)}"

    def do(self, row: str, **params: str) -> Any:
        """The data of a call of a row that must succeed."""
        endpoint = catalogue.BY_NAME[row]
        return self.venue.data(endpoint.method, endpoint.path, params)

    def resting(self) -> str:
        """The id of a fresh order that rests."""
        placed = self.do("place_order", sym=PERP, side="BUY", orderType="LIMIT", orderQty="0.01", limitPrice="58000")
        return str(placed["orderId"])

    def stop(self) -> str:
        """The id of a fresh algo order that waits."""
        placed = self.do("place_algo", **STOP)
        return str(placed["algoOrderId"])

    def order(self, order_id: str) -> Any:
        return self.do("order_detail", orderId=order_id)

    def until(self, reached: Callable[[], bool]) -> None:
        """Wait until what was only accepted has been carried out."""
        deadline = time.monotonic() + 10
        while not reached():
            assert time.monotonic() < deadline, "it was accepted and not carried out"

    def position(self, sym: str) -> list[Any]:
        return [row for row in self.do("positions") if row["sym"] == sym]
