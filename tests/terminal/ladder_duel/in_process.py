"""The duel in virtual time: the screen on an emulated terminal, over an engine that records what leaves."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Iterator, Sequence
from decimal import Decimal
from random import Random

import msgspec
import textual._time

from tests.accidents.runner import SIZES
from tests.leaping import LeapingLoop, now
from tests.terminal.ladder_duel.duel import LeftOrder, fight
from tests.terminal.ladder_duel.presses import draw_press, draw_several
from tests.terminal.ladder_duel.tally import Tally
from tests.terminal.ladder_duel.tape import Tape, VenueMarket, draw_depth, draw_markets, price_text, read_tape
from tests.workstation.driver import Desk, desk
from tests.workstation.emulated import EmulatedTerminal, terminal_of
from tui.engine.intents import PaintedPrice, Place
from tui.engine.orders.pre_trade_checks import check_painted
from tui.engine.rows import Table
from tui.workstation.settings import WorkstationSettings

RATE = 10_000
"""Messages of the market a second."""
PUT_S = 0.01
"""Seconds between two of them that reach the screen: those between are conflated in any case."""
DEPTH_S = 0.25
FPS = 15
SIZE_SHARES = (4, 3, 2, 1)
"""How often each size is drawn: a large screen takes longer."""
PER_SESSION = 100
FINEST = ("<",) * 6
OPENING = ("1", "g", "j", "d", *FINEST)
TO_SEVERAL = (")", *FINEST, "'")


class ScriptedDuelDesk:
    """A workstation on an emulated terminal."""

    opens_s: float = 0.2

    def __init__(self, at: Desk) -> None:
        self._at = at
        self._taken = 0

    async def press(self, key: str) -> None:
        self._at.send_now(key)

    async def pause(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def text(self) -> str:
        screen = terminal_of(self._at).screen
        return "\n".join(screen.line(y) for y in range(screen.lines))

    def _places(self) -> list[Place]:
        return [intent for intent in self._at.port.intents if isinstance(intent, Place)]

    async def left(self) -> list[LeftOrder]:
        places = self._places()[self._taken :]
        self._taken += len(places)
        return [
            LeftOrder(price=Decimal(one.price), side=one.side.value, sym=one.sym)
            for one in places
            if check_painted(one) is None
        ]

    def refused(self) -> int:
        return sum(check_painted(intent) is not None for intent in self._places())

    def journaled(self) -> list[tuple[LeftOrder, PaintedPrice | None]]:
        """The intents as the journal writes and reads them."""
        rows = [msgspec.json.decode(msgspec.json.encode(one), type=Place) for one in self._places()]
        return [(LeftOrder(price=Decimal(row.price), side=row.side.value, sym=row.sym), row.painted) for row in rows]


def keep_links(at: Desk) -> None:
    """Let every connection have heard something just now."""
    for name, link in at.app.mirror.links.items():
        at.port.put(Table.LINKS, name, msgspec.structs.replace(link, last_frame=at.clock.at))


async def play(at: Desk, tape: Tape, first: int, rng: Random, markets: Sequence[VenueMarket]) -> None:
    """Play the tape from a place on at each venue, with new books four times a second."""
    began, depth_at = now(), 0.0
    while True:
        due = now() >= depth_at
        for one in markets:
            best = one.best(tape.at(first + round((now() - began - one.delay_s) * RATE)))
            at.port.quote(one.sym, price_text(best.bid), price_text(best.ask), f"{best.bid_qty:g}", f"{best.ask_qty:g}")
            if due:
                at.port.put(Table.DEPTH, one.sym, draw_depth(best, rng, one.sym, one.step))
        if due:
            depth_at = now() + DEPTH_S
            keep_links(at)
        await asyncio.sleep(PUT_S)
        at.clock.pass_by(PUT_S)


@contextlib.contextmanager
def virtual_time() -> Iterator[asyncio.Runner]:
    """A loop that leaps, whose time the screen takes."""
    before, textual._time.get_time = textual._time.get_time, now
    os.environ["TEXTUAL_ANIMATIONS"] = "none"
    try:
        with asyncio.Runner(loop_factory=LeapingLoop) as runner:
            yield runner
    finally:
        textual._time.get_time = before


async def run_session(
    seed: int,
    numbers: range,
    tape: Tape,
    tally: Tally,
    size: tuple[int, int] | None = None,
    several: bool | None = None,
) -> None:
    """Carry out presses on a desk of their own; size and venues are drawn where they are not given."""
    if several is None:
        several = draw_several(seed, numbers[0] // PER_SESSION)
    rng = Random(f"duel session {seed} {numbers[0] // PER_SESSION}")
    settings = WorkstationSettings(bell=False, fps=FPS)
    async with desk(*(size or rng.choices(SIZES, SIZE_SHARES)[0]), settings=settings, terminal=EmulatedTerminal) as at:
        market = asyncio.ensure_future(play(at, tape, rng.randrange(60_000), rng, draw_markets(rng, several=several)))
        for key in (*OPENING, *TO_SEVERAL) if several else OPENING:
            at.send_now(key)
            await asyncio.sleep(0.25)
        try:
            presses = ((number, draw_press(seed, number, several=several)) for number in numbers)
            await fight(ScriptedDuelDesk(at), presses, tally, several=several)
        finally:
            market.cancel()


def run(seed: int, first: int, count: int) -> Tally:
    """Run presses in virtual time, each session on a desk of its own."""
    tape, tally, at = read_tape(), Tally(), first
    while at < first + count:
        end = min((at // PER_SESSION + 1) * PER_SESSION, first + count)
        with virtual_time() as runner:
            runner.run(run_session(seed, range(at, end), tape, tally))
        at = end
    return tally
