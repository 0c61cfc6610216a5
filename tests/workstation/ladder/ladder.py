"""Ladder of a desk for tests: opened, read from the screen, with own orders."""

from __future__ import annotations

import re

from tests.workstation.driver import Desk
from tui.engine.intents import Outcome, Verdict
from tui.engine.rows import DepthRow, Table
from tui.workstation.features.ladder.pane import LadderPane

BTC = "BINANCE_PERP_BTC_USDT"
ACCEPTED = Outcome(verdict=Verdict.ACCEPTED, key="new")


def ladder(at: Desk) -> LadderPane:
    pane = at.app.main_screen.tables["ladder"].pane
    assert isinstance(pane, LadderPane)
    return pane


async def open_ladder(at: Desk) -> None:
    """Open the ladder of BINANCE BTC with one tick in a row, and look at it for a while."""
    await at.press("1", "g", "j", "d")
    for _ in range(6):
        await at.press("<")
    at.port.put(
        Table.DEPTH, BTC,
        DepthRow(
            sym=BTC, whole=True, ts=1, bids=(("64001.0", "2.1"), ("64000.8", "1.4")),
            asks=(("64001.2", "0.8"), ("64001.5", "3.3")),
        ),
    )  # fmt: skip
    await at.settle()
    await stand(at)


async def stand(at: Desk) -> None:
    """Let the cursor's line stand on the screen for more than the least time."""
    await at.pause(0.2)


def cursor_price(at: Desk) -> str:
    """Price on the line that carries the cursor, read from the screen."""
    [line] = [line for line in at.text().split("\n") if re.search(r"[▸▹].*\d{2},\d{3}\.\d[ ▴▾]", line[60:])]
    found: list[str] = re.findall(r"\d{2},\d{3}\.\d", line[60:])
    return found[-1].replace(",", "")


async def rest_three(at: Desk) -> None:
    """Two buys at one price, and a sell whose outcome is unknown."""
    await open_ladder(at)
    at.port.order("n1", BTC, "BUY", "64000.5", "0.300", position_side="LONG")
    at.port.order("n2", BTC, "BUY", "64000.5", "0.200", position_side="LONG")
    at.port.order("n3", BTC, "SELL", "64001.5", "0.1", position_side="LONG", state="UNKNOWN")
    await at.settle()
