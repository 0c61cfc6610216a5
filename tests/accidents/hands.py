"""Hands on a desk: the same steps on the program in virtual time and in a real terminal."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Protocol

import msgspec

from tests.accidents.attempt import Attempt, Finding, Happen, Meaning, Paste, Press
from tests.accidents.record import VenueRecord, judge

SETTLE_S = 1.5
"""How long the venue's record is left to settle behind the last key."""
READ_S = 0.5
"""How long a calm person looks before the key that sends."""
SAYS = ((r"\by sends", "y"), (r"\by yes, send", "y"), (r"\by confirms", "y"), (r"\bEnter sends", "enter"))
"""What the screen says of the key that sends, and the key."""
MOST_CONFIRMS = 3


class Reader(Protocol):
    """A desk whose screen is read before a key."""

    async def press(self, key: str) -> None: ...

    async def pause(self, seconds: float) -> None: ...

    def text(self) -> str:
        """What the screen shows."""
        ...


class DeskUnderTest(Reader, Protocol):
    """The venue around a desk: its record, and what happens there without the person."""

    names: Mapping[str, str]
    """Ids of the resting orders of the scene, by name."""
    unfit: frozenset[str]
    """Kinds of attempts that this desk cannot hold."""

    async def prepare(self, scene: str) -> None:
        """Bring account and desk into the state of a scene: armed, NORMAL, the cursor on the first pair."""
        ...

    async def record(self) -> VenueRecord:
        """Read the venue's own record."""
        ...

    async def happen(self, what: str, argument: str) -> None:
        """Let something happen: `fill`, `arrive`, `end` (an order), `move` (the market)."""
        ...

    async def paste(self, text: str, *, bracketed: bool) -> None: ...

    async def touch(self, sym: str) -> tuple[str, ...]:
        """Best bid and offer as the screen shows them now."""
        ...


async def close_pair(desk: Reader) -> None:
    """Close the views of a pair if they are open."""
    if re.search(r"Ladder|│ ?Cha", desk.text()):
        for key in ("1", "d", "d"):
            await desk.press(key)
            await desk.pause(0.4)


async def carry_out(desk: DeskUnderTest, attempt: Attempt) -> Finding:
    """Press the keys of one attempt and judge what the venue recorded."""
    before, meaning = await desk.record(), attempt.meaning
    keys = 0
    for step in attempt.steps:
        if isinstance(step, Press):
            keys += 1
            await desk.press(step.key)
            await desk.pause(step.wait)
        elif isinstance(step, Paste):
            await desk.paste(step.text, bracketed=step.bracketed)
            await desk.pause(step.wait)
        elif isinstance(step, Happen) and step.what == "note":
            meaning = _at_prices(meaning, await desk.touch(step.argument))
        elif isinstance(step, Happen) and step.what == "read":
            meaning = _at_prices(meaning, _read_ticket(desk.text()))
        elif isinstance(step, Happen):
            await desk.happen(step.what, step.argument)
            await desk.pause(step.wait)
        else:
            keys += await confirm(desk)
    await desk.pause(SETTLE_S)
    return judge(before, await desk.record(), meaning, desk.names, keys)


def _at_prices(meaning: Meaning, prices: tuple[str, ...]) -> Meaning:
    """The same orders, at the prices that are on the screen now and no other."""
    orders = tuple(msgspec.structs.replace(order, prices=prices) for order in meaning.orders)
    return msgspec.structs.replace(meaning, orders=orders)


def _read_ticket(text: str) -> tuple[str, ...]:
    """The figures that stand in the box of a ticket; the views of a pair beside it are no part of it."""
    lines = text.split("\n")
    top = next((y for y, line in enumerate(lines) if " Staged ─" in line), len(lines))
    figures: list[str] = []
    for line in lines[top + 1 :]:
        if line.startswith(("┕", "┝")):
            break
        own = line[: lines[top].index("┥") if "┥" in lines[top] else None]
        figures += re.findall(r"[0-9][0-9,]*\.[0-9]+", own)
    return tuple(figure.replace(",", "") for figure in figures)


async def confirm(desk: Reader) -> int:
    """Press what the screen says sends, until it says nothing more; returns how many keys it took."""
    pressed = 0
    for _ in range(MOST_CONFIRMS):
        await desk.pause(READ_S)
        text = desk.text()
        key = next((key for words, key in SAYS if re.search(words, text)), "")
        if not key:
            break
        pressed += 1
        await desk.press(key)
        await desk.pause(READ_S)
    return pressed
