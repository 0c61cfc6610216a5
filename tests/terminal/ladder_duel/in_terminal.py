"""The duel in a real terminal: the program as its own process, on a venue process that plays the recording."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterable
from decimal import Decimal
from pathlib import Path
from random import Random

import msgspec

from benchmarks.tape import from_recording
from tests.accidents.runner import SIZES
from tests.accidents.terminal_desk import TerminalDesk
from tests.benchmarks.test_tape import RECORDING
from tests.terminal.journal import exported_journal
from tests.terminal.ladder_duel.duel import LeftOrder, fight
from tests.terminal.ladder_duel.in_process import FINEST, TO_SEVERAL
from tests.terminal.ladder_duel.presses import Press, draw_press, draw_several
from tests.terminal.ladder_duel.tally import Tally
from tests.terminal.ladder_duel.tape import TICKS, Best, draw_markets, price_text
from tui.engine.intents import PaintedPrice, Place
from tui.engine.journal.order_replay import IntentPayload

PER_SESSION = 50
TO_PAIR = ("1", "g", "g")
TO_BEST_PAIR = (*TO_PAIR, "j")
"""Keys to the pair where several venues trade it, so that a line of the best stands above it."""


class PtyDuelDesk(TerminalDesk):
    """A workstation in a pseudo-terminal with the ladder open."""

    opens_s: float = 1.5

    def __init__(self, home: Path, seed: int, size: tuple[int, int], *, several: bool = False) -> None:
        venue: tuple[str, ...] = ()
        if RECORDING.exists():
            market = (
                write_recording(home.parent / "market.csv", Random(f"duel market {seed}")) if several else RECORDING
            )
            venue = ("--market", str(market), "--set", "replay_end=loop")
        super().__init__(home, seed, size, market="lively", venue=venue)
        self._to_pair = TO_PAIR if venue and not several else TO_BEST_PAIR
        self._several = several
        self._home = home
        self._known: set[str] = set()

    async def open_ladder(self) -> None:
        for key in (*self._to_pair, "d", *FINEST, *(TO_SEVERAL if self._several else ())):
            await self.press(key)
            await self.pause(0.5)

    async def left(self) -> list[LeftOrder]:
        orders = (await self.record()).orders
        new = [order for key, order in orders.items() if key not in self._known and order.sym in TICKS]
        self._known |= set(orders)
        return [LeftOrder(price=Decimal(order.price), side=order.side, sym=order.sym) for order in new]

    def refused(self) -> int:
        return 0

    def journaled(self) -> list[tuple[LeftOrder, PaintedPrice | None]]:
        rows = exported_journal(self._home, "--profile", "desk")
        payloads = [msgspec.json.decode(row["payload"], type=IntentPayload) for row in rows if row["kind"] == "intent"]
        intents = [msgspec.json.decode(one.intent, type=Place) for one in payloads if one.kind == Place.__name__]
        return [(LeftOrder(price=Decimal(one.price), side=one.side.value, sym=one.sym), one.painted) for one in intents]


def write_recording(path: Path, rng: Random) -> Path:
    """Write the recorded best prices of the pair at each venue: the first as they are, the others as drawn."""
    markets = draw_markets(rng, several=True)
    rows: list[tuple[int, str]] = []
    for quote in from_recording(RECORDING).quotes:
        for one in markets:
            best = one.best(Best(quote.bid, quote.bid_size, quote.ask, quote.ask_size))
            bid_qty, ask_qty = (f"{max(1, round(qty / one.lot)) * one.lot:.3f}" for qty in (best.bid_qty, best.ask_qty))
            at_ns = (quote.at_us + round(one.delay_s * 1e6)) * 1000
            prices = f"{price_text(best.bid)},{bid_qty},{price_text(best.ask)},{ask_qty}"
            rows.append((at_ns, f"{at_ns},{one.sym},BBO,{prices},\n"))
    path.write_text("".join(text for _, text in sorted(rows)))
    return path


async def _fight(desk: PtyDuelDesk, presses: Iterable[tuple[int, Press]], tally: Tally, *, several: bool) -> None:
    await desk.open_ladder()
    await fight(desk, presses, tally, several=several)


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
    session = numbers[0] // PER_SESSION
    size, several = Random(f"duel terminal {seed} {session}").choice(SIZES), draw_several(seed, session)
    with tempfile.TemporaryDirectory() as folder:
        desk = PtyDuelDesk(Path(folder) / "home", seed * 1_000 + numbers[0], size, several=several)
        try:
            desk.start()
            presses = ((number, draw_press(seed, number, several=several)) for number in numbers)
            asyncio.run(_fight(desk, presses, tally, several=several))
        finally:
            desk.close()
