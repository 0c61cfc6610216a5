"""A large account on the desk: a thousand working orders of which some are replaced all the time, positions, portfolios."""

from __future__ import annotations

import threading
import time
from types import TracebackType
from typing import Self

from benchmarks.desk.session import Service
from benchmarks.memory import PAIRS

ORDERS, POSITIONS, PORTFOLIOS = 1_000, 500, 20
MOVED_SHARE = 0.05
"""Share of the orders that is replaced in a second."""
_ORDER, _PORTFOLIO = "/api/v1/trading/order", "/api/v1/trading/portfolio"
_SPREAD = 1_000
"""Steps of price over which the orders are spread."""


def _price(number: int) -> str:
    return f"{60_000 + number % _SPREAD}"


def open_book(service: Service) -> None:
    """Create the other portfolios, and place the orders; the positions come with the front."""
    for number in range(1, PORTFOLIOS):
        service.call("POST", _PORTFOLIO, {"name": f"booklet{number}"})
    for number in range(ORDERS):
        order = {"sym": PAIRS[number % len(PAIRS)], "side": "BUY", "orderType": "LIMIT", "timeInForce": "GTC"}
        more = {"orderQty": "0.001", "limitPrice": _price(number), "clientOrderId": f"book{number}"}
        service.call("POST", _ORDER, order | more)


class MovingBook:
    """Replaces orders at an even pace while it is entered."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._move, daemon=True)
        self._began = 0.0
        self.moved = 0

    def __enter__(self) -> Self:
        self._began = time.monotonic()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopped.set()
        self._thread.join()

    def per_second(self) -> float:
        """Orders replaced a second since it was entered."""
        return self.moved / (time.monotonic() - self._began)

    def _move(self) -> None:
        pause = 1 / (ORDERS * MOVED_SHARE)
        due = time.monotonic()
        while not self._stopped.wait(max(0.0, due - time.monotonic())):
            due = max(due + pause, time.monotonic() - 1.0)
            number, turn = self.moved % ORDERS, 1 + self.moved // ORDERS
            order = {"clientOrderId": f"book{number}", "replacePrice": _price(number + turn)}
            self._service.call("PUT", _ORDER, order)
            self.moved += 1
