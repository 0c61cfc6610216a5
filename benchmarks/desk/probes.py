"""What is timed at a workstation: a quote, a key and an own order until they are seen, Enter until it is on the wire."""

from __future__ import annotations

import json
import random
import time
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

from benchmarks.desk.cells import Cells
from benchmarks.desk.front import ORDER_SYM
from benchmarks.desk.session import Session
from benchmarks.desk.stamped import KEY_STAGES
from benchmarks.desk.terminal import holds
from benchmarks.rig.order_stages import durations
from tui.workstation.input.fresh_press import STOOD_S

_ORDER = "/api/v1/trading/order"
_CURSOR = "▸"
_PLACE, _CANCEL = "place_order", "cancel_order"
MARGIN_S = 0.02
"""More than the line must have stood before Enter counts."""
SEEN_S = 15.0
"""Longest wait for a probe."""


class Load(NamedTuple):
    """What the workstation takes and gives in a time without probes."""

    cpu: float
    """Share of a core."""
    bytes_per_s: float
    offered: float
    """Quotes a second that were due."""
    taken: float
    """Quotes a second that the connection took."""


class Probes:
    """Timed one after the other, at random distances, so that they fall anywhere into a frame."""

    def __init__(self, session: Session, source: random.Random) -> None:
        self._session = session
        self._random = source
        self._price = Decimal("61300.1")
        self._bid = Decimal("61810.00")
        self._down = False

    def _pause(self, longest: float = 0.08) -> None:
        time.sleep(self._random.uniform(0.035, longest))

    def measure_load(self, rate: int, seconds: float) -> Load:
        """Change the load, wait until it runs evenly, and measure without doing anything else."""
        session, desk = self._session, self._session.desk
        session.service.front.tell(do="rate", value=rate)
        time.sleep(1.0)
        before, cpu, written = self._stats(), desk.cpu_s(), desk.bytes
        began = time.monotonic()
        time.sleep(seconds)
        lasted = time.monotonic() - began
        cpu, written = desk.cpu_s() - cpu, desk.bytes - written
        after = self._stats()
        spent = (after["at"] - before["at"]) / 1e9
        return Load(
            cpu / lasted,
            written / lasted,
            (after["offered"] - before["offered"]) / spent,
            (after["sent"] - before["sent"]) / spent,
        )

    def _stats(self) -> dict[str, int]:
        return self._session.service.front.ask("stats")

    def tick_to_screen(self) -> float:
        """From the write of a quote to its price on the screen, ms."""
        return self.tick_to_screens()[0]

    def tick_to_screens(self) -> list[float]:
        """The same on the screen of each workstation of the session, by one quote, ms."""
        self._pause()
        self._bid += Decimal("0.01") * self._random.randint(1, 9)
        text = f"{self._bid:,}"
        found = [(desk, desk.expect(lambda cells: holds(cells, text))) for desk in self._session.desks]
        self._session.service.front.tell(do="probe", bid=str(self._bid))
        sent: int = self._session.service.front.lines.next("probe")["at"]
        return [(desk.wait(seen, SEEN_S, text) - sent) / 1e6 for desk, seen in found]

    def key_to_screen(self) -> float:
        """From a key that moves the cursor to the moved cursor, ms."""
        self._pause()
        desk = self._session.desk
        before = _cursor_line(desk.cells)
        found = desk.expect(lambda cells: _cursor_line(cells) not in (before, None))
        pressed = desk.press("k" if self._down else "j")
        self._down = not self._down
        return (desk.wait(found, SEEN_S, "the moved cursor") - pressed) / 1e6

    def own_push_to_screen(self) -> float:
        """From the push of an order that was given beside the workstation to its price on the screen, ms."""
        self._pause()
        session = self._session
        self._price += Decimal("0.2")
        price, text = str(self._price), f"{self._price:,}"
        order = {"sym": ORDER_SYM, "side": "BUY", "orderType": "LIMIT", "orderQty": "0.001", "limitPrice": price}
        found = session.desk.expect(lambda cells: holds(cells, text, "EXT"))
        session.service.front.lines.forget()
        given = session.service.call("POST", _ORDER, {**order, "timeInForce": "GTC"})
        sent: int = session.service.front.lines.next("push", lambda line: f'"{price}"' in line["text"])["at"]
        seen = session.desk.wait(found, SEEN_S, text)
        session.service.call("DELETE", _ORDER, {"orderId": str(given["orderId"])})
        session.gone(text, "EXT", within=SEEN_S)
        return (seen - sent) / 1e6

    def enter_to_wire(self) -> tuple[float, float]:
        """From Enter on the preview to the order on the wire, and from `u` to its cancel, ms."""
        session, desk = self._session, self._session.desk
        self._stage()
        self._pause(0.15)
        pressed, placed = self._send()
        desk.see("OPEN ", "BINANCE BTC  ")
        self._pause(0.15)
        cancelled = desk.press("u")
        gone: int = session.service.front.lines.next("action", lambda line: line["action"] == _CANCEL)["at"]
        session.gone("OPEN ", "BINANCE BTC  ")
        return (placed - pressed) / 1e6, (gone - cancelled) / 1e6

    def enter_stages(self, log: Path) -> dict[str, float]:
        """The same for Enter, stage by stage, of a workstation that logs its stamps, ms."""
        self._stage()
        self._pause(0.15)
        pressed, placed = self._send()
        self._session.desk.see("OPEN ", "BINANCE BTC  ")
        stamps = json.loads(log.read_text().splitlines()[-1])
        self._cancel()
        return durations({"pressed": pressed, **stamps, "at service": placed}, KEY_STAGES)

    def enter_to_wire_unread(self, seconds: float) -> float:
        """The same for Enter, while the terminal has taken nothing for some time, ms."""
        desk = self._session.desk
        self._stage()
        desk.stop_reading()
        time.sleep(seconds)
        pressed, placed = self._send()
        desk.read_on()
        desk.see("OPEN ", "BINANCE BTC  ")
        self._cancel()
        return (placed - pressed) / 1e6

    def _stage(self) -> None:
        """Bring a buy at the touch onto the preview line."""
        self._session.desk.press("b")
        self._session.desk.see("Enter sends")
        time.sleep(STOOD_S + MARGIN_S)

    def _send(self) -> tuple[int, int]:
        """Press Enter on the preview; when it was pressed and when the order was at the service, ns."""
        lines = self._session.service.front.lines
        lines.forget()
        pressed = self._session.desk.press("\r")
        placed: int = lines.next("action", lambda line: line["action"] == _PLACE)["at"]
        return pressed, placed

    def _cancel(self) -> None:
        """Cancel the newest order and wait until its row is gone."""
        self._pause(0.15)
        self._session.desk.press("u")
        self._session.gone("OPEN ", "BINANCE BTC  ")


def _cursor_line(cells: Cells) -> int | None:
    return next((y for y in range(cells.lines) if _CURSOR in cells.line(y)), None)
