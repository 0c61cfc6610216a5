"""The duel in a real terminal: the program as its own process, on a venue process that plays the recording."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path
from random import Random

import msgspec

from tests.accidents.runner import SIZES
from tests.accidents.terminal_desk import TerminalDesk
from tests.benchmarks.test_tape import RECORDING
from tests.terminal.journal import exported_journal
from tests.terminal.ladder_duel.duel import LeftOrder, fight
from tests.terminal.ladder_duel.presses import Press, draw_press
from tests.terminal.ladder_duel.tally import Tally
from tests.terminal.ladder_duel.tape import BTC
from tui.engine.intents import PaintedPrice, Place
from tui.engine.journal.order_replay import IntentPayload

PER_SESSION = 50
TO_PAIR = ("1", "g", "g") if RECORDING.exists() else ("1", "g", "g", "j")
"""Keys to the pair: a recording has one venue, so no line of the best stands above it."""


class PtyDuelDesk(TerminalDesk):
    """A workstation in a pseudo-terminal with the ladder open."""

    opens_s: float = 1.5

    def __init__(self, home: Path, seed: int, size: tuple[int, int]) -> None:
        recording = ("--market", str(RECORDING), "--set", "replay_end=loop") if RECORDING.exists() else ()
        super().__init__(home, seed, size, market="lively", venue=recording)
        self._home = home
        self._known: set[str] = set()

    async def open_ladder(self) -> None:
        for key in (*TO_PAIR, "d", *"<<<<<<"):
            await self.press(key)
            await self.pause(0.5)

    async def left(self) -> list[LeftOrder]:
        orders = (await self.record()).orders
        new = [order for key, order in orders.items() if key not in self._known and order.sym == BTC]
        self._known |= set(orders)
        return [LeftOrder(price=Decimal(order.price), side=order.side) for order in new]

    def refused(self) -> int:
        return 0

    def journaled(self) -> list[tuple[LeftOrder, PaintedPrice | None]]:
        rows = exported_journal(self._home, "--profile", "desk")
        payloads = [msgspec.json.decode(row["payload"], type=IntentPayload) for row in rows if row["kind"] == "intent"]
        intents = [msgspec.json.decode(one.intent, type=Place) for one in payloads if one.kind == Place.__name__]
        return [(LeftOrder(price=Decimal(one.price), side=one.side.value), one.painted) for one in intents]


async def _fight(desk: PtyDuelDesk, presses: Iterable[tuple[int, Press]], tally: Tally) -> None:
    await desk.open_ladder()
    await fight(desk, presses, tally)


def run(seed: int, first: int, count: int) -> Tally:
    """Run presses in real terminals, each session on a desk and a venue of its own."""
    tally, at = Tally(), first
    while at < first + count:
        end = min((at // PER_SESSION + 1) * PER_SESSION, first + count)
        run_session(seed, range(at, end), tally)
        at = end
    return tally


def run_session(seed: int, numbers: range, tally: Tally) -> None:
    """Carry out presses in a terminal of its own."""
    size = Random(f"duel terminal {seed} {numbers[0] // PER_SESSION}").choice(SIZES)
    with tempfile.TemporaryDirectory() as folder:
        desk = PtyDuelDesk(Path(folder) / "home", seed * 1_000 + numbers[0], size)
        try:
            desk.start()
            presses = ((number, draw_press(seed, number)) for number in numbers)
            asyncio.run(_fight(desk, presses, tally))
        finally:
            desk.close()
