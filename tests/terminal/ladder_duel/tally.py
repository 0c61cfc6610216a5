"""Figures of a duel, and the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import msgspec

MOST_WRONG = 50
"""Wrong presses that are kept in full."""


class WrongPress(msgspec.Struct, frozen=True, kw_only=True):
    """A press whose order is not what the screen showed."""

    number: int
    what: str
    shown: str
    left: str
    journaled: str = ""


class Tally(msgspec.Struct, kw_only=True):
    """Figures of a run; every field is a sum, so that shards add up."""

    presses: int = 0
    staged: int = 0
    left: int = 0
    """Orders that left."""
    too_soon: int = 0
    """Presses not staged, because the price had stood under the cursor for less than the least time."""
    refused: int = 0
    """Orders that the guard LADDER refused."""
    other: dict[str, int] = {}
    """Other presses without a ticket or without an order, by reason."""
    calm: int = 0
    """Presses 200 ms and more after the cursor stopped."""
    calm_staged: int = 0
    moved_under_eye: int = 0
    """Calm presses under which another price lay than 200 ms before."""
    wrong_prices: int = 0
    wrong_sides: int = 0
    wrong_venues: int = 0
    several_presses: int = 0
    """Presses on a ladder of several venues."""
    several_orders: int = 0
    """Orders that left from there."""
    other_venue_orders: int = 0
    """Of these for another venue than the first."""
    wrong_journal: int = 0
    """Orders whose journaled venue, price or side is not that of the order."""
    wrong: list[WrongPress] = []

    def note_wrong(self, press: WrongPress) -> None:
        if len(self.wrong) < MOST_WRONG:
            self.wrong.append(press)

    @property
    def bad(self) -> bool:
        return bool(
            self.wrong_prices or self.wrong_sides or self.wrong_venues or self.wrong_journal or self.moved_under_eye
        )

    @property
    def accepted_share(self) -> float:
        """Share of the calm presses that were staged."""
        return self.calm_staged / self.calm if self.calm else 1.0


def join(tallies: Iterable[Tally]) -> Tally:
    """Add figures up."""
    whole = Tally()
    for tally in tallies:
        for name in tally.__struct_fields__:
            mine, more = getattr(whole, name), getattr(tally, name)
            setattr(whole, name, dict(Counter(mine) + Counter(more)) if isinstance(mine, dict) else mine + more)
    return whole


def lines_of(tally: Tally, index: dict[str, float]) -> Iterator[str]:
    """The table: the ladder, and an index cursor on the same tape."""
    yield f"{'presses':44} {tally.presses:>7}"
    yield f"{'staged':44} {tally.staged:>7}"
    yield f"{'orders that left':44} {tally.left:>7}"
    yield f"{'presses with several venues shown':44} {tally.several_presses:>7}"
    yield f"{'orders that left there':44} {tally.several_orders:>7}"
    yield f"{'of these for another venue than the first':44} {tally.other_venue_orders:>7}"
    yield f"{'not staged, price too new under the cursor':44} {tally.too_soon:>7}"
    yield f"{'refused by LADDER':44} {tally.refused:>7}"
    for reason, count in sorted(tally.other.items()):
        yield f"{reason[:44]:44} {count:>7}"
    yield f"{'another price than 200 ms before':44} {tally.moved_under_eye:>7}"
    yield f"{'wrong prices':44} {tally.wrong_prices:>7}"
    yield f"{'wrong sides':44} {tally.wrong_sides:>7}"
    yield f"{'wrong venues':44} {tally.wrong_venues:>7}"
    yield f"{'journal differs':44} {tally.wrong_journal:>7}"
    yield f"{'presses 200 ms after the cursor stopped':44} {tally.calm:>7}"
    yield f"{'of these staged':44} {tally.accepted_share:>7.1%}"
    for rate, share in index.items():
        yield f"{f'index cursor, {rate} messages/s: other price':44} {share:>7.1%}"
