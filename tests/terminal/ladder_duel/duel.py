"""One press after another on a desk, and the comparison of screen, order and journal."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Protocol

import msgspec

from tests.accidents.hands import confirm
from tests.terminal.ladder_duel.presses import Press, ShownRow, read_cursor_row
from tests.terminal.ladder_duel.tally import Tally, WrongPress
from tests.terminal.ladder_duel.tape import BTC, EYE_S
from tui.engine.intents import PaintedPrice

LOOK_S = 0.1
"""Seconds between two looks for the ticket."""
TOO_SOON = "not staged: this price stands under the cursor"
DENIED = "would be refused"
MOST_ESCAPES = 4
SHOWN_S = 0.1
"""How long a move has to be shown before the eye takes it for the newest."""


class LeftOrder(msgspec.Struct, frozen=True, kw_only=True):
    """An order that left."""

    price: Decimal
    side: str
    sym: str


class DuelDesk(Protocol):
    """A desk with the ladder open."""

    opens_s: float
    """Longest time in which a ticket opens."""

    async def press(self, key: str) -> None: ...

    async def pause(self, seconds: float) -> None: ...

    def text(self) -> str:
        """What the terminal shows."""
        ...

    async def left(self) -> list[LeftOrder]:
        """Orders that left since the last call."""
        ...

    def refused(self) -> int:
        """How many orders the guard LADDER has refused so far."""
        ...

    def journaled(self) -> list[tuple[LeftOrder, PaintedPrice | None]]:
        """Orders of the journal in order, with what was painted."""
        ...


async def fight(desk: DuelDesk, presses: Iterable[tuple[int, Press]], tally: Tally, *, several: bool = False) -> None:
    """Press, and count what left; the journal is compared at the end."""
    shown: list[tuple[int, ShownRow, Press, LeftOrder]] = []
    for number, press in presses:
        await return_to_ladder(desk)
        row = await move_and_press(desk, press, tally)
        tally.several_presses += several
        if row is None:
            continue
        orders = await desk.left()
        tally.left += len(orders)
        if several:
            tally.several_orders += len(orders)
            tally.other_venue_orders += sum(order.sym != BTC for order in orders)
        for order in orders:
            shown.append((number, row, press, order))
            judge(number, row, press, order, tally)
        if len(orders) != 1:
            reason = "several orders" if orders else "staged, not sent"
            if not orders and DENIED in desk.text():
                reason = "staged, denied: too far through the touch"
            tally.other[reason] = tally.other.get(reason, 0) + 1
    tally.refused += desk.refused()
    compare_journal(desk, shown, tally)


async def return_to_ladder(desk: DuelDesk) -> None:
    """Give the ladder the keyboard again."""
    for _ in range(MOST_ESCAPES):
        if has_keyboard(desk.text(), "Ladder"):
            return
        await desk.press("escape")
        await desk.pause(0.35)
    assert has_keyboard(desk.text(), "Ladder"), f"the ladder has not the keyboard\n{desk.text()}"


def has_keyboard(text: str, place: str) -> bool:
    """Return whether a place has the keyboard, as the footer says."""
    return text.rstrip("\n").split("\n")[-1].startswith(f" {place} ")


async def look_for_ticket(desk: DuelDesk) -> str:
    """Wait for the ticket of a press, and return what the terminal shows then."""
    for _ in range(round(desk.opens_s / LOOK_S)):
        await desk.pause(LOOK_S)
        if has_keyboard(desk.text(), "Ticket"):
            break
    return desk.text()


def newest_event(text: str) -> str:
    """Return the beginning of what the terminal says above its footer, without figures."""
    line = text.rstrip("\n").split("\n")[-2]
    return re.sub(r"[0-9.,:]+", "", line).strip(" ·!")[:60].strip()


async def move_and_press(desk: DuelDesk, press: Press, tally: Tally) -> ShownRow | None:
    """Move, wait, press and confirm; returns the row under the press if a ticket was staged."""
    for key, gap in press.moves:
        await desk.press(key)
        await desk.pause(gap)
    seen = None
    calm = press.wait >= EYE_S
    if calm:
        await desk.pause(press.wait - EYE_S)
        seen = read_cursor_row(desk.text())
    await desk.pause(EYE_S if calm else press.wait)
    row = read_cursor_row(desk.text())
    await desk.press(press.key)
    tally.presses += 1
    tally.calm += calm
    tally.moved_under_eye += press.wait >= EYE_S + SHOWN_S and seen is not None and seen != row
    text = await look_for_ticket(desk)
    if not has_keyboard(text, "Ticket"):
        if TOO_SOON in text:
            tally.too_soon += 1
        else:
            reason = f"not staged: {newest_event(text)}"
            tally.other[reason] = tally.other.get(reason, 0) + 1
        return None
    tally.staged += 1
    tally.calm_staged += calm
    assert row is not None, text
    await confirm(desk)
    return row


def judge(number: int, row: ShownRow, press: Press, order: LeftOrder, tally: Tally) -> None:
    """Compare an order with the row that stood under the press."""
    price = row.price(press.side)
    if order.price != price:
        tally.wrong_prices += 1
        tally.note_wrong(WrongPress(number=number, what="price", shown=str(price), left=str(order.price)))
    if order.side != press.side:
        tally.wrong_sides += 1
        tally.note_wrong(WrongPress(number=number, what="side", shown=press.side, left=order.side))
    if order.sym != row.sym:
        tally.wrong_venues += 1
        tally.note_wrong(WrongPress(number=number, what="venue", shown=row.sym, left=order.sym))


def compare_journal(desk: DuelDesk, shown: list[tuple[int, ShownRow, Press, LeftOrder]], tally: Tally) -> None:
    """Compare the journal with what left and what was shown, order by order."""
    journal = desk.journaled()
    if len(journal) != len(shown):
        tally.wrong_journal += 1
        text = f"{len(journal)} entries for {len(shown)} orders"
        tally.note_wrong(WrongPress(number=-1, what="journal", shown="", left="", journaled=text))
    for (number, row, press, order), (entry, painted) in zip(shown, journal, strict=False):
        meant = LeftOrder(price=row.price(press.side), side=press.side, sym=row.sym)
        agrees = painted is not None and meant == LeftOrder(
            price=Decimal(painted.price), side=painted.side.value, sym=painted.sym
        )
        if not agrees or entry != order:
            tally.wrong_journal += 1
            what = WrongPress(
                number=number, what="journal", shown=str(meant), left=str(order), journaled=f"{entry} {painted}"
            )
            tally.note_wrong(what)
